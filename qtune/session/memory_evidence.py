"""What the readings prove of memory and energy: how much was used, whether the card spilled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from qtune.core.figures import output_tokens
from qtune.core.messages import Message
from qtune.core.records import GpuSample, MemoryFacts, RequestRecord, RunRecord, TelemetrySample
from qtune.core.settings import ServerSettings
from qtune.core.spill import Platform, judge_spill
from qtune.core.spill_series import RoomyFigures, SpillContext, spill_marks, spill_signs
from qtune.core.stats import counts
from qtune.telemetry.amdgpu import INTEGRATED

NS_PER_S = 1e9
NO_ROOMY = RoomyFigures()
"""Nothing is known of an earlier start."""


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
    card = engine_card(samples, launched_ns)
    return "vram", _used(samples, card.uuid), card.vram_total_bytes


def _used(samples: Sequence[TelemetrySample], uuid: str) -> list[tuple[int, int]]:
    return [
        (s.t_ns, g.vram_used_bytes)
        for s in samples
        for g in s.gpus
        if g.uuid == uuid and g.vram_used_bytes is not None
    ]


def engine_card(samples: Sequence[TelemetrySample], launched_ns: int) -> GpuSample:
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
    uuid = engine_card(samples, launched_ns).uuid
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


def with_verdict(
    found: MemoryFacts,
    samples: Sequence[TelemetrySample],
    requests: Sequence[RequestRecord],
    context: SpillContext | None,
) -> MemoryFacts:
    """The memory of a run with the verdict on spill; without readable cards it stays unknown."""
    if context is None:
        return found
    verdict = judge_spill(spill_signs(samples, requests, context))
    return replace(found, spill=verdict.state, spill_reason=verdict.reason, spill_advice=verdict.advice)


def telemetry_marks(
    samples: Sequence[TelemetrySample],
    earlier: Sequence[RequestRecord],
    record: RequestRecord,
    context: SpillContext | None,
) -> tuple[Message, ...]:
    """Why a request must not count by what the card did meanwhile: it had spilled, or was held back."""
    if context is None:
        return ()
    mark = spill_marks(samples, [*earlier, record], context).get(record.index)
    return () if mark is None else (mark,)


def spill_context(
    samples: Sequence[TelemetrySample],
    run: RunRecord,
    launched_ns: int,
    loaded_ns: int | None,
    roomy: RoomyFigures = NO_ROOMY,
) -> SpillContext | None:
    """Where and how a run was made, and what it does with room; None on a machine without readable cards."""
    if not samples or not samples[-1].gpus:
        return None
    uuid = engine_card(samples, launched_ns).uuid
    card = next((gpu for gpu in run.gpus if gpu.uuid == uuid), None)
    effective = run.settings_effective
    return SpillContext(
        uuid=uuid,
        launched_ns=launched_ns,
        loaded_ns=loaded_ns,
        platform=_platform(run.machine.os),
        vendor="nvidia" if card is None else card.vendor,
        planned_offload=_planned_offload(run.settings_requested),
        layers_offloaded=None if effective is None else effective.layers_offloaded,
        layers_total=None if effective is None else effective.layers_total,
        integrated=card is not None and INTEGRATED in card.notes,
        roomy=roomy,
    )


def _planned_offload(settings: ServerSettings) -> bool:
    return settings.gpu_layers == "none" or settings.n_cpu_moe > 0


def _platform(os_name: str) -> Platform:
    """Which kind of driver to expect; WSL's kernel names its maker."""
    name = os_name.lower()
    if "microsoft" in name and "windows" not in name:
        return "wsl"
    return "windows" if "windows" in name else "macos" if "macos" in name else "linux"
