"""Where the window stood, how large, on which page and how divided: kept at the end, restored next time."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QByteArray, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from qtune.ui.state.choices import Choices
from qtune.ui.widgets.kept_splitter import KeptSplitter
from qtune.ui.window.nav_rail import PAGES

GRIP = QSize(120, 24)
"""This much of the window's upper edge must be on a screen, so that the window can be taken and moved."""


class WindowPlace:
    """GUI thread only; ``splits`` are the splitters of the pages by name."""

    def __init__(self, window: QWidget, choices: Choices, splits: Mapping[str, KeptSplitter]) -> None:
        self._window = window
        self._choices = choices
        self._splits = splits

    def restore(self) -> int:
        """Put everything back; returns the page that was shown last."""
        place = self._choices.preference("window")
        if place:
            self._window.restoreGeometry(QByteArray.fromBase64(QByteArray(place.encode("ascii", "ignore"))))
            self._bring_into_view()
        for name, split in self._splits.items():
            split.restore(self._choices.preference(f"split_{name}"))
        page = self._choices.preference("page")
        return PAGES.index(page) if page in PAGES else 0

    def keep(self, page: int) -> None:
        """Store everything."""
        kept = {f"split_{name}": split.kept() for name, split in self._splits.items()}
        window = self._window.saveGeometry().toBase64().toStdString()
        self._choices.prefer(window=window, page=PAGES[page], **kept)

    def _bring_into_view(self) -> None:
        """A screen may be gone, or smaller than it was."""
        window = self._window
        if window.isMaximized() or window.isFullScreen():
            return
        edge = QRect(window.pos(), QSize(window.width(), GRIP.height()))
        seen = [edge & screen.availableGeometry() for screen in QGuiApplication.screens()]
        if any(part.width() >= GRIP.width() and part.height() >= GRIP.height() for part in seen):
            return
        room = QGuiApplication.primaryScreen().availableGeometry()
        window.resize(window.size().boundedTo(room.size()))
        inside = QRect(window.pos(), window.size())
        inside.moveCenter(room.center())
        window.move(max(inside.x(), room.x()), max(inside.y(), room.y()))
