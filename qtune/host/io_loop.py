"""The io thread: one asyncio loop for the app's life, where processes and HTTP live."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
log = logging.getLogger("qtune.host")


class IoLoop:
    """Started when built; commands may be handed in from any thread.

    A plain thread with a standard loop: stamps taken here do not wait for anybody's painting.
    """

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leave: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._main, name="io", daemon=True)
        self._thread.start()
        self._ready.wait()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop; cancelling the future cancels it there.

        Raises:
            RuntimeError: The loop was stopped.
        """
        if self._loop is None or self._loop.is_closed():
            work.close()
            raise RuntimeError("the io loop has stopped")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, function: Callable[[], object]) -> None:
        """Call a function on the loop; nothing happens once it has stopped."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def stop(self, timeout_s: float) -> bool:
        """Cancel what still runs, let it clean up, end the thread; whether it ended in time."""
        leave = self._leave
        if leave is not None:
            self.call(leave.set)
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            log.warning("the io thread did not end within %s s", timeout_s)
        return not self._thread.is_alive()

    def _main(self) -> None:
        # asyncio.run cancels and awaits all other tasks when this coroutine returns.
        asyncio.run(self._live())

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._leave = asyncio.Event()
        self._ready.set()
        await self._leave.wait()
