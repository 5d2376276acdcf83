"""A question that does not wait for ever: after some seconds one of its buttons is taken as pressed."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from qtune.ui.widgets import dialogs

TICK_MS = 1000


class CountdownBox(QMessageBox):
    """Add the buttons, then ``begin``; it deletes itself once it is answered.

    Args:
        parent: The window.
        seconds: How long an answer is waited for.
        tick_ms: Length of a second.
    """

    def __init__(self, parent: QWidget, seconds: int, tick_ms: int = TICK_MS) -> None:
        super().__init__(parent)
        self._left = seconds
        self._silence: QPushButton | None = None
        self.setWindowTitle("qtune")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._tick = QTimer(self)
        self._tick.setInterval(tick_ms)
        self._tick.timeout.connect(self._count)
        self.finished.connect(self._tick.stop)

    def begin(self, silence: QPushButton) -> None:
        """Show it and count; ``silence`` is pressed when nobody answers."""
        self._silence = silence
        self._tick.start()
        self.say(self._left)
        dialogs.dress(self, "info")
        self.open()

    def leave(self) -> None:
        """End without an answer: the app closes, and neither yes nor no was said."""
        self._tick.stop()
        self.blockSignals(True)  # noqa: FBT003 - Qt's own
        self.close()

    def say(self, seconds: int) -> None:
        """Tell what follows in so many seconds."""
        raise NotImplementedError

    def _count(self) -> None:
        self._left -= 1
        if self._left > 0:
            self.say(self._left)
            return
        self._tick.stop()
        if self._silence is not None:
            self._silence.click()
