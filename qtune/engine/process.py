"""One engine process: both pipes drained from the first moment, its log kept, its end explained."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from qtune.core.events import LogArrived
from qtune.engine.log_facts import LogReader
from qtune.engine.log_ring import LineSplitter, LogRing
from qtune.engine.outcome import TAIL_LINES, Outcome, classify
from qtune.host.child import GuardedChild, spawn_guarded
from qtune.host.oom import oom_kills

OnLog = Callable[[LogArrived], None]
KeepLog = Callable[[Sequence[str]], None]

_LAST_WORDS_S = 0.15
"""How long the rest of an ended engine's output is waited for; a grandchild may hold the pipe open."""

_KILL_LIMIT_S = 10.0


class LogFeed:
    """Keeps the engine's lines, learns from them, and hands them on in batches; never waits for anybody."""

    BATCH_S = 0.05
    BATCH_LINES = 1000
    """More lines than this within one batch are in the ring, but not announced."""

    def __init__(self, on_log: OnLog, keep_log: KeepLog | None = None) -> None:
        """``on_log`` is given batches, in which lines may be left out; ``keep_log`` every line."""
        self._keep_log = keep_log
        self.ring = LogRing()
        self.reader = LogReader()
        self._on_log = on_log
        self._waiting: list[str] = []
        self._skipped = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, lines: list[str]) -> None:
        """Take lines just read."""
        if not lines:
            return
        self.ring.append(lines)
        if self._keep_log is not None:
            self._keep_log(lines)
        self.reader.feed(lines)
        room = self.BATCH_LINES - len(self._waiting)
        self._waiting += lines[:room]
        self._skipped += max(0, len(lines) - room)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.BATCH_S, self.flush)

    def flush(self) -> None:
        """Announce what has been waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting or self._skipped:
            batch = LogArrived(tuple(self._waiting), self._skipped)
            self._waiting, self._skipped = [], 0
            self._on_log(batch)


class EngineProcess:
    """A running engine. Belongs to the loop it was started on."""

    def __init__(self, child: GuardedChild, log: LogFeed) -> None:
        self.log = log
        self._child = child
        self._oom_kills = oom_kills()
        self._drains = [
            asyncio.create_task(self._drain(stream), name=f"drain {name} of engine {child.pid}")
            for name, stream in (("stdout", child.stdout), ("stderr", child.stderr))
        ]
        self.exit = asyncio.create_task(child.wait(), name=f"exit of engine {child.pid}")

    @classmethod
    async def launch(cls, command: Sequence[str], env: Mapping[str, str], log: LogFeed) -> EngineProcess:
        """Start it.

        Raises:
            KnownError: ``engine_not_started``.
        """
        return cls(await spawn_guarded(command, env), log)

    @property
    def pid(self) -> int:
        """Process id of the engine itself."""
        return self._child.pid

    @property
    def has_ended(self) -> bool:
        """Whether it is gone."""
        return self._child.returncode is not None

    async def stop(self, grace_s: float) -> None:
        """Ask it to end, kill it after ``grace_s`` seconds; nothing if it has ended."""
        if self._child.returncode is None:
            await self._child.stop(grace_s)
        await self.exit

    async def outcome(self, *, port: int) -> Outcome:
        """Explain the end of an engine that was not asked to end, with its last words; waits for the end."""
        returncode = await self.exit
        await self.close()
        before, now = self._oom_kills, oom_kills()
        oom_killed = before is not None and now is not None and now > before
        tail = self.log.ring.tail(TAIL_LINES)
        return classify(returncode, tail, port=port, oom_killed=oom_killed)

    async def close(self) -> None:
        """Let go of the pipes of an engine that has ended, after what is still in them was read."""
        await asyncio.wait(self._drains, timeout=_LAST_WORDS_S)
        for drain in self._drains:
            drain.cancel()
        await asyncio.wait(self._drains)
        self.log.flush()

    async def kill(self) -> None:
        """End it at once; for the way out of a fault."""
        self._child.kill()
        await asyncio.wait([self.exit], timeout=_KILL_LIMIT_S)
        await self.close()

    async def _drain(self, stream: asyncio.StreamReader) -> None:
        # A full pipe blocks the server in mid-answer, so nothing here may wait for a reader of the log.
        lines = LineSplitter()
        try:
            while chunk := await stream.read(1 << 16):
                self.log.add(lines.feed(chunk))
        finally:
            self.log.add(lines.close())
