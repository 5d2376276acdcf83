"""The rail at the left: one button a page, and only pages that exist."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from qtune.ui import icons
from qtune.ui.theme import Tokens, scaled
from qtune.ui.widgets.tips import set_tip

MARGIN = 8
WIDTH = 84
"""Logical pixels; wider only where the names of the pages are."""
PAGES = ("tune", "history", "models", "log", "settings")
TUNE, HISTORY, MODELS, LOG, SETTINGS = range(len(PAGES))


class NavRail(QFrame):
    """Emits ``chosen`` with the number of the page."""

    chosen = Signal(int)
    keys_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self._group = QButtonGroup(self)
        self.buttons: list[QToolButton] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 12, MARGIN, 12)
        column.setSpacing(6)
        for number, _name in enumerate(PAGES):
            made = QToolButton()
            made.setCheckable(True)
            made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            made.setIconSize(QSize(24, 24))
            made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            made.setMinimumHeight(56)
            made.setFont(scaled(made.font(), 0.9))
            self._group.addButton(made, number)
            self.buttons.append(made)
            if number == len(PAGES) - 1:
                column.addStretch(1)
            column.addWidget(made)
        self.keys = QToolButton()
        self.keys.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.keys.setIconSize(QSize(20, 20))
        self.keys.setFont(scaled(self.keys.font(), 0.85))
        self.keys.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.keys.clicked.connect(self.keys_wanted)
        column.addWidget(self.keys)
        self._group.setExclusive(True)
        self._group.idClicked.connect(self.chosen)
        self.retranslate()

    def set_current(self, number: int) -> None:
        """Mark the page that is shown."""
        self.buttons[number].setChecked(True)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        for name, made in zip(PAGES, self.buttons, strict=True):
            made.setIcon(icons.icon(name, tokens.accent if made.isChecked() else tokens.muted))
        self.keys.setIcon(icons.icon("keys", tokens.muted))

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        names = (
            self.tr("Tune"),
            self.tr("History"),
            self.tr("Models"),
            self.tr("Log"),
            self.tr("Settings"),
        )
        for number, (name, made) in enumerate(zip(names, self.buttons, strict=True), start=1):
            made.setText(name)
            made.setAccessibleName(name)
            set_tip(made, self.tr("{page} (Ctrl+{number})").format(page=name, number=number))
        self.keys.setText(self.tr("Keys"))
        self.keys.setAccessibleName(self.tr("Keys"))
        set_tip(self.keys, self.tr("All keys (F1)"))
        widest = max(made.fontMetrics().horizontalAdvance(made.text()) for made in self.buttons)
        self.setFixedWidth(max(WIDTH, widest + 2 * MARGIN + 10))
