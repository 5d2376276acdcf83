"""The window's side of the way back: where the ladder stands, what failed, and the commands that move it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from qtune.core.events import IncidentHappened, LadderChanged
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import LadderView
from qtune.core.messages import Message
from qtune.session.desk import Desk
from qtune.session.requests import LaunchRequest
from qtune.session.trials import Trial
from qtune.ui.bridge import Bridge
from qtune.ui.state.activity import Activity
from qtune.ui.words import texts

INCIDENTS = 20
"""Older failures are in the history."""
STEPS = 20
"""Older steps are shown by ``qtune ladder``."""
STALE_CODES = frozenset({"trial_stale", "trial_cut_off"})
ON_ITS_WAY = frozenset({"starting", "waiting"})
ENDED = frozenset({"in_force", "failed"})
"""A step is in the history once the ladder stands like this."""


class Starter(Protocol):
    """How the workbench waits for a command that starts a server."""

    def __call__(self, command: Callable[[], Future[None]], done: Callable[[], None] | None = None) -> None:
        """Run the command as the one thing the window waits for."""


class WayBack(QObject):
    """Owned by the workbench, GUI thread only.

    Attributes:
        view: Where the ladder stands, None before anything was started.
        incidents: Newest failures first.
        steps: Newest steps on the ladder first.
        good: What "start last good settings" would start, None if nothing was proved yet.
    """

    changed = Signal()
    incidents_changed = Signal()
    steps_changed = Signal()
    good_changed = Signal()
    incident_happened = Signal(object)
    stale_found = Signal(object, object)
    stale_answered = Signal()
    bad_found = Signal(object, object)
    keep_ready = Signal(object)
    kept = Signal()
    failed = Signal(object)

    def __init__(
        self,
        desk: Desk,
        bridge: Bridge,
        start: Starter,
        activity: Callable[[], Activity],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._activity = activity
        self._desk = desk
        self._bridge = bridge
        self._start = start
        self.view: LadderView | None = desk.ladder()
        self.incidents: tuple[Incident, ...] = ()
        self.steps: tuple[LadderStep, ...] = ()
        self.good: Trial | None = None
        self._reading_steps = False
        self._steps_moved = False
        bridge.ladder_changed.connect(self._on_ladder)
        bridge.incident_happened.connect(self._on_incident)

    def open(self) -> None:
        """Bring back what failed before, and tell of a launch that took the app down."""
        self._bridge.follow(self._desk.incidents(INCIDENTS), self._on_incidents, self.failed.emit)
        self._read_steps()
        self._read_good()
        stale = self._desk.stale_trial
        if stale is not None:
            self._bridge.follow(
                self._desk.last_good(), lambda good: self.stale_found.emit(stale, good), self.failed.emit
            )

    # -- what holds -----------------------------------------------------------------------------------------

    @property
    def safe_mode(self) -> bool:
        """Whether servers are started without MTP and nothing starts by itself."""
        return self._desk.safe_mode

    @property
    def lowered(self) -> bool:
        """Whether less runs, or is about to run, than was asked for."""
        view = self.view
        return view is not None and view.lowered and view.state not in {"stopped", "failed"}

    @property
    def in_force(self) -> bool:
        """Whether a proved server runs."""
        return self.view is not None and self.view.state == "in_force"

    @property
    def on_its_way(self) -> bool:
        """Whether a start is under way, or follows by itself."""
        return self.view is not None and self.view.state in ON_ITS_WAY

    def why_not_down(self) -> str:
        """Why no step down can be taken now, in words; empty when one can."""
        view = self.view
        if view is None:
            return _said(Message.of("ladder_nothing_asked"))
        return self._busy() or ("" if view.below else _said(Message.of("recovery_at_foot")))

    def why_not_up(self) -> str:
        """Why no step up can be taken now, in words; empty when one can."""
        view = self.view
        if view is None:
            return _said(Message.of("ladder_nothing_asked"))
        return self._busy() or ("" if view.taken else _said(Message.of("ladder_at_top")))

    def _busy(self) -> str:
        activity = self._activity()
        if activity is Activity.MEASURING:
            return _said(Message.of("job_busy"))
        if activity is Activity.STOPPING:
            return self.tr("The server is being stopped; wait for its end.")
        if activity is Activity.SAMPLE:
            return self.tr("The sample model is being written.")
        if activity is Activity.STARTING or self.on_its_way:
            return self.tr("A start is under way; wait for its end, or press Stop.")
        return ""

    def tells(self, message: Message) -> bool:
        """Whether a banner that lasts says it already, with buttons and in the language in force."""
        return message.code in STALE_CODES and self._desk.stale_trial is not None

    def incident_behind(self) -> Incident | None:
        """The failure for which the last rung was taken; None when the user took it."""
        view = self.view
        if view is None or view.why is None:
            return None
        return next((i for i in self.incidents if i.message == view.why), None)

    # -- commands -------------------------------------------------------------------------------------------

    def roll_back(self) -> None:
        """One rung down."""
        if not self.why_not_down():
            self._start(self._desk.roll_back)

    def climb_back(self) -> None:
        """Undo the last rung."""
        if not self.why_not_up():
            self._start(self._desk.climb_back)

    def start(self, request: LaunchRequest) -> None:
        """Start what was asked for, known to fail or not."""
        self._answer(lambda: self._desk.start_server(request))

    def start_last_good(self) -> None:
        """Start what worked last."""
        self._answer(self._desk.start_last_good)

    def start_below(self, stale: Trial) -> None:
        """Start one step below what took the app down."""
        self._answer(lambda: self._desk.start_server(_request(stale), "below"))

    def start_again(self, stale: Trial) -> None:
        """Start what ran when the app went down."""
        self._answer(lambda: self._desk.start_server(_request(stale)))

    def _answer(self, command: Callable[[], Future[None]]) -> None:
        """Start something: whatever it is, a stale trial is answered with it.

        The note goes only when the start has ended: until then it tells what worked last from what failed.
        """
        self.stale_answered.emit()
        self._start(command, self.leave_stale)

    def leave_stale(self) -> None:
        """The user knows of the stale trial."""
        if self._desk.stale_trial is not None:
            self._bridge.follow(self._desk.dismiss_stale_trial(), lambda _none: None, self.failed.emit)

    def ask_to_keep(self) -> None:
        """Find out what a return would lead to, then have the user asked whether to keep what runs."""
        if self.in_force:
            self._bridge.follow(self._desk.last_good(), self.keep_ready.emit, self.failed.emit)

    def keep(self) -> None:
        """What runs becomes the default."""
        self._bridge.follow(self._desk.keep_as_default(), lambda _none: self.kept.emit(), self.failed.emit)

    # -- what happened --------------------------------------------------------------------------------------

    def _on_ladder(self, event: LadderChanged) -> None:
        self.view = event.view
        self.changed.emit()
        if event.view.state in ENDED:
            self._read_steps()
            self._read_good()

    def _read_good(self) -> None:
        self._bridge.follow(self._desk.last_good(), self._on_good, self.failed.emit)

    def _on_good(self, good: Trial | None) -> None:
        self.good = good
        self.good_changed.emit()

    def _on_incident(self, event: IncidentHappened) -> None:
        self.incidents = (event.incident, *self.incidents)[:INCIDENTS]
        self.incidents_changed.emit()
        self.incident_happened.emit(event.incident)

    def _on_incidents(self, incidents: list[Incident]) -> None:
        # What happened while the history was read is in both.
        known = {incident.id for incident in self.incidents}
        older = tuple(i for i in incidents if i.id not in known)
        self.incidents = (*self.incidents, *older)[:INCIDENTS]
        self.incidents_changed.emit()

    def _read_steps(self) -> None:
        """Read the steps; what moves meanwhile is read once more at the end, never beside."""
        if self._reading_steps:
            self._steps_moved = True
            return
        self._reading_steps = True
        self._bridge.follow(self._desk.ladder_steps(STEPS), self._on_steps, self._on_no_steps)

    def _on_steps(self, steps: list[LadderStep]) -> None:
        self.steps = tuple(steps)
        self.steps_changed.emit()
        self._steps_read()

    def _on_no_steps(self, message: Message) -> None:
        self.failed.emit(message)
        self._steps_read()

    def _steps_read(self) -> None:
        self._reading_steps = False
        if self._steps_moved:
            self._steps_moved = False
            self._read_steps()


def _request(trial: Trial) -> LaunchRequest:
    footing = trial.footing
    return LaunchRequest(trial.ref, footing.model_path, footing.settings, footing.preset)


def _said(message: Message) -> str:
    return " ".join(part for part in (texts.sentence(message), texts.hint(message)) if part)
