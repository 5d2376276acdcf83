"""What a card's memory is and who holds it: other programs, or an engine that runs on it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from qtune.core.engine_facts import EngineFacts
from qtune.core.machine_facts import GpuFacts, GpuProcess, GpuSample
from qtune.core.records import RunRecord
from qtune.core.settings import ServerSettings

CARD_MOST_BYTES: Final = 1 << 40
"""Beyond 1 TiB a memory figure is a driver's nonsense counter (seen under WSL), not a card."""

INTEGRATED: Final = "integrated"
"""Key in ``GpuFacts.notes`` of graphics that have no memory of their own."""

METAL: Final = "MTL"
"""How the devices of Apple's computers are named, whose memory is main memory."""


class MemoryPeak(NamedTuple):
    """Most memory in use at some time, and the least that one card had free; None where that is not known."""

    used_bytes: int
    free_bytes: int | None = None


def is_integrated(card: GpuFacts) -> bool:
    """Whether its memory is main memory: what is carved out for it, and what it borrows beyond."""
    return INTEGRATED in card.notes


def card_bytes(card: GpuFacts, sample: GpuSample | None = None) -> int | None:
    """All the memory a launch may be placed in on a card; None where the driver does not tell."""
    total = (None if sample is None else sample.vram_total_bytes) or card.vram_total_bytes
    if total is None or not is_integrated(card):
        return total
    return total + (card.shared_total_bytes or 0)


def used_bytes(card: GpuFacts, sample: GpuSample) -> int | None:
    """What is in use of ``card_bytes``; None where a part of it was not read."""
    used, borrowed = sample.vram_used_bytes, sample.shared_used_bytes
    if used is None or not is_integrated(card):
        return used
    return None if borrowed is None else used + borrowed


def uses_card(engine: EngineFacts, settings: ServerSettings) -> bool:
    """Whether a launch of this engine will be placed on a card."""
    # A build that did not answer in time may have cards all the same.
    unlisted = any(note.code == "engine_devices_unknown" for note in engine.notes)
    return settings.gpu_layers != "none" and (bool(engine.devices) or unlisted)


def ran_on_card(run: RunRecord) -> bool:
    """Whether the engine of a run sat on a card: by the layers it said it placed there, else as planned."""
    effective = run.settings_effective
    if effective is not None and effective.layers_offloaded is not None:
        return effective.layers_offloaded > 0
    return uses_card(run.engine, run.settings_requested)


def others_on(
    card: GpuFacts, sample: GpuSample, processes: Sequence[GpuProcess], our_pids: Collection[int]
) -> tuple[int | None, tuple[tuple[str, int | None], ...]]:
    """Memory of a card that is not the engine's, and the programs known to hold some.

    What is in use less what the engine holds, which counts programs the driver does not name too. Where it
    does not tell what the engine holds (Windows, WSL), what was in use before the engine was started.

    Args:
        card: The card, with what was in use on it before.
        sample: A reading of it, taken about when ``processes`` was.
        processes: Programs that hold memory of cards, this one or others.
        our_pids: The engine's process and its descendants; empty while none runs.

    Returns:
        (bytes or None, ((name, bytes or None), ...)), the largest program first, those of unknown size last.
    """
    here = [p for p in processes if p.uuid == card.uuid]
    named = sorted(
        ((p.name, p.vram_bytes) for p in here if p.pid not in our_pids),
        key=lambda other: (other[1] is None, -(other[1] or 0), other[0]),
    )
    return _others_bytes(card, sample, [p for p in here if p.pid in our_pids], our_pids), tuple(named)


def _others_bytes(
    card: GpuFacts, sample: GpuSample, ours: Sequence[GpuProcess], our_pids: Collection[int]
) -> int | None:
    used = used_bytes(card, sample)
    if not our_pids:
        return used
    if is_integrated(card):
        return None  # what it borrows is not told program by program, so that our own share is not known
    held = [p.vram_bytes for p in ours]
    known = [size for size in held if size is not None]
    # An engine that is not listed is one the driver hides, not one without memory.
    if not held or len(known) < len(held) or used is None:
        return card.vram_idle_bytes
    return max(0, used - sum(known))
