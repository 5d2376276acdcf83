"""Keeps the server the user started: proves it, watches it, and finds the way back when it fails.

Lives on the io loop. What was asked for is kept apart from what is running; every step is proved by a real
completion and recorded. Nothing is started again once the user pressed Stop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from qtune.core.causes import Cause, cause_of
from qtune.core.errors import KnownError
from qtune.core.events import LadderChanged, Notice
from qtune.core.ladder import Footing, Ladder, LadderFacts, LadderState, LadderView, Rung
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import EngineFacts
from qtune.core.recovery import Action, Situation, decide
from qtune.session.announcer import Announcer
from qtune.session.ladder_record import Direction, LadderRecord, Move
from qtune.session.launch_book import LaunchBook
from qtune.session.launching import check_launch
from qtune.session.prices import Prices
from qtune.session.proof import Proof, prove
from qtune.session.rooms import Rooms
from qtune.session.trials import Trial, Trials
from qtune.session.watchdog import stalled

log = logging.getLogger("qtune.session")

SIGNS_OF_DEATH = frozenset({"first_completion_failed"})
"""What a request says when its server dies under it."""
DEATH_NOTICE_S = 3.0

Entry = Literal["top", "below", "without_mtp"]
"""Where on the ladder a start begins: at what was asked, one rung below it, or where MTP is off."""

Choice = Callable[[str], str]
"""A preference by its key, as text; empty if it was never set."""

FactsOf = Callable[[Footing], Awaitable[LadderFacts]]
"""Finds the rungs below what was asked: siblings on disk, the named fallback."""


@dataclass(frozen=True, slots=True)
class Means:
    """What the keeper works with besides the rooms.

    Attributes:
        model: Header facts of a file.
        ladder: Rungs below a footing.
    """

    trials: Trials
    launches: LaunchBook
    record: LadderRecord
    prices: Prices
    preference: Choice
    model: Callable[[Path], Awaitable[ModelFacts]]
    ladder: FactsOf


class Keeper:
    """One for the life of the app; all methods are called on the io loop."""

    def __init__(self, rooms: Rooms, announcer: Announcer, means: Means) -> None:
        self._rooms = rooms
        self._announcer = announcer
        self._means = means
        self._ladder: Ladder | None = None
        self._engine: EngineFacts | None = None
        self._state: LadderState = "stopped"
        self._why: Message | None = None
        self._restarts_s: list[float] = []
        self._retried: Footing | None = None
        self._watching: asyncio.Task[None] | None = None
        self._port, self._key = 0, ""  # kept while we look after one server, so that its users find it again
        self._turn = asyncio.Lock()
        self._stop = asyncio.Event()

    # -- what is known ---------------------------------------------------------------------------------------

    @property
    def view(self) -> LadderView | None:
        """Where we stand; None before anything was asked for."""
        ladder = self._ladder
        if ladder is None:
            return None
        price = self._means.prices.view
        return LadderView(
            asked=ladder.facts.asked,
            current=ladder.current,
            taken=tuple(price(rung) for rung in ladder.taken),
            below=tuple(price(rung) for rung in ladder.rungs_below()),
            state=self._state,
            why=self._why if ladder.taken else None,
        )

    @property
    def at_work(self) -> bool:
        """Whether a server is looked after: started, watched, or about to be started again."""
        return self._turn.locked() or (self._watching is not None and not self._watching.done())

    @property
    def trial(self) -> Trial | None:
        """What runs or should run, with its engine."""
        if self._ladder is None or self._engine is None:
            return None
        return self._means.trials.trial(self._ladder.current, self._engine)

    # -- what the user asks for ------------------------------------------------------------------------------

    async def start(self, asked: Footing, engine: EngineFacts, entry: Entry = "top") -> None:
        """Start what was asked for, or, with automatic rollback, the first rung below that runs.

        Args:
            asked: What was asked for; it is the top of the ladder, wherever that is entered.
            engine: What to run it with.
            entry: Where to begin: at the top, one rung below it, or below MTP.

        Raises:
            KnownError: What forbids the launch, or why it failed for good.
        """
        stop = self._stop
        async with self._turn:
            model = await self._means.model(Path(asked.model_path))
            if entry == "top":
                check_launch(asked.settings, engine, model)
            asked = replace(asked, model_path=model.path)
            ladder = Ladder(await self._means.ladder(asked))
            if entry == "below" and ladder.next is None:
                raise KnownError("recovery_at_foot")
            await self._end_watch()
            self._engine, self._why, self._retried, self._ladder = engine, None, None, None
            self._port, self._key = 0, ""
            if entry == "below":
                ladder = await self._lower(ladder)
            elif entry == "without_mtp" and ladder.current.settings.mtp:
                ladder = ladder.without_mtp()
                self._why = Message.of("safe_mode")
            await self._to(ladder, "down" if ladder.taken else "start", stop)

    async def roll_back(self) -> None:
        """One rung down, proved.

        Raises:
            KnownError: ``ladder_nothing_asked``, ``recovery_at_foot``, or why nothing below runs either.
        """
        stop = self._stop
        async with self._turn:
            ladder = self._standing()
            rung = ladder.next
            if rung is None:
                raise KnownError("recovery_at_foot")
            await self._end_watch()
            self._why = None
            lower = await self._lower(ladder)
            await self._to(lower, "down", stop)

    async def climb_back(self) -> None:
        """Undo the last rung, proved; if it does not run, we are down again and the reason is told.

        Raises:
            KnownError: ``ladder_nothing_asked``, ``ladder_at_top``, or why it failed.
        """
        stop = self._stop
        async with self._turn:
            ladder = self._standing()
            if not ladder.taken:
                raise KnownError("ladder_at_top")
            await self._end_watch()
            self._retried = None
            await self._to(ladder.up(), "up", stop)

    async def stop(self) -> None:
        """Stop the server and whatever recovery is under way; nothing starts again by itself."""
        self._stop.set()
        self._stop = asyncio.Event()
        await self._rooms.supervisor.stop()
        await self._end_watch()
        await self._means.launches.over()
        self._stand("stopped")

    def _standing(self) -> Ladder:
        if self._ladder is None or self._engine is None:
            raise KnownError("ladder_nothing_asked")
        return self._ladder

    # -- one footing -----------------------------------------------------------------------------------------

    async def _to(self, ladder: Ladder, direction: Direction, stop: asyncio.Event) -> None:
        """Stand on a footing the user asked for; if it fails, go on as the rules of recovery say.

        Raises:
            KnownError: Why nothing runs in the end.
        """
        try:
            await self._stand_on(ladder, Move(direction, "user"), stop)
        except KnownError as error:
            if stop.is_set() or not await self._recover(error.message, stop):
                raise
        else:
            self._watch()

    async def _stand_on(self, ladder: Ladder, move: Move, stop: asyncio.Event) -> None:
        """Stop, launch, prove with a real completion, record."""
        engine = self._engine
        assert engine is not None  # noqa: S101 - whoever calls has checked
        before = ladder.facts.asked if self._ladder is None else self._ladder.current
        self._ladder = ladder
        footing = ladder.current
        launches = self._means.launches
        await self._rooms.supervisor.stop()
        self._stand("starting")
        proof: Proof | None = None
        try:
            model = await self._means.model(Path(footing.model_path))
            check_launch(footing.settings, engine, model)
            spec = await launches.begin(engine, model, footing)
            spec = replace(spec, port=self._port, api_key=self._key)
            _unless_set(stop)  # pressed while files were read, there was no launch yet that it could end
            running = await self._rooms.supervisor.start(spec)
            self._port, self._key = running.port, running.api_key
            proof = await prove(running)
        except KnownError as error:
            message = await self._reason(error.message)
            await self._rooms.supervisor.stop()
            await launches.over()
            await self._means.record.step(move, before, ladder, proof, message)
            self._stand("stopped" if stop.is_set() else "failed")
            raise KnownError.from_message(message) from error
        await launches.proved(running, model, keep=True)
        await self._means.record.step(move, before, ladder, proof, self._why)
        self._stand("in_force")

    async def _reason(self, message: Message) -> Message:
        """Why the engine died, where a broken connection was only the first sign of it."""
        if message.code not in SIGNS_OF_DEATH:
            return message
        try:
            return await asyncio.wait_for(self._rooms.supervisor.wait_ended(), DEATH_NOTICE_S)
        except (TimeoutError, KnownError):
            return message

    async def _lower(self, ladder: Ladder) -> Ladder:
        """The next rung that is not known to fail with this build."""
        engine = self._engine
        assert engine is not None  # noqa: S101 - whoever calls has checked
        bad = await asyncio.to_thread(self._means.trials.bad, engine.version)
        known = {(b.footing.model_path, b.footing.settings) for b in bad}
        lower = ladder.down()
        while (lower.current.model_path, lower.current.settings) in known and lower.next is not None:
            lower = lower.down()
        return lower

    # -- watching and recovering -----------------------------------------------------------------------------

    def _watch(self) -> None:
        self._watching = asyncio.get_running_loop().create_task(self._watched(), name="server keeper")

    async def _end_watch(self) -> None:
        watching, self._watching = self._watching, None
        if watching is not None and watching is not asyncio.current_task():
            watching.cancel()
            await asyncio.wait({watching})

    async def _watched(self) -> None:
        """Wait for the end of the server or a stall, and act on it."""
        stop = self._stop
        try:
            message = await self._failure()
            if cause_of(message, mtp=False) is Cause.STOPPED and message.code == "ended_by_request":
                await self._means.launches.over()
                self._stand("stopped")
                return
            async with self._turn:
                if not stop.is_set() and await self._recover(message, stop):
                    return
        except KnownError as error:
            log.info("the way back ended: %s", error)
            self._announcer.announce(Notice(error.message))
        except Exception:
            log.exception("the keeper failed")
            raise

    async def _failure(self) -> Message:
        """How the running server failed; a stalled one is ended by force first."""
        supervisor = self._rooms.supervisor
        ending = asyncio.ensure_future(supervisor.wait_ended())
        stalling = asyncio.ensure_future(stalled(supervisor))
        try:
            await asyncio.wait({ending, stalling}, return_when=asyncio.FIRST_COMPLETED)
            if ending.done():
                return ending.result()
            message = stalling.result()
            await supervisor.stop(grace_s=1.0)
            return message
        finally:
            ending.cancel()
            stalling.cancel()

    async def _recover(self, message: Message, stop: asyncio.Event) -> bool:
        """Retry or step down until something runs; False when nothing may or can be done."""
        await self._means.launches.over()
        while not stop.is_set():
            ladder = self._standing()
            action = self._decided(message, ladder)
            await self._means.launches.failed(message, action)
            if action.kind == "stop":
                self._stand("failed")
                return False
            self._restarts_s.append(self._now_s())
            self._stand("waiting")
            if await _set_within(stop, action.pause_s):
                return False
            retry = action.kind == "retry"
            if retry:
                self._retried = ladder.current
            else:
                self._why = message
                ladder = await self._lower(ladder)
            try:
                await self._stand_on(ladder, Move("retry" if retry else "down", "automatic"), stop)
            except KnownError as error:
                message = error.message
                continue
            if not retry:
                self._tell_rolled_back(ladder.taken[-1], message)
            self._watch()
            return True
        return False

    def _decided(self, message: Message, ladder: Ladder) -> Action:
        mtp = ladder.current.settings.mtp
        return decide(
            Situation(
                cause=cause_of(message, mtp=mtp),
                automatic=self._means.preference("automatic_rollback") != "off",
                mtp=mtp,
                retried=self._retried == ladder.current,
                restarts_s=tuple(self._restarts_s),
                now_s=self._now_s(),
                rung=ladder.next,
            )
        )

    def _tell_rolled_back(self, rung: Rung, why: Message) -> None:
        what = rung.describe().sentence()
        self._announcer.announce(Notice(Message.of("rolled_back", what=what, why=why.sentence())))

    def _now_s(self) -> float:
        return self._rooms.clock.now_ns() / 1e9

    def _stand(self, state: LadderState) -> None:
        self._state = state
        view = self.view
        if view is not None:
            self._announcer.announce(LadderChanged(view))


def _unless_set(stop: asyncio.Event) -> None:
    if stop.is_set():
        raise KnownError("start_cancelled")


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    """Whether the event was set before the time was over."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True
