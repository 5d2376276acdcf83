"""What went wrong or should be known, above the page: one sentence, what to do, and a way to dismiss it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from qtune.core.messages import Message
from qtune.ui import icons, texts
from qtune.ui.parts import button, label
from qtune.ui.theme import GAP, LIGHT, Tokens

SHOWN = 3
"""More than this and the page itself would be pushed away; the oldest go."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A button on a banner; its name is made anew when the language changes."""

    name: Callable[[], str]
    act: Callable[[], None]


class Banner(QFrame):
    """One message, perhaps with buttons. Its kind is told by icon and name, not by colour alone."""

    dismissed = Signal(object)

    def __init__(self, kind: str, message: Message, tokens: Tokens, offers: Sequence[Offer] = ()) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setProperty("kind", kind)
        self.kind = kind
        self.message = message
        self._icon = QLabel()
        self.sentence = label(bold=True, wrap=True)
        self.hint = label(wrap=True)
        self._offers = tuple(offers)
        self.buttons = [button() for _ in self._offers]
        for made, offer in zip(self.buttons, self._offers, strict=True):
            made.clicked.connect(lambda _checked=False, offer=offer: self._take(offer))
        self._close = QToolButton()
        self._close.clicked.connect(lambda: self.dismissed.emit(self))
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self.sentence)
        words.addWidget(self.hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 6, 6)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addLayout(words, 1)
        for made in self.buttons:
            row.addWidget(made)
        row.addWidget(self._close)
        self.set_tokens(tokens)
        self.retranslate()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        name, colour = {
            "error": ("crashed", tokens.bad),
            "warning": ("warning", tokens.warn),
            "info": ("info", tokens.accent),
        }[self.kind]
        self._icon.setPixmap(icons.pixmap(name, colour, 20))
        self._close.setIcon(icons.icon("close", tokens.muted))

    def retranslate(self) -> None:
        """Say it in the language in force."""
        word = {"error": self.tr("Error"), "warning": self.tr("Warning"), "info": self.tr("Notice")}
        self._icon.setToolTip(word[self.kind])
        self._icon.setAccessibleName(word[self.kind])
        self.sentence.setText(texts.sentence(self.message))
        hint = texts.hint(self.message)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.setAccessibleName(word[self.kind] + ": " + self.sentence.text())
        for made, offer in zip(self.buttons, self._offers, strict=True):
            made.setText(offer.name())
        self._close.setAccessibleName(self.tr("Dismiss"))
        self._close.setToolTip(self.tr("Dismiss"))

    def _take(self, offer: Offer) -> None:
        self.dismissed.emit(self)
        offer.act()


class BannerArea(QWidget):
    """Newest on top; the same message is never shown twice at once."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self._banners: list[Banner] = []
        self._stack = QVBoxLayout(self)
        self._stack.setContentsMargins(GAP, GAP, GAP, 0)
        self._stack.setSpacing(6)
        self.hide()

    @property
    def banners(self) -> tuple[Banner, ...]:
        """What is shown, newest first."""
        return tuple(self._banners)

    def show_message(self, kind: str, message: Message, offers: Sequence[Offer] = ()) -> None:
        """Show a message, unless it is shown already."""
        if any(b.message == message for b in self._banners):
            return
        banner = Banner(kind, message, self._tokens, offers)
        banner.dismissed.connect(self._dismiss)
        self._banners.insert(0, banner)
        self._stack.insertWidget(0, banner)
        for extra in self._banners[SHOWN:]:
            self._dismiss(extra)
        self.show()

    def clear(self) -> None:
        """Take everything down; what follows speaks for itself."""
        for banner in list(self._banners):
            self._dismiss(banner)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        for banner in self._banners:
            banner.set_tokens(tokens)

    def retranslate(self) -> None:
        """Say everything in the language in force."""
        for banner in self._banners:
            banner.retranslate()

    def _dismiss(self, banner: Banner) -> None:
        if banner in self._banners:
            self._banners.remove(banner)
            self._stack.removeWidget(banner)
            banner.hide()
            banner.deleteLater()
        self.setVisible(bool(self._banners))
