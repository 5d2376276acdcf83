"""Which columns a long table shows: as many as fit, the important ones first, or those that were picked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu, QTableView

Keep = Callable[[str], None]


class TableColumns(QObject):
    """Hides columns that have no room, widens the elastic one, and offers a menu to pick columns oneself.

    The menu opens on the heading with the right button, and from the keyboard with Shift+F10 or the menu key.
    What was picked is handed to ``keep`` as text, empty for "as many as fit".
    """

    changed = Signal()

    def __init__(
        self,
        table: QTableView,
        order: Sequence[int],
        elastic: Sequence[int],
        keep: Keep | None = None,
        picked: str = "",
    ) -> None:
        """``order`` names every column, the most important first; the first one can never be hidden.

        The first column of ``elastic`` that is shown takes the room that is left.
        """
        super().__init__(table)
        self._table = table
        self._order = tuple(order)
        self._elastic = tuple(elastic)
        self._keep = keep
        self._widths: dict[int, int] = {}
        known = {str(number): number for number in order}
        self.picked = {known[word] for word in picked.split(",") if word in known}
        head = table.horizontalHeader()
        head.setStretchLastSection(False)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(
            lambda where: self.menu().popup(head.viewport().mapToGlobal(where))
        )
        table.viewport().installEventFilter(self)
        table.installEventFilter(self)

    def fit(self, widths: Mapping[int, int]) -> None:
        """Take the widths the texts need in the language in force."""
        self._widths = dict(widths)
        self.arrange()

    def shown(self) -> set[int]:
        """Columns there is room for, or those that were picked."""
        if self.picked:
            return self.picked | {self._order[0]}
        room = self._table.viewport().width()
        chosen: set[int] = set()
        for column in self._order:
            need = self._widths.get(column, 0)
            if chosen and need > room:
                break  # what is less important must not slip in before what is more
            chosen.add(column)
            room -= need
        return chosen

    def arrange(self) -> None:
        """Show, hide and widen for the present width."""
        shown = self.shown()
        used = sum(self._widths.get(column, 0) for column in shown)
        spare = max(0, self._table.viewport().width() - used)
        elastic = next((column for column in self._elastic if column in shown), self._order[0])
        before = self.hidden()
        for column in self._order:
            self._table.setColumnHidden(column, column not in shown)
            if column in shown:
                extra = spare if column == elastic else 0
                self._table.setColumnWidth(column, self._widths.get(column, 0) + extra)
        if self.hidden() != before:
            self.changed.emit()

    def hidden(self) -> set[int]:
        """Columns that are not shown."""
        return {column for column in self._order if self._table.isColumnHidden(column)}

    # -- picking --------------------------------------------------------------------------------------------

    def menu(self) -> QMenu:
        """All columns with a mark at those shown, and the way back to as many as fit."""
        made = QMenu(self._table)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        made.setTitle(self.tr("Columns"))
        made.setToolTipsVisible(True)
        self.fill(made)
        return made

    def fill(self, menu: QMenu) -> None:
        """Put the columns into a menu of somebody else's."""
        shown, model = self.shown(), self._table.model()
        fitting = menu.addAction(self.tr("As many as fit"))
        fitting.setCheckable(True)
        fitting.setChecked(not self.picked)
        fitting.triggered.connect(lambda: self.pick(set()))
        menu.addSeparator()
        for column in sorted(self._order):
            name = str(model.headerData(column, Qt.Orientation.Horizontal)).replace("\n", " ")
            action = menu.addAction(name)
            action.setToolTip(
                str(model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole))
            )
            action.setCheckable(True)
            action.setChecked(column in shown)
            action.setEnabled(column != self._order[0])
            action.triggered.connect(lambda on, column=column: self._toggle(column, on=on))

    def _toggle(self, column: int, *, on: bool) -> None:
        shown = self.shown()
        self.pick(shown | {column} if on else shown - {column})

    def pick(self, columns: set[int]) -> None:
        """Show these columns whatever the width; none means as many as fit."""
        self.picked = columns & set(self._order)
        if self._keep is not None:
            self._keep(",".join(str(column) for column in sorted(self.picked)))
        self.arrange()

    def open_menu(self) -> None:
        """Open the menu beneath the heading, for the keyboard."""
        head = self._table.horizontalHeader()
        self.menu().popup(head.mapToGlobal(QPoint(0, head.height())))

    # -- Qt -------------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another width, perhaps other columns; the menu key opens the menu."""
        if watched is self._table:
            if isinstance(event, QContextMenuEvent) and event.reason() is QContextMenuEvent.Reason.Keyboard:
                self.open_menu()
                return True
        elif event.type() == QEvent.Type.Resize:
            self.arrange()
        return super().eventFilter(watched, event)
