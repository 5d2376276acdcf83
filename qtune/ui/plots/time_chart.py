"""Readings over the last hours: a line from now backwards, broken where no reading was taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from qtune.ui.plots.axes import even_top
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.crosshair import Track
from qtune.ui.plots.live_rate import Floats, Series
from qtune.ui.theme import Tokens
from qtune.ui.words import figures_text

SHOWN_S: Final = 180.0
CAPACITY: Final = 57_600
"""Eight hours at two readings a second; older ones make room. The space is taken at the start: a long session
needs no more memory than a short one."""
HOLE_S: Final = 2.5
"""Five readings missed in a row: beyond this the line is broken, since nobody knows what was between."""
_ROUNDING_S: Final = 1e-3


class TimeChart(Chart):
    """The axis counts seconds before the newest reading; a held chart keeps the one it was held at.

    Args:
        say: Writes a value with its unit.
        top: Fixed upper end of the axis; None fits it to what is in view.
        least: Upper end below which a fitted axis does not go.

    Attributes:
        latest: The newest reading, None where there was none.
        empty: Whether nothing was ever read.
    """

    def __init__(
        self,
        say: Callable[[float], str],
        top: float | None = None,
        least: float = 0.1,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, clock=True)
        self._say, self._top, self._least = say, top, least
        self._series = Series(CAPACITY)
        self._newest = 0.0
        self.latest: float | None = None
        self.empty = True
        self._line = pg.PlotDataItem(connect="finite")
        self._line.setDownsampling(auto=True, method="peak")
        self._line.setClipToView(True)
        self.item.addItem(self._line)
        self.item.setLimits(yMin=0, xMax=2)

    def take_value(self, t_ns: int, value: float | None) -> None:
        """Take a reading; None where there is none. Drawn with the next ``redraw``."""
        at = t_ns / 1e9
        last = self._series.last_x
        if last is not None and at - last > HOLE_S:
            self._series.add(last + _ROUNDING_S, np.nan)
        self._series.add(at, np.nan if value is None else value)
        self.latest = value
        self.empty = self.empty and value is None
        self.stale = True

    def forget(self) -> None:
        """Begin anew: what comes next is not to be joined to what was."""
        self._series = Series(CAPACITY)
        self.latest, self.empty = None, True

    @property
    def held_readings(self) -> int:
        """How many readings and gaps are in memory."""
        return len(self._series)

    def tracks(self) -> Sequence[Track]:
        """Every reading."""
        age, y = self._aged()
        return [Track(age, y, lambda place: self._read(float(age[place]), float(y[place])))]

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._line.setPen(self.pen(tokens.accent))
        super().set_tokens(tokens)

    def draw(self) -> None:
        """Draw the readings; while the newest are shown, only what can be seen of them."""
        age, y = self._aged()
        if not age.size:
            return
        if self.goes_along:
            first = int(np.searchsorted(age, -SHOWN_S * 1.05))
            age, y = age[first:], y[first:]
        self._line.setData(age, y, connect="finite")
        if self.goes_along:
            self.item.setRange(xRange=(-SHOWN_S, 2), yRange=(0, self._top_of(y)), padding=0)

    def _top_of(self, seen: Floats) -> float:
        """Upper end of the axis for what is in view."""
        if self._top is not None:
            return self._top
        return even_top(max(peak(seen) * 1.1, self._least))

    def _aged(self) -> tuple[Floats, Floats]:
        x, y = self._series.view()
        if x.size and not self.held:
            self._newest = float(x[-1])
        return x - self._newest, y

    def _read(self, age: float, value: float) -> str:
        ago = self.tr("{time} before now").format(time=figures_text.seconds(-age))
        return f"{self._say(value)} · {ago}"


def peak(values: Floats) -> float:
    """The highest of the readings there are, 0 without any."""
    there = values[np.isfinite(values)]
    return float(there.max()) if there.size else 0.0
