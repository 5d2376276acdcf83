"""Figures as text in the locale in force, with their units; a missing figure is a dash, never 0."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QLocale

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


def factor(value: float | None) -> str:
    """How many times as fast."""
    return MISSING if value is None else f"×{number(value, 2)}"


def bounds(low: float | None, high: float | None) -> str:
    """Both ends of an interval of factors."""
    return MISSING if low is None or high is None else f"{number(low, 2)}–{number(high, 2)}"


def change(percent_points: float | None) -> str:
    """A change in percent with its sign."""
    if percent_points is None:
        return MISSING
    sign = "+" if round(percent_points) > 0 else "−" if round(percent_points) < 0 else "±"
    return f"{sign}{number(abs(percent_points), 0)} %"


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
