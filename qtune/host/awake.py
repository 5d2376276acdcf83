"""Time limits that count only while this program gets to run, not while the computer sleeps."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

TICK_S = 5.0
"""How often the clock is looked at. What passed since the last look is not counted if we slept in it."""

LATE_S = 2.0
"""A timer that comes later than this was not delayed by work: the computer slept, or we were stopped."""


class AwakeLimit:
    """``asyncio.timeout`` for a body that waits for others, which sleep when we do.

    The clock of asyncio runs on while a Windows computer sleeps, and on every system while the process is
    stopped. A plain limit would then be over at the first look after waking, although the answer that was
    waited for may already lie in the socket. Used once, inside a task; TimeoutError when the limit is over.
    """

    def __init__(self, seconds: float) -> None:
        """Set the limit; it runs from entering on."""
        self._seconds = seconds
        self._scope = asyncio.timeout(None)
        self._due = 0.0
        self._looked = 0.0
        self._look_at = 0.0
        self._tick: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        await self._scope.__aenter__()
        self.renew(self._seconds)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._tick is not None:
            self._tick.cancel()
        await self._scope.__aexit__(kind, error, trace)

    def renew(self, seconds: float) -> None:
        """Let it run anew, for so many seconds from now on."""
        loop = asyncio.get_running_loop()
        self._due = loop.time() + seconds
        # A stream renews with every token; the timer that is set already will see the new limit.
        if self._tick is None or self._due < self._look_at:
            self._wait(loop)

    def end_now(self) -> None:
        """Treat the limit as over."""
        if not self._scope.expired():
            self._scope.reschedule(asyncio.get_running_loop().time())

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._tick is not None:
            self._tick.cancel()
        self._looked = loop.time()
        self._look_at = min(self._due, self._looked + TICK_S)
        self._tick = loop.call_at(self._look_at, self._look)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        if now - self._look_at > LATE_S:
            self._due += now - self._looked
        if now < self._due:
            self._wait(loop)
        elif not self._scope.expired():
            self._scope.reschedule(now)
