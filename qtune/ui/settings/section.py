"""A titled card of the Settings page: rows of a name, a value and maybe a button, each perhaps explained."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from qtune.ui.theme import GAP
from qtune.ui.widgets.parts import label

WIDTH = 760
"""Widest a section becomes, logical pixels; the page sees to it."""


class Section(QFrame):
    """A titled card with rows of a name, a value and maybe a button."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.title = label(factor=1.1, bold=True)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 12, 16, 14)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(9)
        self._grid.setColumnMinimumWidth(0, 150)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.title, 0, 0, 1, 2)
        self._next = 1

    def add(self, name: QLabel, value: QWidget, tool: QPushButton | None = None) -> None:
        """Append a row."""
        self._grid.addWidget(name, self._next, 0)
        if tool is None:
            self._grid.addWidget(value, self._next, 1)
        else:
            row = QHBoxLayout()
            row.setSpacing(GAP)
            row.addWidget(value, 1)
            row.addWidget(tool)
            self._grid.addLayout(row, self._next, 1)
        self._next += 1

    def explain(self, about: QLabel) -> None:
        """Append a sentence on the row above."""
        self._grid.addWidget(about, self._next, 1)
        self._next += 1
