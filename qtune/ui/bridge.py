"""Carries what happens on other threads into the GUI thread, in batches, never one signal a token."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from qtune.core.errors import KnownError
from qtune.core.events import (
    Event,
    IncidentHappened,
    JobFinished,
    LadderChanged,
    LogArrived,
    Notice,
    Progress,
    RequestFinished,
    RequestStarted,
    RolledBack,
    RunFinished,
    RunStarted,
    ServerChanged,
    TelemetryTaken,
    TextArrived,
)
from qtune.core.messages import Message

_log = logging.getLogger("qtune.ui")

DRAIN_MS = 33
"""One batch a frame at 30 Hz; signalling each token costs seven times the GUI time."""
LOG_LINES_A_BATCH = 5000
"""More lines than this in one batch are counted, not shown: nobody could have read them."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Call:
    """A plain call to be made in the GUI thread."""

    target: Callable[..., None]
    args: tuple[Any, ...]


class Bridge(QObject):
    """Made in the GUI thread; ``listener``, ``follow`` and ``call`` may be used from any thread.

    Signals are named for what happened and carry the core's frozen events. Text comes as a list of all deltas
    since the last batch, log lines as one list; of several progress reports only the newest is passed on.
    """

    server_changed = Signal(object)
    log_arrived = Signal(object, int)
    telemetry_taken = Signal(object)
    run_started = Signal(object)
    request_started = Signal(object)
    text_arrived = Signal(object)
    request_finished = Signal(object)
    run_finished = Signal(object)
    progressed = Signal(object)
    job_finished = Signal(object)
    noticed = Signal(object)
    ladder_changed = Signal(object)
    rolled_back = Signal(object)
    incident_happened = Signal(object)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: deque[Event | _Call] = deque()
        self._lock = threading.Lock()
        self._wake_pending = False
        self._stopped = self._ending = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DRAIN_MS)
        self._timer.timeout.connect(self._drain)
        self._woken.connect(self._arm, Qt.ConnectionType.QueuedConnection)
        self._signals = {
            ServerChanged: self.server_changed,
            RunStarted: self.run_started,
            RequestStarted: self.request_started,
            RequestFinished: self.request_finished,
            RunFinished: self.run_finished,
            JobFinished: self.job_finished,
            Notice: self.noticed,
            LadderChanged: self.ladder_changed,
            RolledBack: self.rolled_back,
            IncidentHappened: self.incident_happened,
        }

    def listener(self, event: Event) -> None:
        """Take an event on any thread; it is announced here with the next batch."""
        self._put(event)

    def call(self, target: Callable[..., None], *args: object) -> None:
        """Have ``target`` called in the GUI thread with the next batch."""
        self._put(_Call(target, args))

    def follow(
        self, future: Future[T], done: Callable[[T], None], failed: Callable[[Message], None] | None = None
    ) -> None:
        """Deliver a future's end in the GUI thread: its result to ``done`` or its sentence to ``failed``."""
        future.add_done_callback(lambda ended: self.call(self._deliver, ended, done, failed))

    def expect_end(self) -> None:
        """The program closes: what is cancelled from now on is no fault, and nobody waits for it."""
        self._ending = True

    def stop(self) -> None:
        """Deliver nothing from now on."""
        self._stopped = True
        self._timer.stop()
        self._queue.clear()

    def _deliver(
        self, future: Future[T], done: Callable[[T], None], failed: Callable[[Message], None] | None
    ) -> None:
        if self._ending and future.cancelled():
            return
        error = CancelledError() if future.cancelled() else future.exception(timeout=0)
        if error is None:
            done(future.result(timeout=0))
            return
        if isinstance(error, KnownError):
            message = error.message
        else:
            _log.error("a command ended with a fault of ours", exc_info=error)
            message = Message.of("internal_fault", kind=type(error).__name__, path="qtune.log")
        if failed is not None:
            failed(message)

    def _put(self, item: Event | _Call) -> None:
        with self._lock:
            if self._stopped:
                return
            self._queue.append(item)
            if self._wake_pending:
                return
            self._wake_pending = True
        self._woken.emit()

    def _arm(self) -> None:
        if not self._stopped and not self._timer.isActive():
            self._timer.start()

    def _drain(self) -> None:
        with self._lock:
            self._wake_pending = False
            batch, self._queue = self._queue, deque()
        texts: list[TextArrived] = []
        logs: list[LogArrived] = []
        progress: list[Progress] = []
        for item in batch:
            if self._stopped:  # by what came before it in this batch
                return
            if isinstance(item, TextArrived):
                texts.append(item)
            elif isinstance(item, LogArrived):
                logs.append(item)
            elif isinstance(item, Progress):
                progress = [item]
            elif isinstance(item, TelemetryTaken):
                self.telemetry_taken.emit(item.sample)
            else:
                self._flush(texts, progress)
                self._announce(item)
        if self._stopped:
            return
        self._flush(texts, progress)
        self._flush_log(logs)

    def _announce(self, item: Event | _Call) -> None:
        """Pass on one event or call. A call is a slot of ours, so its fault ends here, logged."""
        if not isinstance(item, _Call):
            self._signals[type(item)].emit(item)
            return
        try:
            item.target(*item.args)
        except Exception as error:  # noqa: BLE001 - the top of a slot
            _log.exception("a result could not be shown")
            fault = Message.of("internal_fault", kind=type(error).__name__, path="qtune.log")
            self.noticed.emit(Notice(fault))

    def _flush(self, texts: list[TextArrived], progress: list[Progress]) -> None:
        """Text and progress go out before any later event, so that nothing arrives after its own end."""
        if texts:
            self.text_arrived.emit(list(texts))
            texts.clear()
        if progress:
            self.progressed.emit(progress[0])
            progress.clear()

    def _flush_log(self, logs: list[LogArrived]) -> None:
        if not logs:
            return
        lines = [line for event in logs for line in event.lines]
        dropped = sum(event.dropped for event in logs) + max(0, len(lines) - LOG_LINES_A_BATCH)
        self.log_arrived.emit(lines[-LOG_LINES_A_BATCH:], dropped)
