"""What the user has chosen and what is going on, in one place; pages show it and pass clicks to it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from qtune.core.engine_facts import EngineFacts
from qtune.core.events import (
    JobFinished,
    Notice,
    RequestFinished,
    RunFinished,
    RunStarted,
    ServerChanged,
)
from qtune.core.memory_facts import MemoryView
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import ExperimentRecord
from qtune.core.server_state import ALIVE, ServerState
from qtune.core.workload import SAMPLE_DOMAIN, Workload
from qtune.session.desk import Desk
from qtune.session.findings import JobResult
from qtune.session.jobs import JobKind, JobRequest
from qtune.session.requests import EngineFinding, LaunchRequest
from qtune.session.survey import has_head
from qtune.session.trials import Trial
from qtune.ui.bridge import Bridge
from qtune.ui.models.search import ModelSearch
from qtune.ui.state.activity import Activity
from qtune.ui.state.arm_book import ArmBook, Comparison, Setup
from qtune.ui.state.choices import Choices
from qtune.ui.state.finder import BUNDLED, Finder
from qtune.ui.state.job_requests import BESIDE_OFF, Form, Order, request_of
from qtune.ui.state.obstacles import mtp_obstacle
from qtune.ui.state.recent import Recent
from qtune.ui.state.way_back import WayBack

HISTORY_RUNS = 200
CANCELLED = frozenset({"start_cancelled", "measure_cancelled", "request_cancelled"})
"""Ends that the user wanted."""
MTP_NOT_ACTIVE = frozenset({"mtp_not_speculating", "mtp_no_drafts"})
WITH_MTP = frozenset({"compare", "sweep-n-max", "seeds"})
"""Jobs that measure MTP whatever preset is chosen."""
MEMORY_EVERY_NS = 2_000_000_000
"""Bars of the free memory follow the readings no oftener than this."""


class Workbench(Choices):
    """Owned by the window, GUI thread only; with its parts the only one that commands the desk.

    Attributes:
        finder: Engines, models and cards of this computer.
        search: Model files in the folders of this computer.
        recent_models: Models used last.
        recent_engines: Engines used last, the bundled one left out.
        way_back: The ladder and what failed.
        found: Result of the newest job, None before the first.
    """

    source_changed = Signal()
    activity_changed = Signal()
    found_changed = Signal()
    history_loaded = Signal()
    unfinished_found = Signal(object)
    sample_progressed = Signal(float)
    failed = Signal(object)
    warned = Signal(object)
    job_began = Signal()

    def __init__(self, desk: Desk, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(desk, parent)
        self._bridge = bridge
        self.finder = Finder(desk, bridge, self)
        self.search = ModelSearch(desk, bridge, self)
        self.recent_models = Recent("recent_models", desk, bridge, self)
        self.recent_engines = Recent("recent_engines", desk, bridge, self)
        self.book = ArmBook()
        self.found: JobResult | None = None
        self.server = ServerChanged(ServerState.STOPPED)
        self.activity = Activity.IDLE
        self.way_back = WayBack(desk, bridge, self._start, lambda: self.activity, self)
        self._sample_asked = False
        self._wanted: LaunchRequest | None = None
        self._connect()

    def _connect(self) -> None:
        finder, bridge = self.finder, self._bridge
        finder.failed.connect(self.failed)
        self.search.failed.connect(self.failed)
        self.way_back.failed.connect(self.failed)
        self.way_back.changed.connect(self.activity_changed)
        finder.model_taken.connect(self._on_model_taken)
        finder.engines_found.connect(self._on_engines_found)
        finder.source_changed.connect(self._remember_engine)
        finder.source_changed.connect(self.source_changed)
        finder.source_changed.connect(self.figures_changed)
        bridge.server_changed.connect(self._on_server_changed)
        bridge.run_started.connect(self._on_run_started)
        bridge.request_finished.connect(self._on_request_finished)
        bridge.run_finished.connect(self._on_run_finished)
        bridge.job_finished.connect(self._on_job_finished)
        bridge.noticed.connect(self._on_noticed)

    def open(self) -> None:
        """Look around, load the history, and bring back what was chosen or left unfinished last time."""
        self.finder.open()
        self._bridge.follow(self._desk.recent_runs(HISTORY_RUNS), self._on_history, self.failed.emit)
        self._bridge.follow(self._desk.unfinished(), self._on_unfinished, self.failed.emit)
        self.way_back.open()
        if self.way_back.safe_mode:
            self.preset_id = "off"  # for this start only, so it is not stored
            self.choice_changed.emit()

    # -- what holds -----------------------------------------------------------------------------------------

    @property
    def model(self) -> ModelFacts | None:
        """The chosen model."""
        return self.finder.model

    @property
    def engine_facts(self) -> EngineFacts | None:
        """Facts of the chosen engine, None while none is chosen."""
        return self.finder.engine_facts

    @property
    def complete(self) -> bool:
        """Whether a model and an engine are chosen."""
        return self.model is not None and self.engine_facts is not None

    @property
    def idle(self) -> bool:
        """Whether a new command may be given."""
        return self.activity is Activity.IDLE

    @property
    def user_server_alive(self) -> bool:
        """Whether a server runs, starts or is about to that the user asked for, not a measurement's own."""
        alive = self.server.state in ALIVE or self.way_back.on_its_way
        return alive and self.activity is not Activity.MEASURING

    @property
    def setup(self) -> Setup | None:
        """What a measurement made now could be compared with."""
        facts = self.engine_facts
        if self.model is None or facts is None:
            return None
        return Setup(self.model.path, facts.ref.path, facts.version, self.workload.id)

    def compared(self, preset_id: str) -> Comparison | None:
        """A preset beside off; None until both are measured under this set-up."""
        setup = self.setup
        if setup is None or preset_id == "off":
            return None
        off = self.book.latest(self.settings_of("off"), setup)
        on = self.book.latest(self.settings_of(preset_id), setup)
        return None if off is None or on is None else Comparison(off, on, preset_id)

    def obstacle(self, preset_id: str) -> Message | None:
        """Why a preset cannot be used with this model and engine, None when it can."""
        settings, facts = self.settings_of(preset_id), self.engine_facts
        if settings.mtp and self.way_back.safe_mode:
            return Message.of("safe_mode")
        if settings.mtp and (message := mtp_obstacle(self.model, facts)) is not None:
            return message
        problems = settings.problems()
        return problems[0] if problems else None

    def job_obstacle(self, kind: JobKind) -> Message | None:
        """Why a job cannot be asked for with what is chosen, None when it can."""
        if kind in WITH_MTP:
            return self.obstacle("balanced")
        # Without MTP off alone is swept, whatever is chosen.
        return self.obstacle("off" if kind == "sweep-context" else self.preset_id)

    def memory_view(self, preset_id: str, model: ModelFacts | None = None) -> MemoryView | None:
        """What a preset takes with a model (the chosen one by default) against what is free now."""
        model = model or self.model
        if model is None:
            return None
        keep = self.preset_of(preset_id).vram_keep_bytes
        return self._desk.memory_view(model, self.settings_of(preset_id), keep, self.engine_facts)

    def fitting_preset(self, model: ModelFacts) -> str:
        """The preset by which a model is judged that is not chosen yet."""
        return BESIDE_OFF if has_head(model) else "off"

    def model_view(self, model: ModelFacts) -> MemoryView | None:
        """The same for a model of the list."""
        return self.memory_view(self.fitting_preset(model), model)

    # -- choosing -------------------------------------------------------------------------------------------

    def choose_model(self, path: Path) -> None:
        """Read a model file and take it, if it is one."""
        self.finder.read_model(path, self.take_model)

    def take_model(self, facts: ModelFacts) -> None:
        """Take a model whose header was read, with the prompt that suits it."""
        if facts.mtp != "sidecar" and facts.is_sample != _for_sample(self.workload):
            fitting = [w for w in self.workloads if facts.is_sample == _for_sample(w)]
            self.choose_workload(fitting[0] if fitting else self.workload)
        self.finder.take_model(facts)

    def use_sample(self) -> None:
        """Take the bundled engine and the sample model, which is written on first use."""
        finding = self.finder.bundled
        if not self.finder.engines_known:
            self._sample_asked = True  # done as soon as the search has ended
            self._set_activity(Activity.SAMPLE)
            return
        if finding is None:
            self.failed.emit(Message.of("bundled_engine_missing"))
            return
        self._set_activity(Activity.SAMPLE)
        future = self._desk.make_sample(lambda done: self._bridge.call(self.sample_progressed.emit, done))
        self._bridge.follow(future, lambda facts: self._on_sample(facts, finding), self._on_command_failed)

    # -- commands -------------------------------------------------------------------------------------------

    def start_server(self) -> None:
        """Launch the chosen preset and leave it running; asks first if just this failed before."""
        facts, obstacle = self.engine_facts, self.obstacle(self.preset_id)
        if not self.idle or facts is None or self.model is None:
            return
        if obstacle is not None:
            self.failed.emit(obstacle)
            return
        settings = self.settings_of(self.preset_id)
        self._wanted = request = LaunchRequest(facts.ref, self.model.path, settings, self.preset_id)
        self._set_activity(Activity.STARTING)
        self._bridge.follow(
            self._desk.known_bad(request), lambda bad: self._on_known(request, bad), self._on_command_failed
        )

    def _on_known(self, request: LaunchRequest, bad: Trial | None) -> None:
        if self._wanted is not request or self.activity is not Activity.STARTING:
            return  # stopped in the meantime
        self._wanted = None
        self._set_activity(Activity.IDLE)
        if bad is None:
            self.way_back.start(request)
        else:
            self.way_back.bad_found.emit(request, bad)

    def _start(self, command: Callable[[], Future[None]], done: Callable[[], None] | None = None) -> None:
        """Run a command that starts a server; ``done`` is called however it ends."""
        if not self.idle:
            return

        def ended(end: Callable[[Any], None], result: Any) -> None:  # noqa: ANN401 - result or sentence
            if done is not None:
                done()
            end(result)

        self.job_began.emit()
        self._set_activity(Activity.STARTING)
        self._bridge.follow(
            command(),
            lambda result: ended(self._on_command_done, result),
            lambda message: ended(self._on_command_failed, message),
        )

    def stop_server(self) -> None:
        """Stop the server, whatever it is doing, and whatever was about to start it."""
        self._wanted = None
        if self.activity is Activity.MEASURING:
            self._bridge.follow(self._desk.stop_server(), lambda _none: None, self.failed.emit)
            return
        self._set_activity(Activity.STOPPING)
        self._bridge.follow(self._desk.stop_server(), self._on_command_done, self._on_command_failed)

    def run_job(self, kind: JobKind, presets: tuple[str, ...] = (), form: Form | None = None) -> None:
        """Ask for a job with what is chosen; ``presets`` and ``form`` where the button names them itself."""
        request = self.job_request(kind, presets, form)
        if request is None or not self.idle:
            return
        obstacle = self.obstacle("off") if presets == ("off",) else self.job_obstacle(kind)
        if obstacle is not None:
            self.failed.emit(obstacle)
            return
        self._begin(Activity.MEASURING, lambda: self._desk.run_job(request), self._on_job_done)

    def job_request(
        self, kind: JobKind, presets: tuple[str, ...] = (), form: Form | None = None
    ) -> JobRequest | None:
        """What ``run_job`` would ask for; None while something is not chosen."""
        facts = self.engine_facts
        if facts is None or self.model is None:
            return None
        order = Order(
            engine=facts.ref,
            model=self.model,
            base=self.base,
            preset=self.preset_id,
            workload=self.workload,
            workloads=self.workloads,
            runs=self.runs,
            form=form or self.form,
            custom=self.custom,
            mtp=self.obstacle("balanced") is None,
        )
        return request_of(kind, order, presets)

    def resume(self, experiment_id: str) -> None:
        """Go on with an experiment that was broken off."""
        if self.idle:
            self._begin(Activity.MEASURING, lambda: self._desk.resume(experiment_id), self._on_job_done)

    def leave(self, experiment_id: str) -> None:
        """Never ask again about an experiment that was broken off."""
        self.prefer(left_unfinished=experiment_id)

    def cancel(self) -> None:
        """Cancel what is going on, keeping what is measured."""
        if self.activity is Activity.MEASURING:
            self._desk.cancel()
        elif self.activity is Activity.STARTING:
            if self._wanted is not None:  # nothing was launched yet
                self._wanted = None
                self._set_activity(Activity.IDLE)
                return
            self._bridge.follow(self._desk.stop_server(), lambda _none: None, self.failed.emit)

    def _begin(
        self, activity: Activity, command: Callable[[], Future[Any]], done: Callable[[Any], None]
    ) -> None:
        self.job_began.emit()
        self._set_activity(activity)
        self._bridge.follow(command(), done, self._on_command_failed)

    # -- what happened --------------------------------------------------------------------------------------

    def _set_activity(self, activity: Activity) -> None:
        self.activity = activity
        self.activity_changed.emit()

    def _on_command_done(self, _result: object) -> None:
        self._set_activity(Activity.IDLE)

    def _on_job_done(self, found: JobResult) -> None:
        if found.result.arms:
            self.found = found
            self.book.remember(found)
            self.found_changed.emit()
            self.figures_changed.emit()
        self._set_activity(Activity.IDLE)
        if found.result.failure is not None:
            self.failed.emit(found.result.failure)

    def _on_command_failed(self, message: Message) -> None:
        self._set_activity(Activity.IDLE)
        if message.code in CANCELLED:
            self.warned.emit(message)
        else:
            self.failed.emit(message)

    def _remember_engine(self) -> None:
        facts = self.engine_facts
        if facts is not None and facts.ref.kind != BUNDLED:
            self.recent_engines.remember(facts.ref.path)

    def _on_model_taken(self, facts: ModelFacts) -> None:
        if not facts.is_sample:
            self.recent_models.remember(facts.path)
        if self.obstacle(self.preset_id) is not None:
            self.preset_id = "off"
        self.choice_changed.emit()

    def _on_engines_found(self) -> None:
        if self._sample_asked:
            self._sample_asked = False
            self._set_activity(Activity.IDLE)
            self.use_sample()

    def _on_sample(self, facts: ModelFacts, finding: EngineFinding) -> None:
        self.finder.choose_engine(finding)
        self.take_model(facts)
        self._set_activity(Activity.IDLE)

    def _on_history(self, runs: list[Any]) -> None:
        self.book.load(runs)
        self.history_loaded.emit()
        self.figures_changed.emit()

    def _on_unfinished(self, experiment: ExperimentRecord | None) -> None:
        left = self.preference("left_unfinished")
        if experiment is not None and experiment.id != left and self.idle:
            self.unfinished_found.emit(experiment)

    def _on_server_changed(self, event: ServerChanged) -> None:
        before, self.server = self.server, event
        crashed = event.state is ServerState.CRASHED and before.state is not ServerState.CRASHED
        if crashed and event.reason is not None:
            self.failed.emit(event.reason)
        if event.state is ServerState.READY and event.effective is not None:
            for mismatch in event.effective.mismatches:
                self.warned.emit(mismatch)
        self.activity_changed.emit()

    def _on_run_started(self, event: RunStarted) -> None:
        self.book.begin(event.run)

    def _on_request_finished(self, event: RequestFinished) -> None:
        self.book.add(event.record)

    def _on_run_finished(self, event: RunFinished) -> None:
        run = event.run
        self.book.finish(run, event.requests)
        told = [note for note in run.notes if note.code in MTP_NOT_ACTIVE]
        if run.mtp_active is False and not told:
            told = [Message.of("mtp_no_drafts")]
        effective = run.settings_effective
        if effective is not None and not effective.verified:
            told += [Message.of("mark_unverified"), *effective.mismatches]
        for message in told:
            self.warned.emit(message)
        self.figures_changed.emit()

    def _on_job_finished(self, event: JobFinished) -> None:
        if event.cancelled:
            self.warned.emit(event.failure or Message.of("measure_cancelled"))
        elif event.failure is not None:
            self.failed.emit(event.failure)

    def _on_noticed(self, event: Notice) -> None:
        if not self.way_back.tells(event.message):
            self.warned.emit(event.message)


def _for_sample(workload: Workload) -> bool:
    return workload.domain == SAMPLE_DOMAIN
