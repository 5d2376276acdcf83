"""The search for the best n_max: screen by predicted speed, then confirm with fresh samples.

tok/s = rounds/s x L. One arm with long drafts shows how often each position is accepted, hence L(n) for every
shorter draft; the time of a round lies between that of off and that of the long arm. That predicts all other
arms well enough to choose which are worth a launch. Measured arms then correct the prediction, and the search
ends when no arm left could beat the leader by 3 %. The verdict never rests on the screening: the leader is
confirmed against off with fresh samples, or its luck would be reported as speed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from qtune.core.messages import Message
from qtune.core.observation import Observation, observations, typical
from qtune.core.records import RequestRecord, RunRecord
from qtune.core.stats import counts, pooled_acceptance

WORTH = 1.03
"""An arm that cannot beat the leader by this factor is not worth a launch."""
STRAY = 0.08
"""How far an arm may lie above its prediction for each step to the nearest measured arm."""
STRAY_MOST = 0.25
CLOSE = 0.96
"""Arms this near the leader are measured once more before one is chosen."""
TIE = 0.99
"""A lower n_max within this factor of the leader wins."""
COLLAPSED = 0.5
"""Below this share of off a speed is no matter of acceptance: memory, or hopeless."""
COLD_ROUND_COST = 0.15
"""Cost of one more drafted token, as a share of off's round, where no arm has shown it yet."""
FLAT = 1.05
FLAT_ARMS = 3
FLAT_REACH = 2.0


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What is searched.

    Attributes:
        n_high: Longest draft considered; the settings below it are 1 to ``n_high``.
        probe: Draft length of the first arm, long enough to show acceptance by position.
        screen_requests: Counted requests per start and prompt while screening.
        launches_most: Most draft lengths ever launched.
    """

    n_high: int = 8
    probe: int = 6
    screen_requests: int = 1
    launches_most: int = 5


@dataclass(frozen=True, slots=True)
class ScreenRun:
    """One start of the screening.

    Attributes:
        n_max: Draft length, 0 for off.
        decode_tok_s: Geometric mean over the prompts; None when it could not be measured.
        by_position: Share of drafts accepted at each position; empty when unknown.
        mean_len: L; None when unknown.
    """

    n_max: int
    decode_tok_s: float | None
    by_position: tuple[float, ...] = ()
    mean_len: float | None = None


@dataclass(frozen=True, slots=True)
class Screen:
    """Launch this draft length once (again); ``start`` counts its starts from 1."""

    n_max: int
    start: int
    reasons: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The screening is over. ``n_max`` 0 means off leads; else it is to be confirmed against off."""

    n_max: int
    reasons: tuple[Message, ...]
    kind: Literal["confirm", "off", "failed"] = "confirm"


def screen_run(n_max: int, seen: Sequence[Observation], by_position: tuple[float, ...] = ()) -> ScreenRun:
    """A screening run from the observations of one start (all of one arm)."""
    arm = seen[0].arm if seen else ""
    rounds = sum(o.rounds or 0 for o in seen if o.counts)
    accepted = sum(o.accepted or 0 for o in seen if o.counts and o.rounds)
    return ScreenRun(n_max, typical(seen, arm), by_position, 1 + accepted / rounds if rounds else None)


def stored_screen_run(run: RunRecord, requests: Sequence[RequestRecord]) -> ScreenRun:
    """A screening run from a stored start; one that failed rules out longer drafts."""
    pooled = pooled_acceptance([r for r in requests if counts(r)])
    n_max = run.settings_requested.n_max if run.settings_requested.mtp else 0
    return screen_run(n_max, observations([(run, requests)]), () if pooled is None else pooled.by_position)


