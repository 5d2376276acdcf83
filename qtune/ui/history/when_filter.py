"""The filter by date: since some days, this year, or from one day to another."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import QDate, QDateTime, QLocale, QSignalBlocker, QTime, Signal
from PySide6.QtWidgets import QDateEdit, QHBoxLayout, QLabel, QWidget

from qtune.ui.widgets.parts import ElidedCombo

DAYS: Final = (7, 30, 90)
YEAR: Final = "year"
RANGE: Final = "range"


class WhenFilter(QWidget):
    """Days are those of the computer's own time; both ends of a range are inside, in whichever order."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = ElidedCombo()
        self.first, self.last = QDateEdit(), QDateEdit()
        self.to = QLabel()
        today = QDate.currentDate()
        for edit, day in ((self.first, today.addDays(-DAYS[1])), (self.last, today)):
            edit.setCalendarPopup(True)
            edit.setDate(day)
            edit.dateChanged.connect(self.changed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for part in (self.box, self.first, self.to, self.last):
            row.addWidget(part)
        self.box.addItem("", None)
        self.box.currentIndexChanged.connect(self._on_choice)
        self._show_days()

    @property
    def narrows(self) -> bool:
        """Whether a date is asked for."""
        return self.box.currentData() is not None

    @property
    def span(self) -> tuple[datetime | None, datetime | None]:
        """Earliest start, and the moment before which a run started."""
        choice, today = self.box.currentData(), QDate.currentDate()
        if choice is None:
            return None, None
        if choice == RANGE:
            first, last = sorted((self.first.date(), self.last.date()), key=QDate.toJulianDay)
            return _midnight(first), _midnight(last.addDays(1))
        first = QDate(today.year(), 1, 1) if choice == YEAR else today.addDays(-int(choice))
        return _midnight(first), None

    def clear(self) -> None:
        """Any date."""
        self.box.setCurrentIndex(0)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        chosen = self.box.currentData()
        quiet = QSignalBlocker(self.box)
        self.box.clear()
        self.box.addItem(self.tr("Any date"), None)
        for days in DAYS:
            self.box.addItem(self.tr("Last %n day(s)", "", days), days)
        self.box.addItem(self.tr("This year"), YEAR)
        self.box.addItem(self.tr("From… to…"), RANGE)
        self.box.setCurrentIndex(max(0, self.box.findData(chosen)) if chosen is not None else 0)
        quiet.unblock()
        self.box.setAccessibleName(self.tr("Filter: date"))
        self.first.setAccessibleName(self.tr("First day"))
        self.last.setAccessibleName(self.tr("Last day"))
        self.to.setText("–")
        for edit in (self.first, self.last):
            edit.setLocale(QLocale())
            edit.setDisplayFormat(QLocale().dateFormat(QLocale.FormatType.ShortFormat))
        width = self.box.fontMetrics().horizontalAdvance
        fixed = (self.box.itemText(number) for number in range(self.box.count()))
        self.box.setMinimumWidth(max(map(width, fixed)) + 44)

    def _on_choice(self) -> None:
        self._show_days()
        self.changed.emit()

    def _show_days(self) -> None:
        ranged = self.box.currentData() == RANGE
        for part in (self.first, self.to, self.last):
            part.setVisible(ranged)


def _midnight(day: QDate) -> datetime:
    return datetime.fromtimestamp(QDateTime(day, QTime(0, 0)).toSecsSinceEpoch(), UTC)
