"""Models and engines used last: the list, and the button that offers it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import PurePath

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from qtune.session.desk import Desk
from qtune.ui import icons
from qtune.ui.bridge import Bridge
from qtune.ui.theme import Tokens

MOST = 8
PLACE_WIDE = 260
"""Longer names of folders lose their middle, logical pixels; the tooltip has the whole."""


class Recent(QObject):
    """Paths, newest first, kept as the preference ``key``; GUI thread only."""

    changed = Signal()

    def __init__(self, key: str, desk: Desk, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._key = key
        self._desk = desk
        self._bridge = bridge
        self.paths = tuple(path for path in desk.preference(key).splitlines() if path)[:MOST]

    def remember(self, path: str) -> None:
        """Put a path in front."""
        self.put((path, *(p for p in self.paths if p != path)))

    def put(self, paths: tuple[str, ...]) -> None:
        """Replace the list."""
        if paths[:MOST] != self.paths:
            self.paths = paths[:MOST]
            self._desk.set_preferences({self._key: "\n".join(self.paths)})
            self.changed.emit()

    def find_missing(self, told: Callable[[frozenset[str]], None]) -> None:
        """Tell which paths are gone; a drive that hangs is never told."""
        paths = self.paths
        future: Future[frozenset[str]] = self._desk.there(paths)
        self._bridge.follow(future, lambda there: told(frozenset(paths) - there), lambda _message: None)


class RecentButton(QToolButton):
    """``chosen`` carries a path; ``cleared`` the list and what was in it before it was cleared."""

    chosen = Signal(str)
    cleared = Signal(object, object)

    def __init__(self, recent: Recent, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._recent = recent
        self._entries: dict[str, QAction] = {}
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.list = QMenu(self)
        self.list.setToolTipsVisible(True)
        self.list.aboutToShow.connect(self._fill)
        self.setMenu(self.list)
        recent.changed.connect(self.refresh)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self.setIcon(icons.icon("history", tokens.muted, tokens.disabled))

    def retranslate(self, about: str) -> None:
        """Say what is in the list."""
        self.setToolTip(about)
        self.setAccessibleName(about)

    def refresh(self, *, enabled: bool = True) -> None:
        """Nothing to offer, nothing to press."""
        self.setEnabled(enabled and bool(self._recent.paths))

    def _fill(self) -> None:
        self.list.clear()
        self._entries = {}
        for path in self._recent.paths:
            name = PurePath(path.replace("\\", "/"))
            place = self.fontMetrics().elidedText(str(name.parent), Qt.TextElideMode.ElideMiddle, PLACE_WIDE)
            action = self.list.addAction(f"{name.name}  ·  {place}".replace("&", "&&"))
            action.setToolTip(path)
            action.triggered.connect(lambda _checked=False, path=path: self.chosen.emit(path))
            self._entries[path] = action
        self.list.addSeparator()
        self.list.addAction(self.tr("Clear this list")).triggered.connect(self._clear)
        self._recent.find_missing(self._grey)

    def _grey(self, missing: frozenset[str]) -> None:
        for path in missing & self._entries.keys():
            action = self._entries[path]
            action.setEnabled(False)
            action.setText(self.tr("{file} (not there)").format(file=action.text()))

    def _clear(self) -> None:
        before = self._recent.paths
        self._recent.put(())
        self.cleared.emit(self._recent, before)
