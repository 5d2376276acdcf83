"""What went wrong or should be known, above the page: one sentence, what to do, and a way to dismiss it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from qtune.core.messages import Message
from qtune.ui import icons
from qtune.ui.theme import GAP, LIGHT, Tokens
from qtune.ui.widgets.parts import button, label
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import texts

SHOWN = 3
"""More than this and the page itself would be pushed away; the oldest go, first those that offer nothing."""
FLEETING_MS = 6000


@dataclass(frozen=True, slots=True)
class Offer:
    """A button on a banner; its name is made anew when the language changes.

    ``undo`` says that it takes back what the banner tells of, so that the usual key does it, too.
    """

    name: Callable[[], str]
    act: Callable[[], None]
    undo: bool = False


Words = Callable[[], tuple[str, str]]
"""Sentence and hint in the language in force, for what one message cannot say."""


class Banner(QFrame):
    """One message, perhaps with buttons. Its kind is told by icon and name, not by colour alone.

    ``words`` say it in place of the message. ``lasting`` ones are not dismissed, only answered or overtaken.
    """

    dismissed = Signal(object)

    def __init__(
        self,
        kind: str,
        message: Message,
        tokens: Tokens,
        offers: Sequence[Offer] = (),
        *,
        words: Words | None = None,
        lasting: bool = False,
    ) -> None:
        super().__init__()
        self.lasting = lasting
        self._words = words
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
        column = QVBoxLayout()
        column.setSpacing(1)
        column.addWidget(self.sentence)
        column.addWidget(self.hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 6, 6)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addLayout(column, 1)
        for made in self.buttons:
            row.addWidget(made)
        row.addWidget(self._close)
        self._close.setVisible(not lasting)  # shown earlier, it would be a window of its own
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
        set_tip(self._icon, word[self.kind])
        self._icon.setAccessibleName(word[self.kind])
        said = (texts.sentence(self.message), texts.hint(self.message))
        sentence, hint = said if self._words is None else self._words()
        self.sentence.setText(sentence)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.setAccessibleName(word[self.kind] + ": " + self.sentence.text())
        for made, offer in zip(self.buttons, self._offers, strict=True):
            made.setText(offer.name())
        self._close.setAccessibleName(self.tr("Dismiss"))
        set_tip(self._close, self.tr("Dismiss"))

    def undo(self) -> bool:
        """Take back what the banner tells of; False where it does not offer that."""
        offer = next((offer for offer in self._offers if offer.undo), None)
        if offer is not None:
            self._take(offer)
        return offer is not None

    def _take(self, offer: Offer) -> None:
        if not self.lasting:
            self.dismissed.emit(self)
        offer.act()


class BannerArea(QWidget):
    """Newest on top, what lasts above it; the same message is never shown twice at once."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self._banners: list[Banner] = []
        self._held: dict[str, Banner] = {}
        self._fleeting: list[Banner] = []
        self._leave = QTimer(self)
        self._leave.setSingleShot(True)
        self._leave.setInterval(FLEETING_MS)
        self._leave.timeout.connect(self._let_fleeting_go)
        self._stack = QVBoxLayout(self)
        self._stack.setContentsMargins(GAP, GAP, GAP, 0)
        self._stack.setSpacing(6)
        self.hide()

    @property
    def banners(self) -> tuple[Banner, ...]:
        """What is shown, newest first."""
        return (*self._held.values(), *self._banners)

    @property
    def tokens(self) -> Tokens:
        """The colours in force."""
        return self._tokens

    def show_message(
        self, kind: str, message: Message, offers: Sequence[Offer] = (), words: Words | None = None
    ) -> None:
        """Show a message, unless it is shown already; one with buttons takes the place of one without.

        An error takes the place of the one that said the same of something else, such as another wrong file.
        """
        same = [b for b in self._banners if b.message == message]
        if same and not (offers and not same[0].buttons):
            return
        self.take_down(message)
        if kind == "error":
            for former in [b for b in self._banners if (b.kind, b.message.code) == (kind, message.code)]:
                self._dismiss(former)
        self._put(Banner(kind, message, self._tokens, offers, words=words))

    def say(self, key: str, words: Words, offers: Sequence[Offer] = (), *, fleeting: bool = False) -> None:
        """Say that something was done; ``key`` names it, and a second time replaces it.

        What is ``fleeting`` goes by itself after a while: nothing is to be decided about it.
        """
        message = Message.of(key)
        self.take_down(message)
        banner = self._put(Banner("info", message, self._tokens, offers, words=words))
        if fleeting:
            self._fleeting.append(banner)
            self._leave.start()

    def stop(self) -> None:
        """Let nothing go by itself any more."""
        self._leave.stop()

    def _put(self, banner: Banner) -> Banner:
        banner.dismissed.connect(self._dismiss)
        self._banners.insert(0, banner)
        self._stack.insertWidget(len(self._held), banner)
        while len(self._banners) > SHOWN:
            older = self._banners[1:]
            self._dismiss(next((b for b in reversed(older) if not b.buttons), older[-1]))
        self.show()
        return banner

    def _let_fleeting_go(self) -> None:
        leaving, self._fleeting = self._fleeting, []
        for banner in leaving:
            self._dismiss(banner)

    def take_down(self, message: Message) -> None:
        """Take a message down that something else has said."""
        for banner in [b for b in self._banners if b.message == message]:
            self._dismiss(banner)

    def hold(self, key: str, kind: str, words: Words, offers: Sequence[Offer] = ()) -> None:
        """Keep something in view until it is let go; ``key`` names it, and a second time replaces it."""
        self.let_go(key)
        banner = Banner(kind, Message.of(key), self._tokens, offers, words=words, lasting=True)
        self._held = {key: banner, **self._held}
        self._stack.insertWidget(0, banner)
        self.show()

    def let_go(self, key: str) -> None:
        """Take down what was held under a key; nothing where nothing was."""
        banner = self._held.pop(key, None)
        if banner is not None:
            self._remove(banner)

    def undo(self) -> None:
        """Take back what the newest banner tells of that offers it; nothing where none does."""
        any(banner.undo() for banner in self.banners)

    def clear(self) -> None:
        """Take everything down that does not last; what follows speaks for itself."""
        for banner in list(self._banners):
            self._dismiss(banner)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        for banner in self.banners:
            banner.set_tokens(tokens)

    def retranslate(self) -> None:
        """Say everything in the language in force."""
        for banner in self.banners:
            banner.retranslate()

    def _dismiss(self, banner: Banner) -> None:
        if banner in self._banners:
            self._banners.remove(banner)
            self._remove(banner)

    def _remove(self, banner: Banner) -> None:
        self._stack.removeWidget(banner)
        banner.hide()
        banner.deleteLater()
        self.setVisible(bool(self.banners))
