"""Keeps the server the user started: proves it, watches it, and finds the way back when it fails.

Lives on the io loop. What was asked for is kept apart from what is running; every step is proved by a real
completion and recorded. Nothing is started again once the user pressed Stop.

One move at a time holds the turn: a command of the user, or the way back after a failure. Each move is given
the event that ends it; whoever ends all moves sets that event and puts a new one in its place, so that only
what is asked for afterwards goes on. The way back gives way to any command.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from qtune.core.causes import Cause, cause_of
from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.events import LadderChanged, Notice, RolledBack
from qtune.core.ladder import Footing, Ladder, LadderState, LadderView, Rung
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.recovery import WINDOW_S, Action, Situation, decide
from qtune.session.announcer import Announcer
from qtune.session.ladder_record import Move
from qtune.session.launching import check_launch
from qtune.session.means import Means
from qtune.session.proof import Proof, prove
from qtune.session.rooms import Rooms
from qtune.session.spill_watch import spilled
from qtune.session.stopping import if_set_raise, set_within, unless_stopped
from qtune.session.trials import Trial
from qtune.session.watchdog import stalled

_T = TypeVar("_T")

log = logging.getLogger("qtune.session")

SIGNS_OF_DEATH = frozenset({"first_completion_failed"})
"""What a request says when its server dies under it."""

Entry = Literal["top", "below", "without_mtp"]
"""Where on the ladder a start begins: at what was asked, one rung below it, or where MTP is off."""


class Keeper:
    """One for the life of the app; all methods are called on the io loop."""

    def __init__(self, rooms: Rooms, announcer: Announcer, means: Means) -> None:
        self._rooms = rooms
        self._announcer = announcer
        self._means = means
        self._ladder: Ladder | None = None
        self._engine: EngineFacts | None = None
        self._state: LadderState = "stopped"
        self._whys: dict[Footing, Message] = {}  # why a rung was taken by itself, by what it led to
        self._restarts_s: list[float] = []
        self._retried: tuple[Footing, float] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._port, self._key = 0, ""  # kept while we look after one server, so that its users find it again
        self._turn = asyncio.Lock()
        self._stop = asyncio.Event()
        self._moves = 0
        self._recovering = False
        self._unhandled: Message | None = None

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
            why=self._whys.get(ladder.current) if ladder.taken else None,
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
        async with self._move() as stop:
            model = await unless_stopped(stop, self._means.model(Path(asked.model_path)))
            asked = replace(asked, model_path=model.path)
            if entry == "top":
                check_launch(asked.settings, engine, model)
            ladder = Ladder(await unless_stopped(stop, self._means.ladder(asked)))
            if entry == "below":
                ladder, model = await self._lower(ladder, engine, stop)
            elif entry == "without_mtp":
                ladder = ladder.without_mtp()
                check_launch(ladder.current.settings, engine, model)
            await self._end_watch()
            self._engine, self._retried, self._ladder = engine, None, None
            self._whys.clear()
            self._restarts_s.clear()
            self._port, self._key = 0, ""
            if entry == "without_mtp" and ladder.taken:
                self._whys[ladder.current] = Message.of("safe_mode")
            await self._to(ladder, model, Move("down" if ladder.taken else "start", "user"), stop)

    async def roll_back(self) -> None:
        """One rung down, proved.

        Raises:
            KnownError: ``ladder_nothing_asked``, ``recovery_at_foot``, or why nothing below runs either.
        """
        async with self._move() as stop:
            engine, ladder = self._standing()
            lower, model = await self._lower(ladder, engine, stop)
            await self._end_watch()
            self._whys.pop(lower.current, None)
            await self._to(lower, model, Move("down", "user"), stop)

    async def climb_back(self) -> None:
        """Undo the last rung, proved; if that does not run, we are down again and the reason is told.

        Raises:
            KnownError: ``ladder_nothing_asked``, ``ladder_at_top``, what forbids the launch, or why not even
                the rung we stood on runs any more.
        """
        async with self._move() as stop:
            engine, ladder = self._standing()
            if not ladder.taken:
                raise KnownError("ladder_at_top")
            upper = ladder.up()
            model = await self._launchable(upper.current, engine, stop)
            await self._end_watch()
            self._retried = None
            failure = await self._stand_on(upper, model, Move("up", "user", ladder.taken[-1].kind), stop)
            if failure is None:
                self._watch(stop)
                return
            if_set_raise(stop)
            await self._down_again(ladder, failure, stop)

    async def before_a_move(self, reading: Awaitable[_T]) -> _T:
        """Result of what has to be read before a move can be asked for: what is stopped meanwhile is over.

        Raises:
            KnownError: ``start_cancelled`` when everything was stopped meanwhile, else what it raises.
        """
        stop = self._stop
        found = await unless_stopped(stop, reading)
        if_set_raise(stop)
        return found

    async def stop(self) -> None:
        """Stop the server and whatever recovery is under way; nothing starts again by itself."""
        self._end_moves()
        moves = self._moves
        await self._rooms.supervisor.stop()
        async with self._turn:
            if self._moves != moves:
                return  # asked for after the stop: what follows from it is what holds
            await self._end_watch()
            await self._means.launches.over()
            self._stand("stopped")

    @asynccontextmanager
    async def _move(self) -> AsyncIterator[asyncio.Event]:
        """The turn, for a command of the user, with the event that ends it.

        Raises:
            KnownError: ``start_cancelled`` when everything was stopped before its turn came.
        """
        self._moves += 1
        gives_way, self._recovering = self._recovering, False
        if gives_way:
            self._end_moves()
        stop = self._stop
        if gives_way:
            await self._rooms.supervisor.stop()
        async with self._turn:
            if_set_raise(stop)
            yield stop

    def _end_moves(self) -> None:
        self._stop.set()
        self._stop = asyncio.Event()

    def _standing(self) -> tuple[EngineFacts, Ladder]:
        if self._ladder is None or self._engine is None:
            raise KnownError("ladder_nothing_asked")
        return self._engine, self._ladder

    # -- one footing -----------------------------------------------------------------------------------------

    async def _to(self, ladder: Ladder, model: ModelFacts, move: Move, stop: asyncio.Event) -> None:
        """Stand on a footing the user asked for; if it fails, go on as the rules of recovery say.

        Raises:
            KnownError: Why nothing runs in the end.
        """
        failure = await self._stand_on(ladder, model, move, stop)
        if failure is None:
            self._watch(stop)
            return
        if_set_raise(stop)
        if not await self._recover(failure, stop):
            if_set_raise(stop)
            raise KnownError.from_message(failure)

    async def _stand_on(
        self, ladder: Ladder, model: ModelFacts, move: Move, stop: asyncio.Event
    ) -> Message | None:
        """Stop, launch, prove with a real completion, record; why it failed, None if it stands."""
        engine = self._engine
        assert engine is not None  # noqa: S101 - whoever calls has checked
        before = ladder.facts.asked if self._ladder is None else self._ladder.current
        await self._rooms.supervisor.stop()
        self._ladder = ladder
        self._stand("starting")
        proof: Proof | None = None
        try:
            spec = await self._means.launches.begin(engine, model, ladder.current)
            spec = replace(spec, port=self._port, api_key=self._key)
            if_set_raise(stop)  # pressed while files were read, there was no launch yet that it could end
            running = await self._rooms.supervisor.start(spec)
            self._port, self._key = running.port, running.api_key
            proof = await prove(running)
        except KnownError as error:
            failure = await self._reason(error.message, stop)
            await self._rooms.supervisor.stop()
            await self._means.launches.over()
            await self._means.record.step(move, before, ladder, None, failure)
            self._stand("stopped" if stop.is_set() else "failed")
            return failure
        try:
            await self._means.launches.proved(running, model, keep=True)
        except KnownError as error:
            self._announcer.announce(Notice(error.message))  # it runs all the same
        await self._means.record.step(move, before, ladder, proof, self._whys.get(ladder.current))
        self._stand("in_force")
        return None

    async def _reason(self, message: Message, stop: asyncio.Event) -> Message:
        """Why the engine died, where a broken connection was only the first sign of it."""
        if stop.is_set():
            return Message.of("start_cancelled")
        if message.code not in SIGNS_OF_DEATH:
            return message
        ending = self._rooms.supervisor.wait_ended()
        try:
            message = await asyncio.wait_for(ending, self._means.timing.death_notice_s)
        except TimeoutError:
            return message
        return Message.of("start_cancelled") if stop.is_set() else message

    async def _launchable(self, footing: Footing, engine: EngineFacts, stop: asyncio.Event) -> ModelFacts:
        """The model of a footing; raises what forbids its launch."""
        model = await unless_stopped(stop, self._means.model(Path(footing.model_path)))
        check_launch(footing.settings, engine, model)
        return model

    async def _lower(
        self, ladder: Ladder, engine: EngineFacts, stop: asyncio.Event, *, even_bad: bool = True
    ) -> tuple[Ladder, ModelFacts]:
        """The next rung that can be launched and is not known to fail with this build, and its model.

        Args:
            ladder: Where we stand.
            engine: The build.
            stop: Ends the search.
            even_bad: Take the first rung that is known to fail where there is no other.

        Raises:
            KnownError: ``recovery_at_foot`` where there is none, ``start_cancelled``.
        """
        bad = await asyncio.to_thread(self._means.trials.bad, engine.version)
        known = {(b.footing.model_path, b.footing.settings) for b in bad}
        last_resort: tuple[Ladder, ModelFacts] | None = None
        while ladder.next is not None:
            ladder = ladder.down()
            try:
                found = ladder, await self._launchable(ladder.current, engine, stop)
            except KnownError as error:
                if_set_raise(stop)
                log.info("a rung is passed over: %s", error)
                continue
            if (ladder.current.model_path, ladder.current.settings) not in known:
                return found
            last_resort = last_resort or found
        if last_resort is None or not even_bad:
            raise KnownError("recovery_at_foot")
        return last_resort

    # -- watching and recovering -----------------------------------------------------------------------------

    def _watch(self, stop: asyncio.Event) -> None:
        self._watching = asyncio.get_running_loop().create_task(self._watched(stop), name="server keeper")

    async def _end_watch(self) -> None:
        """Watch no longer; a failure that was not acted on yet is recorded all the same."""
        watching, self._watching = self._watching, None
        if watching is not None and watching is not asyncio.current_task():
            watching.cancel()
            await asyncio.wait({watching})
        failure, self._unhandled = self._unhandled, None
        if failure is not None:
            await self._means.launches.failed(failure)

    async def _watched(self, stop: asyncio.Event) -> None:
        """Wait for the end of the server or a stall, and act on it."""
        try:
            self._unhandled = message = await self._failure()
            async with self._turn:
                self._unhandled = None
                if message.code == "ended_by_request":
                    await self._means.launches.over()
                    self._stand("stopped")
                else:
                    await self._recover(message, stop)
        except KnownError as error:
            log.info("the way back ended: %s", error)
            if not stop.is_set():
                self._announcer.announce(Notice(error.message))
        except Exception:
            log.exception("the keeper failed")
            self._stand("in_force" if self._rooms.supervisor.running is not None else "failed")

    async def _failure(self) -> Message:
        """How the running server failed; a stalled one is ended by force first."""
        supervisor, timing = self._rooms.supervisor, self._means.timing
        ending = asyncio.ensure_future(supervisor.wait_ended())
        watches = [
            asyncio.ensure_future(watch) for watch in (stalled(supervisor, timing.patience), self._spill())
        ]
        try:
            await asyncio.wait({ending, *watches}, return_when=asyncio.FIRST_COMPLETED)
            done = next((watch for watch in watches if watch.done()), None)
            if not ending.done() and done is not None and (fault := done.exception()) is not None:
                # Its client is closed while the engine is cleared away; the end is told in a moment.
                log.info("the watch ended: %r", fault)
                await asyncio.wait({ending})
            if ending.done() or done is None:
                return await ending
            message = done.result()
            await supervisor.stop(grace_s=timing.force_s)
            return message
        finally:
            for future in (ending, *watches):
                future.cancel()

    async def _spill(self) -> Message:
        """A spill of the running server's card, once it is certain."""
        loaded_ns, cards = self._rooms.clock.now_ns(), await self._means.launches.cards()
        running = self._rooms.supervisor.running
        if running is None:
            return await self._rooms.supervisor.wait_ended()
        return await spilled(self._rooms, running, cards, loaded_ns, self._means.timing.patience.poll_s)

    async def _recover(self, failure: Message, stop: asyncio.Event) -> bool:
        """Retry or step down until something runs; False when nothing may or can be done."""
        self._recovering = True
        try:
            return await self._way_back(failure, stop)
        except KnownError:
            if not stop.is_set():
                self._stand("failed")  # its file is gone by now: nothing follows, so nothing is waited for
            raise
        finally:
            self._recovering = False

    async def _way_back(self, failure: Message, stop: asyncio.Event) -> bool:
        launches = self._means.launches
        await launches.over()
        _, top = self._standing()
        first: Message | None = None
        while True:
            engine, ladder = self._standing()
            lower = await self._lower_or_none(ladder, engine, stop)
            action = self._decided(failure, ladder, None if lower is None else lower[0].taken[-1])
            if stop.is_set():
                await launches.failed(failure)
                return False
            await launches.failed(failure, action)
            if action.kind == "stop":
                self._stand("stopped" if self._cause(failure, ladder) is Cause.STOPPED else "failed")
                return False
            self._restarts_s.append(self._now_s())
            self._stand("waiting")
            if await set_within(stop, action.pause_s):
                return False
            if action.kind == "retry" or lower is None:
                self._retried = ladder.current, self._now_s()
                to, move = ladder, Move("retry", "automatic")
                model = await self._launchable(ladder.current, engine, stop)
            else:
                (to, model), move = lower, Move("down", "automatic")
                first = first or failure
                self._whys[to.current] = failure
            again = await self._stand_on(to, model, move, stop)
            if again is None:
                if first is not None:
                    self._tell_rolled_back(to.taken[len(top.taken) :], first)
                self._watch(stop)
                return True
            failure = again

    async def _lower_or_none(
        self, ladder: Ladder, engine: EngineFacts, stop: asyncio.Event
    ) -> tuple[Ladder, ModelFacts] | None:
        try:
            return await self._lower(ladder, engine, stop, even_bad=False)
        except KnownError:
            return None

    async def _down_again(self, ladder: Ladder, failure: Message, stop: asyncio.Event) -> None:
        """Back to the rung we climbed from, which worked a moment ago; no pause and no count for that."""
        rung = ladder.taken[-1]
        cause = self._cause(failure, ladder.up())
        step = Message.of("recovery_step", rung=rung.kind, cause=cause.value)
        await self._means.launches.failed(failure, Action("step", step))
        self._whys[ladder.current] = failure
        engine, _ = self._standing()
        model = await self._launchable(ladder.current, engine, stop)
        again = await self._stand_on(ladder, model, Move("down", "automatic"), stop)
        if again is None:
            self._tell_rolled_back([rung], failure)
            self._watch(stop)
            return
        if_set_raise(stop)
        if not await self._recover(again, stop):
            if_set_raise(stop)
            raise KnownError.from_message(again)

    def _decided(self, failure: Message, ladder: Ladder, rung: Rung | None) -> Action:
        now_s = self._now_s()
        footing, since_s = self._retried or (None, 0.0)
        # A start that took ten minutes is not waited for a second time.
        retried = failure.code == "start_timeout" or (
            footing == ladder.current and now_s - since_s < WINDOW_S
        )
        return decide(
            Situation(
                cause=self._cause(failure, ladder),
                automatic=self._means.preference("automatic_rollback") != "off",
                mtp=ladder.current.settings.mtp,
                retried=retried,
                restarts_s=tuple(self._restarts_s),
                now_s=now_s,
                rung=rung,
                pauses_s=self._means.timing.pauses_s,
            )
        )

    @staticmethod
    def _cause(failure: Message, ladder: Ladder) -> Cause:
        return cause_of(failure, mtp=ladder.current.settings.mtp)

    def _tell_rolled_back(self, rungs: Sequence[Rung], why: Message) -> None:
        self._announcer.announce(RolledBack(tuple(rungs), why))

    def _now_s(self) -> float:
        return self._rooms.clock.now_ns() / 1e9

    def _stand(self, state: LadderState) -> None:
        self._state = state
        view = self.view
        if view is not None:
            self._announcer.announce(LadderChanged(view))
