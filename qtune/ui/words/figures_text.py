"""Figures as text in the locale in force, with their units; a missing figure is a dash, never 0."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale

MISSING: Final = "–"
GIB: Final = 1024**3
MIB: Final = 1024**2


def number(value: float | None, decimals: int = 1) -> str:
    """A plain number in the locale's writing."""
    return MISSING if value is None else QLocale().toString(float(value), "f", decimals)


def rate(value: float | None) -> str:
    """Tokens per second without the unit: one decimal below 100, none above."""
    return MISSING if value is None else number(value, 1 if value < 100 else 0)


def tok_s(value: float | None) -> str:
    """Tokens per second with the unit."""
    return MISSING if value is None else f"{rate(value)} tok/s"


def milliseconds(value: float | None) -> str:
    """Milliseconds with the unit."""
    return MISSING if value is None else f"{number(value, 0 if value >= 10 else 1)} ms"


def seconds(value: float | None) -> str:
    """Seconds with the unit; minutes and seconds from two minutes on."""
    if value is None:
        return MISSING
    if value < 120:
        return f"{number(value, 1 if value < 10 else 0)} s"
    return f"{int(value) // 60}:{int(value) % 60:02d} min"


def percent(share: float | None, decimals: int = 1) -> str:
    """A share from 0 to 1 as percent."""
    return MISSING if share is None else f"{number(share * 100, decimals)} %"


def gain(ratio: float | None) -> str:
    """A ratio as what it is more than 1: ``+85 %``; one decimal below ten percent."""
    return MISSING if ratio is None else change((ratio - 1) * 100, _decimals(ratio))


def gain_bounds(low: float | None, high: float | None) -> str:
    """Both ends of an interval of ratios, as gains: ``+84 to +86 %``."""
    if low is None or high is None:
        return MISSING
    decimals = min(_decimals(low), _decimals(high))
    ends = [_signed((ratio - 1) * 100, decimals) for ratio in (low, high)]
    return QCoreApplication.translate("figures", "{low} to {high} %").format(low=ends[0], high=ends[1])


def change(percent_points: float | None, decimals: int = 0) -> str:
    """A change in percent with its sign."""
    return MISSING if percent_points is None else f"{_signed(percent_points, decimals)} %"


def _decimals(ratio: float) -> int:
    return 1 if abs(ratio - 1) < 0.0995 else 0


def _signed(value: float, decimals: int) -> str:
    rounded = round(value, decimals)
    return ("+" if rounded > 0 else "−" if rounded < 0 else "±") + number(abs(rounded), decimals)


def memory(value: float | None) -> str:
    """Bytes as GiB with one decimal, or whole MiB below one GiB."""
    if value is None:
        return MISSING
    return f"{number(value / GIB, 1)} GiB" if value >= GIB else f"{number(value / MIB, 0)} MiB"


def memory_of(used: float | None, total: float | None) -> str:
    """Used and total memory in one unit."""
    if used is None or total is None:
        return memory(used)
    return f"{number(used / GIB, 1)} / {number(total / GIB, 1)} GiB"


def count(value: int | None) -> str:
    """A whole number, thousands grouped as the locale does."""
    return MISSING if value is None else QLocale().toString(value)


def context(tokens: int) -> str:
    """A context length: ``8k`` for multiples of 1024, else the number."""
    return f"{tokens // 1024}k" if tokens % 1024 == 0 else str(tokens)
