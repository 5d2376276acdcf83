"""The clock as a value that is handed in, so that tests own time."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Two clocks: a monotonic one for every duration, a wall clock once per run."""

    def now_ns(self) -> int:
        """Monotonic nanoseconds; only differences mean anything."""
        ...

    def utc(self) -> datetime:
        """Wall time with zone UTC."""
        ...


class SystemClock:
    """The machine's clocks: ``perf_counter_ns`` and UTC."""

    def now_ns(self) -> int:
        """Monotonic nanoseconds."""
        return time.perf_counter_ns()

    def utc(self) -> datetime:
        """Wall time, UTC."""
        return datetime.now(UTC)
