"""The ladder for a person: footings in words, rungs with their price, steps, incidents, known failures.

Text from files and engines is never markup and never moves the cursor.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from qtune.cli.doctor_tables import GIB, NONE
from qtune.cli.printing import printable
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing, RungView
from qtune.core.messages import gain, text_of
from qtune.session.requests import LadderReport
from qtune.session.trials import Trial

NEWEST_SHOWN = 15
DIRECTIONS = {"start": "start", "down": "down", "up": "up", "retry": "again"}


def footing_words(footing: Footing) -> str:
    """Preset, context, MTP and file, in one line."""
    settings = footing.settings
    mtp = f"MTP on (n_max {settings.n_max})" if settings.mtp else "MTP off"
    model = PurePath(footing.model_path).name
    return f"{footing.preset or 'custom'}, context {settings.ctx_size}, {mtp}, {model}"


def incident_lines(incident: Incident) -> list[str]:
    """What happened, its proof, what was done and what to do."""
    message, action = incident.message, incident.action
    lines = [f"{text_of(f'cause_{incident.cause.value}').sentence}: {message.sentence()}"]
    if incident.evidence and incident.evidence not in lines[0]:
        lines.append(f"Evidence: {incident.evidence}")
    if action is not None:
        lines.append(f"What is done: {action.sentence()}")
    hint = message.hint() or ("" if action is None else action.hint())
    if hint:
        lines.append(f"Next: {hint}")
    return lines


def parts(report: LadderReport) -> list[RenderableType]:
    """Everything ``qtune ladder`` shows."""
    shown: list[RenderableType] = _heads(report)
    if report.rungs:
        shown.append(_rungs(report.rungs))
    if report.bad:
        shown.append(_bad(report.bad))
    if report.steps:
        shown.append(_steps(report.steps[:NEWEST_SHOWN]))
    if report.incidents:
        shown.append(_incidents(report.incidents[:NEWEST_SHOWN]))
    return shown


def _heads(report: LadderReport) -> list[RenderableType]:
    lines = [f"Asked last     {NONE if report.asked is None else footing_words(report.asked)}"]
    lines += [f"{'Running' if t.phase == 'running' else 'Starting':<15}{_dated(t)}" for t in report.running]
    lines.append(f"Last good      {NONE if report.last_good is None else _dated(report.last_good)}")
    if report.default is not None:
        lines.append(f"Your default   {_dated(report.default)}")
    if report.stale is not None:
        told = report.stale.told_stale()
        lines.append(f"Broken off     {_dated(report.stale)}")
        lines.append(f"* {told.sentence()} {told.hint()}")
    return [Text(printable(line)) for line in lines]


def _dated(trial: Trial) -> str:
    return f"{footing_words(trial.footing)} ({trial.engine}, {trial.at_utc})"


def _table(title: str, *columns: str, right: Sequence[str] = ()) -> Table:
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table


def _rungs(rungs: Sequence[RungView]) -> Table:
    figures = ("tok/s now", "tok/s then", "price", "GiB then")
    table = _table("Rungs below what was asked", "rung", "what it does", *figures, right=figures)
    for number, view in enumerate(rungs, 1):
        before, after = view.before, view.after
        table.add_row(
            str(number),
            _cell(view.rung.describe().sentence()),
            _figure(None if before is None else before.decode_tok_s),
            _figure(None if after is None else after.decode_tok_s),
            NONE if view.price is None else f"{gain(view.price)} %",
            NONE if after is None or after.memory_bytes is None else f"{after.memory_bytes / GIB:.1f}",
        )
    return table


def _bad(trials: Sequence[Trial]) -> Table:
    table = _table("Known to fail", "settings", "engine", "since", "why")
    for trial in trials:
        reason = "" if trial.reason is None else trial.reason.sentence()
        row = (footing_words(trial.footing), trial.engine, trial.at_utc, reason)
        table.add_row(*map(_cell, row))
    return table


def _steps(steps: Sequence[LadderStep]) -> Table:
    figures = ("load s", "tok/s")
    table = _table("Newest steps", "when", "step", "to", "by", "proved", *figures, "why", right=figures)
    for step in steps:
        name = DIRECTIONS[step.direction] + ("" if step.kind is None else f": {step.kind}")
        table.add_row(
            _cell(step.at_utc),
            _cell(name),
            _cell(footing_words(step.after)),
            "you" if step.by == "user" else "itself",
            "yes" if step.verified else "no",
            _figure(None if step.load_ms is None else step.load_ms / 1e3),
            _figure(step.decode_tok_s),
            _cell("" if step.reason is None else step.reason.sentence()),
        )
    return table


def _incidents(incidents: Sequence[Incident]) -> Table:
    table = _table("Newest incidents", "when", "what", "with")
    for incident in incidents:
        table.add_row(
            _cell(incident.at_utc),
            _cell(" ".join(incident_lines(incident))),
            _cell(footing_words(incident.footing)),
        )
    return table


def _cell(text: str) -> Text:
    return Text(printable(text))


def _figure(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"
