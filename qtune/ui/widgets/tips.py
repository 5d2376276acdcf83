"""Tooltips that break into lines: Qt draws a plain text as one line, however long it is."""

from __future__ import annotations

from functools import cache
from typing import Final

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QFont, QFontMetrics, QHelpEvent, QTextLayout
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

WIDEST_PX: Final = 460


def set_tip(owner: QWidget | QAction, text: str) -> None:
    """Give a widget or an entry of a menu a tooltip, which stays plain text."""
    owner.setToolTip(text)
    if isinstance(owner, QAction):
        return  # shown by its menu
    tip = owner.toolTip()
    if len(tip) > _SHORT and _is_wide(tip, QToolTip.font()):
        owner.installEventFilter(_shower())


def wrapped(text: str, font: QFont, width_px: float = WIDEST_PX) -> str:
    """The text with line breaks where a line would be wider than this, as its script breaks lines."""
    lines = []
    for paragraph in text.split("\n"):
        layout = QTextLayout(paragraph, font)
        units = paragraph.encode("utf-16-le", "surrogatepass")  # in which Qt counts, two bytes each
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width_px)
            piece = units[2 * line.textStart() : 2 * (line.textStart() + line.textLength())]
            lines.append(piece.decode("utf-16-le", "surrogatepass").rstrip())
        layout.endLayout()
    return "\n".join(lines)


_SHORT = 40
"""Characters that are never too wide, so that they need not be measured."""


def _is_wide(text: str, font: QFont) -> bool:
    metrics = QFontMetrics(font)
    return any(metrics.horizontalAdvance(line) > WIDEST_PX for line in text.split("\n"))


class _Shower(QObject):
    """Shows the wrapped text in place of the widget's own answer."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return False
        if not isinstance(watched, QWidget) or not watched.toolTip():
            return False
        QToolTip.showText(event.globalPos(), wrapped(watched.toolTip(), QToolTip.font()), watched)
        return True


@cache
def _shower() -> _Shower:
    return _Shower(QApplication.instance())
