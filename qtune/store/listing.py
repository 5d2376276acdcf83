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
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, Row, Select, Text, cast, func, select

from qtune.core.codec import decode
from qtune.core.history_query import FilterColumn, HistoryCounts, HistoryQuery, Keys, RunSummary, words
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.store import schema
from qtune.store.rows import clean_text

_TABLE = schema.SUMMARIES


def keys_in_order(connection: Connection, query: HistoryQuery) -> Keys:
    """Keys of the runs that pass, in the order asked for, groups left aside."""
    column = _TABLE.c[query.sort]
    order = _order(connection, column).nulls_first()
    ordered = _keys(connection, select(_TABLE.c.run_key).order_by(order, _TABLE.c.run_key))
    # The walk may take an index only from end to end, so those without the figure, which come last either
    # way, are told apart by their number.
    nothing = 0
    if column.nullable:
        without = select(func.count()).select_from(_TABLE).where(column.is_(None))
        nothing = int(connection.execute(without).scalar_one())
    empty, present = ordered[:nothing], ordered[nothing:]
    if query.descending:
        empty, present = empty[::-1], present[::-1]
    found = np.concatenate([present, empty])
    conditions = _conditions(query)
    if not conditions:
        return found
    if len(conditions) == 1 and query.deleted == "hidden":
        # The usual question: nearly all pass, and the few that do not stand together in an index.
        return _marked(found, _keys(connection, _few_deleted()), wanted=False)
    return _marked(found, passing(connection, query), wanted=True)


def passing(connection: Connection, query: HistoryQuery) -> Keys:
    """Keys of the runs that pass the filters, in no order."""
    return _keys(connection, select(_TABLE.c.run_key).where(*_conditions(query)))


def count(connection: Connection, query: HistoryQuery) -> int:
    """How many runs pass."""
    found = select(func.count()).select_from(_TABLE).where(*_conditions(query))
    return int(connection.execute(found).scalar_one())


def groups(connection: Connection, keys: Keys) -> Keys:
    """The experiment of each key, as a number that holds for this call only."""
    column = _TABLE.c.experiment_id
    members = _keys(connection, select(_TABLE.c.run_key).order_by(column, _TABLE.c.run_key))
    counted = select(func.count().label("size")).select_from(_TABLE)
    sizes = _keys(connection, counted.group_by(column).order_by(column))
    group_of = np.zeros(_room(keys, members), np.int64)
    group_of[members] = np.repeat(np.arange(sizes.size), sizes)
    return group_of[keys]


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


def rows(connection: Connection, keys: Sequence[int]) -> dict[int, RunSummary]:
    """Rows by key; keys that are gone have none."""
    query = (
        select(*_COLUMNS)
        .join(schema.RUNS, schema.RUNS.c.key == _TABLE.c.run_key)
        .where(_TABLE.c.run_key.in_(keys))
    )
    found = (_row(row) for row in connection.execute(query).all())
    return {row.key: row for row in found}


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
    return np.fromstring(text, np.int64, sep=",") if text else np.empty(0, np.int64)


def _marked(ordered: Keys, named: Keys, *, wanted: bool) -> Keys:
    """Those that are named, or those that are not, in their order."""
    passes = np.full(_room(ordered, named), not wanted, np.bool_)
    passes[named] = wanted
    return ordered[passes[ordered]]


def _room(*keys: Keys) -> int:
    return 1 + max((int(some.max()) for some in keys if some.size), default=0)
