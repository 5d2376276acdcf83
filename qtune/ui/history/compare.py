"""Runs or experiments of the history side by side: figures with intervals, bars, lines, settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from qtune.core.settings import SETTINGS, SettingValue
from qtune.core.side_by_side import FigureName, SideFigures
from qtune.session.run_comparison import RunComparison
from qtune.ui import icons
from qtune.ui.history import words as history_words
from qtune.ui.history.comparison_words import (
    MOST,
    about_side,
    bar_of,
    looks_of,
    short,
    strokes_of,
    told,
    which,
    with_ratio,
)
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.side_charts import Bar, BarsChart, LinesChart, Look, Say, Stroke
from qtune.ui.theme import GAP, LIGHT, Tokens, symbol
from qtune.ui.tune.preset_card import DECISION_LOOKS
from qtune.ui.widgets.grid import Cell, Grid, filled
from qtune.ui.widgets.parts import Note, NoteList, button, label, tone_colour
from qtune.ui.widgets.sideways import Sideways
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text, texts

_WIDE: Final = 900
"""From this width on three charts stand in a row."""
_GIB: Final = 1024**3


class HistoryComparison(QWidget):
    """Shows what the page hands it; ``closed`` asks for the list again."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self.found: RunComparison | None = None
        self._columns = 0
        self.back, self.title = button(), label(factor=1.15, bold=True)
        self.warnings, self.remarks = NoteList(), NoteList()
        self.figures, self.settings = Grid(), Grid()
        self.legend, self.same, self.settings_title = (
            label("muted", 0.92, wrap=True),
            label("muted", wrap=True),
            label(factor=0.95, bold=True),
        )
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
        self._lay_out()
        self.back.clicked.connect(self.closed)
        leave = QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self)
        leave.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        leave.activated.connect(self.closed)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.back)
        head.addWidget(self.title, 1)
        card = QFrame()
        card.setObjectName("card")
        table = QVBoxLayout(card)
        table.setContentsMargins(14, 11, 14, 12)
        table.setSpacing(8)
        for part in (self.warnings, Sideways(self.figures), self.legend, self.remarks):
            table.addWidget(part)
        below = QFrame()
        below.setObjectName("card")
        settings = QVBoxLayout(below)
        settings.setContentsMargins(14, 11, 14, 12)
        settings.setSpacing(6)
        for part in (self.settings_title, Sideways(self.settings), self.same):
            settings.addWidget(part)
        plots = QWidget()
        self._charts = QGridLayout(plots)
        self._charts.setContentsMargins(0, 0, 0, 0)
        self._charts.setSpacing(GAP)
        for number, chart in enumerate(self.charts):  # in it from the start, or they would be windows
            self._charts.addWidget(chart, number, 0)
        inside = QWidget()
        inside.setObjectName("scrolled")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(card)
        column.addWidget(plots)
        column.addWidget(below)
        column.addStretch(1)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidget(inside)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(8)
        page.addLayout(head)
        page.addWidget(self.area, 1)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in their order."""
        return (*self.bars.values(), self.decode, self.memory, self.deep, self.wait)

    # -- for the page ---------------------------------------------------------------------------------------

    def show_comparison(self, found: RunComparison) -> None:
        """Show this comparison."""
        self.found = found
        self.area.verticalScrollBar().setValue(0)
        self.refresh()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.back.setIcon(icons.icon("back", tokens.muted))
        for chart in self.charts:
            chart.set_tokens(tokens)
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.back.setText(self.tr("Back to the list"))
        set_tip(self.back, self.tr("The runs stay selected there (Alt+Left)."))
        self.area.setAccessibleName(self.tr("Comparison"))
        self.settings_title.setText(self.tr("Settings that differ"))
        self.same.setText(self.tr("All settings are equal."))
        self._describe()
        self.refresh()

    def refresh(self) -> None:
        """Show everything of the comparison at hand."""
        found = self.found
        if found is None:
            return
        sides = found.sides[:MOST]
        looks = looks_of(sides)
        self.title.setText(self._heading([look.name for look in looks]))
        self._show_notes(found, sides)
        self._show_figures(sides, looks, found.joules)
        self._show_bars(sides, looks, found.joules)
        self._show_lines(found, {side.side.name: look for side, look in zip(sides, looks, strict=True)})
        self._show_settings(looks, found.settings)
        self._place_charts()

    def _heading(self, names: list[str]) -> str:
        if len(names) == 2:
            return self.tr("Comparison: {first} and {second}").format(first=names[0], second=names[1])
        others = self.tr("Comparison: {first} and %n other(s)", "", len(names) - 1)
        return others.format(first=names[0] if names else "")

    # -- words ----------------------------------------------------------------------------------------------

    def _describe(self) -> None:
        level = self.tr(
            "Median by text and start, then the geometric mean over the texts. Whiskers with ends are the"
            " 95 % interval of the measuring noise; dotted ones are only the smallest and largest request:"
            " too few starts for an interval."
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

    def _show_notes(self, found: RunComparison, sides: Sequence[SideFigures]) -> None:
        unfair = [
            Note(texts.sentence(message), "warning", "warn", texts.hint(message)) for message in found.unfair
        ]
        if len(found.sides) > len(sides):
            text = self.tr(
                "%n more are left out: eight can be told apart.", "", len(found.sides) - len(sides)
            )
            unfair.append(Note(text, "info", "idle"))
        self.warnings.show_notes(unfair, self._tokens)
        dropped = dict.fromkeys(texts.sentence(reason) for side in sides for reason in side.dropped)
        self.remarks.show_notes([Note(text, "info", "idle") for text in dropped], self._tokens)
        kinds = {level.kind for side in sides for level in side.levels.values()}
        legend = {
            "interval": self.tr("± and from–to: 95 % interval."),
            "range": self.tr(
                "In brackets: smallest and largest request. One start each is too few for an interval;"
                " measure again, or compare whole experiments with several starts."
            ),
        }
        self.legend.setText(" ".join(text for kind, text in legend.items() if kind in kinds))

    # -- figures --------------------------------------------------------------------------------------------

    def _show_figures(
        self, sides: Sequence[SideFigures], looks: Sequence[Look], joules: Mapping[str, float]
    ) -> None:
        against = self.tr("Against the first: paired text by text, with the interval of the verdict.")
        heading = [
            Cell(self.tr("Side")),
            Cell(self.tr("Run")),
            Cell(self.tr("Decode tok/s")),
            Cell(self.tr("Against A"), about=against),
            Cell(self.tr("First token"), about=against),
            Cell(self.tr("Whole request"), about=against),
            Cell(self.tr("Peak memory")),
            Cell(self.tr("J/token")),
            Cell(self.tr("n"), about=self.tr("Counted requests.")),
        ]
        rows = [
            self._row(side, look, joules.get(side.side.name)) for side, look in zip(sides, looks, strict=True)
        ]
        self.figures.show_rows(*filled(heading, rows))
        self.figures.setAccessibleName(self.tr("Figures side by side"))

    def _row(self, side: SideFigures, look: Look, joules: float | None) -> list[Cell]:
        peak = None if side.memory is None else side.memory.peak
        return [
            Cell(look.name, symbol(look.arm), self._tokens.arm(look.arm), strong=True),
            Cell(which(side), tone="muted", about=about_side(side)),
            Cell(told(side.levels.get("decode_tok_s"), figures_text.rate), strong=True),
            self._decided(side),
            Cell(with_ratio(side, "ttft_ms", figures_text.milliseconds)),
            Cell(with_ratio(side, "total_ms", lambda ms: figures_text.seconds(ms / 1000))),
            Cell(figures_text.memory(peak)),
            Cell(figures_text.number(joules, 2)),
            Cell(str(side.counted)),
        ]

    def _decided(self, side: SideFigures) -> Cell:
        """Decode against the first, with what a verdict would say of it."""
        ratio = side.against.get("decode_tok_s")
        if side.decision is None or ratio is None:
            return Cell("")
        shape, tone = DECISION_LOOKS[side.decision]
        word = f"{texts.decision_word(side.decision)} {figures_text.gain(ratio.ratio)}"
        bounds = figures_text.gain_bounds(ratio.low, ratio.high)
        return Cell(f"{word}\n{bounds}", shape, tone_colour(tone, self._tokens))

    # -- charts ---------------------------------------------------------------------------------------------

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

    def _place_charts(self) -> None:
        """Those that show something, in rows of three or two."""
        columns = 3 if self.width() >= _WIDE else 2
        full = [chart for chart in self.charts if _shows(chart)]
        for chart in self.charts:
            self._charts.removeWidget(chart)
            chart.setVisible(chart in full)
        bars = [chart for chart in full if isinstance(chart, BarsChart)]
        lines = [chart for chart in full if isinstance(chart, LinesChart)]
        for n, chart in enumerate(bars):
            self._charts.addWidget(chart, n // columns, n % columns * 2, 1, 2)
        below = -(-len(bars) // columns)
        for n, line in enumerate(lines):
            self._charts.addWidget(line, below + n // 2, n % 2 * columns, 1, columns)
        self._columns = columns

    # -- settings -------------------------------------------------------------------------------------------

    def _show_settings(self, looks: Sequence[Look], different: Mapping[str, Sequence[SettingValue]]) -> None:
        heads = [Cell(look.name, symbol(look.arm), self._tokens.arm(look.arm)) for look in looks]
        self.settings.show_rows(
            [Cell(self.tr("Setting")), *heads],
            [
                [
                    Cell(texts.setting_label(key), about=texts.setting_about(key)),
                    *(Cell(history_words.value_word(value)) for value in values[: len(looks)]),
                ]
                for key, values in different.items()
                if key in SETTINGS
            ],
        )
        self.settings.setAccessibleName(self.settings_title.text())
        self.same.setVisible(not different)

    # -- Qt -------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As many charts beside each other as there is room for."""
        super().resizeEvent(event)
        if self.found is not None and self._columns != (3 if self.width() >= _WIDE else 2):
            self._place_charts()


def _shows(chart: Chart) -> bool:
    if isinstance(chart, BarsChart):
        return any(bar.value is not None for bar in chart.bars)
    return isinstance(chart, LinesChart) and bool(chart.strokes)
