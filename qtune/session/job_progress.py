"""How far a job is and how long it may still take, told from what was measured so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qtune.bench.measure_plan import WARMUP_LEAST, DoneRequest, requests_left
from qtune.core.clock import Clock
from qtune.core.events import Event, Progress
from qtune.core.messages import Message

NS_PER_S = 1e9


class JobProgress:
    """Counts finished requests and announces ``Progress``; the time left is an estimate, None at first."""

    def __init__(self, arms: int, runs: int, clock: Clock, announce: Callable[[Event], None]) -> None:
        self._arms = arms
        self._runs = runs
        self._clock = clock
        self._announce = announce
        self._began_ns = clock.now_ns()
        self._request_s: list[float] = []
        self._load_s: list[float] = []

    def request_took(self, seconds: float) -> None:
        """A request ended after ``seconds``."""
        self._request_s.append(seconds)

    def load_took(self, seconds: float) -> None:
        """An engine was ready after ``seconds``."""
        self._load_s.append(seconds)

    def say(self, what: Message, arm_number: int, done: Sequence[DoneRequest] = ()) -> None:
        """Announce what is being done in arm ``arm_number`` (from 1), of which ``done`` is finished."""
        arms_left = self._arms - arm_number
        todo = requests_left(done, self._runs) + arms_left * (WARMUP_LEAST + self._runs)
        finished = len(self._request_s)
        elapsed_s = (self._clock.now_ns() - self._began_ns) / NS_PER_S
        self._announce(Progress(what, finished, finished + todo, elapsed_s, self._left_s(todo, arms_left)))

    def _left_s(self, requests: int, loads: int) -> float | None:
        if not self._request_s:
            return None
        load_s = sum(self._load_s) / len(self._load_s) if self._load_s else 0.0
        return requests * sum(self._request_s) / len(self._request_s) + loads * load_s
