"""Tab goes the way the window is read, also to what was made later: banners, cards of failures, folders.

Qt's own order is that of making. What is made while the window is open would come last in it, wherever it
stands; so the order is read from the layouts each time Tab is pressed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QGridLayout,
    QLayout,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QWidget,
)


def in_reading_order(widget: QWidget) -> Iterator[QWidget]:
    """A widget and what is visible inside of it, as its layouts place them."""
    if widget.isHidden():
        return
    yield widget
    if isinstance(widget, QScrollArea):
        inside = [widget.widget()]
    elif isinstance(widget, QStackedWidget):
        inside = [widget.currentWidget()]
    elif isinstance(widget, QSplitter):
        inside = [widget.widget(n) for n in range(widget.count())]
    elif isinstance(widget, QAbstractScrollArea):
        return  # its own affair
    else:
        layout = widget.layout()
        placed = [] if layout is None else list(_placed(layout))
        # What lies over the others without being placed comes last.
        inside = [*placed, *(w for w in _children(widget) if w not in placed)]
    for inner in inside:
        if inner is not None:
            yield from in_reading_order(inner)


def step(window: QWidget, *, forward: bool) -> bool:
    """Give the focus to the next or previous control of a window; False where there is none."""
    order = [w for w in in_reading_order(window) if _takes_focus(w)]
    if not order:
        return False
    at = QApplication.focusWidget()
    while at is not None and at not in order:
        at = at.parentWidget()
    before = (-1 if forward else 0) if at is None else order.index(at)
    chosen = order[(before + (1 if forward else -1)) % len(order)]
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    chosen.setFocus(reason)
    _bring_into_view(chosen)
    return True


class KeepsFocus:
    """Switches a control on and off; the focus that a neighbour got by it comes back, unless it moved on."""

    def __init__(self, control: QWidget) -> None:
        self._control = control
        self._lent_to: QWidget | None = None

    def enable(self, *, on: bool) -> None:
        """Switch it on or off."""
        control = self._control
        had, was_on = control.hasFocus(), control.isEnabled()
        control.setEnabled(on)
        if had and not on:
            self._lent_to = QApplication.focusWidget()
        elif on and not was_on and self._lent_to is not None:
            if QApplication.focusWidget() is self._lent_to:
                control.setFocus(Qt.FocusReason.OtherFocusReason)
            self._lent_to = None


def _takes_focus(widget: QWidget) -> bool:
    if widget.focusProxy() is not None:  # part of another control, which takes it
        return False
    wanted = Qt.FocusPolicy.TabFocus
    return (widget.focusPolicy() & wanted) == wanted and widget.isEnabled() and widget.isVisible()


def _bring_into_view(widget: QWidget) -> None:
    at = widget.parentWidget()
    while at is not None:
        if isinstance(at, QScrollArea):
            at.ensureWidgetVisible(widget)
        at = at.parentWidget()


def _placed(layout: QLayout) -> Iterator[QWidget]:
    numbers = list(range(layout.count()))
    if isinstance(layout, QGridLayout):
        numbers.sort(key=lambda n: cast("tuple[int, ...]", layout.getItemPosition(n))[:2])
    for number in numbers:
        item = layout.itemAt(number)
        if item is None:
            continue
        if (inner := item.layout()) is not None:
            yield from _placed(inner)
        elif (widget := item.widget()) is not None:
            yield widget


def _children(widget: QWidget) -> list[QWidget]:
    return [w for w in widget.children() if isinstance(w, QWidget) and not w.isWindow()]