def next_screen(plan: SearchPlan, runs: Sequence[ScreenRun]) -> Screen | Chosen:
    """What to screen next, or which arm was chosen, given all screening starts so far."""
    rates = mean_rates(runs)
    if 0 not in rates:
        return Chosen(0, (Message.of("search_off_failed"),), "failed") if runs else Screen(0, 1)
    limit, ruled_out = cliff(plan, runs, rates)
    good = {n: r for n, r in rates.items() if n == 0 or n < limit}
    tried = {r.n_max for r in runs}
    if len(tried) == 1:
        return Screen(min(plan.probe, plan.n_high), 1)
    if ruled_out and len(good) == 1 and limit > 1:
        # Nothing is known of the side that fits but that it is shorter: half-way, not step by step.
        return Screen(limit // 2, 1, ruled_out)
    best = max(good, key=lambda n: good[n])
    flat = flat_from(good)
    if flat is not None:
        return _settle(runs, good, (*ruled_out, flat))
    left = [n for n in range(1, min(limit, plan.n_high + 1)) if n not in tried]
    hopes = {n: hope(n, runs, good) for n in left}
    worth = [n for n in left if hopes[n] > WORTH * good[best]]
    if worth and len(tried) - 1 < plan.launches_most:
        return Screen(_most_promising(worth, runs, good, near=best if ruled_out else None), 1, ruled_out)
    end = Message.of("search_budget" if worth else "search_done", n=best)
    return _settle(runs, good, (*ruled_out, end))


def _most_promising(
    worth: Sequence[int], runs: Sequence[ScreenRun], good: Mapping[int, float], near: int | None
) -> int:
    """The arm with the best prediction; once a cliff is known, the one nearest to what is known to fit."""
    predicted = predictions(runs, good, worth)
    return max(worth, key=lambda n: (0 if near is None else -abs(n - near), predicted[n], -n))


def _settle(
    runs: Sequence[ScreenRun], good: Mapping[int, float], reasons: tuple[Message, ...]
) -> Screen | Chosen:
    """Measure close finalists once more, then take the best; ties go to the lower n_max."""
    leader = max(good.values())
    if leader <= good[0]:
        return Chosen(0, (*reasons, Message.of("search_off_leads")), "off")
    close = sorted((n for n in good if n and good[n] >= CLOSE * leader), key=lambda n: -good[n])[:2]
    starts = {n: sum(r.n_max == n for r in runs) for n in close}
    for n in close:
        if len(close) > 1 and starts[n] < 2:
            return Screen(n, starts[n] + 1, reasons)
    leader = max(good[n] for n in close)
    chosen = min(n for n in good if n and (n in close or _is_flat(reasons)) and good[n] >= TIE * leader)
    return Chosen(chosen, reasons)


def _is_flat(reasons: Iterable[Message]) -> bool:
    """Whether the search ended on a flat curve, where the lowest of all equal arms is taken."""
    return any(r.code == "search_flat" for r in reasons)


def mean_rates(runs: Iterable[ScreenRun]) -> dict[int, float]:
    """Mean rate of each draft length over its starts."""
    found: dict[int, list[float]] = {}
    for run in runs:
        if run.decode_tok_s is not None:
            found.setdefault(run.n_max, []).append(run.decode_tok_s)
    return {n: sum(v) / len(v) for n, v in found.items()}


def cliff(
    plan: SearchPlan, runs: Sequence[ScreenRun], rates: Mapping[int, float]
) -> tuple[int, tuple[Message, ...]]:
    """First draft length that is ruled out, with the reason.

    Memory needs grow with n_max, so where an arm collapses or cannot start, longer drafts need no try.
    """
    limit, reasons = plan.n_high + 1, []
    for run in runs:
        if run.n_max == 0 or run.n_max >= limit:
            continue
        if run.n_max not in rates:
            limit = run.n_max
            reasons.append(Message.of("search_arm_failed", n=run.n_max))
        elif rates[run.n_max] < COLLAPSED * rates[0]:
            limit = run.n_max
            reasons.append(Message.of("search_cliff", n=run.n_max, rate=f"{rates[run.n_max]:.1f}"))
    return limit, tuple(reasons)


def flat_from(good: Mapping[int, float]) -> Message | None:
    """A curve that does not move over a wide reach of n_max is bound by a fixed cost: nothing to search."""
    ns = sorted(n for n in good if n)
    if len(ns) < FLAT_ARMS or ns[-1] < FLAT_REACH * ns[0]:
        return None
    if max(good[n] for n in ns) > FLAT * min(good[n] for n in ns):
        return None
    return Message.of("search_flat", low=ns[0], high=ns[-1])


# -- prediction ----------------------------------------------------------------------------------------------


def hope(n: int, runs: Sequence[ScreenRun], good: Mapping[int, float]) -> float:
    """The best an unmeasured arm may turn out to be."""
    distance = min((abs(n - m) for m in good if m), default=n)
    return predictions(runs, good, [n])[n] * (1 + min(STRAY * distance, STRAY_MOST))


def predictions(runs: Sequence[ScreenRun], good: Mapping[int, float], ns: Iterable[int]) -> dict[int, float]:
    """Predicted decode rate of draft lengths: L(n) over the time of a round, as measured around it."""
    lengths = predicted_lengths(runs, max([*ns, *good, 1]))
    times = _round_times(good, lengths)
    return {n: lengths[n] / _between(times, n) for n in ns}


def predicted_lengths(runs: Sequence[ScreenRun], n_high: int) -> list[float]:
    """L(0), L(1), ... from the longest arm that shows acceptance by position.

    Beyond its draft length the last positions' fall goes on. Without positions a constant chance per position
    that gives the measured L is assumed; without anything, one half.
    """
    shown = max((r for r in runs if r.by_position), key=lambda r: len(r.by_position), default=None)
    if shown is not None:
        positions = list(shown.by_position)
    else:
        longest = max((r for r in runs if r.n_max and r.mean_len), key=lambda r: r.n_max, default=None)
        chance = 0.5 if longest is None else _chance(longest.n_max, longest.mean_len or 1.5)
        positions = [chance ** (i + 1) for i in range(n_high)]
    fall = positions[-1] / positions[-2] if len(positions) > 1 and positions[-2] > 0 else 0.7
    while len(positions) < n_high:
        positions.append(positions[-1] * min(fall, 1.0))
    lengths = [1.0]
    for share in positions[:n_high]:
        lengths.append(lengths[-1] + share)
    return lengths


def _chance(n: int, mean_len: float) -> float:
    """Chance p with p + p^2 + ... + p^n = L - 1, by halving."""
    low, high = 0.0, 1.0
    for _ in range(40):
        p = (low + high) / 2
        if sum(p**i for i in range(1, n + 1)) < mean_len - 1:
            low = p
        else:
            high = p
    return (low + high) / 2


def _round_times(good: Mapping[int, float], lengths: Sequence[float]) -> dict[int, float]:
    """Seconds per round as the predicted L would need them, at every measured arm.

    Where the measured L differs from the predicted one, the difference lands in this time and is carried over
    to the neighbours, which is what it is for.
    """
    return {n: lengths[n] / rate for n, rate in good.items()}


def _between(times: Mapping[int, float], n: int) -> float:
    """Time of a round at ``n``: straight between measured arms, on with the last slope beyond them."""
    known = sorted(times)
    below = [m for m in known if m <= n]
    above = [m for m in known if m >= n]
    if above and below:
        lower, upper = below[-1], above[0]
        if lower == upper:
            return times[n]
        share = (n - lower) / (upper - lower)
        return (1 - share) * times[lower] + share * times[upper]
    last = known[-1]
    if len(known) == 1:
        return times[last] * (1 + COLD_ROUND_COST * (n - last))
    slope = (times[last] - times[known[-2]]) / (last - known[-2])
    return times[last] + max(0.0, slope) * (n - last)
