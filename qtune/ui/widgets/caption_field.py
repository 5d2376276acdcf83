"""A caption above a value, as the strip shows model, engine, card and address."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from qtune.ui.widgets.parts import ElidedLabel


class CaptionField(QWidget):
    """A caption above a value."""

    def __init__(self) -> None:
        super().__init__()
        self.caption = ElidedLabel("muted", 0.85)
        self.value = ElidedLabel(bold=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.caption)
        column.addWidget(self.value)

    def show_value(self, caption: str, value: str, about: str = "", *, whole: bool = False) -> None:
        """Set caption, value and what the tooltip adds; a ``whole`` value is never cut."""
        self.caption.setText(caption)
        self.value.setText(value)
        if whole:
            self.value.setMinimumWidth(self.value.sizeHint().width())
        self.value.set_about(about)
        self.setAccessibleName(caption + ": " + value)
