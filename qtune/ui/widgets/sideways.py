"""Room for what may be wider than the page: it scrolls sideways by itself, and the page stays as it is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget


class Sideways(QScrollArea):
    """As high as its content, and hidden with it; Tab stops here only while there is where to scroll."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setObjectName("inset")
        content.setObjectName("inset")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setWidget(content)
        self._fit()

    @property
    def scrolls(self) -> bool:
        """Whether the content is wider than the room."""
        return self._content.minimumSizeHint().width() > self.width()

    def set_name(self, name: str) -> None:
        """What a screen reader calls it, and what is in it."""
        self._content.setAccessibleName(name)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        """What the content wants, and the bar beneath it where there is one."""
        wanted = self._content.sizeHint()
        return QSize(wanted.width(), wanted.height() + self._bar_px())

    def minimumSizeHint(self) -> QSize:
        """Never less in height, and next to nothing in width."""
        return QSize(40, self.sizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the content when it changes its size, or comes and goes."""
        handled = super().eventFilter(watched, event)
        if watched is self._content and event.type() in _MATTERS:
            self._fit()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In another width the bar comes or goes."""
        super().resizeEvent(event)
        self._fit()

    def _bar_px(self) -> int:
        return self.horizontalScrollBar().sizeHint().height() if self.scrolls else 0

    def _fit(self) -> None:
        if self.parentWidget() is not None:  # without one, it would be a window of its own
            self.setVisible(not self._content.isHidden())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self.scrolls else Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self._content.accessibleName())
        self.updateGeometry()


_MATTERS = frozenset(
    {
        QEvent.Type.LayoutRequest,
        QEvent.Type.Resize,
        QEvent.Type.ShowToParent,
        QEvent.Type.HideToParent,
    }
)
