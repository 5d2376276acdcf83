"""A desk that plays the scripted session instead of running an engine; everything else is as the real one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from qtune.core.card_memory import MemoryPeak
from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.events import Event, JobFinished, RequestFinished, ServerChanged, TelemetryTaken
from qtune.core.machine_facts import GpuFacts, TelemetrySample
from qtune.core.memory_facts import MemoryView
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.core.stats import arm_figures
from qtune.session.desk import Listener
from qtune.session.fill import Fill
from qtune.session.findings import JobResult, find
from qtune.session.jobs import JobRequest, make_job, request_from_json, request_to_json
from qtune.session.plans import Plan, StartOrder
from qtune.session.requests import (
    ArmResult,
    DoctorReport,
    EngineFinding,
    LaunchRequest,
    MeasureResult,
    ModelEntry,
    ModelReport,
)
from tests.ui import fake_models
from tests.ui import fake_story as story
from tests.ui.fake_files import FakeFiles
from tests.ui.fake_history import FakeHistory
from tests.ui.fake_ladder import FakeWayBack, Trouble
from tests.ui.fake_places import FakePlaces


@dataclass
class Scene:
    """What this computer has, and how fast the story plays (1 is real time, 0 as fast as possible)."""

    engines: tuple[str, ...] = ("llama", "bundled")
    with_gpu: bool = True
    slowness: float = 0.0
    failure: Message | None = None
    with_history: bool = False
    hold: threading.Event | None = None
    """When given, playing stops where ``hold_when`` says so until it is set."""
    hold_when: Callable[[Event], bool] = lambda event: isinstance(event, RequestFinished)
    preferences: dict[str, str] = field(default_factory=dict)
    close_takes_s: float = 0.0
    search: Future[None] | None = None
    """When given, the search for engines ends when it does."""
    world: str = "usual"
    tokens: int = 150
    at_start: tuple[ModelFacts, ...] = (story.MODEL,)
    """Models that are known as soon as the window opens."""
    models: tuple[ModelFacts, ...] = fake_models.MODELS
    """What a search for models finds."""
    model_problems: tuple[Message, ...] = fake_models.PROBLEMS
    survey_hold: threading.Event | None = None
    """When given, a search for models waits behind its second model until it is set."""
    memory_known: bool = True
    remembered: bool = False
    """Whether earlier launches took the place of guesses about memory."""
    unfinished: ExperimentRecord | None = None
    """An experiment that was broken off; ``resume`` plays its request from the beginning."""
    trouble: Trouble = field(default_factory=Trouble)
    gpus: tuple[GpuFacts, ...] = (story.GPU,)
    past: FakeHistory = field(default_factory=FakeHistory)
    """What the History page reads."""
    places: FakePlaces = field(default_factory=FakePlaces)


class FakeDesk(FakeFiles, FakeWayBack):
    """Plays on a thread of its own, like the real one; ``calls`` remembers the commands it was given."""

    presets = story.PRESETS
    workloads = story.WORKLOADS

    def __init__(self, scene: Scene | None = None) -> None:
        self.scene = scene or Scene()
        self.calls: list[tuple[str, object]] = []
        self.closed = threading.Event()
        self.held = threading.Event()
        self._listeners: list[Listener] = []
        self._cancelled = threading.Event()
        self._threads: list[threading.Thread] = []
        self._end_ns = story.BASE_NS
        self._jobs_begun = 0
        self._sample: TelemetrySample | None = None
        self._set_up_ladder(self.scene.trouble)

    @property
    def history(self) -> FakeHistory:
        return self.scene.past

    @property
    def history_places(self) -> FakePlaces:
        return self.scene.places

    @property
    def engine_log_file(self) -> Path:
        return Path("/home/me/.local/state/qtune/logs/engine.log")

    # -- commands -------------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> None:
        self._listeners.append(listener)
        for event in self._notices_of_the_start():
            listener(event)

    def find_engines(self, chosen: Path | None = None) -> Future[list[EngineFinding]]:
        self.calls.append(("find_engines", chosen))
        known = {"llama": story.LLAMA, "bundled": story.BUNDLED}
        found = [EngineFinding(known[name].ref, known[name]) for name in self.scene.engines]
        if chosen is not None and all(str(chosen) != f.ref.path for f in found):
            ref = story.EngineRef("binary", (str(chosen),), str(chosen), "chosen")
            found.insert(0, EngineFinding(ref, None, Message.of("engine_foreign", path=str(chosen))))
        future: Future[list[EngineFinding]] = Future()
        search = self.scene.search or _ended(None)
        search.add_done_callback(lambda _: future.set_result(found))
        return future

    def read_model(self, path: Path) -> Future[ModelFacts]:
        self.calls.append(("read_model", path))
        for facts in (story.MODEL, story.SAMPLE, *fake_models.MODELS):
            if str(path) == facts.path:
                return _ended(facts)
        if path.is_dir():
            return _broken(KnownError("model_is_folder", path=str(path)))
        code = "model_not_gguf" if path.exists() else "model_missing"
        return _broken(KnownError(code, path=str(path)))

    def survey_models(
        self,
        folders: tuple[Path, ...] = (),
        *,
        ctx_size: int | None = None,
        engine: EngineFacts | None = None,
        cancel: threading.Event | None = None,
        found: Callable[[ModelEntry], None] | None = None,
    ) -> Future[ModelReport]:
        self.calls.append(("survey_models", ctx_size))
        del engine
        own = tuple(str(f) for f in folders) or tuple(self.preference("model_folders").splitlines())
        room, on_card = self._room(), self.scene.with_gpu
        entries = [
            fake_models.entry(model, ctx_size or 8192, room, on_card=on_card) for model in self.scene.models
        ]
        future: Future[ModelReport] = Future()
        problems, hold = self.scene.model_problems, self.scene.survey_hold
        self._run(lambda: future.set_result(fake_models.survey(entries, own, problems, cancel, found, hold)))
        return future

    def memory_view(
        self, model: ModelFacts, settings: ServerSettings, keep_bytes: int, engine: EngineFacts | None = None
    ) -> MemoryView | None:
        del engine
        view = fake_models.view(model, settings, keep_bytes, self._room(), on_card=self.scene.with_gpu)
        return fake_models.remembered(view) if view is not None and self.scene.remembered else view

    def _room(self) -> fake_models.Room | None:
        if not self.scene.memory_known:
            return None
        return fake_models.room_of(self._sample, with_gpu=self.scene.with_gpu)

    def make_sample(self, progress: Callable[[float], None] | None = None) -> Future[ModelFacts]:
        self.calls.append(("make_sample", None))
        future: Future[ModelFacts] = Future()

        def write() -> None:
            for step in range(5):
                self._wait(0.5)
                if progress is not None:
                    progress((step + 1) / 5)
            future.set_result(story.SAMPLE)

        self._run(write)
        return future

    def stop_server(self) -> Future[None]:
        self._cancelled.set()
        return super().stop_server()

    def run_job(self, request: JobRequest) -> Future[JobResult]:
        self.calls.append(("run_job", request))
        return self._start_job(request)

    def resume(self, experiment_id: str = "") -> Future[JobResult]:
        self.calls.append(("resume", experiment_id))
        request = request_from_json(self.scene.unfinished.request) if self.scene.unfinished else self._last
        return self._start_job(request)

    def unfinished(self) -> Future[ExperimentRecord | None]:
        return _ended(self.scene.unfinished)

    def _start_job(self, request: JobRequest) -> Future[JobResult]:
        self._cancelled.clear()
        self._last = request
        future: Future[JobResult] = Future()
        self._run(lambda: future.set_result(self._job(request)))
        return future

    def cancel(self) -> None:
        self.calls.append(("cancel", None))
        self._cancelled.set()

    def recent_runs(self, limit: int = 200) -> Future[list[tuple[RunRecord, list[RequestRecord]]]]:
        del limit
        return _ended(story.history(self.stage) if self.scene.with_history else [])

    def doctor(self, chosen: Path | None = None) -> Future[DoctorReport]:
        self.calls.append(("doctor", chosen))
        gpus = self.scene.gpus if self.scene.with_gpu else ()
        note = None if gpus else Message.of("no_nvidia_gpu", reason="the driver is not installed")
        folders = (
            ("settings", "/home/me/.config/qtune/settings.toml"),
            ("history", "/home/me/.local/share/qtune/qtune.db"),
            ("logs", "/home/me/.local/state/qtune/log"),
            ("cache", "/home/me/.cache/qtune"),
        )
        return _ended(DoctorReport(story.MACHINE, (), gpus, note, self.scene.at_start, folders, ()))

    def preference(self, key: str, default: str = "") -> str:
        return self.scene.preferences.get(key, default)

    def set_preferences(self, values: Mapping[str, str]) -> None:
        self.scene.preferences.update(values)

    def close(self, timeout_s: float = 8.0) -> None:
        self.calls.append(("close", timeout_s))
        self._cancelled.set()
        if self.scene.hold is not None:
            self.scene.hold.set()
        time.sleep(self.scene.close_takes_s)
        for thread in self._threads:
            thread.join(timeout_s)
        self.closed.set()

    # -- playing --------------------------------------------------------------------------------------------

    @property
    def stage(self) -> story.Stage:
        """The computer the story plays on."""
        if self.scene.with_gpu:
            return story.Stage()
        return story.Stage(story.SAMPLE, story.BUNDLED, with_gpu=False)

    def emit(self, *events: Event) -> None:
        """Announce events on the calling thread."""
        for event in events:
            if isinstance(event, TelemetryTaken):
                self._sample = event.sample
            for listener in self._listeners:
                listener(event)

    def play(self, script: Iterable[tuple[int, Event]]) -> list[Event]:
        """Announce a script at its own pace times ``slowness``; ends early when cancelled."""
        played: list[Event] = []
        began, first = time.perf_counter(), None
        for t_ns, event in script:
            first = t_ns if first is None else first
            due = (t_ns - first) / 1e9 * self.scene.slowness - (time.perf_counter() - began)
            if due > 0:
                self._cancelled.wait(due)
            if self._cancelled.is_set():
                break
            self._end_ns = t_ns
            self.emit(event)
            played.append(event)
            if self.scene.hold is not None and self.scene.hold_when(event):
                self.held.set()
                self.scene.hold.wait(30)
        return played

    def _job(self, request: JobRequest) -> JobResult:
        """Walk the real plan of a job over played starts, so that verdict and findings are real, too."""
        stage = self._stage_of(request)
        job = make_job(request, self.presets, self.workloads, stage.model)
        self._jobs_begun += 1
        experiment = ExperimentRecord(
            f"experiment-{self._jobs_begun}",
            job.plan.kind,
            job.plan.form,
            request.seed,
            "2026-11-30T09:41:00+00:00",
            request=request_to_json(request),
        )
        done: list[ArmResult] = []
        while (order := job.plan.next_start(done)) is not None and not self._cancelled.is_set():
            done.append(self._play_order(order, job.plan, experiment, done, stage))
        cancelled, failure = self._cancelled.is_set(), self.scene.failure
        result = MeasureResult(experiment, tuple(done), job.plan.verdict(done), cancelled, failure)
        depths = request.depths if request.kind == "sweep-context" else ()
        fill = job.plan.outcome(done) if isinstance(job.plan, Fill) else None
        found = JobResult(result, find(result, job.workloads, depths, fill))
        self.emit(JobFinished(request.kind, failure, cancelled))
        return found

    def _play_order(
        self,
        order: StartOrder,
        plan: Plan,
        experiment: ExperimentRecord,
        done: list[ArmResult],
        stage: story.Stage,
    ) -> ArmResult:
        arm = order.arm
        name = f"run-{experiment.id}-{arm.name}-{order.start}"
        run = story.run_record(name, arm.name, stage, arm.settings, arm.preset, order.start, experiment.id)
        if self.scene.failure is not None:
            return self._fail(run, stage, self.scene.failure)
        before = sum(len(result.requests) for result in done)
        requests, loads = plan.requests_left(done)
        start = story.Start(
            run,
            order.prompts,
            order.requests,
            before,
            before + requests,
            len(done) + 1,
            len(done) + loads,
            self.scene.tokens,
            order.filling,
        )
        played = self.play(story.play_start(start, stage, self._end_ns + story.S))
        if played and isinstance(played[-1], story.RunFinished):
            ended = played[-1]
        else:  # cancelled: the requests that ended are kept
            kept = tuple(event.record for event in played if isinstance(event, RequestFinished))
            cut = story.finished_run(run, stage, status=story.RunStatus.CANCELLED)
            ended = story.RunFinished(cut, kept)
            self.emit(ServerChanged(ServerState.STOPPING), ServerChanged(ServerState.STOPPED), ended)
        if order.filling:
            return self._weighed(ended, stage)
        return ArmResult(ended.run, ended.requests, arm_figures(ended.requests))

    def _weighed(self, ended: story.RunFinished, stage: story.Stage) -> ArmResult:
        """A start of a fill test: what it took at each share."""
        settings = ended.run.settings_requested
        planned = fake_models.estimate(fake_models.MODEL, settings, on_card=True)
        base = int(1.2 * story.GIB) + (0 if planned is None else planned.total_bytes)
        used = [base + n * 60 * 1024**2 for n in range(len(ended.requests))]
        peaks = tuple(MemoryPeak(size, 24 * story.GIB - size) for size in used)
        memory = story.MemoryFacts(
            "vram", int(1.2 * story.GIB), base, max(used, default=base), 24 * story.GIB
        )
        if not stage.with_gpu:
            return ArmResult(ended.run, ended.requests, arm_figures(ended.requests))
        run = story.replace(ended.run, memory=memory)
        return ArmResult(run, ended.requests, arm_figures(ended.requests), request_peaks=peaks)

    def _stage_of(self, request: JobRequest) -> story.Stage:
        model = story.SAMPLE if request.model_path == story.SAMPLE.path else story.MODEL
        engine = story.BUNDLED if request.engine.kind == "bundled" else story.LLAMA
        return story.Stage(model, engine, self.scene.with_gpu, request.base.ctx_size, world=self.scene.world)

    def _fail(self, run: RunRecord, stage: story.Stage, failure: Message) -> ArmResult:
        """The engine dies while it loads."""
        launch = LaunchRequest(stage.engine.ref, stage.model.path, run.settings_requested, run.preset)
        self.emit(story.RunStarted(run, 1, 1))
        self.emit(self._server(ServerState.STARTING, launch), self._server(ServerState.LOADING, launch))
        self.emit(story.LogArrived((*story.LOG[:5], "ggml_cuda: cudaMalloc failed: out of memory")))
        self.emit(ServerChanged(ServerState.CRASHED, failure))
        ended = story.finished_run(
            run, stage, status=story.RunStatus.FAILED, failure=failure, mtp_active=None
        )
        self.emit(story.RunFinished(ended, ()))
        return ArmResult(ended, (), arm_figures(()))

    def _server(self, state: ServerState, request: LaunchRequest) -> ServerChanged:
        stage = self.stage
        return ServerChanged(
            state, None, request.preset, request.settings, None, stage.model, stage.engine, 41233
        )

    def _wait(self, seconds: float) -> None:
        self._cancelled.wait(seconds * self.scene.slowness) if self.scene.slowness else None

    def _run(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name="fake-io", daemon=True)
        self._threads.append(thread)
        thread.start()


def _ended(value):  # noqa: ANN001, ANN202 - one line for every type
    future: Future = Future()
    future.set_result(value)
    return future


def _broken(error: KnownError):  # noqa: ANN202
    future: Future = Future()
    future.set_exception(error)
    return future
