"""What a window says and shows: every text of it, those that do not fit, and a language made for the test."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt, QTranslator
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QGraphicsTextItem,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionToolButton,
    QTabBar,
    QToolButton,
    QWidget,
)

from qtune.ui.widgets.parts import ElidedCombo, ElidedLabel
from qtune.ui.widgets.sideways import Sideways

# -- the language of the test --------------------------------------------------------------------------------

OPEN, CLOSE = "⟦", "⟧"
_ACCENTED = str.maketrans("aceinosuyzACEINOSUYZ", "áčéíñóšúýžÁČÉÍÑÓŠÚÝŽ")
_KEPT = re.compile(r"(\{[^}]*\}|%L?n|&&|;;|\*\.\w+|\([^)]*\*[^)]*\)|\n)")
_LONGER = 0.4
"""How much longer than English a text may become in another language."""


def pseudo(text: str) -> str:
    """A text in the language of the test: readable, accented, in brackets, and 40 % longer.

    Where Qt reads something out of a text (patterns of file names), brackets go around the words only.
    """
    if ";;" in text:
        return ";;".join(pseudo(part) for part in text.split(";;"))
    if found := re.fullmatch(r"(.*?)( \([^)]*\*[^)]*\))", text):
        return pseudo(found[1]) + found[2]
    parts = [part if _KEPT.fullmatch(part) else part.translate(_ACCENTED) for part in _KEPT.split(text)]
    more = round(len(_KEPT.sub("", text)) * _LONGER)
    # Words, not one long one: a longer language has more of them, and they may be wrapped.
    padding = (" " + "ön " * more)[: max(more, 0)].rstrip() if more > 3 else "ö" * more
    return OPEN + "".join(parts) + padding + CLOSE


class PseudoTranslator(QTranslator):
    """Knows the same texts as the files of the translations, so that a text missing there shows here."""

    def __init__(self, known: frozenset[tuple[str, str]]) -> None:
        super().__init__()
        self._known = known

    def isEmpty(self) -> bool:
        """Qt installs no translator that says it is empty."""
        return False

    def translate(
        self, context: str, source: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        """The text in brackets; None for one that no file would hold."""
        del disambiguation, n
        return pseudo(source) if (context, source) in self._known else None


# -- what is said --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """One text of a window: where it stands, as what, and the words."""

    place: str
    kind: str
    text: str


def said(window: QWidget, *, hidden: bool = False) -> Iterator[Said]:
    """Every text of the visible parts of a window, or of all of them; data in tables are left out."""
    for widget in (window, *window.findChildren(QWidget)):
        if not hidden and not widget.isVisibleTo(window):
            continue
        place = place_of(widget)
        for kind, text in _own_texts(widget):
            if text:
                yield Said(place, kind, text)
        for action in widget.actions():
            yield from _of_action(place, action)


def words(window: QWidget) -> Counter[tuple[str, str, str]]:
    """All texts of a window, hidden ones too, countable and so comparable."""
    return Counter((s.place, s.kind, s.text) for s in said(window, hidden=True))


def place_of(widget: QWidget) -> str:
    """The classes from the window down to a widget."""
    names = []
    at: QWidget | None = widget
    while at is not None:
        name = at.objectName()
        names.append(type(at).__name__ + (f"#{name}" if name and not name.startswith("qt_") else ""))
        at = at.parentWidget()
    return "/".join(reversed(names))


def _of_action(place: str, action: QAction) -> Iterator[Said]:
    for kind, text in (("action", action.text()), ("action tip", action.toolTip())):
        if text:
            yield Said(place, kind, text)


def _own_texts(widget: QWidget) -> Iterator[tuple[str, str]]:
    # What is elided repeats itself in its tooltip, but only once painted; what it adds is always there.
    yield "tooltip", widget._about if isinstance(widget, ElidedLabel | ElidedCombo) else widget.toolTip()
    yield "name", widget.accessibleName()
    yield "description", widget.accessibleDescription()
    if widget.isWindow():
        yield "title", widget.windowTitle()
    if isinstance(widget, QLabel | QAbstractButton):
        yield "text", widget.text()
    elif isinstance(widget, QLineEdit | QPlainTextEdit):
        yield "placeholder", widget.placeholderText()
    elif isinstance(widget, QMenu):
        yield "menu", widget.title()
    else:
        yield from _texts_inside(widget)


def _texts_inside(widget: QWidget) -> Iterator[tuple[str, str]]:
    if isinstance(widget, QComboBox):
        for index in range(widget.count()):
            yield "choice", widget.itemText(index)
            yield "choice tip", str(widget.itemData(index, Qt.ItemDataRole.ToolTipRole) or "")
    elif isinstance(widget, QTabBar):
        for index in range(widget.count()):
            yield "tab", widget.tabText(index)
    elif isinstance(widget, QHeaderView):
        for section in range(widget.count() if widget.orientation() == Qt.Orientation.Horizontal else 0):
            yield "head", head_text(widget, section)
            yield "head tip", head_text(widget, section, Qt.ItemDataRole.ToolTipRole)
    elif isinstance(widget, QGraphicsView) and widget.scene() is not None:
        for item in widget.scene().items():
            if isinstance(item, QGraphicsTextItem) and item.isVisible():
                yield "chart", item.toPlainText()


def head_text(head: QHeaderView, section: int, role: int = Qt.ItemDataRole.DisplayRole) -> str:
    """What the head of a column says; empty where it says nothing."""
    return str(head.model().headerData(section, head.orientation(), role) or "")


# -- what does not fit ---------------------------------------------------------------------------------------

WIDE = Sideways
"""Has a table of as many columns as there are runs, which may be scrolled sideways; no page may."""
SLACK = 1
"""Pixels by which text may miss its room: advances are rounded."""


def cut(window: QWidget) -> Iterator[str]:
    """One sentence for each text of a window that has less room than it needs."""
    for widget in window.findChildren(QWidget):
        if not widget.isVisibleTo(window) or widget.visibleRegion().isEmpty():
            continue
        for why in (*_too_small(widget), *_outside(widget, window)):
            yield f"{place_of(widget)}: {why}"


def _too_small(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel):
        yield from _label(widget)
    elif isinstance(widget, QCheckBox | QRadioButton | QPushButton | QToolButton):
        yield from _button(widget)
    elif isinstance(widget, QComboBox | QAbstractSpinBox | QLineEdit):
        yield from _field(widget)
    elif isinstance(widget, QTabBar):
        for n in range(widget.count()):
            yield from _line(widget, widget.tabText(n), widget.tabRect(n).width(), widget.tabToolTip(n))
    elif isinstance(widget, QHeaderView):
        yield from _heads(widget)
    elif isinstance(widget, QScrollArea) and not isinstance(widget, WIDE):
        over = widget.horizontalScrollBar().maximum()
        yield from [f"is {over} px wider than its page"] if over else []


def _field(widget: QComboBox | QAbstractSpinBox | QLineEdit) -> Iterator[str]:
    if isinstance(widget, QComboBox):
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        field = widget.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, widget
        )
        yield from _line(widget, widget.currentText(), field.width(), widget.toolTip())
    elif isinstance(widget, QAbstractSpinBox):
        inner = widget.lineEdit()
        room = inner.contentsRect().width() - inner.textMargins().left() - inner.textMargins().right()
        yield from _line(widget, widget.text(), room)
    elif not isinstance(widget.parent(), QAbstractSpinBox | QComboBox) and not widget.text():
        yield from _line(widget, widget.placeholderText(), widget.contentsRect().width() - 4)


def _label(label: QLabel) -> Iterator[str]:
    text = label.text()
    if not text or label.textFormat() == Qt.TextFormat.RichText:
        return
    room = label.contentsRect()
    if not label.wordWrap():
        yield from _line(label, text, room.width(), label.toolTip())
    else:
        wide = QRect(0, 0, room.width(), 10_000)
        flags = int(Qt.TextFlag.TextWordWrap | label.alignment())
        needed = label.fontMetrics().boundingRect(wide, flags, text)
        if needed.height() > room.height() + SLACK:
            yield f"needs {needed.height()} of {room.height()} px in height: {text!r}"
        if needed.width() > room.width() + SLACK:
            yield f"needs {needed.width()} of {room.width()} px in width: {text!r}"
    if not label.wordWrap() and text and label.fontMetrics().height() > label.height() + SLACK:
        yield f"needs {label.fontMetrics().height()} of {label.height()} px in height: {text!r}"


def _button(button: QAbstractButton) -> Iterator[str]:
    text = button.text()
    if isinstance(button, QToolButton):
        if button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly and not button.icon().isNull():
            return
        tool = QStyleOptionToolButton()
        button.initStyleOption(tool)
        room = button.style().subControlRect(
            QStyle.ComplexControl.CC_ToolButton, tool, QStyle.SubControl.SC_ToolButton, button
        )
    else:
        element = (
            QStyle.SubElement.SE_PushButtonContents
            if isinstance(button, QPushButton)
            else QStyle.SubElement.SE_CheckBoxContents
        )
        option = QStyleOptionButton()
        button.initStyleOption(option)
        room = button.style().subElementRect(element, option, button)
    above = (
        isinstance(button, QToolButton)
        and button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextUnderIcon
    )
    icon = 0 if above or button.icon().isNull() else button.iconSize().width() + 4
    yield from _line(
        button, text.replace("&&", "\0").replace("&", "").replace("\0", "&"), room.width() - icon
    )
    if text and button.fontMetrics().height() > button.height() + SLACK:
        yield f"needs {button.fontMetrics().height()} of {button.height()} px in height: {text!r}"


def _heads(head: QHeaderView) -> Iterator[str]:
    for section in range(head.count() if head.orientation() == Qt.Orientation.Horizontal else 0):
        if not head.isSectionHidden(section):
            tip = head_text(head, section, Qt.ItemDataRole.ToolTipRole)
            yield from _line(head, head_text(head, section), head.sectionSize(section) - 8, tip)


def _line(widget: QWidget, text: str, room: int, tip: str = "") -> Iterator[str]:
    """A text on one line (or several of its own); it may be cut where the tooltip says the whole."""
    needed = max((_advance(widget.fontMetrics(), part) for part in text.split("\n")), default=0)
    if needed > room + SLACK and not _holds(tip, text):
        yield f"needs {needed} of {room} px in width: {text!r}"


def _advance(metrics: QFontMetrics, text: str) -> int:
    return metrics.horizontalAdvance(text)


def _holds(tip: str, text: str) -> bool:
    return bool(text) and text in tip


def _outside(widget: QWidget, window: QWidget) -> Iterator[str]:
    """A control that its parent cuts off, unless it can be scrolled to."""
    if not isinstance(widget, QLabel | QAbstractButton | QComboBox | QAbstractSpinBox):
        return
    at, parent = widget, widget.parentWidget()
    while parent is not None and at is not window:
        if isinstance(parent.parentWidget(), QScrollArea) and parent is parent.parentWidget().viewport():
            return
        rect = QRect(widget.mapTo(parent, widget.rect().topLeft()), widget.size())
        over = max(-rect.left(), -rect.top(), rect.right() - parent.width(), rect.bottom() - parent.height())
        if over > SLACK:
            yield f"is cut off by {type(parent).__name__}, by {over} px"
            return
        at, parent = parent, parent.parentWidget()
