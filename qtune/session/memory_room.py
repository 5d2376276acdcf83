"""The memory a launch can be placed in: which card or main memory, what others use of it, what is left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from qtune.core.card_choice import choose_card, devices_used, match_devices
from qtune.core.card_memory import METAL, card_bytes, is_integrated, others_on
from qtune.core.engine_facts import DeviceFacts, EngineFacts
from qtune.core.machine_facts import GpuFacts, GpuProcess, HostSample, TelemetrySample
from qtune.core.memory_facts import Room


@dataclass(frozen=True, slots=True)
class Seen:
    """What drivers and system tell of this moment.

    Attributes:
        our_pids: The processes of our own engine, whose memory the next launch gets back.
    """

    cards: Sequence[GpuFacts] = ()
    latest: TelemetrySample | None = None
    processes: Sequence[GpuProcess] = ()
    our_pids: Collection[int] = ()


def room_for(*, on_card: bool, engine: EngineFacts | None, seen: Seen, chosen: str = "") -> Room | None:
    """The room of the next launch; None where nothing can be read.

    Without an engine the cards the drivers name count. With one only its own devices do: a card that it has
    no backend for, or that is hidden from it, holds nothing of the model. A device that is no card the
    drivers name is taken with the size the engine gives.

    Args:
        on_card: Whether the launch would use a card.
        engine: What is to be launched, as far as that is known.
        seen: What is here.
        chosen: UUID of the card the user chose; with none the engine takes all of them.
    """
    if not on_card:
        return None if seen.latest is None else _main_memory(seen.latest.host)
    if engine is None:
        return _together(_card(card, seen) for card in _wanted(seen.cards, chosen))
    card = next((c for c in seen.cards if c.uuid == chosen), None)
    if card is not None and choose_card(engine.devices, seen.cards, chosen).heeded:
        return _card(card, seen)
    return _of_devices(engine.devices, seen)


def _wanted(cards: Sequence[GpuFacts], chosen: str) -> Sequence[GpuFacts]:
    """The chosen card, else all; integrated graphics only where there is nothing else."""
    alone = [c for c in cards if c.uuid == chosen]
    return alone or [c for c in cards if not is_integrated(c)] or cards


def _of_devices(devices: Sequence[DeviceFacts], seen: Seen) -> Room | None:
    used = devices_used(devices, seen.cards)
    matched, by_uuid = match_devices(devices, seen.cards), {card.uuid: card for card in seen.cards}
    # Two backends may list the same card.
    cards = {matched[d.name]: by_uuid[matched[d.name]] for d in used if d.name in matched}
    others = (d for d in used if d.name not in matched)
    return _together(
        [
            *(_card(card, seen) for card in cards.values()),
            *(_device(device, seen.latest) for device in others),
        ]
    )


def _main_memory(host: HostSample) -> Room | None:
    if host.ram_total_bytes is None:
        return None
    return Room("", "", host.ram_total_bytes, _others_in_main_memory(host))


def _others_in_main_memory(host: HostSample) -> int | None:
    used = host.ram_used_bytes
    return None if used is None else max(0, used - (host.engine_rss_bytes or 0))


def _card(card: GpuFacts, seen: Seen) -> Room | None:
    samples = () if seen.latest is None else seen.latest.gpus
    sample = next((s for s in samples if s.uuid == card.uuid), None)
    total = card_bytes(card, sample)
    if total is None:
        return None
    used, named = (None, ()) if sample is None else others_on(card, sample, seen.processes, seen.our_pids)
    return Room(card.name, card.uuid, total, used, named, borrows=is_integrated(card))


def _device(device: DeviceFacts, latest: TelemetrySample | None) -> Room | None:
    """A device by the engine's own words.

    What it said was free then says nothing of now, so only where its memory is main memory (Apple) something
    is known of others.
    """
    total = device.total_bytes
    if total is None:
        return None
    host, others = None if latest is None else latest.host, None
    if device.name.startswith(METAL) and host is not None and host.ram_total_bytes is not None:
        used = _others_in_main_memory(host)
        others = None if used is None else max(0, total - max(0, host.ram_total_bytes - used))
    return Room(device.description, "", total, others)


def _together(found: Iterable[Room | None]) -> Room | None:
    """Several cards as one, since the engine spreads its layers over all of them."""
    rooms = [room for room in found if room is not None]
    if len(rooms) <= 1:
        return rooms[0] if rooms else None
    used = [room.others_bytes for room in rooms]
    return Room(
        name=" + ".join(room.name for room in rooms),
        uuid="",
        total_bytes=sum(room.total_bytes for room in rooms),
        others_bytes=None if None in used else sum(u for u in used if u is not None),
        others=tuple(other for room in rooms for other in room.others),
        borrows=any(room.borrows for room in rooms),
    )
