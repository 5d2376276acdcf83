"""Chooses a card for an engine, and tells which of the engine's devices is which card.

The driver orders cards by bus, CUDA by speed unless told otherwise: a card is chosen by UUID,
never by number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from qtune.core.card_memory import card_bytes, is_integrated
from qtune.core.engine_facts import DeviceFacts
from qtune.core.machine_facts import GpuFacts

_MIB: Final = 1 << 20

_VENDOR_OF: Final = {"CUDA": "nvidia", "ROCm": "amd", "HIP": "amd"}
"""Backends that drive the cards of one maker only."""

_INTEGRATED: Final = re.compile(
    r"\b(UHD|HD|Iris)\b|Intel\(R\) (Arc\(TM\) )?Graphics|Radeon(\(TM\))? (Vega \d+ )?Graphics|Radeon \d+M\b"
)
"""What drivers call graphics that sit in the processor."""


@dataclass(frozen=True, slots=True)
class CardChoice:
    """How an engine is made to use the chosen card only.

    Attributes:
        environment: Variables for the engine.
        devices: Names for ``--device``; empty where the environment suffices.
        heeded: Whether the engine can be told at all.
    """

    environment: dict[str, str]
    devices: tuple[str, ...] = ()
    heeded: bool = True


def choose_card(devices: Sequence[DeviceFacts], cards: Sequence[GpuFacts], uuid: str) -> CardChoice:
    """What to tell an engine with these devices so that it uses one card; an empty ``uuid`` chooses none."""
    environment = cuda_environment(uuid)
    if not uuid:
        return CardChoice(environment)
    if "CUDA_VISIBLE_DEVICES" in environment and any(_split(d.name)[0] == "CUDA" for d in devices):
        # It sees only that one then, as its first; devices of another backend must not be added to it.
        alone = all(_split(d.name)[0] == "CUDA" for d in devices)
        return CardChoice(environment, () if alone else ("CUDA0",))
    matched = match_devices(devices, cards)
    # Two backends may drive the same card, and it must not be used twice.
    names = tuple(d.name for d in devices if matched.get(d.name) == uuid)[:1]
    return CardChoice(environment, names, heeded=bool(names))


def devices_used(devices: Sequence[DeviceFacts], cards: Sequence[GpuFacts]) -> tuple[DeviceFacts, ...]:
    """The devices an engine uses by itself: integrated graphics only where there is nothing else."""
    matched, by_uuid = match_devices(devices, cards), {card.uuid: card for card in cards}

    def integrated(device: DeviceFacts) -> bool:
        card = by_uuid.get(matched.get(device.name, ""))
        if card is not None:
            return is_integrated(card)
        # ROCm calls a card it has no name for "AMD Radeon Graphics".
        named = _INTEGRATED.search(device.description) is not None
        return named and _split(device.name)[0] not in _VENDOR_OF

    return tuple(d for d in devices if not integrated(d)) or tuple(devices)


def cuda_environment(uuid: str) -> dict[str, str]:
    """What an engine's environment needs so that CUDA counts like the driver and sees the chosen card only.

    Args:
        uuid: ``GPU-...`` or ``MIG-...``; empty, or a name that is not CUDA's (another maker's card, one
            without UUID), chooses none and leaves a ``CUDA_VISIBLE_DEVICES`` of the user alone.
    """
    order = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    return order | {"CUDA_VISIBLE_DEVICES": uuid} if uuid.startswith(("GPU-", "MIG-")) else order


def match_devices(devices: Sequence[DeviceFacts], cards: Sequence[GpuFacts]) -> dict[str, str]:
    """Which card each of the engine's devices is: device name such as ``CUDA0`` to UUID.

    By name and memory. Several equal cards are told apart by their order on the bus, which holds when the
    engine was started with ``cuda_environment`` and sees all of them; where it does not, or where nothing
    fits, the device is left out rather than guessed.
    """
    matched: dict[str, str] = {}
    backends: dict[str, list[DeviceFacts]] = {}
    for device in devices:
        backends.setdefault(_split(device.name)[0], []).append(device)
    for backend, theirs in backends.items():
        # One card may show up in two backends, so each is matched on its own.
        vendor = _VENDOR_OF.get(backend)
        possible = [card for card in cards if vendor is None or card.vendor == vendor]
        matched |= _match(theirs, possible) or _only_pair(theirs, possible, vendor)
    return {device.name: matched[device.name] for device in devices if device.name in matched}


def _match(devices: Sequence[DeviceFacts], cards: Sequence[GpuFacts]) -> dict[str, str]:
    fitting: dict[str, tuple[str, ...]] = {
        device.name: tuple(
            card.uuid for card in cards if _same_name(device, card) and _same_size(device, card)
        )
        for device in devices
    }
    by_uuid = {card.uuid: card for card in cards}
    matched: dict[str, str] = {}
    for choice in set(fitting.values()) - {()}:
        rivals = sorted((name for name, uuids in fitting.items() if uuids == choice), key=_split)
        addresses = {by_uuid[uuid].pci for uuid in choice}
        known = len(addresses) == len(choice) and "" not in addresses
        if len(rivals) == len(choice) and (len(choice) == 1 or known):
            matched |= zip(rivals, sorted(choice, key=lambda uuid: by_uuid[uuid].pci), strict=True)
    # A card two different devices of one backend would claim is a card nobody can name.
    taken = list(matched.values())
    return {name: uuid for name, uuid in matched.items() if taken.count(uuid) == 1}


def _only_pair(
    devices: Sequence[DeviceFacts], cards: Sequence[GpuFacts], vendor: str | None
) -> dict[str, str]:
    """The one device of a backend and the one card of its maker are the same, whatever they are called."""
    if vendor is None or len(devices) != 1 or len(cards) != 1 or not _same_size(devices[0], cards[0]):
        return {}
    return {devices[0].name: cards[0].uuid}


def _split(name: str) -> tuple[str, int]:
    """``CUDA10`` as ("CUDA", 10), so that it sorts after ``CUDA9``."""
    found = re.fullmatch(r"(.*?)(\d*)", name)
    assert found is not None  # noqa: S101 - it matches everything
    return found[1], int(found[2] or 0)


def _same_name(device: DeviceFacts, card: GpuFacts) -> bool:
    return _plain(device.description) == _plain(card.name) != ""


def _plain(name: str) -> str:
    """Without driver names in brackets, trade marks, and the maker in front, which not everyone writes."""
    bare = re.sub(r"\([^)]*\)", " ", name).casefold()
    return " ".join(word for word in bare.split() if word not in {"nvidia", "amd"})


def _same_size(device: DeviceFacts, card: GpuFacts) -> bool:
    """Whether the totals may be those of one card: CUDA leaves out what the driver reserves, some 2 %."""
    if device.total_bytes is None or card.vram_total_bytes is None:
        return True
    allowed = max(512 * _MIB, card.vram_total_bytes // 20)
    # Graphics without memory of their own are listed with what they may borrow, or without.
    totals = (card.vram_total_bytes, card_bytes(card) or 0)
    return any(abs(device.total_bytes - total) <= allowed for total in totals)
