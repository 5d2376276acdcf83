"""The place in the system tray, as far as this desktop has one; a protocol, so that others can stand in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

_CLICKS = frozenset(
    {
        QSystemTrayIcon.ActivationReason.Trigger,
        QSystemTrayIcon.ActivationReason.DoubleClick,
        QSystemTrayIcon.ActivationReason.MiddleClick,
    }
)


class TrayPlace(Protocol):
    """A tray that may come and go."""

    def there(self) -> bool:
        """Whether an icon can be shown now."""
        ...

    def put(self, icon: QIcon, tip: str, menu: QMenu) -> None:
        """Show an icon, or change the one that is shown."""
        ...

    def say(self, title: str, text: str, *, bad: bool) -> bool:
        """Show a notification; False where none can be shown."""
        ...

    def take_away(self) -> None:
        """Show nothing any more."""
        ...

    def listen(self, on_click: Callable[[], None], on_message: Callable[[], None]) -> None:
        """Who is told of a click on the icon, and of one on a notification."""
        ...


class SystemTray:
    """Qt's. The icon is made when there is a tray for the first time; GUI thread only."""

    def __init__(self) -> None:
        self._icon: QSystemTrayIcon | None = None
        self._on_click: Callable[[], None] = lambda: None
        self._on_message: Callable[[], None] = lambda: None

    def there(self) -> bool:
        """Whether an icon can be shown now."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    def put(self, icon: QIcon, tip: str, menu: QMenu) -> None:
        """Show an icon, or change the one that is shown."""
        if self._icon is None:
            self._icon = QSystemTrayIcon()
            self._icon.activated.connect(self._activated)
            self._icon.messageClicked.connect(self._message_clicked)
        self._icon.setIcon(icon)
        self._icon.setToolTip(tip)
        self._icon.setContextMenu(menu)
        self._icon.show()

    def say(self, title: str, text: str, *, bad: bool) -> bool:
        """Show a notification; False where none can be shown."""
        if self._icon is None or not self._icon.isVisible() or not QSystemTrayIcon.supportsMessages():
            return False
        kinds = QSystemTrayIcon.MessageIcon
        self._icon.showMessage(title, text, kinds.Warning if bad else kinds.Information)
        return True

    def take_away(self) -> None:
        """Show nothing any more."""
        if self._icon is not None:
            self._icon.hide()
            self._icon.deleteLater()
            self._icon = None

    def listen(self, on_click: Callable[[], None], on_message: Callable[[], None]) -> None:
        """Who is told of a click on the icon, and of one on a notification."""
        self._on_click, self._on_message = on_click, on_message

    def _message_clicked(self) -> None:
        self._on_message()

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        # On macOS every click opens the menu; a window that jumps up beside it is in the way.
        if reason in _CLICKS and sys.platform != "darwin":
            self._on_click()
