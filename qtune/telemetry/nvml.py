"""Reads NVIDIA cards through the driver's own library, and never fails where a board tells less.

Everything is asked by card, named by UUID, since the order of cards differs between the driver and CUDA.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

from qtune.core.messages import Message
from qtune.core.records import GpuFacts, GpuSample

_log = logging.getLogger("qtune.telemetry")

_T = TypeVar("_T")

_Raw: TypeAlias = Any
"""What the driver library hands out: untyped modules, handles and C structures."""

_MAX_BYTES: Final = 1 << 40
"""Beyond 1 TiB a memory figure is a driver's nonsense counter (seen under WSL), not a card."""

_NOT_SUPPORTED: Final = 3
_FUNCTION_NOT_FOUND: Final = 13

_REASONS: Final = {
    2: "this driver does not take the question",
    _NOT_SUPPORTED: "the board does not report it",
    4: "the driver gives no permission",
    9: "the NVIDIA driver is not loaded",
    12: "the NVIDIA driver library is not installed",
    _FUNCTION_NOT_FOUND: "this driver is too old to report it",
    15: "the card was lost; restart the computer",
    18: "the NVIDIA driver was updated; restart the computer",
    25: "this driver does not take the question",
}
"""NVML return codes (nvml.h, nvmlReturn_t) in plain words."""

_MEMORY_NOTES: Final = {1: "includes what the driver reserves", 2: "without what the driver reserves"}

_THROTTLE_WORDS: Final = (
    (0x001, "idle"),
    (0x002, "clocks set by user"),
    (0x004, "power cap"),
    (0x008, "hardware slowdown"),
    (0x010, "sync boost"),
    (0x020, "thermal (software)"),
    (0x040, "thermal (hardware)"),
    (0x080, "power brake"),
    (0x100, "display clocks"),
)
"""Bits of nvmlClocksEventReasons (nvml.h)."""


@dataclass(slots=True)
class _Card:
    handle: _Raw
    uuid: str
    notes: dict[str, str] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    memory_version: int | None = None


