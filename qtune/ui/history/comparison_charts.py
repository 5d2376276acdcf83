"""The charts of a comparison: a bar for each side and figure, and lines over time or over filled context."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from qtune.core.side_by_side import FigureName, SideFigures
from qtune.session.run_comparison import RunComparison
from qtune.ui.history.comparison_words import bar_of, short, strokes_of
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.side_charts import Bar, BarsChart, LinesChart, Look, Say, Stroke
from qtune.ui.theme import GAP, Tokens
from qtune.ui.words import figures_text

_GIB: Final = 1024**3
_COLUMNS: Final = 12
"""Of the grid: one, two, three or four charts fill a row."""
_MOST: Final = 4
_LEAST_PX: Final = 300
_AROUND_PX: Final = 70
"""Of a chart of bars: its axis and margins."""
_SLOT_PX: Final = 38
"""Room for the value under a bar."""

T = TypeVar("T")


class ComparisonCharts(QWidget):
    """Shows those that have something to show, every row of them filled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        one, none = short(1), short(0)
        self.bars: dict[str, BarsChart] = {
            "decode_tok_s": BarsChart(one),
            "ttft_ms": BarsChart(none),
            "total_ms": BarsChart(one),
            "memory": BarsChart(lambda gib: figures_text.number(gib, 1 if gib >= 1 else 2)),
            "joules": BarsChart(short(2)),
        }
        self.decode = LinesChart(figures_text.tok_s)
        self.memory = LinesChart(lambda gib: figures_text.memory(gib * _GIB))
        self.deep = LinesChart(figures_text.tok_s, clock=False)
        self.wait = LinesChart(figures_text.seconds, clock=False)
        self._rows: list[list[Chart]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        for column in range(_COLUMNS):
            self._grid.setColumnStretch(column, 1)
        for number, chart in enumerate(self.charts):  # in it from the start, or they would be windows
            self._grid.addWidget(chart, number, 0)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in their order."""
        return (*self.bars.values(), self.decode, self.memory, self.deep, self.wait)

    @property
    def rows(self) -> list[list[Chart]]:
        """Those that are shown, as they stand."""
        return self._rows

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        for chart in self.charts:
            chart.set_tokens(tokens)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        level = self.tr(
            "Median by text and start, then the geometric mean over the texts. Whiskers with ends are the"
            " 95 % interval of the measuring noise; dotted ones are only the smallest and largest request:"
            " too little was measured for an interval."
        )
        along = self.tr("side")
        bars = self.bars
        bars["decode_tok_s"].describe(self.tr("Decode, tok/s"), level, unit="tok/s", along=along)
        bars["ttft_ms"].describe(self.tr("First token, ms"), level, unit="ms", along=along)
        bars["total_ms"].describe(self.tr("Whole request, s"), level, unit="s", along=along)
        peak = self.tr("Highest reading: of the card, or of the engine where there is no card.")
        bars["memory"].describe(self.tr("Peak memory, GiB"), peak, unit="GiB", along=along)
        energy = self.tr("Energy of the card over the tokens of the answers, where it reports its power.")
        bars["joules"].describe(self.tr("Energy, J/token"), energy, unit="J/token", along=along)
        since = self.tr("seconds since the run began")
        rates = self.tr("Decode rate of each request that counts, at the moment it ended.")
        self.decode.describe(self.tr("Decode over time, tok/s"), rates, unit="tok/s", along=since)
        used = self.tr("Memory in use over the run; dashed: what there is. Gaps: no reading.")
        self.memory.describe(self.tr("Memory over time, GiB"), used, unit="GiB", along=since)
        filled_up = self.tr("tokens of filled context")
        rates_deep = self.tr("Decode rate with the context filled so far.")
        self.deep.describe(
            self.tr("Decode by filled context, tok/s"), rates_deep, unit="tok/s", along=filled_up
        )
        late = self.tr("Time to the first token with the context filled so far.")
        self.wait.describe(self.tr("First token by filled context, s"), late, unit="s", along=filled_up)

    def show_comparison(self, found: RunComparison, looks: Sequence[Look]) -> None:
        """Draw all sides of it; ``looks`` are theirs, in order."""
        self._show_bars(found.sides, looks, found.joules)
        by_name = {side.side.name: look for side, look in zip(found.sides, looks, strict=True)}
        self._show_lines(found, by_name)
        self._place(anew=True)

    def _show_bars(
        self, sides: Sequence[SideFigures], looks: Sequence[Look], joules: Mapping[str, float]
    ) -> None:
        pairs = list(zip(sides, looks, strict=True))
        measured: tuple[tuple[FigureName, Say, float], ...] = (
            ("decode_tok_s", figures_text.tok_s, 1.0),
            ("ttft_ms", figures_text.milliseconds, 1.0),
            ("total_ms", figures_text.seconds, 0.001),
        )
        for name, say, scale in measured:
            self.bars[name].show_bars([bar_of(side, look, name, say, scale) for side, look in pairs])
        peaks = [(look, None if side.memory is None else side.memory.peak) for side, look in pairs]
        self.bars["memory"].show_bars(
            [
                Bar(
                    look,
                    None if peak is None else peak / _GIB,
                    about=f"{look.name} · {figures_text.memory(peak)}",
                )
                for look, peak in peaks
            ]
        )
        energies = [(look, joules.get(side.side.name)) for side, look in pairs]
        self.bars["joules"].show_bars(
            [
                Bar(look, joule, about=f"{look.name} · {figures_text.number(joule, 2)} J/token")
                for look, joule in energies
            ]
        )

    def _show_lines(self, found: RunComparison, looks: Mapping[str, Look]) -> None:
        self.decode.show_strokes(strokes_of(found.decode, looks, 1.0))
        limits = {line.limit for line in found.memory if line.side in looks}
        limit = next(iter(limits)) if len(limits) == 1 else None
        strokes = strokes_of(found.memory, looks, 1 / _GIB)
        highest = max((y for stroke in strokes for _, y in stroke.points if math.isfinite(y)), default=0.0)
        limit = None if limit is None else limit / _GIB
        # The limit of main memory would flatten the line of a small engine.
        self.memory.show_strokes(strokes, limit if limit is not None and highest > limit / 2 else None)
        depths = sorted({point.depth for point in found.depths})
        places = [(float(depth), figures_text.context(depth)) for depth in depths]
        rates, waits = [], []
        for name, look in looks.items():
            mine = [point for point in found.depths if point.arm == name]
            rates.append(Stroke(look, tuple((p.depth, p.decode_tok_s) for p in mine if p.decode_tok_s)))
            waits.append(Stroke(look, tuple((p.depth, p.ttft_ms / 1000) for p in mine if p.ttft_ms)))
        self.deep.show_strokes([stroke for stroke in rates if stroke.points], places=places)
        self.wait.show_strokes([stroke for stroke in waits if stroke.points], places=places)

    def _place(self, *, anew: bool = False) -> None:
        """Put those that show something into full rows, as many beside each other as there is room for."""
        full = [chart for chart in self.charts if _shows(chart)]
        bars = [chart for chart in full if isinstance(chart, BarsChart)]
        lines = [chart for chart in full if isinstance(chart, LinesChart)]
        least = max([_LEAST_PX, *(_AROUND_PX + _SLOT_PX * len(chart.bars) for chart in bars)])
        rows = in_rows(bars, lines, min(_MOST, max(1, self.width() // least)))
        if rows == self._rows and not anew:
            return
        self._rows = rows
        for chart in self.charts:
            self._grid.removeWidget(chart)
            chart.setVisible(chart in full)
        for number, row in enumerate(rows):
            span = _COLUMNS // len(row)
            for place, chart in enumerate(row):
                self._grid.addWidget(chart, number, place * span, 1, span)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As many charts beside each other as there is room for."""
        super().resizeEvent(event)
        self._place()


def in_rows(bars: Sequence[Chart], lines: Sequence[Chart], most: int) -> list[list[Chart]]:
    """Rows without holes: bars up to ``most`` beside each other, lines by two, a last bar beside a line."""
    rows: list[list[Chart]] = _evenly(bars, most)
    rest = list(lines)
    if rows and len(rows[-1]) == 1 and rest and most > 1:
        rows[-1].append(rest.pop(0))
    return [*rows, *_evenly(rest, min(2, most))]


def _evenly(charts: Sequence[T], most: int) -> list[list[T]]:
    """Split into as few rows as can be, of nearly the same length."""
    count = -(-len(charts) // most)
    rows, at = [], 0
    for left in range(count, 0, -1):
        size = -(-(len(charts) - at) // left)
        rows.append(list(charts[at : at + size]))
        at += size
    return rows


def _shows(chart: Chart) -> bool:
    if isinstance(chart, BarsChart):
        return any(bar.value is not None for bar in chart.bars)
    return isinstance(chart, LinesChart) and bool(chart.strokes)
