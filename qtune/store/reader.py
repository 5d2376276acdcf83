"""Reads the history back as the core's records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, Table, func, select
from sqlalchemy.exc import DBAPIError

from qtune.core.changes import StackRun
from qtune.core.codec import decode
from qtune.core.engine_facts import EngineFacts
from qtune.core.history_query import (
    ExperimentSummary,
    FilterColumn,
    Groups,
    HistoryCounts,
    HistoryQuery,
    Keys,
    Marked,
    Named,
    RunSummary,
    grouped,
)
from qtune.core.incident import Incident, LadderStep
from qtune.core.machine_facts import MachineFacts, TelemetrySample
from qtune.core.model_facts import ModelFacts
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord
from qtune.core.run_line import RunLine, Standing, run_line
from qtune.core.taken_in import RunMarks
from qtune.core.verdict import Verdict
from qtune.store import listing, run_lines, schema, stacks
from qtune.store.entries import STAGED_UTC
from qtune.store.rows import (
    Facts,
    FactsKey,
    clean_text,
    experiment_record,
    incident_record,
    ladder_step_record,
    request_record,
    run_record,
)
from qtune.store.series import unpack_telemetry
from qtune.store.sources import ReadSource

_MANY = 500
"""Values in one ``IN``: databases limit the parameters of a statement."""
_FULL = 50
"""Runs read together with all their requests."""


_FACTS = ((schema.MACHINES, MachineFacts), (schema.ENGINES, EngineFacts), (schema.MODELS, ModelFacts))
"""Tables of what runs share, in the order of ``FactsKey``."""


class Known(NamedTuple):
    """Runs of a file that the history has already, by id.

    Attributes:
        stored: All of them, deleted or not.
        deleted: Those the user has deleted, in the order of the file.
        left: Those a broken import left hidden; they are in neither of the others.
    """

    stored: frozenset[str]
    deleted: tuple[str, ...]
    left: tuple[str, ...]


class Reader:
    """Reads from any thread, each call in a transaction of its own; never waits for the writer.

    Every method raises ``KnownError("history_not_readable")`` when the file cannot be read, or what there is
    to say of a database on another computer.
    """

    def __init__(self, source: ReadSource) -> None:
        """Take over where connections come from."""
        self._source = source
        # Facts are few and never change under their hash.
        self._facts: dict[tuple[str, str], Any] = {}
        self._shared: dict[FactsKey, Facts] = {}

    def experiment(self, experiment_id: str) -> ExperimentRecord | None:
        """One experiment, None if there is none of this id."""
        table = schema.EXPERIMENTS
        with self._connection() as connection:
            row = _first(connection, select(table).where(table.c.id == experiment_id))
        return None if row is None else experiment_record(row)

    def run(self, run_id: str) -> RunRecord | None:
        """One run, None if there is none of this id."""
        found = self._runs(select(schema.RUNS).where(schema.RUNS.c.id == run_id))
        return found[0] if found else None

    def runs(
        self,
        experiment_id: str | None = None,
        limit: int | None = None,
        *,
        newest_first: bool = True,
        deleted: bool = False,
    ) -> list[RunRecord]:
        """Runs in the order they were started.

        Args:
            experiment_id: Only those of one experiment; without, only those of this computer where several
                share the history.
            limit: At most so many, from the beginning of the order.
            newest_first: The last started first.
            deleted: Those marked as deleted, which are left out else, and no others.
        """
        runs = schema.RUNS
        order = (runs.c.started_utc, runs.c.key)
        query = select(runs).order_by(*(column.desc() for column in order) if newest_first else order)
        query = query.where(runs.c.deleted_utc.is_not(None) if deleted else runs.c.deleted_utc.is_(None))
        if experiment_id is None:
            query = query.where(*self._source.own(runs))
        else:
            query = query.where(runs.c.experiment_id == experiment_id)
        return self._runs(query.limit(limit))

    def verdict(self, experiment_id: str) -> Verdict | None:
        """What an experiment came to; None when it is unknown or has not come to an end."""
        table = schema.EXPERIMENTS
        with self._connection() as connection:
            row = _first(connection, select(table.c.verdict).where(table.c.id == experiment_id))
        return None if row is None else decode(Verdict | None, row["verdict"])

    # -- the table of runs ---------------------------------------------------------------------------------

    def run_ids(self, query: HistoryQuery) -> Keys:
        """Keys of the runs that pass a query, in its order."""
        return self.grouped_run_ids(query)[0]

    def grouped_run_ids(self, query: HistoryQuery) -> tuple[Keys, Groups | None]:
        """Keys as :meth:`run_ids` gives them, and the experiments in them when the query groups."""
        with self._connection() as connection:
            keys = listing.keys_in_order(connection, query)
            if not query.grouped:
                return keys, None
            return grouped(keys, *listing.groups(connection, keys, query))

    def headings(self, keys: Iterable[int]) -> list[ExperimentSummary]:
        """The experiments of these runs in the order of the keys; runs that are gone are left out."""
        wanted, found = [int(key) for key in keys], dict[int, ExperimentSummary]()
        with self._connection() as connection:
            for at in range(0, len(wanted), _MANY):
                found |= listing.headings(connection, wanted[at : at + _MANY])
        return [found[key] for key in wanted if key in found]

    def page(self, keys: Iterable[int]) -> list[RunSummary]:
        """Rows of these runs in the order of the keys; those that are gone meanwhile are left out."""
        wanted, found = [int(key) for key in keys], dict[int, RunSummary]()
        with self._connection() as connection:
            for at in range(0, len(wanted), _MANY):
                found |= listing.rows(connection, wanted[at : at + _MANY])
        return [found[key] for key in wanted if key in found]

    def count(self, query: HistoryQuery) -> int:
        """How many runs pass a query."""
        with self._connection() as connection:
            return listing.count(connection, query)

    def counts(self) -> HistoryCounts:
        """How many runs there are of each sort."""
        with self._connection() as connection:
            return listing.counts(connection)

    def marks(self, keys: Iterable[int]) -> Marked:
        """How many of these runs there are, and how many of them carry each mark."""
        wanted, found = [int(key) for key in keys], Marked()
        with self._connection() as connection:
            for at in range(0, len(wanted), _MANY):
                found += listing.marks(connection, wanted[at : at + _MANY])
        return found

    def keys_by_id(self, run_ids: Iterable[str]) -> list[int]:
        """Keys of runs by their ids, in this order; those that are gone are left out."""
        runs, wanted, found = schema.RUNS, list(run_ids), dict[str, int]()
        with self._connection() as connection:
            for at in range(0, len(wanted), _MANY):
                query = select(runs.c.id, runs.c.key).where(runs.c.id.in_(wanted[at : at + _MANY]))
                found |= dict(connection.execute(query).all())
        return [found[run_id] for run_id in wanted if run_id in found]

    def distinct(self, column: FilterColumn) -> list[tuple[str, int]]:
        """Values for the box of a filter, each with the number of runs; deleted runs are left out."""
        with self._connection() as connection:
            return listing.distinct(connection, column)

    def stack_runs(self, like: int | None = None) -> list[StackRun]:
        """Newest finished runs with what they stood on; ``like`` as in :func:`stacks.stack_runs`."""
        with self._connection() as connection:
            return stacks.stack_runs(connection, like)

    def ids_of(self, keys: Iterable[int], *, deleted: bool = True) -> list[str]:
        """Ids of runs by key, which the writer's marks take; those that are gone are left out.

        Args:
            keys: Of the runs.
            deleted: Whether runs that are marked as deleted are meant, too.
        """
        runs, wanted, found = schema.RUNS, [int(key) for key in keys], dict[int, str]()
        with self._connection() as connection:
            for at in range(0, len(wanted), _MANY):
                query = select(runs.c.key, runs.c.id).where(runs.c.key.in_(wanted[at : at + _MANY]))
                if not deleted:
                    query = query.where(runs.c.deleted_utc.is_(None))
                found |= dict(connection.execute(query).all())
        return [found[key] for key in wanted if key in found]

    def named(self, beginning: str, most: int = 10) -> Named:
        """Runs and experiments whose id begins so, deleted ones too; at most so many of each."""
        runs, experiments = schema.RUNS, schema.EXPERIMENTS

        def begins(table: Table) -> ColumnElement[bool]:
            # Compared and not searched: LIKE knows no upper case here, and wildcards everywhere.
            return func.substr(table.c.id, 1, len(wanted)) == wanted

        wanted = clean_text(beginning)
        some = select(runs.c.key, runs.c.id).where(begins(runs)).order_by(runs.c.id).limit(most)
        those = select(experiments.c.id).where(begins(experiments)).order_by(experiments.c.id).limit(most)
        with self._connection() as connection:
            return Named(
                {str(id_): int(key) for key, id_ in connection.execute(some)},
                tuple(str(id_) for (id_,) in connection.execute(those)),
            )

    def full(self, key: int) -> tuple[RunRecord, list[RequestRecord]] | None:
        """A run with all its requests; None when it is gone."""
        return next(self.fulls([key]), None)

    def fulls(self, keys: Iterable[int]) -> Iterator[tuple[RunRecord, list[RequestRecord]]]:
        """Runs with all their requests in the order of the keys, a few at a time; gone ones are left out.

        Each few are read in a transaction of their own, so that a long export holds nothing up.
        """
        return ((run, requests) for run, requests, _ in self.wholes(keys))

    def wholes(self, keys: Iterable[int]) -> Iterator[tuple[RunRecord, list[RequestRecord], RunMarks]]:
        """As :meth:`fulls`, with what the user said of each run."""
        wanted = [int(key) for key in keys]
        for at in range(0, len(wanted), _FULL):
            some = wanted[at : at + _FULL]
            with self._connection() as connection:
                found = self._wholes(connection, some)
            yield from (found[key] for key in some if key in found)

    def known(self, run_ids: Iterable[str]) -> Known:
        """Which of these runs are stored."""
        runs, wanted = schema.RUNS, list(run_ids)
        found: dict[str, str | None] = {}
        with self._connection() as connection:
            for at in range(0, len(wanted), _MANY):
                query = select(runs.c.id, runs.c.deleted_utc).where(runs.c.id.in_(wanted[at : at + _MANY]))
                found |= {row.id: row.deleted_utc for row in connection.execute(query)}
        left = [run_id for run_id, deleted in found.items() if deleted == STAGED_UTC]
        hidden = [run_id for run_id in wanted if found.get(run_id) not in {None, STAGED_UTC}]
        return Known(frozenset(found) - set(left), tuple(hidden), tuple(left))

    def lines(self, keys: Iterable[int]) -> Iterator[RunLine]:
        """Runs as lines of a table in the order of the keys; gone ones are left out.

        The figures are those beside the summary; requests are only read for runs that have none of this
        version. As in :meth:`fulls`, nothing is held between two transactions.
        """
        wanted = [int(key) for key in keys]
        for at in range(0, len(wanted), _MANY):
            some = wanted[at : at + _MANY]
            with self._connection() as connection:
                found = run_lines.kept_lines(connection, some, self._all_facts)
                if left := [key for key in some if key not in found]:
                    told = run_lines.standings(connection, left)
                    for key, (run, requests, marks) in self._wholes(connection, left).items():
                        said = Standing(starred=marks.starred, outlier=marks.outlier, note=marks.note)
                        found[key] = run_line(run, requests, told.get(key, said))
            yield from (found[key] for key in some if key in found)

    # ------------------------------------------------------------------------------------------------------

    def requests(self, run_id: str) -> list[RequestRecord]:
        """All requests of a run in the order of its plan."""
        requests, runs = schema.REQUESTS, schema.RUNS
        query = (
            select(requests)
            .join(runs, runs.c.key == requests.c.run_key)
            .where(runs.c.id == run_id)
            .order_by(requests.c.position)
        )
        with self._connection() as connection:
            return [request_record(run_id, row) for row in connection.execute(query).mappings()]

    def telemetry(self, run_id: str) -> list[TelemetrySample]:
        """Series of a run, empty when none was saved."""
        telemetry, runs = schema.TELEMETRY, schema.RUNS
        query = (
            select(telemetry.c.series)
            .join(runs, runs.c.key == telemetry.c.run_key)
            .where(runs.c.id == run_id)
        )
        with self._connection() as connection:
            row = _first(connection, query)
        return [] if row is None else unpack_telemetry(row["series"])

    def incidents(self, limit: int | None = None, *, newest_first: bool = True) -> list[Incident]:
        """Failures of servers of this computer in the order they happened.

        Args:
            limit: At most so many, from the beginning of the order.
            newest_first: The last one first.
        """
        query = self._in_time(schema.INCIDENTS, limit, newest_first=newest_first)
        with self._connection() as connection:
            return [incident_record(row) for row in connection.execute(query).mappings()]

    def ladder_steps(self, limit: int | None = None, *, newest_first: bool = True) -> list[LadderStep]:
        """Steps of this computer on the ladder in their order; arguments as in :meth:`incidents`."""
        query = self._in_time(schema.LADDER_STEPS, limit, newest_first=newest_first)
        with self._connection() as connection:
            return [ladder_step_record(row) for row in connection.execute(query).mappings()]

    def close(self) -> None:
        """Close the connections."""
        self._source.dispose()

    def _runs(self, query: Select[Any]) -> list[RunRecord]:
        with self._connection() as connection:
            return self._records(connection, connection.execute(query).mappings().all())

    def _wholes(
        self, connection: Connection, keys: Sequence[int]
    ) -> dict[int, tuple[RunRecord, list[RequestRecord], RunMarks]]:
        query = select(schema.RUNS).where(schema.RUNS.c.key.in_(keys))
        rows = connection.execute(query).mappings().all()
        requests = self._requests(connection, {row["key"]: row["id"] for row in rows})
        marks = [RunMarks(row["starred"], row["outlier"], row["note"] or "") for row in rows]
        told = zip(rows, self._records(connection, rows), marks, strict=True)
        return {row["key"]: (run, requests[row["key"]], of_run) for row, run, of_run in told}

    @staticmethod
    def _requests(connection: Connection, ids: Mapping[int, str]) -> dict[int, list[RequestRecord]]:
        requests = schema.REQUESTS
        query = select(requests).where(requests.c.run_key.in_(ids))
        found: dict[int, list[RequestRecord]] = {key: [] for key in ids}
        for row in connection.execute(query.order_by(requests.c.run_key, requests.c.position)).mappings():
            found[row["run_key"]].append(request_record(ids[row["run_key"]], row))
        return found

    def _records(self, connection: Connection, rows: Sequence[RowMapping]) -> list[RunRecord]:
        facts = self._all_facts(connection, ((r["machine"], r["engine"], r["model"]) for r in rows))
        return [run_record(row, facts[row["machine"], row["engine"], row["model"]]) for row in rows]

    def _all_facts(self, connection: Connection, hashes: Iterable[FactsKey]) -> Mapping[FactsKey, Facts]:
        if missing := set(hashes) - self._shared.keys():
            of_kind = [
                self._facts_of(connection, table, kind, set(some))
                for (table, kind), some in zip(_FACTS, zip(*missing, strict=True), strict=True)
            ]
            for one in missing:
                self._shared[one] = Facts(*(found[it] for found, it in zip(of_kind, one, strict=True)))
        return self._shared

    def _facts_of(self, connection: Connection, table: Table, kind: type, hashes: set[str]) -> dict[str, Any]:
        missing = [one for one in hashes if (table.name, one) not in self._facts]
        for at in range(0, len(missing), _MANY):
            query = select(table.c.hash, table.c.facts).where(table.c.hash.in_(missing[at : at + _MANY]))
            for one, facts in connection.execute(query):
                self._facts[table.name, one] = decode(kind, facts)
        return {one: self._facts[table.name, one] for one in hashes}

    def _in_time(self, table: Table, limit: int | None, *, newest_first: bool) -> Select[Any]:
        order = (table.c.at_utc, table.c.key)
        by_time = (column.desc() for column in order) if newest_first else order
        return select(table).where(*self._source.own(table)).order_by(*by_time).limit(limit)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        try:
            with self._source.engine().connect() as connection:
                yield connection
        except DBAPIError as error:
            raise self._source.explained(error) from error


def _first(connection: Connection, query: Select[Any]) -> RowMapping | None:
    return connection.execute(query).mappings().first()
