"""The rows of the history: keys in an order that SQL gave, and pages fetched when they come into view."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Final

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QIcon

from qtune.core.history_query import Keys, RunSummary
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.ui import icons
from qtune.ui.bridge import Bridge
from qtune.ui.history import words as history_words
from qtune.ui.history.columns import (
    ARM,
    DATE,
    FIGURES,
    NOTE,
    STATUS,
    VERDICT,
)
from qtune.ui.theme import LIGHT, Tokens, symbol
from qtune.ui.tune.record_table import Index
from qtune.ui.widgets.parts import tone_colour
from qtune.ui.widgets.plain_table import LEFT, RIGHT, heading

PAGE: Final = 200
"""Rows fetched at a time."""
KEPT_PAGES: Final = 50
AT_ONCE: Final = 2
"""Pages on their way; more would make the newest wait behind those scrolled past."""
WAITING: Final = 4

_ROOT = QModelIndex()
_NO_KEYS: Keys = np.zeros(0, np.int64)
PageOf = Callable[[Iterable[int]], Future[list[RunSummary]]]


class HistoryModel(QAbstractTableModel):
    """Holds keys only; a cell is empty while its page is on its way. ``page_of`` fetches rows by key."""

    page_failed = Signal(object)

    def __init__(self, page_of: PageOf, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._page_of = page_of
        self._bridge = bridge
        self._tokens = LIGHT
        self._keys = self._lines = _NO_KEYS
        self._heads = self._begins = self._sizes = _NO_KEYS
        self._pages: OrderedDict[int, dict[int, RunSummary]] = OrderedDict()
        self._under_way: set[int] = set()
        self._waiting: list[int] = []
        self._generation = 0
        self._headers: list[tuple[str, str]] = []
        self.retranslate()

    # -- what is in it --------------------------------------------------------------------------------------

    @property
    def keys(self) -> Keys:
        """All runs in the order shown."""
        return self._keys

    @property
    def lines(self) -> Keys:
        """What stands on each line: the key of a run, or of an experiment's first run made negative."""
        return self._lines

    def runs_of(self, lines: Keys) -> Keys:
        """Runs on these lines, from the top; a heading stands for all runs of its experiment."""
        if not self._heads.size:
            return self._lines[lines]
        headings = self._lines[lines] < 0
        groups = np.searchsorted(self._heads, lines[headings])
        steps = np.zeros(self._keys.size + 1, np.int64)
        np.add.at(steps, self._begins[groups], 1)
        np.add.at(steps, self._begins[groups] + self._sizes[groups], -1)
        meant = np.cumsum(steps[:-1]) > 0
        runs = lines[~headings]
        meant[runs - np.searchsorted(self._heads, runs)] = True
        return self._keys[meant]

    def load(self, keys: Keys, begins: Keys | None = None) -> None:
        """Show these runs; ``begins`` tells where in them each experiment begins, which gets a heading."""
        self.beginResetModel()
        self._generation += 1
        self._keys = self._lines = keys
        self._heads = self._begins = self._sizes = _NO_KEYS
        if begins is not None:
            self._begins = begins
            self._lines = np.insert(keys, begins, -keys[begins])
            self._heads = begins + np.arange(begins.size)
            self._sizes = np.diff(begins, append=keys.size)
        self._pages.clear()
        self._under_way.clear()
        self._waiting.clear()
        self.endResetModel()

    def reread(self, keys: Iterable[int]) -> None:
        """Fetch the rows of these runs again; the old ones are shown until then."""
        lines = np.flatnonzero(np.isin(np.abs(self._lines), np.fromiter(keys, np.int64)))
        for page in {int(line) // PAGE for line in lines}:
            self._under_way.discard(page)
            if page in self._pages:
                self._ask(page)

    def row(self, line: int) -> RunSummary | None:
        """The run of a line, of a heading the first below it; None while it is on its way, or if it is gone.

        Looking also asks for it.
        """
        page = line // PAGE
        rows = self._pages.get(page)
        if rows is None:
            if page not in self._under_way and page not in self._waiting:
                self._ask(page)
            return None
        self._pages.move_to_end(page)
        return rows.get(abs(int(self._lines[line])))

    def _ask(self, page: int) -> None:
        if len(self._under_way) >= AT_ONCE:
            self._waiting = [*self._waiting[-WAITING + 1 :], page]
            return
        self._under_way.add(page)
        lines = np.abs(self._lines[page * PAGE : (page + 1) * PAGE])
        keys = list(dict.fromkeys(lines.tolist()))
        generation = self._generation
        self._bridge.follow(
            self._page_of(keys),
            lambda rows: self._on_page(generation, page, rows),
            lambda message: self._on_failed(generation, page, message),
        )

    def _on_page(self, generation: int, page: int, rows: list[RunSummary]) -> None:
        if generation != self._generation:
            return
        self._under_way.discard(page)
        self._pages[page] = {row.key: row for row in rows}
        self._pages.move_to_end(page)
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)
        last = min((page + 1) * PAGE, len(self._lines)) - 1
        self.dataChanged.emit(self.index(page * PAGE, 0), self.index(last, NOTE))
        if self._waiting:
            self._ask(self._waiting.pop())

    def _on_failed(self, generation: int, page: int, message: Message) -> None:
        if generation == self._generation:
            self._on_page(generation, page, [])  # not asked for again by every repaint
            self.page_failed.emit(message)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
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
        if len(self._lines):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._lines) - 1, NOTE))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, NOTE)

    # -- Qt -------------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of runs and headings."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else NOTE + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Texts, shapes, and what hovering adds; nothing while the row is on its way."""
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in FIGURES else LEFT
        if role == Qt.ItemDataRole.BackgroundRole and index.isValid():
            return self._ground(index.row())
        row = self.row(index.row()) if index.isValid() else None
        if row is None:
            return None
        if self._lines[index.row()] < 0:
            return self._heading(index.row(), row, column, role)
        return self._of_run(row, column, role)

    def _ground(self, line: int) -> QColor | None:
        """Headings of experiments on a ground of their own."""
        return QColor(self._tokens.sunken) if self._lines[line] < 0 else None

    def _heading(self, line: int, row: RunSummary, column: int, role: int) -> object:
        """The line of an experiment: what it asked, how many runs it has, what came of it."""
        if role == Qt.ItemDataRole.DisplayRole:
            size = self.tr(
                "%n run(s)", "", int(self._sizes[np.searchsorted(self._heads, line)])
            )  # plural forms need an object
            return history_words.group_cell(row, size, column)
        if role == Qt.ItemDataRole.FontRole:
            bold = QFont()
            bold.setBold(column != DATE)  # in bold the date would not fit
            return bold
        look = history_words.group_shape(row) if column == VERDICT else None
        if role == Qt.ItemDataRole.DecorationRole and look is not None:
            return _mark(look[0], tone_colour(look[1], self._tokens), self._tokens)
        return None

    def _of_run(self, row: RunSummary, column: int, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return history_words.cell(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return history_words.about_cell(row, column)
        return self._look(row, column, role)

    def _look(self, row: RunSummary, column: int, role: int) -> object:
        tokens = self._tokens
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
