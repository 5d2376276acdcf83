"""Decode speed: the live estimate as a line, the server's figure of each finished request as a point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from qtune.core.events import TextArrived
from qtune.ui.plots.axes import even_top
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.crosshair import Track
from qtune.ui.plots.legend import Entry
from qtune.ui.plots.live_rate import LiveRate, Series
from qtune.ui.plots.time_chart import peak
from qtune.ui.theme import symbol
from qtune.ui.words import figures_text, texts

SHOWN_S = 150.0
LEAST_S = 10.0
STEP_S = 5.0
POINTS_KEPT = 2000


@dataclass(frozen=True, slots=True)
class Mark:
    """A finished request: where it ended on the axis (s), the server's own tok/s, and which it was."""

    x: float
    rate: float
    number: int
    warmup: bool


class DecodeChart(Chart):
    """Lines and points are kept by arm, each in the arm's own colour and symbol."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, clock=True)
        self.rate = LiveRate()
        self.latest: float | None = None
        self._arm = "off"
        self._lines: dict[str, tuple[Series, pg.PlotDataItem]] = {}
        self._points: dict[str, list[Mark]] = {}
        self._marks = pg.ScatterPlotItem(pxMode=True)
        self._marks.setZValue(5)
        self._marks_stale = True
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
            self.stale = True

    def finish(
        self,
        arm: str,
        number: int,
        decode_tok_s: float | None,
        tokens: int | None,
        deltas: int,
        *,
        warmup: bool,
    ) -> None:
        """Request ``number`` of the session ended with the server's own figure."""
        if tokens and deltas:
            self.rate.tokens_per_delta = tokens / deltas
        if decode_tok_s is not None:
            kept = self._points.setdefault(arm, [])
            kept.append(Mark(self.rate.position(), decode_tok_s, number, warmup))
            del kept[:-POINTS_KEPT]
            self.stale = self._marks_stale = True

    def points(self, arm: str) -> list[Mark]:
        """Finished requests of an arm."""
        return list(self._points.get(arm, ()))

    @property
    def held_points(self) -> int:
        """How many points of lines and marks are in memory."""
        of_lines = sum(len(series) for series, _line in self._lines.values())
        return of_lines + sum(len(kept) for kept in self._points.values())

    def tracks(self) -> Sequence[Track]:
        """The finished requests first: between two points as near, the measured one counts."""
        made = []
        for arm, kept in self._points.items():
            made.append(Track.of([(m.x, m.rate) for m in kept], self._reader_of_marks(arm, kept)))
        for arm, (series, _line) in self._lines.items():
            x, y = series.view()
            made.append(Track(x, y, self._reader_of_line(arm, series)))
        return made

    def recolour(self) -> None:
        """Give lines and points the colours in force."""
        for arm, (_series, line) in self._lines.items():
            line.setPen(self.pen(self.tokens.arm(arm)))
        self._marks_stale = True
        self.redraw()

    def draw(self) -> None:
        """Draw lines and points and, while following, show the newest."""
        for series, line in self._lines.values():
            if len(series):
                line.setData(*series.view(), connect="finite")
        if self._marks_stale:
            self._marks_stale = False
            self._draw_marks()
            arms = dict.fromkeys((*self._lines, *self._points))
            self.show_legend([Entry(texts.arm_title(arm), arm) for arm in arms])
        if self.goes_along:
            self._show_newest()

    def _draw_marks(self) -> None:
        spots = [
            {
                "pos": (mark.x, mark.rate),
                "symbol": symbol(arm),
                "brush": pg.mkBrush(self.tokens.surface if mark.warmup else self.tokens.arm(arm)),
                "pen": self.pen(self.tokens.arm(arm)),
                "size": 9,
            }
            for arm, kept in self._points.items()
            for mark in kept
        ]
        self._marks.setData(spots)

    def _line(self, arm: str) -> tuple[Series, pg.PlotDataItem]:
        if arm not in self._lines:
            line = pg.PlotDataItem(pen=self.pen(self.tokens.arm(arm)), connect="finite")
            line.setDownsampling(auto=True, method="peak")
            line.setClipToView(True)
            self.item.addItem(line)
            self._lines[arm] = (Series(), line)
            self._marks_stale = True
        return self._lines[arm]

    def _reader_of_marks(self, arm: str, kept: list[Mark]) -> Callable[[int], str]:
        def read(place: int) -> str:
            mark = kept[place]
            number = self.tr("request {number}").format(number=figures_text.count(mark.number))
            parts = [texts.arm_title(arm), number, figures_text.tok_s(mark.rate)]
            return " · ".join([*parts, texts.phase_word("warmup")] if mark.warmup else parts)

        return read

    def _reader_of_line(self, arm: str, series: Series) -> Callable[[int], str]:
        def read(place: int) -> str:
            x, y = series.view()
            rate = self.tr("≈ {rate} live").format(rate=figures_text.tok_s(float(y[place])))
            where = self.tr("second {second} of streaming").format(
                second=figures_text.number(float(x[place]))
            )
            return f"{texts.arm_title(arm)} · {rate} · {where}"

        return read

    def _show_newest(self) -> None:
        # In steps, so that the axis need not be drawn anew for each token.
        end = max(LEAST_S, math.ceil((self.rate.position() + 0.5) / STEP_S) * STEP_S)
        begin = max(0.0, end - SHOWN_S)
        top = 0.0
        for series, _line in self._lines.values():
            x, y = series.view()
            top = max(top, peak(y[np.searchsorted(x, begin) :]))
        for kept in self._points.values():
            top = max([top, *(mark.rate for mark in kept[-500:] if mark.x >= begin)])
        self.item.setRange(xRange=(begin, end), yRange=(0, even_top(top * 1.08) if top else 100), padding=0)
