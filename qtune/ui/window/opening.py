"""What stands on the screen while everything behind the window is read in: shows at once that it comes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar, QVBoxLayout, QWidget

SIZE = (340, 120)


class Opening(QWidget):
    """Needs nothing but Qt, and no words: the language is not known yet.

    Made and closed by the composition root, never by hand: what it waits for takes a few seconds.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(None, Qt.WindowType.SplashScreen)
        self.setObjectName("opening")
        self.setAccessibleName("qtune")
        name = QLabel("qtune")
        font = name.font()
        font.setPointSizeF(font.pointSizeF() * 2)
        name.setFont(font)
        name.setAlignment(Qt.AlignmentFlag.AlignCenter)
        busy = QProgressBar()
        busy.setRange(0, 0)
        busy.setTextVisible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 18, 28, 18)
        column.addWidget(name, 1)
        column.addWidget(busy)
        self.resize(*SIZE)
        self.move(app.primaryScreen().availableGeometry().center() - self.rect().center())
