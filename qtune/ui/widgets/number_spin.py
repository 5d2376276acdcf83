"""A field for a whole number that reads what the language in force writes, and refuses what it might misread.

Digits and a decimal sign are all that is read. A group sign never is: "1.500" and "1,500" mean one thing in
one country and another in the next. What cannot be read may be typed, or "1,5" would become 15 by swallowed
keys; it is refused when the field is left, which then keeps its value and says why.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from PySide6.QtCore import QLocale, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QSpinBox

TEXT_MARGINS: Final = (6, 0, 0, 0)


def read_number(text: str) -> float | None:
    """A number of at least 0 as the language in force writes it; None for anything else."""
    whole, sign, rest = plain(text).partition(QLocale().decimalPoint())
    if not re.fullmatch("[0-9]+", whole) or (sign and not re.fullmatch("[0-9]+", rest)):
        return None
    return float(f"{whole}.{rest or 0}")


def plain(text: str) -> str:
    """A text in small letters of usual width; Chinese keyboards also type digits of full width."""
    return unicodedata.normalize("NFKC", text).strip().lower()


class NumberSpin(QSpinBox):
    """Takes a value only when it is left or Enter is pressed, so that no half-typed number is ever in force.

    ``refused`` says in one sentence why a text was not taken, and is empty once the field is edited again.
    """

    refused = Signal(str)

    def __init__(self, low: int, high: int) -> None:
        super().__init__()
        self.setRange(low, high)
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(*TEXT_MARGINS)
        self.lineEdit().textEdited.connect(lambda: self._say(""))
        self.valueChanged.connect(lambda: self._say(""))

    def read(self, text: str) -> int | None:
        """The whole number a text stands for; None when it is none."""
        number = read_number(text)
        return int(number) if number is not None and number.is_integer() else None

    def examples(self) -> str:
        """How a number may be written, for the sentence about one that cannot be read."""
        return self.textFromValue(self.value())

    # -- Qt -------------------------------------------------------------------------------------------------

    def valueFromText(self, text: str) -> int:
        """Read a text; what cannot be read leaves the value as it is."""
        number = self.read(text)
        return self.value() if number is None else number

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Everything may be typed, since a key without effect would change what is meant."""
        number = self.read(text)
        fits = number is not None and self.minimum() <= number <= self.maximum()
        state = QValidator.State.Acceptable if fits else QValidator.State.Intermediate
        return state, text, position

    def fixup(self, text: str) -> str:
        """Called when a text is not taken as the field is left: the value comes back, with the reason."""
        if text.strip():
            self._say(self._reason(text))
        return text

    def _reason(self, text: str) -> str:
        stays = self.textFromValue(self.value())
        if self.read(text) is None:
            return self.tr(
                "“{text}” is not read as a whole number; {stays} stays. Write it as {examples}."
            ).format(text=text.strip(), stays=stays, examples=self.examples())
        return self.tr("{text} is not within {low} and {high}; {stays} stays.").format(
            text=text.strip(),
            low=self.textFromValue(self.minimum()),
            high=self.textFromValue(self.maximum()),
            stays=stays,
        )

    def _say(self, sentence: str) -> None:
        self.setAccessibleDescription(sentence)
        self.refused.emit(sentence)
