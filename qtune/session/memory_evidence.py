"""What the readings prove of memory and energy: how much was used, whether the card spilled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from qtune.core.card_memory import (
    CARD_MOST_BYTES,
    MemoryPeak,
    card_bytes,
    is_integrated,
    ran_on_card,
    used_bytes,
    uses_card,
)
from qtune.core.figures import output_tokens
from qtune.core.machine_facts import GpuFacts, GpuSample, TelemetrySample
from qtune.core.messages import Message
from qtune.core.records import MemoryFacts, RequestRecord, RunRecord
from qtune.core.settings import ServerSettings
from qtune.core.spill import Platform, judge_spill
from qtune.core.spill_series import RoomyFigures, SpillContext, spill_marks, spill_signs
from qtune.core.stats import counts

NS_PER_S = 1e9
GROWN_BYTES: Final = 256 * 1024**2
"""What a card must take to count as one of several; an engine opens a context on cards it leaves empty."""
GROWN_SHARE: Final = 0.1
"""Likewise, of what the card took that grew most."""
NO_ROOMY = RoomyFigures()
"""Nothing is known of an earlier start."""


def memory_around(
    samples: Sequence[TelemetrySample], run: RunRecord, launched_ns: int, loaded_ns: int | None
) -> MemoryFacts | None:
    """Memory before the launch, after the load and at its peak; None without any sample."""
    if not samples:
        return None
    kind, series, total = _memory_of_engine(samples, run, launched_ns)
    before = [reading.used for reading in series if reading.t_ns <= launched_ns]
    since = [r for r in series if loaded_ns is not None and r.t_ns >= loaded_ns]
    several = kind == "vram" and len(engine_cards(samples, run, launched_ns)) > 1
    free = [r.free for r in series if r.free is not None and r.t_ns > launched_ns]
    return MemoryFacts(
        kind=kind,
        before=before[-1] if before and kind == "vram" else None,
        loaded=since[0].used if since else None,
        peak=max((reading.used for reading in series), default=None),
        total=total,
        free_least=min(free, default=None) if several else None,
    )


def memory_series(
    samples: Sequence[TelemetrySample], run: RunRecord, loaded_ns: int | None
) -> tuple[int, ...]:
    """Memory in use from the end of the load on; empty when it was not read."""
    if not samples or loaded_ns is None:
        return ()
    _, series, _ = _memory_of_engine(samples, run, samples[0].t_ns)
    return tuple(reading.used for reading in series if reading.t_ns >= loaded_ns)


def memory_line(
    samples: Sequence[TelemetrySample], run: RunRecord
) -> tuple[tuple[tuple[float, int], ...], int | None]:
    """Memory in use over the seconds since the first reading, and what there is of it."""
    if not samples:
        return (), None
    begun = samples[0].t_ns
    _, series, total = _memory_of_engine(samples, run, begun)
    return tuple(((reading.t_ns - begun) / NS_PER_S, reading.used) for reading in series), total


def memory_peaks(
    samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord], run: RunRecord
) -> tuple[MemoryPeak | None, ...]:
    """Most memory in use during each request of one start, in the memory ``memory_around`` names.

    An engine keeps what it took, so after an answer that came complete the next reading counts as well: a
    short request may lie between two readings. After one that broke it does not, the engine may be gone.
    """
    if not samples:
        return (None,) * len(requests)
    _, series, _ = _memory_of_engine(samples, run, samples[0].t_ns)
    found = []
    for times in (record.times for record in requests):
        during = [r for r in series if times.sent_ns <= r.t_ns <= times.ended_ns]
        after = next((r for r in series if r.t_ns > times.ended_ns), None)
        if times.ok and after is not None:
            during.append(after)
        free = [r.free for r in during if r.free is not None]
        found.append(MemoryPeak(max(r.used for r in during), min(free, default=None)) if during else None)
    return tuple(found)


class _Reading(NamedTuple):
    """Memory in use at one moment, and what the fullest card had free; None for main memory."""

    t_ns: int
    used: int
    free: int | None


def _memory_of_engine(
    samples: Sequence[TelemetrySample], run: RunRecord, launched_ns: int
) -> tuple[Literal["vram", "ram"], list[_Reading], int | None]:
    """Kind, series and total of the memory the engine sits in: its cards, else its resident memory.

    It is resident memory too where it sits on a card that no driver we can ask watches.
    """
    last = samples[-1]
    if not last.gpus or not ran_on_card(run):
        resident = [
            _Reading(s.t_ns, s.host.engine_rss_bytes, None)
            for s in samples
            if s.host.engine_rss_bytes is not None
        ]
        return "ram", resident, last.host.ram_total_bytes
    uuids = engine_cards(samples, run, launched_ns)
    totals = [_room_of(gpu, run)[1] for gpu in last.gpus if gpu.uuid in uuids]
    known = [total for total in totals if total is not None]
    series = [reading for s in samples if (reading := _reading(s, uuids, run)) is not None]
    return "vram", series, sum(known) if len(known) == len(totals) else None


def _reading(sample: TelemetrySample, uuids: Sequence[str], run: RunRecord) -> _Reading | None:
    """All these cards together; None where one of them was not read."""
    rooms = [_room_of(gpu, run) for gpu in sample.gpus if gpu.uuid in uuids]
    used = [one for one, _ in rooms if one is not None]
    if not rooms or len(used) < len(uuids):
        return None
    free = [total - one for one, total in rooms if one is not None and total is not None]
    return _Reading(sample.t_ns, sum(used), min(free) if len(free) == len(uuids) else None)


def _room_of(gpu: GpuSample, run: RunRecord) -> tuple[int | None, int | None]:
    """What of a card is in use, and what it has."""
    facts = _facts_of(gpu.uuid, run)
    if facts is None:
        return gpu.vram_used_bytes, gpu.vram_total_bytes
    return used_bytes(facts, gpu), card_bytes(facts, gpu)


def _facts_of(uuid: str, run: RunRecord) -> GpuFacts | None:
    return next((card for card in run.gpus if card.uuid == uuid), None)


def engine_cards(samples: Sequence[TelemetrySample], run: RunRecord, launched_ns: int) -> tuple[str, ...]:
    """The cards the engine sits on: the one whose use grew most since the launch, and others that grew.

    A model that is split fills each of its cards; what other programs do meanwhile is small against that.
    """
    grown = {gpu.uuid: _growth(samples, gpu.uuid, run, launched_ns) for gpu in samples[-1].gpus}
    most = max(grown, key=lambda uuid: grown[uuid])
    least = max(GROWN_BYTES, grown[most] * GROWN_SHARE)
    return tuple(uuid for uuid, growth in grown.items() if uuid == most or growth >= least)


def _growth(samples: Sequence[TelemetrySample], uuid: str, run: RunRecord, launched_ns: int) -> int:
    series = [
        (s.t_ns, used)
        for s in samples
        for gpu in s.gpus
        if gpu.uuid == uuid and (used := _room_of(gpu, run)[0]) is not None
    ]
    before = [used for t_ns, used in series if t_ns <= launched_ns]
    return max((used for _, used in series), default=0) - (before[-1] if before else 0)


def _fullest(samples: Sequence[TelemetrySample], run: RunRecord, launched_ns: int) -> str:
    """Of the engine's cards the one that had least free: there a spill begins."""

    def least_free(uuid: str) -> int:
        since = (gpu for s in samples if s.t_ns >= launched_ns for gpu in s.gpus)
        rooms = [_room_of(gpu, run) for gpu in since if gpu.uuid == uuid]
        free = [total - used for used, total in rooms if used is not None and total is not None]
        return min(free, default=CARD_MOST_BYTES)

    return min(engine_cards(samples, run, launched_ns), key=least_free)