class NvmlCards:
    """All NVIDIA cards of this computer; the driver library is opened at the first question.

    May be used from several threads. ``note`` says why there is no card; ``GpuFacts.notes`` says why a
    figure of a card is missing, and whether used memory includes what the driver reserves.

    Args:
        nvml: The ``pynvml`` module, or something that answers like it; None loads the real one.
    """

    def __init__(self, nvml: _Raw = None) -> None:
        self._nvml = nvml
        self._lock = threading.RLock()
        self._cards: tuple[_Card, ...] | None = None
        self._facts: tuple[GpuFacts, ...] = ()
        self._note: Message | None = None
        self._open = False

    @property
    def note(self) -> Message | None:
        """Why there is no card, None when there is one."""
        self.cards()
        return self._note

    def cards(self) -> tuple[GpuFacts, ...]:
        """Facts of every card, in the driver's order; empty without driver or card."""
        with self._lock:
            if self._cards is None:
                self._cards = self._find()
                if self._cards:
                    self._describe(self._cards)
            return self._facts

    def sample(self) -> tuple[GpuSample, ...]:
        """One reading of every card; a figure that is not to be had is None."""
        with self._lock:
            self.cards()
            return tuple(self._sample(card) for card in self._cards or ())

    def close(self) -> None:
        """Let go of the driver library; the next question opens it again."""
        with self._lock:
            if self._open:
                self._ask("shutdown", self._nvml.nvmlShutdown)
            self._open, self._cards, self._facts, self._note = False, None, (), None

    # -- finding -------------------------------------------------------------------------------------------

    def _find(self) -> tuple[_Card, ...]:
        if self._nvml is None:
            try:
                import pynvml  # noqa: PLC0415 - a large module that a machine without a card never needs
            except ImportError:
                return self._none("the package nvidia-ml-py is not installed")
            self._nvml = pynvml
        _, reason = self._ask("init", self._nvml.nvmlInit)
        if reason is not None:
            return self._none(reason)
        self._open = True
        count, reason = self._ask("count", self._nvml.nvmlDeviceGetCount)
        if reason is not None or not count:
            return self._none(reason or "the NVIDIA driver names no card")
        cards = tuple(card for index in range(int(count)) if (card := self._card(index)) is not None)
        return cards or self._none("the NVIDIA driver names cards but opens none")

    def _none(self, reason: str) -> tuple[_Card, ...]:
        self._note = Message.of("no_nvidia_gpu", reason=reason)
        return ()

    def _card(self, index: int) -> _Card | None:
        handle, reason = self._ask("handle", partial(self._nvml.nvmlDeviceGetHandleByIndex, index))
        if reason is not None:
            _log.warning("card %d left out: %s", index, reason)
            return None
        uuid, reason = self._ask("uuid", partial(self._nvml.nvmlDeviceGetUUID, handle))
        return _Card(handle, f"card-{index}" if reason is not None else _text(uuid))

    def _describe(self, cards: tuple[_Card, ...]) -> None:
        nvml = self._nvml
        driver, driver_reason = self._ask("driver", nvml.nvmlSystemGetDriverVersion)
        facts = []
        for index, card in enumerate(cards):
            if driver_reason is not None:
                card.notes["driver"] = driver_reason
            name, _ = self._ask("name", partial(nvml.nvmlDeviceGetName, card.handle))
            total = self._memory(card)[1]
            limit = self._figure(card, "power_limit_w", "nvmlDeviceGetEnforcedPowerLimit", _milli)
            self._sample(card)  # asks every figure once, so that the notes are complete
            facts.append(
                GpuFacts(
                    index=index,
                    uuid=card.uuid,
                    name="NVIDIA GPU" if name is None else _text(name),
                    vram_total_bytes=total,
                    driver=None if driver is None else _text(driver),
                    power_limit_w=limit,
                    notes=_frozen(card.notes),
                )
            )
        self._facts = tuple(facts)

    # -- reading -------------------------------------------------------------------------------------------

    def _sample(self, card: _Card) -> GpuSample:
        nvml = self._nvml
        used, _, usable = self._memory(card)
        return GpuSample(
            uuid=card.uuid,
            vram_used_bytes=used,
            vram_total_bytes=usable,
            utilisation_pct=self._figure(
                card, "utilisation_pct", "nvmlDeviceGetUtilizationRates", lambda rates: float(rates.gpu)
            ),
            power_w=self._figure(card, "power_w", "nvmlDeviceGetPowerUsage", _milli),
            temperature_c=self._figure(
                card, "temperature_c", "nvmlDeviceGetTemperature", float, nvml.NVML_TEMPERATURE_GPU
            ),
            clock_sm_mhz=self._figure(
                card, "clock_sm_mhz", "nvmlDeviceGetClockInfo", float, nvml.NVML_CLOCK_SM
            ),
            clock_mem_mhz=self._figure(
                card, "clock_mem_mhz", "nvmlDeviceGetClockInfo", float, nvml.NVML_CLOCK_MEM
            ),
            throttle_reasons=self._throttle(card),
        )

    def _memory(self, card: _Card) -> tuple[int | None, int | None, int | None]:
        """(used, total, usable) bytes, so that usable - used is free in both versions of the query.

        Version 2 tells apart what the driver reserves, version 1 counts it as used.
        """
        figure = "vram_used_bytes"
        for version in (2, 1) if card.memory_version is None else (card.memory_version,):
            info, reason = self._ask(figure, partial(self._memory_info, card.handle, version))
            if reason is None and info is not None:
                # Kept from the first answer on: a change in mid-run would look like memory taken or freed.
                card.memory_version = version
                card.notes[figure] = _MEMORY_NOTES[version]
                reserved = _bytes(info.reserved) if version == 2 else 0
                return _plausible(_bytes(info.used), _bytes(info.total), reserved or 0)
            card.notes[figure] = reason or "the driver answers nothing"
        return None, None, None

    def _memory_info(self, handle: object, version: int) -> _Raw:
        if version == 2:
            return self._nvml.nvmlDeviceGetMemoryInfo(handle, version=self._nvml.nvmlMemory_v2)
        return self._nvml.nvmlDeviceGetMemoryInfo(handle)

    def _throttle(self, card: _Card) -> tuple[str, ...] | None:
        name = "nvmlDeviceGetCurrentClocksEventReasons"
        if not hasattr(self._nvml, name):
            name = "nvmlDeviceGetCurrentClocksThrottleReasons"
        return self._figure(card, "throttle_reasons", name, _throttle_words)

    def _figure(
        self, card: _Card, figure: str, function: str, convert: Callable[[_Raw], _T], *args: object
    ) -> _T | None:
        """Ask one figure of a card; a board that does not have it is not asked again."""
        if figure in card.silent:
            return None
        found, reason = self._ask(
            figure, lambda: convert(getattr(self._nvml, function)(card.handle, *args)), card.silent
        )
        if reason is not None:
            card.notes[figure] = reason
        return found

    def _ask(
        self, what: str, question: Callable[[], _T], silent: set[str] | None = None
    ) -> tuple[_T, None] | tuple[None, str]:
        """(answer, None) or (None, why not)."""
        try:
            return question(), None
        except self._nvml.NVMLError as error:
            code = int(getattr(error, "value", 0))
            if silent is not None and code in (_NOT_SUPPORTED, _FUNCTION_NOT_FOUND):
                silent.add(what)
            _log.debug("NVML %s: %s", what, error)
            return None, _REASONS.get(code, f"the driver answers {error}")
        except (AttributeError, OSError, TypeError, ValueError) as error:
            _log.debug("NVML %s: %r", what, error)
            return None, "this driver library does not know the question"


def _bytes(raw: object) -> int | None:
    return raw if isinstance(raw, int) and 0 <= raw <= _MAX_BYTES else None


def _plausible(
    used: int | None, total: int | None, reserved: int
) -> tuple[int | None, int | None, int | None]:
    if used is not None and total is not None and used > total:
        used = None
    return used, total, None if total is None or reserved > total else total - reserved


def _milli(raw: object) -> float:
    if not isinstance(raw, int) or not 0 <= raw < 10_000_000:
        raise ValueError(raw)
    return raw / 1000


def _throttle_words(bits: int) -> tuple[str, ...]:
    known = [word for bit, word in _THROTTLE_WORDS if bits & bit]
    rest = bits & ~sum(bit for bit, _ in _THROTTLE_WORDS)
    return (*known, f"other ({rest:#x})") if rest else tuple(known)


def _text(raw: object) -> str:
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def _frozen(notes: dict[str, str]) -> Mapping[str, str]:
    return MappingProxyType(dict(notes))
