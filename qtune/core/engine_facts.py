"""What an engine says of itself, and where it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qtune.core.messages import Message


@dataclass(frozen=True, slots=True)
class EngineRef:
    """Where an engine is and how to call it.

    Attributes:
        kind: ``bundled`` or ``binary``.
        command: The words that start it; arguments follow.
        path: The program file (for the bundled one: the interpreter or app).
        found_in: Where it was found, e.g. ``PATH``, ``chosen``, ``bundled``.
    """

    kind: Literal["bundled", "binary"]
    command: tuple[str, ...]
    path: str
    found_in: str


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """A device the engine lists: name such as ``CUDA0``, its description and memory."""

    name: str
    description: str
    total_bytes: int | None
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What an engine says of itself.

    Attributes:
        version: The version line without ``version:``.
        build: Build number; None when unknown (source archives say 0).
        commit: Commit, None when unknown.
        options: Usable long and short options of ``--help``.
        removed: Options the help lists only to say that they were removed.
        spec_types: Names ``--spec-type`` takes, ``none`` left out.
        devices: What ``--list-devices`` names; empty means CPU.
    """

    ref: EngineRef
    version: str
    build: int | None
    commit: str | None
    options: frozenset[str]
    removed: frozenset[str]
    spec_types: tuple[str, ...]
    devices: tuple[DeviceFacts, ...]
    notes: tuple[Message, ...] = ()

    @property
    def mtp(self) -> bool:
        """Whether this build can draft with a model's own MTP head."""
        return "draft-mtp" in self.spec_types or "mtp" in self.spec_types
