"""Memory over the last hours: the card's, with its limit, or the engine's own where there is no card."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from qtune.core.machine_facts import TelemetrySample
from qtune.ui.plots.axes import even_top
from qtune.ui.plots.live_rate import Floats
from qtune.ui.plots.time_chart import TimeChart, peak
from qtune.ui.state.shown_card import shown_card
from qtune.ui.theme import Tokens
from qtune.ui.words import figures_text
from qtune.ui.words.figures_text import GIB

NEAR_LIMIT = 0.5
"""The limit of main memory is drawn once this share of it is used; before, it would flatten the line."""
_GROUND = 200
_KEEP_LABEL_AT, _LIMIT_LABEL_AT = 0.02, 0.98


class MemoryChart(TimeChart):
    """Draws what the card has, and what the chosen preset wants to leave free of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(lambda gib: figures_text.memory(gib * GIB), parent=parent)
        self.used: int | None = None
        self.total: int | None = None
        self.of_card = False
        self._keep = 0
        self._chosen = ""
        self._shown = ""
        # The labels stand apart, one at each end: both lines are close together at the top.
        self._limit = _level(_LIMIT_LABEL_AT, (1, 1))
        self._room = _level(_KEEP_LABEL_AT, (0, 0))
        for level in (self._limit, self._room):
            level.setVisible(False)
            self.item.addItem(level, ignoreBounds=True)
        self.box.sigResized.connect(self._fit_label)

    def take(self, sample: TelemetrySample) -> None:
        """Take one sample; drawn with the next ``redraw``."""
        card = shown_card(sample.gpus, self._chosen)
        shown = "" if card is None else card.uuid
        if shown != self._shown:  # the readings of two cards are no line
            self._shown = shown
            self.forget()
        if card is not None:
            self.of_card, self.used, self.total = True, card.vram_used_bytes, card.vram_total_bytes
        else:
            self.of_card = False
            self.used, self.total = sample.host.engine_rss_bytes, sample.host.ram_total_bytes
        self.take_value(sample.t_ns, None if self.used is None else self.used / GIB)

    def choose_card(self, uuid: str) -> None:
        """Draw this card from the next sample on; empty draws the one with the most memory."""
        self._chosen = uuid

    def keep_free(self, keep_bytes: int) -> None:
        """What the chosen preset wants to leave free of the card."""
        self._keep, self.stale = keep_bytes, True

    @property
    def limit_gib(self) -> float | None:
        """The limit that is drawn, None while it is not."""
        return float(self._limit.value()) if self._limit.isVisible() else None

    @property
    def room_gib(self) -> float | None:
        """Where the room to keep free begins, None while that is not drawn."""
        return float(self._room.value()) if self._room.isVisible() else None

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        for level, colour, style in (
            (self._limit, tokens.bad, Qt.PenStyle.DashLine),
            (self._room, tokens.warn, Qt.PenStyle.DotLine),
        ):
            level.setPen(self.pen(colour, style))
            level.label.setColor(colour)
            ground = QColor(tokens.surface)
            ground.setAlpha(_GROUND)  # the line of the readings may pass beneath
            level.label.fill = pg.mkBrush(ground)
        super().set_tokens(tokens)

    def describe(self, title: str, about: str, *, unit: str = "", along: str = "") -> None:
        """Name the levels anew as well: they are drawn only when a reading comes."""
        super().describe(title, about, unit=unit, along=along)
        self._name_levels()

    def _name_levels(self) -> None:
        self._limit.label.setText(self.tr("limit {size}").format(size=figures_text.memory(self.total)))
        self._room.label.setText(self.tr("keep {size} free").format(size=figures_text.memory(self._keep)))

    def _fit_label(self) -> None:
        """Room for the label in another height, also while no reading comes."""
        self.stale = True
        self.redraw()

    def _top_of(self, seen: Floats) -> float:
        highest = peak(seen)
        total = None if self.total is None else self.total / GIB
        limited = total is not None and (self.of_card or highest > total * NEAR_LIMIT)
        self._limit.setVisible(limited)
        self._room.setVisible(limited and self.of_card and bool(self._keep))
        if not limited or total is None:
            return even_top(max(highest * 1.2, 0.1))
        self._limit.setValue(total)
        self._room.setValue(total - self._keep / GIB)
        self._name_levels()
        # The label stands above the line, however low the chart is.
        label_px = float(self._limit.label.textItem.boundingRect().height())
        above = label_px / max(float(self.box.height()), 2 * label_px)
        return total / (1 - above)


def _level(at: float, anchor: tuple[int, int]) -> pg.InfiniteLine:
    """A line across with its label at a share of the width."""
    options = {"position": at, "anchors": [anchor, anchor], "movable": False}
    return pg.InfiniteLine(angle=0, movable=False, label="", labelOpts=options)
