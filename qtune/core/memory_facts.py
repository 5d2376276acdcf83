"""Parts of an engine's memory, and where each figure comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MemoryKind = Literal[
    "weights",
    "kv",
    "recurrent",
    "compute",
    "mtp_weights",
    "mtp_kv",
    "mtp_recurrent",
    "mtp_compute",
    "overhead",
]
"""Parts of an engine's memory; those that MTP adds are named ``mtp_``."""

MemorySource = Literal["computed", "estimated", "measured", "remembered"]
"""``computed`` follows exactly from the header, ``estimated`` is a guess, ``measured`` is the engine's own
figure of this launch, ``remembered`` that of an earlier launch of the same model, build and settings."""


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """One part in bytes, and where the figure comes from."""

    kind: MemoryKind
    size_bytes: int
    source: MemorySource


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """What a launch will take, part by part.

    Attributes:
        on_card: Whether the engine places it on a graphics card; otherwise it is main memory.
        gaps: Header keys that were missing, so that parts are too small or absent.
        expert_bytes: Weights of experts on the card, which ``n_cpu_moe`` would leave in main memory.
    """

    parts: tuple[MemoryPart, ...]
    on_card: bool
    gaps: tuple[str, ...] = ()
    expert_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        """Sum of all parts."""
        return sum(part.size_bytes for part in self.parts)

    @property
    def mtp_bytes(self) -> int:
        """What MTP adds."""
        return sum(part.size_bytes for part in self.parts if part.kind.startswith("mtp_"))

    @property
    def is_estimated(self) -> bool:
        """Whether any part is a guess."""
        return any(part.source == "estimated" for part in self.parts)

    def bytes_of(self, kind: MemoryKind) -> int:
        """Size of one part, 0 where there is none."""
        return sum(part.size_bytes for part in self.parts if part.kind == kind)


FitState = Literal["fits", "tight", "too_large", "unknown"]
"""``tight`` fits, but leaves less than the preset promises to keep free."""


@dataclass(frozen=True, slots=True)
class Room:
    """The memory an engine can be placed in.

    Attributes:
        name: Name of the card, or empty for main memory.
        uuid: Of the card, empty for main memory.
        total_bytes: What it has.
        others_bytes: What other programs use of it now, our own engine left out; None if unknown.
        others: Programs that use most of it, with their share where the driver tells.
        borrows: It is part of main memory, and what the card may take of that is a setting, no limit.
    """

    name: str
    uuid: str
    total_bytes: int
    others_bytes: int | None
    others: tuple[tuple[str, int | None], ...] = ()
    borrows: bool = False

    @property
    def free_bytes(self) -> int | None:
        """What a launch may take, None if unknown."""
        return None if self.others_bytes is None else self.total_bytes - self.others_bytes


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A launch against the memory there is.

    Attributes:
        room: None where neither card nor main memory could be read.
        keep_bytes: What the preset promises to keep free.
        largest_ctx: Largest context that fits with these settings and still keeps that much free; None when
            not even the smallest fits or the memory is unknown.
    """

    estimate: MemoryEstimate
    room: Room | None
    keep_bytes: int
    state: FitState
    largest_ctx: int | None
