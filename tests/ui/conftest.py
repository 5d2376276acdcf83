"""A window on a scripted desk, offscreen, that must leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qtune.ui.main_window import MainWindow
from qtune.ui.window.system_tray import TrayPlace
from tests.ui import fake_story as story
from tests.ui.fake_desk import FakeDesk, Scene

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
WAIT_MS = 60_000

Open = Callable[..., MainWindow]


def chosen(**preferences: str) -> dict[str, str]:
    """Preferences of a user who has chosen a model before."""
    return {"model": story.MODEL.path, "language": "en", "theme": "light", **preferences}


def desk_of(window: MainWindow) -> FakeDesk:
    """The desk behind a window."""
    desk = window._desk
    assert isinstance(desk, FakeDesk)
    return desk


def settle(app: QApplication) -> None:
    """Until layouts have found their sizes; each level of them asks the one above by an event of its own."""
    for _ in range(4):
        app.processEvents()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def open_window(qtbot: QtBot, qapp: QApplication) -> Iterator[Open]:
    """Opens windows on scenes; afterwards each is closed and must have ended its timers and threads."""
    qapp.setQuitOnLastWindowClosed(False)
    opened: list[MainWindow] = []

    def open_one(scene: Scene | None = None, place: TrayPlace | None = None) -> MainWindow:
        scene = scene or Scene(preferences=chosen())
        window = MainWindow(FakeDesk(scene), qapp, RESOURCES, place)
        # Not given to qtbot: it would delete the window before it has closed in its stages.
        opened.append(window)
        window.show()
        if scene.search is None:
            qtbot.waitUntil(lambda: window.bench.finder.engines_known, timeout=WAIT_MS)
        if "model" in scene.preferences:
            qtbot.waitUntil(lambda: window.bench.complete, timeout=WAIT_MS)
        return window

    yield open_one
    for window in opened:
        window.shut_down()
        qtbot.waitUntil(lambda window=window: window._ended, timeout=WAIT_MS)
        assert [t for t in window.findChildren(QTimer) if t.isActive()] == []
        closer = window._closer
        assert closer is not None
        qtbot.waitUntil(lambda closer=closer: not closer.is_alive(), timeout=WAIT_MS)
        window.deleteLater()
        qapp.sendPostedEvents(window, QEvent.Type.DeferredDelete)
