"""What the raw record proves: whether MTP ran, which requests must not count, how much memory was used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from qtune.core.figures import output_tokens
from qtune.core.looping import is_looping
from qtune.core.messages import Message
from qtune.core.records import (
    EffectiveSettings,
    GpuSample,
    MemoryFacts,
    RequestRecord,
    RequestTimes,
    TelemetrySample,
)
from qtune.core.settings import ServerSettings
from qtune.core.stats import counts

NS_PER_S = 1e9
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
    share = is_looping(times.content or times.reasoning)
    if share is not None:
        marks.append(Message.of("mark_looping", share=round(100 * share)))
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
    """Memory before the launch, after the load and at its peak; None without any sample."""
    if not samples:
        return None
    kind, series, total = _memory_of_engine(samples, launched_ns)
    before = [value for t_ns, value in series if t_ns <= launched_ns]
    return MemoryFacts(
        kind=kind,
        before=before[-1] if before and kind == "vram" else None,
        loaded=next((value for t_ns, value in series if loaded_ns is not None and t_ns >= loaded_ns), None),
        peak=max((value for _, value in series), default=None),
        total=total,
    )


def memory_series(samples: Sequence[TelemetrySample], loaded_ns: int | None) -> tuple[int, ...]:
    """Memory in use from the end of the load on; empty when it was not read."""
    if not samples or loaded_ns is None:
        return ()
    _, series, _ = _memory_of_engine(samples, loaded_ns)
    return tuple(value for t_ns, value in series if t_ns >= loaded_ns)


def memory_peaks(
    samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord]
) -> tuple[int | None, ...]:
    """Most memory in use during each request of one start, in the memory ``memory_around`` names.

    An engine keeps what it took, so after an answer that came complete the next reading counts as well: a
    short request may lie between two readings. After one that broke it does not, the engine may be gone.
    """
    if not samples:
        return (None,) * len(requests)
    _, series, _ = _memory_of_engine(samples, samples[0].t_ns)
    found = []
    for times in (record.times for record in requests):
        during = [value for t_ns, value in series if times.sent_ns <= t_ns <= times.ended_ns]
        after = next((value for t_ns, value in series if t_ns > times.ended_ns), None)
        if times.ok and after is not None:
            during.append(after)
        found.append(max(during, default=None))
    return tuple(found)


def _memory_of_engine(
    samples: Sequence[TelemetrySample], launched_ns: int
) -> tuple[Literal["vram", "ram"], list[tuple[int, int]], int | None]:
    """Kind, series and total of the memory the engine sits in.

    On a machine with cards, the card whose use grew most; without one the resident memory of the engine.
    """
    last = samples[-1]
    if not last.gpus:
        resident = [(s.t_ns, s.host.engine_rss_bytes) for s in samples if s.host.engine_rss_bytes is not None]
        return "ram", resident, last.host.ram_total_bytes
    card = _engine_card(samples, launched_ns)
    return "vram", _used(samples, card.uuid), card.vram_total_bytes


def _used(samples: Sequence[TelemetrySample], uuid: str) -> list[tuple[int, int]]:
    return [
        (s.t_ns, g.vram_used_bytes)
        for s in samples
        for g in s.gpus
        if g.uuid == uuid and g.vram_used_bytes is not None
    ]


def _engine_card(samples: Sequence[TelemetrySample], launched_ns: int) -> GpuSample:
    """The card whose use grew most since the launch: the one the engine sits on."""

    def growth(card: GpuSample) -> int:
        series = _used(samples, card.uuid)
        before = [value for t_ns, value in series if t_ns <= launched_ns]
        return max((value for _, value in series), default=0) - (before[-1] if before else 0)

    return max(samples[-1].gpus, key=growth)


def joule_per_token(
    samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord], launched_ns: int
) -> float | None:
    """Energy of the engine's card during the counted answers, over their tokens.

    The board's power is taken as constant between two readings half a second apart. None where no board
    reports it, or where an answer had no reading at all.
    """
    if not samples or not samples[-1].gpus:
        return None
    uuid = _engine_card(samples, launched_ns).uuid
    power = [(s.t_ns, g.power_w) for s in samples for g in s.gpus if g.uuid == uuid and g.power_w is not None]
    joules, tokens = 0.0, 0
    for record in requests:
        count = output_tokens(record.times)
        if not counts(record) or count is None:
            continue
        during = [watt for t_ns, watt in power if record.times.sent_ns <= t_ns <= record.times.ended_ns]
        if not during:
            return None
        joules += sum(during) / len(during) * (record.times.ended_ns - record.times.sent_ns) / NS_PER_S
        tokens += count
    return joules / tokens if tokens else None
