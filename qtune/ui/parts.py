"""Small parts that several pages are made of: toned labels, elided text, badges, buttons."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from qtune.ui.theme import scaled


def set_tone(widget: QWidget, tone: str, name: str = "tone") -> None:
    """Change a property the style sheet looks at, and have it looked at again."""
    if widget.property(name) == tone:
        return
    widget.setProperty(name, tone)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


def label(tone: str = "", factor: float = 1.0, *, bold: bool = False, wrap: bool = False) -> QLabel:
    """A label of the type scale; its text is set by ``retranslate`` of its owner. Never rich text."""
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setFont(scaled(made.font(), factor, bold=bold))
    made.setWordWrap(wrap)
    if tone:
        made.setProperty("tone", tone)
    return made


class ElidedLabel(QLabel):
    """One line that ends in an ellipsis when there is no room; the whole text is its tooltip."""

    def __init__(
        self,
        tone: str = "",
        factor: float = 1.0,
        *,
        bold: bool = False,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__()
        self._mode = mode
        self._about = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(scaled(self.font(), factor, bold=bold))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(24)
        if tone:
            self.setProperty("tone", tone)

    def set_about(self, about: str) -> None:
        """Tooltip beneath the full text."""
        self._about = about
        self._refresh()

    def setText(self, text: str) -> None:
        """Set the text; elided while painting."""
        super().setText(text)
        self._refresh()

    def sizeHint(self) -> QSize:
        """Room for the whole text."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Next to nothing: the text gives way."""
        return QSize(self.minimumWidth(), super().minimumSizeHint().height())

    def _refresh(self) -> None:
        parts = [self.text()] if self._cut() else []
        self.setToolTip("\n".join([*parts, self._about] if self._about else parts))

    def _cut(self) -> bool:
        return self.fontMetrics().horizontalAdvance(self.text()) > self.width()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text that fits."""
        del event
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), self._mode, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The tooltip repeats the text only while it is cut."""
        super().resizeEvent(event)
        self._refresh()


class ElidedCombo(QComboBox):
    """A combo box whose current text ends in an ellipsis; a style sheet would cut it in mid-letter."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame, and the text that fits."""
        del event
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        shown = option.fontMetrics.elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, field.width() - 4
        )
        option.currentText = shown
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def badge() -> QLabel:
    """A small word on a tinted ground."""
    made = label(factor=0.85)
    made.setObjectName("badge")
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return made


def button(kind: str = "") -> QPushButton:
    """A push button: ``primary``, ``quiet`` or plain."""
    made = QPushButton()
    if kind:
        made.setProperty("kind", kind)
    return made


def line(*, upright: bool = False) -> QFrame:
    """A hairline between blocks."""
    made = QFrame()
    made.setObjectName("line")
    if upright:
        made.setFixedWidth(1)
    else:
        made.setFixedHeight(1)
    return made
