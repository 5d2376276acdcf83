# Everything a checkout needs, one word each. `make` alone lists the words.

PYTHON := .venv/bin/python
SETUP := sh packaging/setup_environment.sh
SCREEN := $(if $(DISPLAY)$(WAYLAND_DISPLAY),,xvfb-run -a -s "-screen 0 1920x1080x24")

.DEFAULT_GOAL := help
.PHONY: help setup setup-test run test check format screenshots translations requirements clean

help: ## list these words
	@sed -n 's/^\([a-z-]*\):.*## /    make \1\t/p' $(MAKEFILE_LIST) | expand -t 24

setup: ## set up .venv and the system libraries needed, nothing else
	@$(SETUP) run

setup-test:
	@$(SETUP) test

run: setup ## set up and start; without a display, measure the sample model in the terminal
	@if [ "$$(uname -s)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		echo "There is no display, so no window opens; the sample model is measured here instead."; \
		exec $(PYTHON) -m qtune measure --sample --preset off --preset balanced --runs 3; \
	fi; \
	exec $(PYTHON) -m qtune

test: check ## set up, check and run all tests (ARGS=... goes to pytest)
	@$(PYTHON) -m pytest -n auto --maxprocesses 4 $(ARGS)

check: setup-test ## format, lint, types, layers, translations
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m mypy
	@.venv/bin/lint-imports --no-logo
	@$(PYTHON) packaging/translations.py check

format: setup-test ## format the code and mend what can be mended
	@$(PYTHON) -m ruff format .
	@$(PYTHON) -m ruff check --fix .

screenshots: ## take the pictures of the window, in a screen in memory where there is none
	@$(SETUP) pictures
	@$(SCREEN) $(PYTHON) packaging/screenshots.py $(ARGS)
	@$(SCREEN) $(PYTHON) packaging/measured_pictures.py $(ARGS)

translations: setup-test ## collect new texts, then list what is not translated
	@$(PYTHON) packaging/translations.py update
	@$(PYTHON) packaging/translations.py check

requirements: setup-test ## pin the requirements anew (ARGS=--upgrade for newest versions)
	@$(PYTHON) packaging/requirements.py $(ARGS)

clean: ## remove what was built or cached, .venv included
	@rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find qtune tests resources -name __pycache__ -prune -exec rm -rf {} + -o -name '*.qm' -exec rm -f {} +
