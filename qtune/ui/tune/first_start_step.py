"""One numbered step of the first start: its mark, how it stands, what is missing, and the buttons for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from qtune.ui import icons
from qtune.ui.theme import LIGHT, Tokens, scaled
from qtune.ui.widgets.parts import Seal, button, label, set_tone

State = Literal["done", "todo", "missing", "caution"]
_LOOKS = {
    "done": ("ready", "good"),
    "todo": ("hollow", "idle"),
    "missing": ("warning", "warn"),
    "caution": ("warning", "warn"),
}
"""Shape and tone of each state."""
MARK = 30
"""Diameter of the circle with the number, logical pixels."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a step stands.

    Attributes:
        text: What is there, in one sentence.
        hint: What is missing and how to get it, or what to know about it; may have several lines.
    """

    state: State
    text: str
    hint: str = ""


class StepRow(QWidget):
    """The number stays beside the step; a word with a shape says how it stands."""

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = number
        self._tokens = LIGHT
        self.mark = QLabel(str(number))
        self.mark.setObjectName("step")
        self.mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.mark.setFixedSize(MARK, MARK)
        self.mark.setFont(scaled(self.mark.font(), 1.05, bold=True))
        self.title = label(factor=1.15, bold=True)
        self.word = Seal()
        self.text, self.hint = label(wrap=True), label("muted", 0.95, wrap=True)
        for shown in (self.text, self.hint):
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.standing = Standing("todo", "")
        self._tools = QHBoxLayout()
        self._tools.setSpacing(8)
        self._body = QVBoxLayout()
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.title)
        head.addWidget(self.word)
        head.addStretch(1)
        self._body.setSpacing(4)
        self._body.addLayout(head)
        self._body.addWidget(self.text)
        self._body.addWidget(self.hint)
        self._body.addLayout(self._tools)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(14)
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._body, 1)

    def add_tool(self, kind: str = "") -> QPushButton:
        """Append a button beneath the text."""
        made = button(kind)
        self._tools.addWidget(made)
        return made

    def add_line(self, widget: QWidget) -> None:
        """Put a widget between the text and the buttons."""
        self._body.insertWidget(self._body.count() - 1, widget)

    def close_tools(self) -> None:
        """No further button comes: they keep their own width."""
        self._tools.addStretch(1)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens

    def show_standing(self, title: str, standing: Standing, *, first: bool) -> None:
        """Show how the step stands; ``first`` marks the one to be done next."""
        self.standing = standing
        done = standing.state == "done"
        self.title.setText(title)
        words = {
            "done": self.tr("done"),
            "todo": self.tr("to do"),
            "missing": self.tr("missing"),
            "caution": self.tr("with a limit"),
        }
        word = words[standing.state]
        self.word.show_word(word, *_LOOKS[standing.state], self._tokens)
        self.text.setText(standing.text)
        self.hint.setText(standing.hint)
        self.hint.setVisible(bool(standing.hint))
        set_tone(self.mark, "done" if done else "first" if first else "later", "place")
        if done:
            self.mark.setPixmap(icons.pixmap("yes", self._tokens.good, 18))
        else:
            self.mark.setText(str(self._number))
        name = self.tr("Step {number}: {title}, {state}").format(number=self._number, title=title, state=word)
        self.setAccessibleName(name)
        self.setAccessibleDescription("\n".join(filter(None, (standing.text, standing.hint))))
        self.mark.setAccessibleName(name)
