"""What the long tables of the window have in common: a calm look, fixed rows, and headings with a meaning."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

Headings = Sequence[tuple[str, str]]
"""Name and meaning of each column."""


def heading(
    headings: Headings, section: int, orientation: Qt.Orientation, role: int, *, right: bool
) -> object:
    """What a model answers about one of its columns; ``right`` is where its figures stand."""
    if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(headings):
        return None
    if role == Qt.ItemDataRole.DisplayRole:
        return headings[section][0]
    if role == Qt.ItemDataRole.ToolTipRole:
        return headings[section][1]
    if role == Qt.ItemDataRole.TextAlignmentRole:
        return RIGHT if right else LEFT
    return None


def heading_width(table: QTableView, model: QAbstractItemModel, column: int) -> int:
    """Width of the widest line of a column's heading, which is set a little larger than the rows."""
    width = table.fontMetrics().horizontalAdvance
    head = str(model.headerData(column, Qt.Orientation.Horizontal))
    return max(round(width(word) * 1.04) for word in head.split("\n"))


class PlainTable(QTableView):
    """Lines are chosen, not edited; nothing is measured row by row."""

    def __init__(self, row_room: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setAlternatingRowColors(True)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + row_room)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setMinimumSectionSize(30)
