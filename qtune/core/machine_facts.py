"""The computer and its graphics cards: what they are, and what was read of them while something ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """The computer: operating system, processor, cores, main memory, and what measures on it.

    ``qtune`` is the version of this program; empty in records of versions that did not note it.
    """

    os: str
    cpu: str
    cores: int
    ram_bytes: int
    python: str
    qtune: str = ""


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """A graphics card as the driver names it; ``notes`` say why a figure is missing.

    Attributes:
        index: Position in the driver's own order, which is not CUDA's unless CUDA is told so.
        uuid: Name that survives a change of order: the driver's UUID, for AMD the PCI address.
        vendor: Who made it, as far as the program tells cards apart.
        pci: PCI address, e.g. ``0000:01:00.0``; empty if unknown.
        mig_of: UUID of the board for a slice of a partitioned one, else empty.
        vram_idle_bytes: In use when it was first looked at, nothing of ours running.
        shared_total_bytes: Main memory the card may use beside its own (GTT on AMD).
    """

    index: int
    uuid: str
    name: str
    vram_total_bytes: int | None
    driver: str | None
    power_limit_w: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    vendor: Literal["nvidia", "amd"] = "nvidia"
    pci: str = ""
    mig_of: str = ""
    vram_idle_bytes: int | None = None
    shared_total_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A program that holds memory of a card; ``vram_bytes`` is None where the driver does not tell."""

    uuid: str
    pid: int
    name: str
    vram_bytes: int | None


@dataclass(frozen=True, slots=True)
class GpuSample:
    """One reading of one card. ``None`` where the board does not report it.

    ``shared_used_bytes`` is main memory the card uses beside its own (GTT on AMD); ``pcie_tx_kb_s`` and
    ``pcie_rx_kb_s`` are the traffic of the bus in KB/s as the driver reports it.
    """

    uuid: str
    vram_used_bytes: int | None = None
    vram_total_bytes: int | None = None
    utilisation_pct: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    clock_sm_mhz: float | None = None
    clock_mem_mhz: float | None = None
    throttle_reasons: tuple[str, ...] | None = None
    shared_used_bytes: int | None = None
    pcie_tx_kb_s: float | None = None
    pcie_rx_kb_s: float | None = None


@dataclass(frozen=True, slots=True)
class HostSample:
    """One reading of the computer; ``engine_rss_bytes`` is the resident memory of the supervised engine."""

    cpu_pct: float | None
    ram_used_bytes: int | None
    ram_total_bytes: int | None
    engine_rss_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TelemetrySample:
    """All readings of one moment, at 2 Hz; ``t_ns`` is the monotonic clock."""

    t_ns: int
    host: HostSample
    gpus: tuple[GpuSample, ...] = ()
