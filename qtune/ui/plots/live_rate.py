"""Live estimate of decode speed from the arrival of text, and the time axis it is drawn on. No Qt."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

WINDOW_NS: Final = 1_000_000_000
STEP_NS: Final = 200_000_000
GAP_S: Final = 0.8
CAPACITY: Final = 36_000
"""Two hours of streaming at five points a second."""

Floats = npt.NDArray[np.float64]


class Series:
    """Growing x and y in a mirrored ring: the newest points are always one contiguous view."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._x = np.full(2 * capacity, np.nan)
        self._y = np.full(2 * capacity, np.nan)
        self._count = 0

    def add(self, x: float, y: float) -> None:
        """Append a point; ``nan`` as y makes a gap."""
        at = self._count % self._capacity
        for array, value in ((self._x, x), (self._y, y)):
            array[at] = array[at + self._capacity] = value
        self._count += 1

    def view(self) -> tuple[Floats, Floats]:
        """The points held, oldest first, without copying."""
        held = min(self._count, self._capacity)
        start = 0 if self._count <= self._capacity else self._count % self._capacity
        return self._x[start : start + held], self._y[start : start + held]

    @property
    def last_x(self) -> float | None:
        """Where the newest point lies; None without any."""
        return float(self._x[(self._count - 1) % self._capacity]) if self._count else None

    def __len__(self) -> int:
        return min(self._count, self._capacity)


class LiveRate:
    """Estimates tok/s from stamps of deltas. The axis counts seconds of streaming, not of waiting.

    llama-server sends one delta a token except where a token shows nothing, so a delta is nearly a token;
    ``tokens_per_delta`` is what the last finished request had. The finished request's own figure replaces
    the estimate, which is why the charts call it live.
    """

    def __init__(self) -> None:
        self.tokens_per_delta = 1.0
        self.offset_s = 0.0
        self._window: deque[int] = deque()
        self._first: int | None = None
        self._last: int | None = None
        self._due = 0

    def begin(self) -> None:
        """A new request goes out."""
        if self._first is not None and self._last is not None:
            self.offset_s += (self._last - self._first) / 1e9 + GAP_S
        self._window.clear()
        self._first = self._last = None

    def add(self, stamps: Iterable[int]) -> list[tuple[float, float]]:
        """Take arrivals in order; returns the (second, tok/s) points they complete."""
        points = []
        for stamp in stamps:
            if self._first is None:
                self._first, self._due = stamp, stamp + WINDOW_NS // 2
            while stamp > self._due:
                points.append(self._point(self._due))
                self._due += STEP_NS
            self._window.append(stamp)
            self._last = stamp
        return points

    def position(self) -> float:
        """Where the newest arrival lies on the axis, seconds."""
        if self._first is None or self._last is None:
            return self.offset_s
        return self.offset_s + (self._last - self._first) / 1e9

    def _point(self, at: int) -> tuple[float, float]:
        first = at if self._first is None else self._first
        while self._window and self._window[0] <= at - WINDOW_NS:
            self._window.popleft()
        span = min(WINDOW_NS, at - first)
        # The first token opens the span and does not count into it, as in the server's own figure.
        gained = len(self._window) - (1 if at - first < WINDOW_NS else 0)
        rate = max(0, gained) / (span / 1e9) * self.tokens_per_delta
        return self.offset_s + (at - first) / 1e9, rate
