"""The address of the running server on the strip, with what other programs need to use it, one click away."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QToolTip, QWidget

from qtune.core.server_state import ServerState
from qtune.session.requests import ServerAccess
from qtune.ui import icons
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.widgets.caption_field import CaptionField
from qtune.ui.widgets.tips import set_tip

SECRET = (
    ("x-kde-passwordManagerHint", b"secret"),
    ("ExcludeClipboardContentFromMonitorProcessing", b"1"),
)
"""Asks the clipboard histories of KDE and Windows to forget a key."""


class AccessField(QWidget):
    """Shown while a server of the user's is ready. The key is never shown, only copied.

    Args:
        bench: What runs.
        access: How the server is reached now; None while none is ready.
    """

    def __init__(self, bench: Workbench, access: Callable[[], ServerAccess | None]) -> None:
        super().__init__()
        self._bench = bench
        self._access = access
        self._tokens = LIGHT
        self._url = ""
        self._since_s = 0.0
        self._copied = ""
        self.address = CaptionField()
        self.copy_address, self.copy_key = QToolButton(), QToolButton()
        self.copy_address.clicked.connect(self._copy_address)
        self.copy_key.clicked.connect(self._copy_key)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.address, 1)
        row.addWidget(self.copy_address)
        row.addWidget(self.copy_key)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.copy_address.setIcon(icons.icon("copy", tokens.text))
        self.copy_key.setIcon(icons.icon("key", tokens.text))

    def refresh(self) -> None:
        """Show where the server is, or nothing while none is ready."""
        bench = self._bench
        ready = bench.user_server_alive and bench.server.state is ServerState.READY
        access = self._access() if ready else None
        url = "" if access is None else access.url
        if url and url != self._url:
            self._since_s = time.monotonic()
        self._url = url
        self.setVisible(bool(url))
        self._name(self.copy_address, self.tr("Copy the address"), url)
        self._name(self.copy_key, self.tr("Copy the API key"))
        if url:
            self._show(url)
        else:
            self.address.show_value(self.tr("Address"), "")

    def _show(self, url: str) -> None:
        short = url.removeprefix("http://").removesuffix("/v1")
        about = self.tr("{url} speaks the OpenAI API; give the key to programs that use it.").format(url=url)
        self.address.show_value(self._caption(), short, about, whole=True)

    def _caption(self) -> str:
        minutes = int((time.monotonic() - self._since_s) // 60)
        if minutes < 1:
            return self.tr("Address")
        if minutes < 60:
            return self.tr("Address · up {minutes} min").format(minutes=minutes)
        return self.tr("Address · up {hours} h {minutes} min").format(
            hours=minutes // 60, minutes=minutes % 60
        )

    def show_time(self) -> None:
        """Let the time go on by which the server is up."""
        if self._url and self.address.caption.text() != (caption := self._caption()):
            self.address.caption.setText(caption)

    def stop(self) -> None:
        """Take a key that was copied off the clipboard: it opens nothing any more once qtune has ended."""
        clipboard = QGuiApplication.clipboard()
        if self._copied and clipboard.text() == self._copied:
            clipboard.clear()
        self._copied = ""

    def _copy_address(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self._say(self.copy_address, self.tr("Address copied"))

    def _copy_key(self) -> None:
        access = self._access()
        if access is None:
            return
        data = QMimeData()
        data.setText(access.key)
        for kind, value in SECRET:
            data.setData(kind, value)
        QGuiApplication.clipboard().setMimeData(data)
        self._copied = access.key
        self._say(self.copy_key, self.tr("Key copied"))

    @staticmethod
    def _name(tool: QToolButton, name: str, about: str = "") -> None:
        tool.setAccessibleName(name)
        set_tip(tool, f"{name}\n{about}".strip())

    @staticmethod
    def _say(tool: QToolButton, said: str) -> None:
        QToolTip.showText(tool.mapToGlobal(tool.rect().bottomLeft()), said, tool)
