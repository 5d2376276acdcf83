"""A bar for each request, with its arm's symbol on top; warm-up requests are hollow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from qtune.ui.plots.axes import even_top
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.crosshair import Track
from qtune.ui.plots.legend import Entry
from qtune.ui.theme import symbol
from qtune.ui.words import figures_text, texts

SHOWN: Final = 24
"""Bars in view while following; older ones are reached by dragging."""
KEPT: Final = 2000


@dataclass(frozen=True, slots=True)
class Bar:
    """One request; ``value`` is None where the figure does not exist, which leaves a gap, not a zero."""

    number: int
    arm: str
    value: float | None
    warmup: bool


class RequestBars(Chart):
    """``say`` writes a value with its unit; ``top`` fixes the upper end of the axis, None fits it."""

    def __init__(
        self, say: Callable[[float], str], top: float | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._say, self._top = say, top
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
        self.stale = True

    def tracks(self) -> Sequence[Track]:
        """The tops of the bars."""
        shown = self._shown()
        return [Track.of([(b.number, value) for b, value in shown], lambda place: self._read(*shown[place]))]

    def draw(self) -> None:
        """Draw all bars and, while following, show the newest."""
        shown = self._shown()
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
        self.show_legend([Entry(texts.arm_title(arm), arm) for arm in dict.fromkeys(b.arm for b, _ in shown)])
        if self.goes_along:
            self._show_newest()

    def _shown(self) -> list[tuple[Bar, float]]:
        return [(bar, bar.value) for bar in self._bars if bar.value is not None]

    def _read(self, bar: Bar, value: float) -> str:
        number = self.tr("request {number}").format(number=figures_text.count(bar.number))
        parts = [texts.arm_title(bar.arm), number, self._say(value)]
        return " · ".join([*parts, texts.phase_word("warmup")] if bar.warmup else parts)

    def _show_newest(self) -> None:
        last = max(self._bars[-1].number if self._bars else 0, 8)
        first = max(1, last - SHOWN + 1)
        in_view = [b.value for b in self._bars if b.value is not None and b.number >= first]
        top = self._top or even_top(max(in_view, default=100.0) * 1.1)
        self.item.setRange(xRange=(first - 0.6, last + 0.6), yRange=(0, top), padding=0)
