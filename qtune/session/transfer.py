"""How far a large export or import is, and the wish to end it early."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from qtune.core.errors import KnownError

REPORT_S = 0.1
"""Between two reports: a bar moves no smoother for more."""


class Transfer:
    """Shared by the thread that does the work and whoever looks on.

    ``moved`` gets the number of runs done and of all runs, or of bytes where runs are not known yet; it is
    called on the working thread.
    """

    def __init__(self, moved: Callable[[int, int], None] | None = None) -> None:
        self._moved = moved
        self._cancelled = threading.Event()
        self._due_s = 0.0

    def cancel(self) -> None:
        """End it at the next step; any thread may say so. What was there before stays as it was."""
        self._cancelled.set()

    def step(self, done: int, total: int) -> None:
        """Say how far it is.

        Raises:
            KnownError: ``history_cancelled``.
        """
        if self._cancelled.is_set():
            raise KnownError("history_cancelled")
        now_s = time.monotonic()
        if self._moved is not None and (now_s >= self._due_s or done >= total):
            self._due_s = now_s + REPORT_S
            self._moved(done, total)
