"""The table of the history: several lines may be chosen, and a heading asks for another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from qtune.core.history_query import Groups, Keys
from qtune.core.records import RunStatus
from qtune.ui.history import words as history_words
from qtune.ui.history.columns import (
    ACCEPTED,
    ARM,
    BUILD,
    CONTEXT,
    DATE,
    DECODE,
    LARGEST_FIRST,
    MEMORY,
    MODEL,
    N_MAX,
    NOTE,
    QUANT,
    SORTS,
    STAR,
    STATUS,
    TTFT,
    VERDICT,
)
from qtune.ui.history.model import HEADING, HistoryModel
from qtune.ui.history.table_heading import ARROW_ROOM, TableHeading
from qtune.ui.theme import SYMBOLS, Tokens
from qtune.ui.tune.record_table import Index
from qtune.ui.widgets.plain_table import LEFT, PlainTable, heading_width
from qtune.ui.widgets.table_columns import Keep, TableColumns
from qtune.ui.words import texts

_ORDER = (
    DATE, MODEL, ARM, DECODE, STAR, VERDICT, TTFT, QUANT,
    ACCEPTED, CONTEXT, MEMORY, STATUS, N_MAX, NOTE, BUILD,
)  # fmt: skip
"""The most important first; what has no room is left out from the end."""


CELL_PADDING: Final = 9
"""Before and behind the text of a cell, by style and style sheet, logical pixels."""
PIECES_MOST: Final = 500
"""Of a selection that is kept; Qt takes seconds to put thousands together, and nobody made them by hand."""


class _Lines(QStyledItemDelegate):
    """Paints the ground of a heading, which the style sheet would leave out, and its words across columns."""

    def __init__(self, table: HistoryTable) -> None:
        super().__init__(table)
        self._table = table

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Words that go across columns are in no cell."""
        super().initStyleOption(option, index)
        if index.column() == MODEL and index.data(HEADING) is not None:
            option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The ground first, then the cell; the ground of a selected line is painted before this."""
        ground = index.data(Qt.ItemDataRole.BackgroundRole)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if ground is not None and not selected:
            painter.fillRect(option.rect, ground)
        super().paint(painter, option, index)
        told = self._table.isColumnHidden(VERDICT)  # what it says must be in the words then
        words = index.data(Qt.ItemDataRole.ToolTipRole if told else HEADING)
        if words is not None and index.data(HEADING) is not None:
            self._paint_words(painter, option, words, selected=selected)

    def _paint_words(
        self, painter: QPainter, option: QStyleOptionViewItem, words: str, *, selected: bool
    ) -> None:
        """What of the line's words lies in this cell."""
        left, right = self._table.words_span()
        rect = option.rect
        if rect.left() >= right or rect.right() < left:
            return
        tokens = self._table.tokens
        painter.save()
        painter.setClipRect(rect)
        bold = QFont(option.font)
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(QColor(tokens.on_accent if selected else tokens.text))
        whole = QRect(left + CELL_PADDING, rect.top(), right - left - 2 * CELL_PADDING, rect.height())
        text = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, whole.width())
        painter.drawText(whole, LEFT, text)
        painter.restore()


