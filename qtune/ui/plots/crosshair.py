"""The crosshair of a chart: stops at measured points only, led by the mouse or by the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QLabel

from qtune.ui.theme import Tokens

Floats = npt.NDArray[np.float64]

RING: Final = 13
"""Diameter of the ring around the point, logical pixels."""
ACROSS: Final = 0.35
"""Weight of the distance up and down against that along the axis: one reads a chart from left to right."""
JUMP: Final = 0.1
"""Share of the view that Page Up and Page Down go."""
_GAP: Final = 10


@dataclass(frozen=True, slots=True)
class Track:
    """Points of one line, or all bars of a chart, at which the crosshair may stop.

    Attributes:
        x: Ascending, in the units of the axis.
        y: ``nan`` where nothing was measured; the crosshair never stops there.
        say: Reads out one point by its place: arm, value with unit, request or time.
    """

    x: Floats
    y: Floats
    say: Callable[[int], str]

    @staticmethod
    def of(points: Sequence[tuple[float, float]], say: Callable[[int], str]) -> Track:
        """From pairs in ascending order."""
        pairs = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        return Track(pairs[:, 0], pairs[:, 1], say)

    def seen(self, low: float, high: float) -> npt.NDArray[np.intp]:
        """Places of the measured points from ``low`` to ``high``, ascending."""
        first, last = np.searchsorted(self.x, low, "left"), np.searchsorted(self.x, high, "right")
        inside = np.isfinite(self.y[first:last])
        return np.flatnonzero(inside) + int(first)


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the crosshair is: a point of a track."""

    track: int
    x: float
    y: float
    text: str


def nearest(
    tracks: Sequence[Track], at: tuple[float, float], span: tuple[float, float], pixel: tuple[float, float]
) -> Stop | None:
    """The point nearest to a place, by distance on the screen.

    Args:
        tracks: What can be stopped at.
        at: Place in the units of the axes.
        span: Both ends of the x axis in view.
        pixel: Width and height of a pixel in those units.
    """
    best: tuple[float, int, int] | None = None
    for number, track in enumerate(tracks):
        places = track.seen(*span)
        if not places.size:
            continue
        along = (track.x[places] - at[0]) / pixel[0]
        across = (track.y[places] - at[1]) / pixel[1] * ACROSS
        away = along**2 + across**2
        least = int(np.argmin(away))
        if best is None or away[least] < best[0]:
            best = (float(away[least]), number, int(places[least]))
    return None if best is None else stop_at(tracks, best[1], best[2])


def beside(tracks: Sequence[Track], now: Stop, span: tuple[float, float], way: int) -> Stop:
    """The next place to the right (``way`` 1) or left (-1); stays on its track where that has a point."""
    found: list[tuple[float, bool, int, int]] = []
    for number, track in enumerate(tracks):
        places = track.seen(*span)
        xs = track.x[places]
        further = places[xs > now.x] if way > 0 else places[xs < now.x][::-1]
        if further.size:
            place = int(further[0])
            found.append((abs(float(track.x[place]) - now.x), number != now.track, number, place))
    if not found:
        return now
    _away, _other, number, place = min(found)
    return stop_at(tracks, number, place)


def other(tracks: Sequence[Track], now: Stop, span: tuple[float, float], way: int) -> Stop:
    """The point of the next track that is nearest along the axis."""
    count = len(tracks)
    for step in range(1, count):
        number = (now.track + way * step) % count
        places = tracks[number].seen(*span)
        if places.size:
            away = np.abs(tracks[number].x[places] - now.x)
            return stop_at(tracks, number, int(places[int(np.argmin(away))]))
    return now


def stop_at(tracks: Sequence[Track], number: int, place: int) -> Stop:
    """A stop at one point."""
    track = tracks[number]
    return Stop(number, float(track.x[place]), float(track.y[place]), track.say(place))


