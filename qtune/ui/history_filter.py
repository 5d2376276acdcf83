"""The filter bar of the history: which runs are listed, told to SQL a moment after the last change."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QWidget

from qtune.core.history_query import FilterColumn, HistoryQuery
from qtune.core.records import RunStatus
from qtune.ui import texts
from qtune.ui.parts import ElidedCombo, button

LATER_MS: Final = 250
"""After the last keystroke; a query for each letter would only be thrown away."""
ONE_LINE: Final = 1230
"""From this width on, logical pixels, everything stands in one line."""
BOXES: Final[tuple[FilterColumn, ...]] = ("model", "preset", "engine", "status")


class HistoryFilter(QWidget):
    """Emits ``changed`` once things have settled; ``query`` is what is asked for without an order."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLineEdit()
        self.text.setClearButtonEnabled(True)
        self.boxes: dict[FilterColumn, QComboBox] = {column: ElidedCombo() for column in BOXES}
        self._values: dict[FilterColumn, list[tuple[str, int]]] = {column: [] for column in BOXES}
        self.starred, self.deleted, self.grouped = QCheckBox(), QCheckBox(), QCheckBox()
        self.clear_all = button("quiet")
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(LATER_MS)
        self._later.timeout.connect(self.changed)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(6)
        second.setSpacing(14)
        first.addWidget(self.text, 3)
        for box in self.boxes.values():
            box.addItem("", None)
            first.addWidget(box, 2)
        for made in (self.starred, self.deleted, self.grouped):
            second.addWidget(made)
        second.addStretch(1)
        second.addWidget(self.clear_all)
        self._rows = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)
        self._rows.addLayout(first, 1)
        self._rows.addLayout(second)
        self.text.textChanged.connect(self._touch)
        for box in self.boxes.values():
            box.currentIndexChanged.connect(self._touch)
        for made in (self.starred, self.deleted, self.grouped):
            made.toggled.connect(self._touch)
        self.clear_all.clicked.connect(self.clear)
        self.clear_all.setEnabled(False)

    @property
    def query(self) -> HistoryQuery:
        """What is asked for, in the usual order."""
        return replace(
            HistoryQuery(text=self.text.text()),
            models=self._chosen("model"),
            presets=self._chosen("preset"),
            engines=self._chosen("engine"),
            statuses=tuple(RunStatus(value) for value in self._chosen("status")),
            starred=self.starred.isChecked(),
            deleted="shown" if self.deleted.isChecked() else "hidden",
            grouped=self.grouped.isChecked(),
        )

    @property
    def narrows(self) -> bool:
        """Whether runs are left out that would be listed otherwise."""
        return bool(self.text.text().strip() or self.starred.isChecked() or any(map(self._chosen, BOXES)))

    def clear(self) -> None:
        """List everything again, at once."""
        self.text.clear()
        for box in self.boxes.values():
            box.setCurrentIndex(0)
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
        self.text.setToolTip(
            self.tr("Words that must all occur in model, arm, engine, card or note (Ctrl+F).")
        )
        names: dict[FilterColumn, str] = {
            "model": self.tr("Model"),
            "preset": self.tr("Preset"),
            "engine": self.tr("Engine"),
            "status": self.tr("State"),
        }
        for column, box in self.boxes.items():
            box.setAccessibleName(self.tr("Filter: {column}").format(column=names[column]))
            self._fill(column, next(iter(self._chosen(column)), None))
        self.starred.setText(self.tr("Starred only"))
        self.deleted.setText(self.tr("With deleted"))
        self.deleted.setToolTip(self.tr("Deleted runs can be brought back here."))
        self.grouped.setText(self.tr("By experiment"))
        self.grouped.setToolTip(self.tr("Runs that were measured together stand together."))
        self.clear_all.setText(self.tr("Clear"))
        self.clear_all.setToolTip(self.tr("List all runs again."))

    def _chosen(self, column: FilterColumn) -> tuple[str, ...]:
        value = self.boxes[column].currentData()
        return () if value is None else (str(value),)

    def _fill(self, column: FilterColumn, chosen: str | None) -> None:
        every = {
            "model": self.tr("All models"),
            "preset": self.tr("All presets"),
            "engine": self.tr("All engines"),
            "status": self.tr("All states"),
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
        return texts.arm_title(value) if column == "preset" else value

    def _touch(self) -> None:
        self.clear_all.setEnabled(self.narrows or self.deleted.isChecked())
        self._later.start()

    def set_width(self, width: int) -> None:
        """One line where there is room."""
        one = width >= ONE_LINE
        way = QBoxLayout.Direction.LeftToRight if one else QBoxLayout.Direction.TopToBottom
        if self._rows.direction() != way:
            self._rows.setDirection(way)
