"""Reads AMD cards from the files of the Linux kernel's amdgpu driver, without waking a sleeping card.

Files and units are those of the kernel's documentation (gpu/amdgpu, "GPU Power/Thermal Controls and
Monitoring", and hwmon's sysfs interface): bytes, microwatts, millidegrees, hertz.
"""

from __future__ import annotations

import errno
import logging
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from qtune.core.card_memory import CARD_MOST_BYTES, INTEGRATED
from qtune.core.machine_facts import GpuFacts, GpuProcess, GpuSample
from qtune.core.messages import Message
from qtune.telemetry.drm_clients import drm_processes

_log = logging.getLogger("qtune.telemetry")

_T = TypeVar("_T")

ROOT: Final = Path("/sys/class/drm")

_VENDOR: Final = "0x1002"
_CARD: Final = re.compile(r"card(\d+)")
"""Cards themselves; their connectors (card0-DP-1) and render nodes stand in the same folder."""
_PCI: Final = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.IGNORECASE)
_DPM_NOW: Final = re.compile(r"^\s*\w+:\s*(\d{1,6})\s*mhz\s*\*", re.IGNORECASE | re.MULTILINE)

_READ_MOST: Final = 4096
"""A file of sysfs is one page at most."""

_NAMES: Final = {
    "0x66af": "AMD Radeon VII",
    "0x67df": "AMD Radeon RX 470/480/570/580",
    "0x687f": "AMD Radeon RX Vega 56/64",
    "0x731f": "AMD Radeon RX 5600/5700",
    "0x73bf": "AMD Radeon RX 6800/6900",
    "0x73df": "AMD Radeon RX 6700",
    "0x73ff": "AMD Radeon RX 6600",
    "0x744c": "AMD Radeon RX 7900",
    "0x747e": "AMD Radeon RX 7700/7800",
    "0x7480": "AMD Radeon RX 7600",
    "0x7550": "AMD Radeon RX 9070",
    "0x1586": "AMD Radeon 8050S/8060S (integrated)",
    "0x15bf": "AMD Radeon 780M (integrated)",
    "0x1638": "AMD Radeon Vega (integrated)",
    "0x164e": "AMD Radeon (integrated)",
}
"""By PCI device id, where the list of names below is not installed."""

_NAME_LIST: Final = Path("/usr/share/libdrm/amdgpu.ids")
"""Comes with Mesa: lines of device id, revision and name, which tells an XT from an XTX."""

_AWAKE: Final = ("utilisation_pct", "power_w", "temperature_c", "clock_sm_mhz", "clock_mem_mhz")
"""Figures that only a card that is awake has."""

_ASLEEP: Final = "the card is asleep"
_NONSENSE: Final = "the driver answers nonsense"
_GONE: Final = "the card is gone"
_NO_FILE: Final = "the driver does not report it"
_REASONS: Final = {
    errno.ENOENT: _NO_FILE,
    errno.ENOTDIR: _NO_FILE,
    errno.EACCES: "the system gives no permission",
    errno.EPERM: "the card is asleep or the system gives no permission",
    errno.EBUSY: "the card is asleep or busy",
    errno.EAGAIN: "the card is asleep or busy",
    errno.ENODEV: _GONE,
    errno.ENXIO: _GONE,
    errno.EINVAL: "the board does not report it",
    errno.EOPNOTSUPP: "the board does not report it",
    errno.EIO: "the card does not answer",
}


@dataclass(slots=True)
class _Card:
    device: Path
    uuid: str
    pci: str
    notes: dict[str, str] = field(default_factory=dict)
    hwmon: Path | None = None


