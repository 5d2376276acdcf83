"""Memory over the last minutes: the card's, with its limit, or the engine's own where there is no card."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from qtune.core.records import TelemetrySample
from qtune.ui.figures_text import GIB
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.live_rate import Series
from qtune.ui.shown_card import shown_card
from qtune.ui.theme import Tokens

SHOWN_S = 180.0
CAPACITY = 36_000
NEAR_LIMIT = 0.5
"""The limit of main memory is drawn once this share of it is used; before, it would flatten the line."""


class MemoryChart(Chart):
    """The axis counts seconds before now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._series = Series(CAPACITY)
        self.used: int | None = None
        self.total: int | None = None
        self.of_card = False
        self._chosen = ""
        self._shown = ""
        self._line = pg.PlotDataItem(connect="finite")
        self._line.setDownsampling(auto=True, method="peak")
        self._line.setClipToView(True)
        self._limit = pg.InfiniteLine(angle=0, movable=False)
        self._limit.setVisible(False)
        self.item.addItem(self._line)
        self.item.addItem(self._limit)
        self.item.setLimits(yMin=0, xMax=2)

    def take(self, sample: TelemetrySample) -> None:
        """Take one sample; drawn with the next ``redraw``."""
        card = shown_card(sample.gpus, self._chosen)
        shown = "" if card is None else card.uuid
        if shown != self._shown:  # the readings of two cards are no line
            self._shown, self._series = shown, Series(CAPACITY)
        if card is not None:
            self.of_card, self.used, self.total = True, card.vram_used_bytes, card.vram_total_bytes
        else:
            self.of_card = False
            self.used, self.total = sample.host.engine_rss_bytes, sample.host.ram_total_bytes
        value = np.nan if self.used is None else self.used / GIB
        self._series.add(sample.t_ns / 1e9, value)

    def choose_card(self, uuid: str) -> None:
        """Draw this card from the next sample on; empty draws the one with the most memory."""
        self._chosen = uuid

    @property
    def empty(self) -> bool:
        """Whether no reading has been taken yet."""
        _x, y = self._series.view()
        return bool(np.all(np.isnan(y)))

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._line.setPen(self.pen(tokens.accent))
        self._line.setFillLevel(None)
        self._limit.setPen(self.pen(tokens.bad, Qt.PenStyle.DashLine))
        super().set_tokens(tokens)

    def redraw(self) -> None:
        """Draw the readings relative to the newest one."""
        x, y = self._series.view()
        if not x.size:
            return
        age = x - x[-1]
        self._line.setData(age, y, connect="finite")
        seen = y[age >= -SHOWN_S]
        peak = 0.0 if np.all(np.isnan(seen)) else float(np.nanmax(seen))
        total = None if self.total is None else self.total / GIB
        limited = total is not None and (self.of_card or peak > total * NEAR_LIMIT)
        self._limit.setVisible(limited)
        if limited:
            self._limit.setValue(total)
        if self.following:
            top = total * 1.08 if limited and total is not None else max(peak * 1.3, 0.1)
            self.item.setRange(xRange=(-SHOWN_S, 2), yRange=(0, top), padding=0)
