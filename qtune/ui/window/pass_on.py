"""What leaves the window from Tune: the command of the chosen preset, and the newest result in any form."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from qtune.core.messages import Message
from qtune.core.records import RunRecord
from qtune.core.shell_quoting import Shell
from qtune.session.desk import Desk
from qtune.session.requests import LaunchRequest
from qtune.ui.bridge import Bridge
from qtune.ui.history import export as history_export
from qtune.ui.history.actions import HistoryActions
from qtune.ui.state.workbench import Workbench
from qtune.ui.widgets.banners import BannerArea, Offer, Words

SHELL: Final[Shell] = "powershell" if sys.platform == "win32" else "sh"
"""What people of this system paste a command into."""


class PassOn(QObject):
    """Owned by the window, GUI thread only."""

    def __init__(
        self, desk: Desk, bridge: Bridge, bench: Workbench, banners: BannerArea, window: QWidget
    ) -> None:
        super().__init__(window)
        self._desk = desk
        self._bridge = bridge
        self._bench = bench
        self._banners = banners
        self.menu = QMenu(window)
        self.actions_of = HistoryActions(desk.history, bench, bridge, window)
        self.actions_of.said.connect(self._on_said)
        self.actions_of.failed.connect(bench.failed)

    def copy_command(self) -> None:
        """Put into the clipboard how the chosen preset would be launched, without a key."""
        facts, model, bench = self._bench.engine_facts, self._bench.model, self._bench
        if facts is None or model is None:
            bench.failed.emit(Message.of("nothing_to_launch"))
            return
        preset = bench.preset_id
        request = LaunchRequest(facts.ref, model.path, bench.settings_of(preset), preset)
        self._bridge.follow(self._desk.launch_text(request, SHELL), self._on_command, bench.failed.emit)

    def _on_command(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._banners.say(
            "copied",
            lambda: (
                self.tr("Copied: the command that starts this preset."),
                self.tr("It serves on port 8080 of this computer, without a key."),
            ),
            fleeting=True,
        )

    def copy_markdown(self) -> None:
        """Put the newest result into the clipboard as a card to share."""
        self._with_newest(lambda _runs, keys: self.actions_of.copy("share", keys))

    def show_export(self, at: QWidget) -> None:
        """Offer every form for the newest result, below ``at``."""

        def offer(runs: list[RunRecord], keys: list[int]) -> None:
            name, actions = _name(runs), self.actions_of
            history_export.fill_menu(
                self.menu,
                len(keys),
                lambda form: actions.save(form, keys, name),
                lambda form: actions.copy(form, keys),
            )
            self.menu.popup(at.mapToGlobal(QPoint(0, at.height())))

        self._with_newest(offer)

    def _with_newest(self, go: Callable[[list[RunRecord], list[int]], None]) -> None:
        """The runs of the newest experiment, with their keys in the history."""
        entries = self._bench.book.newest()
        runs = [e.run for e in entries if e.run.experiment_id == entries[0].run.experiment_id]
        if not runs:
            self._bench.failed.emit(Message.of("nothing_measured"))
            return

        def found(keys: list[int]) -> None:
            if keys:
                go(runs, keys)
            else:
                self._bench.failed.emit(Message.of("nothing_measured"))

        ids = [run.id for run in reversed(runs)]
        self._bridge.follow(self._desk.history.keys_of(ids), found, self._bench.failed.emit)

    def _on_said(self, words: Words, offers: Sequence[Offer]) -> None:
        self._banners.say("passed_on", words, offers, fleeting=not offers)


def _name(runs: list[RunRecord]) -> str:
    """A file's name without its suffix."""
    model = runs[0].model
    words = "-".join(part for part in (model.name, model.quant, runs[0].started_utc[:10]) if part)
    return re.sub(r"[^\w.-]+", "_", words)[:80]
