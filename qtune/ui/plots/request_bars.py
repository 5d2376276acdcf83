"""A bar for each request, with its arm's symbol on top; warm-up requests are hollow."""

from __future__ import annotations

from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from qtune.ui.plots.chart import Chart
from qtune.ui.theme import symbol

SHOWN = 24
"""Bars in view while following; older ones are reached by dragging."""
KEPT = 2000


@dataclass(frozen=True, slots=True)
class Bar:
    """One request; ``value`` is None where the figure does not exist, which leaves a gap, not a zero."""

    number: int
    arm: str
    value: float | None
    warmup: bool


class RequestBars(Chart):
    """``top`` fixes the upper end of the axis; None fits it to what is in view."""

    def __init__(self, top: float | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._top = top
        self._bars: list[Bar] = []
        self._items = pg.BarGraphItem(x=[0], height=[0], width=0.6, pens=[None], brushes=[None])
        self._marks = pg.ScatterPlotItem(pxMode=True)
        self.item.addItem(self._items)
        self.item.addItem(self._marks)
        self.item.setLimits(xMin=0.2, yMin=0)
        self.item.getAxis("bottom").setTickSpacing(5, 1)

    @property
    def bars(self) -> tuple[Bar, ...]:
        """What is held, oldest first."""
        return tuple(self._bars)

    def add(self, bar: Bar) -> None:
        """Take one more request; drawn with the next ``redraw``."""
        self._bars.append(bar)
        del self._bars[:-KEPT]

    def recolour(self) -> None:
        """Colours are part of the bars, so they are drawn again."""
        self.redraw()

    def redraw(self) -> None:
        """Draw all bars and, while following, show the newest."""
        shown = [(b, b.value) for b in self._bars if b.value is not None]
        colours = [self.tokens.arm(b.arm) for b, _ in shown]
        fills = [
            pg.mkBrush(self.tokens.surface if b.warmup else colour)
            for (b, _), colour in zip(shown, colours, strict=True)
        ]
        pens = [self.pen(colour) for colour in colours]
        x, height = [b.number for b, _ in shown], [value for _, value in shown]
        self._items.setVisible(bool(shown))
        if shown:
            self._items.setOpts(x=x, height=height, width=0.6, pens=pens, brushes=fills)
        symbols = [symbol(b.arm) for b, _ in shown]
        self._marks.setData(x=x, y=height, symbol=symbols, brush=fills, pen=pens, size=8)
        if self.following:
            self._show_newest()

    def _show_newest(self) -> None:
        last = max(self._bars[-1].number if self._bars else 0, 8)
        first = max(1, last - SHOWN + 1)
        in_view = [b.value for b in self._bars if b.value is not None and b.number >= first]
        top = self._top or max(in_view, default=100.0) * 1.18
        self.item.setRange(xRange=(first - 0.6, last + 0.6), yRange=(0, top), padding=0)
