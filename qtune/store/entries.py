"""One row to be written, whatever its kind: into the tables, or as a line of a file until they can be."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, delete, exists, insert, literal, select, update

from qtune.core.codec import decode, encode, to_text
from qtune.core.errors import BugError
from qtune.core.incident import Incident, LadderStep
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord, TelemetrySample
from qtune.host.owner import Owner
from qtune.store import schema
from qtune.store.rows import (
    Columns,
    experiment_columns,
    facts_columns,
    incident_columns,
    ladder_step_columns,
    request_columns,
    run_columns,
    without_secrets,
)
from qtune.store.series import pack_telemetry


@dataclass(frozen=True, slots=True)
class TelemetryOfRun:
    """The whole series of a run."""

    run_id: str
    samples: tuple[TelemetrySample, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A record and what is to be done with it.

    Attributes:
        kind: Key of the table of kinds below; it stands in files, so a name once used keeps its meaning.
        record: Of the type the kind asks for.
    """

    kind: str
    record: Any

    def write(self, connection: Connection, owner: Owner) -> None:
        """Execute the statements; ``owner`` is the process that a new run belongs to.

        Raises:
            BugError: It refers to a run that is not there.
        """
        _KINDS[self.kind][1](connection, self.record, owner)

    def to_line(self) -> str:
        """One line of JSON, without its end and without secrets."""
        record = without_secrets(self.record) if isinstance(self.record, RunRecord) else self.record
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


def _add_run(connection: Connection, record: RunRecord, owner: Owner) -> None:
    _keep_facts(connection, record)
    owned = {"owner_pid": owner.pid, "owner_started": owner.started}
    _insert(connection, schema.RUNS, {**run_columns(record), **owned})


def _update_run(connection: Connection, record: RunRecord, _owner: Owner) -> None:
    _keep_facts(connection, record)
    runs = schema.RUNS
    changed = connection.execute(update(runs).where(runs.c.id == record.id).values(run_columns(record)))
    if changed.rowcount != 1:
        raise _never_added(record.id)


def _add_request(connection: Connection, record: RequestRecord, _owner: Owner) -> None:
    key = _key_of(connection, record.run_id)
    _insert(connection, schema.REQUESTS, {"run_key": key, **request_columns(record)})


def _save_telemetry(connection: Connection, record: TelemetryOfRun, _owner: Owner) -> None:
    key = _key_of(connection, record.run_id)
    connection.execute(delete(schema.TELEMETRY).where(schema.TELEMETRY.c.run_key == key))
    columns = {"run_key": key, "samples": len(record.samples), "series": pack_telemetry(record.samples)}
    _insert(connection, schema.TELEMETRY, columns)


def _add_ladder_step(connection: Connection, record: LadderStep, _owner: Owner) -> None:
    _insert(connection, schema.LADDER_STEPS, ladder_step_columns(record))


def _add_incident(connection: Connection, record: Incident, _owner: Owner) -> None:
    _insert(connection, schema.INCIDENTS, incident_columns(record))


_KINDS: dict[str, tuple[type, Callable[[Connection, Any, Owner], None]]] = {
    "experiment": (ExperimentRecord, _add_experiment),
    "run": (RunRecord, _add_run),
    "run_update": (RunRecord, _update_run),
    "request": (RequestRecord, _add_request),
    "telemetry": (TelemetryOfRun, _save_telemetry),
    "ladder_step": (LadderStep, _add_ladder_step),
    "incident": (Incident, _add_incident),
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
        names = list(columns)
        known = select(literal(1)).where(table.c.hash == columns["hash"])
        row = select(*(literal(columns[name], table.c[name].type) for name in names)).where(~exists(known))
        connection.execute(insert(table).from_select(names, row))
