"""Copies of the history, and whether it is sound: what the terminal does with ``qtune db``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from qtune.core.messages import Message
from qtune.session.history_desk import HistoryDesk
from qtune.ui.bridge import Bridge
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.parts import button, label, set_tone
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import texts

Words = Callable[[], str]
_FAULTS_SHOWN = 8


class HistoryUpkeep(QWidget):
    """Copies and checks the history that is in use, one at a time; tells beneath the buttons what came of it.

    A history that is no file cannot be copied here; the buttons say why.
    """

    def __init__(self, desk: HistoryDesk, bridge: Bridge) -> None:
        super().__init__()
        self._desk = desk
        self._bridge = bridge
        self.back_up, self.back_up_to, self.check, self.show_it = button(), button(), button(), button()
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.said, self.last = label(wrap=True), label("muted", 0.92, wrap=True)
        self._shared: str | None = None
        self._busy = False
        self._words: Words | None = None
        self._copy: Path | None = None
        self._newest: datetime | None = None
        self._lay_out()
        self.back_up.clicked.connect(lambda: self._back_up(None))
        self.back_up_to.clicked.connect(self._ask_folder)
        self.check.clicked.connect(self._check)
        self.show_it.clicked.connect(self._show_folder)

    def _lay_out(self) -> None:
        tools, told = QHBoxLayout(), QHBoxLayout()
        tools.setSpacing(6)
        told.setSpacing(6)
        for tool in (self.back_up, self.back_up_to, self.check):
            tools.addWidget(tool)
        tools.addStretch(1)
        told.addWidget(self.said, 1)
        told.addWidget(self.show_it)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(tools)
        column.addWidget(self.bar)
        column.addLayout(told)
        column.addWidget(self.last)
        for part in (self.bar, self.said, self.show_it, self.last):
            part.hide()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.back_up.setText(self.tr("Back up now"))
        self.back_up_to.setText(self.tr("Back up to…"))
        self.check.setText(self.tr("Check"))
        set_tip(
            self.check, self.tr("Read all of the history and say what is wrong with it; changes nothing.")
        )
        self.show_it.setText(self.tr("Show in folder"))
        self.bar.setAccessibleName(self.tr("Working"))
        self._show()

    def refresh(self, in_use: str) -> None:
        """Tell of the history at this place."""
        self._shared = in_use if "://" in in_use else None
        self._show()

    def _look(self) -> None:
        self._bridge.follow(self._desk.newest_copy(), self._on_newest, lambda _message: None)

    def _on_newest(self, at: datetime | None) -> None:
        self._newest = at
        self._show()

    # -- what it does ---------------------------------------------------------------------------------------

    def _ask_folder(self) -> None:
        title = self.tr("Folder for a copy of the history")
        dialogs.pick_folder(self, title, str(Path.home()), self._back_up)

    def _back_up(self, folder: Path | None) -> None:
        if not self._busy:
            self._begin(lambda: self.tr("Copying the history…"))
            self._bridge.follow(self._desk.back_up(folder), self._on_copy, self._on_failed)

    def _on_copy(self, copy: Path) -> None:
        self._copy = copy
        self._end(lambda: self.tr("Copied to {path}").format(path=copy), "good")
        self._look()

    def _check(self) -> None:
        if not self._busy:
            self._begin(lambda: self.tr("Checking the history…"))
            self._bridge.follow(self._desk.check(), self._on_checked, self._on_failed)

    def _on_checked(self, found: Sequence[Message]) -> None:
        if not found:
            self._end(lambda: self.tr("The history is sound."), "good")
            return
        failed = Message.of("history_check_failed", count=len(found))
        self._end(lambda: "\n".join(map(_told, (failed, *found[:_FAULTS_SHOWN]))), "bad")

    def _on_failed(self, message: Message) -> None:
        self._end(lambda: _told(message), "bad")

    def _show_folder(self) -> None:
        if self._copy is not None:
            dialogs.show_folder(self._copy)

    # -- what it tells --------------------------------------------------------------------------------------

    def _begin(self, words: Words) -> None:
        self._busy, self._copy = True, None
        self._say(words, "muted")

    def _end(self, words: Words, tone: str) -> None:
        self._busy = False
        self._say(words, tone)

    def _say(self, words: Words, tone: str) -> None:
        self._words = words
        set_tone(self.said, tone)
        self._show()

    def _show(self) -> None:
        self.said.setVisible(self._words is not None)
        self.said.setText("" if self._words is None else self._words())
        self.bar.setVisible(self._busy)
        self.show_it.setVisible(self._copy is not None)
        self.check.setEnabled(not self._busy)
        about = self.tr("Write a checked copy of the history, also while something is measured.")
        if self._shared is not None:
            about = _told(Message.of("history_backup_shared", path=self._shared))
        for tool in (self.back_up, self.back_up_to):
            tool.setEnabled(not self._busy and self._shared is None)
            set_tip(tool, about)
        self.last.show()
        if self._shared is not None:
            self.last.setText(about)
        elif self._newest is None:
            self.last.setText(self.tr("There is no copy in the folder of backups yet."))
        else:
            when = texts.local_time(self._newest.isoformat())
            self.last.setText(self.tr("Last copy in the folder of backups: {when}").format(when=when))

    # -- Qt -------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Look for the newest copy; the terminal writes some, too."""
        super().showEvent(event)
        self._look()


def _told(message: Message) -> str:
    return f"{texts.sentence(message)} {texts.hint(message)}".strip()
