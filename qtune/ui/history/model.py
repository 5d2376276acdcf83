"""The rows of the history: keys in an order that SQL gave, and pages fetched when they come into view."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon

from qtune.core.history_query import ExperimentSummary, Groups, Keys, RunSummary
from qtune.core.records import RunStatus
from qtune.ui import icons
from qtune.ui.bridge import Bridge
from qtune.ui.history import words as history_words
from qtune.ui.history.columns import ARM, FIGURES, NOTE, STAR, STATUS, VERDICT
from qtune.ui.history.lines import TableLines
from qtune.ui.history.row_pages import NO_KEYS, RowPages
from qtune.ui.theme import LIGHT, Tokens, symbol
from qtune.ui.tune.record_table import Index
from qtune.ui.widgets.parts import tone_colour
from qtune.ui.widgets.plain_table import LEFT, RIGHT, heading
from qtune.ui.words import figures_text

_ROOT = QModelIndex()
PageOf = Callable[[Iterable[int]], Future[list[RunSummary]]]
HeadingsOf = Callable[[Iterable[int]], Future[list[ExperimentSummary]]]
HEADING: Final = int(Qt.ItemDataRole.UserRole)
"""Role: what the whole line of an experiment says, its verdict left aside; None on the line of a run."""


class HistoryModel(QAbstractTableModel):
    """Holds keys only; a cell is empty while its page is on its way.

    ``page_of`` fetches rows by key, ``headings_of`` the experiments of runs by their keys.
    """

    page_failed = Signal(object)

    def __init__(
        self,
        page_of: PageOf,
        bridge: Bridge,
        headings_of: HeadingsOf | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.tokens = LIGHT
        self.fold_column = STAR
        """Where the mark of a heading stands that tells whether it is folded."""
        self.shown = TableLines()
        self.runs = RowPages(page_of, bridge, self._on_runs, self.page_failed.emit)
        self._headings = headings_of and RowPages(
            headings_of, bridge, self._on_headings, self.page_failed.emit
        )
        self._headers: list[tuple[str, str]] = []
        self.retranslate()

    # -- what is in it --------------------------------------------------------------------------------------

    @property
    def keys(self) -> Keys:
        """All runs in the order shown."""
        return self.shown.keys

    @property
    def lines(self) -> Keys:
        """What stands on each line: the key of a run, or the number of an experiment made negative."""
        return self.shown.lines

    def load(self, keys: Keys, groups: Groups | None = None) -> None:
        """Show these runs; each of the experiments in ``groups`` gets a heading."""
        self.beginResetModel()
        self.shown.load(keys, groups)
        self.runs.load(keys)
        if self._headings is not None:
            self._headings.load(NO_KEYS if groups is None else keys[groups.begins])
        self.endResetModel()

    def fold(self, groups: int | Keys | None, *, on: bool) -> None:
        """Fold or unfold experiments by their place, or all; the rows that are known stay so."""
        self.beginResetModel()
        if groups is None:
            self.shown.fold_all(on=on)
        else:
            self.shown.fold(groups, on=on)
        self.endResetModel()

    def reread(self, keys: Iterable[int]) -> None:
        """Fetch the rows of these runs again when they are looked at; the old ones are shown until then."""
        self.runs.reread(keys)

    def row(self, line: int) -> RunSummary | None:
        """The run of a line; None while it is on its way, or if it is gone. Looking also asks for it."""
        return self.runs.row(int(self.shown.places[line]))

    def heading(self, line: int) -> ExperimentSummary | None:
        """The experiment of a heading; None while it is on its way, or if it is gone."""
        group = int(self.shown.group_of(np.array([line]))[0])
        return None if self._headings is None else self._headings.row(group)

    def _on_runs(self, first: int, last: int) -> None:
        self._on_lines(*self.shown.between(first, last))

    def _on_headings(self, first: int, last: int) -> None:
        self._on_lines(int(self.shown.heads[first]), int(self.shown.heads[last]))

    def _on_lines(self, first: int, last: int) -> None:
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, NOTE))

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self.tokens = tokens
        self._changed()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self._headers = [
            ("★", self.tr("Runs you starred; click to star one or take the star away.")),
            (self.tr("Started"), self.tr("When the run was started, local time.")),
            (self.tr("Model"), self.tr("Name in the model's file.")),
            (self.tr("Quant."), self.tr("Quantisation: precision of the weights.")),
            (self.tr("Arm"), self.tr("What was measured: a preset, or a draft length that was tried.")),
            (self.tr("Context"), self.tr("Tokens one conversation could hold.")),
            (self.tr("n_max"), self.tr("Most tokens drafted in one step; a dash without MTP.")),
            (
                self.tr("Decode\ntok/s"),
                self.tr("Median of output tokens per second after the first token."),
            ),
            (
                self.tr("First token\nms"),
                self.tr("Median of the milliseconds from sending to the first piece of the answer (TTFT)."),
            ),
            (self.tr("Accepted"), self.tr("Share of drafted tokens that the model confirmed.")),
            (
                self.tr("Peak\nmemory"),
                self.tr("Highest reading: of the card, or of the engine where there is no card."),
            ),
            (
                self.tr("Verdict"),
                self.tr("Of the experiment the run belongs to: its arm against Off, and how much faster."),
            ),
            (self.tr("State"), self.tr("How the run ended; hover a failed one for the reason.")),
            (self.tr("Build"), self.tr("Build number of the engine.")),
            (self.tr("Note"), self.tr("What you wrote about the run.")),
        ]
        self._changed()

    def _changed(self) -> None:
        self._on_lines(0, len(self.lines) - 1)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, NOTE)

    # -- Qt -------------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of runs and headings."""
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else NOTE + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Texts, shapes, and what hovering adds; nothing while the row is on its way."""
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in FIGURES else LEFT
        if not index.isValid():
            return None
        if self.shown.is_heading(index.row()):
            return self._of_heading(index.row(), column, role)
        row = self.row(index.row())
        return None if row is None else self._of_run(row, column, role)

    def _of_heading(self, line: int, column: int, role: int) -> object:
        """The line of an experiment: what it asked of which model, how many runs it has, what came of it."""
        group = int(self.shown.group_of(np.array([line]))[0])
        if role == Qt.ItemDataRole.BackgroundRole:
            # Where nothing but headings is left there is nothing to set them off from.
            return None if self.shown.folded[group] else QColor(self.tokens.sunken)
        if role == Qt.ItemDataRole.DecorationRole and column == self.fold_column:
            return _mark("right" if self.shown.folded[group] else "down", self.tokens.muted, self.tokens)
        found = self.heading(line)
        return None if found is None else self._told(found, self._size(group), column, role)

    def _told(self, found: ExperimentSummary, size: str, column: int, role: int) -> object:
        look = history_words.decision_look(found.decision) if column == VERDICT else None
        if role == Qt.ItemDataRole.DecorationRole and look is not None:
            return _mark(look[0], tone_colour(look[1], self.tokens), self.tokens)
        whole = " · ".join(history_words.heading_parts(found, size))
        if role == HEADING:
            return whole
        if role == Qt.ItemDataRole.DisplayRole:
            return history_words.heading_cell(found, whole, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return " · ".join(filter(None, (whole, history_words.heading_verdict(found))))
        return None

    def _size(self, group: int) -> str:
        """How many runs of an experiment are listed, and of how many where a filter hides some."""
        groups, size = self.shown.groups, int(self.shown.sizes[group])
        total = size if groups is None else int(groups.totals[group])
        if size >= total:
            return self.tr("%n run(s)", "", size)  # plural forms need an object
        # The plural is that of all runs there are.
        return self.tr("{listed} of %n run(s)", "", total).format(listed=figures_text.count(size))

    def _of_run(self, row: RunSummary, column: int, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return history_words.cell(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return history_words.about_cell(row, column)
        return self._look(row, column, role)

    def _look(self, row: RunSummary, column: int, role: int) -> object:
        tokens = self.tokens
        if role == Qt.ItemDataRole.ForegroundRole:
            if row.deleted_utc is not None or row.outlier or row.status is not RunStatus.DONE:
                failed = column in {STATUS, VERDICT} and row.status is RunStatus.FAILED
                return QColor(tokens.bad if failed else tokens.muted)
            return None
        if role == Qt.ItemDataRole.FontRole and row.deleted_utc is not None and column != STATUS:
            struck = QFont()
            struck.setStrikeOut(True)
            return struck
        if role == Qt.ItemDataRole.DecorationRole:
            look = history_words.shape(row, column)
            if column == VERDICT and not history_words.verdict_word(row):
                look = None
            if look is not None:
                return _mark(look[0], tone_colour(look[1], tokens), tokens)
            if column == ARM:
                return _mark(symbol(row.arm), tokens.arm(row.arm), tokens)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Names of the columns, and what each means."""
        return heading(self._headers, section, orientation, role, right=section in FIGURES)


def _mark(shape: str, colour: str, tokens: Tokens) -> QIcon:
    """A shape that is still seen on the ground of a selected line."""
    made = QIcon(icons.pixmap(shape, colour, 14))
    made.addPixmap(icons.pixmap(shape, tokens.on_accent, 14), QIcon.Mode.Selected)
    return made
