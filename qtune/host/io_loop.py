"""The thread named ``io``: one asyncio loop for the app's life, for processes and HTTP."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_log = logging.getLogger("qtune.host")


class IoLoop:
    """Owns the io thread. Every method may be called from any other thread.

    Whoever waits for a future of ``submit`` is answered on every path; after ``stop`` it is cancelled.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = True
        self._pending: dict[Future[Any], Coroutine[Any, Any, Any]] = {}
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._ending: asyncio.Event
        # A daemon: a task that refuses to end must not keep the closed app alive.
        self._thread = threading.Thread(target=self._run, name="io", daemon=True)
        self._thread.start()
        self._ready.wait()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop."""
        with self._lock:
            if self._open:
                future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
                self._pending[future] = coroutine
            else:
                coroutine.close()
                future = Future()
                future.cancel()
        future.add_done_callback(self._forget)
        return future

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Call a function on the loop soon; nothing after ``stop``."""
        with self._lock:
            if self._open:
                self._loop.call_soon_threadsafe(function, *args)

    def stop(self, timeout_s: float = 5.0) -> bool:
        """Cancel all tasks, let them clean up, end the thread; False if it did not end in time."""
        with self._lock:
            if self._open:
                self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            _log.warning("the io thread did not end within %s s", timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            with asyncio.Runner() as runner:
                runner.run(self._live())
        finally:
            self._answer_all()

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        self._ready.set()
        try:
            await self._ending.wait()
        finally:
            with self._lock:
                self._open = False
        # What was submitted until now is started here, so that it is among the tasks the runner cancels.
        await asyncio.sleep(0)

    def _answer_all(self) -> None:
        with self._lock:
            left = dict(self._pending)
        for future, coroutine in left.items():
            coroutine.close()
            future.cancel()

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            self._pending.pop(future, None)
