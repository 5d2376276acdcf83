"""What can be done with the selected runs, as buttons that say what pressing them does to all of them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from qtune.core.history_query import Marked
from qtune.ui import icons
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.widgets.parts import button
from qtune.ui.widgets.tips import set_tip


class RunButtons(QWidget):
    """Shows what the marks of the whole selection leave to do.

    ``star_wanted`` and ``outlier_wanted`` say whether the mark is to be set or taken away.
    """

    star_wanted = Signal(bool)
    outlier_wanted = Signal(bool)
    compare_wanted = Signal()
    delete_wanted = Signal()
    undelete_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self.marked = Marked()
        self.compare, self.export = button("primary"), button()
        self.star, self.outlier, self.delete, self.back = (button() for _ in range(4))
        self.export_menu = QMenu(self.export)
        self.export.setMenu(self.export_menu)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(6)
        # In two rows, since a narrow panel has no room for all of them in one.
        for parts in ((self.compare, self.export, self.delete, self.back), (self.star, self.outlier)):
            row = QHBoxLayout()
            row.setSpacing(6)
            for made in parts:
                row.addWidget(made)
            row.addStretch(1)
            rows.addLayout(row)
        self.star.clicked.connect(self._on_star)
        self.outlier.clicked.connect(self._on_outlier)
        self.compare.clicked.connect(self.compare_wanted)
        self.delete.clicked.connect(self.delete_wanted)
        self.back.clicked.connect(self.undelete_wanted)

    def show_marks(self, marked: Marked) -> None:
        """Offer what these runs can be done to; where only some carry a mark, all of them can get it."""
        self.marked = marked
        self.refresh()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.compare.setText(self.tr("Compare"))
        set_tip(self.compare, self.tr("Side by side with intervals, as bars and as lines over time (Enter)."))
        self.export.setText(self.tr("Export"))
        set_tip(self.export, self.tr("Write the selected runs to a file, or copy them (Ctrl+E)."))
        set_tip(self.star, self.tr("Starred runs are found again by the filter."))
        self.delete.setText(self.tr("Delete"))
        set_tip(self.delete, self.tr("Takes the run out of the list; it can be brought back (Delete)."))
        self.back.setText(self.tr("Bring back"))
        set_tip(self.back, self.tr("Put the deleted run back into the list."))
        self.refresh()

    def refresh(self) -> None:
        """Say what pressing each does now."""
        marked, tokens = self.marked, self._tokens
        starred, outliers = all_of(marked.starred, marked), all_of(marked.outliers, marked)
        self.compare.setVisible(marked.runs > 1)
        self.star.setText(self.tr("Remove star") if starred else self.tr("Star"))
        self.star.setIcon(icons.icon("star", tokens.accent if starred else tokens.muted))
        self.outlier.setText(self.tr("No outlier") if outliers else self.tr("Outlier"))
        self.outlier.setIcon(icons.icon("yes" if outliers else "inactive", tokens.muted))
        set_tip(
            self.outlier,
            self.tr("To be believed again.")
            if outliers
            else self.tr("Mark as not to be believed; the run stays in the history."),
        )
        self.delete.setVisible(marked.deleted < marked.runs)
        self.back.setVisible(marked.deleted > 0)

    def _on_star(self) -> None:
        marked = self.marked
        on = not all_of(marked.starred, marked)
        # Shown at once: pressed again before the rows are read anew, it takes back what it did.
        self.show_marks(replace(marked, starred=marked.runs if on else 0))
        self.star_wanted.emit(on)

    def _on_outlier(self) -> None:
        marked = self.marked
        on = not all_of(marked.outliers, marked)
        self.show_marks(replace(marked, outliers=marked.runs if on else 0))
        self.outlier_wanted.emit(on)


def all_of(number: int, marked: Marked) -> bool:
    """Whether every run of a selection carries a mark."""
    return 0 < marked.runs <= number
