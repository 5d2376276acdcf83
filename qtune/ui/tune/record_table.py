"""The record: every request of this session and of earlier runs, failed ones with their reason."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from qtune.core import figures
from qtune.core.records import RequestRecord, RunRecord, RunStatus
from qtune.core.stats import counts
from qtune.session.plans import SCREEN, SCREEN_STARTS
from qtune.ui import icons
from qtune.ui.state.arm_book import Entry, slim
from qtune.ui.theme import LIGHT, SYMBOLS, Tokens, symbol
from qtune.ui.widgets.plain_table import LEFT, RIGHT, PlainTable, heading, heading_width
from qtune.ui.widgets.table_columns import Keep, TableColumns
from qtune.ui.words import figures_text, texts

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_START, _PHASE, _NOTE, _PROMPT, _WHEN = 1, 3, 11, 12, 14
"""Columns of text among those of figures."""
_ORDER = (0, 4, 5, 8, _NOTE, 2, 7, _PHASE, 9, 6, _WHEN, _PROMPT, _START, 10, 13)
"""Arm, decode, first token, accepted and how it went first; the rest as far as there is room."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a request, or (``record`` None) a run that ended without any."""

    run: RunRecord
    record: RequestRecord | None

    @property
    def failed(self) -> bool:
        """Whether it ended badly; what the user cancelled did not."""
        if self.record is None:
            return self.run.status in (RunStatus.FAILED, RunStatus.INTERRUPTED)
        return self.record.times.failure is not None and not self.record.times.cancelled


def _acceptance(record: RequestRecord) -> str:
    found = figures.acceptance(record.times, record.drafts)
    return figures_text.MISSING if found is None else figures_text.percent(found.rate)


def _length(record: RequestRecord) -> str:
    found = figures.acceptance(record.times, record.drafts)
    return figures_text.number(None if found is None else found.mean_len, 2)


def _start(run: RunRecord) -> str:
    """Which start of its arm a run is; trials of a search are counted from one, too."""
    return str(run.start - SCREEN_STARTS if run.arm.startswith(SCREEN) else run.start)


class RecordModel(QAbstractTableModel):
    """Newest first. Rows are only ever put on top or read in at the start, so no sorting is needed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self._rows: list[Row] = []
        self._texts: dict[tuple[str, int], tuple[str, ...]] = {}
        self._headers: list[tuple[str, str]] = []
        self.retranslate()

    # -- what is in it --------------------------------------------------------------------------------------

    def row(self, number: int) -> Row:
        """One line, the newest is 0."""
        return self._rows[number]

    def load(self, entries: list[Entry]) -> None:
        """Take earlier runs, newest first, below what this session has brought."""
        known = {row.run.id for row in self._rows}
        rows = [row for entry in entries if entry.run.id not in known for row in _rows_of(entry)]
        if rows:
            self.beginInsertRows(_ROOT, len(self._rows), len(self._rows) + len(rows) - 1)
            self._rows += rows
            self.endInsertRows()

    def add(self, run: RunRecord, record: RequestRecord | None) -> None:
        """Put a new line on top."""
        self.beginInsertRows(_ROOT, 0, 0)
        self._rows.insert(0, Row(run, None if record is None else slim(record)))
        self.endInsertRows()

    def finish_run(self, run: RunRecord) -> None:
        """A run ended: a failed or broken off one gets a line of its own with the reason."""
        if run.status in (RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.INTERRUPTED):
            self.add(run, None)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self._changed()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self._headers = [
            (self.tr("Arm"), self.tr("What was measured: a preset, or a draft length that was tried.")),
            (
                self.tr("Start"),
                self.tr("Each start is a fresh engine process; the starts of an arm are counted."),
            ),
            (self.tr("#"), self.tr("Number of the request in its run.")),
            (self.tr("Phase"), self.tr("Warm-up requests do not count into the figures.")),
            (
                self.tr("Decode\ntok/s"),
                self.tr("Output tokens per second after the first token, by the server's own timing."),
            ),
            (
                self.tr("First token\nms"),
                self.tr("Milliseconds from sending to the first piece of the answer (TTFT)."),
            ),
            (self.tr("Prefill\ntok/s"), self.tr("Prompt tokens read per second.")),
            (self.tr("Total\ns"), self.tr("Whole request, from sending to the end of the stream.")),
            (self.tr("Accepted"), self.tr("Share of drafted tokens that the model confirmed.")),
            (self.tr("L"), self.tr("Mean number of tokens gained in each step, the model's own included.")),
            (self.tr("Tokens"), self.tr("Output tokens, by the server's count.")),
            (
                self.tr("How it went"),
                self.tr("Failed and marked requests stay in the list and leave the figures."),
            ),
            (self.tr("Prompt"), self.tr("What was asked.")),
            (self.tr("Context"), self.tr("Tokens one conversation can hold.")),
            (self.tr("Run"), self.tr("When the run was started, local time.")),
        ]
        self._changed()

    def as_text(self, numbers: list[int]) -> str:
        """Lines as tab-separated text with a heading, for the clipboard."""
        lines = ["\t".join(head.replace("\n", " ") for head, _ in self._headers)]
        for number in numbers:
            line, spanned = self._line(self._rows[number]), self._rows[number].record is None
            lines.append("\t".join(line[:2] if spanned else line))
        return "\n".join(lines)

    def _changed(self) -> None:
        self._texts.clear()
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self._headers) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._headers) - 1)

    def _line(self, row: Row) -> tuple[str, ...]:
        """All texts of a row, made once: views ask for them again and again."""
        key = (row.run.id, -1 if row.record is None else row.record.index)
        if key not in self._texts:
            self._texts[key] = self._make(row)
        return self._texts[key]

    def _make(self, row: Row) -> tuple[str, ...]:
        record = row.record
        if record is None:
            # The line of a run that ended badly: the reason takes the place of figures, see RecordTable.
            reason = texts.run_note(row.run) + " · " + texts.local_time(row.run.started_utc)
            return (texts.arm_title(row.run.arm), *([reason] * (len(self._headers) - 1)))
        return (
            texts.arm_title(row.run.arm),
            _start(row.run),
            str(record.index + 1),
            texts.phase_word(record.phase),
            figures_text.rate(figures.decode_tok_s(record.times)),
            figures_text.number(figures.ttft_ms(record.times), 0),
            figures_text.number(figures.prefill_tok_s(record.times), 0),
            figures_text.number(figures.total_ms(record.times) / 1000, 2),
            _acceptance(record),
            _length(record),
            figures_text.count(figures.output_tokens(record.times)),
            texts.request_note(record),
            texts.prompt_name(record.prompt_id),
            figures_text.context(row.run.settings_requested.ctx_size),
            texts.local_time(row.run.started_utc),
        )

    # -- Qt -------------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of lines."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(self._headers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Texts, alignment and, for the preset, colour and symbol."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if row.record is None or column in _LEFT_COLUMNS else RIGHT
        if role == Qt.ItemDataRole.DisplayRole:
            return self._line(row)[column]
        if role == Qt.ItemDataRole.ToolTipRole and (column == _NOTE or row.failed):
            return self._line(row)[_NOTE if row.record is not None else 1]
        return self._look(row, column, role)

    def _look(self, row: Row, column: int, role: int) -> object:
        if role == Qt.ItemDataRole.DecorationRole and column == 0:
            return icons.pixmap(symbol(row.run.arm), self._tokens.arm(row.run.arm), 14)
        return self._colour(row) if role == Qt.ItemDataRole.ForegroundRole else None

    def _colour(self, row: Row) -> QColor | None:
        if row.failed:
            return QColor(self._tokens.bad)
        counted = row.record is not None and counts(row.record)
        return None if counted else QColor(self._tokens.muted)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Names of the columns, and what each figure means."""
        return heading(self._headers, section, orientation, role, right=section not in _LEFT_COLUMNS)


