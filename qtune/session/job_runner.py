"""Runs one job at a time on the io loop, from the request to what follows from it; resumes it too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from qtune.bench.context_sweep import depth_prompt
from qtune.core.card_memory import MemoryPeak
from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.core.events import JobFinished, Notice
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import ExperimentRecord, RunStatus
from qtune.core.stats import arm_figures
from qtune.core.workload import Workload
from qtune.host.paths import resource_dir
from qtune.session.announcer import Announcer
from qtune.session.arm_walk import JobContext
from qtune.session.catalog import load_filler
from qtune.session.depth import CAUTION, DepthFiller
from qtune.session.experiment import begin, walk
from qtune.session.fill import Fill
from qtune.session.findings import JobResult, find
from qtune.session.job_progress import JobProgress
from qtune.session.jobs import Job, JobRequest, make_job, request_from_json, request_to_json
from qtune.session.launch_book import LaunchBook
from qtune.session.memory_evidence import memory_peaks
from qtune.session.plans import Plan
from qtune.session.preflight import preflight
from qtune.session.requests import ArmResult
from qtune.session.rooms import Rooms
from qtune.session.shelf import Shelf

FILLS_LOOKED_AT = 200
"""Newest runs among which fill tests of the compared arms are looked for."""
PREFLIGHT_S = 1.7
"""How long the idle computer is looked at before a job: three readings."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a job asks of others.

    Attributes:
        engine: What an engine says of itself.
        model: What a model's header says.
        make_room: Ends the server that is kept running, and whatever would start it again.
    """

    engine: Callable[[EngineRef], Awaitable[EngineFacts]]
    model: Callable[[Path], Awaitable[ModelFacts]]
    make_room: Callable[[], Awaitable[None]]


class JobRunner:
    """Belongs to the io loop."""

    def __init__(
        self,
        rooms: Rooms,
        announcer: Announcer,
        shelf: Shelf,
        launches: LaunchBook,
        facts: Facts,
    ) -> None:
        self._rooms = rooms
        self._announcer = announcer
        self._shelf = shelf
        self._launches = launches
        self._facts = facts
        self._cancel: asyncio.Event | None = None
        self._over = asyncio.Event()
        self._over.set()

    @property
    def busy(self) -> bool:
        """Whether a job is in progress."""
        return self._cancel is not None

    def cancel(self) -> None:
        """Cancel the job in progress, keeping what is measured."""
        if self._cancel is not None:
            self._cancel.set()

    async def ended(self) -> None:
        """Wait until no job is in progress; what it measured and how it ended is stored by then."""
        await self._over.wait()

    async def run(self, request: JobRequest, resumed: ExperimentRecord | None = None) -> JobResult:
        """Measure what was asked; ``resumed`` is an experiment to go on with.

        Raises:
            KnownError: ``job_busy``, or what forbids the job before anything is launched.
        """
        with self._turn() as cancel:
            return await self._announced(request, resumed, cancel)

    async def resume(self, experiment_id: str = "") -> JobResult:
        """Go on with the experiment of that id; with an empty id, with the newest one if it is unfinished.

        Raises:
            KnownError: ``nothing_to_resume``, ``not_resumable``, ``changed_since``, and those of ``run``.
        """
        with self._turn() as cancel:
            experiment = await asyncio.to_thread(self.unfinished, experiment_id)
            if experiment is None:
                raise KnownError("nothing_to_resume")
            return await self._announced(request_from_json(experiment.request), experiment, cancel)

    @contextmanager
    def _turn(self) -> Iterator[asyncio.Event]:
        """One job at a time; yields what cancels it, from the moment it was asked for."""
        if self._cancel is not None:
            raise KnownError("job_busy")
        self._cancel = asyncio.Event()
        self._over.clear()
        try:
            yield self._cancel
        finally:
            self._cancel = None
            self._over.set()

    async def _announced(
        self, request: JobRequest, resumed: ExperimentRecord | None, cancel: asyncio.Event
    ) -> JobResult:
        failure: Message | None = None
        try:
            found = await self._measured(anchored(request), resumed, cancel)
        except KnownError as error:
            failure = error.message
            raise
        else:
            failure = found.result.failure
            return found
        finally:
            self._announcer.announce(JobFinished(request.kind, failure, cancel.is_set()))

    async def _measured(
        self, request: JobRequest, resumed: ExperimentRecord | None, cancel: asyncio.Event
    ) -> JobResult:
        engine = await self._facts.engine(request.engine)
        model = await self._facts.model(Path(request.model_path))
        job = make_job(request, self._shelf.presets, self._shelf.workloads, model)
        done = [] if resumed is None else await asyncio.to_thread(self._stored, resumed)
        if resumed is not None:
            check_unchanged(resumed, done, job, engine, model)
        prompts = dict(job.workloads)
        context = JobContext(
            rooms=self._rooms,
            engine=engine,
            model=model,
            workloads=prompts,
            sampling=request.sampling,
            seed=request.seed,
            max_tokens=request.max_tokens,
            announce=self._announcer.announce,
            cancel=cancel,
            progress=JobProgress(self._rooms.clock, self._announcer.announce),
            launches=self._launches,
            prepare=_filler(request, job.plan, prompts),
        )
        experiment = resumed or await begin(context, job.plan, request_to_json(request))
        if not cancel.is_set():  # else nothing is measured, and a server that runs need not make room
            await self._facts.make_room()
            context = replace(context, preflight=await self._preflight())
        result = await walk(context, job.plan, experiment, done)
        await asyncio.wrap_future(self._rooms.history.writer.save_verdict(experiment.id, result.verdict))
        depths = request.depths if request.kind == "sweep-context" else ()
        fill = job.plan.outcome(result.arms) if isinstance(job.plan, Fill) else None
        filled: dict[str, int] = {}
        # A shared history may be out of reach just now: then nothing is known of earlier fill tests.
        with suppress(KnownError):
            filled = await asyncio.to_thread(self._free_at_fill, model, result.arms)
        return JobResult(result, find(result, prompts, depths, fill, filled))

    def _free_at_fill(self, model: ModelFacts, arms: Sequence[ArmResult]) -> dict[str, int]:
        """Smallest free memory of each arm in the newest fill test of the same model and settings."""
        reader = self._rooms.history.reader
        wanted = {r.run.settings_requested: r.run.arm for r in arms}
        found: dict[str, int] = {}
        for run in reader.runs(limit=FILLS_LOOKED_AT):
            arm = wanted.get(run.settings_requested)
            free = None if run.memory is None else run.memory.free_min
            if arm is None or arm in found or free is None or run.status is not RunStatus.DONE:
                continue
            experiment = reader.experiment(run.experiment_id)
            if run.model.path == model.path and experiment is not None and experiment.kind == "fill":
                found[arm] = free
        return found

    async def _preflight(self) -> tuple[Message, ...]:
        """What speaks against a fair measurement, said at once and kept with the runs."""
        # Our own start-up has just kept the processor busy, so only readings from now on count.
        began_ns = self._rooms.clock.now_ns()
        await asyncio.sleep(PREFLIGHT_S)
        latest = self._rooms.sampler.samples_between(began_ns, self._rooms.clock.now_ns())
        found = await asyncio.to_thread(preflight, latest)
        for message in found:
            self._announcer.announce(Notice(message))
        return found

    def _stored(self, experiment: ExperimentRecord) -> list[ArmResult]:
        """Starts of an experiment as they lie in the history, oldest first."""
        reader = self._rooms.history.reader
        found = []
        for run in reader.runs(experiment.id, newest_first=False):
            requests = tuple(reader.requests(run.id))
            peaks: tuple[MemoryPeak | None, ...] = ()
            if experiment.kind == "fill":
                peaks = memory_peaks(reader.telemetry(run.id), requests, run)
            found.append(ArmResult(run, requests, arm_figures(requests), request_peaks=peaks))
        return found

    def unfinished(self, experiment_id: str = "") -> ExperimentRecord | None:
        """An experiment that can be gone on with: that of the id, else the newest if its plan wants more.

        Reads the history, so not on the io loop.
        """
        reader = self._rooms.history.reader
        if experiment_id:
            return reader.experiment(experiment_id)
        newest = reader.runs(limit=1)
        experiment = reader.experiment(newest[0].experiment_id) if newest else None
        if experiment is None or not experiment.request:
            return None
        try:
            request = request_from_json(experiment.request)
            job = make_job(request, self._shelf.presets, self._shelf.workloads, newest[0].model)
            return None if job.plan.next_start(self._stored(experiment)) is None else experiment
        except KnownError:
            return None  # a prompt or preset that is gone: nothing that could be offered


def anchored(request: JobRequest) -> JobRequest:
    """The request with its files by full path, so that it can be resumed from any folder."""
    prompts = tuple(
        f"@{Path(name[1:]).expanduser().absolute()}" if name.startswith("@") else name
        for name in request.prompts
    )
    return replace(request, model_path=str(Path(request.model_path).absolute()), prompts=prompts)


def check_unchanged(
    resumed: ExperimentRecord, done: Sequence[ArmResult], job: Job, engine: EngineFacts, model: ModelFacts
) -> None:
    """Refuse to mix what was measured with another engine, model or prompt.

    Raises:
        KnownError: ``changed_since``.
    """
    if resumed.prompt_id != ",".join(job.workloads):
        raise KnownError("changed_since", what="a prompt")
    for result in done:
        if result.run.engine.version != engine.version:
            raise KnownError("changed_since", what="the engine")
        if result.run.model.size_bytes != model.size_bytes:
            raise KnownError("changed_since", what="the model")


def _filler(request: JobRequest, plan: Plan, workloads: dict[str, Workload]) -> DepthFiller | None:
    if request.kind == "sweep-context":
        depths = {depth_prompt(depth): depth for depth in request.depths}
        prose = load_filler(resource_dir(), request.language)
        return DepthFiller(workloads, lambda name, _: depths[name], prose, request.seed)
    if isinstance(plan, Fill):
        prose = load_filler(resource_dir(), request.language)
        return DepthFiller(workloads, plan.depth_of, prose, request.seed, CAUTION)
    return None
