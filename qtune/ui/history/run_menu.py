"""Menus of what can be done with runs: at a right-clicked line, and the exports of a selection."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu

from qtune.core.history_query import Marked
from qtune.ui.history import export as history_export
from qtune.ui.history.actions import HistoryActions
from qtune.ui.history.detail import Shown
from qtune.ui.history.model import HistoryModel
from qtune.ui.history.run_buttons import all_of
from qtune.ui.history.selection import HistorySelection
from qtune.ui.history.table import HistoryTable

SEEN_MOST: Final = 50
"""Lines of the table that are looked at for marks; more are not in view."""


class RunMenu(QMenu):
    """Filled each time the table is right-clicked, with what the buttons beside it offer.

    ``delete_wanted`` carries the keys of the runs for which it was opened, ``compare_wanted`` also those of
    the first run of each experiment whose heading was selected.
    """

    compare_wanted = Signal(object, object)
    delete_wanted = Signal(object)

    def __init__(
        self,
        table: HistoryTable,
        model: HistoryModel,
        selection: HistorySelection,
        actions: HistoryActions,
    ) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._selection = selection
        self._actions = actions
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self.open_at)

    def open_at(self, at: QPoint) -> None:
        """Open it for the selected runs; which they are is held fast meanwhile."""
        keys = self._table.chosen()
        if keys:
            self._fill(keys, self._marks(keys))
            self.popup(self._table.viewport().mapToGlobal(at))

    def _marks(self, keys: Sequence[int]) -> Marked:
        """Marks of the runs; while they are not known as if some had each mark, which offers both ways."""
        known = self._selection.marks_of(keys)
        if known is not None:
            return known
        # A line that was not selected before it was clicked is not read yet, but stands in the table.
        rows = [self._model.row(line) for line in self._table.chosen_lines()[:SEEN_MOST]]
        there = [row for row in rows if row is not None]
        return Marked.of(there) if len(there) == len(keys) else Marked(2, 1, 1, 1)

    def _fill(self, keys: Sequence[int], marked: Marked) -> None:
        do = self._actions
        self.clear()
        if len(keys) > 1:
            groups = self._table.chosen_groups()
            self.addAction(self.tr("Compare"), lambda: self.compare_wanted.emit(keys, groups))
            self.addSeparator()
        self._either(
            marked.starred,
            marked,
            (self.tr("Star"), lambda: do.star(keys, on=True)),
            (self.tr("Remove star"), lambda: do.star(keys, on=False)),
        )
        self._either(
            marked.outliers,
            marked,
            (self.tr("Mark as outlier"), lambda: do.outlier(keys, on=True)),
            (self.tr("No outlier"), lambda: do.outlier(keys, on=False)),
        )
        self.addSeparator()
        name = file_name(keys, self._selection.shown)
        export = self.addMenu(self.tr("Export"))
        history_export.add_saving(export, len(keys), lambda form: do.save(form, keys, name))
        history_export.add_copying(self, len(keys), lambda form: do.copy(form, keys))
        self.addSeparator()
        self._either(
            marked.deleted,
            marked,
            (self.tr("Delete"), lambda: self.delete_wanted.emit(keys)),
            (self.tr("Bring back"), lambda: do.undelete(keys)),
        )

    def _either(
        self,
        number: int,
        marked: Marked,
        give: tuple[str, Callable[[], None]],
        take: tuple[str, Callable[[], None]],
    ) -> None:
        """Offer to set a mark unless all runs carry it, and to take it away where some do."""
        if not all_of(number, marked):
            self.addAction(*give)
        if number:
            self.addAction(*take)


def fill_exports(menu: QMenu, keys: Sequence[int], actions: HistoryActions, shown: Sequence[Shown]) -> None:
    """Put every export of these runs into a menu."""
    name = file_name(keys, shown)
    history_export.fill_menu(
        menu,
        len(keys),
        lambda form: actions.save(form, keys, name),
        lambda form: actions.copy(form, keys),
    )


def file_name(keys: Sequence[int], shown: Sequence[Shown]) -> str:
    """A file's name without its suffix: model and arm of a single run that is ``shown``."""
    if len(keys) == 1 and len(shown) == 1 and shown[0].row.key == keys[0]:
        row = shown[0].row
        words = "-".join(part for part in (row.model, row.quant, row.arm) if part)
        return re.sub(r"[^\w.-]+", "_", words)[:80]
    return "qtune-runs"
