"""Small parts that several pages are made of: toned labels, elided text, badges, buttons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from qtune.ui import icons
from qtune.ui.theme import Tokens, scaled
from qtune.ui.widgets.tips import set_tip


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
        set_tip(self, "\n".join([*parts, self._about] if self._about else parts))

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


LEAST_COMBO = 72
"""To this a combo box gives way where a longer language needs the room, logical pixels."""


class ElidedCombo(QComboBox):
    """A combo box whose current text ends in an ellipsis; a style sheet would cut it in mid-letter.

    While it is cut, the tooltip repeats the whole text above what else it says.
    """

    def __init__(self) -> None:
        super().__init__()
        self._about = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumContentsLength(8)
        self.setMinimumWidth(LEAST_COMBO)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def setToolTip(self, about: str) -> None:
        """What the tooltip says beneath the whole text."""
        self._about = about
        self._refresh()

    def _refresh(self) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        parts = [self.currentText()] if self._shown(option) != self.currentText() else []
        tip = "\n".join([*parts, self._about] if self._about else parts)
        if tip != self.toolTip():
            super().setToolTip(tip)

    def _shown(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room = field.width() - 4
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)

    def sizeHint(self) -> QSize:
        """Room for the longest text; Qt counts its ink only, which is less than Chinese letters take."""
        hint = super().sizeHint()
        if self.sizeAdjustPolicy() is QComboBox.SizeAdjustPolicy.AdjustToContents:
            hint += QSize(self.fontMetrics().averageCharWidth(), 0)
        return hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The tooltip repeats the text only while it is cut."""
        super().resizeEvent(event)
        self._refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame, and the text that fits."""
        del event
        self._refresh()  # the text may have changed without a word
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._shown(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


class Seal(QFrame):
    """A short judgement: shape, word and colour, so that none is told by colour alone."""

    def __init__(self, factor: float = 0.85, size: int = 12) -> None:
        super().__init__()
        self.setObjectName("seal")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._size = size
        self._icon = QLabel()
        self._word = label(factor=factor, bold=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(round(size * 0.4), 1, round(size * 0.5), 1)
        row.setSpacing(3)
        row.addWidget(self._icon)
        row.addWidget(self._word)
        self.hide()

    def text(self) -> str:
        """The word, empty while nothing is judged."""
        return self._word.text()

    def show_word(self, word: str, shape: str, tone: str, tokens: Tokens, about: str = "") -> None:
        """Show a judgement; an empty word hides the seal. Tones: good, warn, bad, idle."""
        self._word.setText(word)
        self._icon.setPixmap(icons.pixmap(shape, tone_colour(tone, tokens), self._size))
        set_tone(self, tone)
        set_tone(self._word, "muted" if tone == "idle" else tone)
        set_tip(self, about)
        self.setAccessibleName(word)
        self.setVisible(bool(word))


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a list: a shape in a tone, a sentence, and what can be done about it."""

    text: str
    shape: str = "point"
    tone: str = "idle"
    hint: str = ""
    strong: bool = False


class NoteList(QWidget):
    """Lines with a shape before each; made anew whenever they change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._notes: tuple[Note, ...] = ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is shown."""
        return self._notes

    def show_notes(self, notes: Sequence[Note], tokens: Tokens) -> None:
        """Show these lines and no others."""
        self._notes = tuple(notes)
        empty(self._column)
        for note in notes:
            mark = QLabel()
            mark.setPixmap(icons.pixmap(note.shape, tone_colour(note.tone, tokens), 14))
            mark.setFixedWidth(18)
            words = label(bold=note.strong, wrap=True)
            words.setText(note.text)
            row = QHBoxLayout()
            row.setSpacing(6)
            row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(words, 1)
            self._column.addLayout(row)
            if note.hint:
                advice = label("muted", 0.95, wrap=True)
                advice.setText(note.hint)
                advice.setContentsMargins(24, 0, 0, 2)
                self._column.addWidget(advice)
        show_new(self._column)
        self.setVisible(bool(notes))


def tone_colour(tone: str, tokens: Tokens) -> str:
    """Colour of a tone as ``#rrggbb``."""
    known = {"good": tokens.good, "warn": tokens.warn, "bad": tokens.bad, "accent": tokens.accent}
    return known.get(tone, tokens.muted)


def empty(layout: QLayout) -> None:
    """Take everything out of a layout, and what is inside with it."""
    while (item := layout.takeAt(0)) is not None:
        if (inner := item.layout()) is not None:
            empty(inner)
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def show_new(layout: QLayout) -> None:
    """Show what was just put into the layout of a widget.

    A layout does so by itself, but only later, and not at all where the widgets around it are laid out anew
    or move meanwhile: tables stayed empty after a change of language.
    """
    for number in range(layout.count()):
        item = layout.itemAt(number)
        if item is None:
            continue
        if (inner := item.layout()) is not None:
            show_new(inner)
        if (widget := item.widget()) is not None:
            decided = widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
            if not decided:
                widget.show()


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
