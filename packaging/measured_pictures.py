"""Pictures of the window with figures that were measured here: the sample model, on the bundled engine.

``python packaging/measured_pictures.py [STATE ...] [--quick] [--measure]`` writes to ./screenshots/. What the
pictures show is measured first, which takes about a quarter of an hour, and kept in ./build/measured for the
next time; ``--measure`` does it anew. Both folders are ignored by git.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtWidgets import QApplication

import screenshots
from screenshots import SIZES, Look

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from qtune.session.assembly import open_desk  # noqa: E402 - the path has to be set first
from qtune.ui.main_window import HISTORY, LOG, MODELS, SETTINGS, TUNE, MainWindow  # noqa: E402
from qtune.ui.tune.job_buttons import BOTH  # noqa: E402
from qtune.ui.tune.measure_bar import LADDER, LIVE  # noqa: E402

HOME = ROOT / "build" / "measured"
MEASURED = HOME / "measured"
"""Lies there when everything was measured to its end."""
JOBS = (
    ("compare", "--sample"),
    ("sweep", "n-max", "--sample"),
    ("sweep", "context", "--sample", "--depths", "512,1024,2048"),
    ("fill", "--sample", "--ctx", "4096"),
)
LOOKS: tuple[Look, ...] = tuple(itertools.product(("light", "dark"), ("en", "zh_CN"), SIZES))
QUICK: tuple[Look, ...] = (("light", "en", SIZES[0]), ("dark", "zh_CN", SIZES[1]))
CONTEXT = 4096
"""What the comparison ran with, so that the cards show it."""
DEADLINE_S = 120
COMPARISON_S = 900
SETTLE_S = 0.4


def measure() -> None:
    """Make the history that the pictures show."""
    shutil.rmtree(HOME, ignore_errors=True)
    for words in JOBS:
        print("measuring:", *words, flush=True)
        subprocess.run([sys.executable, "-m", "qtune", *words, "--base-dir", str(HOME)], cwd=ROOT, check=True)
    MEASURED.touch()


def pump(app: QApplication, until: Callable[[], object], deadline_s: float = DEADLINE_S) -> None:
    """The same with the patience that a real engine needs."""
    screenshots.pump(app, until, SETTLE_S, deadline_s)


# -- the states: each brings the window there, hands it over for its pictures, and tidies up ----------------


def tune(_app: QApplication, window: MainWindow) -> Iterator[None]:
    """The cards with what was measured, and the record."""
    window.show_page(TUNE)
    window.tune.show_view(LIVE)
    yield


def verdict(app: QApplication, window: MainWindow) -> Iterator[None]:
    """The result of a quick comparison, made now."""
    window.show_page(TUNE)
    window.bench.run_job("compare", form="quick")
    pump(app, lambda: not window.bench.idle)
    pump(app, lambda: window.bench.idle, deadline_s=COMPARISON_S)
    yield


def live(app: QApplication, window: MainWindow) -> Iterator[None]:
    """In the middle of a measurement."""
    window.show_page(TUNE)
    window.run_job(BOTH)
    pump(app, lambda: window.bench.book.newest() and window.tune.answer.text.toPlainText().count(" ") > 60)
    yield
    window.bench.cancel()
    pump(app, lambda: window.bench.idle)


def running(app: QApplication, window: MainWindow) -> Iterator[None]:
    """A server that runs, with the ladder beside it."""
    window.show_page(TUNE)
    window.bench.start_server()
    pump(app, lambda: window.bench.idle and window.bench.way_back.view is not None)
    window.tune.show_view(LADDER)
    yield
    window.show_page(LOG)
    pump(app, lambda: True)


def log(app: QApplication, window: MainWindow) -> Iterator[None]:
    """What the engine of the state before has said."""
    window.show_page(LOG)
    yield
    window.bench.stop_server()
    pump(app, lambda: window.bench.idle)


def history(app: QApplication, window: MainWindow) -> Iterator[None]:
    """All runs, the newest in detail."""
    window.show_page(HISTORY)
    pump(app, lambda: window.history.detail.shown)
    yield


def experiment(app: QApplication, window: MainWindow) -> Iterator[None]:
    """The comparison with its verdict."""
    page = window.history
    window.show_page(HISTORY)
    page.filter.grouped.setChecked(True)
    pump(app, lambda: len(page.model.lines) > len(page.model.keys))
    for heading in [int(line) for line in page.model.lines if line < 0]:
        before = page.detail.experiment
        page.table.choose([heading])
        pump(app, lambda before=before: page.detail.experiment not in (None, before))
        found = page.detail.experiment
        if found is not None and (found.record.kind, found.record.form) == ("compare", "full"):
            break
    yield


def beside(app: QApplication, window: MainWindow) -> Iterator[None]:
    """Its arms side by side; follows the state before."""
    page = window.history
    page.compare()
    pump(app, lambda: page.comparison.found is not None)
    yield
    page.show_list()
    page.filter.grouped.setChecked(False)
    pump(app, lambda: len(page.model.lines) == len(page.model.keys))


def models(app: QApplication, window: MainWindow) -> Iterator[None]:
    """What was found on this computer."""
    window.show_page(MODELS)
    pump(app, lambda: window.bench.search.ended)
    yield


def settings(_app: QApplication, window: MainWindow) -> Iterator[None]:
    """The settings."""
    window.show_page(SETTINGS)
    yield


STATES = {
    "tune": tune,
    "verdict": verdict,
    "live": live,
    "running": running,
    "log": log,
    "history": history,
    "experiment": experiment,
    "beside": beside,
    "models": models,
    "settings": settings,
}


def take(app: QApplication, window: MainWindow, state: str, looks: tuple[Look, ...]) -> None:
    """One state in every look."""
    walk = STATES[state](app, window)
    next(walk)
    for theme, language, size in looks:
        window.choose_theme(theme)
        window.choose_language(language)
        window.resize(*size)
        pump(app, lambda: True)
        name = f"measured-{state}_{theme}_{language}_{size[0]}x{size[1]}.png"
        window.grab().save(str(ROOT / "screenshots" / name))
        print(name, flush=True)
    next(walk, None)


def main() -> int:
    """Measure if that was not done yet, then take the pictures asked for; all of them by default."""
    if "--measure" in sys.argv or not MEASURED.exists():
        measure()
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")] or list(STATES)
    (ROOT / "screenshots").mkdir(exist_ok=True)
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    window = MainWindow(open_desk(HOME), app, ROOT / "resources")
    window.show()
    try:
        pump(app, lambda: window.bench.finder.engines_known)
        window.bench.use_sample()
        pump(app, lambda: window.bench.complete)
        window.bench.choose_context(CONTEXT)
        window.banners.clear()
        for state in wanted:
            take(app, window, state, QUICK if "--quick" in sys.argv else LOOKS)
    finally:
        window.shut_down()
        pump(app, lambda: window._ended)  # noqa: SLF001 - the script stands in for the application
    return 0


if __name__ == "__main__":
    sys.exit(main())
