"""The page that lists all keys, by group, as this platform writes them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from qtune.ui.theme import GAP
from qtune.ui.widgets.parts import label
from qtune.ui.window.shortcuts import GROUPS, SHORTCUTS, Shortcut

KEYS_WIDE = 165
"""Logical pixels; so that what the keys do begins in one line."""
_LEFT = ("measure", "server", "pages")
"""Groups of the left column; the others stand right of it."""


class KeysDialog(QDialog):
    """Made anew each time, so in the language in force; deletes itself. Esc closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keys"))
        self.rows: dict[str, tuple[str, str]] = {}
        """Keys and what they do, as shown, by the name of the shortcut."""
        columns = QHBoxLayout()
        columns.setSpacing(GAP * 3)
        for groups in (_LEFT, [group for group in GROUPS if group not in _LEFT]):
            column = QVBoxLayout()
            column.setSpacing(6)
            for group in groups:
                self._add_group(column, group)
            column.addStretch(1)
            columns.addLayout(column, 1)
        about = label("muted", 0.95, wrap=True)
        about.setText(self.tr("Tab and Shift+Tab reach every control; Space presses it."))
        box = QDialogButtonBox()
        self.close_it = QPushButton(self.tr("Close"))
        box.addButton(self.close_it, QDialogButtonBox.ButtonRole.RejectRole)
        box.rejected.connect(self.reject)
        page = QVBoxLayout(self)
        page.setContentsMargins(GAP + 6, GAP + 4, GAP + 6, GAP)
        page.setSpacing(GAP)
        page.addLayout(columns)
        page.addWidget(about)
        page.addWidget(box)

    def _add_group(self, column: QVBoxLayout, group: str) -> None:
        title = label(factor=1.05, bold=True)
        title.setText(QCoreApplication.translate("shortcuts", GROUPS[group]))
        if column.count():
            column.addSpacing(8)
        column.addWidget(title)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnMinimumWidth(0, KEYS_WIDE)
        grid.setColumnStretch(1, 1)
        column.addLayout(grid)
        for row, shortcut in enumerate(s for s in SHORTCUTS if s.group == group):
            self._add(grid, row, shortcut)

    def _add(self, grid: QGridLayout, row: int, shortcut: Shortcut) -> None:
        keys = QHBoxLayout()
        keys.setSpacing(5)
        for name in shortcut.key_names():
            cap = label(factor=0.92)
            cap.setObjectName("badge")
            cap.setText(name)
            keys.addWidget(cap)
        keys.addStretch(1)
        what = label()
        what.setText(shortcut.text)
        grid.addLayout(keys, row, 0)
        grid.addWidget(what, row, 1)
        self.rows[shortcut.name] = (" ".join(shortcut.key_names()), shortcut.text)
