"""One chart on a card: title, current figure, legend, plot, crosshair, menu, and what to say while empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from qtune.ui import icons
from qtune.ui.plots.axes import Axis, ClockAxis
from qtune.ui.plots.chart_menu import ChartMenu
from qtune.ui.plots.crosshair import Crosshair, Track
from qtune.ui.plots.legend import Entry, Legend
from qtune.ui.plots.picture import Caption
from qtune.ui.theme import LIGHT, Tokens, scaled
from qtune.ui.widgets.parts import ElidedLabel
from qtune.ui.widgets.tips import set_tip

pg.setConfigOptions(antialias=False, useOpenGL=False)

ZOOM = 1.25
"""What one press of plus or minus, or one call of ``zoom``, changes the view by."""
_ICON = 14


class _Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot whose double click means "show everything again" and whose wheel never scrolls the page."""

    def __init__(self, owner: Chart, bottom: Axis) -> None:
        self._owner = owner
        super().__init__(background=None, axisItems={"left": Axis("left"), "bottom": bottom})
        self.setMouseTracking(True)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button is for the menu alone; every other one also takes the keyboard to the chart."""
        if event.button() == Qt.MouseButton.RightButton:
            event.accept()
            return
        self._owner.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Lead the crosshair."""
        super().mouseMoveEvent(event)
        self._owner.crosshair.point(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Back to following the newest data."""
        self._owner.reset_view()
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom."""
        super().wheelEvent(event)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse is gone, and its crosshair with it."""
        super().leaveEvent(event)
        self._owner.crosshair.leave()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The chart's own menu takes the place of pyqtgraph's."""
        self._owner.menu.popup(event.globalPos())
        event.accept()


class Chart(QFrame):
    """Subclasses draw in ``draw``, name their points in ``tracks``, and look at ``goes_along`` for the view.

    The chart follows the newest data until the user zooms or drags; a held chart keeps its view whatever is
    drawn. Its focus takes the arrow keys to the crosshair, plus, minus and 0 to the view.

    Args:
        parent: Owner of the widget.
        clock: Whether the lower axis counts seconds.

    Attributes:
        following: Whether the view goes along with the newest data.
        held: Whether the picture is kept still, see ``hold``.
        stale: Whether there is something that is not drawn yet; set by whoever takes data.
    """

    pause_wanted = Signal()

    def __init__(self, parent: QWidget | None = None, *, clock: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("chart")
        self.tokens: Tokens = LIGHT
        self.following = True
        self.held = False
        self.stale = False
        self.title = QLabel()
        self.figure = ElidedLabel()
        self.figure.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.figure.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.legend = Legend()
        self.back, self.more = QToolButton(), QToolButton()
        self.plot = _Plot(self, ClockAxis("bottom") if clock else Axis("bottom"))
        self.item = self.plot.getPlotItem()
        self.box = self.item.getViewBox()
        self.crosshair = Crosshair(self.plot, self.tracks)
        self.menu = ChartMenu(self)
        self._about = self._unit = self._along = ""
        self._note = QLabel(self.plot)
        self._set_up_plot()
        self._lay_out()
        self._name_tools()

    def _set_up_plot(self) -> None:
        self.item.hideButtons()
        self.item.setMenuEnabled(False)
        self.item.showGrid(x=False, y=True, alpha=0.18)
        self.plot.setMinimumSize(110, 70)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.plot.setFrameShape(QFrame.Shape.NoFrame)
        # The card has the focus, not the plot in it: pyqtgraph would swallow keys that are the page's.
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
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
        for tool in (self.back, self.more):
            tool.setAutoRaise(True)
            tool.setFixedSize(20, 20)
            tool.setProperty("size", "small")
        self.back.clicked.connect(self.reset_view)
        self.back.hide()
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setMenu(self.menu)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.title)
        head.addWidget(self.figure, 1)
        head.addWidget(self.back)
        head.addWidget(self.more)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(10, 6, 6, 5)
        lines.setSpacing(2)
        lines.addLayout(head)
        lines.addWidget(self.legend)
        lines.addWidget(self.plot, 1)
        self.title.setFont(scaled(self.font(), 0.95, bold=True))
        self.figure.setFont(scaled(self.font(), 0.95))

    # -- for subclasses -------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw what is held."""

    def recolour(self) -> None:
        """Give everything drawn the colours in force."""
        self.redraw()

    def tracks(self) -> Sequence[Track]:
        """The points at which the crosshair may stop, as they are drawn now."""
        return ()

    @property
    def goes_along(self) -> bool:
        """Whether drawing may move the view to the newest data."""
        return self.following and not self.held

    def pen(self, colour: str, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> Any:  # noqa: ANN401 - untyped
        """A pen of width 1: width 2 costs eight times the drawing."""
        return pg.mkPen(colour, width=1, style=style)

    # -- for owners -----------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """Draw anew; the crosshair stays with the data."""
        self.stale = False
        self.draw()
        self.crosshair.follow()

    def set_note(self, text: str) -> None:
        """What stands in the empty plot; empty hides it."""
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def note(self) -> str:
        """What stands in the empty plot now."""
        return self._note.text()

    def describe(self, title: str, about: str, *, unit: str = "", along: str = "") -> None:
        """Name the chart and set its definition, shown on hovering.

        Args:
            title: Heading of the card.
            about: What the figures mean.
            unit: Of the values, where the title does not name it; for pictures.
            along: What the lower axis counts; for pictures.
        """
        self._about, self._unit, self._along = about, unit, along
        self.title.setText(title)
        self.figure.set_about(about)
        for part in (self.title, self.plot):
            set_tip(part, about)
        self.setAccessibleName(title)
        self.setAccessibleDescription(about)
        self._name_tools()

    def show_legend(self, entries: Sequence[Entry]) -> None:
        """Name the arms that are drawn."""
        self.legend.show_entries(entries)

    def caption(self) -> Caption:
        """The words around the plot in a picture."""
        title = self.title.text()
        return Caption(title, self.figure.text(), self._unit, self._along, self.legend.entries)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self.tokens = tokens
        self.plot.setBackground(QColor(tokens.surface))
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(tokens.border))
            axis.setTextPen(pg.mkPen(tokens.muted))
            axis.setTickFont(scaled(self.font(), 0.82))
        self.back.setIcon(icons.icon("fit", tokens.accent))
        self.more.setIcon(icons.icon("more", tokens.muted))
        self.legend.set_tokens(tokens)
        self.crosshair.set_tokens(tokens)
        self.recolour()

    def hold(self, *, still: bool) -> None:
        """Keep the picture as it is, or go on."""
        self.held = still

    def reset_view(self) -> None:
        """Follow the newest data again."""
        self.following = True
        self.back.hide()
        self.redraw()

    def zoom(self, factor: float) -> None:
        """See ``factor`` times as much along the axis; below 1 that is closer."""
        self.box.scaleBy(x=factor)
        self._stop_following()

    # -- inside ---------------------------------------------------------------------------------------------

    def _name_tools(self) -> None:
        again = self.tr("Show everything again (double-click)")
        actions = self.tr("Chart menu: copy or save as a picture")
        for tool, name in ((self.back, again), (self.more, actions)):
            set_tip(tool, name)
            tool.setAccessibleName(f"{self.title.text()}: {name}")

    def _stop_following(self, *_which: object) -> None:
        self.following = False
        self.back.show()
        self.crosshair.follow()

    def _pan(self, way: int) -> None:
        low, high = self.box.viewRange()[0]
        self.box.translateBy(x=way * (high - low) / 10)
        self._stop_following()

    def _on_view_key(self, event: QKeyEvent) -> bool:
        key, shifted = event.key(), event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1 / ZOOM)
        elif key == Qt.Key.Key_Minus:
            self.zoom(ZOOM)
        elif key == Qt.Key.Key_0:
            self.reset_view()
        elif shifted and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._pan(-1 if key == Qt.Key.Key_Left else 1)
        else:
            return False
        return True

    def eventFilter(self, watched: Any, event: QEvent) -> bool:  # noqa: ANN401 - Qt's own signature
        """Keep the note over the plot's middle."""
        if watched is self.plot and event.type() == QEvent.Type.Resize:
            margin = 12
            self._note.setGeometry(self.plot.rect().adjusted(margin + 24, margin, -margin, -margin - 12))
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows lead the crosshair, and its value is what a screen reader then reads of the chart."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.menu.copy()
        elif self._on_view_key(event):
            return
        elif not event.modifiers() and self.crosshair.step(Qt.Key(event.key())):
            stop = self.crosshair.stop
            self.setAccessibleDescription(self._about if stop is None else stop.text)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu key, Shift+F10, or the right button beside the plot."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        at = self.more.mapToGlobal(QPoint(0, self.more.height())) if by_key else event.globalPos()
        self.menu.popup(at)
        event.accept()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The crosshair of the keyboard goes with the focus; a menu only borrows it."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.crosshair.leave()
            self.setAccessibleDescription(self._about)
