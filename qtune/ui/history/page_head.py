"""The first line of the History page: its name, how many runs are listed, and what is done to all of them."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from qtune.core.history_query import HistoryCounts, HistoryQuery
from qtune.ui.widgets.parts import ElidedLabel, button, label
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text


class PageHead(QWidget):
    """Holds the buttons; the page carries out what they ask for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.state = label(factor=1.3, bold=True), ElidedLabel("muted")
        self.tidy, self.take_in, self.export_all = button(), button(), button()
        self.export_menu = QMenu(self.export_all)
        self.export_all.setMenu(self.export_menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.title)
        row.addSpacing(6)
        row.addWidget(self.state, 1)
        for made in (self.tidy, self.take_in, self.export_all):
            row.addWidget(made)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("History"))
        self.take_in.setText(self.tr("Import…"))
        set_tip(self.take_in, self.tr("Take in runs that qtune exported, or results of llama-bench."))
        self.tidy.setText(self.tr("Old runs…"))
        set_tip(self.tidy, self.tr("Delete runs by their age, if you want to; nothing goes by itself."))
        self.export_all.setText(self.tr("Export listed"))
        set_tip(self.export_all, self.tr("Write every run the filter lists to a file."))

    def show_count(
        self, listed: int, query: HistoryQuery, counts: HistoryCounts | None, *, narrows: bool
    ) -> None:
        """Tell how many runs the filter lists, and of how many where that is known."""
        self.export_all.setEnabled(listed > 0)
        if not listed:
            self.state.setText("")
        elif query.deleted == "only":
            self.state.setText(self.tr("%Ln deleted run(s)", "", listed))
        elif counts is not None and narrows:
            text = self.tr("{listed} of {all} runs")
            every = counts.runs + (counts.deleted if query.deleted == "shown" else 0)
            self.state.setText(text.format(listed=figures_text.count(listed), all=figures_text.count(every)))
        else:
            self.state.setText(self.tr("%Ln run(s)", "", listed))
