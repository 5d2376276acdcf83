"""The one writer of the history: a thread with a queue, a future for each row."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from qtune.core.clock import Clock, SystemClock
from qtune.core.errors import BugError, QtuneError
from qtune.core.messages import Message
from qtune.core.records import RunRecord, RunStatus
from qtune.host.owner import Owner
from qtune.store import faults, summaries
from qtune.store.calls import Calls
from qtune.store.entries import Entry
from qtune.store.spool import Spool
from qtune.store.waiting import PASSING, Job, Reached, Stall, count_rows, explained, why_away

_log = logging.getLogger("qtune.store")

_BATCH = 500
_FRESHENED = 50
"""Summaries made anew in one transaction; others who write wait for it."""
_FRESHEN_PAUSE_S = 0.02
"""Between two such transactions: whoever writes from another process has to get in."""


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
        self._far = self._reach is not None
        self._tried = threading.Event()
        self._path = path
        self._owner = owner
        self._spool = spool
        self._at_end = at_end
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._tell: Callable[[Message], None] | None = None
        self._untold: list[Message] = []
        # The thread's own: nobody else writes these.
        self._waiting: list[Job] = []
        self._stall: Stall | None = None
        self._fault: Exception | None = None
        self._measured: set[str] = set()
        self._stale = False
        self._thread = threading.Thread(target=self._run, name="db-writer", daemon=True)
        self._thread.start()

    @property
    def pending(self) -> int:
        """Rows that the database has not taken so far because it cannot be written; 0 when all is well."""
        return count_rows(self._waiting)

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
                self._queue.put(Job(None, Future(), hurry=True))

    def freshen(self) -> None:
        """Begin to make summaries anew that an older version wrote, whenever there is nothing else to do.

        It rests while a run is measured. What is left at the end is due again at the next opening.
        """
        with self._gate:
            if not self._closed:
                self._queue.put(Job(None, Future(), freshen=True))

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
                self._queue.put(Job(entry, future))
        return future

    def _run(self) -> None:
        began_s = time.monotonic()
        if not self._reached():
            # It is away already: rows go beside as they come.
            self._stall = Stall(since_s=-math.inf)
            self._stall.failed_again(hopeless=self._hopeless, took_s=time.monotonic() - began_s)
            self._say(why_away(self._fault))
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
        return self._reach is not None and getattr(self._fault, "code", "") != PASSING

    def _begin(self) -> AbstractContextManager[Connection]:
        if self._engine is None:
            raise BugError("rows were written before the database was reached")
        return self._engine.begin()

    def _notice(self, jobs: list[Job]) -> None:
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

    def _take(self) -> tuple[list[Job], bool]:
        """The next jobs, and whether they are the last; none if something else is due before they come."""
        jobs: list[Job] = []
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

    def _write(self, jobs: list[Job]) -> list[Job]:
        """Write what can be; comes back with those that have to wait, in their order."""
        for at in range(0, len(jobs), _BATCH):
            if left := self._write_together(jobs[at : at + _BATCH]):
                return [*left, *jobs[at + _BATCH :]]
        return []

    def _write_together(self, batch: list[Job]) -> list[Job]:
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
                job.resolve()
        return []

    # -- while the database cannot be written ----------------------------------------------------------------

    def _hold(self, jobs: list[Job]) -> None:
        """Let jobs wait for a better moment."""
        if not jobs:
            return
        self._waiting = [*self._waiting, *jobs]
        if self._stall is None:
            self._stall = Stall.from_now()
            reason = faults.reason(self._fault)
            _log.warning("history %s cannot be written (%s), rows wait", self._path, reason)
            self._say(Message.of("history_pending", path=self._path, reason=reason, count=self.pending))
        elif self._stall.patience_over:
            self._put_beside()

    def _try_again(self) -> None:
        began_s = time.monotonic()
        reached = self._reached()
        if reached:
            self._waiting = self._write(self._waiting)
        if self._stall is None:
            return
        if self._waiting or not reached:
            took_s = time.monotonic() - began_s if self._far else 0.0
            self._stall.failed_again(hopeless=self._hopeless, took_s=took_s)
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
            job.resolve()
        self._waiting = [job for job in self._waiting if job.entry is not None]

    def _leave_beside(self) -> None:
        self._put_beside()
        lost = count_rows([job for job in self._waiting if not job.beside])
        if lost:
            _log.error("%d rows could be written nowhere and are lost", lost)
        self._spool.leave()

    def _refuse(self, job: Job, error: Exception) -> None:
        if job.doubtful and faults.is_duplicate(getattr(error, "orig", None)):
            # The connection was lost after the row had been committed and before we were told.
            job.resolve()
        else:
            self._fail(job, error)

    def _fail(self, job: Job, error: Exception) -> None:
        told = explained(error, self._path)
        if not job.future.done():
            job.future.set_exception(told)
        elif job.beside:
            _log.error("a row that had waited beside the history was refused: %s", told)

    def _say(self, message: Message) -> None:
        with self._gate:
            if (tell := self._tell) is None:
                self._untold.append(message)
                return
        try:
            tell(message)
        except Exception:  # noqa: BLE001 - whoever listens must not stop the writing
            _log.exception("the listener to the history failed")
