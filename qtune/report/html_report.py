"""One self-contained HTML page about an experiment: verdict, charts, tables; opens offline and prints well.

It names no file, user or host. Everything in it that comes from records is escaped by the template, and a
content policy forbids the page to load or run anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from qtune.core import figures
from qtune.core.report_texts import DECISION_WORDS, REPORT_CONTEXT, REPORT_LABELS
from qtune.core.settings import SETTINGS
from qtune.core.stats import Spread, counts
from qtune.core.verdict import BASELINE, Ratio, Verdict
from qtune.host.paths import resource_dir
from qtune.report.export_run import ExportArm, ExportRun, arms_of, verdict_of
from qtune.report.markdown import nameless
from qtune.report.svg import COLOURS, Bar, Series, bars, lines
from qtune.report.words import (
    Translate,
    card_words,
    english,
    gain,
    gib,
    memory_words,
    number,
    said,
    speculation,
    with_range,
)


@dataclass(frozen=True, slots=True)
class _Chart:
    title: str
    svg: Markup
    about: str


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    rows: Sequence[Sequence[str]]
    header: Sequence[str] = ()
    right: Sequence[int] = ()


def html_report(
    runs: Sequence[ExportRun],
    *,
    language: str = "en",
    translate: Translate = english,
    verdict: Verdict | None = None,
) -> str:
    """The page about the runs of one experiment.

    Args:
        runs: At least one run.
        language: Tag of the language ``translate`` gives, e.g. ``zh-CN``.
        translate: From context and English text; the contexts are ``report``, ``messages`` and ``settings``.
        verdict: As it was given; None works it out from the runs.

    Raises:
        KnownError: ``resources_missing`` when the installation is incomplete.
    """
    page = _Page(runs, arms_of(runs), verdict or verdict_of(runs), translate)
    return _template(resource_dir() / "templates").render(language=language, **page.parts())


@cache
def _template(folder: Path) -> jinja2.Template:
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
    translate: Translate

    def tr(self, key: str) -> str:
        return self.translate(REPORT_CONTEXT, REPORT_LABELS[key])

    def word(self, decision: str) -> str:
        return self.translate(REPORT_CONTEXT, DECISION_WORDS[decision])

    def parts(self) -> dict[str, object]:
        run = self.arms[-1].last
        measured = self.tr("measured").format(
            date=run.started_utc[:10],
            arms=len(self.arms),
            runs=len(self.runs),
            requests=sum(arm.figures.n_counted for arm in self.arms),
        )
        charts = (self._decode(), self._gain(), self._course())
        tables = (self._figures(), self._workloads(), self._settings(), self._setup(), self._starts())
        # Without figures the sentence gives the reason of a failure, which may name files.
        sentence, reasons = self.word(self.verdict.decision), []
        if self.verdict.ratios:
            sentence = said(self.verdict.sentence, self.translate)
            reasons = [said(reason, self.translate) for reason in self.verdict.reasons]
        return {
            "title": f"{nameless(run.model.name)} {run.model.quant}",
            "subtitle": measured,
            "sentence": sentence,
            "reasons": reasons,
            "charts": [chart for chart in charts if chart is not None],
            "tables": [table for table in tables if table.rows],
            "footer": self.tr("footer"),
        }

    def _colour(self, arm: str) -> str:
        return COLOURS[[a.arm for a in self.arms].index(arm) % len(COLOURS)]

    def _chart(self, key: str, svg: str) -> _Chart:
        # The writer of SVG escapes all text itself.
        return _Chart(self.tr(key), Markup(svg), self.tr(f"{key}_about"))  # noqa: S704

    def _decode(self) -> _Chart:
        def bar(arm: ExportArm) -> Bar:
            f = arm.figures.decode_tok_s
            median, low, high = (None, None, None) if f is None else (f.median, f.low, f.high)
            return Bar(nameless(arm.arm), median, low, high, self._colour(arm.arm))

        return self._chart("decode", bars([bar(arm) for arm in self.arms], "tok/s"))

    def _gain(self) -> _Chart | None:
        def per_cent(ratio: float | None) -> float | None:
            return None if ratio is None else (ratio - 1) * 100

        def bar(r: Ratio) -> Bar:
            ends = per_cent(r.ratio), per_cent(r.low), per_cent(r.high)
            return Bar(nameless(r.arm), *ends, self._colour(r.arm), f"{ends[0]:+.1f} %")

        known = [r for r in self.verdict.ratios if r.arm in {a.arm for a in self.arms}]
        return self._chart("gain", bars([bar(r) for r in known], "%")) if known else None

    def _course(self) -> _Chart:
        def one(arm: ExportArm) -> Series:
            counted = [q for r in arm.runs for q in r.requests if q.phase == "counted"]
            values = tuple(figures.decode_tok_s(q.times) if counts(q) else None for q in counted)
            return Series(nameless(arm.arm), values, self._colour(arm.arm))

        return self._chart("course", lines([one(a) for a in self.arms], self.tr("request"), "tok/s"))

    def _figures(self) -> _Table:
        ratios = {ratio.arm: ratio for ratio in self.verdict.ratios}

        def row(arm: ExportArm) -> list[str]:
            f, a = arm.figures, arm.figures.acceptance

            def shown(of: Spread | None, digits: int = 0) -> str:
                return with_range(of, digits)

            return [
                nameless(arm.arm),
                str(f.n_counted),
                shown(f.decode_tok_s, 1),
                gain(ratios.get(arm.arm)),
                shown(f.ttft_ms),
                shown(f.prefill_tok_s),
                shown(f.total_ms),
                "–" if a is None else f"{a.rate * 100:.0f} %",
                number(None if a is None else a.mean_len, 2),
                memory_words(arm.memory),
                "–" if arm.memory is None or arm.memory.kind == "ram" else arm.memory.spill,
            ]

        keys = (
            "arm",
            "counted",
            "",
            "gain",
            "ttft",
            "prefill",
            "total",
            "acceptance",
            "length",
            "memory",
            "spill",
        )
        header = [self.tr(key) if key else "tok/s" for key in keys]
        return _Table(self.tr("arms"), [row(arm) for arm in self.arms], header, range(1, 10))

    def _workloads(self) -> _Table:
        rows = [
            [
                nameless(domain.prompt_id),
                nameless(answer.arm),
                gain(Ratio(answer.arm, domain.ratio, domain.low, domain.high, domain.decision)),
                self.word(domain.decision),
            ]
            for answer in self.verdict.answers
            for domain in answer.domains
        ]
        header = [self.tr(key) for key in ("workload", "arm", "gain", "decision")]
        return _Table(self.tr("workloads"), rows, header, (2,))

    def _settings(self) -> _Table:
        """What was asked; settings of a draft are blank for arms without one."""
        asked = [arm.last.settings_requested for arm in self.arms]

        def value(key: str, number_of_arm: int) -> str:
            one = asked[number_of_arm]
            if SETTINGS[key].needs_mtp and not one.mtp:
                return "–"
            plain = one.get(key)
            if isinstance(plain, bool):
                plain = "on" if plain else "off"
            return f"{plain} {SETTINGS[key].unit}".strip()

        rows = [
            [self.translate("settings", setting.label), *(value(key, n) for n in range(len(asked)))]
            for key, setting in SETTINGS.items()
        ]
        header = [self.tr("setting"), *(nameless(arm.arm) for arm in self.arms)]
        return _Table(self.tr("settings"), rows, header)

    def _setup(self) -> _Table:
        run = self.arms[-1].last
        devices = ", ".join(d.name for d in run.engine.devices) or "CPU"
        rows = [
            [self.tr("model"), f"{nameless(run.model.name)}, {run.model.quant}, {gib(run.model.size_bytes)}"],
            [self.tr("engine"), f"llama.cpp {run.engine.version}, {devices}"],
            [self.tr("card"), card_words(run)],
            [self.tr("system"), f"{run.machine.os}; {run.machine.cpu}; {gib(run.machine.ram_bytes)}"],
            [
                "MTP",
                "; ".join(
                    f"{nameless(a.arm)}: {speculation(a.last)}" for a in self.arms if a.arm != BASELINE
                ),
            ],
        ]
        return _Table(self.tr("setup"), rows)

    def _starts(self) -> _Table:
        def row(source: ExportRun) -> list[str]:
            run = source.run
            load = number(None if run.load_ms is None else run.load_ms / 1000)
            return [f"{nameless(run.arm)} {run.start}", run.started_utc, run.status.value, load]

        header = [self.tr(key) for key in ("starts", "start", "status", "loading")]
        return _Table(self.tr("starts"), [row(source) for source in self.runs], header, (3,))
