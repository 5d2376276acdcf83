"""The window: rail, status strip, banners and pages; it decides, asks before harm, and closes in stages."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QIcon
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.session.desk import Desk
from qtune.ui.bridge import Bridge
from qtune.ui.history.change_watch import ChangeWatch
from qtune.ui.history.page import HistoryPage
from qtune.ui.language import Language
from qtune.ui.log.incident_panel import IncidentPanel
from qtune.ui.log.page import LogPage
from qtune.ui.log.step_panel import StepPanel
from qtune.ui.models.page import ModelsPage
from qtune.ui.settings.history import HistorySection
from qtune.ui.settings.page import SettingsPage
from qtune.ui.state.activity import Activity
from qtune.ui.state.workbench import CANCELLED, Workbench
from qtune.ui.theme import Theme, Tokens
from qtune.ui.tune.job_commands import JobCommands
from qtune.ui.tune.measure_bar import RESULT
from qtune.ui.tune.page import TunePage
from qtune.ui.widgets import dialogs, tab_order
from qtune.ui.widgets.banners import BannerArea
from qtune.ui.window import shortcuts
from qtune.ui.window.commands import WindowCommands
from qtune.ui.window.nav_rail import HISTORY, LOG, MODELS, SETTINGS, TUNE, NavRail
from qtune.ui.window.notifier import Notifier
from qtune.ui.window.place import WindowPlace
from qtune.ui.window.server_actions import ServerActions
from qtune.ui.window.status_strip import StatusStrip
from qtune.ui.window.stop_questions import StopQuestions
from qtune.ui.window.system_tray import SystemTray, TrayPlace
from qtune.ui.window.tray import Tray
from qtune.ui.window.way_back_banners import WayBackBanners

__all__ = ["HISTORY", "LOG", "MODELS", "SETTINGS", "TUNE", "MainWindow"]

_log = logging.getLogger("qtune.ui")

SIZE = (1360, 880)
LEAST = (960, 600)
CLOSE_S = 8.0
CLOSE_LIMIT_MS = 9500
"""After this the window goes even if the desk has not ended; the guard ends the engine then."""


class MainWindow(QMainWindow):
    """Made by the composition root in the GUI thread. ``closed`` comes once, when everything has ended."""

    closed = Signal()

    def __init__(
        self, desk: Desk, app: QApplication, resources: Path, place: TrayPlace | None = None
    ) -> None:
        """Build the window.

        Args:
            desk: What it commands.
            app: The application.
            resources: Folder with ``icons`` and ``i18n``.
            place: The system tray; None for that of this desktop.
        """
        super().__init__()
        self._desk = desk
        self._tray_place = place or SystemTray()
        self._closing = False
        self._ended = False
        self._closer: threading.Thread | None = None
        self.setObjectName("window")
        self.bridge = Bridge(self)
        self.theme = Theme(app, resources / "icons", self)
        self.language = Language(app, resources / "i18n", self)
        self.bench = Workbench(desk, self.bridge, self)
        self._limit = QTimer(self)
        self._limit.setSingleShot(True)
        self._limit.setInterval(CLOSE_LIMIT_MS)
        self._limit.timeout.connect(self._finish_closing)
        self.setWindowIcon(QIcon(str(resources / "icons" / "qtune.svg")))
        self.setAcceptDrops(True)
        self.resize(QSize(*SIZE).boundedTo(app.primaryScreen().availableSize()))
        self.setMinimumSize(*LEAST)
        self._build()
        self.commands = WindowCommands(self, desk)
        self._connect()
        self.language.choose(desk.preference("language", "system"))
        self.theme.choose(desk.preference("theme", "system"))
        self.retranslate()
        self.show_page(self.place.restore())
        desk.subscribe(self.bridge.listener)
        self.bench.open()

    def _build(self) -> None:
        self.rail = NavRail()
        self.strip = StatusStrip(self.bench, self._desk.server_access)
        self.questions = StopQuestions(self.bench, self._desk, self.bridge, self)
        self.server = ServerActions(self.bench, self.questions, self)
        self.strip.offer((self.server.start, self.server.last_good))
        self.banners = BannerArea()
        self.tune = TunePage(self.bench, self.bridge)
        self.history = HistoryPage(self._desk.history, self.bench, self.bridge)
        self.models = ModelsPage(self.bench)
        self.incidents = IncidentPanel(self.bench)
        self.steps = StepPanel(self.bench)
        self.log = LogPage((self.incidents, self.steps), self._desk.engine_log_file)
        self.recovery = WayBackBanners(self.bench, self.banners, self)
        self.changes = ChangeWatch(self._desk.history, self.bench, self.bridge, self.banners, self)
        self.jobs = JobCommands(self.bench, self.banners, self.questions, self.tune.setFocus)
        kept = HistorySection(self._desk.history_places, self._desk.history, self.bridge)
        self.settings = SettingsPage(self.bench, kept)
        self.tray = Tray(self.bench, self._tray_place, self.server, self, self.quit)
        self.notifier = Notifier(self.bench, self.bridge, self.tray, self.show_result, self.show_incident)
        self.pages = QStackedWidget()
        for page in (self.tune, self.history, self.models, self.log, self.settings):
            self.pages.addWidget(page)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.strip)
        right.addWidget(self.banners)
        right.addWidget(self.pages, 1)
        middle = QWidget()
        middle.setObjectName("page")
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addLayout(right, 1)
        self.setCentralWidget(middle)
        splits = {"tune": self.tune.split, "tune_lower": self.tune.lower_split}
        splits |= {"history": self.history.split, "models": self.models.split}
        self.place = WindowPlace(self, self.bench, splits)

    def _connect(self) -> None:
        bench, tune = self.bench, self.tune
        self.rail.chosen.connect(self.show_page)
        self.strip.start_wanted.connect(bench.start_server)
        self.strip.stop_wanted.connect(self.questions.stop)
        self.strip.back_wanted.connect(self.roll_back)
        # These buttons are about to go; their focus must not fall on a neighbour.
        for pressed in (tune.ladder.down_wanted, tune.ladder.up_wanted, tune.measure.cancel_wanted):
            pressed.connect(tune.setFocus)
        tune.ladder.down_wanted.connect(self.roll_back)
        tune.ladder.up_wanted.connect(self.climb_back)
        tune.ladder.keep_wanted.connect(bench.way_back.ask_to_keep)
        self.recovery.details_wanted.connect(self.show_incident)
        tune.measure.job_wanted.connect(self.jobs.run)
        tune.result.verdict.resume_wanted.connect(self.jobs.resume)
        tune.result.verdict.custom_wanted.connect(bench.keep_custom)
        tune.result.verdict.preset_wanted.connect(bench.choose_preset)
        tune.result.verdict.fill_wanted.connect(self.jobs.fill)
        tune.measure.cancel_wanted.connect(bench.cancel)
        tune.first_start.models_wanted.connect(lambda: self.show_page(MODELS))
        self.history.failed.connect(bench.failed)
        self.changes.history_wanted.connect(lambda: self.show_page(HISTORY))
        self.models.use_wanted.connect(self.use_model)
        bench.finder.folder_given.connect(self.add_folder)
        tune.first_start.sample_wanted.connect(bench.use_sample)
        tune.first_start.model_wanted.connect(tune.source.ask_model)
        tune.first_start.engine_wanted.connect(tune.source.ask_engine)
        tune.first_start.again_wanted.connect(bench.finder.find_engines)
        tune.first_start.measure_wanted.connect(self.jobs.first_look)
        self.settings.first_steps_wanted.connect(self.show_first_steps)
        self.settings.engine_wanted.connect(tune.source.ask_engine)
        self.settings.language_chosen.connect(self.choose_language)
        self.settings.theme_chosen.connect(self.choose_theme)
        self.tray.changed.connect(self._show_tray)
        self._show_tray()
        self.theme.changed.connect(self._on_theme_changed)
        bench.failed.connect(lambda message: self.banners.show_message("error", message))
        bench.warned.connect(self._warn)
        bench.job_began.connect(self.banners.clear)
        bench.activity_changed.connect(self._on_activity)
        self.bridge.log_arrived.connect(self.log.on_log)
        self.bridge.telemetry_taken.connect(self.strip.on_telemetry)
        self.bridge.telemetry_taken.connect(self.models.on_telemetry)

    # -- commands -------------------------------------------------------------------------------------------

    def show_page(self, number: int) -> None:
        """Show Tune, History, Models, Log or Settings."""
        self.pages.setCurrentIndex(number)
        self.rail.set_current(number)
        self.rail.set_tokens(self.theme.tokens)
        self._show_ladder_keys()
        if number == LOG:
            self.log.search.setFocus()
        elif number == HISTORY:
            self.history.table.setFocus()
        elif number == MODELS:
            self.models.table.setFocus()
        elif number == TUNE:
            self.tune.setFocus()

    def show_first_steps(self) -> None:
        """Show the three steps of the first start again."""
        self.tune.show_first_start()
        self.show_page(TUNE)

    def roll_back(self) -> None:
        """One step down the ladder, if one can be taken."""
        self.bench.way_back.roll_back()

    def climb_back(self) -> None:
        """Undo the last step, if one was taken."""
        self.bench.way_back.climb_back()

    def show_incident(self, incident_id: str) -> None:
        """Show a failure with its proof."""
        self.show_page(LOG)
        self.incidents.show_incident(incident_id)

    def run_job(self, kind: str) -> None:
        """Measure what a button asks for; asks first if that stops a server the user started."""
        self.jobs.run(kind)

    def use_model(self, facts: ModelFacts) -> None:
        """Take a model of the list and go where it is tuned."""
        if self.bench.idle:
            self.bench.take_model(facts)
            self.show_page(TUNE)

    def add_folder(self, path: Path) -> None:
        """Search a folder that was dropped."""
        self.models.add_folder(path)  # before it is shown: the first look would search without it
        self.show_page(MODELS)

    def choose_language(self, choice: str) -> None:
        """Put a language in force and store it."""
        self.language.choose(choice)
        self.bench.prefer(language=choice)
        # English has no translator of ours, so nothing tells the widgets when it is chosen.
        self.retranslate()

    def choose_theme(self, choice: str) -> None:
        """Put a theme in force and store it."""
        self.theme.choose(choice)
        self.bench.prefer(theme=choice)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.setWindowTitle(self.tr("qtune"))
        shortcuts.retranslate(self.commands.actions)
        for part in (self.rail, self.strip, self.banners, self.tune, self.history, self.models):
            part.retranslate()
        self.log.retranslate()
        self.settings.retranslate()
        self.incidents.refresh()
        self.steps.refresh()
        self.settings.show_choices(self.language.choice, self.theme.choice)
        self.server.refresh()
        self.tray.refresh()
        self._lay_out_anew()

    def come_to_front(self) -> None:
        """Show the window above others, as when the app is started a second time."""
        dialogs.bring_to_front(self)

    def show_result(self) -> None:
        """Show the newest result."""
        self.show_page(TUNE)
        self.tune.show_view(RESULT)

    def quit(self) -> None:
        """End qtune, wherever the window is; asks first where that stops something."""
        if not self._closing:
            self.questions.before_leaving(self.shut_down)

    def end(self) -> None:
        """Wait until everything has ended; for an event loop that was ended from outside, as by a logout."""
        if not self._ended:
            self.shut_down()
            assert self._closer is not None  # noqa: S101 - shut_down has made it
            self._closer.join(CLOSE_S)

    def shut_down(self) -> None:
        """Close without asking, e.g. when the session ends; the window goes within ten seconds."""
        if self._closing:
            return
        self._closing = True
        self.bridge.expect_end()
        self.place.keep(self.pages.currentIndex())
        self.questions.leave()
        self.strip.access.stop()
        self.tray.stop()
        self.history.leave()
        self.bench.search.stop()
        self.recovery.stop()
        self.banners.show_message("info", Message.of("closing"))
        self.pages.setEnabled(False)
        self.strip.setEnabled(False)
        self._limit.start()
        self._closer = threading.Thread(target=self._close_desk, name="closing", daemon=True)
        self._closer.start()

    # -- inside ---------------------------------------------------------------------------------------------

    def _warn(self, message: Message) -> None:
        self.banners.show_message("info" if message.code in CANCELLED else "warning", message)

    def _close_desk(self) -> None:
        """On a thread of its own: the desk waits for the engine, the window must not."""
        try:
            self._desk.close(CLOSE_S)
        except Exception:  # noqa: BLE001 - the top of a thread
            _log.exception("the session did not end in order")
        self.bridge.call(self._finish_closing)

    def _finish_closing(self) -> None:
        if self._ended:
            return
        self._ended = True
        self._limit.stop()
        self.bridge.stop()
        self.banners.stop()
        self.tune.stop()
        self.history.stop()
        self.log.stop()
        self.language.stop()
        self.theme.stop()
        self.close()
        self.closed.emit()

    def _show_tray(self) -> None:
        self.settings.window_section.show_tray(there=self.tray.there)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self.setStyleSheet(self.theme.sheet())
        for part in (self.rail, self.strip, self.banners, self.tune, self.history, self.models):
            part.set_tokens(tokens)
        self.log.set_tokens(tokens)
        self.incidents.set_tokens(tokens)
        self.steps.set_tokens(tokens)
        self._lay_out_anew()

    def _lay_out_anew(self) -> None:
        """Ask for every size again, once everything has its new text and font.

        Of several changes in one turn Qt loses requests: lines kept the height of the language before.
        """

        def ask() -> None:
            for words in self.findChildren(QLabel):
                words.setIndent(words.indent())  # forgets the size it remembers
            for widget in self.findChildren(QWidget):
                widget.updateGeometry()

        if self.isVisible():  # before it was ever shown, nothing has a size to keep
            QTimer.singleShot(0, self, ask)

    def _on_activity(self) -> None:
        self.commands.actions["cancel"].setEnabled(self.bench.activity is not Activity.IDLE)
        self._show_ladder_keys()
        if not self._closing:
            self.tune.measure.refresh()

    def _show_ladder_keys(self) -> None:
        """Not on the Log page, where Ctrl and arrows scroll."""
        way, here = self.bench.way_back, self.pages.currentIndex() != LOG
        self.commands.actions["roll_back"].setEnabled(here and not way.why_not_down())
        self.commands.actions["climb_back"].setEnabled(here and not way.why_not_up())

    # -- Qt -------------------------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        """A translator was installed: say everything again."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001 - Qt's own
        """Tab goes as the window is read."""
        return tab_order.step(self, forward=forward)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Any local file or text may be dropped; what cannot be used gets a sentence."""
        if self.commands.hand_over.can_take(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take what was dropped."""
        event.acceptProposedAction()
        self.commands.hand_over.take(event.mimeData())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide in the tray where the user wants that, else stop everything first, without blocking."""
        event.setAccepted(self._ended)
        if self.tray.closes_here:
            self.tray.hide_window()
        else:
            self.quit()
