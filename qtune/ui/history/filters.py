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
from qtune.ui.words import figures_text, texts

LATER_MS: Final = 250
"""After the last keystroke; a query for each letter would only be thrown away."""
FIRST: Final[tuple[FilterColumn, ...]] = ("model", "quant")
SECOND: Final[tuple[FilterColumn, ...]] = ("status", "decision")
SELDOM: Final[tuple[FilterColumn, ...]] = ("preset", "engine")
BOXES: Final = FIRST + SECOND + SELDOM
"""Columns with a box, in the first and in the second line, and in the one that is seldom open."""
_BESIDE_TEXT: Final = 44
"""Frame and arrow of a box, logical pixels."""


class HistoryFilter(QWidget):
    """Emits ``changed`` once things have settled; ``query`` is what is asked for without an order.

    What is seldom asked for is in a third line, behind a button that tells how much of it is in force.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLineEdit()
        self.text.setClearButtonEnabled(True)
        self.boxes: dict[FilterColumn, QComboBox] = {column: ElidedCombo() for column in BOXES}
        self._values: dict[FilterColumn, list[tuple[str, int]]] = {column: [] for column in BOXES}
        self.when, self.outliers, self.deleted = WhenFilter(), ElidedCombo(), ElidedCombo()
        for kind in ("shown", "hidden", "only"):
            self.outliers.addItem("", kind)
        for kind in ("hidden", "shown", "only"):
            self.deleted.addItem("", kind)
        self.starred, self.grouped = QCheckBox(), QCheckBox()
        self.fold_all, self.more, self.clear_all = button("quiet"), button("quiet"), button("quiet")
        self.more.setCheckable(True)
        self._seldom = QWidget()
        self._folded = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(LATER_MS)
        self._later.timeout.connect(self.changed)
        self._lay_out()
        self.text.textChanged.connect(self._touch)
        self.when.changed.connect(self._touch)
        for box in (*self.boxes.values(), self.outliers, self.deleted):
            box.currentIndexChanged.connect(self._touch)
        for made in (self.starred, self.grouped):
            made.toggled.connect(self._touch)
        self.grouped.toggled.connect(self.fold_all.setVisible)
        self.more.toggled.connect(self._on_more)
        self.clear_all.clicked.connect(self.clear)
        self.clear_all.setEnabled(False)

    def _lay_out(self) -> None:
        first, second, third = QHBoxLayout(), QHBoxLayout(), QHBoxLayout(self._seldom)
        third.setContentsMargins(0, 0, 0, 0)
        for line, columns in ((first, FIRST), (second, SECOND), (third, SELDOM)):
            line.setSpacing(6)
            for column in columns:
                self.boxes[column].addItem("", None)
                line.addWidget(self.boxes[column], 2)
        self.text.setMinimumWidth(180)
        first.insertWidget(0, self.text, 3)
        first.addWidget(self.when, 2)
        for made in (self.starred, self.grouped):
            second.addSpacing(6)
            second.addWidget(made)
        second.addWidget(self.fold_all)
        second.addStretch(1)
        second.addWidget(self.more)
        second.addWidget(self.clear_all)
        third.addWidget(self.outliers, 2)
        third.addWidget(self.deleted, 2)
        self._seldom.hide()
        self.fold_all.hide()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(6)
        rows.addLayout(first)
        rows.addLayout(second)
        rows.addWidget(self._seldom)

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
            deleted=self.deleted.currentData(),
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
            or self.deleted.currentData() == "only"
            or any(map(self._chosen, BOXES))
        )

    def clear(self) -> None:
        """List everything again, at once."""
        self._reset()
        self.stop()
        self.changed.emit()

    def show_deleted(self) -> None:
        """List the deleted runs alone, whatever else was asked for."""
        self._reset()
        self.deleted.setCurrentIndex(self.deleted.findData("only"))
        self.more.setChecked(True)  # where it can be seen what is listed
        self.stop()
        self.changed.emit()

    def _reset(self) -> None:
        self.text.clear()
        for box in self.boxes.values():
            box.setCurrentIndex(0)
        self.outliers.setCurrentIndex(0)
        self.deleted.setCurrentIndex(0)
        self.when.clear()
        self.starred.setChecked(False)

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
        for number, text in enumerate(
            (self.tr("Without deleted"), self.tr("With deleted"), self.tr("Only deleted"))
        ):
            self.deleted.setItemText(number, text)
        self.deleted.setAccessibleName(self.tr("Filter: deleted runs"))
        set_tip(self.deleted, self.tr("Deleted runs can be brought back here."))
        self.grouped.setText(self.tr("By experiment"))
        set_tip(self.grouped, self.tr("Runs that were measured together stand together."))
        self._show_fold_all()
        self._show_more()
        for box in (self.outliers, self.deleted):
            _fit(box, *(box.itemText(number) for number in range(box.count())))
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
        _fit(box, every[column])
        for value, count in self._values[column]:
            told = self.tr("{name} ({count})")
            box.addItem(told.format(name=self._name(column, value), count=figures_text.count(count)), value)
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
        self.clear_all.setEnabled(self.narrows or self.deleted.currentData() != "hidden")
        self._show_more()
        self._later.start()

    def show_folds(self, folded: bool) -> None:  # noqa: FBT001 - a slot
        """Whether all experiments are folded, so that the button opens them."""
        self._folded = folded
        self._show_fold_all()

    def _show_fold_all(self) -> None:
        self.fold_all.setText(self.tr("Open all") if self._folded else self.tr("Fold all"))
        set_tip(self.fold_all, self.tr("Shift+Left folds all experiments, Shift+Right opens them."))

    def _on_more(self, opened: bool) -> None:  # noqa: FBT001 - a slot
        self._seldom.setVisible(opened)
        self._show_more()

    @property
    def seldom_in_force(self) -> int:
        """How many filters of the third line are in force."""
        boxes = [self.boxes[column] for column in SELDOM] + [self.outliers, self.deleted]
        return sum(box.currentIndex() > 0 for box in boxes)

    def _show_more(self) -> None:
        text = self.tr("Fewer filters") if self.more.isChecked() else self.tr("More filters")
        count = self.seldom_in_force
        if count:
            text = self.tr("{name} ({count})").format(name=text, count=figures_text.count(count))
        self.more.setText(text)
        set_tip(self.more, self.tr("By preset, engine, outliers and deleted runs; how many of these are on."))


def _fit(box: QComboBox, *shown: str) -> None:
    """Leave room for these texts, whatever else has to give way."""
    width = box.fontMetrics().horizontalAdvance
    box.setMinimumWidth(max(map(width, shown)) + _BESIDE_TEXT)
