"""Tells who looks elsewhere: a long job or start has ended, the server failed, what became of it.

Nothing is told while one of our windows is in front, nothing makes a sound, and one setting turns it off.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from qtune.core.events import IncidentHappened, JobFinished, LadderChanged, RolledBack
from qtune.core.messages import Message
from qtune.ui.bridge import Bridge
from qtune.ui.state.activity import Activity
from qtune.ui.state.workbench import Workbench
from qtune.ui.window.tray import Tray
from qtune.ui.words import ladder_words, texts

LONG_S = 20.0
"""Who waits less than this is still looking."""
NOTIFY = "notify"
"""Preference: ``off`` for no notifications."""


class Notifier(QObject):
    """Owned by the window, GUI thread only.

    Args:
        bench: What goes on.
        bridge: Says what happened.
        tray: Shows what is told.
        show_result: Shows the newest result; called for a click.
        show_incident: Shows a failure by its id; called for a click.
    """

    def __init__(
        self,
        bench: Workbench,
        bridge: Bridge,
        tray: Tray,
        show_result: Callable[[], None],
        show_incident: Callable[[str], None],
    ) -> None:
        super().__init__(tray)
        self._bench = bench
        self._tray = tray
        self._show_result = show_result
        self._show_incident = show_incident
        self.clock = time.monotonic
        self.away: Callable[[], bool] = lambda: QApplication.activeWindow() is None
        self._activity = bench.activity
        self._began_s = 0.0
        self._job: JobFinished | None = None
        self._found = False
        self._down: int | None = None  # how many rungs were taken when the server failed
        self._troubled = False
        bench.activity_changed.connect(self._on_activity)
        bench.found_changed.connect(self._on_found)
        bridge.job_finished.connect(self._on_job_finished)
        bridge.incident_happened.connect(self._on_incident)
        bridge.ladder_changed.connect(self._on_ladder)
        bridge.rolled_back.connect(self._on_rolled_back)

    # -- jobs and starts ------------------------------------------------------------------------------------

    def _on_activity(self) -> None:
        before, self._activity = self._activity, self._bench.activity
        if self._activity is before:
            return
        if before is Activity.IDLE:
            self._began_s, self._job, self._found, self._troubled = self.clock(), None, False, False
            return
        if self.clock() - self._began_s < LONG_S:
            return
        if before is Activity.MEASURING and self._job is not None:
            self._tell_job(self._job)
        elif before is Activity.STARTING and self._bench.way_back.in_force and not self._troubled:
            self._tell(self.tr("The server is ready"), self._what_runs())

    def _on_job_finished(self, event: JobFinished) -> None:
        self._job = event

    def _on_found(self) -> None:
        self._found = True

    def _tell_job(self, job: JobFinished) -> None:
        name = texts.job_title(job.kind)
        found = self._bench.found if self._found else None
        if job.cancelled:
            title, text = self.tr("Cancelled: {job}"), self.tr("What was measured is kept.")
        elif job.failure is not None:
            title, text = self.tr("Failed: {job}"), texts.sentence(job.failure)
        elif found is not None:
            title, text = self.tr("Done: {job}"), texts.sentence(found.result.verdict.sentence)
        else:
            return
        bad = job.failure is not None and not job.cancelled
        show = None if found is None else self._show_result
        self._tell(title.format(job=name), text, show, bad=bad)

    # -- the server -----------------------------------------------------------------------------------------

    def _on_incident(self, event: IncidentHappened) -> None:
        incident, view = event.incident, self._bench.way_back.view
        if incident.run_id:
            return  # the end of the job tells it
        self._troubled = True
        if self._down is None:
            self._down = 0 if view is None else len(view.taken)
        parts = [incident.message, *(() if incident.action is None else (incident.action,))]
        text = " ".join(map(texts.sentence, parts))
        show = self._show_incident
        self._tell(self.tr("The server failed"), text, lambda: show(incident.id), bad=True)

    def _on_ladder(self, event: LadderChanged) -> None:
        view, down = event.view, self._down
        if view.state not in {"in_force", "failed", "stopped"}:
            return
        self._down = None
        if view.state == "in_force" and down is not None and len(view.taken) <= down:
            self._tell(self.tr("The server runs again"), self._what_runs())

    def _on_rolled_back(self, event: RolledBack) -> None:
        what = " ".join(texts.sentence(rung.describe()) for rung in event.rungs)
        told = Message.of("rolled_back", what=what, why=texts.sentence(event.why))
        self._tell(self.tr("Rolled back; the server runs"), texts.sentence(told), bad=True)

    def _what_runs(self) -> str:
        bench, view = self._bench, self._bench.way_back.view
        return "" if view is None else ladder_words.footing_title(view.current, bench.presets)

    def _tell(
        self, title: str, text: str, on_click: Callable[[], None] | None = None, *, bad: bool = False
    ) -> None:
        if self.away() and self._bench.preference(NOTIFY) != "off":
            self._tray.say(title, text, on_click, bad=bad)
