"""One arm against off: its interval, its decision, each workload by itself, and its price."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from qtune.core.interval import Interval, paired_interval, prompt_intervals
from qtune.core.messages import Message
from qtune.core.observation import (
    Figure,
    Observation,
    Table,
    centres,
    cv_of_requests,
    cv_of_starts,
    geometric_mean,
    length,
    log_ratios,
    prefill,
    total,
    ttft,
    typical,
)
from qtune.core.verdict import BASELINE, ArmAnswer, Decision, DomainRatio, Price, Ratio

THRESHOLD = 1.03
"""A difference below 3 % is not worth a setting, however certain it is."""
CV_FACTOR = 2.0
LENGTHS_APART = 1.5
"""Answers whose typical lengths differ by more than this factor are not compared."""


def decide(found: Interval, worst_cv: float | None) -> Decision:
    """Decision on one ratio.

    Better needs both: the lower bound above +3 %, and a gain of more than twice the worst coefficient of
    variation. That coefficient is the one from start to start, i.e. how much the figure moves when it is
    measured again; single requests vary more, and their noise is already in the interval.
    """
    if found.kind == "range":
        return "too_few"
    apart = abs(math.log(found.ratio)) > CV_FACTOR * (worst_cv or 0.0)
    if found.low > THRESHOLD and apart:
        return "better"
    if found.high < 1 / THRESHOLD and apart:
        return "worse"
    return "no_difference"


def compare(seen: Sequence[Observation], arm: str, base: str = BASELINE) -> ArmAnswer | None:
    """Compare an arm with off (or another arm); None when they share no comparable workload."""
    dropped = lengths_apart(seen, arm, base)
    seen = [o for o in seen if o.arm in {arm, base} and o.prompt_id not in {p for p, _ in dropped}]
    pairs = log_ratios(seen, arm, base)
    found = paired_interval(pairs)
    if found is None:
        return None
    cv = worst_cv(centres(seen, arm), centres(seen, base))
    return ArmAnswer(
        arm=arm,
        ratio=Ratio(arm, found.ratio, found.low, found.high, decide(found, cv)),
        domains=_domains(seen, arm, base, pairs),
        price=price(seen, arm, base),
        pairs=found.pairs,
        cv_starts=cv,
        cv_requests=cv_of_requests(seen, arm),
        noise=found.noise,
        dropped=tuple(reason for _, reason in dropped),
    )


def worst_cv(*tables: Table) -> float | None:
    """The largest start-to-start coefficient of variation, None when none is known."""
    return max((cv for table in tables if (cv := cv_of_starts(table)) is not None), default=None)


def _domains(seen: Sequence[Observation], arm: str, base: str, pairs: Table) -> tuple[DomainRatio, ...]:
    upper, lower = centres(seen, arm), centres(seen, base)
    # The start-to-start noise of one prompt is known as badly as its interval: pooled, as there.
    cells = [cv for table in (upper, lower) for p in pairs if (cv := cv_of_starts({p: table[p]})) is not None]
    cv = math.sqrt(sum(c * c for c in cells) / len(cells)) if cells else None
    return tuple(
        DomainRatio(prompt, found.ratio, found.low, found.high, decide(found, cv))
        for prompt, found in prompt_intervals(pairs).items()
    )


def lengths_apart(seen: Iterable[Observation], arm: str, base: str) -> tuple[tuple[str, Message], ...]:
    """Workloads whose answers differ too much in length to compare speeds, each with the reason.

    Short answers pay the start-up of drafting, long ones do not: a ratio across lengths says nothing.
    """
    seen = tuple(seen)
    upper, lower = centres(seen, arm, length), centres(seen, base, length)
    found = []
    for prompt in sorted(upper.keys() & lower.keys()):
        tokens, base_tokens = (sum(t[prompt].values()) / len(t[prompt]) for t in (upper, lower))
        if max(tokens, base_tokens) > LENGTHS_APART * min(tokens, base_tokens):
            reason = Message.of(
                "reason_lengths_apart",
                prompt=prompt,
                arm=arm,
                tokens=round(tokens),
                base_tokens=round(base_tokens),
            )
            found.append((prompt, reason))
    return tuple(found)


def price(seen: Sequence[Observation], arm: str, base: str = BASELINE) -> Price:
    """Ratios of first token, prefill and whole request, and the answer length that pays for them."""

    def ratio(figure: Figure) -> float | None:
        pairs = log_ratios(seen, arm, base, figure)
        return geometric_mean(math.exp(sum(p.values()) / len(p)) for p in pairs.values())

    whole = paired_interval(log_ratios(seen, arm, base, total))
    return Price(
        ttft=ratio(ttft),
        prefill=ratio(prefill),
        total=None if whole is None else whole.ratio,
        total_low=None if whole is None else whole.low,
        break_even_tokens=_break_even(seen, arm, base),
    )


def _break_even(seen: Sequence[Observation], arm: str, base: str) -> float | None:
    rate, base_rate = typical(seen, arm), typical(seen, base)
    first, base_first = typical(seen, arm, ttft), typical(seen, base, ttft)
    if rate is None or base_rate is None or first is None or base_first is None:
        return None
    if first <= base_first:
        return 0.0 if rate >= base_rate else None
    saved_ms = 1000 / base_rate - 1000 / rate
    return (first - base_first) / saved_ms if saved_ms > 0 else None
