"""The headings of the history's table, with an arrow at the column it is sorted by."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QPainter, QPolygonF
from PySide6.QtWidgets import QHeaderView, QWidget

from qtune.ui.widgets.plain_table import RIGHT

ARROW_ROOM: Final = 14
"""Beside a column's name, logical pixels."""
_WIDE, _HIGH, _PADDING = 8.0, 5.0, 6
"""Of the arrow; the padding is that of the style sheet."""


class TableHeading(QHeaderView):
    """The arrow points up where the smallest is on top, down where the largest is, beside the name.

    Qt's own points the other way in most styles, and lies on the second line of a name that has two.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(30)
        self.order = (0, True)

    def show_order(self, column: int, *, descending: bool) -> None:
        """Which column decides, and whether the largest is on top."""
        self.order = (column, descending)
        self.viewport().update()

    def arrow(self, rect: QRect, section: int) -> QPolygonF:
        """Where the arrow lies in a section that takes this room."""
        model, width = self.model(), self.fontMetrics().horizontalAdvance
        name = str(model.headerData(section, Qt.Orientation.Horizontal))
        taken = max(width(line) for line in name.split("\n")) + _PADDING + 4
        side = model.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        left = rect.right() - taken - _WIDE if side == RIGHT else rect.left() + taken
        left = min(max(left, rect.left() + 1.0), rect.right() - _WIDE)
        top = rect.center().y() + 1 - _HIGH / 2
        ends = (top, top + _HIGH) if self.order[1] else (top + _HIGH, top)
        return QPolygonF(
            [QPointF(left, ends[0]), QPointF(left + _WIDE, ends[0]), QPointF(left + _WIDE / 2, ends[1])]
        )

    # -- Qt -------------------------------------------------------------------------------------------------

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """A section as always, and the arrow in it."""
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        if section == self.order[0]:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().text())
            painter.drawPolygon(self.arrow(rect, section))
            painter.restore()
