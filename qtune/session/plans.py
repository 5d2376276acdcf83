"""What each job measures, start by start: adapters between stored results and the planners of ``bench``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from qtune.bench import compare_plan
from qtune.bench.compare_plan import CONFIRM, QUICK, SELFTEST_ARMS, ComparePlan, DoneRequest, done_starts
from qtune.bench.context_sweep import DepthPoint, degradation, degradation_messages
from qtune.bench.n_max_search import Chosen, Screen, SearchPlan, next_screen, stored_screen_run
from qtune.bench.soak_plan import soak_result
from qtune.core.decision import arm_facts, selftest, verdict
from qtune.core.gates import in_a_row
from qtune.core.messages import Message
from qtune.core.observation import Observation, observations, typical_spread
from qtune.core.records import RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.verdict import BASELINE, ArmSummary, Decision, Verdict, indicate
from qtune.session.requests import ArmResult


@dataclass(frozen=True, slots=True)
class Arm:
    """One thing to measure: its name in the experiment, the preset it came from, and its settings."""

    name: str
    preset: str
    settings: ServerSettings
    raw: bool = False


@dataclass(frozen=True, slots=True)
class StartOrder:
    """The next start: a fresh process of an arm.

    Attributes:
        start: Number of this start of the arm, from 1; starts of the same number see the same prompts.
        prompts: Workloads by id; the first one warms up.
        requests: Counted requests per prompt.
        seed: Seed of sampling and nonces where it is not that of the experiment.
        minutes: For a soak: counted requests go on this long, whatever their number.
        filling: Whether it holds is asked, not how fast it is: no warm-up, the first failure ends the start,
            and memory is read after each answer.
    """

    arm: Arm
    start: int
    prompts: tuple[str, ...]
    requests: int
    seed: int | None = None
    minutes: float | None = None
    filling: bool = False

    def requests_left(self, done: Sequence[DoneRequest] = ()) -> int:
        """Fewest requests still to come in this start."""
        return compare_plan.requests_left(done, self.prompts, self.requests, warm_up=not self.filling)


class Plan(Protocol):
    """What an experiment runner needs to know of a job. Pure: all follows from the finished starts."""

    @property
    def kind(self) -> str:
        """Name stored with the experiment."""
        ...

    @property
    def form(self) -> Literal["quick", "full"]:
        """Quick is an indication."""
        ...

    @property
    def arms(self) -> tuple[Arm, ...]:
        """Arms known from the beginning."""
        ...

    def next_start(self, done: Sequence[ArmResult]) -> StartOrder | None:
        """The next start, None when the job is fulfilled or cannot be."""
        ...

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """Fewest requests and launches still to come, the next start included."""
        ...

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """What the finished starts say."""
        ...


@dataclass(frozen=True, slots=True)
class InTurn:
    """Each arm in the order given: a look, not a comparison. With seeds, one round of the arms per seed."""

    arms: tuple[Arm, ...]
    prompts: tuple[str, ...]
    requests: int
    kind: str = "measure"
    form: Literal["quick", "full"] = "quick"
    seeds: tuple[int, ...] = ()

    def next_start(self, done: Sequence[ArmResult]) -> StartOrder | None:
        """The arm after those that ended, however they ended."""
        ended = sum(result.run.status in ENDED for result in done)
        if ended >= len(self.arms):
            return None
        arm = self.arms[ended]
        start = 1 + sum(earlier.name == arm.name for earlier in self.arms[:ended])
        seed = self.seeds[start - 1] if self.seeds else None
        return StartOrder(arm, start, self.prompts, self.requests, seed)

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """Fewest requests and launches still to come."""
        starts = len(self.arms) - sum(result.run.status in ENDED for result in done)
        return starts * _requests_of_start(self.prompts, self.requests), starts

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """An indication at most; the other kinds answer their own question."""
        match self.kind:
            case "ten":
                records = [r for result in done for r in result.requests]
                return Verdict("too_few", in_a_row(records).reason)
            case "seeds":
                return seeds_verdict(done, self.seeds)
            case "raw":
                return raw_verdict(done)
            case _:
                return indicate([_summary(result) for result in done])


def _summary(result: ArmResult) -> ArmSummary:
    """An arm with the rate that is shown of it."""
    rate = typical_spread(seen([result]), result.run.arm, result.figures.decode_tok_s)
    return ArmSummary(result.run.arm, replace(result.figures, decode_tok_s=rate), result.run.mtp_active)


@dataclass(frozen=True, slots=True)
class Soak:
    """One arm, request after request for a while."""

    arms: tuple[Arm, ...]
    prompts: tuple[str, ...]
    minutes: float
    kind: str = "soak"
    form: Literal["quick", "full"] = "full"

    def next_start(self, done: Sequence[ArmResult]) -> StartOrder | None:
        """The only start, unless it ended."""
        if any(result.run.status in ENDED for result in done):
            return None
        return StartOrder(self.arms[0], 1, self.prompts, 1, minutes=self.minutes)

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """One launch; how many requests fit into the time is not known before."""
        return (0, 0) if self.next_start(done) is None else (1, 1)

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """Last five against first five, memory, empty answers."""
        last = [r for r in done if r.run.status in ENDED or r.requests][-1:]
        result = soak_result([q for r in last for q in r.requests], [m for r in last for m in r.memory_bytes])
        first, *rest = result.reasons or (Message.of("soak_short", count=0, least=10),)
        return Verdict("too_few", first, None, (), tuple(rest))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Arms against off, interleaved over fresh processes until the interval is narrow or the cap reached."""

    arms: tuple[Arm, ...]
    plan: ComparePlan
    kind: str = "compare"

    @property
    def form(self) -> Literal["quick", "full"]:
        """Quick has one start per arm."""
        return "quick" if self.plan.form.starts_most == 1 else "full"

    def next_start(self, done: Sequence[ArmResult]) -> StartOrder | None:
        """The next start of the A B B A order."""
        return _of_comparison(self.arms, self.plan, done)

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """Fewest requests and launches still to come."""
        return _left_of_comparison(self.plan, done)

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """The decision over all observations."""
        if self.kind == "selftest":
            return selftest(seen(done), SELFTEST_ARMS[1])
        return verdict(seen(done), arm_facts([r.run for r in done]), self.plan.base)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Off and other arms at growing depths of filled context: a curve for each."""

    arms: tuple[Arm, ...]
    plan: ComparePlan
    depths: tuple[int, ...]
    kind: str = "sweep-context"
    form: Literal["quick", "full"] = "quick"

    def next_start(self, done: Sequence[ArmResult]) -> StartOrder | None:
        """Each arm once."""
        return _of_comparison(self.arms, self.plan, done)

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """Fewest requests and launches still to come."""
        return _left_of_comparison(self.plan, done)

    def curve(self, done: Sequence[ArmResult]) -> tuple[DepthPoint, ...]:
        """Every arm at every depth."""
        return degradation(seen(done), [a.name for a in self.arms], self.depths)

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """One sentence per arm; a curve is no comparison."""
        rows = degradation_messages(self.curve(done)) or (Message.of("verdict_nothing_to_compare"),)
        return Verdict("too_few", rows[0], None, (), rows[1:])


@dataclass(frozen=True, slots=True)
class Search:
    """The best n_max: screened by prediction, confirmed against off with fresh starts and fresh prompts."""

    off: Arm
    drafting: Callable[[int], Arm]
    search: SearchPlan
    prompts: tuple[str, ...]
    seed: int
    form: Literal["quick", "full"]
    kind: str = "sweep-n-max"

    @property
    def arms(self) -> tuple[Arm, ...]:
        """Off and the probe: the two that are launched in any case."""
        return self.off, self.drafting(self.search.probe)

    def next_start(self, done: Sequence[ArmResult]) -> StartOrder | None:
        """The next arm to screen, then the starts of the confirmation."""
        coming = self._next(done)
        if isinstance(coming, Chosen):
            confirmation = self._confirmation(coming)
            return None if confirmation is None else confirmation.next_start(_confirming(done))
        arm = self.drafting(coming.n_max) if coming.n_max else self.off
        screened = Arm(SCREEN + arm.name, arm.preset, arm.settings)
        return StartOrder(screened, SCREEN_STARTS + coming.start, self.prompts, self.search.screen_requests)

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """Fewest requests and launches still to come; how long the screening takes is a guess."""
        coming = self._next(done)
        if isinstance(coming, Chosen):
            confirmation = self._confirmation(coming)
            return (0, 0) if confirmation is None else confirmation.requests_left(_confirming(done))
        screens = max(1, SCREENS_USUAL - sum(r.run.arm.startswith(SCREEN) for r in done))
        confirm = self._confirmation(Chosen(1, ()))
        requests, loads = (0, 0) if confirm is None else confirm.requests_left(())
        each = _requests_of_start(self.prompts, self.search.screen_requests)
        return screens * each + requests, screens + loads

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """The decision of the confirmation; before it, what the screening shows."""
        coming = self._next(done)
        if not isinstance(coming, Chosen):
            return Verdict("too_few", Message.of("verdict_nothing_to_compare"))
        confirmation = self._confirmation(coming)
        if confirmation is None:
            decision: Decision = "no_difference" if coming.kind == "off" else "too_few"
            return Verdict(decision, coming.reasons[-1], self.off.name, (), coming.reasons[:-1])
        found = confirmation.verdict(_confirming(done))
        return replace(found, reasons=(*found.reasons, *coming.reasons))

    def _next(self, done: Sequence[ArmResult]) -> Screen | Chosen:
        screened = [r for r in done if r.run.arm.startswith(SCREEN) and r.run.status in ENDED]
        return next_screen(self.search, [stored_screen_run(r.run, r.requests) for r in screened])

    def _confirmation(self, chosen: Chosen) -> Comparison | None:
        if chosen.kind != "confirm":
            return None
        arms = (self.off, self.drafting(chosen.n_max))
        names = tuple(a.name for a in arms)
        return Comparison(
            arms, ComparePlan(names, self.prompts, QUICK if self.form == "quick" else CONFIRM, self.seed)
        )


SCREEN = "try "
"""Before the name of an arm while it is only screened: the verdict uses other starts of it."""
SCREEN_STARTS = 100
"""Screening starts are numbered from here on, so that the confirmation sees other prompts."""
SCREENS_USUAL = 5


def _confirming(done: Sequence[ArmResult]) -> list[ArmResult]:
    return [r for r in done if not r.run.arm.startswith(SCREEN)]


# -- sentences of the smaller jobs -----------------------------------------------------------------------


def seeds_verdict(done: Sequence[ArmResult], seeds: Sequence[int]) -> Verdict:
    """Speed-up and acceptance of each arm under each seed."""
    rows = []
    for start, seed in enumerate(seeds, start=1):
        here = {r.run.arm: r.figures for r in done if r.run.start == start}
        off = here.get(BASELINE)
        for arm, found in here.items():
            if off is None or arm == BASELINE or off.decode_tok_s is None or found.decode_tok_s is None:
                continue
            rate = "?" if found.acceptance is None else f"{found.acceptance.rate:.1%}"
            ratio = f"{found.decode_tok_s.median / off.decode_tok_s.median:.2f}"
            rows.append(Message.of("seed_row", seed=seed, arm=arm, ratio=ratio, rate=rate))
    first, *rest = rows or [Message.of("verdict_nothing_to_compare")]
    return Verdict("too_few", first, None, (), tuple(rest))


def raw_verdict(done: Sequence[ArmResult]) -> Verdict:
    """What sending the text without the chat template would have told."""
    chat, raw = ({r.run.arm: r.figures for r in done}.get(name) for name in ("chat", "raw"))
    if chat is None or raw is None or chat.decode_tok_s is None or raw.decode_tok_s is None:
        return Verdict("too_few", Message.of("verdict_nothing_to_compare"))
    rates = ["?" if f.acceptance is None else f"{f.acceptance.rate:.1%}" for f in (chat, raw)]
    return Verdict(
        "too_few",
        Message.of(
            "raw_row",
            chat=f"{chat.decode_tok_s.median:.1f}",
            raw=f"{raw.decode_tok_s.median:.1f}",
            chat_rate=rates[0],
            raw_rate=rates[1],
        ),
    )


ENDED = frozenset({RunStatus.DONE, RunStatus.FAILED})
"""How a start ends for good; a cancelled or interrupted one is done again."""


def _of_comparison(arms: Sequence[Arm], plan: ComparePlan, done: Sequence[ArmResult]) -> StartOrder | None:
    planned = compare_plan.next_start(plan, done_starts(r.run for r in done), seen(done))
    if planned is None:
        return None
    arm = next(a for a in arms if a.name == planned.arm)
    return StartOrder(arm, planned.start, plan.prompts, plan.form.requests)


def _left_of_comparison(plan: ComparePlan, done: Sequence[ArmResult]) -> tuple[int, int]:
    starts = compare_plan.starts_left(plan, done_starts(r.run for r in done), seen(done))
    return starts * _requests_of_start(plan.prompts, plan.form.requests), starts


def seen(done: Sequence[ArmResult]) -> tuple[Observation, ...]:
    """Observations of finished starts."""
    return observations((result.run, result.requests) for result in done)


def _requests_of_start(prompts: Sequence[str], requests: int) -> int:
    return compare_plan.requests_left((), prompts, requests)