class AmdCards:
    """All AMD cards of this computer; nothing is kept open between two readings.

    May be used from several threads. ``note`` says why there is no card; ``GpuFacts.notes`` says why a figure
    of a card was missing when it was first looked at.

    Args:
        root: The folder of the kernel's cards.
        name_list: List of card names by PCI id and revision.
        proc: The kernel's folder of processes.
    """

    def __init__(
        self, root: Path = ROOT, *, name_list: Path = _NAME_LIST, proc: Path = Path("/proc")
    ) -> None:
        self._root, self._name_list, self._proc = root, name_list, proc
        self._lock = threading.RLock()
        self._cards: tuple[_Card, ...] | None = None
        self._facts: tuple[GpuFacts, ...] = ()
        self._note: Message | None = None
        self._idle: dict[str, int] = {}

    @property
    def note(self) -> Message | None:
        """Why there is no card, None when there is one."""
        self.cards()
        return self._note

    def cards(self) -> tuple[GpuFacts, ...]:
        """Facts of every card, in the kernel's order; empty without driver or card."""
        with self._lock:
            if self._cards is None:
                self._cards = self._find()
                self._facts = tuple(self._describe(at, card) for at, card in enumerate(self._cards))
            return self._facts

    def sample(self) -> tuple[GpuSample, ...]:
        """One reading of every card; a figure that is not to be had is None, as all of a lost card."""
        with self._lock:
            self.cards()
            # Why a figure is missing was told with the facts; a reading goes on a scrap of its own.
            return tuple(_sample(card, {}) for card in self._cards or ())

    def processes(self) -> tuple[GpuProcess, ...]:
        """Programs of this user that hold memory of a card; those of others are not to be seen."""
        uuids = {card.pci: card.uuid for card in self.cards() if card.pci}
        return drm_processes(uuids, self._proc) if uuids else ()

    def close(self) -> None:
        """Forget the cards; the next question looks for them again."""
        with self._lock:
            self._cards, self._facts, self._note = None, (), None

    # -- finding -------------------------------------------------------------------------------------------

    def _find(self) -> tuple[_Card, ...]:
        try:
            numbered = [(int(m[1]), p) for p in self._root.iterdir() if (m := _CARD.fullmatch(p.name))]
        except FileNotFoundError:
            return self._none("this system lists no graphics cards")
        except OSError as error:
            return self._none(_reason(error))
        cards = tuple(card for _, path in sorted(numbered) if (card := _card(path)) is not None)
        return cards or self._none("the system lists no AMD card")

    def _none(self, reason: str) -> tuple[_Card, ...]:
        self._note = Message.of("no_amd_gpu", reason=reason)
        return ()

    def _describe(self, index: int, card: _Card) -> GpuFacts:
        notes = card.notes
        first = _sample(card, notes)
        if first.vram_used_bytes is not None:
            # Kept even when the cards are looked for again: by then an engine of ours may run.
            self._idle.setdefault(card.uuid, first.vram_used_bytes)
        shared = _figure(notes, "shared_total_bytes", _bytes, card.device / "mem_info_gtt_total")
        limit = _sensor(card, notes, "power_limit_w", _scaled(1e6), "power1_cap")
        if card.hwmon is not None and (card.hwmon / "in1_label").exists():
            # The kernel lays out the north bridge's voltage for integrated graphics only.
            notes[INTEGRATED] = "its memory is carved from main memory; what it borrows beyond counts too"
        notes["throttle_reasons"] = notes["pcie_rx_kb_s"] = _NO_FILE
        driver, notes_driver = _driver(card.device)
        if driver is None:
            notes["driver"] = notes_driver
        return GpuFacts(
            index=index,
            uuid=card.uuid,
            name=self._name(card.device),
            vram_total_bytes=first.vram_total_bytes,
            driver=driver,
            power_limit_w=limit,
            notes=_frozen(notes),
            vendor="amd",
            pci=card.pci,
            vram_idle_bytes=self._idle.get(card.uuid),
            shared_total_bytes=shared,
        )

    def _name(self, device: Path) -> str:
        product = _text(device / "product_name")[0]
        if product and product.isprintable():
            return product[:80]
        number, revision = _text(device / "device")[0] or "", _text(device / "revision")[0] or ""
        known = _listed_name(self._name_list, number, revision) or _NAMES.get(number.lower())
        return known or (f"AMD GPU ({number})" if re.fullmatch(r"0x[0-9a-fA-F]{4}", number) else "AMD GPU")


def _card(path: Path) -> _Card | None:
    device = (path / "device").resolve()
    vendor, reason = _text(device / "vendor")
    if vendor is None or vendor.lower() != _VENDOR:
        if reason not in (None, _NO_FILE):
            _log.warning("%s left out: %s", path.name, reason)
        return None
    told = re.search(r"^PCI_SLOT_NAME=(\S+)$", _text(device / "uevent")[0] or "", re.MULTILINE)
    pci = next((p.lower() for p in (told[1] if told else "", device.name) if _PCI.fullmatch(p)), "")
    return _Card(device, f"pci-{pci}" if pci else path.name, pci)


def _driver(device: Path) -> tuple[str | None, str]:
    """The driver with its version, which only one built outside the kernel has."""
    told = re.search(r"^DRIVER=(\w+)$", _text(device / "uevent")[0] or "", re.MULTILINE)
    if told is None:
        return None, "no driver has taken the card"
    version = _text(device / "driver" / "module" / "version")[0]
    return (f"{told[1]} {version[:40]}" if version and version.isprintable() else told[1]), ""


def _listed_name(names: Path, number: str, revision: str) -> str | None:
    try:
        with names.open(encoding="utf-8", errors="replace") as lines:
            wanted = (number.removeprefix("0x").upper(), revision.removeprefix("0x").upper())
            for line in lines:
                fields = [part.strip() for part in line.split(",", 2)]
                if len(fields) == 3 and (fields[0].upper(), fields[1].upper()) == wanted:
                    return fields[2][:80] or None
    except OSError:
        pass
    return None


# -- reading -----------------------------------------------------------------------------------------------


