"""Finds the cards the NVIDIA driver names: whole boards, and the slices (MIG) of partitioned ones."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from qtune.telemetry.nvml_calls import NOT_FOUND, NvmlCalls, Raw
from qtune.telemetry.nvml_readings import text

_log = logging.getLogger("qtune.telemetry")

_MIG_ON: Final = 1
_MIG_PREFIX: Final = "MIG-"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card is to be asked just now.

    Attributes:
        uuid: Name that stays; of the slice for a slice.
        named: Whether ``uuid`` is the driver's, and not made up for want of one.
        index: Position of the board in the driver's order.
        handle: What answers for memory, name and programs.
        board: What answers for the rest; the same as ``handle`` but for a slice.
        pci: PCI address of the board, empty if unknown.
        mig_of: UUID of the board for a slice, else empty.
        empty_mig: Whether this is a partitioned board of which no slice can be seen.
    """

    uuid: str
    named: bool
    index: int
    handle: Raw
    board: Raw
    pci: str = ""
    mig_of: str = ""
    empty_mig: bool = False


def find_places(
    calls: NvmlCalls, environment: Mapping[str, str], *, again: bool = False
) -> tuple[tuple[Place, ...], str]:
    """The cards in the driver's order, and why there are none.

    Where ``CUDA_VISIBLE_DEVICES`` names slices, these alone are cards: the rest belongs to others. Indices
    and whole boards in that variable hide nothing, since engines other than CUDA do not heed it.
    A repetition (``again``) does not warn anew of what it warned of before.
    """
    count, refusal = calls.ask("count", "nvmlDeviceGetCount")
    if refusal is not None or not count:
        return (), "the NVIDIA driver names no card" if refusal is None else refusal.reason
    places: list[Place] = []
    for index in range(int(count)):
        handle, refusal = calls.ask("handle", "nvmlDeviceGetHandleByIndex", index)
        if refusal is not None:
            level = logging.DEBUG if again else logging.WARNING
            _log.log(level, "card %d left out: %s", index, refusal.reason)
            continue
        places += _with_slices(calls, _board(calls, handle, index))
    named = [name.strip() for name in environment.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    if slices := [name for name in named if name.startswith(_MIG_PREFIX)]:
        places = _only(calls, slices, places)
    return tuple(places), "" if places else "the NVIDIA driver names cards but opens none"


def _board(calls: NvmlCalls, handle: Raw, index: int) -> Place:
    pci, _ = calls.ask_as("pci", _pci_address, "nvmlDeviceGetPciInfo", handle)
    uuid, refusal = calls.ask_as("uuid", text, "nvmlDeviceGetUUID", handle)
    named = refusal is None and bool(uuid)
    made_up = f"pci-{pci}" if pci else f"card-{index}"
    return Place((named and uuid) or made_up, named, index, handle, handle, pci or "")


def _with_slices(calls: NvmlCalls, board: Place) -> list[Place]:
    mode, refusal = calls.ask("mig mode", "nvmlDeviceGetMigMode", board.handle)
    if refusal is not None or mode is None or mode[0] != _MIG_ON:
        return [board]
    count, refusal = calls.ask("mig count", "nvmlDeviceGetMaxMigDeviceCount", board.handle)
    slices: list[Place] = []
    for position in range(int(count or 0)):
        handle, refusal = calls.ask("mig", "nvmlDeviceGetMigDeviceHandleByIndex", board.handle, position)
        if refusal is not None:
            if refusal.code != NOT_FOUND:  # the count is the most there can be: unused positions are normal
                _log.debug("slice %d of %s left out: %s", position, board.uuid, refusal.reason)
            continue
        if (place := _slice(calls, handle, board)) is not None:
            slices.append(place)
    return slices or [replace(board, empty_mig=True)]


def _slice(calls: NvmlCalls, handle: Raw, board: Place) -> Place | None:
    uuid, refusal = calls.ask_as("mig uuid", text, "nvmlDeviceGetUUID", handle)
    if refusal is not None or not uuid:
        # Without its UUID it can be neither chosen nor told from its neighbours.
        return None
    return Place(
        uuid,
        named=True,
        index=board.index,
        handle=handle,
        board=board.handle,
        pci=board.pci,
        mig_of=board.uuid,
    )


def _only(calls: NvmlCalls, names: list[str], places: list[Place]) -> list[Place]:
    chosen: list[Place] = []
    for name in names:
        seen = [place for place in places if place.mig_of and place.uuid.startswith(name)]
        chosen += seen or _by_uuid(calls, name)
    if not chosen:
        _log.warning("CUDA_VISIBLE_DEVICES names slices the driver does not know; all cards are shown")
    return list({place.uuid: place for place in chosen}.values()) or places


def _by_uuid(calls: NvmlCalls, name: str) -> list[Place]:
    """A slice that its board does not list, as happens in containers."""
    handle, refusal = calls.ask("mig by uuid", "nvmlDeviceGetHandleByUUID", name)
    if refusal is not None:
        return []
    board, refusal = calls.ask("board of mig", "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", handle)
    if refusal is not None:
        return [Place(name, named=True, index=0, handle=handle, board=handle)]
    index, _ = calls.ask("index", "nvmlDeviceGetIndex", board)
    place = _slice(calls, handle, _board(calls, board, int(index or 0)))
    return [] if place is None else [place]


def _pci_address(info: Raw) -> str:
    """``0000:01:00.0`` as Linux and the AMD driver write it; NVML's own text has a domain of 8 digits."""
    return f"{int(info.domain):04x}:{int(info.bus):02x}:{int(info.device):02x}.0"
