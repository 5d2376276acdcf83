"""All graphics cards of this computer, whoever made them, behind one face."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from qtune.core.machine_facts import GpuFacts, GpuProcess, GpuSample
from qtune.core.messages import Message
from qtune.telemetry.amdgpu import AmdCards
from qtune.telemetry.nvml import NvmlCards

_log = logging.getLogger("qtune.telemetry")

_T = TypeVar("_T")


class CardRoom(Protocol):
    """The cards of one maker."""

    @property
    def note(self) -> Message | None:
        """Why there is no card, None when there is one."""
        ...

    def cards(self) -> tuple[GpuFacts, ...]:
        """Facts of every card."""
        ...

    def sample(self) -> tuple[GpuSample, ...]:
        """One reading of every card."""
        ...

    def processes(self) -> tuple[GpuProcess, ...]:
        """Programs that hold memory of a card."""
        ...

    def close(self) -> None:
        """Let go of the driver."""
        ...


class Cards:
    """NVIDIA's and AMD's cards together; may be used from several threads as far as each maker's part may.

    A maker whose driver fails costs its own cards only.

    Args:
        nvidia: The NVIDIA cards.
        amd: The AMD cards; None where no AMD driver can be read (everywhere but on Linux).
    """

    def __init__(self, nvidia: CardRoom, amd: CardRoom | None) -> None:
        self._nvidia, self._amd = nvidia, amd
        self._makers: Sequence[CardRoom] = (nvidia,) if amd is None else (nvidia, amd)
        self._complained: set[tuple[int, str]] = set()

    @classmethod
    def of_this_computer(cls) -> Cards:
        """The cards that this operating system lets one read."""
        return cls(NvmlCards(), AmdCards() if sys.platform == "linux" else None)

    @property
    def note(self) -> Message | None:
        """Why there is no card of any maker, None as soon as one names a card."""
        if self.cards():
            return None
        nvidia = self._nvidia.note
        amd = None if self._amd is None else self._amd.note
        if nvidia is None or amd is None:
            return nvidia or amd
        return Message.of("no_gpu", nvidia=_reason(nvidia), amd=_reason(amd))

    def cards(self) -> tuple[GpuFacts, ...]:
        """Facts of every card, NVIDIA's first. Each keeps its driver's number unless it is taken."""
        found: list[GpuFacts] = []
        for card in (c for at in range(len(self._makers)) for c in self._asked(at, "cards", _facts_of)):
            taken = {other.index for other in found}
            found.append(replace(card, index=max(taken) + 1) if card.index in taken else card)
        return tuple(found)

    def sample(self) -> tuple[GpuSample, ...]:
        """One reading of every card, in the order of ``cards``."""
        return tuple(s for at in range(len(self._makers)) for s in self._asked(at, "reading", _sample_of))

    def processes(self) -> tuple[GpuProcess, ...]:
        """Programs that hold memory of a card, as far as the drivers tell; slower than a reading."""
        return tuple(p for at in range(len(self._makers)) for p in self._asked(at, "processes", _users_of))

    def close(self) -> None:
        """Let go of the drivers; the next question opens them again."""
        for maker in self._makers:
            maker.close()

    def _asked(self, at: int, what: str, call: Callable[[CardRoom], tuple[_T, ...]]) -> tuple[_T, ...]:
        try:
            return call(self._makers[at])
        except Exception:  # noqa: BLE001 - boundary: one maker's driver must not take the other's cards away
            if (at, what) not in self._complained:
                self._complained.add((at, what))
                _log.exception("%s of cards failed", what)
            return ()


def _facts_of(maker: CardRoom) -> tuple[GpuFacts, ...]:
    return maker.cards()


def _sample_of(maker: CardRoom) -> tuple[GpuSample, ...]:
    return maker.sample()


def _users_of(maker: CardRoom) -> tuple[GpuProcess, ...]:
    return maker.processes()


def _reason(note: Message) -> str:
    return str(dict(note.params).get("reason") or note.sentence().rstrip("."))
