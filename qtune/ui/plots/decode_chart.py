"""Decode speed: the live estimate as a line, the server's figure of each finished request as a point."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from qtune.core.events import TextArrived
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.live_rate import LiveRate, Series
from qtune.ui.theme import symbol

SHOWN_S = 150.0
LEAST_S = 10.0
POINTS_KEPT = 2000


class DecodeChart(Chart):
    """Lines and points are kept by arm, each in the arm's own colour and symbol."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rate = LiveRate()
        self.latest: float | None = None
        self._arm = "off"
        self._lines: dict[str, tuple[Series, pg.PlotDataItem]] = {}
        self._points: dict[str, list[tuple[float, float, bool]]] = {}
        self._marks = pg.ScatterPlotItem(pxMode=True)
        self._marks.setZValue(5)
        self.item.addItem(self._marks)
        self.item.setLimits(xMin=0, yMin=0)

    def begin(self, arm: str) -> None:
        """A request of ``arm`` goes out."""
        if arm in self._lines:
            # A gap between two requests: no line may suggest that there was speed in the pause.
            self._lines[arm][0].add(self.rate.position(), np.nan)
        self._arm = arm
        self.latest = None
        self.rate.begin()

    def take(self, deltas: list[TextArrived]) -> None:
        """Take arrivals of text; drawn with the next ``redraw``."""
        points = self.rate.add(delta.t_ns for delta in deltas)
        series = self._line(self._arm)[0]
        for x, y in points:
            series.add(x, y)
        if points:
            self.latest = points[-1][1]

    def finish(
        self, arm: str, decode_tok_s: float | None, tokens: int | None, deltas: int, *, warmup: bool
    ) -> None:
        """A request ended with the server's own figure."""
        if tokens and deltas:
            self.rate.tokens_per_delta = tokens / deltas
        if decode_tok_s is not None:
            kept = self._points.setdefault(arm, [])
            kept.append((self.rate.position(), decode_tok_s, warmup))
            del kept[:-POINTS_KEPT]

    def points(self, arm: str) -> list[tuple[float, float, bool]]:
        """Finished requests of an arm as (second, tok/s, warm-up)."""
        return list(self._points.get(arm, ()))

    def recolour(self) -> None:
        """Give lines and points the colours in force."""
        for arm, (_series, line) in self._lines.items():
            line.setPen(self.pen(self.tokens.arm(arm)))
        self.redraw()

    def redraw(self) -> None:
        """Draw lines and points and, while following, show the newest."""
        for series, line in self._lines.values():
            if len(series):
                x, y = series.view()
                line.setData(x, y, connect="finite")
        spots = [
            {
                "pos": (x, y),
                "symbol": symbol(arm),
                "brush": pg.mkBrush(self.tokens.surface if warmup else self.tokens.arm(arm)),
                "pen": self.pen(self.tokens.arm(arm)),
                "size": 9,
            }
            for arm, kept in self._points.items()
            for x, y, warmup in kept
        ]
        self._marks.setData(spots)
        if self.following:
            self._show_newest()

    def _line(self, arm: str) -> tuple[Series, pg.PlotDataItem]:
        if arm not in self._lines:
            line = pg.PlotDataItem(pen=self.pen(self.tokens.arm(arm)), connect="finite")
            line.setDownsampling(auto=True, method="peak")
            line.setClipToView(True)
            self.item.addItem(line)
            self._lines[arm] = (Series(), line)
        return self._lines[arm]

    def _show_newest(self) -> None:
        end = max(LEAST_S, self.rate.position() * 1.03)
        begin = max(0.0, end - SHOWN_S)
        top = 0.0
        for series, _line in self._lines.values():
            x, y = series.view()
            seen = y[x >= begin]
            if seen.size and not np.all(np.isnan(seen)):
                top = max(top, float(np.nanmax(seen)))
        for kept in self._points.values():
            top = max([top, *(y for x, y, _ in kept if x >= begin)])
        self.item.setRange(xRange=(begin, end), yRange=(0, top * 1.12 or 100), padding=0)
