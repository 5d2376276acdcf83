"""The soak: request after request for a while, then the last five against the first five."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from qtune.core.figures import decode_tok_s
from qtune.core.messages import Message
from qtune.core.records import RequestRecord

ENDS = 5
"""Requests at each end that are compared."""
SPEED_LEAST = 0.98
GROWTH_MOST_BYTES = 200 * 1024**2


@dataclass(frozen=True, slots=True)
class SoakResult:
    """How a soak went. ``passed`` is None when too little was seen to say."""

    passed: bool | None
    speed_share: float | None
    growth_bytes: int | None
    empty: int
    reasons: tuple[Message, ...]


def soak_goes_on(elapsed_s: float, minutes: float, failed_in_a_row: int) -> bool:
    """Whether another request is sent; three failures in a row end it."""
    return elapsed_s < minutes * 60 and failed_in_a_row < 3


def soak_result(records: Sequence[RequestRecord], memory_bytes: Sequence[int]) -> SoakResult:
    """Judge a soak: speed kept to 98 %, memory growth under 200 MiB, no empty or failed answer.

    Args:
        records: Its counted requests in order.
        memory_bytes: Memory in use over the soak, in order; empty when it cannot be read.
    """
    tried = [r for r in records if r.phase == "counted" and not r.times.cancelled]
    empty = sum(r.times.ok and not (r.times.content or r.times.reasoning).strip() for r in tried)
    empty += sum(r.times.failure is not None and r.times.failure.code == "answer_empty" for r in tried)
    failed = sum(r.times.failure is not None and r.times.failure.code != "answer_empty" for r in tried)
    rates = [rate for r in tried if r.times.ok and (rate := decode_tok_s(r.times)) is not None]
    share = median(rates[-ENDS:]) / median(rates[:ENDS]) if len(rates) >= 2 * ENDS else None
    growth = _growth(memory_bytes)
    faults = _faults(share, growth, empty, failed)
    reasons = list(faults)
    if share is None:
        reasons.append(Message.of("soak_short", count=len(rates), least=2 * ENDS))
    elif not faults:
        reasons.insert(0, Message.of("soak_passed", share=round(share * 100)))
    if growth is None:
        reasons.append(Message.of("soak_memory_unknown"))
    passed = False if faults else None if share is None else True
    return SoakResult(passed, share, growth, empty, tuple(reasons))


def _growth(memory_bytes: Sequence[int]) -> int | None:
    """Median of the last tenth less median of the first, so that one reading decides nothing."""
    if len(memory_bytes) < 2:
        return None
    part = max(1, len(memory_bytes) // 10)
    return round(median(memory_bytes[-part:]) - median(memory_bytes[:part]))


def _faults(share: float | None, growth: int | None, empty: int, failed: int) -> list[Message]:
    found = []
    if share is not None and share < SPEED_LEAST:
        found.append(Message.of("soak_slower", share=round(share * 100)))
    if growth is not None and growth >= GROWTH_MOST_BYTES:
        found.append(Message.of("soak_memory", grown=growth // 1024**2))
    if empty:
        found.append(Message.of("soak_empty", count=empty))
    if failed:
        found.append(Message.of("soak_errors", count=failed))
    return found
