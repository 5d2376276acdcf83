"""The window without a mouse and without eyes: names for readers, the way of Tab, focus that can be seen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qtune.ui.main_window import MainWindow
from tests.ui import tour
from tests.ui.conftest import WAIT_MS, Open, settle
from tests.ui.shown_texts import place_of

CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)


def is_control(widget: QWidget) -> bool:
    """Whether a user acts on it or can bring the focus there; parts of other controls are none."""
    part = isinstance(widget.parent(), QAbstractSpinBox | QComboBox | QLineEdit)
    viewport = isinstance(widget.parent(), QAbstractScrollArea) and widget is widget.parent().viewport()
    if (
        part or viewport or isinstance(widget, QHeaderView)
    ):  # no platform gives the focus to the head of a table
        return False
    return isinstance(widget, CONTROLS) or bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def controls(window: MainWindow) -> list[QWidget]:
    """All controls that can be seen and used."""
    found = (w for w in window.findChildren(QWidget) if is_control(w))
    return [w for w in found if w.isVisibleTo(window) and w.isEnabled()]


def views(qtbot: QtBot, window: MainWindow, scene: str) -> Iterator[str]:
    """The window in one view after the other."""
    for stage in tour.walk(scene, window, lambda until: qtbot.waitUntil(until, timeout=WAIT_MS)):
        for view, show in stage.views.items():
            show()
            settle(QApplication.instance())
            yield view


def tabbed(window: MainWindow) -> list[QWidget]:
    """Where Tab goes from the first button of the rail on, until it is back."""
    window.activateWindow()
    window.rail.buttons[window.pages.currentIndex()].setFocus(Qt.FocusReason.TabFocusReason)
    found: list[QWidget] = []
    at = QApplication.focusWidget()
    while at is not None and at not in found:
        found.append(at)
        QTest.keyClick(at, Qt.Key.Key_Tab)
        at = QApplication.focusWidget()
    return found


def name_of(widget: QWidget) -> str:
    """What a screen reader says of a control."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def by_arrows(widget: QWidget, order: list[QWidget]) -> bool:
    """Whether Tab goes to another button of the same group, from which arrows lead on, as Qt does it."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and group.exclusive() and any(b in order for b in group.buttons())


def steps_back(window: MainWindow, order: list[QWidget]) -> Iterator[str]:
    """Steps of Tab to the left on one line, or upwards other than into a column further right."""
    for before, after in pairwise(order):
        here, there = rect_in(window, before), rect_in(window, after)
        above = there.bottom() <= here.top() + SLACK
        beside = not above and there.top() < here.bottom() - SLACK
        inside = before.isAncestorOf(after) or after.isAncestorOf(before)
        if (above or beside) and there.left() < here.left() and not inside:
            yield f"Tab goes back from {name_of(before)!r} to {name_of(after)!r}"


SLACK = 4
"""Logical pixels by which rows may overlap: a focused field is drawn larger than its neighbours."""


def rect_in(window: MainWindow, widget: QWidget) -> QRect:
    """Where a widget stands in the window."""
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def unseen_focus(window: MainWindow, order: list[QWidget], looked_at: set[object]) -> Iterator[str]:
    """Controls that look the same with and without the focus; each kind is looked at once."""
    for widget in order:
        look = (type(widget), widget.objectName(), widget.property("kind"))
        if look in looked_at or isinstance(widget, QScrollArea):  # a page has it only to be scrolled by keys
            continue
        looked_at.add(look)
        window.setFocus()
        without = widget.grab().toImage()
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if widget.grab().toImage() == without:
            yield f"no sign of the focus: {place_of(widget)}"


@pytest.mark.parametrize("scene", ["first", "full"])
def test_keyboard_and_reader_find_every_control(qtbot: QtBot, open_window: Open, scene: str) -> None:
    """Each has a name, Tab reaches it in the order of reading, and it shows that it has the focus."""
    window = open_window(tour.scenes()[scene])
    window.resize(*tour.SIZES[0])
    faults: list[str] = []
    looked_at: set[object] = set()
    for view in views(qtbot, window, scene):
        there, order = controls(window), tabbed(window)
        found = [f"no name: {place_of(w)}" for w in there if not name_of(w)]
        found += [
            f"Tab does not reach {place_of(w)} {name_of(w)!r}"
            for w in there
            if w not in order and not by_arrows(w, order)
        ]
        found += [*steps_back(window, order), *unseen_focus(window, order, looked_at)]
        faults += [f"{view}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)
    for table in window.findChildren(QAbstractItemView):  # none is forgotten: all that the window has
        if table.model() is not None:
            qt_model_tester(table.model())


def qt_model_tester(model: QAbstractItemModel) -> None:
    """Qt's own check of a model; a fault is a Qt warning, and so fails the test."""
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