def _power(sample: TelemetrySample, uuids: Sequence[str]) -> float | None:
    """Of all these cards; None where one did not tell."""
    watts = [gpu.power_w for gpu in sample.gpus if gpu.uuid in uuids and gpu.power_w is not None]
    return sum(watts) if len(watts) == len(uuids) else None


def joule_per_token(
    samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord], run: RunRecord, launched_ns: int
) -> float | None:
    """Energy of the engine's cards during the counted answers, over their tokens.

    The boards' power is taken as constant between two readings half a second apart. None where a board does
    not report it, where an answer had no reading at all, or where the engine computed on the processor.
    """
    if not samples or not samples[-1].gpus or not ran_on_card(run):
        return None
    uuids = engine_cards(samples, run, launched_ns)
    power = [(s.t_ns, watt) for s in samples if (watt := _power(s, uuids)) is not None]
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
    """Where and how a run was made, and what it does with room.

    None on a machine without readable cards, and for an engine that has nothing to do with them. One that was
    to use a card and did not is judged: that is why it is slow.
    """
    meant = ran_on_card(run) or uses_card(run.engine, run.settings_requested)
    if not meant or not samples or not samples[-1].gpus:
        return None
    uuid = _fullest(samples, run, launched_ns)
    card = _facts_of(uuid, run)
    effective = run.settings_effective
    return SpillContext(
        uuid=uuid,
        launched_ns=launched_ns,
        loaded_ns=loaded_ns,
        platform=platform_of(run.machine.os),
        vendor="nvidia" if card is None else card.vendor,
        planned_offload=is_planned_offload(run.settings_requested),
        layers_offloaded=None if effective is None else effective.layers_offloaded,
        layers_total=None if effective is None else effective.layers_total,
        integrated=card is not None and is_integrated(card),
        roomy=roomy,
    )


def is_planned_offload(settings: ServerSettings) -> bool:
    """Whether part of the model was asked to stay in main memory."""
    return settings.gpu_layers == "none" or settings.n_cpu_moe > 0


def platform_of(os_name: str) -> Platform:
    """Which kind of driver to expect; WSL's kernel names its maker."""
    name = os_name.lower()
    if "microsoft" in name and "windows" not in name:
        return "wsl"
    return "windows" if "windows" in name else "macos" if "macos" in name else "linux"
