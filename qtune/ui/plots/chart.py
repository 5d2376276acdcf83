"""One chart on a card: title, current figure, plot, and what to say while there is nothing to draw."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from qtune.ui.theme import LIGHT, Tokens, scaled

pg.setConfigOptions(antialias=False, useOpenGL=False)


class _Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot whose double click means "show everything again" and whose wheel never scrolls the page."""

    def __init__(self, owner: Chart) -> None:
        self._owner = owner
        super().__init__(background=None)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Back to following the newest data."""
        self._owner.reset_view()
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom."""
        super().wheelEvent(event)
        event.accept()


class Chart(QFrame):
    """Subclasses draw in ``redraw``; the chart follows the newest data until the user zooms or drags."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chart")
        self.tokens: Tokens = LIGHT
        self.following = True
        self.title = QLabel()
        self.figure = QLabel()
        self.figure.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.figure.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.plot = _Plot(self)
        self.item = self.plot.getPlotItem()
        self._note = QLabel(self.plot)
        self._set_up_plot()
        self._lay_out()

    def _set_up_plot(self) -> None:
        self.item.hideButtons()
        self.item.setMenuEnabled(False)
        self.item.showGrid(x=False, y=True, alpha=0.18)
        self.plot.setMinimumSize(110, 70)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.plot.setFrameShape(QFrame.Shape.NoFrame)
        # A plot takes no keys of its own; Space belongs to the page.
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.box = self.item.getViewBox()
        self.box.sigRangeChangedManually.connect(self._stop_following)
        for side in ("left", "bottom"):
            self.item.getAxis(side).setStyle(tickLength=-4, tickTextOffset=3)
            self.item.getAxis(side).setZValue(-10)  # the grid belongs behind the data
        self.item.getAxis("left").setWidth(38)
        self.item.getAxis("bottom").setHeight(20)
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._note.setWordWrap(True)
        self._note.setProperty("tone", "muted")
        self._note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.plot.installEventFilter(self)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.title)
        head.addWidget(self.figure, 1)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(10, 7, 8, 5)
        lines.setSpacing(3)
        lines.addLayout(head)
        lines.addWidget(self.plot, 1)
        self.title.setFont(scaled(self.font(), 0.95, bold=True))
        self.figure.setFont(scaled(self.font(), 0.95))

    # -- for owners and subclasses --------------------------------------------------------------------------

    def set_note(self, text: str) -> None:
        """What stands in the empty plot; empty hides it."""
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def note(self) -> str:
        """What stands in the empty plot now."""
        return self._note.text()

    def describe(self, title: str, about: str) -> None:
        """Name of the chart and the definition shown on hovering."""
        self.title.setText(title)
        self.title.setToolTip(about)
        self.figure.setToolTip(about)
        self.plot.setToolTip(about)
        self.setAccessibleName(title)
        self.setAccessibleDescription(about)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self.tokens = tokens
        self.plot.setBackground(QColor(tokens.surface))
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(tokens.border))
            axis.setTextPen(pg.mkPen(tokens.muted))
            axis.setTickFont(scaled(self.font(), 0.82))
        self.recolour()

    def reset_view(self) -> None:
        """Follow the newest data again."""
        self.following = True
        self.redraw()

    def pen(self, colour: str, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> Any:  # noqa: ANN401 - untyped
        """A pen of width 1: width 2 costs eight times the drawing."""
        return pg.mkPen(colour, width=1, style=style)

    def recolour(self) -> None:
        """Give everything drawn the colours in force."""

    def redraw(self) -> None:
        """Draw what is held."""

    def _stop_following(self, *_which: object) -> None:
        self.following = False

    def eventFilter(self, watched: Any, event: QEvent) -> bool:  # noqa: ANN401 - Qt's own signature
        """Keep the note over the plot's middle."""
        if watched is self.plot and event.type() == QEvent.Type.Resize:
            margin = 12
            self._note.setGeometry(self.plot.rect().adjusted(margin + 24, margin, -margin, -margin - 12))
        return False

    def value_at(self, point: QPointF) -> QPointF:
        """Plot coordinates of a point of the plot widget."""
        where: QPointF = self.box.mapSceneToView(self.plot.mapToScene(point.toPoint()))
        return where
