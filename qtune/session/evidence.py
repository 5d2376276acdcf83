"""What the raw record proves: whether MTP ran, which requests must not count, how much memory was used."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.core.figures import output_tokens
from qtune.core.messages import Message
from qtune.core.records import EffectiveSettings, MemoryFacts, RequestRecord, RequestTimes, TelemetrySample
from qtune.core.settings import ServerSettings

TOKENS_LEAST = 16
"""Shorter answers give no steady rate: near the limit drafts are cut, and (n - 1)/t is mostly noise."""


def request_marks(times: RequestTimes) -> tuple[Message, ...]:
    """Reasons why a request that ended well still does not count."""
    if not times.ok:
        return ()
    marks = []
    cached = (times.timings.cache_n if times.timings is not None else None) or (
        times.usage.cached_tokens if times.usage is not None else None
    )
    if cached:
        marks.append(Message.of("mark_cached", tokens=cached))
    tokens = output_tokens(times)
    if tokens is not None and tokens < TOKENS_LEAST:
        marks.append(Message.of("mark_short", tokens=tokens))
    return tuple(marks)


def mtp_proof(
    asked: ServerSettings, effective: EffectiveSettings | None, requests: Sequence[RequestRecord]
) -> tuple[bool | None, Message | None]:
    """Whether MTP really ran, and if not, why; None where it was not asked for or nothing was answered.

    The proof is drafted tokens in the server's timings; a server whose slots do not speculate is disproof.
    """
    if not asked.mtp:
        return None, None
    if effective is not None and effective.speculative is False:
        return False, Message.of("mtp_not_speculating")
    answered = [r for r in requests if r.times.ok and r.times.timings is not None]
    if not answered:
        return None, None
    if any(r.times.timings is not None and r.times.timings.draft_n for r in answered):
        return True, None
    return False, Message.of("mtp_no_drafts")


def memory_around(
    samples: Sequence[TelemetrySample], launched_ns: int, loaded_ns: int | None
) -> MemoryFacts | None:
    """Memory before the launch, after the load and at its peak; None without any sample.

    On a machine with cards, the card whose use grew most is the one the engine sits on. Without a card it is
    the resident memory of the engine.
    """
    if not samples:
        return None
    if samples[-1].gpus:
        return _card_memory(samples, launched_ns, loaded_ns)
    resident = [(s.t_ns, s.host.engine_rss_bytes) for s in samples if s.host.engine_rss_bytes is not None]
    return MemoryFacts(
        kind="ram",
        before=None,
        loaded=_first_after(resident, loaded_ns),
        peak=max((value for _, value in resident), default=None),
        total=samples[-1].host.ram_total_bytes,
    )


def _card_memory(
    samples: Sequence[TelemetrySample], launched_ns: int, loaded_ns: int | None
) -> MemoryFacts | None:
    def series(uuid: str) -> list[tuple[int, int]]:
        return [
            (s.t_ns, g.vram_used_bytes)
            for s in samples
            for g in s.gpus
            if g.uuid == uuid and g.vram_used_bytes is not None
        ]

    found: list[tuple[int, MemoryFacts]] = []
    for card in samples[-1].gpus:
        used = series(card.uuid)
        before = [value for t_ns, value in used if t_ns <= launched_ns]
        peak = max((value for _, value in used), default=None)
        facts = MemoryFacts(
            kind="vram",
            before=before[-1] if before else None,
            loaded=_first_after(used, loaded_ns),
            peak=peak,
            total=card.vram_total_bytes,
        )
        found.append(((peak or 0) - (facts.before or 0), facts))
    return max(found, key=lambda pair: pair[0])[1]


def _first_after(series: Sequence[tuple[int, int]], t_ns: int | None) -> int | None:
    return None if t_ns is None else next((value for at, value in series if at >= t_ns), None)
