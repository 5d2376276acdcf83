"""Start, Stop and Start last good settings as actions: in the menu of the strip and in that of the tray."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from qtune.core.ladder import Footing
from qtune.core.messages import Message
from qtune.core.server_state import ServerState
from qtune.ui.state.activity import Activity
from qtune.ui.state.workbench import Workbench
from qtune.ui.window.stop_questions import StopQuestions
from qtune.ui.words import ladder_words, texts


class ServerActions(QObject):
    """Owned by the window; each is enabled only while it can be done, and asks before it stops a server."""

    def __init__(self, bench: Workbench, questions: StopQuestions, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench
        self._questions = questions
        self.start, self.stop, self.last_good = QAction(self), QAction(self), QAction(self)
        self.start.triggered.connect(self._start)
        self.stop.triggered.connect(questions.stop)
        self.last_good.triggered.connect(self._start_last_good)
        bench.activity_changed.connect(self.refresh)
        bench.choice_changed.connect(self.refresh)
        bench.source_changed.connect(self.refresh)
        bench.way_back.good_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Name them in the language in force, for what is chosen and what worked last."""
        bench, good = self._bench, self._bench.way_back.good
        ready = bench.server.state is ServerState.READY
        free = bench.idle and (ready or not bench.user_server_alive)
        start = self.tr("Start {settings}") if not ready else self.tr("Start {settings} instead")
        self.start.setText(_shown(start.format(settings=self._chosen())))
        self.start.setEnabled(free and bench.complete and bench.obstacle(bench.preset_id) is None)
        self.stop.setText(self.tr("Stop the server"))
        self.stop.setEnabled(self.can_stop)
        if good is None:
            self.last_good.setText(self.tr("Start last good settings"))
            self.last_good.setToolTip(texts.sentence(Message.of("no_last_good")))
        else:
            name = ladder_words.footing_title(good.footing, bench.presets)
            text = self.tr("Start last good settings: {settings}").format(settings=name)
            self.last_good.setText(_shown(text))
            self.last_good.setToolTip(good.footing.model_path)
        self.last_good.setEnabled(free and good is not None)

    @property
    def can_stop(self) -> bool:
        """Whether there is something to stop: a server, a start, a job, or a start that follows by itself."""
        bench = self._bench
        busy = bench.activity in (Activity.STARTING, Activity.MEASURING)
        stopping = bench.activity is Activity.STOPPING or bench.server.state is ServerState.STOPPING
        return (busy or bench.user_server_alive) and not stopping

    def _chosen(self) -> str:
        bench = self._bench
        return ladder_words.footing_title(
            Footing("", bench.settings_of(bench.preset_id), bench.preset_id), bench.presets
        )

    def _start(self) -> None:
        self._questions.before_start(self._chosen(), self._bench.start_server)

    def _start_last_good(self) -> None:
        way = self._bench.way_back
        if way.good is not None:
            name = ladder_words.footing_title(way.good.footing, self._bench.presets)
            self._questions.before_start(name, way.start_last_good)


def _shown(text: str) -> str:
    """A text that is no key of a menu."""
    return text.replace("&", "&&")
