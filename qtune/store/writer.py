"""The one writer of the history: a thread with a queue, a future for each row."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from sqlalchemy import (
    Connection,
    Engine,
    Table,
    bindparam,
    delete,
    exists,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)

from qtune.core.errors import BugError, KnownError, QtuneError
from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord, RunStatus, TelemetrySample
from qtune.store import schema
from qtune.store.codec import encode
from qtune.store.owner import Owner
from qtune.store.rows import Columns, experiment_columns, facts_columns, request_columns, run_columns
from qtune.store.series import pack_telemetry

_log = logging.getLogger("qtune.store")

_BATCH = 500
_OUR_FAULT = (IntegrityError, DataError, InterfaceError, NotSupportedError, ProgrammingError)

Work = Callable[[Connection], None]


@dataclass(frozen=True, slots=True)
class _Job:
    work: Work
    future: Future[None]


class Writer:
    """Writes in the order of the calls, on a thread of its own; any thread may call.

    Every method returns at once. When its future has resolved, the row is committed and survives the death of
    the process. What waits in the queue is committed together, and nothing waits for more to come. A future
    fails with ``KnownError("history_not_writable")`` when the disk or the file does not allow it, and with
    ``BugError`` when the row itself is wrong, such as a request of a run that was never added. A future
    cannot be cancelled: giving up waiting does not lose a row.
    """

    def __init__(
        self, engine: Engine, path: str, owner: Owner, at_end: Callable[[Engine], None] | None = None
    ) -> None:
        """Start the thread.

        Args:
            engine: Owned by the writer from here on.
            path: Name of the database in error sentences.
            owner: The process new runs belong to.
            at_end: Called on the thread after the last row, before the connection closes.
        """
        self._engine = engine
        self._path = path
        self._owner = owner
        self._at_end = at_end
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="db-writer", daemon=True)
        self._thread.start()

    def add_experiment(self, record: ExperimentRecord) -> Future[None]:
        """Store a new experiment."""
        return self._submit(lambda c: _insert(c, schema.EXPERIMENTS, experiment_columns(record)))

    def add_run(self, record: RunRecord) -> Future[None]:
        """Store a new run of a stored experiment; it belongs to this process."""

        def work(connection: Connection) -> None:
            _keep_facts(connection, record)
            owner = {"owner_pid": self._owner.pid, "owner_started": self._owner.started}
            _insert(connection, schema.RUNS, {**run_columns(record), **owner})

        return self._submit(work)

    def update_run(self, record: RunRecord) -> Future[None]:
        """Replace everything of a stored run but its id and its owner."""

        def work(connection: Connection) -> None:
            _keep_facts(connection, record)
            runs = schema.RUNS
            changed = connection.execute(
                update(runs).where(runs.c.id == record.id).values(run_columns(record))
            )
            if changed.rowcount != 1:
                raise _never_added(record.id)

        return self._submit(work)

    def add_request(self, record: RequestRecord) -> Future[None]:
        """Store one request of a stored run."""

        def work(connection: Connection) -> None:
            key = _key_of(connection, record.run_id)
            _insert(connection, schema.REQUESTS, {"run_key": key, **request_columns(record)})

        return self._submit(work)

    def save_telemetry(self, run_id: str, samples: Sequence[TelemetrySample]) -> Future[None]:
        """Store the whole series of a run, in place of an earlier one."""
        kept = tuple(samples)

        def work(connection: Connection) -> None:
            key = _key_of(connection, run_id)
            connection.execute(delete(schema.TELEMETRY).where(schema.TELEMETRY.c.run_key == key))
            columns = {"run_key": key, "samples": len(kept), "series": pack_telemetry(kept)}
            _insert(connection, schema.TELEMETRY, columns)

        return self._submit(work)

    def flush(self) -> Future[None]:
        """A future that resolves when all calls before this one are done."""
        return self._submit(lambda _: None)

    def close(self) -> None:
        """Write what is queued, tidy up and end the thread. May be called twice."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    # -- on the thread -------------------------------------------------------------------------------------

    def _submit(self, work: Work) -> Future[None]:
        future: Future[None] = Future()
        # An awaiting task that is cancelled cancels the future it awaits; from here on that has no effect.
        future.set_running_or_notify_cancel()
        with self._gate:
            if self._closed:
                future.set_exception(BugError("the history was already closed"))
            else:
                self._queue.put(_Job(work, future))
        return future

    def _run(self) -> None:
        while batch := self._next_batch():
            self._commit(batch)
        try:
            if self._at_end is not None:
                self._at_end(self._engine)
        except Exception:  # noqa: BLE001 - top of the thread
            _log.exception("tidying the history failed; nothing is lost")
        finally:
            self._engine.dispose()

    def _next_batch(self) -> list[_Job]:
        """The next jobs that can share a commit; empty at the end."""
        batch: list[_Job] = []
        while len(batch) < _BATCH:
            try:
                job = self._queue.get(block=not batch)
            except Empty:
                break
            if job is None:
                # The end: come back to it once what stands before it is written.
                if batch:
                    self._queue.put(None)
                break
            batch.append(job)
        return batch

    def _commit(self, batch: list[_Job]) -> None:
        try:
            with self._engine.begin() as connection:
                for job in batch:
                    job.work(connection)
        except Exception as error:  # noqa: BLE001 - the caller gets it through the future
            if len(batch) > 1 and not isinstance(error, OperationalError):
                # One bad row must not take its neighbours along.
                for job in batch:
                    self._commit([job])
                return
            for job in batch:
                job.future.set_exception(self._explain(error))
        else:
            for job in batch:
                job.future.set_result(None)

    def _explain(self, error: Exception) -> QtuneError:
        if isinstance(error, QtuneError):
            return error
        if isinstance(error, DatabaseError) and not isinstance(error, _OUR_FAULT):
            explained: QtuneError = KnownError(
                "history_not_writable", path=self._path, reason=str(error.orig)
            )
        else:
            # The row itself may be long and private; the driver's own words are enough.
            explained = BugError(f"a row could not be written: {getattr(error, 'orig', error)}")
        explained.__cause__ = error
        return explained


def mark_interrupted(engine: Engine) -> int:
    """Mark the runs that a process which is gone left behind as ``running``; returns how many."""
    runs = schema.RUNS
    query = select(runs.c.key, runs.c.owner_pid, runs.c.owner_started).where(
        runs.c.status == RunStatus.RUNNING.value
    )
    with engine.begin() as connection:
        left = [key for key, pid, started in connection.execute(query) if not Owner(pid, started).is_alive()]
        if left:
            ended = {
                "status": RunStatus.INTERRUPTED.value,
                "failure": encode(Message.of("app_ended")),
            }
            connection.execute(
                update(runs).where(runs.c.key == bindparam("left")).values(ended),
                [{"left": key} for key in left],
            )
    return len(left)


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