_LEFT_COLUMNS = frozenset({0, _PHASE, _NOTE, _PROMPT, _WHEN})


def _rows_of(entry: Entry) -> list[Row]:
    """Newest first: the run's own line if it ended badly, then its requests from last to first."""
    bad = entry.run.status in (RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.INTERRUPTED)
    head = [Row(entry.run, None)] if bad or not entry.requests else []
    return head + [Row(entry.run, record) for record in reversed(entry.requests)]


class RecordTable(PlainTable):
    """Fixed row height and columns as wide as their texts: nothing is measured row by row."""

    def __init__(
        self, model: RecordModel, keep: Keep | None = None, picked: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(9, parent)
        self._model = model
        self.setModel(model)
        self.setMinimumHeight(80)
        self.columns = TableColumns(self, _ORDER, (_NOTE,), keep, picked)
        self.columns.changed.connect(self._span_again)
        self.fit_columns()
        model.rowsInserted.connect(self._span_runs)

    def _span_again(self) -> None:
        """A span must begin in a column that is shown."""
        self.clearSpans()
        self._span_runs(_ROOT, 0, self._model.rowCount() - 1)

    def _span_runs(self, _parent: QModelIndex, first: int, last: int) -> None:
        """A run without figures shows its reason across the columns."""
        hidden = self.columns.hidden()
        count = self._model.columnCount()
        begin = next((column for column in range(1, count) if column not in hidden), 1)
        for number in range(first, last + 1):
            if self._model.row(number).record is None and count - begin > 1:
                self.setSpan(number, begin, 1, count - begin)

    def fit_columns(self) -> None:
        """Column widths from the widest text each can hold in the language in force."""
        width = self.fontMetrics().horizontalAdvance
        titles = [texts.arm_title(arm) for arm in (*SYMBOLS, SCREEN + "n8")]
        phases = [texts.phase_word(phase) for phase in ("warmup", "counted")]
        figures_of = ("88", "88", "", "888.8", "88888", "88888", "888.88", "88.8 %", "8.88", "8888")
        widest = {number: width(text) for number, text in enumerate(figures_of, start=1)}
        widest[0] = max(map(width, titles)) + 26
        widest[_PHASE] = max(map(width, phases))
        widest[_NOTE] = width("m" * 14)
        widest[_PROMPT] = width("m" * 9)
        widest[_WHEN] = width("88/88/88 88:88") + 8
        head = {n: heading_width(self, self._model, n) for n in range(self._model.columnCount())}
        self.columns.fit({n: max(least, widest.get(n, 0)) + 21 for n, least in head.items()})

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected lines."""
        if event.matches(QKeySequence.StandardKey.Copy):
            numbers = sorted({index.row() for index in self.selectionModel().selectedRows()})
            QGuiApplication.clipboard().setText(self._model.as_text(numbers))
            return
        super().keyPressEvent(event)
