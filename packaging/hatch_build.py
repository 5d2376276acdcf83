"""Build hook: compiles the translations before a wheel or an editable install is made."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TranslationHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling; named in pyproject.toml."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile resources/i18n/*.ts. A wheel without them is refused; an editable install warns only."""
        del build_data
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        try:
            _translations(root).compile_all(root / "resources" / "i18n")
        except FileNotFoundError as error:
            sentence = f"{error} The translations cannot be compiled; install PySide6-Essentials first."
            if version != "editable":
                raise SystemExit(sentence) from error
            self.app.display_warning(sentence + " qtune will speak English only.")


def _translations(root: Path) -> ModuleType:
    # By path: this folder must never be importable, or it would hide the library of the same name.
    spec = spec_from_file_location("qtune_translations", root / "packaging" / "translations.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError("packaging/translations.py was not found.")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
