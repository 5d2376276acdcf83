"""A still chart of a few measured points for each arm, over context depth or draft length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from qtune.ui.plots.chart import Chart
from qtune.ui.theme import symbol

HEIGHT = 190
SIZE, WINNER_SIZE = 9, 15


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of one arm as (x, y); ``hollow`` for what was only tried, ``level`` for a line across."""

    arm: str
    points: tuple[tuple[float, float], ...]
    hollow: bool = False
    level: bool = False
    joined: bool = True
    winner: bool = False


class CurveChart(Chart):
    """Its labelled places on the x axis are given, since depths and draft lengths are few."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves: tuple[Curve, ...] = ()
        self._places: tuple[tuple[float, str], ...] = ()
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

    def recolour(self) -> None:
        """Colours are part of the points, so they are drawn again."""
        self.redraw()

    def redraw(self) -> None:
        """Draw everything and, unless the user zoomed, show all of it."""
        self.item.clear()
        for curve in self._curves:
            if curve.points:
                self._draw(curve)
        if self.following and self._places:
            self._show_all()

    def _draw(self, curve: Curve) -> None:
        colour = self.tokens.arm(curve.arm)
        x, y = [p[0] for p in curve.points], [p[1] for p in curve.points]
        if curve.level:
            style = Qt.PenStyle.DashLine
            self.item.addItem(pg.InfiniteLine(y[0], angle=0, pen=self.pen(colour, style)))
            return
        self.item.addItem(
            pg.PlotDataItem(
                x,
                y,
                pen=self.pen(colour) if curve.joined else None,
                symbol=symbol(curve.arm),
                symbolSize=WINNER_SIZE if curve.winner else SIZE,
                symbolPen=self.pen(colour),
                symbolBrush=pg.mkBrush(self.tokens.surface if curve.hollow else colour),
            )
        )

    def _show_all(self) -> None:
        xs = [x for x, _ in self._places]
        margin = max((max(xs) - min(xs)) * 0.06, 0.3)
        top = max((y for curve in self._curves for _, y in curve.points), default=100.0) * 1.15
        self.item.setRange(xRange=(min(xs) - margin, max(xs) + margin), yRange=(0, top), padding=0)
