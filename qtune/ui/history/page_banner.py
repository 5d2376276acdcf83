"""The place above the list for one sentence about what was done last; the next takes its place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from qtune.core.messages import Message
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.widgets.banners import Banner, Offer, Words


class PageBanner(QWidget):
    """Empty, or with one banner: a success takes away the error before it, and the other way round.

    ``left`` tells that the banner goes while one of its buttons has the focus, which needs another place.
    """

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self.banner: Banner | None = None
        self._place = QVBoxLayout(self)
        self._place.setContentsMargins(0, 0, 0, 0)
        self.hide()

    def say(self, words: Words, offers: Sequence[Offer] = ()) -> None:
        """Tell that something was done."""
        self._put(Banner("info", Message.of("history"), self._tokens, offers, words=words))

    def refuse(self, message: Message) -> None:
        """Tell why something was not done."""
        self._put(Banner("error", message, self._tokens))

    def hush(self) -> None:
        """Tell nothing any more."""
        if self.banner is not None:
            focused = QApplication.focusWidget()
            if focused is not None and self.isAncestorOf(focused):
                self.left.emit()
            self.banner.hide()
            self.banner.deleteLater()
            self.banner = None
        self.hide()

    def undo(self) -> bool:
        """Take back what is told of; False where that cannot be."""
        return self.banner is not None and self.banner.undo()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        if self.banner is not None:
            self.banner.set_tokens(tokens)

    def retranslate(self) -> None:
        """Say it in the language in force."""
        if self.banner is not None:
            self.banner.retranslate()

    def _put(self, banner: Banner) -> None:
        self.hush()
        self.banner = banner
        banner.dismissed.connect(self.hush)
        self._place.addWidget(banner)
        self.show()
