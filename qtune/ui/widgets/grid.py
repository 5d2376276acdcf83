"""A small table made of labels: for a handful of rows that are read, not scrolled or sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from qtune.ui import icons
from qtune.ui.widgets.parts import empty, label, line, show_new
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words.figures_text import MISSING

ICON = 13


@dataclass(frozen=True, slots=True)
class Cell:
    """One field: a text, perhaps after a shape in its colour (``#rrggbb``), and what hovering adds."""

    text: str
    shape: str = ""
    colour: str = ""
    tone: str = ""
    strong: bool = False
    about: str = ""


def filled(heading: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> tuple[list[Cell], list[list[Cell]]]:
    """The same without the columns in which nothing stands in any row."""
    kept = [n for n in range(len(heading)) if any(row[n].text not in {"", MISSING} for row in rows)]
    return [heading[n] for n in kept], [[row[n] for n in kept] for row in rows]


class Grid(QWidget):
    """The first column is read from the left, all others from the right."""

    def __init__(self, parent: QWidget | None = None, *, spread: bool = False, apart: int = 16) -> None:
        """``spread`` shares out room that is left among all columns; ``apart`` is between two of them."""
        super().__init__(parent)
        self._spread = spread
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(apart)
        self._grid.setVerticalSpacing(5)
        self._rows: tuple[tuple[Cell, ...], ...] = ()

    def texts(self) -> list[list[str]]:
        """What stands in it, row by row, without the heading."""
        return [[cell.text for cell in row] for row in self._rows]

    def show_rows(self, heading: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> None:
        """Show these rows and no others; without rows the grid hides itself."""
        self._rows = tuple(tuple(row) for row in rows)
        empty(self._grid)
        for column, cell in enumerate(heading):
            self._put(0, column, cell, muted=True)
        self._grid.addWidget(line(), 1, 0, 1, max(1, len(heading)) + 1)
        for number, row in enumerate(self._rows, start=2):
            for column, cell in enumerate(row):
                self._put(number, column, cell, muted=False)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, int(self._spread and column < len(heading)))
        if not self._spread:
            # Room that is left goes behind the last column, so that figures stay near what they belong to.
            self._grid.setColumnStretch(max(1, len(heading)), 1)
        show_new(self._grid)
        self.setVisible(bool(rows))

    def _put(self, row: int, column: int, cell: Cell, *, muted: bool) -> None:
        side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
        text = label("muted" if muted else cell.tone, 0.92 if muted else 1.0, bold=cell.strong)
        text.setText(cell.text)
        text.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        set_tip(text, cell.about)
        if not cell.shape:
            self._grid.addWidget(text, row, column)
            return
        mark = QLabel()
        mark.setPixmap(icons.pixmap(cell.shape, cell.colour, ICON))
        set_tip(mark, cell.about)
        box = QWidget()
        inner = QHBoxLayout(box)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(5)
        if column:
            inner.addStretch(1)
        inner.addWidget(mark)
        inner.addWidget(text)
        if not column:
            inner.addStretch(1)
        self._grid.addWidget(box, row, column)
