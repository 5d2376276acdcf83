"""Reads NVIDIA cards through the driver's own library, and never fails where a board tells less.

Everything is asked by card, named by UUID, since the order of cards differs between the driver and CUDA and
a card may leave the bus and come back.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from qtune.core.machine_facts import GpuFacts, GpuProcess, GpuSample
from qtune.core.messages import Message
from qtune.host.libraries import preload
from qtune.telemetry.nvml_calls import (
    FUNCTION_NOT_FOUND,
    GONE,
    INVALID_ARGUMENT,
    NO_SENSE,
    NOT_FOUND,
    NOT_SUPPORTED,
    REASONS,
    UNKNOWN_QUESTION,
    NvmlCalls,
    Raw,
    Refusal,
)
from qtune.telemetry.nvml_find import Place, find_places
from qtune.telemetry.nvml_processes import processes_of
from qtune.telemetry.nvml_readings import busy, memory, text, throttle_words, within

_log = logging.getLogger("qtune.telemetry")

_T = TypeVar("_T")

BUS_EVERY: Final = 10
"""Readings from one question about the bus to the next. The driver counts for 20 ms in each direction and
blocks meanwhile: at 2 Hz that would be a twelfth of all time, once in 5 s it is under one per cent."""

_RETRY: Final = 60
"""Readings after which a lost card is looked for again (half a minute at 2 Hz). That opens the driver library
anew, which is not free for the cards that are still there."""

_KNOWN_PLACES: Final = (
    "/usr/lib/wsl/lib/libnvidia-ml.so.1",
    "/run/opengl-driver/lib/libnvidia-ml.so.1",
)
"""Where WSL and NixOS keep the library off the loader's path. Under WSL it must come before one that a
distribution's package put on that path, which would only say that no driver is loaded."""

_MEMORY_NOTES: Final = {1: "includes what the driver reserves", 2: "without what the driver reserves"}
_WHOLE_BOARD: Final = "of the whole board, which its slices share"

_THROTTLE: Final = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")
"""The same question by its new name and by the one drivers before 535 know."""

_WATTS: Final = within(0, 10_000_000, 1000)
_MHZ: Final = within(0, 100_000)


@dataclass(slots=True)
class _Card:
    place: Place
    name: str = "NVIDIA GPU"
    total: int | None = None
    driver: str | None = None
    limit: float | None = None
    lost: bool = False
    notes: dict[str, str] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    memory_version: int | None = None


