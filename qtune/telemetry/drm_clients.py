"""Who holds memory of a card, from the figures the Linux kernel keeps for each open card (fdinfo).

Format: the kernel's "DRM client usage stats". Only processes of this user can be looked into.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from qtune.core.card_memory import CARD_MOST_BYTES
from qtune.core.machine_facts import GpuProcess

_DEVICES: Final = "/dev/dri/"
_READ_MOST: Final = 16_384
_UNITS: Final = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_VRAM_KEYS: Final = ("drm-resident-vram", "drm-memory-vram", "drm-total-vram")
"""What lies in the card now, under its new and its old name; then what was asked for."""


def drm_processes(uuids: Mapping[str, str], proc: Path = Path("/proc")) -> tuple[GpuProcess, ...]:
    """Processes that hold a card open and use some of its memory.

    Args:
        uuids: Name of each card of interest by its PCI address.
        proc: The kernel's folder of processes.
    """
    found: list[GpuProcess] = []
    for pid in sorted(int(entry.name) for entry in _entries(proc) if entry.name.isdigit()):
        held = _held(proc / str(pid), uuids)
        found += [GpuProcess(uuid, pid, _name(proc, pid), vram) for uuid, vram in held.items() if vram != 0]
    return tuple(found)


def _held(process: Path, uuids: Mapping[str, str]) -> dict[str, int | None]:
    """Bytes by card. Several descriptors of one client repeat its figures, so each client counts once."""
    clients: dict[tuple[str, str], int | None] = {}
    for at, link in enumerate(_entries(process / "fd")):
        try:
            if not str(link.readlink()).startswith(_DEVICES):
                continue
            with (process / "fdinfo" / link.name).open("rb") as file:
                told = _fields(file.read(_READ_MOST).decode("ascii", "replace"))
        except OSError:
            continue
        pci = told.get("drm-pdev", "").lower()
        if pci in uuids:
            clients[pci, told.get("drm-client-id", f"descriptor {at}")] = _vram(told)
    held: defaultdict[str, list[int | None]] = defaultdict(list)
    for (pci, _), vram in clients.items():
        held[uuids[pci]].append(vram)
    return {uuid: _sum(parts) for uuid, parts in held.items()}


def _sum(parts: list[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _vram(told: Mapping[str, str]) -> int | None:
    for key in _VRAM_KEYS:
        if (size := re.fullmatch(r"(\d{1,18})\s*([KMG]iB)?", told.get(key, ""))) is not None:
            found = int(size[1]) * _UNITS[size[2] or ""]
            return found if found <= CARD_MOST_BYTES else None
    return None


def _fields(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def _name(proc: Path, pid: int) -> str:
    try:
        with (proc / str(pid) / "comm").open("rb") as file:
            return file.read(256).decode("utf-8", "replace").strip() or f"process {pid}"
    except OSError:
        return f"process {pid}"


def _entries(folder: Path) -> tuple[Path, ...]:
    """What a folder holds; nothing if it is gone or belongs to somebody else."""
    try:
        return tuple(folder.iterdir())
    except OSError:
        return ()
