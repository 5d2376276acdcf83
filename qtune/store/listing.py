"""The table of runs: keys in order for a query, and rows of it.

Two statements answer a query. One reads all keys in order out of the index of the sorted column, the other
finds the keys that pass the filters in one walk over the narrow rows; the keys of both are brought together
in memory. Left to itself the database would either sort what it found, or follow the index and look up row
after row in no order: 100 000 runs take each of them several times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from sqlalchemy import Column, ColumnElement, Connection, Row, Select, Text, cast, func, select

from qtune.core.codec import decode
from qtune.core.history_query import (
    ExperimentSummary,
    FilterColumn,
    HistoryCounts,
    HistoryQuery,
    Keys,
    Marked,
    RunSummary,
    words,
)
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.core.verdict import BASELINE, Ratio
from qtune.store import schema
from qtune.store.rows import clean_text

_TABLE = schema.SUMMARIES


def keys_in_order(connection: Connection, query: HistoryQuery) -> Keys:
    """Keys of the runs that pass, in the order asked for, groups left aside."""
    if query.sort == "decision":
        found = _by_verdict(connection, descending=query.descending)
    else:
        found = _by_column(connection, _TABLE.c[query.sort], descending=query.descending)
    conditions = _conditions(query)
    if not conditions:
        return found
    if len(conditions) == 1 and query.deleted == "hidden":
        # The usual question: nearly all pass, and the few that do not stand together in an index.
        return _marked(found, _keys(connection, _few_deleted()), wanted=False)
    return _marked(found, passing(connection, query), wanted=True)


def _by_column(connection: Connection, column: Column[Any], *, descending: bool) -> Keys:
    order = _order(connection, column).nulls_first()
    ordered = _keys(connection, select(_TABLE.c.run_key).order_by(order, _TABLE.c.run_key))
    # The walk may take an index only from end to end, so those without the figure, which come last either
    # way, are told apart by their number.
    nothing = 0
    if column.nullable:
        without = select(func.count()).select_from(_TABLE).where(column.is_(None))
        nothing = int(connection.execute(without).scalar_one())
    empty, present = ordered[:nothing], ordered[nothing:]
    if descending:
        empty, present = empty[::-1], present[::-1]
    return np.concatenate([present, empty])


_RANKS: Final = {"mtp_not_active": 2, "too_few": 3, "worse": 4, "no_difference": 5, "better": 6}
"""Decisions from the one that says least to the best; one that is not known comes before them all."""
_LAST: Final = 7


def _by_verdict(connection: Connection, *, descending: bool) -> Keys:
    """By the decision, within it by the gain; runs that were not judged themselves come last either way."""
    ordered = _by_column(connection, _TABLE.c.ratio, descending=descending)
    decision, key = _TABLE.c.decision, _TABLE.c.run_key
    # Each from an index alone; asked for together they would be looked up in the rows.
    together = select(decision, func.aggregate_strings(cast(key, Text), ",")).where(decision.is_not(None))
    decided = {str(name): _numbers(text) for name, text in connection.execute(together.group_by(decision))}
    undone = [status.value for status in RunStatus if status is not RunStatus.DONE]
    unjudged = [
        _keys(connection, select(key).where(condition))
        for condition in (_TABLE.c.arm == BASELINE, _TABLE.c.status.in_(undone))
    ]
    last = 0 if descending else _LAST
    rank_of = np.full(_room(ordered, *decided.values(), *unjudged), last, np.int8)
    for name, keys in decided.items():
        rank_of[keys] = _RANKS.get(name, 1)
    rank_of[np.concatenate(unjudged)] = last
    mine = rank_of[ordered]
    return ordered[np.argsort(-mine if descending else mine, kind="stable")]


def passing(connection: Connection, query: HistoryQuery) -> Keys:
    """Keys of the runs that pass the filters, in no order."""
    return _keys(connection, select(_TABLE.c.run_key).where(*_conditions(query)))


def count(connection: Connection, query: HistoryQuery) -> int:
    """How many runs pass."""
    found = select(func.count()).select_from(_TABLE).where(*_conditions(query))
    return int(connection.execute(found).scalar_one())


def groups(connection: Connection, keys: Keys, query: HistoryQuery) -> tuple[Keys, Keys]:
    """The experiment of each key, by the smallest key of its runs, and how many runs it has in all."""
    # As one text, since rows take longer to fetch than to find; nobody promises an order in it.
    mates = select(func.aggregate_strings(cast(_TABLE.c.run_key, Text), ",").label("keys"))
    each = mates.group_by(_TABLE.c.experiment_id).subquery()
    text = connection.execute(select(func.aggregate_strings(each.c["keys"], ";"))).scalar() or ""
    members = _numbers(text.replace(";", ","))
    if not members.size:
        return keys, keys
    characters = np.frombuffer(text.encode(), np.uint8)
    between = characters[(characters == ord(",")) | (characters == ord(";"))]
    sizes = np.diff(np.flatnonzero(between == ord(";")), prepend=-1, append=between.size)
    group_of = np.zeros(_room(keys, members), np.int64)
    group_of[members] = np.repeat(np.arange(sizes.size), sizes)
    totals = sizes
    if query.deleted != "shown":
        deleted = np.bincount(group_of[_keys(connection, _few_deleted())], minlength=sizes.size)
        totals = deleted if query.deleted == "only" else sizes - deleted
    mine = group_of[keys]
    return np.minimum.reduceat(members, np.cumsum(sizes) - sizes)[mine], totals[mine]


def distinct(connection: Connection, column: FilterColumn) -> list[tuple[str, int]]:
    """Values of a column with the number of runs that have them, in their order; deleted runs left out.

    Runs without a value count under the empty text.
    """
    value = _scanned(column)
    query = select(value, func.count()).where(_scanned("deleted_utc") == "").group_by(value)
    found = [(str(text), int(number)) for text, number in connection.execute(query)]
    return sorted(found, key=lambda one: (one[0].casefold(), one[0]))


def counts(connection: Connection) -> HistoryCounts:
    """How many runs there are of each sort."""
    here = _TABLE.c.deleted_utc.is_(None)

    def number(condition: ColumnElement[bool]) -> ColumnElement[int]:
        return func.count().filter(condition)

    row = connection.execute(
        select(
            number(here),
            func.count(_TABLE.c.experiment_id.distinct()).filter(here),
            func.coalesce(func.sum(_TABLE.c.requests).filter(here), 0),
            number(here & (_TABLE.c.status == RunStatus.FAILED.value)),
            number(here & _TABLE.c.starred),
            number(here & _TABLE.c.outlier),
            number(~here),
        ).select_from(_TABLE)
    ).one()
    return HistoryCounts(*(int(value) for value in row))


def marks(connection: Connection, keys: Sequence[int]) -> Marked:
    """How many of these runs there are, and which marks they carry."""

    def number(condition: ColumnElement[bool]) -> ColumnElement[int]:
        return func.count().filter(condition)

    table = _TABLE.c
    asked = select(
        func.count(), number(table.starred), number(table.outlier), number(table.deleted_utc.is_not(None))
    )
    row = connection.execute(asked.select_from(_TABLE).where(table.run_key.in_(keys))).one()
    return Marked(*(int(value) for value in row))


def rows(connection: Connection, keys: Sequence[int]) -> dict[int, RunSummary]:
    """Rows by key; keys that are gone have none."""
    query = (
        select(*_COLUMNS)
        .join(schema.RUNS, schema.RUNS.c.key == _TABLE.c.run_key)
        .where(_TABLE.c.run_key.in_(keys))
    )
    found = (_row(row) for row in connection.execute(query).all())
    return {row.key: row for row in found}


def headings(connection: Connection, keys: Sequence[int]) -> dict[int, ExperimentSummary]:
    """The experiment of each of these runs, by the key of the run; keys that are gone have none."""
    table, experiments = _TABLE, schema.EXPERIMENTS
    asked = (
        select(table.c.run_key, *(experiments.c[name] for name in ("id", "kind", "created_utc", "verdict")))
        .join(experiments, experiments.c.id == table.c.experiment_id)
        .where(table.c.run_key.in_(keys))
    )
    rows = connection.execute(asked).all()
    ends = [end(table.c[name]) for name in ("model", "quant") for end in (func.min, func.max)]
    of = table.c.experiment_id
    models = select(of, *ends).where(of.in_({row.id for row in rows})).group_by(of)
    named = {name: found for name, *found in connection.execute(models)}
    return {row.run_key: _heading(row, named[row.id]) for row in rows}


def _heading(row: Row[Any], named: Sequence[str]) -> ExperimentSummary:
    first_model, last_model, first_quant, last_quant = named
    verdict = row.verdict or {}
    # A part of it: the whole verdict takes longer to read than everything else here.
    ratios = {one.arm: one.ratio for one in decode(tuple[Ratio, ...], verdict.get("ratios", []))}
    arm = verdict.get("winner") or max(ratios, key=lambda name: ratios[name], default=None)
    return ExperimentSummary(
        key=row.run_key,
        experiment_id=row.id,
        kind=row.kind,
        created_utc=row.created_utc,
        model=first_model if first_model == last_model else None,
        quant=first_quant if first_quant == last_quant else None,
        decision=verdict.get("decision"),
        arm=arm,
        ratio=ratios.get(arm),
    )


def _column(name: str) -> ColumnElement[Any]:
    """Where a field of a row comes from; see :func:`_row` for the two that are more than a column."""
    named = {"key": _TABLE.c.run_key, "figures_known": _TABLE.c.version}
    if name in named:
        return named[name]
    return _TABLE.c[name] if name in _TABLE.c else schema.RUNS.c[name]


_FIELDS = tuple(field.name for field in fields(RunSummary))
_COLUMNS = tuple(_column(name) for name in _FIELDS)
_STATUS, _FAILURE, _NOTE, _KNOWN = map(_FIELDS.index, ("status", "failure", "note", "figures_known"))


def _row(row: Row[Any]) -> RunSummary:
    # By position: looking up forty names in each row takes as long as reading it.
    values = list(row)
    values[_STATUS] = _STATUSES[values[_STATUS]]
    values[_NOTE] = values[_NOTE] or ""
    values[_KNOWN] = values[_KNOWN] != 0
    if values[_FAILURE] is not None:
        values[_FAILURE] = decode(Message, values[_FAILURE])
    return RunSummary(*values)


_STATUSES = {status.value: status for status in RunStatus}


# -- filters -----------------------------------------------------------------------------------------------


def _conditions(query: HistoryQuery) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if query.deleted == "only":
        found.append(_TABLE.c.deleted_utc.is_not(None))
    elif query.deleted == "hidden":
        found.append(_scanned("deleted_utc") == "")
    for column, values in query.values.items():
        found.append(_scanned(column).in_([clean_text(value) for value in values]))
    if query.experiments:
        found.append(_TABLE.c.experiment_id.in_(query.experiments))
    if query.since is not None:
        found.append(_scanned("started_utc") >= _moment(query.since))
    if query.until is not None:
        found.append(_scanned("started_utc") < _moment(query.until))
    if query.starred:
        found.append(_TABLE.c.starred)
    if query.unstarred:
        found.append(~_TABLE.c.starred)
    if query.outliers != "shown":
        found.append(_TABLE.c.outlier if query.outliers == "only" else ~_TABLE.c.outlier)
    found += [_TABLE.c.search.contains(clean_text(word), autoescape=True) for word in words(query.text)]
    return found


def _scanned(name: str) -> ColumnElement[str]:
    """A column of text as an expression, nothing as the empty text; its index is of no use then.

    Most runs pass most filters, and looking each of them up from an index takes longer than one walk.
    """
    column = _TABLE.c[name]
    return func.coalesce(column, "", type_=column.type)


def _moment(at: datetime) -> str:
    """A bound as text that sorts before every spelling of this second's zone."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _order(connection: Connection, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """What a column is sorted by: for names, the type of the column does it where it can leave case aside."""
    folds = connection.dialect.name == "sqlite"
    return func.lower(column) if column.type is schema.NAME and not folds else column


# -- keys as one text --------------------------------------------------------------------------------------


def _few_deleted() -> Select[Any]:
    return select(_TABLE.c.run_key).where(_TABLE.c.deleted_utc.is_not(None))


def _keys(connection: Connection, query: Select[Any]) -> Keys:
    """Numbers of a statement, in its order; as one text, since rows take longer to fetch than to find.

    Other databases promise no order of what they put together.
    """
    if connection.dialect.name != "sqlite":
        return np.fromiter(connection.execute(query).scalars(), np.int64)
    (number,) = query.subquery().c
    text = connection.execute(select(func.aggregate_strings(cast(number, Text), ","))).scalar()
    return _numbers(text)


def _numbers(text: str | None) -> Keys:
    return np.fromstring(text, np.int64, sep=",") if text else np.empty(0, np.int64)


def _marked(ordered: Keys, named: Keys, *, wanted: bool) -> Keys:
    """Those that are named, or those that are not, in their order."""
    passes = np.full(_room(ordered, named), not wanted, np.bool_)
    passes[named] = wanted
    return ordered[passes[ordered]]


def _room(*keys: Keys) -> int:
    return 1 + max((int(some.max()) for some in keys if some.size), default=0)
