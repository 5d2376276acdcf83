"""Supervises one engine at a time: starts it, proves it ready, watches it, stops it, says what happened.

One task per launch (``_live``) is the only writer of the state, apart from the two steps of measuring. Public
methods leave a request and wait; every way out of ``_live`` answers every waiter and leaves no engine behind.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import shlex
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from qtune.core.clock import Clock
from qtune.core.errors import KnownError
from qtune.core.events import ServerChanged
from qtune.core.messages import Message
from qtune.core.ports import ProbeFactory, ServerProbe
from qtune.core.records import EffectiveSettings
from qtune.core.server_state import ALIVE, ServerState, step
from qtune.engine.argv import Argv, build_argv
from qtune.engine.launch import LaunchSpec, Running
from qtune.engine.log_facts import LogFacts
from qtune.engine.log_ring import LogRing
from qtune.engine.process import EngineProcess, KeepLog, LogFeed, OnLog
from qtune.engine.readback import read_back
from qtune.engine.readiness import Identity, prove_ready
from qtune.host.awake import AwakeLimit
from qtune.host.child import STOP_GRACE_S
from qtune.host.environ import child_environment, environment_differences
from qtune.host.leftovers import forget_engine, remember_engine
from qtune.host.ports import free_port, listens

__all__ = ["LaunchSpec", "Running", "Supervisor"]

_DYING_S = 3.0
"""A request fails a little before the exit of the crashing engine is seen; writing a core dump takes time."""

_log = logging.getLogger("qtune.engine")
_T = TypeVar("_T")
OnState = Callable[[ServerChanged], None]


@dataclass(slots=True)
class _Life:
    """One launch, from the request to the end of its last process."""

    spec: LaunchSpec
    ready: asyncio.Future[Running]
    ended: asyncio.Future[Message]
    log: LogFeed
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    grace_s: float = STOP_GRACE_S
    engine: EngineProcess | None = None
    probe: ServerProbe | None = None
    port: int = 0
    task: asyncio.Task[None] | None = None


@dataclass(frozen=True, slots=True)
class _End:
    """Where a launch ends: its last state, the reason, and what a start still waiting is told."""

    state: ServerState
    reason: Message
    error: Exception


class _StopRequested(Exception):  # noqa: N818 - not an error
    """Someone called ``stop``."""


class Supervisor:
    """Lives on one asyncio loop; every method is called there, and so are both listeners.

    Args:
        probe_factory: Makes the HTTP side for a port and a key.
        clock: For the load time.
        on_state: Told of every step of the state. Must not block.
        on_log: Given the engine's lines in batches. Must not block.
        empty_config_dir: See ``host.environ.child_environment``.
        leftovers_file: Where engines are noted for the next start to end, should all else fail; see
            ``host.leftovers``.
        keep_log: Given every line of the engine, e.g. for a file. Must not block.
    """

    def __init__(
        self,
        probe_factory: ProbeFactory,
        clock: Clock,
        on_state: OnState,
        on_log: OnLog,
        *,
        empty_config_dir: Path | None = None,
        leftovers_file: Path | None = None,
        keep_log: KeepLog | None = None,
    ) -> None:
        self._probe_factory = probe_factory
        self._clock = clock
        self._on_state = on_state
        self._on_log = on_log
        self._empty_config_dir = empty_config_dir
        self._leftovers_file = leftovers_file
        self._keep_log = keep_log
        self._state = ServerState.STOPPED
        self._life: _Life | None = None
        self._effective: EffectiveSettings | None = None

    # -- what is known ------------------------------------------------------------------------------------

    @property
    def state(self) -> ServerState:
        """The state now."""
        return self._state

    @property
    def running(self) -> Running | None:
        """The server, while it is ready or measured with."""
        life = self._life
        if life is None or self._state not in {ServerState.READY, ServerState.MEASURING}:
            return None
        return life.ready.result()

    @property
    def pid(self) -> int | None:
        """Process id of the engine, None while there is none."""
        engine = None if self._life is None else self._life.engine
        return None if engine is None or engine.has_ended else engine.pid

    @property
    def log(self) -> LogRing | None:
        """The log of the newest launch, kept after its end."""
        return None if self._life is None else self._life.log.ring

    # -- requests -----------------------------------------------------------------------------------------

    async def start(self, spec: LaunchSpec) -> Running:
        """Launch and wait until the server has proved itself; afterwards no process is left if it has not.

        Cancelling the caller stops the launch.

        Raises:
            KnownError: ``server_busy``, what ``settings.problems`` or ``build_argv`` find,
                ``engine_not_started``, an ``ended_...`` code, ``start_timeout``, ``foreign_server``,
                ``first_completion_failed``, ``start_cancelled``.
        """
        if self._is_alive():
            raise KnownError("server_busy")
        for problem in spec.settings.problems():
            raise KnownError.from_message(problem)
        # Refuses before anything has changed.
        _argv(spec, 1, "")
        loop = asyncio.get_running_loop()
        life = _Life(spec, loop.create_future(), loop.create_future(), LogFeed(self._on_log))
        self._life = life
        self._effective = None
        life.task = loop.create_task(self._live(life), name="engine supervisor")
        try:
            return await asyncio.shield(life.ready)
        except asyncio.CancelledError:
            await self.stop()
            life.ready.exception()
            raise

    async def stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """End the server or the launch in progress and wait until nothing is left of it.

        Safe in every state and any number of times. After a crash there is nothing to stop and the state
        stays ``crashed``, with its reason.

        Args:
            grace_s: How long it may take to end by itself before it is killed.
        """
        life = self._life
        if life is None or life.ended.done():
            return
        if not life.stop.is_set():
            life.grace_s = grace_s
            life.stop.set()
        await asyncio.shield(life.ended)

    async def wait_ended(self) -> Message:
        """How the newest launch ended, as soon as it has.

        Raises:
            KnownError: ``server_not_running`` when nothing was ever launched.
        """
        if self._life is None:
            raise KnownError("server_not_running")
        return await asyncio.shield(self._life.ended)

    def begin_measuring(self) -> Running:
        """Mark the server as measured with.

        Raises:
            KnownError: ``server_not_running``.
        """
        running = self.running
        if running is None:
            raise KnownError("server_not_running")
        self._step(ServerState.MEASURING)
        return running

    def end_measuring(self) -> None:
        """Back to ready; nothing if the server has gone meanwhile."""
        if self._state is ServerState.MEASURING:
            self._step(ServerState.READY)

    # -- one launch ---------------------------------------------------------------------------------------

    def _is_alive(self) -> bool:
        return self._life is not None and not self._life.ended.done()

    def _step(self, to: ServerState, reason: Message | None = None) -> None:
        self._state = step(self._state, to)
        life = self._life
        assert life is not None  # noqa: S101 - no state is left without a launch
        spec = life.spec
        self._on_state(
            ServerChanged(
                state=to,
                reason=reason,
                preset=spec.preset,
                settings=spec.settings,
                effective=self._effective,
                model=spec.model,
                engine=spec.facts,
                port=life.port or None,
            )
        )

    async def _live(self, life: _Life) -> None:
        """The whole life of one launch. Whatever happens, nothing is left running and all waiters hear."""
        end = _End(ServerState.STOPPED, Message.of("ended_by_request"), KnownError("start_cancelled"))
        try:
            end = await self._run(life)
        except Exception as bug:  # noqa: BLE001 - top of a task: a fault of ours must not strand a waiter
            _log.exception("supervisor")
            fault = Message.of("internal_fault", kind=type(bug).__name__, path="qtune.log")
            end = _End(ServerState.STOPPED, fault, bug)
        finally:
            try:
                await self._clean_up(life)
            finally:
                self._finish(life, end)

    async def _clean_up(self, life: _Life) -> None:
        try:
            if life.probe is not None:
                await life.probe.close()
        finally:
            if life.engine is not None and life.engine.has_ended:
                await life.engine.close()
            elif life.engine is not None:
                await life.engine.kill()
            await self._forget(life)

    async def _remember(self, life: _Life) -> None:
        if self._leftovers_file is not None and life.engine is not None:
            await asyncio.to_thread(remember_engine, self._leftovers_file, life.engine.pid, life.port)

    async def _forget(self, life: _Life) -> None:
        if self._leftovers_file is not None and life.engine is not None:
            await asyncio.to_thread(forget_engine, self._leftovers_file, life.engine.pid)

    def _finish(self, life: _Life, end: _End) -> None:
        """The last step, and an answer for everyone; nothing here waits, so no one can start in between."""
        if self._state in ALIVE:
            if end.state is ServerState.STOPPED and self._state is not ServerState.STOPPING:
                self._step(ServerState.STOPPING, end.reason)
            self._step(end.state, end.reason)
        if not life.ready.done():
            life.ready.set_exception(end.error)
            life.ready.exception()  # seen: the starter may have left
        life.ended.set_result(end.reason)

    async def _run(self, life: _Life) -> _End:
        """Bring it up, stay with it, end it; everything but the last step and the answers."""
        try:
            running = await self._unless_stopped(life, self._bring_up(life))
            self._effective = running.effective
            # Set first: who hears of the step may ask for the running server.
            life.ready.set_result(running)
            self._step(ServerState.READY)
            assert life.engine is not None  # noqa: S101 - it has just proved itself
            await self._unless_stopped(life, asyncio.shield(life.engine.exit))
        except _StopRequested:
            known = KnownError("start_cancelled")
            reason = Message.of("ended_by_request")
        except KnownError as error:
            known, reason = error, error.message
            if life.engine is None or life.engine.has_ended:
                return _End(ServerState.CRASHED, reason, known)
        else:
            outcome = await life.engine.outcome(port=life.port)
            return _End(ServerState.CRASHED, outcome.message, KnownError.from_message(outcome.message))
        self._step(ServerState.STOPPING, reason)
        if life.engine is not None:
            await life.engine.stop(life.grace_s)
        return _End(ServerState.STOPPED, reason, known)

    async def _unless_stopped(self, life: _Life, work: Coroutine[Any, Any, _T] | asyncio.Future[_T]) -> _T:
        """Result of ``work``; _StopRequested as soon as someone wants to stop, after ``work`` has let go."""
        doing = asyncio.ensure_future(work)
        stopping = asyncio.ensure_future(life.stop.wait())
        try:
            await asyncio.wait({doing, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop_wanted = stopping.done()
            await _let_go(doing, stopping)
        if stop_wanted:
            raise _StopRequested
        return doing.result()

    async def _bring_up(self, life: _Life) -> Running:
        """Launch and prove; once more with another port when the first was taken in the meantime."""
        self._step(ServerState.STARTING)
        started_ns = self._clock.now_ns()
        spec = life.spec
        try:
            async with AwakeLimit(spec.load_timeout_s):
                try:
                    return await self._attempt(life, started_ns)
                except KnownError as error:
                    if error.code != "ended_port_taken":
                        raise
                    _log.info("port %d was taken, trying another", life.port)
                    return await self._attempt(life, started_ns)
        except TimeoutError as error:
            raise KnownError("start_timeout", seconds=round(spec.load_timeout_s)) from error

    async def _attempt(self, life: _Life, started_ns: int) -> Running:
        spec = life.spec
        if life.probe is not None:
            await life.probe.close()
        await self._forget(life)
        life.engine = None
        life.port = free_port(0 if life.port == spec.port else spec.port)
        alias = f"qtune-{secrets.token_hex(2)}"
        key = spec.api_key or secrets.token_urlsafe(24)
        argv = _argv(spec, life.port, alias)
        extra = {**dict(spec.extra_environment), "LLAMA_API_KEY": key}
        env = child_environment(extra, empty_config_dir=self._empty_config_dir)
        command = (*spec.facts.ref.command, *argv.tokens)
        life.log = LogFeed(self._on_log, self._keep_log)
        if self._keep_log is not None:
            self._keep_log(["", f"# {self._clock.utc():%Y-%m-%d %H:%M:%S} UTC: {shlex.join(command)}"])
        life.engine = engine = await EngineProcess.launch(command, env, life.log)
        await self._remember(life)
        if self._state is ServerState.STARTING:
            self._step(ServerState.LOADING)
        life.probe = probe = self._probe_factory(life.port, key)
        effective = await self._proven(life, engine, probe, alias)
        notes = argv.notes + _log_notes(life.log.reader.facts())
        return Running(
            spec=spec,
            pid=engine.pid,
            port=life.port,
            alias=alias,
            argv=command,
            environment=environment_differences(env),
            notes=notes,
            effective=effective,
            load_ms=(self._clock.now_ns() - started_ns) / 1e6,
            probe=probe,
            log_facts=life.log.reader.facts,
            api_key=key,
        )

    async def _proven(
        self, life: _Life, engine: EngineProcess, probe: ServerProbe, alias: str
    ) -> EffectiveSettings:
        """What is in force, once the engine has proved itself; its own end ends the wait at once."""
        identity = Identity(life.port, alias, lambda: listens(engine.pid, life.port))
        proving = asyncio.ensure_future(prove_ready(probe, identity))
        try:
            await asyncio.wait({proving, engine.exit}, return_when=asyncio.FIRST_COMPLETED)
            if not engine.exit.done() and proving.exception() is not None:
                await asyncio.wait({engine.exit}, timeout=_DYING_S)
        finally:
            await _let_go(proving)
        if engine.exit.done():
            raise KnownError.from_message((await engine.outcome(port=life.port)).message)
        spec = life.spec
        facts = engine.log.reader.facts()
        return read_back(spec.settings, spec.facts, spec.model_path, proving.result(), facts)


async def _let_go(*work: asyncio.Future[Any]) -> None:
    """Cancel what still runs, wait until it has cleaned up, and mark failures as seen."""
    for future in work:
        future.cancel()
    await asyncio.wait(work)
    for future in work:
        if not future.cancelled():
            future.exception()


def _log_notes(facts: LogFacts) -> tuple[Message, ...]:
    """What the log tells that the user should know beside the settings."""
    notes = [Message.of("config_file_in_use", path=path) for path in facts.config_files]
    if facts.context_reduced is not None:
        asked, given = facts.context_reduced
        notes.append(Message.of("context_reduced", requested=asked, effective=given))
    return tuple(notes)


def _argv(spec: LaunchSpec, port: int, alias: str) -> Argv:
    return build_argv(
        spec.settings,
        spec.facts,
        spec.model_path,
        port,
        alias,
        head_path=spec.head_path,
        devices=spec.devices,
    )
