"""The field in which the user writes about a run; it tells what was written when it is left."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

NOTE_LINES: Final = 3


class NoteField(QPlainTextEdit):
    """What the user writes about a run; told when the field is left and the text is another."""

    written = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("note")
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * NOTE_LINES + 14)
        self.run_id = ""
        self._kept = ""

    def show_note(self, run_id: str, text: str) -> None:
        """Show the note of a run, unless it is just being written."""
        if run_id == self.run_id and self.toPlainText() != self._kept:
            return
        self.leave()
        self.run_id, self._kept = run_id, text
        self.setPlainText(text)

    def leave(self) -> None:
        """Tell what was written, if it is not told yet."""
        text = self.toPlainText()
        if self.run_id and text != self._kept:
            self._kept = text
            self.written.emit(self.run_id, text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Leaving the field keeps what stands in it."""
        super().focusOutEvent(event)
        self.leave()
