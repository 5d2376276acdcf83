"""One line about an export or import that takes its time: how far it is, and a button that ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from qtune.session.transfer import Transfer
from qtune.ui.widgets.parts import ElidedLabel, button
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text

PATIENCE_MS: Final = 400
"""What is done by then needs no line of its own."""
_STEPS: Final = 1000


class TransferRow(QWidget):
    """Hidden unless something is under way; of several it shows the one that began last.

    ``seen_changed`` comes when it is shown or hidden.
    """

    seen_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._under_way: list[tuple[Transfer, Callable[[], str]]] = []
        self._far: tuple[int, int] = (0, 0)
        self.words, self.bar, self.cancel = ElidedLabel("muted"), QProgressBar(), button()
        self.bar.setTextVisible(False)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._appear)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.words, 2)
        row.addWidget(self.bar, 3)
        row.addWidget(self.cancel)
        self.cancel.clicked.connect(self._end_it)
        self.hide()

    def begin(self, transfer: Transfer, name: Callable[[], str]) -> None:
        """Something begins that is called ``name``."""
        self._under_way.append((transfer, name))
        self._far = (0, 0)
        self.cancel.setEnabled(True)
        self._patience.start()

    def go_on(self, transfer: Transfer, done: int, total: int) -> None:
        """It came so far."""
        if self._under_way and self._under_way[-1][0] is transfer:
            self._far = (done, total)
            if not self.isHidden():
                self._show()

    def end(self, transfer: Transfer) -> None:
        """It is over, whichever way."""
        self._under_way = [one for one in self._under_way if one[0] is not transfer]
        if not self._under_way:
            self._patience.stop()
            self.hide()
            self.seen_changed.emit()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.cancel.setText(self.tr("Cancel"))
        set_tip(self.cancel, self.tr("Ends it; the file or the history stays as it was."))
        self.bar.setAccessibleName(self.tr("Progress"))
        if not self.isHidden():
            self._show()

    def _appear(self) -> None:
        self._show()
        self.seen_changed.emit()

    def _show(self) -> None:
        if not self._under_way:
            return
        done, total = self._far
        _, name = self._under_way[-1]
        self.bar.setRange(0, _STEPS if total else 0)
        self.bar.setValue(round(done / total * _STEPS) if total else 0)
        share = self.tr("{name}: {share} %").format(
            name=name(), share=figures_text.count(round(done / total * 100) if total else 0)
        )
        self.words.setText(share)
        self.show()

    def _end_it(self) -> None:
        if self._under_way:
            self.cancel.setEnabled(False)
            self._under_way[-1][0].cancel()
