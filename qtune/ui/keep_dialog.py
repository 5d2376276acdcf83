"""Asks whether what runs becomes the default, and takes no answer in time as a no.

Whoever can no longer use the screen cannot answer, so silence returns to what worked before.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

SECONDS = 20
TICK_MS = 1000


class KeepDialog(QMessageBox):
    """Open it with ``open``; it calls back once, then deletes itself.

    Args:
        parent: The window.
        settings: What would be kept, in words.
        former: What silence returns to, in words; empty where that is what runs, so nothing changes.
        on_keep: Called for a yes.
        on_revert: Called for a no, for silence, and for closing.
    """

    def __init__(
        self,
        parent: QWidget,
        settings: str,
        former: str,
        on_keep: Callable[[], None],
        on_revert: Callable[[], None],
    ) -> None:
        super().__init__(parent)
        self._former = former
        self._left = SECONDS
        self.setWindowTitle("qtune")
        self.setIcon(QMessageBox.Icon.Question)
        self.setText(self.tr("Keep these settings as the default? {settings}").format(settings=settings))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.keep = self.addButton(self.tr("Keep"), QMessageBox.ButtonRole.AcceptRole)
        revert = self.tr("Revert") if former else self.tr("Do not keep")
        self.revert = self.addButton(revert, QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(self.revert)
        self.setEscapeButton(self.revert)
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._count)
        self._tick.start()
        self._say()

        def answered() -> None:
            self._tick.stop()
            (on_keep if self.clickedButton() is self.keep else on_revert)()

        self.finished.connect(answered)

    def leave(self) -> None:
        """End without an answer: the app closes, and neither yes nor no was said."""
        self._tick.stop()
        self.blockSignals(True)  # noqa: FBT003 - Qt's own
        self.close()

    def _count(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._tick.stop()
            self.revert.click()
        else:
            self._say()

    def _say(self) -> None:
        if self._former:
            text = self.tr("Reverting in {seconds} s to: {former}")
        else:
            text = self.tr("Without an answer within {seconds} s nothing is kept; the server goes on.")
        self.setInformativeText(text.format(seconds=self._left, former=self._former))
