"""Runs as lines of a table, from what is kept beside their summaries; what repeats is read back once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import JSON, Column, ColumnElement, Connection, Text, cast, select

from qtune.core.records import RunStatus
from qtune.core.run_line import Readings, RunLine, Standing
from qtune.store import schema, summaries
from qtune.store.rows import RUN_VALUES, Facts, FactsKey, run_value

_REMEMBERED = 20_000
"""Different values of a column that are kept: settings, cards and reasons repeat from run to run."""
_kept: dict[str, dict[str | None, Any]] = {column: {} for column in RUN_VALUES}


def _value(column: str, text: str | None) -> Any:  # noqa: ANN401 - RUN_VALUES says what comes out
    """Value of a column of JSON that was fetched as text; equal texts give the same object."""
    kept = _kept[column]
    try:
        return kept[text]
    except KeyError:
        if len(kept) >= _REMEMBERED:
            kept.clear()
        return kept.setdefault(text, run_value(column, None if text is None else json.loads(text)))


def _read(column: Column[Any]) -> ColumnElement[Any]:
    return cast(column, Text) if isinstance(column.type, JSON) else column


_RUN = (
    "key", "machine", "engine", "model", "id", "experiment_id", "arm", "preset", "start", "status", "failure",
    "started_utc", "ended_utc", "gpus", "settings_requested", "mtp_active", "load_ms", "notes",
)  # fmt: skip
_runs, _summary, _figures = schema.RUNS, schema.SUMMARIES, schema.FIGURES
_STANDING = tuple(_runs.c.note if name == "note" else _summary.c[name] for name in Standing._fields)
_KEPT_LINES = (
    select(
        *(_read(_runs.c[name]) for name in _RUN),
        *_STANDING,
        _figures.c.figures,
        *(_figures.c[name] for name in Readings._fields),
    )
    .join(_summary, _summary.c.run_key == _runs.c.key)
    .join(_figures, _figures.c.run_key == _summary.c.run_key)
    .where(_summary.c.version == summaries.VERSION, _summary.c.status != RunStatus.RUNNING.value)
)


def kept_lines(
    connection: Connection,
    keys: Sequence[int],
    facts_of: Callable[[Connection, Iterable[FactsKey]], Mapping[FactsKey, Facts]],
) -> dict[int, RunLine]:
    """Lines of these runs by key; those that run, and those of older rules, are not among them."""
    rows = connection.execute(_KEPT_LINES.where(_runs.c.key.in_(keys))).all()
    facts = facts_of(connection, {row[1:4] for row in rows})
    found = {}
    for (
        key, machine, engine, model, run_id, experiment_id, arm, preset, start, status, failure, started_utc,
        ended_utc, gpus, settings_requested, mtp_active, load_ms, notes, kind, decision, ratio, starred,
        outlier, note, figures, *read,
    ) in rows:  # fmt: skip
        shared = facts[machine, engine, model]
        # By place: with names it takes a third longer.
        found[key] = RunLine(
            run_id,
            experiment_id,
            arm,
            preset,
            start,
            status,
            _value("failure", failure),
            started_utc,
            ended_utc,
            shared.model,
            shared.engine,
            shared.machine,
            _value("gpus", gpus),
            _value("settings_requested", settings_requested),
            mtp_active,
            load_ms,
            _value("notes", notes),
            figures,
            Readings._make(read),
            Standing(kind, decision, ratio, starred, outlier, note or ""),
        )
    return found


def standings(connection: Connection, keys: Sequence[int]) -> dict[int, Standing]:
    """What is told of these runs beside their records; one without a summary is not among them."""
    query = select(_runs.c.key, *_STANDING).join(_summary, _summary.c.run_key == _runs.c.key)
    rows = connection.execute(query.where(_runs.c.key.in_(keys))).all()
    return {key: Standing._make((*told, note or "")) for key, *told, note in rows}
