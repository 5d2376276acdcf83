"""One line above the presets while settings of the user's own lie under all of them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from qtune.core.settings import SETTINGS
from qtune.ui import icons
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import Tokens
from qtune.ui.widgets.parts import ElidedLabel, button
from qtune.ui.words import texts
from qtune.ui.words.ladder_words import value_word


class OwnBar(QFrame):
    """Hidden while every setting is at its default."""

    back_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._icon = QLabel()
        self.words = ElidedLabel(factor=0.95)
        self.back = button("quiet")
        self.back.clicked.connect(self.back_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 3, 8, 3)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self.words, 1)
        row.addWidget(self.back)
        bench.choice_changed.connect(self.refresh)
        bench.activity_changed.connect(lambda: self.back.setEnabled(bench.idle))
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._icon.setPixmap(icons.pixmap("info", tokens.accent, 16))

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.words.set_about(self.tr("From the command you pasted; a preset changes only what it names."))
        self.back.setText(self.tr("Back to defaults"))
        self.back.setAccessibleName(self.tr("Put your own settings back to their defaults"))
        self.refresh()

    def refresh(self) -> None:
        """Show what holds."""
        own = self._bench.own
        words = [f"{texts.setting_label(key)} {value_word(SETTINGS[key], value)}" for key, value in own]
        self.words.setText(self.tr("Under every preset: {settings}").format(settings=" · ".join(words)))
        self.setVisible(bool(own))
