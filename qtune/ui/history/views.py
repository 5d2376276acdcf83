"""The list and the comparison, one in place of the other; Esc leads back."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QStackedWidget

LIST, BESIDE = range(2)
_FIELDS: Final = (QLineEdit, QPlainTextEdit, QAbstractSpinBox)
"""Where Esc belongs to what is being edited."""


class HistoryViews(QStackedWidget):
    """``left`` tells that the comparison is to be left."""

    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Esc leaves a comparison, before the window takes it for the wish to end a measurement."""
        if event.type() == QEvent.Type.ShortcutOverride and self._leads_back(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leads back; every other key goes where it always goes."""
        if self._leads_back(event):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _leads_back(self, event: QEvent) -> bool:
        return (
            isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.currentIndex() == BESIDE
            and not isinstance(QApplication.focusWidget(), _FIELDS)
        )
