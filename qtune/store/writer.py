"""The one writer of the history: a thread with a queue, a future for each row."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
)

from qtune.core.clock import Clock, SystemClock
from qtune.core.errors import BugError, KnownError, QtuneError
from qtune.core.messages import Message
from qtune.core.records import RunRecord, RunStatus
from qtune.host.owner import Owner
from qtune.store import faults, summaries
from qtune.store.calls import Calls
from qtune.store.entries import Entry
from qtune.store.spool import Spool

_log = logging.getLogger("qtune.store")

_BATCH = 500
_OUR_FAULT = (IntegrityError, DataError, InterfaceError, NotSupportedError, ProgrammingError)
_PATIENCE_S = 5.0
"""From the first failure until rows that wait are put beside the database; with the driver's own waiting for
a lock before it, a caller waits for a row about ten seconds at most."""
_PAUSES_S = (0.25, 0.5, 1.0, 2.0, 2.0, 5.0)
"""Between tries; the last one repeats."""
_HOPELESS_S = 300.0
"""Pause where only the user can help: a server may lock out who tries a wrong password too often."""
_PASSING = "history_unreachable"
_FRESHENED = 50
"""Summaries made anew in one transaction; others who write wait for it."""
_FRESHEN_PAUSE_S = 0.02
"""Between two such transactions: whoever writes from another process has to get in."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A database that was out of reach, or might have been.

    Attributes:
        engine: The writer's.
        notices: What the user should know.
        outdated: Whether there are summaries to be made anew.
    """

    engine: Engine
    notices: list[Message]
    outdated: bool


@dataclass(slots=True)
class _Job:
    """One call; without entry it only tells that those before it are done.

    ``beside`` is set once its row is in the file beside the database; ``doubtful`` once the connection was
    lost while it was written, so that it may be there; ``freshen`` begins to look for summaries that are out
    of date, ``hurry`` ends the pause before the next try.
    """

    entry: Entry | None
    future: Future[None]
    beside: bool = False
    doubtful: bool = False
    freshen: bool = False
    hurry: bool = False


@dataclass(slots=True)
class _Stall:
    """The database does not take rows at the moment."""

    since_s: float
    due_s: float
    tries: int = 1

    @property
    def patience_over(self) -> bool:
        return time.monotonic() - self.since_s >= _PATIENCE_S

    def failed_again(self, *, hopeless: bool = False) -> None:
        pause_s = _HOPELESS_S if hopeless else _PAUSES_S[min(self.tries, len(_PAUSES_S) - 1)]
        self.due_s = time.monotonic() + pause_s
        self.tries += 1


class Writer(Calls):
    """Writes in the order of the calls, on a thread of its own; any thread may call.

    Every method returns at once. When its future has resolved, the row is on disk and survives the death of
    the process. What waits in the queue is committed together, and nothing waits for more to come. A future
    cannot be cancelled: giving up waiting does not lose a row.

    While the database cannot be written (locked by another program, disk full, read-only), rows wait in their
    order and are tried again with growing pauses. After about ten seconds they are put in a file beside the
    database and their futures resolve, so that no caller hangs: a row is then not to be read yet, but kept.
    Those that still wait at the end, or at the death of the process, are stored by the next opening.
    :attr:`pending` counts them, :meth:`watch` tells of it. A database on another computer may be out of reach
    from the beginning; it is looked for again and again, and everything else is the same.

    A future fails with ``KnownError("history_not_writable")`` when the file is damaged, or when not even the
    file beside it can be written (the row is then still tried again while the process lives), and with
    ``BugError`` when the row itself is wrong, such as a request of a run that was never added.
    """

    def __init__(
        self,
        engine: Engine | Callable[[], Reached],
        path: str,
        owner: Owner,
        spool: Spool,
        *,
        at_end: Callable[[Engine], None] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Start the thread.

        Args:
            engine: Owned by the writer from here on; or what reaches the database and brings it to our
                schema, called on the thread until it raises no more.
            path: Name of the database in error sentences.
            owner: The process new runs belong to.
            spool: Where rows wait; owned by the writer too.
            at_end: Called on the thread after the last row, before the connection closes.
            clock: Dates deletions; None for the machine's.
        """
        super().__init__(SystemClock() if clock is None else clock)
        self._engine: Engine | None = engine if isinstance(engine, Engine) else None
        self._reach = None if isinstance(engine, Engine) else engine
        self._tried = threading.Event()
        self._path = path
        self._owner = owner
        self._spool = spool
        self._at_end = at_end
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._tell: Callable[[Message], None] | None = None
        self._untold: list[Message] = []
        # The thread's own: nobody else writes these.
        self._waiting: list[_Job] = []
        self._stall: _Stall | None = None
        self._fault: Exception | None = None
        self._measured: set[str] = set()
        self._stale = False
        self._thread = threading.Thread(target=self._run, name="db-writer", daemon=True)
        self._thread.start()

    @property
    def pending(self) -> int:
        """Rows that the database has not taken so far because it cannot be written; 0 when all is well."""
        return _count_rows(self._waiting)

    def watch(self, tell: Callable[[Message], None]) -> None:
        """Be told when rows begin to wait and when all are stored.

        ``tell`` gets ``history_pending`` and ``history_caught_up``, and of a database on another computer why
        it cannot be used; it is called on the writer's thread and has to return soon.
        """
        with self._gate:
            self._tell = tell
        for message in self.untold():
            tell(message)

    def untold(self) -> list[Message]:
        """What there was to tell while nobody watched; it counts as told from here on."""
        with self._gate:
            found, self._untold = self._untold, []
        return found

    def wait_for_first_try(self, limit_s: float) -> None:
        """Wait until the database was reached for the first time or could not be, but no longer."""
        self._tried.wait(limit_s)

    def hurry(self) -> None:
        """Try again now: something has changed that may have been in the way."""
        with self._gate:
            if not self._closed:
                self._queue.put(_Job(None, Future(), hurry=True))

    def freshen(self) -> None:
        """Begin to make summaries anew that an older version wrote, whenever there is nothing else to do.

        It rests while a run is measured. What is left at the end is due again at the next opening.
        """
        with self._gate:
            if not self._closed:
                self._queue.put(_Job(None, Future(), freshen=True))

    def close(self) -> None:
        """Write what is queued, or leave it beside the database, tidy up and end the thread.

        May be called twice.
        """
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    # -- on the thread -------------------------------------------------------------------------------------

    def _submit(self, entry: Entry | None) -> Future[None]:
        future: Future[None] = Future()
        # An awaiting task that is cancelled cancels the future it awaits; from here on that has no effect.
        future.set_running_or_notify_cancel()
        with self._gate:
            if self._closed:
                future.set_exception(BugError("the history was already closed"))
            else:
                self._queue.put(_Job(entry, future))
        return future

    def _run(self) -> None:
        if not self._reached():
            # It is away already: rows go beside as they come.
            self._stall = _Stall(-math.inf, 0.0)
            self._stall.failed_again(hopeless=self._hopeless)
            self._say(_explained(self._fault))
        self._tried.set()
        ended = False
        while not ended:
            jobs, ended = self._take()
            self._notice(jobs)
            if not jobs and not ended and self._freshening:
                self._freshen_some()
            elif self._stall is None:
                self._hold(self._write(jobs))
            else:
                self._hold(jobs)
                never = self._reach is not None
                if time.monotonic() >= self._stall.due_s or (ended and not never):
                    self._try_again()
        try:
            if self._stall is not None:
                self._leave_beside()
            if self._at_end is not None and self._engine is not None:
                self._at_end(self._engine)
        except Exception:  # noqa: BLE001 - top of the thread
            _log.exception("tidying the history failed; nothing is lost")
        finally:
            if self._engine is not None:
                self._engine.dispose()

    def _reached(self) -> bool:
        """Whether there is a database of our schema; looks for one that there was none of so far."""
        if self._reach is None:
            return True
        try:
            found = self._reach()
        except Exception as error:  # noqa: BLE001 - whoever reads gets it, and so does the user
            self._fault = error
            if not isinstance(error, QtuneError):
                _log.exception("opening the history %s failed", self._path)
            return False
        self._reach = None
        self._engine = found.engine
        self._stale = self._stale or found.outdated
        for notice in found.notices:
            self._say(notice)
        return True

    @property
    def _hopeless(self) -> bool:
        """Whether the database cannot be used until the user has done something."""
        return self._reach is not None and getattr(self._fault, "code", "") != _PASSING

    def _begin(self) -> AbstractContextManager[Connection]:
        if self._engine is None:
            raise BugError("rows were written before the database was reached")
        return self._engine.begin()

    def _notice(self, jobs: list[_Job]) -> None:
        """Keep in mind which runs are measured and whether summaries are to be looked for."""
        for job in jobs:
            self._stale = self._stale or job.freshen
            if job.hurry and self._stall is not None:
                self._stall.due_s = 0.0
            run = None if job.entry is None else job.entry.record
            if isinstance(run, RunRecord):
                change = self._measured.add if run.status is RunStatus.RUNNING else self._measured.discard
                change(run.id)

    @property
    def _freshening(self) -> bool:
        return self._stale and self._stall is None and not self._measured

    def _freshen_some(self) -> None:
        """Make a few summaries anew; waiting rows have their turn in between."""
        try:
            with self._begin() as connection:
                keys = summaries.due(connection, _FRESHENED)
                summaries.refresh(connection, keys)
            self._stale = bool(keys)
        except Exception as error:  # noqa: BLE001 - top of the thread; nothing raw depends on it
            self._stale = False
            _log.warning("summaries stay out of date until the next start: %s", faults.reason(error))

    def _take(self) -> tuple[list[_Job], bool]:
        """The next jobs, and whether they are the last; none if something else is due before they come."""
        jobs: list[_Job] = []
        pause_s = None if self._stall is None else max(0.0, self._stall.due_s - time.monotonic())
        if self._freshening:
            pause_s = _FRESHEN_PAUSE_S
        try:
            job = self._queue.get(timeout=pause_s)
            while job is not None:
                jobs.append(job)
                if len(jobs) == _BATCH:
                    return jobs, False
                job = self._queue.get_nowait()
        except Empty:
            return jobs, False
        return jobs, True

    def _write(self, jobs: list[_Job]) -> list[_Job]:
        """Write what can be; comes back with those that have to wait, in their order."""
        for at in range(0, len(jobs), _BATCH):
            if left := self._write_together(jobs[at : at + _BATCH]):
                return [*left, *jobs[at + _BATCH :]]
        return []

    def _write_together(self, batch: list[_Job]) -> list[_Job]:
        try:
            with self._begin() as connection:
                written = [job.entry.write(connection, self._owner) for job in batch if job.entry is not None]
                summaries.refresh(connection, [key for key in written if key is not None])
        except Exception as error:  # noqa: BLE001 - the caller gets it through the future
            if faults.may_pass(getattr(error, "orig", None)):
                self._fault = error
                lost = isinstance(error, DBAPIError) and error.connection_invalidated
                for job in batch:
                    job.doubtful = job.doubtful or lost
                return batch
            if len(batch) == 1:
                self._refuse(batch[0], error)
            # One bad row must not take its neighbours along.
            for at, job in enumerate(batch if len(batch) > 1 else []):
                if self._write_together([job]):
                    return batch[at:]
        else:
            for job in batch:
                _resolve(job)
        return []

    # -- while the database cannot be written ----------------------------------------------------------------

    def _hold(self, jobs: list[_Job]) -> None:
        """Let jobs wait for a better moment."""
        if not jobs:
            return
        self._waiting = [*self._waiting, *jobs]
        if self._stall is None:
            now_s = time.monotonic()
            self._stall = _Stall(now_s, now_s + _PAUSES_S[0])
            reason = _reason(self._fault)
            _log.warning("history %s cannot be written (%s), rows wait", self._path, reason)
            self._say(Message.of("history_pending", path=self._path, reason=reason, count=self.pending))
        elif self._stall.patience_over:
            self._put_beside()

    def _try_again(self) -> None:
        reached = self._reached()
        if reached:
            self._waiting = self._write(self._waiting)
        if self._stall is None:
            return
        if self._waiting or not reached:
            self._stall.failed_again(hopeless=self._hopeless)
            if self._stall.patience_over:
                self._put_beside()
            return
        self._stall = None
        _log.info("history %s can be written again", self._path)
        try:
            self._spool.clear()
        except OSError as error:
            _log.warning("rows that are stored could not be removed from beside the history: %s", error)
        self._say(Message.of("history_caught_up", path=self._path))

    def _put_beside(self) -> None:
        """Put on disk what waits in memory only, and let nobody wait for it any longer."""
        fresh = [job for job in self._waiting if not job.beside]
        if not fresh:
            return
        try:
            self._spool.add(job.entry for job in fresh if job.entry is not None)
        except Exception as error:  # noqa: BLE001 - the thread has to go on; the caller gets it
            _log.warning("rows cannot be kept beside the history %s either: %s", self._path, error)
            for job in fresh:
                self._fail(job, self._fault or error)
            return
        for job in fresh:
            job.beside = True
            _resolve(job)
        self._waiting = [job for job in self._waiting if job.entry is not None]

    def _leave_beside(self) -> None:
        self._put_beside()
        lost = _count_rows([job for job in self._waiting if not job.beside])
        if lost:
            _log.error("%d rows could be written nowhere and are lost", lost)
        self._spool.leave()

    def _refuse(self, job: _Job, error: Exception) -> None:
        if job.doubtful and faults.is_duplicate(getattr(error, "orig", None)):
            # The connection was lost after the row had been committed and before we were told.
            _resolve(job)
        else:
            self._fail(job, error)

    def _fail(self, job: _Job, error: Exception) -> None:
        explained = self._explain(error)
        if not job.future.done():
            job.future.set_exception(explained)
        elif job.beside:
            _log.error("a row that had waited beside the history was refused: %s", explained)

    def _say(self, message: Message) -> None:
        with self._gate:
            if (tell := self._tell) is None:
                self._untold.append(message)
                return
        try:
            tell(message)
        except Exception:  # noqa: BLE001 - whoever listens must not stop the writing
            _log.exception("the listener to the history failed")

    def _explain(self, error: Exception) -> QtuneError:
        if isinstance(error, QtuneError):
            return error
        if isinstance(error, DatabaseError) and not isinstance(error, _OUR_FAULT):
            explained: QtuneError = KnownError("history_not_writable", path=self._path, reason=_reason(error))
        else:
            # The row itself may be long and private; the driver's own words are enough.
            explained = BugError(f"a row could not be written: {_reason(error)}")
        explained.__cause__ = error
        return explained


def _resolve(job: _Job) -> None:
    if not job.future.done():
        job.future.set_result(None)


def _reason(error: Exception | None) -> str:
    return "" if error is None else faults.reason(error)


def _explained(error: Exception | None) -> Message:
    """Why the database cannot be used, for the user."""
    return error.message if isinstance(error, KnownError) else Message.of(_PASSING, reason=_reason(error))


def _count_rows(jobs: list[_Job]) -> int:
    return sum(job.entry is not None for job in jobs)
