"""A bar that shows what a launch takes of the memory, part by part, and where the limit is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from qtune.core.memory_facts import FitState, MemoryView, Room
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.widgets.parts import ElidedLabel, set_tone, tone_colour
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import memory_words

SLICES = ("others", "weights", "kv", "recurrent", "compute", "mtp")
"""From left to right; told apart by place, lightness and tooltip, the part of MTP by its hatching."""
_LIGHTNESS = {"weights": 1.0, "kv": 0.68, "recurrent": 0.46, "compute": 0.28}
GAP = 1.0
OVER = 3
"""The limit line stands out of the bar by this much, logical pixels."""


def slice_colour(name: str, tokens: Tokens) -> QColor:
    """Colour of a slice; that of MTP is the colour of its hatching."""
    if name == "others":
        return QColor(tokens.outline)
    if name == "mtp":
        return QColor(tokens.text)
    return _blend(tokens.accent, tokens.surface, _LIGHTNESS[name])


def _blend(front: str, back: str, share: float) -> QColor:
    a, b = QColor(front), QColor(back)
    pairs = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    red, green, blue = (round(x * share + y * (1 - share)) for x, y in pairs)
    return QColor(red, green, blue)


@dataclass(frozen=True, slots=True)
class BarFigures:
    """What a bar shows, in bytes.

    Attributes:
        slices: Name and size, in the order of ``SLICES``; empty ones left out.
        total: What there is; None if unknown.
        span: What the whole width stands for, where bars are read together; else as much as is needed.
        keep: What should stay free.
    """

    slices: tuple[tuple[str, int], ...] = ()
    total: int | None = None
    span: int = 0
    keep: int = 0
    state: FitState = "unknown"

    @property
    def used(self) -> int:
        """Sum of all slices."""
        return sum(size for _, size in self.slices)


def figures_of_view(view: MemoryView) -> BarFigures:
    """The bar of a launch."""
    sizes = dict.fromkeys(SLICES, 0)
    for part in view.estimate.parts:
        sizes[memory_words.slice_of(part.kind)] += part.size_bytes
    return _figures(sizes, view.room, view.keep_bytes, view.state)


def figures_of_totals(
    off_bytes: int, mtp_bytes: int | None, room: Room | None, keep: int, state: FitState
) -> BarFigures:
    """The bar of a context length of which only the sums are known."""
    added = 0 if mtp_bytes is None else max(0, mtp_bytes - off_bytes)
    return _figures({"weights": off_bytes, "mtp": added}, room, keep, state)


def _figures(sizes: dict[str, int], room: Room | None, keep: int, state: FitState) -> BarFigures:
    if room is not None:
        sizes["others"] = room.others_bytes or 0
    slices = tuple((name, sizes[name]) for name in SLICES if sizes.get(name))
    return BarFigures(slices, None if room is None else room.total_bytes, 0, keep, state)


def on_one_scale(bars: Sequence[BarFigures]) -> list[BarFigures]:
    """The same bars drawn to one scale, which ends at twice the memory there is at most."""
    span = max((max(bar.used, bar.total or 0) for bar in bars), default=0)
    totals = [bar.total for bar in bars if bar.total]
    span = min(span, 2 * max(totals)) if totals else span
    return [replace(bar, span=span) for bar in bars]


class FitBar(QWidget):
    """Paints; the words stand in its tooltip and in its accessible description."""

    def __init__(self, height: int = 10, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = height
        self._tokens = LIGHT
        self.figures = BarFigures()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(height + 2 * OVER)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.update()

    def show_view(self, view: MemoryView | None, why_not: str = "") -> None:
        """Show a launch; without one the bar is empty and says why."""
        name = QCoreApplication.translate("memory", "Memory")
        if view is None:
            self.show_figures(BarFigures(), name, why_not)
            return
        self.show_figures(
            figures_of_view(view),
            f"{name}, {memory_words.fit_look(view.state)[0]}",
            memory_words.about(view),
        )

    def show_figures(self, figures: BarFigures, name: str, about: str) -> None:
        """Show these figures, with their words."""
        self.figures = figures
        self.setAccessibleName(name)
        self.setAccessibleDescription(about)
        set_tip(self, about)
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(160, self._height + 2 * OVER)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the slices, the zone to be kept free and the limit."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, shown = self._tokens, self.figures
        field = QRectF(0.5, OVER + 0.5, self.width() - 1, self._height - 1)
        span = shown.span or max(shown.total or 0, shown.used, 1)
        limit = field.width() * (shown.total or span) / span
        painter.setPen(QPen(QColor(tokens.border)))
        painter.setBrush(QColor(tokens.sunken))
        painter.drawRoundedRect(QRectF(field.left(), field.top(), limit, field.height()), 2, 2)
        self._paint_keep(painter, field, limit, span)
        self._paint_slices(painter, field, span)
        if shown.total is not None:
            self._paint_limit(painter, field, limit)
        painter.end()

    def _paint_slices(self, painter: QPainter, field: QRectF, span: int) -> None:
        left = field.left()
        for name, size in self.figures.slices:
            width = min(field.width() * size / span, max(0.0, field.right() - left))
            box = QRectF(left, field.top() + 1, max(width - GAP, 0.8), field.height() - 2)
            colour = slice_colour(name, self._tokens)
            if name == "mtp":
                painter.fillRect(box, QColor(self._tokens.surface))
                painter.fillRect(box, QBrush(colour, Qt.BrushStyle.BDiagPattern))
                painter.setPen(QPen(colour, 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
            else:
                painter.fillRect(box, colour)
            left += width

    def _paint_keep(self, painter: QPainter, field: QRectF, limit: float, span: int) -> None:
        """The zone at the end that should stay free: dotted, so that it is no part of what is used."""
        if self.figures.total is None or not self.figures.keep:
            return
        width = min(field.width() * self.figures.keep / span, limit)
        zone = QRectF(field.left() + limit - width, field.top() + 1, width, field.height() - 2)
        painter.fillRect(zone, QBrush(QColor(self._tokens.muted), Qt.BrushStyle.Dense6Pattern))

    def _paint_limit(self, painter: QPainter, field: QRectF, limit: float) -> None:
        tone = {"too_large": "bad", "tight": "warn"}.get(self.figures.state, "")
        colour = QColor(tone_colour(tone, self._tokens) if tone else self._tokens.text)
        x = min(field.left() + limit, self.width() - 1.0)
        painter.setPen(QPen(colour, 2))
        painter.drawLine(round(x), 0, round(x), self.height())


class FitLine(QWidget):
    """The small form: the bar, and one line beneath that fits the width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = FitBar(8)
        self.words = ElidedLabel("muted", 0.88)
        self._lines: Sequence[str] = ("",)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.words)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self.bar.set_tokens(tokens)

    def show_view(self, view: MemoryView | None, why_not: str = "") -> None:
        """Show a launch, or why there is nothing to show."""
        self.bar.show_view(view, why_not)
        self._lines = (why_not,) if view is None else memory_words.short_lines(view)
        tone = "muted" if view is None else {"tight": "warn", "too_large": "bad"}.get(view.state, "muted")
        set_tone(self.words, tone)
        self.words.set_about(self.bar.toolTip())
        self._choose()

    def _choose(self) -> None:
        """The longest line there is room for."""
        width = self.words.fontMetrics().horizontalAdvance
        fitting = [line for line in self._lines if width(line) <= self.words.width()]
        self.words.setText(fitting[0] if fitting else self._lines[-1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width, perhaps another line."""
        super().resizeEvent(event)
        self._choose()
