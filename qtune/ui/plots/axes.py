"""The axes of charts: numbers as the language writes them, time in what people count it in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QGraphicsItem

_STEPS_S: Final = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400)
_LABEL_PX: Final = 55
"""Room for one label of time."""
_HOURS_FROM_S: Final = 1800


_TOPS: Final = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def even_top(value: float) -> float:
    """The next even number above: an axis that follows every value would be drawn all the time."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return unit * next(top for top in (*_TOPS, 20.0) if top * unit >= value)


class Axis(pg.AxisItem):  # type: ignore[misc]
    """An axis that writes its numbers as the language in force does, and only when they change.

    It is kept as a picture, since replaying its drawing at each repaint of the plot costs more than the data.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.keep_picture(kept=True)

    def keep_picture(self, *, kept: bool) -> None:
        """Whether to draw from a picture of itself; never into pictures to pass on."""
        mode = QGraphicsItem.CacheMode
        self.setCacheMode(mode.DeviceCoordinateCache if kept else mode.NoCache)

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
        """With the unit; nought needs none."""
        if spacing < 60:
            unit, seconds = "s", super().tickStrings(values, scale, spacing)
            return [f"{said} {unit}" if value else said for said, value in zip(seconds, values, strict=True)]
        unit, length = ("h", 3600) if spacing >= _HOURS_FROM_S else ("min", 60)
        decimals = 0 if spacing % length == 0 else 1
        return [
            f"{QLocale().toString(value / length, 'f', decimals)} {unit}" if value else "0"
            for value in values
        ]
