"""The table of found models: what each file is, whether it fits, and how far its context may go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from qtune.core.memory_facts import FitState, MemoryView
from qtune.core.model_facts import ModelFacts
from qtune.session.requests import ModelEntry
from qtune.session.survey import has_head
from qtune.ui import icons
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.tune.record_table import Index
from qtune.ui.widgets.parts import tone_colour
from qtune.ui.widgets.plain_table import LEFT, RIGHT, PlainTable, heading, heading_width
from qtune.ui.words import figures_text, memory_words, texts

_ROOT = QModelIndex()
NAME, QUANT, SIZE, ARCH, CONTEXT, MTP, FIT, LARGEST = range(8)
_FIGURES = frozenset({SIZE, CONTEXT, LARGEST})
SORT_ROLE = int(Qt.ItemDataRole.UserRole)
_MTP_LOOKS = {
    "embedded": ("yes", "good"),
    "beside": ("point", "good"),
    "sidecar": ("inactive", "warn"),
    "none": ("no", "idle"),
}
_MTP_RANK = ("embedded", "beside", "sidecar", "none")
LEAST_NAME = 150
_FIT_RANK = ("fits", "tight", "too_large", "unknown")

ViewOf = Callable[[ModelFacts], MemoryView | None]


def mtp_kind(facts: ModelFacts) -> str:
    """``embedded``, ``beside`` (in a file of its own), ``sidecar`` (this file is only a head) or ``none``."""
    return "beside" if facts.mtp == "none" and facts.sidecars else facts.mtp


@dataclass(slots=True)
class _Row:
    entry: ModelEntry
    view: MemoryView | None
    known: bool
    """Whether ``view`` holds; a view costs milliseconds, so it is made when it is looked at."""


class ModelTableModel(QAbstractTableModel):
    """In the order found; a proxy sorts. ``view_of`` tells how a model fits with what is chosen now."""

    def __init__(self, view_of: ViewOf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view_of = view_of
        self._tokens = LIGHT
        self._rows: list[_Row] = []
        self._headers: list[tuple[str, str]] = []
        self._context = 8192
        self.retranslate()

    # -- what is in it --------------------------------------------------------------------------------------

    def entry(self, number: int) -> ModelEntry:
        """The model in a line."""
        return self._rows[number].entry

    def number_of(self, path: str) -> int | None:
        """The line of a file; None when it is not there."""
        return next((n for n, row in enumerate(self._rows) if row.entry.facts.path == path), None)

    def load(self, entries: tuple[ModelEntry, ...], context: int) -> None:
        """Show these models and no others; their memory holds for that context."""
        self.beginResetModel()
        self._rows = [_Row(entry, entry.memory, context == self._context) for entry in entries]
        self.endResetModel()

    def add(self, entry: ModelEntry, context: int) -> None:
        """One more was found; its memory holds for that context."""
        number = len(self._rows)
        self.beginInsertRows(_ROOT, number, number)
        self._rows.append(_Row(entry, entry.memory, context == self._context))
        self.endInsertRows()

    def set_context(self, tokens: int) -> None:
        """The fit at another context length."""
        self._context = tokens
        for row in self._rows:
            row.known = False
        self.retranslate()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self._changed()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        context = figures_text.context(self._context)
        self._headers = [
            (self.tr("Model"), self.tr("Name in the file; hover a line for the place of the file.")),
            (self.tr("Quantisation"), self.tr("Precision of the weights.")),
            (self.tr("Size\nGiB"), self.tr("Of all its files together.")),
            (self.tr("Architecture"), self.tr("What the engine has to know to run it.")),
            (self.tr("Trained\ncontext"), self.tr("Longest context the model was trained for, in tokens.")),
            (self.tr("MTP head"), self.tr("Without a head there is no multi-token prediction.")),
            (
                self.tr("Fit at {context}").format(context=context),
                self.tr(
                    "Whether it fits into the free memory at the chosen context: with the preset Balanced,"
                    " or with Off where there is no head."
                ),
            ),
            (
                self.tr("Largest\nwith MTP"),
                self.tr("Largest context that fits with the preset Balanced and keeps its reserve free."),
            ),
        ]
        self._changed()

    def _view(self, row: _Row) -> MemoryView | None:
        if not row.known:
            row.view, row.known = self._view_of(row.entry.facts), True
        return row.view

    def _state(self, row: _Row) -> FitState:
        view = self._view(row)
        return "unknown" if view is None else view.state

    def _changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self._headers) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._headers) - 1)

    # -- texts ----------------------------------------------------------------------------------------------

    def _text(self, row: _Row, column: int) -> str:
        facts, trained = row.entry.facts, row.entry.facts.context_train
        made = {
            NAME: lambda: texts.model_name(facts),
            QUANT: lambda: facts.quant or figures_text.MISSING,
            SIZE: lambda: figures_text.number(facts.size_bytes / figures_text.GIB, 1),
            ARCH: lambda: facts.arch,
            CONTEXT: lambda: figures_text.MISSING if trained is None else figures_text.context(trained),
            MTP: lambda: texts.head_word(mtp_kind(facts)),
            FIT: lambda: memory_words.fit_look(self._state(row))[0],
            LARGEST: lambda: self._largest(row),
        }
        return made[column]()

    def _largest(self, row: _Row) -> str:
        view = self._view(row)
        if not has_head(row.entry.facts) or view is None or view.state == "unknown":
            return figures_text.MISSING
        return self.tr("none") if view.largest_ctx is None else figures_text.context(view.largest_ctx)

    def _largest_key(self, row: _Row) -> int:
        view = self._view(row)
        if not has_head(row.entry.facts) or view is None or view.state == "unknown":
            return -1
        return view.largest_ctx or 0

    def _sort_key(self, row: _Row, column: int) -> object:
        facts = row.entry.facts
        keys: dict[int, Callable[[], object]] = {
            # The same model in several sizes: the largest first.
            NAME: lambda: f"{texts.model_name(facts).casefold()}\n{10**15 - facts.size_bytes:016d}",
            SIZE: lambda: float(facts.size_bytes),  # Qt's own integers are too short for bytes
            CONTEXT: lambda: facts.context_train or -1,
            MTP: lambda: _MTP_RANK.index(mtp_kind(facts)),
            FIT: lambda: _FIT_RANK.index(self._state(row)),
            LARGEST: lambda: self._largest_key(row),
        }
        return keys[column]() if column in keys else self._text(row, column).casefold()

    def _look(self, row: _Row, column: int) -> tuple[str, str] | None:
        """Shape and tone before a word."""
        if column == MTP:
            return _MTP_LOOKS[mtp_kind(row.entry.facts)]
        if column == FIT:
            return memory_words.fit_look(self._state(row))[1:]
        return None

    def _about(self, row: _Row, column: int) -> str:
        if column in {FIT, LARGEST}:
            view = self._view(row)
            return texts.no_estimate() if view is None else memory_words.about(view)
        if column == MTP and row.entry.facts.sidecars:
            return "\n".join(row.entry.facts.sidecars)
        return "\n".join(row.entry.facts.files)

    # -- Qt -------------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of models."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(self._headers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Texts, shapes, and what sorts."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == SORT_ROLE:
            return self._sort_key(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in _FIGURES else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._about(row, column)
        return self._colours(row, column, role)

    def _colours(self, row: _Row, column: int, role: int) -> object:
        look = self._look(row, column)
        if role == Qt.ItemDataRole.DecorationRole and look is not None:
            return _mark(look[0], tone_colour(look[1], self._tokens), self._tokens)
        if role == Qt.ItemDataRole.ForegroundRole and row.entry.facts.mtp == "sidecar":
            return QColor(self._tokens.muted)  # no model by itself
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Names of the columns, and what each means."""
        return heading(self._headers, section, orientation, role, right=section in _FIGURES)