class HistoryTable(PlainTable):
    """Several runs may be selected; Enter shows the details, Delete deletes, a heading asks for an order.

    Left and Right fold an experiment and open it, with Shift all of them.
    """

    chosen_changed = Signal()
    folds_changed = Signal(bool)
    details_wanted = Signal()
    delete_wanted = Signal()
    star_wanted = Signal(int)
    sort_wanted = Signal(int, bool)

    def __init__(
        self, model: HistoryModel, keep: Keep | None = None, picked: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(9, parent)
        self._source = model
        self._silent = False
        self._words, self._plain = _Lines(self), self.itemDelegate()
        head = TableHeading(self)
        self.setHorizontalHeader(head)
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setIconSize(QSize(14, 14))
        self.setMinimumHeight(90)
        self.columns = TableColumns(self, _ORDER, (NOTE, MODEL), keep, picked)
        # A heading asks its selection whether the whole column is selected, cell by cell: seconds for
        # 100 000 selected runs. It is given one in which nothing ever is.
        head.setSelectionModel(QItemSelectionModel(model, self))
        head.sectionClicked.connect(self._on_heading)
        self._head = head
        self.order = (DATE, True)
        self._show_order()
        self.columns.changed.connect(self._place_marks)
        self.clicked.connect(self._on_clicked)
        self.doubleClicked.connect(self._on_double_click)
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.fit_columns()

    # -- selection ------------------------------------------------------------------------------------------

    def chosen(self) -> list[int]:
        """Keys of the selected runs, from the top; an experiment's heading stands for all of its runs."""
        found: list[int] = self._source.shown.runs_of(self._lines()).tolist()
        return found

    def chosen_groups(self) -> list[int]:
        """Keys of the first run of each experiment whose heading is selected."""
        found: list[int] = self._source.shown.first_runs(self._lines()).tolist()
        return found

    def chosen_lines(self) -> list[int]:
        """Numbers of the selected lines, from the top."""
        found: list[int] = self._lines().tolist()
        return found

    def _lines(self) -> Keys:
        selection = self.selectionModel().selection()
        chosen = np.zeros(len(self._source.lines), np.bool_)
        for part in (selection.at(number) for number in range(selection.count())):
            chosen[part.top() : part.bottom() + 1] = True
        return np.flatnonzero(chosen)

    def load(self, keys: Keys, groups: Groups | None = None) -> None:
        """Show these runs; those that were selected stay so as far as they are still there."""
        kept, current = self._source.lines[self._lines()], self._current_key()
        at_top = self.verticalScrollBar().value() == 0
        self._silent = True
        self._source.load(keys, groups)
        self.setAlternatingRowColors(groups is None)
        self.setItemDelegate(self._plain if groups is None else self._words)
        self.choose(kept, current)
        self._silent = False
        if at_top:
            self.scrollToTop()
        self.chosen_changed.emit()
        self._tell_folds()

    def choose(self, wanted: Sequence[int] | Keys, current: int | None = None) -> None:
        """Select the lines on which these stand, as in ``lines``; ``current`` is that with the focus."""
        model = self._source
        lines = np.flatnonzero(np.isin(model.lines, np.asarray(wanted, np.int64)))
        selection = QItemSelection()
        parts = np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1) if lines.size else []
        if len(parts) > PIECES_MOST:
            parts, lines = parts[:1], parts[0]
        for part in parts:
            selection.select(model.index(int(part[0]), 0), model.index(int(part[-1]), NOTE))
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if lines.size:
            mine = np.flatnonzero(model.lines == current) if current is not None else lines
            line = int(mine[0]) if mine.size else int(lines[0])
            index = model.index(line, DATE)
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(index)

    def show_runs(self, wanted: Sequence[int]) -> None:
        """Select these runs; the experiments that hold them are opened."""
        groups = self._source.shown.groups_with(np.asarray(wanted, np.int64))
        self._silent = True
        self._source.fold(groups, on=False)
        self.choose(wanted)
        self._silent = False
        self.chosen_changed.emit()
        self._tell_folds()

    def _current_key(self) -> int | None:
        index = self.currentIndex()
        return int(self._source.lines[index.row()]) if index.isValid() else None

    def _on_selection(self) -> None:
        if not self._silent:
            self.chosen_changed.emit()

    # -- order ----------------------------------------------------------------------------------------------

    def _on_heading(self, column: int) -> None:
        if column in SORTS:
            before, descending = self.order
            self.order = (column, not descending if before == column else column in LARGEST_FIRST)
            self.sort_wanted.emit(*self.order)
            self.fit_columns()
        self._show_order()

    def _show_order(self) -> None:
        self._head.show_order(self.order[0], descending=self.order[1])

    def _on_clicked(self, index: QModelIndex) -> None:
        line = index.row()
        if self._source.shown.is_heading(line):
            if index.column() == self._source.fold_column:
                self._flip(line)
        elif index.column() == STAR:
            self.star_wanted.emit(int(self._source.lines[line]))

    def _on_double_click(self, index: QModelIndex) -> None:
        if not self._source.shown.is_heading(index.row()):
            self.details_wanted.emit()
        elif index.column() != self._source.fold_column:  # there each of the clicks folds
            self._flip(index.row())

    # -- experiments ----------------------------------------------------------------------------------------

    @property
    def tokens(self) -> Tokens:
        """Colours in force."""
        return self._source.tokens

    def words_span(self) -> tuple[int, int]:
        """Where in the viewport the words of a heading stand: behind the start, and up to the verdict."""
        left, right = 0, self.viewport().width()
        head = self._head
        shown = [column for column in range(DATE + 1, NOTE + 1) if not head.isSectionHidden(column)]
        if VERDICT in shown:
            right = head.sectionViewportPosition(VERDICT)
        if shown:
            left = head.sectionViewportPosition(shown[0])
        return left, right

    def fold_all(self, *, on: bool) -> None:
        """Fold all experiments, or open them."""
        self._fold(None, on=on)

    def flip_folds(self) -> None:
        """Open all experiments if they are folded, else fold them."""
        self.fold_all(on=not self._all_folded)

    @property
    def _all_folded(self) -> bool:
        folded = self._source.shown.folded
        return bool(folded.size and folded.all())

    def _flip(self, line: int) -> None:
        group = int(self._source.shown.group_of(np.array([line]))[0])
        self._fold(group, on=not self._source.shown.folded[group])

    def _fold(self, group: int | None, *, on: bool) -> None:
        """What was selected stays so; the heading stands for runs that are hidden now."""
        source, at = self._source, self.verticalScrollBar().value()
        if source.shown.groups is None:
            return
        lines, current = self._lines(), self.currentIndex().row()
        kept, groups = source.lines[lines], source.shown.group_of(lines)
        mine = int(source.shown.group_of(np.array([current]))[0]) if current >= 0 else -1
        focus = self._current_key()
        self._silent = True
        source.fold(group, on=on)
        shown = source.shown
        hidden = np.unique(groups[shown.folded[groups]]) if groups.size else groups
        if mine >= 0 and shown.folded[mine]:
            focus = int(shown.lines[shown.heads[mine]])
        self.verticalScrollBar().setValue(at)
        self.choose(np.concatenate([kept, shown.lines[shown.heads[hidden]]]), focus)
        self._silent = False
        self.chosen_changed.emit()
        self._tell_folds()

    def _tell_folds(self) -> None:
        self.folds_changed.emit(self._all_folded)

    def _place_marks(self) -> None:
        """The mark of a heading stands in the first column there is."""
        self._source.fold_column = DATE if self.isColumnHidden(STAR) else STAR

    def _fold_by_key(self, event: QKeyEvent) -> bool:
        """Whether a key folded something, or led from a run to its heading."""
        line, shown = self.currentIndex().row(), self._source.shown
        if event.key() not in (Qt.Key.Key_Left, Qt.Key.Key_Right) or shown.groups is None or line < 0:
            return False
        on = event.key() == Qt.Key.Key_Left
        if event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self.fold_all(on=on)
            return True
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        group = int(shown.group_of(np.array([line]))[0])
        if shown.is_heading(line):
            self._fold(group, on=on)
        elif on:
            self.choose([int(shown.lines[shown.heads[group]])])
        return True

    # -- Qt -------------------------------------------------------------------------------------------------

    def fit_columns(self) -> None:
        """Column widths from the widest text each can hold in the language in force."""
        width = self.fontMetrics().horizontalAdvance
        decisions = ("better", "worse", "no_difference", "too_few", "mtp_not_active")
        widest = {
            STAR: 0,
            DATE: width(history_words.when("2000-12-28T12:58:00+00:00")),
            MODEL: width("Qwen3.6-35B-A3B-MTP"),
            QUANT: width("UD-Q4_K_XL"),
            ARM: max(width(texts.arm_title(arm)) for arm in SYMBOLS) + 22,
            CONTEXT: width("1024k"),
            N_MAX: width("88"),
            DECODE: width("888.8"),
            TTFT: width("88 888"),
            ACCEPTED: width("88.8 %"),
            MEMORY: width("88.8 GiB"),
            VERDICT: max(width(texts.decision_word(word)) for word in decisions) + width(" +88 %") + 22,
            STATUS: max(width(texts.run_state_word(status)) for status in RunStatus) + 22,
            BUILD: width("88888"),
            NOTE: width("m" * 12),
        }
        widths = {STAR: 34}
        for column, least in widest.items():
            # The arrow of the order stands beside the name of the column that has it.
            room = heading_width(self, self._source, column)
            room += ARROW_ROOM if column == self.order[0] else 0
            widths.setdefault(column, max(room, least + 8) + 13)
        self.columns.fit(widths)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter, Delete, Home, End, and what folds experiments; everything else as in any table."""
        if self._fold_by_key(event):
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.details_wanted.emit()
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and not event.modifiers():
            # Lines are chosen here, not cells: first and last mean lines.
            keys = self._source.lines
            self.choose([int(keys[0 if event.key() == Qt.Key.Key_Home else -1])] if len(keys) else [])
        else:
            super().keyPressEvent(event)