def _sample(card: _Card, notes: dict[str, str]) -> GpuSample:
    device = card.device
    used = _figure(notes, "vram_used_bytes", _bytes, device / "mem_info_vram_used")
    total = _figure(notes, "vram_total_bytes", _total, device / "mem_info_vram_total")
    if used is not None and total is not None and used > total:
        notes["vram_used_bytes"], used = _NONSENSE, None
    shared = _figure(notes, "shared_used_bytes", _bytes, device / "mem_info_gtt_used")
    if _text(device / "power" / "runtime_status")[0] in ("suspended", "suspending"):
        # Asking a sensor would wake the card on many kernels, twice a second for as long as we run.
        notes |= dict.fromkeys(_AWAKE, _ASLEEP)
        return GpuSample(card.uuid, used, total, shared_used_bytes=shared)
    return GpuSample(
        uuid=card.uuid,
        vram_used_bytes=used,
        vram_total_bytes=total,
        utilisation_pct=_figure(notes, "utilisation_pct", _percent, device / "gpu_busy_percent"),
        power_w=_sensor(card, notes, "power_w", _scaled(1e6), "power1_average", "power1_input"),
        temperature_c=_sensor(card, notes, "temperature_c", _scaled(1e3, 200), _edge(card)),
        clock_sm_mhz=_clock(card, notes, "clock_sm_mhz", "freq1_input", "pp_dpm_sclk"),
        clock_mem_mhz=_clock(card, notes, "clock_mem_mhz", "freq2_input", "pp_dpm_mclk"),
        shared_used_bytes=shared,
    )


def _clock(card: _Card, notes: dict[str, str], figure: str, sensor: str, table: str) -> float | None:
    found = _sensor(card, notes, figure, _scaled(1e6, 20_000, least=0), sensor)
    if found is None:
        found = _figure(notes, figure, _current_clock, card.device / table)
    return found


def _edge(card: _Card) -> str:
    """The sensor at the die's edge, which is what a card's temperature commonly means."""
    folder = _hwmon(card)
    for number in (1, 2, 3) if folder is not None else ():
        if folder is not None and _text(folder / f"temp{number}_label")[0] == "edge":
            return f"temp{number}_input"
    return "temp1_input"


def _hwmon(card: _Card) -> Path | None:
    """The card's folder of sensors; its number changes when the driver is loaded again."""
    if card.hwmon is None or not card.hwmon.is_dir():
        try:
            card.hwmon = min((card.device / "hwmon").glob("hwmon*"), default=None)
        except OSError:
            card.hwmon = None
    return card.hwmon


def _sensor(
    card: _Card, notes: dict[str, str], figure: str, convert: Callable[[str], float], *names: str
) -> float | None:
    folder = _hwmon(card)
    if folder is None:
        notes[figure] = _NO_FILE if card.device.is_dir() else _GONE
        return None
    return _figure(notes, figure, convert, *(folder / name for name in names))


def _figure(notes: dict[str, str], figure: str, convert: Callable[[str], _T], *paths: Path) -> _T | None:
    """The first of several files that holds a usable figure; else None, with the reason in ``notes``."""
    told = _NO_FILE
    for path in paths:
        text, reason = _text(path)
        if text is not None:
            try:
                found = convert(text)
            except ValueError:
                told = _NONSENSE
                continue
            notes.pop(figure, None)
            return found
        if reason != _NO_FILE:
            told = reason or told
    notes[figure] = told
    return None


def _text(path: Path) -> tuple[str, None] | tuple[None, str]:
    """(content, None) or (None, why not)."""
    try:
        with path.open("rb") as file:
            return file.read(_READ_MOST).decode("utf-8", "replace").strip(), None
    except OSError as error:
        return None, _reason(error)


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0, f"the system answers {error.strerror}")


def _number(text: str) -> int:
    """Only plain digits: a sign, N/A or nothing at all is no figure."""
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ValueError(text)
    return int(text)


def _bytes(text: str) -> int:
    found = _number(text)
    if found > CARD_MOST_BYTES:
        raise ValueError(text)
    return found


def _total(text: str) -> int:
    if not (found := _bytes(text)):
        raise ValueError(text)
    return found


def _percent(text: str) -> float:
    found = _number(text)
    if found > 100:
        raise ValueError(text)
    return float(found)


def _scaled(unit: float, most: float = 10_000, *, least: float = 1e-9) -> Callable[[str], float]:
    """A figure in a smaller unit. A sleeping card says 0 watts and 0 degrees, which is no reading."""

    def convert(text: str) -> float:
        found = _number(text) / unit
        if not least <= found <= most:
            raise ValueError(text)
        return found

    return convert


def _current_clock(text: str) -> float:
    """The line of a table of clocks that carries the star."""
    if (now := _DPM_NOW.search(text)) is None:
        raise ValueError(text)
    return float(now[1])


def _frozen(notes: dict[str, str]) -> Mapping[str, str]:
    return MappingProxyType(dict(notes))
