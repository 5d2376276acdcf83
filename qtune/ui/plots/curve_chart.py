"""A still chart of a few measured points for each arm, over context depth or draft length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from qtune.ui.plots.chart import Chart
from qtune.ui.plots.crosshair import Track
from qtune.ui.plots.legend import Entry
from qtune.ui.theme import symbol
from qtune.ui.words import figures_text, texts

HEIGHT = 190
SIZE, WINNER_SIZE = 9, 15


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of one arm as (x, y), ascending; a y of ``nan`` is a gap in the line.

    Attributes:
        hollow: Only tried, not measured enough to conclude from.
        level: The first point's y as a line across.
        joined: Whether a line leads from point to point.
        winner: Drawn larger.
    """

    arm: str
    points: tuple[tuple[float, float], ...]
    hollow: bool = False
    level: bool = False
    joined: bool = True
    winner: bool = False


class CurveChart(Chart):
    """Its labelled places on the x axis are given, since depths and draft lengths are few."""

    def __init__(
        self, say: Callable[[float], str] = figures_text.number, parent: QWidget | None = None
    ) -> None:
        """``say`` writes a value with its unit."""
        super().__init__(parent)
        self._say = say
        self._curves: tuple[Curve, ...] = ()
        self._places: tuple[tuple[float, str], ...] = ()
        self._drawn: list[pg.GraphicsObject] = []
        self.setMinimumHeight(HEIGHT)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """What is drawn."""
        return self._curves

    def show_curves(self, curves: Sequence[Curve], places: Sequence[tuple[float, str]]) -> None:
        """Draw these curves and no others."""
        self._curves, self._places = tuple(curves), tuple(places)
        self.following = True
        self.item.getAxis("bottom").setTicks([list(places)])
        self.redraw()

    def tracks(self) -> Sequence[Track]:
        """The points that are marked."""
        return [Track.of(c.points, self._reader(c)) for c in self._curves if c.points and not c.level]

    def draw(self) -> None:
        """Draw everything and, unless the user zoomed, show all of it."""
        for drawn in self._drawn:
            self.item.removeItem(drawn)
        self._drawn = [self._draw(curve) for curve in self._curves if curve.points]
        for drawn in self._drawn:
            self.item.addItem(drawn)
        arms = dict.fromkeys(curve.arm for curve in self._curves if curve.points)
        self.show_legend([Entry(texts.arm_title(arm), arm) for arm in arms])
        if self.goes_along and self._places:
            self._show_all()

    def _reader(self, curve: Curve) -> Callable[[int], str]:
        places = dict(self._places)

        def read(number: int) -> str:
            x, y = curve.points[number]
            return " · ".join(
                (texts.arm_title(curve.arm), places.get(x, figures_text.number(x)), self._say(y))
            )

        return read

    def _draw(self, curve: Curve) -> pg.GraphicsObject:
        colour = self.tokens.arm(curve.arm)
        x, y = [p[0] for p in curve.points], [p[1] for p in curve.points]
        if curve.level:
            style = Qt.PenStyle.DashLine
            return pg.InfiniteLine(y[0], angle=0, pen=self.pen(colour, style))
        return pg.PlotDataItem(
            x,
            y,
            connect="finite",
            pen=self.pen(colour) if curve.joined else None,
            symbol=symbol(curve.arm),
            symbolSize=WINNER_SIZE if curve.winner else SIZE,
            symbolPen=self.pen(colour),
            symbolBrush=pg.mkBrush(self.tokens.surface if curve.hollow else colour),
        )

    def _show_all(self) -> None:
        xs = [x for x, _ in self._places]
        margin = max((max(xs) - min(xs)) * 0.06, 0.3)
        heights = [y for curve in self._curves for _, y in curve.points if np.isfinite(y)]
        top = max(heights, default=100.0) * 1.15
        self.item.setRange(xRange=(min(xs) - margin, max(xs) + margin), yRange=(0, top), padding=0)
