"""What a context sweep or a search for n_max measured, as a chart with its figures beneath."""

from __future__ import annotations

from statistics import median

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from qtune.bench.context_sweep import DepthPoint
from qtune.session.findings import ArmFindings, JobResult
from qtune.session.plans import SCREEN
from qtune.ui.plots.curve_chart import Curve, CurveChart
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import GAP, LIGHT, Tokens, symbol
from qtune.ui.widgets.grid import Cell, Grid
from qtune.ui.widgets.parts import label
from qtune.ui.words import figure_words, figures_text, texts
from qtune.ui.words.verdict_words import found_n_max, in_order


class CurveCard(QFrame):
    """Reads the workbench's newest result; hidden for jobs that make no curve."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._tokens = LIGHT
        self.title = label(factor=0.95, bold=True)
        self.about = label("muted", 0.92, wrap=True)
        self.decode = CurveChart(figures_text.tok_s)
        self.ttft = CurveChart(figures_text.seconds)
        self.grid = Grid()
        charts = QHBoxLayout()
        charts.setSpacing(GAP)
        charts.addWidget(self.decode, 1)
        charts.addWidget(self.ttft, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 11, 14, 12)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.about)
        column.addLayout(charts)
        column.addWidget(self.grid)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        for chart in (self.decode, self.ttft):
            chart.set_tokens(tokens)
        self.refresh()

    def refresh(self) -> None:
        """Show the newest result, if it has a curve."""
        found = self._bench.found
        kind = "" if found is None else found.result.experiment.kind
        curve = () if found is None else found.findings.curve
        self.setVisible(bool(curve) or kind == "sweep-n-max")
        if found is None or self.isHidden():
            return
        self.ttft.setVisible(bool(curve))
        if curve:
            self._show_sweep(curve)
        else:
            self._show_search(found)

    # -- context sweep --------------------------------------------------------------------------------------

    def _show_sweep(self, curve: tuple[DepthPoint, ...]) -> None:
        self.title.setText(self.tr("Speed by filled context"))
        self.about.setText(
            self.tr("The context was filled with prose to each depth, by the server's own count of tokens.")
        )
        depth = self.tr("Filled context, tokens")
        about = self.tr("Output tokens per second at each depth.")
        self.decode.describe(self.tr("Decode, tok/s"), about, along=depth)
        about = self.tr("Seconds to the first token at each depth.")
        self.ttft.describe(self.tr("First token, s"), about, along=depth)
        arms = in_order(dict.fromkeys(point.arm for point in curve))
        depths = sorted({point.depth for point in curve})
        places = [(float(depth), figures_text.context(depth)) for depth in depths]
        decode, ttft = [], []
        for arm in arms:
            mine = [p for p in curve if p.arm == arm]
            rates = tuple((float(p.depth), p.decode_tok_s) for p in mine if p.decode_tok_s is not None)
            waits = tuple((float(p.depth), p.ttft_ms / 1000) for p in mine if p.ttft_ms is not None)
            decode.append(Curve(arm, rates))
            ttft.append(Curve(arm, waits))
        self.decode.show_curves(decode, places)
        self.ttft.show_curves(ttft, places)
        self.grid.show_rows(
            self._sweep_heading(),
            [self._sweep_row(point) for arm in arms for point in curve if point.arm == arm],
        )

    def _sweep_heading(self) -> list[Cell]:
        change = self.tr("Against the shallowest depth of this arm.")
        return [
            Cell(self.tr("Arm"), about=figure_words.about("arm")),
            Cell(self.tr("Depth"), about=figure_words.about("depth")),
            Cell(self.tr("Filled"), about=self.tr("Prompt tokens the server counted.")),
            Cell(self.tr("Decode tok/s"), about=figure_words.about("decode")),
            Cell(self.tr("Change"), about=change),
            Cell(self.tr("First token"), about=figure_words.about("first_token")),
            Cell(self.tr("Change"), about=change),
        ]

    def _sweep_row(self, point: DepthPoint) -> list[Cell]:
        return [
            Cell(texts.arm_title(point.arm), symbol(point.arm), self._tokens.arm(point.arm)),
            Cell(figures_text.context(point.depth)),
            Cell(figures_text.count(point.filled)),
            Cell(figures_text.rate(point.decode_tok_s), strong=True),
            Cell(figures_text.change(point.decode_change_pct)),
            Cell(figures_text.milliseconds(point.ttft_ms)),
            Cell(figures_text.change(point.ttft_change_pct)),
        ]

    # -- search for n_max -----------------------------------------------------------------------------------

    def _show_search(self, found: JobResult) -> None:
        self.title.setText(self.tr("Speed by draft length"))
        self.about.setText(
            self.tr(
                "Hollow: trials, from which the best was picked. Filled: the best once more with fresh"
                " requests; the verdict rests on these. Dashed: Off."
            )
        )
        self.decode.describe(
            self.tr("Decode, tok/s"), self.tr("Output tokens per second for each n_max."), along="n_max"
        )
        trials, proofs, off = _by_length(found)
        winner = found_n_max(found)
        curves = [Curve("custom", tuple(sorted(_points(trials))), hollow=True)]
        curves += [
            Curve("custom", ((float(n), rate),), joined=False, winner=n == winner)
            for n, rate in _points(proofs)
        ]
        if off is not None:
            curves.append(Curve("off", ((0.0, off),), level=True))
        lengths = sorted({*trials, *proofs})
        longest = max([*lengths, 4])
        self.decode.show_curves(curves, [(float(n), str(n)) for n in range(1, longest + 1)])
        figure = "" if off is None else self.tr("Off: {rate}").format(rate=figures_text.tok_s(off))
        self.decode.figure.setText(figure)
        self.grid.show_rows(
            self._search_heading(),
            [self._search_row(n, trials.get(n), proofs.get(n), off, won=n == winner) for n in lengths],
        )

    def _search_heading(self) -> list[Cell]:
        return [
            Cell("n_max", about=figure_words.about("n_max")),
            Cell(
                self.tr("Trial tok/s"),
                about=self.tr("Median of its trials: enough to pick, not to conclude."),
            ),
            Cell(self.tr("Confirmed tok/s"), about=self.tr("Median of the fresh requests.")),
            Cell(self.tr("vs Off"), about=self.tr("Median against the median of Off, as far as measured.")),
            Cell(self.tr("Accepted"), about=figure_words.about("accepted")),
            Cell(""),
        ]

    def _search_row(
        self, n: int, trial: ArmFindings | None, proof: ArmFindings | None, off: float | None, *, won: bool
    ) -> list[Cell]:
        rate = _rate(proof) or _rate(trial)
        best = proof or trial
        accepted = None if best is None else best.figures.acceptance
        mark = Cell(self.tr("best"), "yes", self._tokens.good, "good") if won else Cell("")
        return [
            Cell(str(n), symbol("custom"), self._tokens.arm("custom"), strong=won),
            Cell(figures_text.rate(_rate(trial))),
            Cell(figures_text.rate(_rate(proof)), strong=won),
            Cell(figures_text.gain(None if rate is None or not off else rate / off)),
            Cell(figures_text.MISSING if accepted is None else figures_text.percent(accepted.rate)),
            mark,
        ]


def _by_length(
    found: JobResult,
) -> tuple[dict[int, ArmFindings], dict[int, ArmFindings], float | None]:
    """Trials and confirmed arms by draft length, and the rate of off over both."""
    trials: dict[int, ArmFindings] = {}
    proofs: dict[int, ArmFindings] = {}
    offs: list[float] = []
    for arm in found.findings.arms:
        settings = arm.runs[-1].settings_requested
        if not settings.mtp:
            offs += [] if (rate := _rate(arm)) is None else [rate]
        elif arm.arm.startswith(SCREEN):
            trials[settings.n_max] = arm
        else:
            proofs[settings.n_max] = arm
    return trials, proofs, median(offs) if offs else None


def _points(arms: dict[int, ArmFindings]) -> list[tuple[float, float]]:
    return [(float(n), rate) for n, arm in arms.items() if (rate := _rate(arm)) is not None]


def _rate(arm: ArmFindings | None) -> float | None:
    decode = None if arm is None else arm.decode_tok_s
    return None if decode is None else decode.median
