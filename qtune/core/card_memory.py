"""How much of a card's memory other programs hold, from what its driver tells."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from qtune.core.records import GpuFacts, GpuProcess, GpuSample


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
    used = sample.vram_used_bytes
    if not our_pids:
        return used
    held = [p.vram_bytes for p in ours]
    known = [size for size in held if size is not None]
    # An engine that is not listed is one the driver hides, not one without memory.
    if not held or len(known) < len(held) or used is None:
        return card.vram_idle_bytes
    return max(0, used - sum(known))
