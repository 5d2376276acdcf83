"""A card that shows a list, or in its place a sentence, what to do, and a button for it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from qtune.ui.widgets.parts import button, label


class Faces(QFrame):
    """``remedy_wanted`` tells that the button was pressed."""

    remedy_wanted = Signal()

    def __init__(self, shown: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.nothing, self.more, self.remedy = (
            label(bold=True, wrap=True),
            label("muted", wrap=True),
            button(),
        )
        self._shown, self._word = shown, QWidget()
        self._stack = QStackedWidget()
        self._stack.addWidget(shown)
        self._stack.addWidget(self._word)
        middle = QVBoxLayout(self._word)
        middle.setContentsMargins(24, 24, 24, 24)
        middle.setSpacing(8)
        middle.addStretch(1)
        for text in (self.nothing, self.more):
            text.setAlignment(Qt.AlignmentFlag.AlignCenter)
            middle.addWidget(text)
        middle.addWidget(self.remedy, 0, Qt.AlignmentFlag.AlignCenter)
        middle.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 1, 1, 4)
        outer.addWidget(self._stack)
        self.remedy.clicked.connect(self.remedy_wanted)

    def show_list(self) -> None:
        """The list itself."""
        self._stack.setCurrentWidget(self._shown)

    def show_word(self) -> None:
        """The sentence in its place."""
        self._stack.setCurrentWidget(self._word)

    def say(self, sentence: str, more: str, remedy: str, usual: str) -> None:
        """Set the words; without a remedy its button is hidden, but keeps the ``usual`` name."""
        self.nothing.setText(sentence)
        self.more.setText(more)
        self.more.setVisible(bool(more))
        self.remedy.setText(remedy or usual)
        self.remedy.setVisible(bool(remedy))
