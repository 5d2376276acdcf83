"""A spin box for a context length, which is a number of tokens written as ``8k``."""

from __future__ import annotations

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QSpinBox

from qtune.ui import figures_text

CONTEXT_STEPS = (4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144)
LEAST_CONTEXT = 1024
TEXT_MARGINS = (6, 0, 0, 0)
"""A style sheet's padding does not reach the text inside a spin box."""


class ContextSpin(QSpinBox):
    """Tokens of context; the arrows walk the usual steps, any number may be typed, ``16k`` too."""

    def __init__(self) -> None:
        super().__init__()
        self.setRange(LEAST_CONTEXT, CONTEXT_STEPS[-1])
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(*TEXT_MARGINS)

    def limit(self, tokens: int | None) -> None:
        """Longest context the model was trained for; None when unknown."""
        self.setMaximum(max(LEAST_CONTEXT, tokens or CONTEXT_STEPS[-1]))

    def stepBy(self, steps: int) -> None:
        """Go to the next usual step in that direction."""
        for _ in range(abs(steps)):
            if steps > 0:
                wanted = [s for s in CONTEXT_STEPS if s > self.value()][:1]
            else:
                wanted = [s for s in reversed(CONTEXT_STEPS) if s < self.value()][:1]
            if wanted:
                self.setValue(wanted[0])

    def textFromValue(self, value: int) -> str:
        """``8k`` for multiples of 1024."""
        return figures_text.context(value)

    def valueFromText(self, text: str) -> int:
        """Read ``8k`` or ``8192``."""
        word = text.strip().lower()
        if word.endswith("k") and word[:-1].isdigit():
            return int(word[:-1]) * 1024
        return int(word) if word.isdigit() else self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Digits with an optional ``k``."""
        word = text.strip().lower()
        number = word.removesuffix("k")
        if word and not number:
            state = QValidator.State.Invalid
        elif not number.isdigit():
            state = QValidator.State.Invalid if number else QValidator.State.Intermediate
        else:
            fits = self.minimum() <= self.valueFromText(word) <= self.maximum()
            state = QValidator.State.Acceptable if fits else QValidator.State.Intermediate
        return state, text, position
