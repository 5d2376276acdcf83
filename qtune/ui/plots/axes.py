"""The axes of charts: numbers as the language writes them, time in what people count it in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QLocale

_STEPS_S: Final = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400)
_LABEL_PX: Final = 55
"""Room for one label of time."""
_HOURS_FROM_S: Final = 1800


class Axis(pg.AxisItem):  # type: ignore[misc]
    """An axis that writes its numbers as the language in force does."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Only as many decimals as tell neighbours apart."""
        decimals = len(f"{spacing * scale:.6f}".rstrip("0").partition(".")[2])
        return [QLocale().toString(float(value) * scale, "f", decimals) for value in values]


class ClockAxis(Axis):
    """Its values are seconds; the labels step by seconds, minutes or hours."""

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N803
        """One level of labels, as close as they can stand."""
        least = abs(maxVal - minVal) / max(size / _LABEL_PX, 1.0)
        if least < 1:
            spacing: list[tuple[float, float]] = super().tickSpacing(minVal, maxVal, size)
            return spacing
        return [(next((step for step in _STEPS_S if step >= least), _STEPS_S[-1] * 2), 0)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Bare seconds below a minute of spacing, else with the unit."""
        if spacing < 60:
            return super().tickStrings(values, scale, spacing)
        unit, length = ("h", 3600) if spacing >= _HOURS_FROM_S else ("min", 60)
        decimals = 0 if spacing % length == 0 else 1
        return [
            f"{QLocale().toString(value / length, 'f', decimals)} {unit}" if value else "0"
            for value in values
        ]
