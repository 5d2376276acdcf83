"""Takes all readings twice a second on one thread of its own, and keeps the last while."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol, TypeVar

from qtune.core.clock import Clock
from qtune.core.machine_facts import GpuSample, HostSample, TelemetrySample

_log = logging.getLogger("qtune.telemetry")

PERIOD_S: Final = 0.5
KEPT: Final = 14_400
"""Samples kept in memory: two hours at 2 Hz."""

_T = TypeVar("_T")

_UNKNOWN_HOST: Final = HostSample(None, None, None)

Listener = Callable[[TelemetrySample], None]


class CardSource(Protocol):
    """Something that reads cards, such as ``NvmlCards``."""

    def sample(self) -> tuple[GpuSample, ...]:
        """One reading of each card."""
        ...


class HostSource(Protocol):
    """Something that reads the computer, such as ``HostProbe``."""

    def sample(self) -> HostSample:
        """One reading."""
        ...

    def watch(self, pid: int | None) -> None:
        """Name the process that counts as the engine."""
        ...


class StopSignal(Protocol):
    """What ends the waiting between two readings; ``threading.Event`` is one."""

    def wait(self, timeout: float) -> bool:
        """Wait so many seconds; True as soon as it is set."""
        ...

    def set(self) -> None:
        """End the waiting."""
        ...

    def clear(self) -> None:
        """Make ready for waiting."""
        ...


class Sampler:
    """The thread ``sampler``: reads, keeps, and tells whoever subscribed.

    A source or a listener that fails is logged once and costs its own figures only. Ticks lie on a fixed
    grid: a late reading does not shift the next, and those missed are left out.

    Args:
        cards: Where card readings come from.
        host: Where readings of the computer come from.
        clock: Monotonic clock of the stamps.
        period_s: Seconds from reading to reading.
        kept: Samples kept in memory.
        stop_signal: What the thread waits on; a test brings its own.
    """

    def __init__(
        self,
        cards: CardSource,
        host: HostSource,
        clock: Clock,
        period_s: float = PERIOD_S,
        *,
        kept: int = KEPT,
        stop_signal: StopSignal | None = None,
    ) -> None:
        self._cards, self._host, self._clock = cards, host, clock
        self._period_ns = round(period_s * 1e9)
        self._stop: StopSignal = threading.Event() if stop_signal is None else stop_signal
        self._lock = threading.Lock()
        self._ring: deque[TelemetrySample] = deque(maxlen=kept)
        self._listeners: list[Listener] = []
        self._thread: threading.Thread | None = None
        self._complained: set[str] = set()

    def start(self) -> None:
        """Begin; the first reading is taken at once. Starting twice changes nothing."""
        if self._thread is not None:
            return
        self._stop.clear()
        # A daemon, because a driver call may hang and must not hold the program's end.
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """End the thread; returns at the latest after ``timeout_s``, even if the driver hangs."""
        thread = self._thread
        if thread is None:
            return
        self._stop.set()
        if thread is not threading.current_thread():
            thread.join(timeout_s)
            if thread.is_alive():
                _log.warning("the sampler did not end in %s s", timeout_s)
                return
        self._thread = None

    def watch_process(self, pid: int | None) -> None:
        """Count this process and its descendants as the engine; None for none."""
        self._host.watch(pid)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` on the sampler's thread with each sample; the result ends it."""
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def samples_between(self, t0_ns: int, t1_ns: int) -> tuple[TelemetrySample, ...]:
        """Kept samples from ``t0_ns`` to ``t1_ns``, both included, in order."""
        with self._lock:
            return tuple(sample for sample in self._ring if t0_ns <= sample.t_ns <= t1_ns)

    @property
    def latest(self) -> TelemetrySample | None:
        """The last sample, None before the first."""
        with self._lock:
            return self._ring[-1] if self._ring else None

    # -- the thread ----------------------------------------------------------------------------------------

    def _run(self) -> None:
        begun_ns = self._clock.now_ns()
        while True:
            self._tick()
            elapsed_ns = self._clock.now_ns() - begun_ns
            rest_ns = self._period_ns - elapsed_ns % self._period_ns
            if self._stop.wait(rest_ns / 1e9):
                return

    def _tick(self) -> None:
        t_ns = self._clock.now_ns()
        gpus = self._guarded("reading of cards", self._cards.sample)
        host = self._guarded("reading of host", self._host.sample)
        sample = TelemetrySample(t_ns, host or _UNKNOWN_HOST, gpus or ())
        with self._lock:
            self._ring.append(sample)
            listeners = tuple(self._listeners)
        for listener in listeners:
            self._guarded("a listener", partial(listener, sample))

    def _guarded(self, what: str, call: Callable[[], _T]) -> _T | None:
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - top of the thread: readings go on whatever one source does
            kind = f"{what}: {type(error).__name__}"
            if kind not in self._complained:
                self._complained.add(kind)
                _log.exception("%s failed; readings go on", what)
            return None
