"""The legend of a chart: symbol, colour and name of each arm, on the screen and in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QByteArray, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from qtune.ui import icons
from qtune.ui.theme import LIGHT, Tokens, scaled, symbol
from qtune.ui.widgets.tips import set_tip

MARK: Final = 11
"""Edge of a symbol, logical pixels."""
_LINE: Final = 26
"""Length of a piece of line, logical pixels: two dashes and the mark between them."""
_APART: Final = 12
_BESIDE: Final = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the legend; ``arm`` decides colour and symbol.

    Attributes:
        stroke: How its line is drawn, where a piece of it belongs to the mark.
        marked: Whether the symbol is on the line.
        hollow: Whether the symbol is only its outline.
        short: What stands for the name where there is no room for all names.
    """

    name: str
    arm: str
    stroke: Qt.PenStyle | None = None
    marked: bool = True
    hollow: bool = False
    short: str = ""

    @property
    def width(self) -> int:
        """Of its mark, logical pixels."""
        return MARK if self.stroke is None else _LINE


class Legend(QWidget):
    """One line of a card; too many names for its width end in an ellipsis, the tooltip has them all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries: tuple[Entry, ...] = ()
        self._tokens = LIGHT
        self.setFont(scaled(self.font(), 0.85))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Explain these; a single one needs no legend."""
        if self.entries == tuple(entries):
            return
        self.entries = tuple(entries)
        names = ", ".join(entry.name for entry in entries)
        set_tip(self, names)
        self.setAccessibleName(names)
        self.setVisible(len(self.entries) > 1)
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.update()

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(60, max(MARK, self.fontMetrics().height()) + 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line."""
        del event
        painter = QPainter(self)
        painter.setFont(self.font())
        paint(painter, QRectF(self.rect()), self.entries, self._tokens)


def paint(painter: QPainter, line: QRectF, entries: Sequence[Entry], tokens: Tokens) -> None:
    """Draw entries into one line, in the painter's font; vectors stay vectors."""
    measure = QFontMetricsF(painter.font())
    left = line.left()
    middle = line.center().y()
    wanted = sum(e.width + _BESIDE + measure.horizontalAdvance(e.name) + _APART for e in entries) - _APART
    shortened = wanted > line.width()
    for entry in entries:
        room = line.right() - left - entry.width - _BESIDE
        if room < measure.averageCharWidth() * 2 and not entry.short:
            return
        _mark(painter, QRectF(left, middle - MARK / 2, entry.width, MARK), entry, tokens)
        full = entry.short if shortened and entry.short else entry.name
        name = measure.elidedText(full, Qt.TextElideMode.ElideRight, room)
        painter.setPen(QColor(tokens.muted))
        base = middle + (measure.ascent() - measure.descent()) / 2
        painter.drawText(QPointF(left + entry.width + _BESIDE, base), name)
        left += entry.width + _BESIDE + measure.horizontalAdvance(name) + _APART


def _mark(painter: QPainter, where: QRectF, entry: Entry, tokens: Tokens) -> None:
    """The symbol of an entry, on a piece of its line where it has one."""
    colour = tokens.arm(entry.arm)
    if entry.stroke is not None:
        painter.setPen(QPen(QColor(colour), 1.4, entry.stroke))
        painter.drawLine(
            QPointF(where.left(), where.center().y()), QPointF(where.right(), where.center().y())
        )
    if not entry.marked:
        return
    shape = icons.svg(symbol(entry.arm), colour)
    if entry.hollow:
        shape = shape.replace(f'fill="{colour}"'.encode(), f'fill="{tokens.surface}"'.encode())
    middle = QRectF(where.center().x() - MARK / 2, where.top(), MARK, MARK)
    QSvgRenderer(QByteArray(shape)).render(painter, middle)
