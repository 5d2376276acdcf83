"""What measured arms may say about each other: the values of an answer, and the quick indication.

An indication is a ratio of medians with no interval; whatever it shows, its decision is "too few". The answer
with intervals is worked out in ``core.decision``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qtune.core.messages import Message
from qtune.core.stats import ArmFigures

Decision = Literal["better", "worse", "no_difference", "too_few", "mtp_not_active"]
BASELINE = "off"


def interval_of(low: float | None, high: float | None, decision: Decision) -> tuple[float, float] | None:
    """Bounds that may stand beside a ratio.

    Where too little was measured for a decision they are only the smallest and largest pair: shown, they
    would be taken for an interval, and two equal pairs for certainty.
    """
    if low is None or high is None or decision in {"too_few", "mtp_not_active"}:
        return None
    return low, high


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """An arm as the verdict sees it; ``mtp_active`` is None where MTP was not asked for."""

    arm: str
    figures: ArmFigures
    mtp_active: bool | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """Decode rate of an arm over that of off; the bounds are None without an interval."""

    arm: str
    ratio: float
    low: float | None
    high: float | None
    decision: Decision

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both ends of the interval, as far as there is one to be shown."""
        return interval_of(self.low, self.high, self.decision)


@dataclass(frozen=True, slots=True)
class DomainRatio:
    """Decode rate of an arm over that of off on one workload alone."""

    prompt_id: str
    ratio: float
    low: float
    high: float
    decision: Decision

    @property
    def bounds(self) -> tuple[float, float] | None:
        """As of ``Ratio``."""
        return interval_of(self.low, self.high, self.decision)


@dataclass(frozen=True, slots=True)
class Price:
    """What an arm's decode rate costs elsewhere, as ratios to off; None where it was not measured.

    Attributes:
        ttft: First-token time; above 1 is later.
        prefill: Prompt tokens per second; below 1 is slower.
        total: Whole request at these lengths; above 1 is later.
        total_low: Lower bound of ``total``.
        break_even_tokens: Length of answer from which the whole request is faster; 0 when the first token is
            no later, None when there is none.
    """

    ttft: float | None = None
    prefill: float | None = None
    total: float | None = None
    total_low: float | None = None
    break_even_tokens: float | None = None


@dataclass(frozen=True, slots=True)
class ArmAnswer:
    """Everything the verdict knows of one arm against off.

    Attributes:
        ratio: All workloads together: decode over off, with bounds.
        domains: Each workload by itself.
        cv_starts: How much the result differs from start to start, the worse of the arm and off.
        cv_requests: How much single requests of the arm differ.
        noise: Half-width of the interval in log units from noise alone; None below six pairs.
        dropped: Workloads left out, with the reason.
    """

    arm: str
    ratio: Ratio
    domains: tuple[DomainRatio, ...]
    price: Price
    pairs: int
    cv_starts: float | None
    cv_requests: float | None
    noise: float | None
    dropped: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The arm to use for one workload, or for mixed use when ``prompt_id`` is empty."""

    prompt_id: str
    arm: str
    ratio: float
    decision: Decision


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer in one sentence, with what it rests on.

    ``answers`` and ``recommendations`` are empty in an indication.
    """

    decision: Decision
    sentence: Message
    winner: str | None = None
    ratios: tuple[Ratio, ...] = ()
    reasons: tuple[Message, ...] = ()
    answers: tuple[ArmAnswer, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()


def indicate(arms: Sequence[ArmSummary]) -> Verdict:
    """Verdict over arms measured once each, one after the other."""
    inactive = [a for a in arms if a.mtp_active is False]
    if inactive:
        return Verdict("mtp_not_active", Message.of("verdict_mtp_not_active", arm=inactive[0].arm))
    by_name = {a.arm: a for a in arms if a.figures.decode_tok_s is not None}
    off = by_name.get(BASELINE)
    if off is None or off.figures.decode_tok_s is None or len(by_name) < 2:
        return Verdict("too_few", Message.of("verdict_nothing_to_compare"))
    base = off.figures.decode_tok_s
    ratios = tuple(
        Ratio(a.arm, a.figures.decode_tok_s.median / base.median, None, None, "too_few")
        for a in by_name.values()
        if a is not off and a.figures.decode_tok_s is not None
    )
    best = max(ratios, key=lambda r: r.ratio)
    sentence = Message.of("verdict_indication", arm=best.arm, ratio=f"{best.ratio:.2f}", n=base.n)
    return Verdict("too_few", sentence, None, ratios, (Message.of("reason_not_interleaved"),))
