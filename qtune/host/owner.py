"""Which process a run belongs to, and whether it still lives."""

from __future__ import annotations

from dataclasses import dataclass

import psutil

_TOLERANCE_S = 5.0
"""Linux derives the start of a process from the wall clock, which time synchronisation moves."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process by its id and its start (seconds since the epoch), since ids are used again."""

    pid: int
    started: float

    @classmethod
    def this_process(cls) -> Owner:
        """The process we are in."""
        process = psutil.Process()
        return cls(process.pid, process.create_time())

    def is_alive(self) -> bool:
        """Whether this very process still runs; one that may not be looked at counts as alive."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) <= _TOLERANCE_S
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            return True
