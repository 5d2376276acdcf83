"""Which of several cards the strip and the memory chart show: the chosen one, else the largest."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.core.machine_facts import GpuFacts, GpuSample


def shown_card(readings: Sequence[GpuSample], chosen: str) -> GpuSample | None:
    """The reading to show, found by UUID: the order of cards is the driver's and tells nothing.

    Args:
        readings: One of each card; empty without cards.
        chosen: UUID of the card the user chose, empty for all. One that is not there counts as all.
    """
    wanted = [reading for reading in readings if reading.uuid == chosen]
    return max(wanted or readings, key=lambda reading: reading.vram_total_bytes or 0, default=None)


def facts_of(cards: Sequence[GpuFacts], chosen: str, reading: GpuSample | None = None) -> GpuFacts | None:
    """Facts of the card of a reading, which may be unknown; without a reading, those of the card to show."""
    if reading is not None:
        return next((card for card in cards if card.uuid == reading.uuid), None)
    wanted = [card for card in cards if card.uuid == chosen]
    return max(wanted or cards, key=lambda card: card.vram_total_bytes or 0, default=None)
