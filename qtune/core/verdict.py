"""What measured arms may say about each other.

So far only an indication: a ratio of medians with no interval. Whatever it shows, the decision is "too few".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qtune.core.messages import Message
from qtune.core.stats import ArmFigures

Decision = Literal["better", "worse", "no_difference", "too_few", "mtp_not_active"]
BASELINE = "off"


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


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer in one sentence, with what it rests on."""

    decision: Decision
    sentence: Message
    winner: str | None = None
    ratios: tuple[Ratio, ...] = ()
    reasons: tuple[Message, ...] = ()


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
