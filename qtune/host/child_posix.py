"""A guarded child on POSIX: the app's side of the guard process."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from qtune.core.errors import KnownError
from qtune.host.child import OUTPUT_LIMIT_BYTES, STOP_GRACE_S
from qtune.host.guard import DEFAULT_GRACE_S, ORDER_KILL, ORDER_TERMINATE, SWEEP_LIMIT_S
from qtune.host.program import self_command

_log = logging.getLogger("qtune.host")

_START_LIMIT_S = 30.0
_KILL_LIMIT_S = 2.0
_REAP_LIMIT_S = DEFAULT_GRACE_S + SWEEP_LIMIT_S + 1.0
_PIPE_LINGER_S = 1.0
_PIPE_LOOK_S = 0.05

assert sys.platform != "win32"  # noqa: S101 - tells the type checker what this module is for


async def spawn(command: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> PosixChild:
    """Start the guard and with it the command; see ``child.spawn_guarded``."""
    child = await _start_guard(command, env, cwd)
    try:
        async with asyncio.timeout(_START_LIMIT_S):
            await child.started()
    except BaseException as error:
        # Without its lifeline the guard ends the engine, if there is one already.
        await child.give_up()
        if isinstance(error, TimeoutError):
            reason = "the guard did not answer"
            raise KnownError("engine_not_started", path=command[0], reason=reason) from error
        raise
    return child


async def _start_guard(command: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> PosixChild:
    """Start the guard. Everything of ours is ready before it runs, so that no cancellation can lose it."""
    with ExitStack() as theirs, ExitStack() as ours:
        lifeline_r, lifeline_w = os.pipe()
        theirs.callback(os.close, lifeline_r)
        lifeline = ours.enter_context(FileIO(lifeline_w, "w"))
        os.set_blocking(lifeline_w, False)
        ends: list[int] = []
        pipes: list[_Pipe] = []
        for _ in ("status", "stdout", "stderr"):
            descriptor, end = os.pipe()
            theirs.callback(os.close, end)
            ends.append(end)
            pipes.append(await _open_reader(descriptor))
            ours.callback(pipes[-1].transport.close)
        options = ("--lifeline", str(lifeline_r), "--status", str(ends[0]))
        try:
            guard = await asyncio.create_subprocess_exec(
                *self_command("--guard", *options, "--", *command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=ends[1],
                stderr=ends[2],
                env=dict(env),
                cwd=cwd,
                pass_fds=(lifeline_r, ends[0]),
                # Ctrl-C in our terminal is for us; we then end the engine in order.
                process_group=0,
            )
        except OSError as error:
            path = str(error.filename or command[0])
            raise KnownError("engine_not_started", path=path, reason=error.strerror) from error
        ours.pop_all()
        return PosixChild(command[0], guard, lifeline, pipes)


class _Pipe(NamedTuple):
    """Our end of one pipe: the reader and the transport that feeds it."""

    reader: asyncio.StreamReader
    transport: asyncio.ReadTransport


def _is_full(pipe: _Pipe) -> bool:
    """Whether reading is paused because nobody takes what has arrived."""
    return not pipe.transport.is_closing() and not pipe.transport.is_reading()


async def _open_reader(descriptor: int) -> _Pipe:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=OUTPUT_LIMIT_BYTES, loop=loop)
    with ExitStack() as until_owned:
        file = until_owned.enter_context(FileIO(descriptor, "r"))
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader, loop=loop), file
        )
        until_owned.pop_all()
    return _Pipe(reader, transport)


class PosixChild:
    """The engine behind a guard, see ``child.GuardedChild``."""

    def __init__(
        self, path: str, guard: asyncio.subprocess.Process, lifeline: FileIO, pipes: Sequence[_Pipe]
    ) -> None:
        self._path = path
        self._guard = guard
        self._lifeline = lifeline
        self._status, self._out, self._err = pipes
        self._pid = 0
        self._create_time: float | None = None
        self._returncode: int | None = None
        loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = loop.create_future()
        self._watcher: asyncio.Task[None] | None = None
        self._dropper: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        """The engine's own process id."""
        return self._pid

    @property
    def guard_pid(self) -> int:
        """Process id of the guard."""
        return self._guard.pid

    @property
    def stdout(self) -> asyncio.StreamReader:
        """What the engine prints."""
        return self._out.reader

    @property
    def stderr(self) -> asyncio.StreamReader:
        """What the engine logs."""
        return self._err.reader

    @property
    def returncode(self) -> int | None:
        """Exit code, negative for a signal; None while it runs."""
        return self._returncode

    async def started(self) -> None:
        """Wait for the guard's word that the engine runs; KnownError if it does not."""
        fact = await self._read_fact()
        if "started" in fact:
            self._pid = int(fact["started"])
            with suppress(psutil.Error):
                self._create_time = psutil.Process(self._pid).create_time()
            self._watcher = asyncio.create_task(self._watch(), name=f"watch engine {self._pid}")
            return
        if "failed" in fact:
            reason = str(fact["failed"]["text"])
        else:
            said = await self.stderr.read(2000)
            reason = said.decode(errors="replace").strip().rpartition("\n")[2] or "the guard ended at once"
        raise KnownError("engine_not_started", path=self._path, reason=reason)

    async def wait(self) -> int:
        """Exit code, negative for a signal; answered also when the guard was killed."""
        if self._watcher is not None:
            await asyncio.shield(self._watcher)
        return await asyncio.shield(self._ended)

    def terminate(self) -> None:
        """Send SIGTERM to the engine's process group."""
        self._order(ORDER_TERMINATE)

    def kill(self) -> None:
        """Send SIGKILL to the engine's process group, and sweep what left the group."""
        self._order(ORDER_KILL)

    async def stop(self, grace_s: float = STOP_GRACE_S) -> int:
        """SIGTERM, up to ``grace_s`` seconds of waiting, SIGKILL; answers the exit code."""
        try:
            self.terminate()
            if not await self._ends_within(grace_s):
                self.kill()
                if not await self._ends_within(_KILL_LIMIT_S):
                    _log.warning("engine %d does not die; giving up its guard", self._pid)
                    self._kill_guard()
        except asyncio.CancelledError:
            self.kill()
            raise
        return await self.wait()

    async def give_up(self) -> None:
        """Cut the lifeline of a child that did not start properly and let go of everything."""
        self._lifeline.close()
        if self._watcher is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_KILL_LIMIT_S):
                    await self._guard.wait()
            self._kill_guard()
            await self._guard.wait()
        self._status.transport.close()
        self._close_pipes()

    async def _watch(self) -> None:
        """Wait for the engine's end, tell it, reap the guard, let the pipes go."""
        try:
            fact = await self._read_fact()
            if "ended" in fact:
                self._returncode = int(fact["ended"])
            else:
                # The guard died first. Its engine died with it on Linux; make sure of the rest of the group.
                self._kill_orphans()
                self._returncode = -signal.SIGKILL
            if not self._ended.done():
                self._ended.set_result(self._returncode)
            self._dropper = asyncio.create_task(self._drop_pipes(), name=f"pipes of engine {self._pid}")
        except asyncio.CancelledError:
            self._close_pipes()
            raise
        finally:
            # Also when the loop ends before the engine: without its lifeline the guard ends the engine.
            self._lifeline.close()
            self._ended.cancel()
            await self._reap_guard()
            self._status.transport.close()

    async def _reap_guard(self) -> None:
        try:
            async with asyncio.timeout(_REAP_LIMIT_S):
                await self._guard.wait()
        except TimeoutError:
            self._kill_guard()
            await self._guard.wait()

    async def _drop_pipes(self) -> None:
        """Close pipes that a stray process still holds, unless data is waiting: readers must see an end."""
        pipes = (self._out, self._err)
        quiet_s = 0.0
        try:
            while quiet_s < _PIPE_LINGER_S and not all(pipe.transport.is_closing() for pipe in pipes):
                await asyncio.sleep(_PIPE_LOOK_S)
                quiet_s = 0.0 if any(map(_is_full, pipes)) else quiet_s + _PIPE_LOOK_S
        finally:
            self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self._out, self._err):
            pipe.transport.close()

    async def _ends_within(self, limit_s: float) -> bool:
        done, _ = await asyncio.wait([self._ended], timeout=limit_s)
        return bool(done)

    async def _read_fact(self) -> dict[str, Any]:
        """Next report of the guard; empty when the guard is gone."""
        line = await self._status.reader.readline()
        if not line.endswith(b"\n"):
            return {}
        fact: dict[str, Any] = json.loads(line)
        return fact

    def _order(self, order: bytes) -> None:
        if self._returncode is None and not self._lifeline.closed:
            with suppress(OSError):  # the guard is gone, and its status pipe tells so
                self._lifeline.write(order)

    def _kill_guard(self) -> None:
        with suppress(ProcessLookupError):
            self._guard.kill()

    def _kill_orphans(self) -> None:
        """Kill what is left of the engine's group after its guard died, unless the number is a stranger's."""
        try:
            leader = psutil.Process(self._pid)
            if leader.create_time() != self._create_time:
                return
        except psutil.NoSuchProcess:
            pass  # a number that still names a group is not given to a new process
        except psutil.Error:
            return
        try:
            os.killpg(self._pid, signal.SIGKILL)
        except OSError as error:
            if error.errno != errno.ESRCH:
                _log.warning("group of engine %d: %s", self._pid, error.strerror)
