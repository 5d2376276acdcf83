"""Old runs are deleted by choice only: how many that would be is told first, and they can be brought back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from PySide6.QtCore import QDate, QDateTime, QTime, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDateEdit,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qtune.core.history_query import Groups, HistoryCounts, HistoryQuery, Keys, older_than
from qtune.session.history_desk import HistoryDesk
from qtune.ui.bridge import Bridge
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.parts import button, label, line
from qtune.ui.words import figures_text

AGES: Final = (30, 90, 365)
"""Days offered."""
_DATE: Final = 0


class RetentionDialog(QDialog):
    """Counts whenever something is chosen; ``delete_wanted`` carries the keys, ``purge_wanted`` nothing."""

    delete_wanted = Signal(object)
    purge_wanted = Signal()
    failed = Signal(object)

    def __init__(
        self, desk: HistoryDesk, bridge: Bridge, parent: QWidget | None = None, *, filtered: bool = False
    ) -> None:
        """Open on the whole history; where the list is ``filtered``, that is said."""
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._asked = self._deleted = 0
        self.keys: Keys | None = None
        self.age, self.day = QComboBox(), QDateEdit()
        self.keep = QCheckBox()
        self.count, self.about = label(bold=True, wrap=True), label("muted", wrap=True)
        self.scope = label(wrap=True) if filtered else None
        self.kept, self.purge = label(wrap=True), button()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.delete: QPushButton = self.buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out()
        self._name()
        self.age.currentIndexChanged.connect(self._on_age)
        self.day.dateChanged.connect(self._ask)
        self.keep.toggled.connect(self._ask)
        self.purge.clicked.connect(self._ask_purge)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        self._on_age()
        self._bridge.follow(self._desk.counts(), self._on_counts, self.failed.emit)

    def _lay_out(self) -> None:
        self.day.setCalendarPopup(True)
        self.day.setDate(QDate.currentDate().addDays(-AGES[1]))
        self.day.setMaximumDate(QDate.currentDate())
        self.keep.setChecked(True)
        ages, below = QHBoxLayout(), QHBoxLayout()
        ages.setSpacing(8)
        ages.addWidget(self.age)
        ages.addWidget(self.day)
        ages.addStretch(1)
        below.setSpacing(8)
        below.addWidget(self.kept, 1)
        below.addWidget(self.purge)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addLayout(ages)
        column.addWidget(self.keep)
        column.addWidget(self.count)
        if self.scope is not None:
            column.addWidget(self.scope)
        column.addWidget(self.about)
        column.addWidget(line())
        column.addLayout(below)
        column.addWidget(self.buttons)
        self.setMinimumWidth(420)

    def _name(self) -> None:
        self.setWindowTitle(self.tr("Delete old runs"))
        for days in AGES:
            self.age.addItem(self.tr("Older than %n day(s)", "", days), days)
        self.age.addItem(self.tr("Started before…"), _DATE)
        self.age.setCurrentIndex(1)
        self.age.setAccessibleName(self.tr("How old"))
        self.day.setAccessibleName(self.tr("Started before"))
        self.keep.setText(self.tr("Keep starred runs"))
        self.about.setText(
            self.tr(
                "Nothing is ever deleted by itself. Deleted runs can be brought back until they are removed."
            )
        )
        if self.scope is not None:
            self.scope.setText(self.tr("Counted in the whole history, whatever the list is filtered by."))
        self.delete.setText(self.tr("Delete"))
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(self.tr("Cancel"))
        self.purge.setText(self.tr("Remove for good…"))
        self.purge.setEnabled(False)

    @property
    def query(self) -> HistoryQuery:
        """The runs that are meant."""
        days = self.age.currentData()
        if days == _DATE:
            start = QDateTime(self.day.date(), QTime(0, 0)).toSecsSinceEpoch()
            before = datetime.fromtimestamp(start, UTC)
        else:
            before = datetime.now(UTC) - timedelta(days=days)
        return older_than(before, keep_starred=self.keep.isChecked())

    def _on_age(self) -> None:
        self.day.setVisible(self.age.currentData() == _DATE)
        self._ask()

    def _ask(self) -> None:
        self._asked += 1
        number, self.keys = self._asked, None
        self.delete.setEnabled(False)
        self.count.setText(self.tr("Counting…"))

        def found(result: tuple[Keys, Groups | None]) -> None:
            if number == self._asked:
                self.keys = result[0]
                self.count.setText(self.tr("%Ln run(s) would be deleted.", "", int(self.keys.size)))
                self.delete.setEnabled(self.keys.size > 0)

        self._bridge.follow(self._desk.find(self.query), found, self.failed.emit)

    def _on_counts(self, counts: HistoryCounts) -> None:
        self.kept.setText(
            self.tr("%Ln deleted run(s) can still be brought back.", "", counts.deleted)
            if counts.deleted
            else self.tr("No deleted run is waiting to be brought back.")
        )
        self.purge.setEnabled(counts.deleted > 0)
        self._deleted = counts.deleted

    def _accept(self) -> None:
        if self.keys is not None and self.keys.size:
            self.delete_wanted.emit(self.keys.tolist())
        self.accept()

    def _ask_purge(self) -> None:
        question = self.tr("Remove {count} deleted runs for good?").format(
            count=figures_text.count(self._deleted)
        )
        no_way, accept = self.tr("There is no way back."), self.tr("Remove for good")
        dialogs.confirm(self, question, no_way, accept, self._purge)

    def _purge(self) -> None:
        self.purge_wanted.emit()
        self.accept()
