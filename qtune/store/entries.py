"""One row to be written, whatever its kind: into the tables, or as a line of a file until they can be."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, Table, bindparam, delete, exists, insert, literal, select, update

from qtune.core.codec import decode, encode, to_text
from qtune.core.errors import BugError
from qtune.core.incident import Incident, LadderStep
from qtune.core.machine_facts import TelemetrySample
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord, RunStatus
from qtune.core.taken_in import TakenIn
from qtune.core.verdict import Verdict
from qtune.host.owner import Owner
from qtune.store import schema
from qtune.store.rows import (
    Columns,
    clean_text,
    experiment_columns,
    facts_columns,
    incident_columns,
    ladder_step_columns,
    request_columns,
    run_columns,
    without_secrets,
)
from qtune.store.series import pack_telemetry
from qtune.store.summaries import judged, refresh


@dataclass(frozen=True, slots=True)
class TelemetryOfRun:
    """The whole series of a run."""

    run_id: str
    samples: tuple[TelemetrySample, ...]


@dataclass(frozen=True, slots=True)
class VerdictOfExperiment:
    """What an experiment came to."""

    experiment_id: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Mark:
    """A star, an outlier mark or the mark of deletion, given to runs or taken from them.

    Attributes:
        name: Column of the mark.
        at_utc: When the user did so; it is what the mark of deletion holds.
    """

    name: Literal["starred", "outlier", "deleted_utc"]
    run_ids: tuple[str, ...]
    on: bool
    at_utc: str


@dataclass(frozen=True, slots=True)
class Note:
    """The user's own words on a run."""

    run_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Purge:
    """The removal of what was marked as deleted up to a moment."""

    until_utc: str


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The removal of runs of an import that did not come to its end."""

    run_ids: tuple[str, ...]


STAGED_UTC = "1970-01-01T00:00:00+00:00"
"""Moment of deletion of runs that are hidden because more of the file they come from follows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record and what is to be done with it.

    Attributes:
        kind: Key of the table of kinds below; it stands in files, so a name once used keeps its meaning.
        record: Of the type the kind asks for.
    """

    kind: str
    record: Any

    def write(self, connection: Connection, owner: Owner) -> int | None:
        """Execute the statements; ``owner`` is the process that a new run belongs to.

        Returns:
            Key of the run whose summary has to be made anew before the transaction ends, None for none.

        Raises:
            BugError: It refers to a run that is not there.
        """
        return _KINDS[self.kind][1](connection, self.record, owner)

    def to_line(self) -> str:
        """One line of JSON, without its end and without secrets."""
        record = self.record
        if isinstance(record, RunRecord):
            record = without_secrets(record)
        elif isinstance(record, TakenIn):
            record = replace(record, runs=tuple(replace(r, run=without_secrets(r.run)) for r in record.runs))
        return to_text({"kind": self.kind, "record": encode(record)})

    @classmethod
    def from_line(cls, line: str) -> Entry:
        """Entry of a line that this or another version wrote.

        Raises:
            BugError, ValueError, TypeError, LookupError, AttributeError: The line is no entry.
        """
        stored = json.loads(line)
        kind = str(stored["kind"])
        return cls(kind, decode(_KINDS[kind][0], stored["record"]))


def _add_experiment(connection: Connection, record: ExperimentRecord, _owner: Owner) -> None:
    _insert(connection, schema.EXPERIMENTS, experiment_columns(record))


def _add_run(connection: Connection, record: RunRecord, owner: Owner) -> int:
    _keep_facts(connection, record)
    owned = {"owner_pid": owner.pid, "owner_started": owner.started, "computer": owner.computer}
    stored = connection.execute(insert(schema.RUNS), {**run_columns(record), **owned})
    key: int = stored.inserted_primary_key[0]  # type: ignore[index]
    return key


def _update_run(connection: Connection, record: RunRecord, _owner: Owner) -> int:
    _keep_facts(connection, record)
    runs = schema.RUNS
    changed = connection.execute(update(runs).where(runs.c.id == record.id).values(run_columns(record)))
    if changed.rowcount != 1:
        raise _never_added(record.id)
    return _key_of(connection, record.id)


def _add_request(connection: Connection, record: RequestRecord, _owner: Owner) -> int | None:
    runs = schema.RUNS
    query = select(runs.c.key, runs.c.status).where(runs.c.id == record.run_id)
    run = connection.execute(query).first()
    if run is None:
        raise _never_added(record.run_id)
    _insert(connection, schema.REQUESTS, {"run_key": run.key, **request_columns(record)})
    # Figures are worked out once a run has ended, or again when a request comes after that.
    return None if run.status == RunStatus.RUNNING.value else int(run.key)


def _save_telemetry(connection: Connection, record: TelemetryOfRun, _owner: Owner) -> None:
    key = _key_of(connection, record.run_id)
    connection.execute(delete(schema.TELEMETRY).where(schema.TELEMETRY.c.run_key == key))
    columns = {"run_key": key, "samples": len(record.samples), "series": pack_telemetry(record.samples)}
    _insert(connection, schema.TELEMETRY, columns)


def _add_ladder_step(connection: Connection, record: LadderStep, owner: Owner) -> None:
    _insert(connection, schema.LADDER_STEPS, {**ladder_step_columns(record), "computer": owner.computer})


def _add_incident(connection: Connection, record: Incident, owner: Owner) -> None:
    _insert(connection, schema.INCIDENTS, {**incident_columns(record), "computer": owner.computer})


def _save_verdict(connection: Connection, record: VerdictOfExperiment, _owner: Owner) -> None:
    table, summaries = schema.EXPERIMENTS, schema.SUMMARIES
    mine = table.c.id == record.experiment_id
    changed = connection.execute(update(table).where(mine).values(verdict=encode(record.verdict)))
    if changed.rowcount != 1:
        raise BugError(f"experiment {record.experiment_id} was never added to the history")
    of_experiment = summaries.c.experiment_id == record.experiment_id
    connection.execute(update(summaries).where(of_experiment).values(judged(record.verdict, "")))
    for ratio in record.verdict.ratios:
        of_arm = (of_experiment, summaries.c.arm == clean_text(ratio.arm))
        connection.execute(update(summaries).where(*of_arm).values(judged(record.verdict, ratio.arm)))


def _mark(connection: Connection, record: Mark, _owner: Owner) -> None:
    value = (record.at_utc if record.on else None) if record.name == "deleted_utc" else record.on
    runs, summaries = schema.RUNS, schema.SUMMARIES
    run = runs.c.id == bindparam("run_id")
    key = select(runs.c.key).where(run).scalar_subquery()
    ids = [{"run_id": run_id} for run_id in record.run_ids]
    if ids:
        # Runs that are gone, such as ones purged meanwhile, are no fault.
        connection.execute(update(runs).where(run).values({record.name: value}), ids)
        connection.execute(
            update(summaries).where(summaries.c.run_key == key).values({record.name: value}), ids
        )


def _set_note(connection: Connection, record: Note, _owner: Owner) -> int:
    runs = schema.RUNS
    text = clean_text(record.text) or None
    connection.execute(update(runs).where(runs.c.id == record.run_id).values(note=text))
    return _key_of(connection, record.run_id)


def _purge(connection: Connection, record: Purge, _owner: Owner) -> None:
    runs, summaries = schema.RUNS, schema.SUMMARIES
    # A run that goes on is still written to. Whether it does, its summary may not know before the end of
    # the transaction.
    doomed = (
        select(summaries.c.run_key, summaries.c.experiment_id)
        .join(runs, runs.c.key == summaries.c.run_key)
        .where(summaries.c.deleted_utc <= record.until_utc, runs.c.status != RunStatus.RUNNING.value)
    )
    _remove(connection, [(row.run_key, row.experiment_id) for row in connection.execute(doomed)])


def _remove(connection: Connection, doomed: Sequence[tuple[int, str]]) -> None:
    """Remove runs, by key and experiment, with all that is theirs, and experiments that are empty then."""
    runs, experiments = schema.RUNS, schema.EXPERIMENTS
    keys = [{"doomed": key} for key, _ in doomed]
    if not keys:
        return
    for table in (schema.REQUESTS, schema.TELEMETRY, schema.FIGURES, schema.SUMMARIES):
        connection.execute(delete(table).where(table.c.run_key == bindparam("doomed")), keys)
    connection.execute(delete(runs).where(runs.c.key == bindparam("doomed")), keys)
    # Only theirs: an experiment that has no run yet has just begun.
    empty = ~exists(select(literal(1)).where(runs.c.experiment_id == experiments.c.id))
    connection.execute(
        delete(experiments).where(experiments.c.id == bindparam("touched"), empty),
        [{"touched": one} for one in {experiment for _, experiment in doomed}],
    )


def _take_in(connection: Connection, record: TakenIn, owner: Owner) -> None:
    """Store what is not there yet; of two imports of the same at once, the second finds nothing to do."""
    experiments, runs = schema.EXPERIMENTS, schema.RUNS
    for taken in record.experiments:
        id_ = taken.record.id
        if connection.execute(select(literal(1)).where(experiments.c.id == id_)).first() is None:
            _add_experiment(connection, taken.record, owner)
            if taken.verdict is not None:
                _save_verdict(connection, VerdictOfExperiment(id_, taken.verdict), owner)
    keys = []
    for one in record.runs:
        if connection.execute(select(literal(1)).where(runs.c.id == one.run.id)).first() is not None:
            continue
        key = _add_run(connection, one.run, owner)
        requests = [{"run_key": key, **request_columns(request)} for request in one.requests]
        if requests:
            connection.execute(insert(schema.REQUESTS), requests)
        marks: Columns = {"starred": one.marks.starred, "outlier": one.marks.outlier}
        marks |= {
            "note": clean_text(one.marks.note) or None,
            "deleted_utc": STAGED_UTC if record.staged else None,
        }
        connection.execute(update(runs).where(runs.c.key == key).values(marks))
        keys.append(key)
    refresh(connection, keys)


def _withdraw(connection: Connection, record: Withdrawal, _owner: Owner) -> None:
    runs = schema.RUNS
    query = select(runs.c.key, runs.c.experiment_id).where(
        runs.c.id == bindparam("run_id"), runs.c.deleted_utc == STAGED_UTC
    )
    found = [connection.execute(query, {"run_id": run_id}).first() for run_id in record.run_ids]
    _remove(connection, [(row.key, row.experiment_id) for row in found if row is not None])


_KINDS: dict[str, tuple[type, Callable[[Connection, Any, Owner], int | None]]] = {
    "experiment": (ExperimentRecord, _add_experiment),
    "run": (RunRecord, _add_run),
    "run_update": (RunRecord, _update_run),
    "request": (RequestRecord, _add_request),
    "telemetry": (TelemetryOfRun, _save_telemetry),
    "ladder_step": (LadderStep, _add_ladder_step),
    "incident": (Incident, _add_incident),
    "verdict": (VerdictOfExperiment, _save_verdict),
    "mark": (Mark, _mark),
    "note": (Note, _set_note),
    "purge": (Purge, _purge),
    "taken_in": (TakenIn, _take_in),
    "withdrawal": (Withdrawal, _withdraw),
}


def _insert(connection: Connection, table: Table, columns: Columns) -> None:
    connection.execute(insert(table), columns)


def _key_of(connection: Connection, run_id: str) -> int:
    key = connection.execute(select(schema.RUNS.c.key).where(schema.RUNS.c.id == run_id)).scalar()
    if key is None:
        raise _never_added(run_id)
    return int(key)


def _never_added(run_id: str) -> BugError:
    return BugError(f"run {run_id} was never added to the history")


def _keep_facts(connection: Connection, record: RunRecord) -> None:
    for table, columns in facts_columns(record):
        known = select(literal(1)).where(table.c.hash == columns["hash"])
        if connection.execute(known).first() is None:
            _insert(connection, table, columns)
