"""The history for a person: the table of runs, one run in full, and runs side by side.

Text from models, engines and imported files is never markup and never moves the cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from qtune.cli.doctor_tables import GIB, NONE
from qtune.cli.experiment_tables import DECISIONS, MIB
from qtune.cli.history_document import Told
from qtune.cli.printing import printable
from qtune.core import figures
from qtune.core.history_query import RunSummary
from qtune.core.messages import gain
from qtune.core.records import RequestRecord, RunRecord
from qtune.core.run_difference import changed_settings, device_names, differing_settings
from qtune.core.settings import SETTINGS, SettingValue
from qtune.core.stats import ArmFigures, Spread, arm_figures
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun

SHORT = 8
"""Characters of an id that stand in a table; enough to name a run again."""

_LEAST = (10, 8, 8, 5, 5, 6, 4, 7, 6)
"""Widths below which the columns after the id become unreadable."""

SPREADS: tuple[tuple[str, int, Callable[[ArmFigures], Spread | None]], ...] = (
    ("decode tok/s", 1, lambda f: f.decode_tok_s),
    ("client decode tok/s", 1, lambda f: f.client_decode_tok_s),
    ("TTFT ms", 0, lambda f: f.ttft_ms),
    ("TTFA ms", 0, lambda f: f.ttfa_ms),
    ("prefill tok/s", 0, lambda f: f.prefill_tok_s),
    ("total ms", 0, lambda f: f.total_ms),
    ("rounds/s", 1, lambda f: f.rounds_per_s),
)
"""Figures that repeat: name, digits, and where they come from."""


def list_parts(rows: Sequence[RunSummary], found: int) -> list[RenderableType]:
    """The table of runs, and how many more there are."""
    if not rows:
        return [Text("No run matches.")]
    shown = f"{found} runs" if found > 1 else "1 run"
    if len(rows) < found:
        shown = f"{len(rows)} of {found} runs; --limit shows more"
    return [runs_table(rows), Text(shown)]


def runs_table(rows: Sequence[RunSummary]) -> Table:
    """One row a run, so narrow that a terminal of eighty columns can show it."""
    right = ("tok/s", "TTFT ms", "accept", "GiB")
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=0)
    table.add_column("id", no_wrap=True)  # to be copied, so in one piece
    names = ("started (UTC)", "model", "arm, kind", *right, "verdict", "state")
    for name, least in zip(names, _LEAST, strict=True):
        table.add_column(name, justify="right" if name in right else "left", overflow="fold", min_width=least)
    for row in rows:
        peak = row.vram_peak_bytes or row.ram_peak_bytes
        table.add_row(
            _cell(row.id[:SHORT]),
            _cell(row.started_utc[:16].replace("T", " ")),
            _cell(f"{row.model} {row.quant}".strip()),
            _cell(f"{row.arm}, {row.kind}"),
            _figure(row.decode_tok_s, 1),
            _figure(row.ttft_ms, 0),
            NONE if row.acceptance_rate is None else f"{row.acceptance_rate:.1%}",
            _figure(None if peak is None else peak / GIB, 1),
            _cell(_decision(row)),
            _cell(", ".join(filter(None, (row.status.value, _marks(row))))),
        )
    return table


def show_parts(runs: Sequence[Told], verdict: Verdict | None, *, experiment: bool) -> list[RenderableType]:
    """One run in full; of an experiment its runs side by side."""
    parts: list[RenderableType] = []
    if experiment:
        first = {source.run.arm: source.run for _, source in reversed(runs)}
        arms = [*reversed(first.values())]
        different = differing_settings(arms)
        parts += [*_lines(_experiment_head(runs[0][1], different)), runs_table([row for row, _ in runs])]
        parts += settings_table(different, [run.arm for run in arms])
    else:
        for row, source in runs:
            parts += _lines(_run_head(row, source))
            parts += [_figures_table(source), _requests_table(source.requests)]
    if verdict is not None:
        parts.append(Text(printable(verdict.sentence.sentence()), style="bold"))
        parts += _lines([f"  {reason.sentence()}" for reason in verdict.reasons])
    noted = {f"{source.run.arm}: {note.sentence()}": None for _, source in runs for note in source.run.notes}
    return [*parts, *_lines(list(noted))]


def _experiment_head(source: ExportRun, different: Collection[str]) -> list[str]:
    run, experiment = source.run, source.experiment
    lines = [f"Experiment  {run.experiment_id}"]
    if experiment is not None:
        lines += [
            f"Asked       {experiment.kind}, {experiment.form}, seed {experiment.seed}",
            f"Prompts     {experiment.prompt_id.replace(',', ', ') or NONE}",
        ]
    shared = {
        key: value for key, value in changed_settings(run.settings_requested).items() if key not in different
    }
    return [*lines, *_where(run), f"Settings    {_settings(shared)}" + (" in all arms" if different else "")]


def _run_head(row: RunSummary, source: ExportRun) -> list[str]:
    run, effective = source.run, source.run.settings_effective
    marks = _marks(row)
    verified = "verified" if effective is not None and effective.verified else "not verified"
    kind = "" if source.experiment is None else f" ({source.experiment.kind}, {source.experiment.form})"
    lines = [
        f"Run         {run.id}" + (f" ({marks})" if marks else ""),
        f"Experiment  {run.experiment_id}{kind}",
        f"Arm         {run.arm}, start {run.start}, preset {run.preset or NONE}",
        f"Started     {run.started_utc}, {run.status.value} {run.ended_utc or ''}".rstrip(),
        *_where(run),
        f"Settings    {_settings(changed_settings(run.settings_requested))} ({verified})",
        f"MTP         {_mtp(run)}",
        f"Load        {NONE if run.load_ms is None else f'{run.load_ms / 1e3:.1f} s'}",
        f"Memory      {_memory(run)}",
    ]
    if run.failure is not None:
        lines.append(f"Failure     {run.failure.sentence()} {run.failure.hint()}".rstrip())
    if row.note:
        lines.append(f"Note        {row.note}")
    return lines


def _where(run: RunRecord) -> list[str]:
    sample = " (sample)" if run.model.is_sample else ""
    return [
        f"Model       {run.model.name} {run.model.quant}{sample}, {run.model.path}",
        f"Engine      {run.engine.version} ({run.engine.ref.kind})",
        f"Device      {', '.join(device_names(run))}",
    ]


def _mtp(run: RunRecord) -> str:
    if not run.settings_requested.mtp:
        return "off"
    return {True: "active", False: "asked for, but not active", None: "asked for, not proved"}[run.mtp_active]


def _memory(run: RunRecord) -> str:
    memory = run.memory
    if memory is None:
        return NONE
    kind = "VRAM" if memory.kind == "vram" else "engine RAM"
    named = (("before", memory.before), ("loaded", memory.loaded), ("peak", memory.peak))
    known = [f"{name} {value / MIB:.0f} MiB" for name, value in named if value is not None]
    spill = f", spill {memory.spill}" if memory.kind == "vram" else ""
    return f"{kind} {', '.join(known) or NONE}{spill}"


def _settings(values: dict[str, SettingValue]) -> str:
    return ", ".join(f"{key}={_word(value)}" for key, value in values.items()) or "all at their defaults"


def settings_table(
    different: Mapping[str, Sequence[SettingValue]], names: Sequence[str]
) -> list[RenderableType]:
    """Settings that are not the same everywhere, one column for each name."""
    if not different:
        return [Text("The settings are the same.")] if len(names) > 1 else []
    table = _table("Settings that differ", ("setting", *names))
    drafts = different.get("mtp", (True,) * len(names))
    for key, values in different.items():
        # How to draft says nothing of an arm that does not.
        said = [bool(draft) or not SETTINGS[key].needs_mtp for draft in drafts]
        words = (_word(value) if known else NONE for value, known in zip(values, said, strict=True))
        table.add_row(key, *map(_cell, words))
    return [table]


def _figures_table(source: ExportRun) -> RenderableType:
    found = arm_figures(source.requests)
    columns = ("median", "low", "high", "p90", "n")
    table = _table("", ("figure", *columns), columns)
    for name, digits, figure in SPREADS:
        spread = figure(found)
        if spread is not None:
            values = (spread.median, spread.low, spread.high, spread.p90)
            table.add_row(name, *(_figure(value, digits) for value in values), str(spread.n))
    accepted = found.acceptance
    if accepted is not None:
        table.add_row("accepted", f"{accepted.rate:.1%}")
        table.add_row("L", _figure(accepted.mean_len, 2))
    return table if table.rows else Text("No request counts.")


def _requests_table(requests: Sequence[RequestRecord]) -> RenderableType:
    if not requests:
        return Text("No request was sent.")
    right = ("#", "in", "out", "tok/s", "TTFT ms", "total ms", "accepted")
    table = _table("Requests", ("#", "phase", "prompt", *right[1:], "state"), right)
    for record in requests:
        times = record.times
        accepted = figures.acceptance(times, record.drafts)
        tokens = (figures.prompt_tokens(times), figures.output_tokens(times))
        table.add_row(
            str(record.index),
            record.phase,
            _cell(record.prompt_id),
            *(NONE if count is None else str(count) for count in tokens),
            _figure(figures.decode_tok_s(times), 1),
            _figure(figures.ttft_ms(times), 0),
            _figure(figures.total_ms(times), 0),
            NONE if accepted is None else f"{accepted.rate:.1%}",
            _cell(_state(record)),
        )
    return table


def _state(record: RequestRecord) -> str:
    times = record.times
    if times.cancelled:
        return "cancelled"
    if times.failure is not None:
        return times.failure.sentence()
    if record.marks:
        return record.marks[0].sentence()
    return times.finish_reason or "no end"


def _marks(row: RunSummary) -> str:
    named = (
        (row.starred, "star"),
        (row.outlier, "outlier"),
        (bool(row.note), "note"),
        (row.deleted_utc is not None, "deleted"),
    )
    return ", ".join(name for there, name in named if there)


def _decision(row: RunSummary) -> str:
    """The verdict of the run's experiment, with what it says of this run's arm."""
    if row.decision is None:
        return NONE
    decision = DECISIONS.get(row.decision, row.decision)
    return decision if row.ratio is None else f"{decision} {gain(row.ratio)} %"


def _word(value: SettingValue) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _figure(value: float | None, digits: int) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


def _table(title: str, columns: Sequence[str], right: Sequence[str] = ()) -> Table:
    table = Table(title=title or None, title_justify="left")
    for name in columns:
        table.add_column(_cell(name), justify="right" if name in right else "left", overflow="fold")
    return table


def _cell(text: str) -> Text:
    return Text(printable(text))


def _lines(lines: Sequence[str]) -> list[RenderableType]:
    return [_cell(line) for line in lines]
