"""What the raw answers of the NVIDIA driver library mean, and which of them cannot be true."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from qtune.core.card_memory import CARD_MOST_BYTES
from qtune.telemetry.nvml_calls import Raw

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


def text(raw: Raw) -> str:
    """Text of an answer; older bindings give bytes."""
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def within(low: float, high: float, scale: float = 1.0) -> Callable[[Raw], float]:
    """Converter of a whole number that must lie in ``low``..``high``; the result is divided by ``scale``."""

    def convert(raw: Raw) -> float:
        if isinstance(raw, bool) or not isinstance(raw, int) or not low <= raw <= high:
            raise ValueError(raw)
        return raw / scale

    return convert


def program_name(raw: Raw) -> str:
    """File name of a program as NVML names it: a path, with either slash, or a whole command line."""
    # Browsers overwrite their argument list with one long text, whose last slash lies in some option.
    path = re.split(r"\s--?[A-Za-z]", text(raw), maxsplit=1)[0]
    return re.split(r"[\\/]", path.strip())[-1]


def size(raw: Raw) -> int | None:
    """Bytes; None for what no card has, such as 2^64-1, NVML's "not available"."""
    return raw if isinstance(raw, int) and 0 <= raw <= CARD_MOST_BYTES else None


def memory(info: Raw, *, reserved: bool) -> tuple[int | None, int | None, int | None]:
    """(used, total, usable) bytes of a memory answer, which tells apart what the driver reserves or not."""
    used, total = size(info.used), size(info.total)
    kept = (size(info.reserved) or 0) if reserved else 0
    if total == 0 or (used is not None and total is not None and used > total):
        used, total = None, total or None
    return used, total, None if total is None or kept > total else total - kept


def busy(rates: Raw) -> float:
    """Per cent of the time in which the card computed."""
    return within(0, 100)(rates.gpu)


def throttle_words(bits: Raw) -> tuple[str, ...]:
    """The reasons for lower clocks in words."""
    known = [word for bit, word in _THROTTLE_WORDS if bits & bit]
    rest = bits & ~sum(bit for bit, _ in _THROTTLE_WORDS)
    return (*known, f"other ({rest:#x})") if rest else tuple(known)
