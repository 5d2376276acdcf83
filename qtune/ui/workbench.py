"""What the user has chosen and what is going on, in one place; pages show it and pass clicks to it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from qtune.core.events import (
    JobFinished,
    Notice,
    RequestFinished,
    RunFinished,
    RunStarted,
    ServerChanged,
)
from qtune.core.messages import Message
from qtune.core.presets import PRESET_IDS, Preset
from qtune.core.records import EngineFacts, GpuFacts, ModelFacts
from qtune.core.server_state import ALIVE, ServerState
from qtune.core.settings import SETTINGS, ServerSettings
from qtune.core.workload import Workload
from qtune.session.desk import Desk
from qtune.session.requests import DoctorReport, EngineFinding, LaunchRequest, MeasureRequest
from qtune.ui.arm_book import ArmBook, Setup
from qtune.ui.bridge import Bridge

BUNDLED = "bundled"
HISTORY_RUNS = 200
MAX_RUNS = 50
SAMPLE_PROMPT = "sample"
"""How the ids of prompts begin whose words the sample model knows; for other models they are too short."""
CANCELLED = frozenset({"start_cancelled", "measure_cancelled", "request_cancelled"})
"""Ends that the user wanted."""
MTP_NOT_ACTIVE = frozenset({"mtp_not_speculating", "mtp_no_drafts"})


class Activity(StrEnum):
    """What the window is waiting for; one at a time."""

    IDLE = "idle"
    SAMPLE = "sample"
    STARTING = "starting"
    STOPPING = "stopping"
    MEASURING = "measuring"


class Workbench(QObject):
    """Owned by the window, GUI thread only; the only place in the UI that gives commands to the desk."""

    source_changed = Signal()
    choice_changed = Signal()
    activity_changed = Signal()
    figures_changed = Signal()
    host_changed = Signal()
    history_loaded = Signal()
    sample_progressed = Signal(float)
    failed = Signal(object)
    warned = Signal(object)
    job_began = Signal()

    def __init__(self, desk: Desk, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self.presets: tuple[Preset, ...] = tuple(desk.presets)
        self.workloads: tuple[Workload, ...] = tuple(desk.workloads)
        self.book = ArmBook()
        self.model: ModelFacts | None = None
        self.models: list[ModelFacts] = []
        self.engine: EngineFinding | None = None
        self.engines: list[EngineFinding] = []
        self.engines_known = False
        self.gpus: tuple[GpuFacts, ...] = ()
        self.gpu_note: Message | None = None
        self.report: DoctorReport | None = None
        self.server = ServerChanged(ServerState.STOPPED)
        self.activity = Activity.IDLE
        self._engine_wanted = desk.preference("engine")
        self._sample_asked = False
        self._restore_choices()
        self._connect()

    def _restore_choices(self) -> None:
        preset, workload = self._desk.preference("preset"), self._desk.preference("prompt")
        self.preset_id = preset if preset in PRESET_IDS else "balanced"
        self.ctx_size = _whole(self._desk.preference("ctx_size"), 8192, 256, 1_048_576)
        self.runs = _whole(self._desk.preference("runs"), 3, 1, MAX_RUNS)
        by_id = {w.id: w for w in self.workloads}
        self.workload = by_id.get(workload) or self.workloads[0]

    def _connect(self) -> None:
        self._bridge.server_changed.connect(self._on_server_changed)
        self._bridge.run_started.connect(self._on_run_started)
        self._bridge.request_finished.connect(self._on_request_finished)
        self._bridge.run_finished.connect(self._on_run_finished)
        self._bridge.job_finished.connect(self._on_job_finished)
        self._bridge.noticed.connect(self._on_noticed)

    # -- what holds -----------------------------------------------------------------------------------------

    @property
    def engine_facts(self) -> EngineFacts | None:
        """Facts of the chosen engine, None while none is chosen."""
        return None if self.engine is None else self.engine.facts

    @property
    def bundled(self) -> EngineFinding | None:
        """The bundled engine, if it is installed."""
        found = [f for f in self.engines if f.ref.kind == BUNDLED and f.facts is not None]
        return found[0] if found else None

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
        """Whether a server runs or starts that the user asked for, not a measurement's own."""
        return self.server.state in ALIVE and self.activity is not Activity.MEASURING

    @property
    def preset(self) -> Preset:
        """The chosen preset."""
        return next(p for p in self.presets if p.id == self.preset_id)

    @property
    def base(self) -> ServerSettings:
        """The user's own settings, on which presets are laid."""
        return ServerSettings(ctx_size=self.ctx_size)

    @property
    def setup(self) -> Setup | None:
        """What a measurement made now could be compared with."""
        facts = self.engine_facts
        if self.model is None or facts is None:
            return None
        return Setup(self.model.path, facts.ref.path, facts.version, self.ctx_size, self.workload.id)

    def obstacle(self, preset_id: str) -> Message | None:
        """Why a preset cannot be used with this model and engine, None when it can."""
        preset = next(p for p in self.presets if p.id == preset_id)
        settings, facts = preset.apply(self.base), self.engine_facts
        if settings.mtp and self.model is not None and self.model.mtp == "none":
            return Message.of("model_without_mtp", path=self.model.name)
        if settings.mtp and facts is not None and not facts.mtp:
            return Message.of("engine_without_mtp", version=facts.version)
        problems = settings.problems()
        return problems[0] if problems else None

    # -- finding and choosing -------------------------------------------------------------------------------

    def open(self) -> None:
        """Look for engines, cards and models, and bring back what was chosen last time."""
        wanted = self._engine_wanted
        self.find_engines(Path(wanted) if wanted and wanted != BUNDLED else None)
        self._bridge.follow(self._desk.recent_runs(HISTORY_RUNS), self._on_history, self.failed.emit)
        self.examine()
        if path := self._desk.preference("model"):
            self._bridge.follow(self._desk.read_model(Path(path)), self._adopt, self.failed.emit)

    def examine(self) -> None:
        """Ask for cards, models and folders again."""
        self._bridge.follow(self._desk.doctor(), self._on_examined, self.failed.emit)

    def find_engines(self, chosen: Path | None = None) -> None:
        """Look for engines again, ``chosen`` first among them."""

        def not_there(message: Message) -> None:
            self.failed.emit(message)
            if chosen is not None:  # the others are still there
                self._engine_wanted = ""
                self.find_engines()

        self._bridge.follow(self._desk.find_engines(chosen), self._on_engines, not_there)

    def choose_engine_file(self, path: Path) -> None:
        """Take a program the user pointed at, if it proves to be a llama-server."""
        self._engine_wanted = str(path)
        self.find_engines(path)

    def choose_engine(self, finding: EngineFinding) -> None:
        """Take one of the engines found."""
        if finding.facts is None:
            if finding.problem is not None:
                self.failed.emit(finding.problem)
            self.source_changed.emit()
            return
        self.engine = finding
        self._engine_wanted = BUNDLED if finding.ref.kind == BUNDLED else finding.ref.path
        self._desk.set_preferences({"engine": self._engine_wanted})
        self.source_changed.emit()
        self.figures_changed.emit()

    def choose_model(self, path: Path) -> None:
        """Read a model file and take it, if it is one."""
        self._bridge.follow(self._desk.read_model(path), self.take_model, self.failed.emit)

    def take_model(self, facts: ModelFacts) -> None:
        """Take a model whose header was read, with the prompt that suits it."""
        if facts.mtp != "sidecar" and facts.is_sample != _for_sample(self.workload):
            fitting = [w for w in self.workloads if facts.is_sample == _for_sample(w)]
            self.choose_workload(fitting[0] if fitting else self.workload)
        self._adopt(facts)

    def _adopt(self, facts: ModelFacts) -> None:
        if facts.mtp == "sidecar":
            self.failed.emit(Message.of("model_is_sidecar", path=facts.path))
            return
        self.model = facts
        self.models = [facts] + [m for m in self.models if m.path != facts.path]
        self._desk.set_preferences({"model": facts.path})
        if self.obstacle(self.preset_id) is not None:
            self.preset_id = "off"
        self.source_changed.emit()
        self.choice_changed.emit()
        self.figures_changed.emit()

    def use_sample(self) -> None:
        """Take the bundled engine and the sample model, which is written on first use."""
        finding = self.bundled
        if not self.engines_known:
            self._sample_asked = True  # done as soon as the search has ended
            self._set_activity(Activity.SAMPLE)
            return
        if finding is None:
            self.failed.emit(Message.of("bundled_engine_missing"))
            return
        self._set_activity(Activity.SAMPLE)
        future = self._desk.make_sample(lambda done: self._bridge.call(self.sample_progressed.emit, done))
        self._bridge.follow(future, lambda facts: self._on_sample(facts, finding), self._on_command_failed)

    def choose_preset(self, preset_id: str) -> None:
        """Choose one of the four cards."""
        if preset_id != self.preset_id:
            self.preset_id = preset_id
            self._chosen(preset=preset_id)

    def choose_context(self, tokens: int) -> None:
        """Choose the context length in tokens."""
        if tokens != self.ctx_size:
            self.ctx_size = int(SETTINGS["ctx_size"].check(tokens))
            self._chosen(ctx_size=str(tokens))

    def choose_runs(self, runs: int) -> None:
        """Choose how many counted requests each arm gets."""
        if runs != self.runs:
            self.runs = runs
            self._chosen(runs=str(runs))

    def choose_workload(self, workload: Workload) -> None:
        """Choose the prompt."""
        if workload.id != self.workload.id:
            self.workload = workload
            self._chosen(prompt=workload.id)

    def _chosen(self, **preferences: str) -> None:
        self._desk.set_preferences(preferences)
        self.choice_changed.emit()
        self.figures_changed.emit()

    def preference(self, key: str, default: str = "") -> str:
        """A stored preference of the app."""
        return self._desk.preference(key, default)

    def prefer(self, **values: str) -> None:
        """Store preferences of the app."""
        self._desk.set_preferences(values)

    # -- commands -------------------------------------------------------------------------------------------

    def start_server(self) -> None:
        """Launch the chosen preset and leave it running."""
        facts = self._ready_facts()
        if facts is None or self.model is None:
            return
        settings = self.preset.apply(self.base)
        request = LaunchRequest(facts.ref, self.model.path, settings, self.preset_id)
        self._begin(Activity.STARTING, self._desk.start_server, request)

    def stop_server(self) -> None:
        """Stop the server, whatever it is doing."""
        if self.activity is Activity.MEASURING:
            self._bridge.follow(self._desk.stop_server(), lambda _none: None, self.failed.emit)
            return
        self._set_activity(Activity.STOPPING)
        self._bridge.follow(self._desk.stop_server(), self._on_command_done, self._on_command_failed)

    def measure(self, *, with_off: bool) -> None:
        """Measure the chosen preset, after off if asked for."""
        facts = self._ready_facts()
        if facts is None or self.model is None:
            return
        arms = ("off", self.preset_id) if with_off and self.preset_id != "off" else (self.preset_id,)
        request = MeasureRequest(facts.ref, self.model.path, arms, self.base, self.workload, self.runs)
        self._begin(Activity.MEASURING, self._desk.measure, request)

    def cancel(self) -> None:
        """Cancel what is going on, keeping what is measured."""
        if self.activity is Activity.MEASURING:
            self._desk.cancel()
        elif self.activity is Activity.STARTING:
            self._bridge.follow(self._desk.stop_server(), lambda _none: None, self.failed.emit)

    def _ready_facts(self) -> EngineFacts | None:
        if not self.idle:
            return None
        if (obstacle := self.obstacle(self.preset_id)) is not None:
            self.failed.emit(obstacle)
            return None
        return self.engine_facts

    def _begin(self, activity: Activity, command: Callable[[Any], Future[Any]], request: object) -> None:
        self.job_began.emit()
        self._set_activity(activity)
        self._bridge.follow(command(request), self._on_command_done, self._on_command_failed)

    # -- what happened --------------------------------------------------------------------------------------

    def _set_activity(self, activity: Activity) -> None:
        self.activity = activity
        self.activity_changed.emit()

    def _on_command_done(self, result: object) -> None:
        self._set_activity(Activity.IDLE)
        failure = getattr(result, "failure", None)
        if isinstance(failure, Message):
            self.failed.emit(failure)

    def _on_command_failed(self, message: Message) -> None:
        self._set_activity(Activity.IDLE)
        if message.code in CANCELLED:
            self.warned.emit(message)
        else:
            self.failed.emit(message)

    def _on_sample(self, facts: ModelFacts, finding: EngineFinding) -> None:
        self.choose_engine(finding)
        self.take_model(facts)
        self._set_activity(Activity.IDLE)

    def _on_history(self, runs: list[Any]) -> None:
        self.book.load(runs)
        self.history_loaded.emit()
        self.figures_changed.emit()

    def _on_examined(self, report: DoctorReport) -> None:
        self.report = report
        self.gpus, self.gpu_note = report.gpus, report.gpu_note
        known = {m.path for m in self.models}
        self.models += [m for m in report.models if m.path not in known and m.mtp != "sidecar"]
        self.host_changed.emit()
        self.source_changed.emit()

    def _on_engines(self, findings: list[EngineFinding]) -> None:
        self.engines, self.engines_known = findings, True
        if self._sample_asked:
            self._sample_asked = False
            self._set_activity(Activity.IDLE)
            self.use_sample()
        chosen = self._match(self._engine_wanted)
        if chosen is not None and chosen.facts is None:
            # The user's own choice turned out to be no engine: say so and keep what worked before.
            if chosen.problem is not None:
                self.failed.emit(chosen.problem)
            chosen = None
        if chosen is None:
            chosen = self._match("" if self.engine is None else self.engine.ref.path) or self._default()
        if chosen is not None and chosen.facts is not None:
            self.choose_engine(chosen)
        else:
            self.source_changed.emit()

    def _match(self, wanted: str) -> EngineFinding | None:
        if not wanted:
            return None
        if wanted == BUNDLED:
            return self.bundled
        chosen = [f for f in self.engines if f.ref.found_in == "chosen"]
        found = [f for f in self.engines if f.ref.path == wanted and f.ref.kind != BUNDLED] or chosen
        return found[0] if found else None

    def _default(self) -> EngineFinding | None:
        """The user's own engine before the bundled one."""
        usable = [f for f in self.engines if f.facts is not None]
        return min(usable, key=lambda f: f.ref.kind == BUNDLED, default=None)

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
        self.warned.emit(event.message)


def _for_sample(workload: Workload) -> bool:
    return workload.id.startswith(SAMPLE_PROMPT)


def _whole(text: str, default: int, low: int, high: int) -> int:
    return int(text) if text.isdigit() and low <= int(text) <= high else default
