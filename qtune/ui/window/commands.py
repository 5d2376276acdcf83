"""What each key of the table does in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from qtune.session.desk import Desk
from qtune.ui.tune.job_buttons import BOTH
from qtune.ui.tune.measure_bar import LADDER, LIVE, RESULT
from qtune.ui.window import shortcuts
from qtune.ui.window.hand_over import HandOver
from qtune.ui.window.keys_dialog import KeysDialog
from qtune.ui.window.nav_rail import HISTORY, LOG, MODELS, SETTINGS, TUNE
from qtune.ui.window.pass_on import PassOn

if TYPE_CHECKING:
    from qtune.ui.main_window import MainWindow

IN_MENU = ("paste", "copy_command", "copy_markdown", "export")
"""Commands that the menu More shows as well."""


class WindowCommands(QObject):
    """Owned by the window, made once its parts are there; ``actions`` are those of the table by name."""

    def __init__(self, window: MainWindow, desk: Desk) -> None:
        super().__init__(window)
        self._window = window
        around = (desk, window.bridge, window.bench, window.banners)
        self.hand_over, self.pass_on = HandOver(*around, window), PassOn(*around, window)
        self.actions: dict[str, QAction] = shortcuts.make_actions(window, self._slots())
        self._connect()

    def _slots(self) -> dict[str, Callable[[], object]]:
        window, jobs, tune = self._window, self._window.jobs, self._window.tune
        return {
            "measure": lambda: jobs.run("measure"),
            "measure_both": lambda: jobs.run(BOTH),
            "compare": lambda: jobs.run("compare"),
            "search": lambda: jobs.run("sweep-n-max"),
            "sweep": lambda: jobs.run("sweep-context"),
            "cancel": window.bench.cancel,
            "server": window.strip.toggle.click,
            "roll_back": window.roll_back,
            "climb_back": window.climb_back,
            "tune": lambda: window.show_page(TUNE),
            "history": lambda: window.show_page(HISTORY),
            "models": lambda: window.show_page(MODELS),
            "log": lambda: window.show_page(LOG),
            "settings": lambda: window.show_page(SETTINGS),
            "quit": window.quit,
            "keys": self.show_keys,
            "open": tune.source.ask_model,
            "open_engine": tune.source.ask_engine,
            "live": lambda: tune.show_view(LIVE),
            "result": lambda: tune.show_view(RESULT),
            "ladder": lambda: tune.show_view(LADDER),
            "paste": self._paste,
            "copy_command": self.pass_on.copy_command,
            "copy_markdown": self.pass_on.copy_markdown,
            "find": self._find,
            "export": self._export,
            "undo": self._undo,
        }

    def _connect(self) -> None:
        window, tune, hand_over = self._window, self._window.tune, self.hand_over
        window.rail.keys_wanted.connect(self.show_keys)
        window.settings.keys_wanted.connect(self.show_keys)
        tune.measure.jobs.add_commands([self.actions[name] for name in IN_MENU])
        hand_over.model_given.connect(window.use_model)
        hand_over.folder_given.connect(window.add_folder)
        hand_over.history_given.connect(self._take_in)
        hand_over.command_taken.connect(lambda: window.show_page(TUNE))
        tune.own.back_wanted.connect(hand_over.drop_own)
        for recent in (tune.source.recent_models, tune.source.recent_engines):
            recent.cleared.connect(hand_over.offer_list_back)

    def show_keys(self) -> None:
        """Show the page that lists all keys."""
        KeysDialog(self._window).open()

    def _take_in(self, path: Path) -> None:
        """An export of the history."""
        self._window.show_page(HISTORY)
        self._window.history.actions_of.take_in(path)

    def _find(self) -> None:
        """To the box of the page by which something is found; a list without one finds what is typed."""
        window = self._window
        page = window.pages.currentWidget()
        if page is window.history:
            window.history.find_runs()
        elif page is window.log:
            window.log.search.setFocus()
            window.log.search.selectAll()
        elif page is window.models:
            window.models.table.setFocus()

    def _export(self) -> None:
        window = self._window
        page = window.pages.currentWidget()
        if page is window.history:
            window.history.show_export()
        elif page is window.tune:
            bar = window.tune.measure  # while something is measured its progress stands where More was
            self.pass_on.show_export(bar.jobs.more if bar.jobs.more.isVisible() else bar)

    def _undo(self) -> None:
        """What a banner offers to take back, the page's own first."""
        window = self._window
        on_history = window.pages.currentWidget() is window.history
        if not (on_history and window.history.undo()):
            window.banners.undo()

    def _paste(self) -> None:
        """On Tune alone; elsewhere a paste into nothing is a slip."""
        if self._window.pages.currentWidget() is self._window.tune:
            self.hand_over.paste()
