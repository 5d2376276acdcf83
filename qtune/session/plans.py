"""What each job measures, start by start: adapters between stored results and the planners of ``bench``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from qtune.bench import compare_plan
from qtune.bench.compare_plan import FULL, QUICK, ComparePlan, DoneStart
from qtune.core.decision import ArmFacts, verdict
from qtune.core.observation import Observation, observations
from qtune.core.records import RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.verdict import ArmSummary, Verdict, indicate
from qtune.session.requests import ArmResult


@dataclass(frozen=True, slots=True)
class Arm:
    """One thing to measure: its name in the experiment, the preset it came from, and its settings."""

    name: str
    preset: str
    settings: ServerSettings


@dataclass(frozen=True, slots=True)
class StartOrder:
    """The next start: a fresh process of an arm.

    Attributes:
        start: Number of this start of the arm, from 1; starts of the same number see the same prompts.
        prompts: Workloads by id; the first one warms up.
        requests: Counted requests per prompt.
    """

    arm: Arm
    start: int
    prompts: tuple[str, ...]
    requests: int


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
    """Each arm once, in the order given: a look, not a comparison."""

    arms: tuple[Arm, ...]
    prompts: tuple[str, ...]
    requests: int
    kind: str = "measure"
    form: Literal["quick", "full"] = "quick"

    def next_start(self, done: Sequence[ArmResult]) -> StartOrder | None:
        """The arm after those that ended, however they ended."""
        ended = sum(result.run.status in ENDED for result in done)
        if ended >= len(self.arms):
            return None
        arm = self.arms[ended]
        start = 1 + sum(earlier.name == arm.name for earlier in self.arms[:ended])
        return StartOrder(arm, start, self.prompts, self.requests)

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """Fewest requests and launches still to come."""
        starts = len(self.arms) - sum(result.run.status in ENDED for result in done)
        return starts * _requests_of_start(self.prompts, self.requests), starts

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """An indication at most."""
        return indicate([ArmSummary(r.run.arm, r.figures, r.run.mtp_active) for r in done])


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
        planned = compare_plan.next_start(self.plan, _starts(done), seen(done))
        if planned is None:
            return None
        arm = next(a for a in self.arms if a.name == planned.arm)
        return StartOrder(arm, planned.start, self.plan.prompts, self.plan.form.requests)

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """Fewest requests and launches still to come."""
        starts = compare_plan.starts_left(self.plan, _starts(done), seen(done))
        return starts * _requests_of_start(self.plan.prompts, self.plan.form.requests), starts

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """The decision over all observations."""
        return verdict(seen(done), arm_facts(self.arms, done), self.plan.base)


ENDED = frozenset({RunStatus.DONE, RunStatus.FAILED})
"""How a start ends for good; a cancelled or interrupted one is done again."""


def seen(done: Sequence[ArmResult]) -> tuple[Observation, ...]:
    """Observations of finished starts."""
    return observations((result.run, result.requests) for result in done)


def arm_facts(arms: Sequence[Arm], done: Sequence[ArmResult]) -> tuple[ArmFacts, ...]:
    """What the verdict needs to know of each arm besides its observations."""
    return tuple(_facts(arm, [r for r in done if r.run.arm == arm.name]) for arm in arms)


def _facts(arm: Arm, results: Sequence[ArmResult]) -> ArmFacts:
    active = [r.run.mtp_active for r in results if r.run.mtp_active is not None]
    failures = [r.run.failure for r in results if r.run.status is RunStatus.FAILED]
    effective = [r.run.settings_effective for r in results if r.run.settings_effective is not None]
    return ArmFacts(
        name=arm.name,
        n_max=arm.settings.n_max if arm.settings.mtp else 0,
        mtp_active=all(active) if active else None,
        failure=failures[0] if failures else None,
        settings=arm.settings,
        verified=all(e.verified for e in effective),
    )


def _starts(done: Sequence[ArmResult]) -> list[DoneStart]:
    return [DoneStart(r.run.arm, r.run.start, r.run.status) for r in done]


def _requests_of_start(prompts: Sequence[str], requests: int) -> int:
    return compare_plan.requests_left((), prompts, requests)


FORMS = {"quick": QUICK, "full": FULL}
