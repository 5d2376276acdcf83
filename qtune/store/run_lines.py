"""Many runs with their figures for an export, without their requests; what repeats is read back once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import JSON, Column, ColumnElement, Connection, RowMapping, Text, cast, literal, select

from qtune.core.records import RunStatus
from qtune.store import schema, summaries
from qtune.store.rows import RUN_VALUES, run_value

_REMEMBERED = 20_000
"""Different values of a column that are kept: settings, cards and reasons repeat from run to run."""
_kept: dict[str, dict[str | None, Any]] = {column: {} for column in RUN_VALUES}


def read_text(column: str, text: str | None) -> Any:  # noqa: ANN401 - RUN_VALUES says what comes out
    """Value of a column of JSON that was fetched as text; equal texts give the same object."""
    kept = _kept[column]
    try:
        return kept[text]
    except KeyError:
        if len(kept) >= _REMEMBERED:
            kept.clear()
        return kept.setdefault(text, run_value(column, None if text is None else json.loads(text)))


_JSON = frozenset(column.name for column in schema.RUNS.c if isinstance(column.type, JSON))
_LEFT_OUT = frozenset({"argv", "environment"})
"""No table shows them, and no two runs have the same."""


def _read(column: Column[Any]) -> ColumnElement[Any]:
    if column.name in _LEFT_OUT:
        return literal("[]").label(column.name)
    return cast(column, Text).label(column.name) if column.name in _JSON else column


_NOT_A_RECORD = frozenset(
    {"owner_pid", "owner_started", "computer", "starred", "outlier", "note", "deleted_utc"}
)
"""Who wrote the run, and what the user said of it."""
_COLUMNS = tuple(_read(column) for column in schema.RUNS.c if column.name not in _NOT_A_RECORD)


def run_rows(connection: Connection, keys: Sequence[int]) -> Sequence[RowMapping]:
    """Rows of these runs in no order, their JSON as text for :func:`read_text`.

    Command line and environment are left out. ``figures`` holds a run's figures; None where they are not
    known, or were derived by older rules.
    """
    runs, summary, table = schema.RUNS, schema.SUMMARIES, schema.FIGURES
    fresh = (
        (summary.c.run_key == runs.c.key)
        & (summary.c.version == summaries.VERSION)
        & (summary.c.status != RunStatus.RUNNING.value)
    )
    joined = runs.outerjoin(summary, fresh).outerjoin(table, table.c.run_key == summary.c.run_key)
    query = select(*_COLUMNS, table.c.figures.label("figures")).select_from(joined)
    return connection.execute(query.where(runs.c.key.in_(keys))).mappings().all()