class Crosshair:
    """Two hairlines, a ring and a box with the value; drawn by the chart that owns it, GUI thread only."""

    def __init__(self, plot: pg.PlotWidget, tracks: Callable[[], Sequence[Track]]) -> None:
        self._plot, self._tracks = plot, tracks
        self._item = plot.getPlotItem()
        self._box = self._item.getViewBox()
        self.stop: Stop | None = None
        self._pointer: QPointF | None = None
        self._away = False
        self._lines = (pg.InfiniteLine(angle=90), pg.InfiniteLine(angle=0))
        self._ring = pg.ScatterPlotItem(pxMode=True, size=RING, symbol="o")
        for part in (*self._lines, self._ring):
            part.setZValue(20)
        self.label = QLabel(plot)
        self.label.setObjectName("readout")
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.label.hide()

    @property
    def items(self) -> tuple[pg.GraphicsObject, ...]:
        """What is drawn in the plot."""
        return (*self._lines, self._ring)

    def put_away(self, *, away: bool) -> None:
        """Leave it out of what is drawn, or bring it back where it was; for pictures."""
        self._away = away
        self._show()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        for hair in self._lines:
            hair.setPen(pg.mkPen(tokens.outline, width=1, style=Qt.PenStyle.DotLine))
        self._ring.setPen(pg.mkPen(tokens.text, width=2))
        self._ring.setBrush(pg.mkBrush(None))

    def point(self, where: QPointF) -> None:
        """The mouse is here, in pixels of the plot widget."""
        self._pointer = where
        self.follow()

    def leave(self) -> None:
        """No crosshair any more."""
        self._pointer = self.stop = None
        self._show()

    def follow(self) -> None:
        """The data or the view has changed: stop at the nearest point again."""
        if self._pointer is not None:
            place = self._box.mapSceneToView(self._plot.mapToScene(self._pointer.toPoint()))
            self.stop = self._nearest(place.x(), place.y())
        elif self.stop is not None:
            self.stop = self._nearest(self.stop.x, self.stop.y)
        else:
            return
        self._show()

    def step(self, key: Qt.Key) -> bool:
        """Go as a key of the keyboard says; False for keys that lead nowhere."""
        tracks, span = self._tracks(), self._span()
        low, high = span
        jumps = {Qt.Key.Key_Home: -np.inf, Qt.Key.Key_PageUp: -JUMP, Qt.Key.Key_PageDown: JUMP}
        jumps[Qt.Key.Key_End] = np.inf
        ways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_Up: 1}
        if key not in jumps and key not in ways:
            return False
        now = self.stop
        self._pointer = None
        if now is None:
            self.stop = self._nearest(low if key == Qt.Key.Key_Home else high, self._height() / 2)
        elif key in jumps:
            self.stop = self._nearest(float(np.clip(now.x + jumps[key] * (high - low), low, high)), now.y)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.stop = beside(tracks, now, span, ways[key])
        else:
            self.stop = other(tracks, now, span, ways[key])
        self._show()
        return True

    def _nearest(self, x: float, y: float) -> Stop | None:
        width, height = self._box.viewPixelSize()
        return nearest(self._tracks(), (x, y), self._span(), (width or 1.0, height or 1.0))

    def _span(self) -> tuple[float, float]:
        low, high = self._box.viewRange()[0]
        return float(low), float(high)

    def _height(self) -> float:
        return float(sum(self._box.viewRange()[1]))

    def _show(self) -> None:
        stop = None if self._away else self.stop
        if stop is not None and self._ring.scene() is None:
            # Put in when first needed: a hidden line still costs every drawing of the plot a little.
            for part in self.items:
                self._item.addItem(part, ignoreBounds=True)
        for part in self.items:
            part.setVisible(stop is not None)
        self.label.setVisible(stop is not None)
        if stop is None:
            return
        self._lines[0].setValue(stop.x)
        self._lines[1].setValue(stop.y)
        self._ring.setData([stop.x], [stop.y])
        self.label.setText(stop.text)
        self.label.adjustSize()
        self._place(stop)

    def _place(self, stop: Stop) -> None:
        """Beside the point, on the side where there is room."""
        at = self._plot.mapFromScene(self._box.mapViewToScene(QPointF(stop.x, stop.y)))
        width, height = self.label.width(), self.label.height()
        left = at.x() + _GAP if at.x() + _GAP + width <= self._plot.width() else at.x() - _GAP - width
        top = at.y() - _GAP - height if at.y() - _GAP - height >= 0 else at.y() + _GAP
        self.label.move(
            max(0, min(left, self._plot.width() - width)), max(0, min(top, self._plot.height() - height))
        )
