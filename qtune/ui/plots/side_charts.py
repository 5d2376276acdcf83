"""Charts of runs side by side: bars with their intervals, and lines over time or over filled context."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from qtune.ui.plots.chart import Chart
from qtune.ui.plots.crosshair import Track
from qtune.ui.plots.legend import Entry
from qtune.ui.plots.picture import Caption
from qtune.ui.theme import symbol
from qtune.ui.words import figures_text

HEIGHT: Final = 200
_SLOT_MOST: Final = 90
"""Room a bar takes at most, logical pixels: two of them do not fill a screen."""
_AXIS_PX: Final = 34
"""Height of a lower axis that has two lines."""
MARKED: Final = 60
"""Points up to which each is marked; more would be a smear."""
_STYLES: Final = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
_FILLS: Final = (
    Qt.BrushStyle.SolidPattern,
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.Dense5Pattern,
    Qt.BrushStyle.CrossPattern,
)
_WIDE: Final = 0.62
_SMALL: Final = 7

Say = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Look:
    """How one side is drawn everywhere.

    Attributes:
        letter: What it is called on axes.
        name: What it is called in legends, the letter included.
        arm: Decides colour and symbol.
        turn: Which of the sides of this arm it is, from 0: tells them apart by stroke and filling.
    """

    letter: str
    name: str
    arm: str
    turn: int

    @property
    def stroke(self) -> Qt.PenStyle:
        """Of its lines."""
        return _STYLES[self.turn % len(_STYLES)]

    @property
    def hollow(self) -> bool:
        """Whether its symbols are only outlines; with the strokes that tells eight lines of one arm apart."""
        return 0 < self.turn % 8 <= len(_STYLES)

    @property
    def fill(self) -> Qt.BrushStyle:
        """Of its bars."""
        return _FILLS[self.turn % len(_FILLS)]


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar; ``value`` is None where the side has no such figure.

    ``sure`` tells an interval from a mere range; ``about`` is what the crosshair reads out.
    """

    look: Look
    value: float | None
    low: float | None = None
    high: float | None = None
    sure: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True)
class Stroke:
    """One line of a side; a y of ``nan`` is a gap."""

    look: Look
    points: tuple[tuple[float, float], ...]


