"""The memory a launch can be placed in: which card or main memory, what others use of it, what is left."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from qtune.core.card_memory import others_on
from qtune.core.memory_facts import Room
from qtune.core.records import (
    DeviceFacts,
    EngineFacts,
    GpuFacts,
    GpuProcess,
    GpuSample,
    HostSample,
    TelemetrySample,
)


def places_on_card(engine: EngineFacts | None, cards: Sequence[GpuFacts]) -> bool:
    """Whether a launch would use a card: by the engine's own devices, else by what the driver names."""
    return bool(cards) if engine is None else bool(engine.devices)


def room_for(
    *,
    on_card: bool,
    engine: EngineFacts | None,
    cards: Sequence[GpuFacts],
    latest: TelemetrySample | None,
    processes: Sequence[GpuProcess] = (),
    our_pids: Collection[int] = (),
    chosen: str = "",
) -> Room | None:
    """The room of the next launch; None where nothing can be read.

    ``chosen`` is the UUID of the card the user chose; with none the engine takes all of them. ``our_pids``
    are the processes of our own engine, whose memory the next launch gets back.
    """
    if not on_card:
        return None if latest is None else _main_memory(latest.host)
    wanted = [c for c in cards if c.uuid == chosen] or list(cards)
    samples = {g.uuid: g for g in latest.gpus} if latest is not None else {}
    rooms = [
        room
        for card in wanted
        if (room := _card(card, samples.get(card.uuid), processes, our_pids)) is not None
    ]
    if rooms:
        return rooms[0] if len(rooms) == 1 else _together(rooms)
    return _devices(engine.devices) if engine is not None else None


def _main_memory(host: HostSample) -> Room | None:
    if host.ram_total_bytes is None:
        return None
    used = host.ram_used_bytes
    others = None if used is None else max(0, used - (host.engine_rss_bytes or 0))
    return Room("", "", host.ram_total_bytes, others)


def _card(
    card: GpuFacts, sample: GpuSample | None, processes: Sequence[GpuProcess], our_pids: Collection[int]
) -> Room | None:
    total = sample.vram_total_bytes if sample is not None else None
    total = total or card.vram_total_bytes
    if total is None:
        return None
    used, named = (None, ()) if sample is None else others_on(card, sample, processes, our_pids)
    return Room(card.name, card.uuid, total, used, named)


def _together(rooms: Sequence[Room]) -> Room:
    """Several cards as one, since the engine spreads its layers over all of them."""
    used = [room.others_bytes for room in rooms]
    return Room(
        name=" + ".join(room.name for room in rooms),
        uuid="",
        total_bytes=sum(room.total_bytes for room in rooms),
        others_bytes=None if None in used else sum(u for u in used if u is not None),
        others=tuple(other for room in rooms for other in room.others),
    )


def _devices(devices: Sequence[DeviceFacts]) -> Room | None:
    """By the engine's own list (Apple, Intel, Vulkan without a driver library), free as when probed."""
    known = [d for d in devices if d.total_bytes is not None]
    if not known:
        return None
    total = sum(d.total_bytes or 0 for d in known)
    free = [d.free_bytes for d in known]
    others = None if None in free else total - sum(f for f in free if f is not None)
    return Room(" + ".join(d.description for d in known), "", total, others)
