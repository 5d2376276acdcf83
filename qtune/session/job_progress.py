"""How far a job is and how long it may still take, told from what was measured so far."""

from __future__ import annotations

from collections.abc import Callable

from qtune.core.clock import Clock
from qtune.core.events import Event, Progress
from qtune.core.messages import Message

NS_PER_S = 1e9


class JobProgress:
    """Counts finished requests and announces ``Progress``; the time left is an estimate, None at first."""

    def __init__(self, clock: Clock, announce: Callable[[Event], None]) -> None:
        self._clock = clock
        self._announce = announce
        self._began_ns = clock.now_ns()
        self._request_s: list[float] = []
        self._load_s: list[float] = []
        self._later = (0, 0)

    def request_took(self, seconds: float) -> None:
        """A request ended after ``seconds``."""
        self._request_s.append(seconds)

    def load_took(self, seconds: float) -> None:
        """An engine was ready after ``seconds``."""
        self._load_s.append(seconds)

    def still_later(self, requests: int, loads: int) -> None:
        """What comes after the start in progress, at least."""
        self._later = (requests, loads)

    def say(self, what: Message, left_here: int) -> None:
        """Announce what is being done; ``left_here`` requests remain in this start."""
        requests = left_here + self._later[0]
        finished = len(self._request_s)
        elapsed_s = (self._clock.now_ns() - self._began_ns) / NS_PER_S
        self._announce(Progress(what, finished, finished + requests, elapsed_s, self._left_s(requests)))

    def _left_s(self, requests: int) -> float | None:
        if not self._request_s:
            return None
        load_s = sum(self._load_s) / len(self._load_s) if self._load_s else 0.0
        return requests * sum(self._request_s) / len(self._request_s) + self._later[1] * load_s
