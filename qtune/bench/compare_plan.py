"""The plan of a comparison: which start comes next, which request inside it, and when an arm has enough.

Pure: what comes next follows from what is stored, so a comparison can be cancelled and resumed, and the
simulated rig walks the same plan as the machine.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from qtune.bench.order import block_order
from qtune.bench.warmup import WARMUP_LEAST, given_up, is_warm, nonce
from qtune.core.comparison import THRESHOLD, decide, worst_cv
from qtune.core.interval import PAIRS_LEAST, paired_interval
from qtune.core.observation import Observation, centres, log_ratios
from qtune.core.records import Phase, RunRecord, RunStatus
from qtune.core.verdict import BASELINE

NARROW = math.log(1.02)
"""Half-width of an interval from which an arm has enough."""
CLOSE_CALL = 2.0
"""A gain this many half-widths above the threshold is kept from it by the workloads, not by noise."""
OFF_FAILURES_MOST = 2
"""Without off there is nothing to compare, so off gets a second chance; other arms do not."""


@dataclass(frozen=True, slots=True)
class Form:
    """How much is measured.

    Attributes:
        starts_least: Starts of each arm before anything is concluded.
        starts_most: Starts of each arm at which it ends in any case.
        requests: Counted requests per start and prompt.
    """

    name: str
    starts_least: int
    starts_most: int
    requests: int


QUICK = Form("quick", 1, 1, 3)
FULL = Form("full", 2, 12, 2)
"""Twelve starts are the price of a close call: +5 % at 3 % noise is then found nine times in ten."""
CONFIRM = Form("confirm", 2, 2, 2)
"""Fresh samples of a search's finalist and off: the verdict of a search rests on these alone."""
SELFTEST_ARMS = ("off", "off_again")
"""Off against itself: anything but "no difference" means the machine cannot compare."""


@dataclass(frozen=True, slots=True)
class ComparePlan:
    """A comparison as it was asked for.

    Attributes:
        arms: All arms, off among them, in any order; the seed decides the order of the starts.
        prompts: Workloads by id; the first one warms up.
    """

    arms: tuple[str, ...]
    prompts: tuple[str, ...]
    form: Form
    seed: int
    base: str = BASELINE

    @property
    def starts_least(self) -> int:
        """Starts of each arm at least: enough for six pairs, and an even number so that drift balances."""
        if self.form.starts_most == 1:
            return 1
        pairs = math.ceil(PAIRS_LEAST / len(self.prompts))
        wanted = max(self.form.starts_least, pairs)
        return min(wanted + wanted % 2, max(self.form.starts_most, pairs + pairs % 2))

    @property
    def starts_most(self) -> int:
        """Starts of each arm at most; never fewer than the least."""
        return max(self.form.starts_most, self.starts_least)


@dataclass(frozen=True, slots=True)
class DoneStart:
    """A start that was begun, as stored."""

    arm: str
    start: int
    status: RunStatus


def done_starts(runs: Iterable[RunRecord]) -> tuple[DoneStart, ...]:
    """Starts of stored runs."""
    return tuple(DoneStart(r.arm, r.start, r.status) for r in runs)


@dataclass(frozen=True, slots=True)
class PlannedStart:
    """The next start: a fresh process of an arm. ``start`` is also the number of its block."""

    arm: str
    start: int


def next_start(
    plan: ComparePlan, done: Sequence[DoneStart], seen: Sequence[Observation]
) -> PlannedStart | None:
    """The next start of the comparison, None when it is fulfilled.

    A start that was interrupted or cancelled is done again; one that failed is not, and its arm is given up.

    Args:
        plan: What was asked.
        done: Starts stored so far, in any order.
        seen: Observations of these starts.
    """
    finished = {(d.arm, d.start) for d in done if d.status in {RunStatus.DONE, RunStatus.FAILED}}
    lost = _lost(plan, done) | _barren(plan, done, seen)
    if plan.base in lost:
        return None
    # Blocks come in pairs and in order, so everything before the pair of the latest start is complete.
    latest = max((d.start for d in done), default=1)
    for first in range(latest - 1 + latest % 2, plan.starts_most + 1, 2):
        arms = wanted(plan, first, seen) - lost
        if arms <= {plan.base} < set(plan.arms):  # a plan of off alone is walked all the same
            return None
        for block in range(first, min(first + 1, plan.starts_most) + 1):
            for arm in block_order(plan.arms, block, plan.seed):
                if arm in arms and (arm, block) not in finished:
                    return PlannedStart(arm, block)
    return None


def wanted(plan: ComparePlan, block: int, seen: Sequence[Observation]) -> set[str]:
    """Arms that take part in a block, judged by the blocks before its pair; off always goes along.

    Blocks come in pairs A B, B A, so an arm is looked at after every second one only.
    """
    if block <= plan.starts_least:
        return set(plan.arms)
    before = block - 1 if block % 2 else block - 2
    known = [o for o in seen if o.start <= before]
    open_arms = {a for a in plan.arms if a != plan.base and not has_enough(known, a, plan.base)}
    return open_arms | {plan.base} if open_arms else set()


