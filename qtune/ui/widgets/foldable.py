"""A card with a heading that opens and closes, for what is looked at seldom."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from qtune.ui import icons
from qtune.ui.theme import LIGHT, Tokens


class Foldable(QFrame):
    """Closed at first; the heading is a button, so that the keyboard reaches it."""

    def __init__(self, inside: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._tokens = LIGHT
        self._inside = inside
        self.head = QToolButton()
        self.head.setCheckable(True)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.head.setProperty("kind", "fold")
        self.head.toggled.connect(self._on_toggled)
        inside.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 3, 6, 3)
        column.setSpacing(4)
        column.addWidget(self.head)
        column.addWidget(inside)

    @property
    def is_open(self) -> bool:
        """Whether the inside is shown."""
        return self.head.isChecked()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self._show_arrow()

    def set_heading(self, text: str) -> None:
        """What the heading says."""
        self.head.setText(text)
        self.head.setAccessibleName(text)

    def _on_toggled(self, opened: bool) -> None:  # noqa: FBT001 - a slot
        self._inside.setVisible(opened)
        self._show_arrow()

    def _show_arrow(self) -> None:
        self.head.setIcon(icons.icon("up" if self.is_open else "down", self._tokens.muted))
