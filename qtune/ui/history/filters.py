"""The filter bar of the history: which runs are listed, told to SQL a moment after the last change."""

from __future__ import annotations

from typing import Final, cast

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from qtune.core.history_query import FilterColumn, HistoryQuery
from qtune.core.records import RunStatus
from qtune.core.verdict import Decision
from qtune.ui.history.when_filter import WhenFilter
from qtune.ui.widgets.parts import ElidedCombo, button
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import texts

LATER_MS: Final = 250
"""After the last keystroke; a query for each letter would only be thrown away."""
FIRST: Final[tuple[FilterColumn, ...]] = ("model", "quant", "engine")
SECOND: Final[tuple[FilterColumn, ...]] = ("preset", "status", "decision")
BOXES: Final = FIRST + SECOND
"""Columns with a box, in the first and in the second line."""


class HistoryFilter(QWidget):
    """Emits ``changed`` once things have settled; ``query`` is what is asked for without an order."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLineEdit()
        self.text.setClearButtonEnabled(True)
        self.boxes: dict[FilterColumn, QComboBox] = {column: ElidedCombo() for column in BOXES}
        self._values: dict[FilterColumn, list[tuple[str, int]]] = {column: [] for column in BOXES}
        self.when, self.outliers = WhenFilter(), ElidedCombo()
        for kind in ("shown", "hidden", "only"):
            self.outliers.addItem("", kind)
        self.starred, self.deleted, self.grouped = QCheckBox(), QCheckBox(), QCheckBox()
        self.clear_all = button("quiet")
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(LATER_MS)
        self._later.timeout.connect(self.changed)
        self._lay_out()
        self.text.textChanged.connect(self._touch)
        self.when.changed.connect(self._touch)
        for box in (*self.boxes.values(), self.outliers):
            box.currentIndexChanged.connect(self._touch)
        for made in (self.starred, self.deleted, self.grouped):
            made.toggled.connect(self._touch)
        self.clear_all.clicked.connect(self.clear)
        self.clear_all.setEnabled(False)

    def _lay_out(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(6)
        second.setSpacing(6)
        first.addWidget(self.text, 3)
        for column, box in self.boxes.items():
            box.addItem("", None)
            (first if column in FIRST else second).addWidget(box, 2)
        first.addWidget(self.when, 2)
        second.addWidget(self.outliers, 2)
        for made in (self.starred, self.deleted, self.grouped):
            second.addSpacing(6)
            second.addWidget(made)
        second.addStretch(1)
        second.addWidget(self.clear_all)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(6)
        rows.addLayout(first)
        rows.addLayout(second)

    @property
    def query(self) -> HistoryQuery:
        """What is asked for, in the usual order."""
        since, until = self.when.span
        return HistoryQuery(
            text=self.text.text(),
            models=self._chosen("model"),
            quants=self._chosen("quant"),
            presets=self._chosen("preset"),
            engines=self._chosen("engine"),
            statuses=tuple(RunStatus(value) for value in self._chosen("status")),
            decisions=tuple(cast("Decision", value) for value in self._chosen("decision")),
            since=since,
            until=until,
            outliers=self.outliers.currentData(),
            starred=self.starred.isChecked(),
            deleted="shown" if self.deleted.isChecked() else "hidden",
            grouped=self.grouped.isChecked(),
        )

    @property
    def narrows(self) -> bool:
        """Whether runs are left out that would be listed otherwise."""
        return bool(
            self.text.text().strip()
            or self.starred.isChecked()
            or self.when.narrows
            or self.outliers.currentData() != "shown"
            or any(map(self._chosen, BOXES))
        )

    def clear(self) -> None:
        """List everything again, at once."""
        self.text.clear()
        for box in self.boxes.values():
            box.setCurrentIndex(0)
        self.outliers.setCurrentIndex(0)
        self.when.clear()
        for made in (self.starred, self.deleted):
            made.setChecked(False)
        self.stop()
        self.changed.emit()

    def stop(self) -> None:
        """Forget a change that was to be told later."""
        self._later.stop()

    def show_values(self, column: FilterColumn, values: list[tuple[str, int]]) -> None:
        """What can be chosen in a box; what was chosen stays, even if no run is left that has it."""
        kept = self._chosen(column)
        for value in kept:
            if all(value != known for known, _ in values):
                values = [*values, (value, 0)]
        self._values[column] = values
        self._fill(column, kept[0] if kept else None)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.text.setPlaceholderText(self.tr("Find in models, notes…"))
        self.text.setAccessibleName(self.tr("Find runs"))
        set_tip(self.text, self.tr("Words that must all occur in model, arm, engine, card or note (Ctrl+F)."))
        names: dict[FilterColumn, str] = {
            "model": self.tr("Model"),
            "quant": self.tr("Quantisation"),
            "preset": self.tr("Preset"),
            "engine": self.tr("Engine"),
            "status": self.tr("State"),
            "decision": self.tr("Verdict"),
        }
        for column, box in self.boxes.items():
            box.setAccessibleName(self.tr("Filter: {column}").format(column=names[column]))
            self._fill(column, next(iter(self._chosen(column)), None))
        for number, text in enumerate(
            (self.tr("With outliers"), self.tr("Without outliers"), self.tr("Only outliers"))
        ):
            self.outliers.setItemText(number, text)
        self.outliers.setAccessibleName(self.tr("Filter: outliers"))
        self.when.retranslate()
        self.starred.setText(self.tr("Starred only"))
        self.deleted.setText(self.tr("With deleted"))
        set_tip(self.deleted, self.tr("Deleted runs can be brought back here."))
        self.grouped.setText(self.tr("By experiment"))
        set_tip(self.grouped, self.tr("Runs that were measured together stand together."))
        self.clear_all.setText(self.tr("Clear"))
        set_tip(self.clear_all, self.tr("List all runs again."))

    def _chosen(self, column: FilterColumn) -> tuple[str, ...]:
        value = self.boxes[column].currentData()
        return () if value is None else (str(value),)

    def _fill(self, column: FilterColumn, chosen: str | None) -> None:
        every = {
            "model": self.tr("All models"),
            "quant": self.tr("All quantisations"),
            "preset": self.tr("All presets"),
            "engine": self.tr("All engines"),
            "status": self.tr("All states"),
            "decision": self.tr("All verdicts"),
        }
        box = self.boxes[column]
        quiet = QSignalBlocker(box)
        box.clear()
        box.addItem(every[column], None)
        for value, count in self._values[column]:
            box.addItem(
                self.tr("{name} ({count})").format(name=self._name(column, value), count=count), value
            )
        box.setCurrentIndex(max(0, box.findData(chosen)) if chosen is not None else 0)
        quiet.unblock()

    def _name(self, column: FilterColumn, value: str) -> str:
        if not value:
            return self.tr("none")
        if column == "status":
            return texts.run_state_word(RunStatus(value))
        if column == "decision":
            return texts.decision_word(value)
        if column == "model":
            return texts.stored_model_name(value)
        return texts.arm_title(value) if column == "preset" else value

    def _touch(self) -> None:
        self.clear_all.setEnabled(self.narrows or self.deleted.isChecked())
        self._later.start()