def has_enough(seen: Sequence[Observation], arm: str, base: str = BASELINE) -> bool:
    """Whether an arm's interval is narrower than +-2 % and does not leave the question open.

    Half-width means the noise: the spread between workloads is no reason to go on. The question is open when
    the interval reaches over the +-3 % threshold its centre lies near, or when only the scatter from start to
    start, known badly from two, forbids the answer; then the arm is measured on, up to the cap.
    """
    found = paired_interval(log_ratios(seen, arm, base))
    if found is None or found.noise is None or found.noise > NARROW:
        return False
    gain = abs(math.log(found.ratio))
    margin = abs(gain - math.log(THRESHOLD))
    beyond = found.low > THRESHOLD or found.high < 1 / THRESHOLD
    if gain > math.log(THRESHOLD) and not beyond:
        return margin > CLOSE_CALL * found.noise
    if beyond:
        return decide(found, worst_cv(centres(seen, arm), centres(seen, base))) != "no_difference"
    return margin > found.noise


def _lost(plan: ComparePlan, done: Iterable[DoneStart]) -> set[str]:
    failures: dict[str, int] = {}
    for d in done:
        if d.status is RunStatus.FAILED:
            failures[d.arm] = failures.get(d.arm, 0) + 1
    return {a for a, n in failures.items() if n >= (OFF_FAILURES_MOST if a == plan.base else 1)}


def _barren(plan: ComparePlan, done: Iterable[DoneStart], seen: Sequence[Observation]) -> set[str]:
    """Arms of which no request counted although they had their starts: more would not count either."""
    starts: dict[str, int] = {}
    for d in done:
        if d.status is RunStatus.DONE:
            starts[d.arm] = starts.get(d.arm, 0) + 1
    fruitful = {o.arm for o in seen if o.counts}
    return {arm for arm, n in starts.items() if n >= plan.form.starts_least and arm not in fruitful}


def starts_left(plan: ComparePlan, done: Sequence[DoneStart], seen: Sequence[Observation]) -> int:
    """Fewest starts still to come, for the estimate of the time left."""
    coming = next_start(plan, done, seen)
    if coming is None:
        return 0
    lost, block = _lost(plan, done) | _barren(plan, done, seen), coming.start
    finished = {(d.arm, d.start) for d in done if d.status in {RunStatus.DONE, RunStatus.FAILED}}
    last = max(plan.starts_least, block + block % 2 if plan.starts_most > 1 else block)
    return sum(
        (arm, b) not in finished
        for b in range(block, last + 1)
        for arm in wanted(plan, min(b, block), seen) - lost
    )


# -- inside one start ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DoneRequest:
    """What the plan needs to know of a finished request; the rate is None when it failed."""

    phase: Phase
    prompt_id: str
    decode_tok_s: float | None


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """The next request of a start.

    Attributes:
        index: Position in the run, warm-up included.
        number: Number among the requests of this phase and prompt, from 0.
        nonce: First line of the prompt: differs between requests and starts, repeats between arms.
    """

    index: int
    phase: Phase
    prompt_id: str
    number: int
    nonce: str


def next_request(
    done: Sequence[DoneRequest],
    prompts: Sequence[str],
    requests: int,
    seed: int,
    start: int = 1,
    *,
    warm_up: bool = True,
) -> PlannedRequest | None:
    """The next request of one start, None when it is fulfilled or given up.

    Warm-up uses the first prompt until its rate is stable. The counted requests go round the prompts, so
    that a drift within the start falls on all of them alike.
    """
    if given_up([d.decode_tok_s for d in done]):
        return None
    warm = [d.decode_tok_s for d in done if d.phase == "warmup"]
    counted = len(done) - len(warm)
    phase: Phase
    if warm_up and counted == 0 and not is_warm(warm):
        phase, prompt, number = "warmup", prompts[0], len(warm)
    elif counted < requests * len(prompts):
        turn, place = divmod(counted, len(prompts))
        phase, prompt, number = "counted", prompts[place], turn
    else:
        return None
    first_line = nonce(seed, phase, f"{prompt}:{start}:{number}")
    return PlannedRequest(len(done), phase, prompt, number, first_line)


def requests_left(
    done: Sequence[DoneRequest], prompts: Collection[str], requests: int, *, warm_up: bool = True
) -> int:
    """Fewest requests still to come in this start."""
    warm = sum(d.phase == "warmup" for d in done)
    counted = len(done) - warm
    warming = max(0, WARMUP_LEAST - warm) if warm_up and counted == 0 else 0
    return max(0, requests * len(prompts) - counted) + warming


IN_A_ROW = 10
TEN_IN_A_ROW = Form("ten", 1, 1, IN_A_ROW)
"""One start, ten counted requests; judged by ``core.gates.in_a_row``."""
