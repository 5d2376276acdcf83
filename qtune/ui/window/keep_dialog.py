"""Asks whether what runs becomes the default, and takes no answer in time as a no.

Whoever can no longer use the screen cannot answer, so silence returns to what worked before.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from qtune.ui.widgets.countdown_box import CountdownBox

SECONDS = 20
TICK_MS = 1000


class KeepDialog(CountdownBox):
    """Opens at once; it calls back once, then deletes itself.

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
        super().__init__(parent, SECONDS, TICK_MS)
        self._former = former
        self.setText(self.tr("Keep these settings as the default? {settings}").format(settings=settings))
        self.keep = self.addButton(self.tr("Keep"), QMessageBox.ButtonRole.AcceptRole)
        revert = self.tr("Revert") if former else self.tr("Do not keep")
        self.revert = self.addButton(revert, QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(self.revert)
        self.setEscapeButton(self.revert)

        def answered() -> None:
            (on_keep if self.clickedButton() is self.keep else on_revert)()

        self.finished.connect(answered)
        self.begin(self.revert)

    def say(self, seconds: int) -> None:
        """Tell what silence does."""
        if self._former:
            text = self.tr("Reverting in {seconds} s to: {former}")
        else:
            text = self.tr("Without an answer within {seconds} s nothing is kept; the server goes on.")
        self.setInformativeText(text.format(seconds=seconds, former=self._former))
