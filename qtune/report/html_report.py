"""One self-contained HTML page about an experiment: verdict, charts, tables; opens offline and prints well.

It names no file, user or host. Everything in it that comes from records is escaped by the template, and a
content policy forbids the page to load or run anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from qtune.core import figures
from qtune.core.report_texts import DECISION_WORDS, REPORT_CONTEXT, REPORT_LABELS
from qtune.core.settings import SETTINGS, ServerSettings
from qtune.core.stats import counts
from qtune.core.verdict import BASELINE, Ratio, Verdict
from qtune.host.paths import resource_dir
from qtune.report.export_run import ExportArm, ExportRun, arms_of, by_experiment, verdict_of
from qtune.report.nameless import nameless, shareable
from qtune.report.svg import COLOURS, Bar, Series, bars, lines
from qtune.report.words import (
    ENGLISH,
    Words,
    card_words,
    gain,
    gib,
    memory_words,
    number,
    speculation,
    with_range,
)

if TYPE_CHECKING:
    import jinja2


@dataclass(frozen=True, slots=True)
class _Chart:
    title: str
    svg: Markup
    about: str


@dataclass(frozen=True, slots=True)
class _Table:
    """``right`` are the columns of figures."""

    title: str
    rows: Sequence[Sequence[str]]
    header: Sequence[str] = ()
    right: Sequence[int] = ()


_SIDE_BY_SIDE = 5
"""Up to so many arms stand in columns; more have a line each."""


def html_report(runs: Iterable[ExportRun], *, words: Words = ENGLISH) -> str:
    """The page about one experiment, or about several one after the other.

    Args:
        runs: At least one run; the verdict is worked out from those of an experiment that are among them.
        words: How it speaks.

    Raises:
        KnownError: ``export_too_many``; ``resources_missing`` when the installation is incomplete.
    """
    groups = [shareable(some) for some in by_experiment(runs)]
    pages = [_Page(some, arms_of(some), verdict_of(some), words).parts() for some in groups]
    labels = {key: words.translate(REPORT_CONTEXT, REPORT_LABELS[key]) for key in ("apart", "footer")}
    return _template(resource_dir() / "templates").render(language=words.language, pages=pages, **labels)


@cache
def _template(folder: Path) -> jinja2.Template:
    import jinja2  # noqa: PLC0415 - a tenth of a second that only a report needs

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template("report.html.j2")


@dataclass(frozen=True, slots=True)
class _Page:
    runs: Sequence[ExportRun]
    arms: Sequence[ExportArm]
    verdict: Verdict
    words: Words

    def tr(self, key: str) -> str:
        return self.words.translate(REPORT_CONTEXT, REPORT_LABELS[key])

    def word(self, decision: str) -> str:
        return self.words.translate(REPORT_CONTEXT, DECISION_WORDS[decision])

    def arm(self, name: str) -> str:
        return self.words.arm(nameless(name))

    def parts(self) -> dict[str, object]:
        run = self.arms[-1].last
        measured = self.tr("measured").format(
            date=run.started_utc[:10],
            arms=len(self.arms),
            runs=len(self.runs),
            requests=sum(arm.figures.n_counted for arm in self.arms),
        )
        known = any(arm.figures.decode_tok_s is not None for arm in self.arms)
        charts = (self._decode(), self._gain(), self._course()) if known else ()
        settings = (self._settings(differ=True), self._settings(differ=False))
        tables = (self._figures(), self._workloads(), *settings, self._setup(), self._starts())
        # Without figures the sentence gives the reason of a failure, which may name files.
        sentence, reasons = self.word(self.verdict.decision), []
        if self.verdict.ratios:
            sentence = self.words.said(self.verdict.sentence)
            reasons = [self.words.said(reason) for reason in self.verdict.reasons]
        return {
            "title": f"{run.model.name} {run.model.quant}",
            "subtitle": measured,
            "sentence": sentence,
            "reasons": reasons,
            "charts": [chart for chart in charts if chart is not None],
            "tables": [table for table in tables if table.rows],
        }

    def _colour(self, arm: str) -> str:
        return COLOURS[[a.arm for a in self.arms].index(arm) % len(COLOURS)]

    def _chart(self, key: str, svg: str) -> _Chart:
        # The writer of SVG escapes all text itself.
        return _Chart(self.tr(key), Markup(svg), self.tr(f"{key}_about"))  # noqa: S704

    def _decode(self) -> _Chart:
        def bar(arm: ExportArm) -> Bar:
            f = arm.decode_tok_s
            median, low, high = (None, None, None) if f is None else (f.median, f.low, f.high)
            return Bar(self.arm(arm.arm), median, low, high, self._colour(arm.arm))

        return self._chart("decode", bars([bar(arm) for arm in self.arms], "tok/s"))

    def _gain(self) -> _Chart | None:
        def per_cent(ratio: float | None) -> float | None:
            return None if ratio is None else (ratio - 1) * 100

        def bar(r: Ratio) -> Bar:
            low, high = map(per_cent, r.bounds or (None, None))
            value = per_cent(r.ratio)
            return Bar(self.arm(r.arm), value, low, high, self._colour(r.arm), f"{value:+.1f} %")

        ratios = {r.arm: r for r in self.verdict.ratios}
        known = [ratios[a.arm] for a in self.arms if a.arm in ratios]
        return self._chart("gain", bars([bar(r) for r in known], "%")) if known else None

    def _course(self) -> _Chart:
        def one(arm: ExportArm) -> Series:
            counted = [q for r in arm.runs for q in r.requests if q.phase == "counted"]
            values = tuple(figures.decode_tok_s(q.times) if counts(q) else None for q in counted)
            return Series(self.arm(arm.arm), values, self._colour(arm.arm))

        return self._chart("course", lines([one(a) for a in self.arms], self.tr("request"), "tok/s"))

    def _figures(self) -> _Table:
        """Figures by arm: a column each while they fit beside each other, else a line each."""
        ratios = {ratio.arm: ratio for ratio in self.verdict.ratios}

        def figures_of(arm: ExportArm) -> list[str]:
            f, a = arm.figures, arm.figures.acceptance
            return [
                str(f.n_counted),
                with_range(arm.decode_tok_s),
                gain(ratios.get(arm.arm), self.tr("to")),
                with_range(f.ttft_ms, 0),
                with_range(f.prefill_tok_s, 0),
                with_range(f.total_ms, 0),
                "–" if a is None else f"{a.rate * 100:.0f} %",
                number(None if a is None else a.mean_len, 2),
                memory_words(arm.memory),
                "–"
                if arm.memory is None or arm.memory.kind == "ram"
                else self.tr(f"spill_{arm.memory.spill}"),
            ]

        keys = (
            "counted",
            "decode_rate",
            "gain",
            "ttft",
            "prefill",
            "total",
            "acceptance",
            "length",
            "memory",
            "spill",
        )
        names = [self.tr(key) for key in keys]
        arms = [self.arm(arm.arm) for arm in self.arms]
        columns = [figures_of(arm) for arm in self.arms]
        if len(self.arms) <= _SIDE_BY_SIDE:
            rows = [[name, *cells] for name, cells in zip(names, zip(*columns, strict=True), strict=True)]
            return _Table(self.tr("arms"), rows, ["", *arms], range(1, len(arms) + 1))
        rows = [[arm, *cells] for arm, cells in zip(arms, columns, strict=True)]
        return _Table(self.tr("arms"), rows, [self.tr("arm"), *names], range(1, len(names) + 1))

    def _workloads(self) -> _Table:
        places = {arm.arm: place for place, arm in enumerate(self.arms)}
        rows = [
            [
                self.words.prompt(nameless(domain.prompt_id)),
                self.arm(answer.arm),
                gain(
                    Ratio(answer.arm, domain.ratio, domain.low, domain.high, domain.decision), self.tr("to")
                ),
                self.word(domain.decision),
            ]
            for answer in sorted(self.verdict.answers, key=lambda one: places.get(one.arm, len(places)))
            for domain in answer.domains
        ]
        header = [self.tr(key) for key in ("workload", "arm", "gain", "decision")]
        return _Table(self.tr("workloads"), rows, header, (2,))

    def _settings(self, *, differ: bool) -> _Table:
        """What was asked: by arm where it differs, else once; blank for arms without a draft."""
        asked = [arm.last.settings_requested for arm in self.arms]

        def value(key: str, one: ServerSettings) -> str:
            if SETTINGS[key].needs_mtp and not one.mtp:
                return "–"
            plain, unit = one.get(key), SETTINGS[key].unit
            if key == "threads" and plain == 0:
                return self.tr("engine_chooses")
            if isinstance(plain, bool):
                return self.tr("on" if plain else "off")
            shown = f"{plain:g}" if isinstance(plain, float) else str(plain)
            return f"{shown} {self.words.translate('settings', unit)}" if unit else shown

        rows = []
        for key, setting in SETTINGS.items():
            values = [value(key, one) for one in asked]
            if (len(set(values)) > 1) == differ:
                label = self.words.translate("settings", setting.label)
                rows.append([label, *(values if differ else values[:1])])
        if differ:
            header = [self.tr("setting"), *(self.arm(arm.arm) for arm in self.arms)]
            return _Table(self.tr("settings_differ"), rows, header)
        return _Table(self.tr("settings" if len(self.arms) == 1 else "settings_equal"), rows)

    def _setup(self) -> _Table:
        run = self.arms[-1].last
        devices = ", ".join(d.name for d in run.engine.devices) or "CPU"
        rows = [
            [self.tr("model"), f"{run.model.name}, {run.model.quant}, {gib(run.model.size_bytes)}"],
            [self.tr("engine"), f"llama.cpp {run.engine.version}, {devices}"],
            [self.tr("card"), card_words(run)],
            [self.tr("system"), f"{run.machine.os}; {run.machine.cpu}; {gib(run.machine.ram_bytes)}"],
            [
                "MTP",
                "; ".join(
                    f"{self.arm(a.arm)}: {speculation(a.last)}" for a in self.arms if a.arm != BASELINE
                ),
            ],
        ]
        return _Table(self.tr("setup"), rows)

    def _starts(self) -> _Table:
        def row(source: ExportRun) -> list[str]:
            run = source.run
            load = number(None if run.load_ms is None else run.load_ms / 1000)
            begun = f"{run.started_utc[:16].replace('T', ' ')} UTC"
            state = self.words.translate("states", run.status.value)
            if source.marks.outlier:
                state = f"{state}, {self.tr('outlier')}"
            return [f"{self.arm(run.arm)}, {run.start}", begun, state, load]

        header = [self.tr(key) for key in ("arm_and_start", "begun", "status", "loading")]
        return _Table(self.tr("starts"), [row(source) for source in self.runs], header, (3,))
