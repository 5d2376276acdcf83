"""Looks for cut text on screens of several scale factors, which Qt reads only when a process starts.

``python -m tests.ui.scaled_tour`` prints a line for each cut text, and last how many pages it looked at.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SCALES = {"quarter": 1.25, "half": 1.5, "double": 2.0}
LANGUAGES = {"quarter": "en", "half": "zh_CN", "double": "en"}


def prepare(folder: Path) -> None:
    """Describe the screens to Qt, before it is imported."""
    wide = 3000
    screens = [
        {"name": name, "x": number * wide, "y": 0, "width": wide, "height": 2000, "logicalDpi": 96}
        for number, name in enumerate(SCALES)
    ]
    description = folder / "screens.json"
    description.write_text(json.dumps({"screens": screens}), encoding="utf-8")
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={description}"
    os.environ["QT_SCREEN_SCALE_FACTORS"] = ";".join(f"{name}={scale}" for name, scale in SCALES.items())


def main() -> None:
    """Show every page of one window on every screen, in one language each."""
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415 - after the screens are described

    from qtune.ui.main_window import MainWindow  # noqa: PLC0415
    from tests.ui import shown_texts, tour  # noqa: PLC0415
    from tests.ui.conftest import RESOURCES, settle  # noqa: PLC0415
    from tests.ui.fake_desk import FakeDesk  # noqa: PLC0415

    app = QApplication(sys.argv)
    app.setQuitOnLastWindowClosed(False)

    def wait(condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not condition():
            app.processEvents()
            if time.monotonic() > end:
                raise TimeoutError
            time.sleep(0.002)

    window = MainWindow(FakeDesk(tour.scenes()["full"]), app, RESOURCES)
    window.show()
    wait(lambda: window.bench.complete and len(window.banners.banners) > 0)
    tour.fill_pages(window, wait)
    looked = 0
    for screen in app.screens():
        window.choose_language(LANGUAGES[screen.name()])
        window.move(screen.geometry().topLeft())
        settle(app)  # it is scaled only now
        window.resize(*tour.SIZES[1])
        for page in range(window.pages.count()):
            window.show_page(page)
            settle(app)
            scale = window.devicePixelRatioF()
            looked += scale == SCALES[screen.name()]
            for why in shown_texts.cut(window):
                sys.stdout.write(f"{LANGUAGES[screen.name()]} {scale} {page}: {why}\n")
    sys.stdout.write(f"{looked}\n")
    window.shut_down()
    wait(lambda: window._ended)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        prepare(Path(place))
        main()