def _mark(shape: str, colour: str, tokens: Tokens) -> QIcon:
    """A shape that is still seen on the ground of a selected line."""
    made = QIcon(icons.pixmap(shape, colour, 14))
    made.addPixmap(icons.pixmap(shape, tokens.on_accent, 14), QIcon.Mode.Selected)
    return made


class ModelTable(PlainTable):
    """Sorted by any column; Enter or a double click uses the model."""

    use_wanted = Signal()

    def __init__(self, model: ModelTableModel, parent: QWidget | None = None) -> None:
        super().__init__(11, parent)
        self._source = model
        self.sorted = QSortFilterProxyModel(self)
        self.sorted.setSourceModel(model)
        self.sorted.setSortRole(SORT_ROLE)
        self.setModel(self.sorted)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setIconSize(QSize(14, 14))
        self.setMinimumHeight(110)
        self.setSortingEnabled(True)
        self.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
        self.doubleClicked.connect(lambda _index: self.use_wanted.emit())
        self.fit_columns()

    def chosen(self) -> ModelEntry | None:
        """The model of the selected line."""
        lines = self.selectionModel().selectedRows()
        return self._source.entry(self.sorted.mapToSource(lines[0]).row()) if lines else None

    def choose(self, path: str) -> bool:
        """Select the line of a file; False when it is not there."""
        number = self._source.number_of(path)
        if number is None:
            return False
        index = self.sorted.mapFromSource(self._source.index(number, 0))
        self.setCurrentIndex(index)
        self.selectRow(index.row())
        return True

    def choose_first(self) -> None:
        """Select the first line there is."""
        if self.sorted.rowCount():
            self.setCurrentIndex(self.sorted.index(0, 0))
            self.selectRow(0)

    def fit_columns(self) -> None:
        """Column widths from the widest text each can hold in the language in force."""
        width = self.fontMetrics().horizontalAdvance
        heads = max(width(texts.head_word(kind)) for kind in _MTP_RANK) + 22
        fits = max(
            width(memory_words.fit_look(state)[0]) for state in ("fits", "tight", "too_large", "unknown")
        )
        widest = {
            QUANT: width("UD-Q4_K_XL"),
            SIZE: width("888.8"),
            ARCH: width("qwen35moe"),
            CONTEXT: width("1024k"),
            MTP: heads,
            FIT: fits + 22,
            LARGEST: width("1024k"),
        }
        for column, least in widest.items():
            self.setColumnWidth(column, max(heading_width(self, self._source, column) + 8, least + 5) + 17)
        self._stretch_name()

    def _stretch_name(self) -> None:
        """The name takes the room that is left; Qt's own stretching would squeeze it to nothing."""
        others = sum(self.columnWidth(column) for column in range(NAME + 1, self._source.columnCount()))
        self.setColumnWidth(NAME, max(LEAST_NAME, self.viewport().width() - others))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width for the name."""
        super().resizeEvent(event)
        self._stretch_name()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter uses the model."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen() is not None:
            self.use_wanted.emit()
            return
        super().keyPressEvent(event)