class BarsChart(Chart):
    """A bar a side, from zero, its letter and value below; whiskers with ends are intervals, dotted ranges.

    The value stands on the axis and not at the end of the whisker, where it would be taken for the height.
    """

    def __init__(self, say: Say, parent: QWidget | None = None) -> None:
        """``say`` writes a value without its unit, as short as it can be."""
        super().__init__(parent)
        self._say = say
        self.bars: tuple[Bar, ...] = ()
        self._drawn: list[pg.GraphicsObject] = []
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.item.getAxis("bottom").setHeight(_AXIS_PX)

    def show_bars(self, bars: Sequence[Bar]) -> None:
        """Draw these and no others."""
        self.bars = tuple(bars)
        self.following = True
        self.redraw()

    def labels(self) -> list[str]:
        """What stands under each bar."""
        values = ("–" if bar.value is None else self._say(bar.value) for bar in self.bars)
        return [f"{bar.look.letter}\n{value}" for bar, value in zip(self.bars, values, strict=True)]

    def caption(self) -> Caption:
        """In a picture nothing else says whose the letters are."""
        entries = (Entry(bar.look.name, bar.look.arm, short=bar.look.letter) for bar in self.bars)
        return replace(super().caption(), entries=tuple(entries))

    def tracks(self) -> Sequence[Track]:
        """Every bar that has a value."""
        points = [(n, np.nan if bar.value is None else bar.value) for n, bar in enumerate(self.bars)]
        return [Track.of(points, lambda number: self.bars[number].about)] if points else []

    def draw(self) -> None:
        """Draw everything and, unless the user zoomed, show all of it."""
        for drawn in self._drawn:
            self.item.removeItem(drawn)
        axis = self.item.getAxis("bottom")
        axis.setTextPen(pg.mkPen(self.tokens.text))
        axis.setTicks([list(enumerate(self.labels()))])
        known = [(n, bar, bar.value) for n, bar in enumerate(self.bars) if bar.value is not None]
        self._drawn = [part for n, bar, value in known for part in self._parts(n, bar, value)]
        for drawn in self._drawn:
            self.item.addItem(drawn)
        if self.goes_along and self.bars:
            top = max((bar.high or value for _, bar, value in known), default=1.0) * 1.06
            spare = max(0.0, self.plot.width() / _SLOT_MOST - len(self.bars)) / 2
            places = (-0.6 - spare, len(self.bars) - 0.4 + spare)
            self.item.setRange(xRange=places, yRange=(0, top or 1), padding=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As wide as it is, its bars stay bars."""
        super().resizeEvent(event)
        self.redraw()

    def _parts(self, place: int, bar: Bar, value: float) -> list[pg.GraphicsObject]:
        colour = self.tokens.arm(bar.look.arm)
        brush = QBrush(QColor(colour), bar.look.fill)
        body = pg.BarGraphItem(x=[place], height=[value], width=_WIDE, pen=self.pen(colour), brush=brush)
        parts = [body]
        if bar.low is not None and bar.high is not None:
            style = Qt.PenStyle.SolidLine if bar.sure else Qt.PenStyle.DotLine
            parts.append(
                pg.ErrorBarItem(
                    x=np.array([float(place)]),
                    y=np.array([value]),
                    top=np.array([bar.high - value]),
                    bottom=np.array([value - bar.low]),
                    beam=0.18 if bar.sure else None,
                    pen=self.pen(self.tokens.text, style),
                )
            )
        return parts


class LinesChart(Chart):
    """Lines of sides over one another; a line across marks the limit they share."""

    def __init__(self, say: Say, parent: QWidget | None = None, *, clock: bool = True) -> None:
        """``say`` writes a value with its unit; ``clock`` tells that the lower axis counts seconds."""
        super().__init__(parent, clock=clock)
        self._say, self._clock = say, clock
        self.strokes: tuple[Stroke, ...] = ()
        self.limit: float | None = None
        self._drawn: list[pg.GraphicsObject] = []
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_strokes(
        self,
        strokes: Sequence[Stroke],
        limit: float | None = None,
        places: Sequence[tuple[float, str]] = (),
    ) -> None:
        """Draw these and no others.

        Args:
            strokes: What is drawn.
            limit: Where a line across stands.
            places: Labels of the lower axis, where it does not count seconds.
        """
        self.strokes, self.limit = tuple(strokes), limit
        self.following = True
        self.item.getAxis("bottom").setTicks([list(places)] if places else None)
        self.redraw()

    def tracks(self) -> Sequence[Track]:
        """All points."""
        return [Track.of(stroke.points, self._reader(stroke)) for stroke in self.strokes if stroke.points]

    def draw(self) -> None:
        """Draw everything and, unless the user zoomed, show all of it."""
        for drawn in self._drawn:
            self.item.removeItem(drawn)
        self._drawn = [self._line(stroke) for stroke in self.strokes]
        if self.limit is not None:
            pen = self.pen(self.tokens.bad, Qt.PenStyle.DashLine)
            self._drawn.append(pg.InfiniteLine(self.limit, angle=0, pen=pen))
        for drawn in self._drawn:
            self.item.addItem(drawn)
        self.show_legend(self._entries())
        if self.goes_along:
            self._show_all()

    def _entries(self) -> list[Entry]:
        """Each side once, with its line as it is drawn."""
        marked = {stroke.look: _marked(stroke) for stroke in self.strokes}
        return [
            Entry(look.name, look.arm, look.stroke, marked=mark, hollow=look.hollow, short=look.letter)
            for look, mark in marked.items()
        ]

    def _line(self, stroke: Stroke) -> pg.PlotDataItem:
        colour = self.tokens.arm(stroke.look.arm)
        x, y = [p[0] for p in stroke.points], [p[1] for p in stroke.points]
        return pg.PlotDataItem(
            x,
            y,
            connect="finite",
            pen=self.pen(colour, stroke.look.stroke),
            symbol=symbol(stroke.look.arm) if _marked(stroke) else None,
            symbolSize=_SMALL,
            symbolPen=self.pen(colour),
            symbolBrush=pg.mkBrush(self.tokens.surface if stroke.look.hollow else colour),
        )

    def _reader(self, stroke: Stroke) -> Callable[[int], str]:
        def read(number: int) -> str:
            x, y = stroke.points[number]
            along = figures_text.seconds(x) if self._clock else figures_text.context(int(x))
            return " · ".join((stroke.look.name, along, self._say(y)))

        return read

    def _show_all(self) -> None:
        points = [point for stroke in self.strokes for point in stroke.points if np.isfinite(point[1])]
        if not points:
            return
        xs, ys = [x for x, _ in points], [y for _, y in points]
        top = max([*ys, self.limit or 0.0]) * 1.1
        margin = max((max(xs) - min(xs)) * 0.03, 0.5)
        low = 0.0 if self._clock else min(xs)
        self.item.setRange(xRange=(low - margin, max(xs) + margin), yRange=(0, top or 1), padding=0)


def _marked(stroke: Stroke) -> bool:
    """Whether its points have symbols."""
    return len(stroke.points) <= MARKED