class NvmlCards:
    """All NVIDIA cards of this computer; the driver library is opened at the first question.

    May be used from several threads. ``note`` says why there is no card; ``GpuFacts.notes`` says why a
    figure of a card is missing, and whether used memory includes what the driver reserves. A card that is
    lost keeps its place in every answer, without figures, and is looked for again from time to time.

    Args:
        nvml: The ``pynvml`` module, or something that answers like it; None loads the real one.
        bus_every: Readings from one question about the bus to the next, 0 for never.
        environment: Where ``CUDA_VISIBLE_DEVICES`` is looked up; None is that of this process.
    """

    def __init__(
        self, nvml: Raw = None, *, bus_every: int = BUS_EVERY, environment: Mapping[str, str] | None = None
    ) -> None:
        self._calls = None if nvml is None else NvmlCalls(nvml)
        self._bus_every = bus_every
        self._environment = environment
        self._lock = threading.RLock()
        self._cards: list[_Card] | None = None
        self._idle: dict[str, int] = {}
        self._note: Message | None = None
        self._open = False
        self._readings = 0
        self._waited = 0

    @property
    def note(self) -> Message | None:
        """Why there is no card, None when there is one."""
        with self._lock:
            self._look()
            return self._note

    def cards(self) -> tuple[GpuFacts, ...]:
        """Facts of every card, in the order they were found; empty without driver or card."""
        with self._lock:
            return tuple(self._facts(card) for card in self._look())

    def sample(self, *, bus: bool | None = None) -> tuple[GpuSample, ...]:
        """One reading of every card, in the order of ``cards``; a figure that is not to be had is None.

        Args:
            bus: Whether to ask for the traffic of the bus, which takes 40 ms a card; None does so in every
                ``bus_every``-th reading.
        """
        with self._lock:
            cards = self._look()
            self._look_for_lost(cards)
            self._readings += 1
            if bus is None:
                bus = self._bus_every > 0 and self._readings % self._bus_every == 0
            return tuple(self._sample(card, bus=bus) for card in tuple(cards))

    def processes(self) -> tuple[GpuProcess, ...]:
        """The programs on every card, ours included; empty where the driver does not tell.

        ``GpuFacts.notes["processes"]`` says why a list is missing. In a container the numbers may be those
        of the host.
        """
        with self._lock:
            found: list[GpuProcess] = []
            for card in tuple(self._look()):
                if self._calls is None or not self._is_there(card):
                    continue
                programs, refusal = processes_of(self._calls, card.place.uuid, card.place.handle)
                self._remark(card, "processes", refusal)
                found += programs
            return tuple(found)

    def close(self) -> None:
        """Let go of the driver library; the next question opens it again. The idle baseline stays."""
        with self._lock:
            self._shut()
            self._cards, self._note = None, None

    # -- finding -------------------------------------------------------------------------------------------

    def _look(self) -> list[_Card]:
        if self._cards is None:
            self._cards = []
            places, reason = self._places()
            if not places:
                self._note = Message.of("no_nvidia_gpu", reason=reason)
            for place in places:
                self._welcome(place)
        return self._cards

    def _places(self) -> tuple[tuple[Place, ...], str]:
        if self._calls is None:
            try:
                import pynvml  # noqa: PLC0415 - a large module that a machine without a card never needs
            except ImportError:
                return (), "the package nvidia-ml-py is not installed"
            preload(_KNOWN_PLACES)
            self._calls = NvmlCalls(pynvml)
        if not self._open:
            _, refusal = self._calls.ask("init", "nvmlInit")
            if refusal is not None:
                return (), refusal.reason
            self._open = True
        environment = os.environ if self._environment is None else self._environment
        return find_places(self._calls, environment, again=bool(self._cards))

    def _shut(self) -> None:
        if self._open and self._calls is not None:
            self._calls.ask("shutdown", "nvmlShutdown")
        self._open = False

    def _welcome(self, place: Place) -> None:
        """Take up a card that was not known, and ask everything once so that its notes are complete."""
        assert self._calls is not None and self._cards is not None  # noqa: S101, PT018 - it named the place
        card = _Card(place)
        self._cards.append(card)
        name, refusal = self._calls.ask_as("name", text, "nvmlDeviceGetName", place.handle)
        if refusal is not None and place.mig_of:
            name, _ = self._calls.ask_as("name", _slice_name, "nvmlDeviceGetName", place.board)
        self._remark(card, "name", refusal)
        card.name = name or card.name
        card.driver, refusal = self._calls.ask_as("driver", text, "nvmlSystemGetDriverVersion")
        self._remark(card, "driver", refusal)
        if not place.pci:
            card.notes["pci"] = "the driver does not tell"
        if place.empty_mig:
            card.notes["mig"] = "the board is partitioned (MIG), but no slice of it can be seen"
        card.total = self._memory(card)[1]
        card.limit = self._figure(card, "power_limit_w", _WATTS, "nvmlDeviceGetEnforcedPowerLimit")
        used = self._sample(card, bus=self._bus_every > 0).vram_used_bytes
        if used is not None:
            self._idle.setdefault(place.uuid, used)

    def _facts(self, card: _Card) -> GpuFacts:
        place = card.place
        return GpuFacts(
            index=place.index,
            uuid=place.uuid,
            name=card.name,
            vram_total_bytes=card.total,
            driver=card.driver,
            power_limit_w=card.limit,
            notes=dict(card.notes),
            vendor="nvidia",
            pci=place.pci,
            mig_of=place.mig_of,
            vram_idle_bytes=self._idle.get(place.uuid),
        )

    # -- a card that moves, leaves or comes back -----------------------------------------------------------

    def _is_there(self, card: _Card) -> bool:
        """Whether the card can be asked. Where its handle now means another card, all are found anew."""
        if card.lost or self._calls is None:
            return False
        if not card.place.named:
            return True
        uuid, refusal = self._calls.ask_as("uuid", text, "nvmlDeviceGetUUID", card.place.handle)
        if refusal is not None:
            slice_is_gone = bool(card.place.mig_of) and refusal.code in (INVALID_ARGUMENT, NOT_FOUND)
            if refusal.code in GONE or slice_is_gone:
                self._lose(card, refusal.reason)
        elif uuid != card.place.uuid:
            self._find_again()
        return not card.lost

    def _lose(self, card: _Card, reason: str) -> None:
        if not card.lost:
            _log.warning("card %s (%s) does not answer: %s", card.place.uuid, card.name, reason)
        card.lost = True
        card.notes["card"] = reason

    def _look_for_lost(self, cards: list[_Card]) -> None:
        if not any(card.lost for card in cards):
            self._waited = 0
            return
        self._waited += 1
        if self._waited >= _RETRY:
            self._waited = 0
            self._shut()
            self._find_again()

    def _find_again(self) -> None:
        found, reason = self._places()
        places = {place.uuid: place for place in found}
        for card in self._cards or ():
            place = places.pop(card.place.uuid, None)
            if place is None:
                self._lose(card, reason or "the driver no longer names the card")
                continue
            if card.lost:
                _log.info("card %s (%s) answers again", place.uuid, card.name)
                card.notes.pop("card", None)
            card.place, card.lost = place, False
        for place in places.values():
            self._welcome(place)

    # -- reading -------------------------------------------------------------------------------------------

    def _sample(self, card: _Card, *, bus: bool) -> GpuSample:
        if self._calls is None or not self._is_there(card):
            return GpuSample(card.place.uuid)
        nvml = self._calls.nvml
        used, _, usable = self._memory(card)
        sensor, sm, mem = nvml.NVML_TEMPERATURE_GPU, nvml.NVML_CLOCK_SM, nvml.NVML_CLOCK_MEM
        return GpuSample(
            uuid=card.place.uuid,
            vram_used_bytes=used,
            vram_total_bytes=usable,
            utilisation_pct=self._figure(card, "utilisation_pct", busy, "nvmlDeviceGetUtilizationRates"),
            power_w=self._figure(card, "power_w", _WATTS, "nvmlDeviceGetPowerUsage"),
            temperature_c=self._figure(
                card, "temperature_c", within(-60, 200), "nvmlDeviceGetTemperature", sensor
            ),
            clock_sm_mhz=self._figure(card, "clock_sm_mhz", _MHZ, "nvmlDeviceGetClockInfo", sm),
            clock_mem_mhz=self._figure(card, "clock_mem_mhz", _MHZ, "nvmlDeviceGetClockInfo", mem),
            throttle_reasons=self._figure(card, "throttle_reasons", throttle_words, _THROTTLE),
            pcie_tx_kb_s=self._traffic(card, "pcie_tx_kb_s", 0) if bus else None,
            pcie_rx_kb_s=self._traffic(card, "pcie_rx_kb_s", 1) if bus else None,
        )

    def _traffic(self, card: _Card, figure: str, counter: int) -> float | None:
        """KB/s; the counters are NVML_PCIE_UTIL_TX_BYTES (0) and NVML_PCIE_UTIL_RX_BYTES (1)."""
        return self._figure(card, figure, within(0, 1 << 31), "nvmlDeviceGetPcieThroughput", counter)

    def _memory(self, card: _Card) -> tuple[int | None, int | None, int | None]:
        """(used, total, usable) bytes, so that usable - used is free in both versions of the query.

        Version 2 tells apart what the driver reserves, version 1 counts it as used.
        """
        assert self._calls is not None  # noqa: S101 - there is no card without it
        figure = "vram_used_bytes"
        for version in (2, 1) if card.memory_version is None else (card.memory_version,):
            named = {"version": getattr(self._calls.nvml, "nvmlMemory_v2", 0)} if version == 2 else {}
            info, refusal = self._calls.ask(figure, "nvmlDeviceGetMemoryInfo", card.place.handle, **named)
            if refusal is None and info is not None:
                # Kept from the first answer on: a change in mid-run would look like memory taken or freed.
                card.memory_version = version
                used, total, usable = memory(info, reserved=version == 2)
                card.notes[figure] = REASONS[NO_SENSE] if used is None else _MEMORY_NOTES[version]
                self._remark(card, "vram_total_bytes", _nonsense(total))
                return used, total, usable
            self._remark(card, figure, refusal)
        return None, None, None

    def _figure(
        self,
        card: _Card,
        figure: str,
        convert: Callable[[Raw], _T],
        functions: str | tuple[str, ...],
        *args: object,
    ) -> _T | None:
        """Ask one figure of a card's board; a board that does not have it is not asked again."""
        if figure in card.silent or self._calls is None:
            return None
        refusal: Refusal | None = None
        for function in (functions,) if isinstance(functions, str) else functions:
            found, refusal = self._calls.ask_as(figure, convert, function, card.place.board, *args)
            if refusal is None:
                self._remark(card, figure, None)
                return found
            if refusal.code not in (FUNCTION_NOT_FOUND, UNKNOWN_QUESTION):
                break
        if refusal is not None and refusal.code in (NOT_SUPPORTED, FUNCTION_NOT_FOUND, UNKNOWN_QUESTION):
            card.silent.add(figure)
        self._remark(card, figure, refusal)
        return None

    def _remark(self, card: _Card, figure: str, refusal: Refusal | None) -> None:
        """Note why a figure is missing, or no longer."""
        if refusal is not None:
            card.notes[figure] = refusal.reason
            if refusal.code in GONE:
                self._lose(card, refusal.reason)
        elif card.place.mig_of and figure in _OF_THE_BOARD:
            card.notes[figure] = _WHOLE_BOARD
        else:
            card.notes.pop(figure, None)


_OF_THE_BOARD: Final = frozenset(GpuSample.__slots__) - {"uuid", "vram_used_bytes", "vram_total_bytes"} | {
    "power_limit_w"
}


def _nonsense(figure: int | None) -> Refusal | None:
    return Refusal(NO_SENSE, REASONS[NO_SENSE]) if figure is None else None


def _slice_name(raw: Raw) -> str:
    return f"{text(raw)} MIG"
