"""A chart as a picture to pass on: PNG or SVG with title, legend and axis, painted by the same code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from qtune.ui.plots.axes import Axis
from qtune.ui.plots.legend import Entry, paint
from qtune.ui.theme import Tokens, scaled

SCALE: Final = 2.0
"""Pixels of a PNG for each logical one, so that it stays sharp in print and on dense screens."""
_MARGIN: Final = 12.0
_BETWEEN: Final = 4.0
_INCH_M: Final = 0.0254


@dataclass(frozen=True, slots=True)
class Caption:
    """The words around the plot: what it shows, along which axis, which arms, and the newest value."""

    title: str
    figure: str = ""
    unit: str = ""
    along: str = ""
    entries: tuple[Entry, ...] = ()


def to_image(plot: pg.PlotWidget, caption: Caption, tokens: Tokens) -> QImage:
    """The plot as pixels, ``SCALE`` times as many as on a plain screen."""
    sheet = _Sheet(plot, caption, tokens)
    image = QImage(sheet.size * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    # The axes are recorded drawings, which replay at their own size only on paper of the same resolution.
    dots = round(plot.logicalDpiX() / _INCH_M)
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    sheet.paint(painter)
    painter.end()
    return image


def to_png(plot: pg.PlotWidget, caption: Caption, tokens: Tokens) -> bytes:
    """The plot as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    to_image(plot, caption, tokens).save(buffer, "PNG")  # type: ignore[call-overload]  # takes bytes, stubs: str
    return bytes(buffer.data().data())


def to_svg(plot: pg.PlotWidget, caption: Caption, tokens: Tokens) -> bytes:
    """The plot as an SVG 1.1 file: lines are lines, words are words, nothing is a picture of them."""
    sheet = _Sheet(plot, caption, tokens)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    made = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # the first version that clips
    made.setOutputDevice(buffer)
    made.setResolution(plot.logicalDpiX())
    made.setSize(sheet.size)
    made.setViewBox(QRect(0, 0, sheet.size.width(), sheet.size.height()))
    made.setTitle(caption.title)
    painter = QPainter(made)
    sheet.paint(painter)
    painter.end()
    return bytes(buffer.data().data())


class _Sheet:
    """Where the parts of a picture stand, in logical pixels."""

    def __init__(self, plot: pg.PlotWidget, caption: Caption, tokens: Tokens) -> None:
        self._plot, self._caption, self._tokens = plot, caption, tokens
        self._bold, self._plain = scaled(plot.font(), 1.05, bold=True), scaled(plot.font(), 0.9)
        self._view = plot.viewport().rect()
        self._head = QFontMetricsF(self._bold).height()
        self._line = QFontMetricsF(self._plain).height()
        self._legend = self._line + _BETWEEN if caption.entries else 0.0
        foot = self._line if caption.along else 0.0
        height = 2 * _MARGIN + self._head + _BETWEEN + self._legend + self._view.height() + foot
        self.size = QSize(round(self._view.width() + 2 * _MARGIN), round(height))

    def paint(self, painter: QPainter) -> None:
        """Draw everything."""
        caption, width, tokens = self._caption, float(self._view.width()), self._tokens
        painter.fillRect(QRectF(0, 0, self.size.width(), self.size.height()), QColor(tokens.surface))
        top = _MARGIN
        title = f"{caption.title} ({caption.unit})" if caption.unit else caption.title
        head = QRectF(_MARGIN, top, width, self._head)
        painter.setFont(self._bold)
        painter.setPen(QColor(tokens.text))
        _words(painter, head, title)
        painter.setFont(self._plain)
        painter.setPen(QColor(tokens.muted))
        _words(painter, head, caption.figure, 1.0)
        top += self._head + _BETWEEN
        if caption.entries:
            paint(painter, QRectF(_MARGIN, top, width, self._line), caption.entries, tokens)
            top += self._legend
        with _exporting(self._plot.getPlotItem(), tokens):
            target = QRectF(_MARGIN, top, width, self._view.height())
            self._plot.render(painter, target, self._view, Qt.AspectRatioMode.IgnoreAspectRatio)
        painter.setFont(self._plain)
        painter.setPen(QColor(tokens.muted))
        _words(painter, QRectF(_MARGIN, top + self._view.height(), width, self._line), caption.along, 0.5)


def _words(painter: QPainter, where: QRectF, text: str, share: float = 0.0) -> None:
    """One line of text; ``share`` of the room that is left over stands before it."""
    measure = QFontMetricsF(painter.font())
    shown = measure.elidedText(text, Qt.TextElideMode.ElideRight, where.width())
    before = (where.width() - measure.horizontalAdvance(shown)) * share
    painter.drawText(QPointF(where.left() + before, where.top() + measure.ascent()), shown)


@contextmanager
def _exporting(item: pg.PlotItem, tokens: Tokens) -> Iterator[None]:
    """Have the symbols drawn as shapes; on the screen pyqtgraph stamps small pictures of them."""
    options = {"antialias": True, "resolutionScale": 1.0, "background": QColor(tokens.surface)}
    parts = [part for part in _inside(item) if hasattr(part, "setExportMode")]
    axes = [part for part in _inside(item) if isinstance(part, Axis)]
    for axis in axes:
        axis.keep_picture(kept=False)
    for part in parts:
        part.setExportMode(True, options)  # noqa: FBT003 - pyqtgraph's own signature
    try:
        yield
    finally:
        for part in parts:
            part.setExportMode(False)
        for axis in axes:
            axis.keep_picture(kept=True)


def _inside(item: Any) -> Iterator[Any]:  # noqa: ANN401 - pyqtgraph has no types
    yield item
    for child in item.childItems():
        yield from _inside(child)
