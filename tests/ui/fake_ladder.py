"""The way back of the scripted desk: the real ladder and rules, with footings that fail when told to."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal

from qtune.core.causes import cause_of
from qtune.core.errors import KnownError
from qtune.core.events import Event, IncidentHappened, LadderChanged, Notice, RolledBack, ServerChanged
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import (
    Footing,
    Known,
    Ladder,
    LadderFacts,
    LadderState,
    LadderView,
    OtherModel,
    Rung,
    RungView,
)
from qtune.core.messages import Message
from qtune.core.recovery import Action, Situation, decide
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.session.desk import Desk
from qtune.session.keeper import Entry
from qtune.session.requests import LaunchRequest, ServerAccess
from qtune.session.trials import Trial
from tests.ui import fake_models
from tests.ui import fake_story as story

Direction = Literal["start", "down", "up", "retry"]
By = Literal["user", "automatic"]
KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
NOW = "2026-11-30T09:41:00+00:00"
OUT_OF_MEMORY = Message.of(
    "ended_out_of_memory",
    line="/home/me/llama.cpp/ggml/src/ggml-cuda.cu:84: cudaMalloc failed: out of memory",
)


@dataclass
class Trouble:
    """What does not run on the scripted computer, and what its files of trials hold."""

    fails: Callable[[Footing], Message | None] = lambda _footing: None
    stale: Trial | None = None
    good: Trial | None = None
    bad: tuple[Trial, ...] = ()
    default: Trial | None = None
    incidents: tuple[Incident, ...] = ()
    priced: bool = True
    """Whether the footings were measured before."""
    safe_mode: bool = False
    stop_at: LadderState | None = None
    """Where a start stays for good, to be looked at."""
    busy: bool | None = False
    """What the server says when asked whether it answers somebody."""
    steps: list[LadderStep] = field(default_factory=list)


def trial(
    preset: str = "balanced", ctx_size: int = 8192, reason: Message | None = None, **changes: Any
) -> Trial:
    """A launch of a preset as it is noted on disk."""
    made = next(p for p in story.PRESETS if p.id == preset)
    settings = made.apply(ServerSettings(ctx_size=ctx_size)).with_values(changes)
    footing = Footing(story.MODEL.path, settings, preset)
    return Trial(footing, story.LLAMA.version, story.LLAMA.ref, "2026-11-29T18:20:00+00:00", reason=reason)


def with_mtp(footing: Footing) -> Message | None:
    """A world in which nothing with MTP fits."""
    return OUT_OF_MEMORY if footing.settings.mtp else None


def incident(preset: str = "aggressive", at_utc: str = "2026-11-29T18:20:00+00:00") -> Incident:
    """A failure of yesterday."""
    at = trial(preset)
    action = Message.of("recovery_step", rung="mtp_off", cause="memory")
    line = str(dict(OUT_OF_MEMORY.params)["line"])
    cause = cause_of(OUT_OF_MEMORY, mtp=True)
    return Incident(f"old-{preset}", at_utc, cause, OUT_OF_MEMORY, line, at.footing, at.engine, action)


class FakeWayBack(Desk):
    """Everything of the desk that has to do with the ladder; mixed into the fake desk."""

    trouble: Trouble
    calls: list[tuple[str, object]]
    emit: Callable[..., None]
    _wait: Callable[[float], None]
    _run: Callable[[Callable[[], None]], None]

    def _set_up_ladder(self, trouble: Trouble) -> None:
        self.trouble = trouble
        self._stand: Ladder | None = None
        self._state: LadderState = "stopped"
        self._why: Message | None = None
        self._ref = story.LLAMA.ref
        self._restarts: list[float] = []
        self._stopped = False
        self._number = itertools.count(1)

    def _notices_of_the_start(self) -> list[Event]:
        """What the real session says to whoever listens first."""
        codes = ["safe_mode"] if self.safe_mode else []
        notices: list[Event] = [Notice(Message.of(code)) for code in codes]
        if self.trouble.stale is not None:
            at = self.trouble.stale
            code = "trial_stale" if at.phase == "launching" else "trial_cut_off"
            settings = at.footing.settings
            notices.append(Notice(Message.of(code, preset=at.footing.preset, ctx=settings.ctx_size)))
        return notices

    # -- what is known ---------------------------------------------------------------------------------------

    @property
    def safe_mode(self) -> bool:
        return self.trouble.safe_mode

    def ladder(self) -> LadderView | None:
        stand = self._stand
        if stand is None:
            return None
        price = self._priced
        return LadderView(
            stand.facts.asked,
            stand.current,
            tuple(price(rung) for rung in stand.taken),
            tuple(price(rung) for rung in stand.rungs_below()),
            self._state,
            self._why if stand.taken else None,
        )

    @property
    def keeping(self) -> bool:
        return self._state in {"starting", "waiting", "in_force"}

    def server_access(self) -> ServerAccess | None:
        return ServerAccess("http://127.0.0.1:41233/v1", KEY) if self._state == "in_force" else None

    def server_busy(self) -> Future[bool | None]:
        return _ended(self.trouble.busy)

    def last_good(self) -> Future[Trial | None]:
        return _ended(self.trouble.default or self.trouble.good)

    @property
    def stale_trial(self) -> Trial | None:
        return self.trouble.stale

    def dismiss_stale_trial(self) -> Future[None]:
        self.calls.append(("dismiss_stale_trial", None))
        self.trouble.stale = None
        return _ended(None)

    def known_bad(self, request: LaunchRequest) -> Future[Trial | None]:
        wanted = Footing(request.model_path, request.settings, request.preset)
        same = [t for t in self.trouble.bad if t.footing.settings == wanted.settings]
        return _ended(same[0] if same else None)

    def incidents(self, limit: int = 50) -> Future[list[Incident]]:
        return _ended(list(self.trouble.incidents[:limit]))

    def ladder_steps(self, limit: int = 50) -> Future[list[LadderStep]]:
        return _ended(self.trouble.steps[::-1][:limit])

    # -- commands --------------------------------------------------------------------------------------------

    def start_server(self, request: LaunchRequest, entry: Entry = "top") -> Future[None]:
        self.calls.append(("start_server", request))
        self._ref = request.engine
        ladder = Ladder(self._facts_of(Footing(request.model_path, request.settings, request.preset)))
        self._why = None
        if entry == "below":
            self.calls.append(("entry", entry))
            ladder = ladder.down()
        if self.safe_mode and request.settings.mtp:
            ladder, self._why = ladder.without_mtp(), Message.of("safe_mode")
        return self._move(ladder, "start")

    def roll_back(self) -> Future[None]:
        self.calls.append(("roll_back", None))
        assert self._stand is not None
        self._why = None
        return self._move(self._stand.down(), "down")

    def climb_back(self) -> Future[None]:
        self.calls.append(("climb_back", None))
        assert self._stand is not None
        return self._move(self._stand.up(), "up")

    def start_last_good(self) -> Future[None]:
        self.calls.append(("start_last_good", None))
        good = self.trouble.default or self.trouble.good
        if good is None:
            return _broken(KnownError("no_last_good"))
        self._why = None
        return self._move(Ladder(self._facts_of(good.footing)), "start")

    def keep_as_default(self) -> Future[None]:
        self.calls.append(("keep_as_default", None))
        assert self._stand is not None
        self.trouble.default = Trial(self._stand.current, story.LLAMA.version, self._ref, NOW)
        return _ended(None)

    def stop_server(self) -> Future[None]:
        self.calls.append(("stop_server", None))
        self._stopped = True
        self.emit(ServerChanged(ServerState.STOPPING), ServerChanged(ServerState.STOPPED))
        self._stand_as("stopped")
        return _ended(None)

    def crash(self, message: Message = OUT_OF_MEMORY) -> None:
        """The running server dies; what follows goes by the real rules."""
        self._run(lambda: self._recover(message))

    # -- playing ---------------------------------------------------------------------------------------------

    def _move(self, ladder: Ladder, direction: Direction) -> Future[None]:
        future: Future[None] = Future()
        self._stopped = False

        def go() -> None:
            failure = self._stand_on(ladder, direction)
            if failure is None and self._state == "starting":
                return  # it stays there
            if failure is not None and not self._recover(failure):
                future.set_exception(KnownError.from_message(failure))
            else:
                future.set_result(None)

        self._run(go)
        return future

    def _stand_on(self, ladder: Ladder, direction: Direction, by: By = "user") -> Message | None:
        before = ladder.current if self._stand is None or direction == "start" else self._stand.current
        self._stand = ladder
        self._stand_as("starting")
        self.emit(self._changed(ServerState.STARTING), self._changed(ServerState.LOADING))
        self._wait(1.0)
        if self.trouble.stop_at == "starting":
            return None
        failure = self.trouble.fails(ladder.current)
        self._write_down(before, ladder, direction, by, failure)
        if failure is None:
            self.emit(self._changed(ServerState.READY))
            self._stand_as("in_force")
            footing = ladder.current
            self.trouble.good = Trial(footing, story.LLAMA.version, self._ref, NOW)
        return failure

    def _write_down(
        self, before: Footing, ladder: Ladder, direction: Direction, by: By, failure: Message | None
    ) -> None:
        """As the real session does: before the ladder stands, and with why it was taken or failed."""
        good = failure is None
        kind = ladder.taken[-1].kind if direction == "down" else None
        why = (self._why if by == "automatic" else None) if good else failure
        figures = (4321.0, story.PACES["off"].decode, 15 * story.GIB) if good else (None, None, None)
        number = f"step-{len(self.trouble.steps)}"
        step = LadderStep(number, NOW, direction, kind, by, before, ladder.current, good, why, *figures)
        self.trouble.steps.append(step)

    def _recover(self, message: Message) -> bool:
        while not self._stopped:
            ladder = self._stand
            assert ladder is not None
            action = self._decided(message, ladder)
            self.emit(ServerChanged(ServerState.CRASHED, message))
            self.emit(IncidentHappened(self._failed(message, ladder, action)))
            if action.kind == "stop":
                self._stand_as("failed")
                return False
            self._stand_as("waiting")
            if self.trouble.stop_at == "waiting":
                return True
            self._wait(1.0)
            self._restarts.append(0.0)
            if action.kind == "step":
                self._why, ladder = message, ladder.down()
            way: Direction = "down" if action.kind == "step" else "retry"
            failure = self._stand_on(ladder, way, "automatic")
            if failure is None:
                if action.kind == "step":
                    self.emit(RolledBack(ladder.taken[-1:], message))
                return True
            message = failure
        return False

    def _decided(self, message: Message, ladder: Ladder) -> Action:
        mtp = ladder.current.settings.mtp
        automatic = self.preference("automatic_rollback") != "off"
        restarts = tuple(self._restarts)
        cause = cause_of(message, mtp=mtp)
        return decide(Situation(cause, automatic, mtp, False, restarts, 0.0, ladder.next))

    def _failed(self, message: Message, ladder: Ladder, action: Action) -> Incident:
        line = str(dict(message.params).get("line") or "")
        cause = cause_of(message, mtp=ladder.current.settings.mtp)
        number = f"incident-{next(self._number)}"
        version = story.LLAMA.version
        return Incident(number, NOW, cause, message, line, ladder.current, version, action.reason)

    def _stand_as(self, state: LadderState) -> None:
        self._state = state
        view = self.ladder()
        if view is not None:
            self.emit(LadderChanged(view))

    def _changed(self, state: ServerState) -> Event:
        assert self._stand is not None
        footing = self._stand.current
        model = next((m for m in fake_models.MODELS if m.path == footing.model_path), story.MODEL)
        return ServerChanged(state, None, footing.preset, footing.settings, None, model, story.LLAMA, 41233)

    def _facts_of(self, asked: Footing) -> LadderFacts:
        smaller = (_other(fake_models.Q3),) if asked.model_path == fake_models.MODEL.path else ()
        wanted = self.preference("fallback_model")
        fallback = next((m for m in fake_models.MODELS if m.path == wanted), None)
        gentle = self.preference("gentle_steps") == "on"
        return LadderFacts(asked, smaller, None if fallback is None else _other(fallback), gentle)

    def _priced(self, rung: Rung) -> RungView:
        if not self.trouble.priced:
            return RungView(rung)
        return RungView(rung, _known(rung.before), _known(rung.after))


def _other(model: story.ModelFacts) -> OtherModel:
    return OtherModel(model.path, model.quant, model.size_bytes, model.context_train)


def _known(footing: Footing) -> Known | None:
    """What a footing gives; nothing is known of other files."""
    if footing.model_path != fake_models.MODEL.path:
        return None
    settings = footing.settings
    pace = story.PACES["balanced" if settings.mtp else "off"]
    planned = fake_models.estimate(fake_models.MODEL, settings, on_card=True)
    return Known(pace.decode, None if planned is None else planned.total_bytes)


def _ended(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def _broken(error: KnownError) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future
