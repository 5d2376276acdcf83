"""The desk: everything the window and the terminal can ask for, in one place, thread-safe and without Qt."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from qtune.core.errors import KnownError
from qtune.core.events import Event, Notice, ServerChanged, TelemetryTaken
from qtune.core.model_facts import ModelFacts
from qtune.core.presets import Preset
from qtune.core.records import (
    EngineFacts,
    EngineRef,
    ExperimentRecord,
    RequestRecord,
    RunRecord,
    TelemetrySample,
)
from qtune.core.workload import Workload
from qtune.engine.bundled import bundled_engine_available
from qtune.engine.find import find_engines
from qtune.engine.supervisor import LaunchSpec
from qtune.host.io_loop import IoLoop
from qtune.models.gguf_header import read_model
from qtune.models.sample import ensure_sample
from qtune.session.announcer import Announcer, Listener
from qtune.session.doctor import examine
from qtune.session.experiment import check_launch
from qtune.session.findings import JobResult
from qtune.session.job_runner import JobRunner
from qtune.session.jobs import JobRequest
from qtune.session.requests import (
    DoctorReport,
    EngineFinding,
    LaunchRequest,
)
from qtune.session.rooms import Rooms
from qtune.session.shelf import Shelf

log = logging.getLogger("qtune.session")


class Desk:
    """Owned by the composition root; every command may be called from any thread and returns at once.

    Futures end with a result or a ``KnownError``. Events are announced on whichever thread they happen
    (io, sampler); a listener must only hand them on.
    """

    def __init__(self, rooms: Rooms, io: IoLoop, shelf: Shelf, announcer: Announcer) -> None:
        self._rooms = rooms
        self._io = io
        self._shelf = shelf
        self._announcer = announcer
        self._readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="reader")
        self._jobs = JobRunner(rooms, announcer, shelf, self._facts, self._model)
        self._closed = False
        announcer.subscribe(self._watch_engine)
        rooms.sampler.subscribe(lambda sample: announcer.announce(TelemetryTaken(sample)))

    @property
    def presets(self) -> tuple[Preset, ...]:
        """The shipped presets, in the order of the cards."""
        return self._shelf.presets

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """The shipped prompts, the standard one first."""
        return self._shelf.workloads

    @property
    def folders(self) -> tuple[tuple[str, str], ...]:
        """Name and path of every folder the app writes to."""
        paths = self._shelf.paths
        return (
            ("settings", str(paths.settings_file)),
            ("history", str(paths.database_file)),
            ("logs", str(paths.logs)),
            ("cache", str(paths.cache)),
        )

    # -- events ------------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> None:
        """Announce every event to ``listener`` from now on, beginning with what was noticed at the start."""
        self._announcer.subscribe(listener)
        for message in self._shelf.notices:
            listener(Notice(message))

    # -- facts -------------------------------------------------------------------------------------------

    def find_engines(self, chosen: Path | None = None) -> Future[list[EngineFinding]]:
        """Find and probe engines, the chosen one first, the bundled one last."""
        return self._io.submit(self._find_engines(chosen))

    def read_model(self, path: Path) -> Future[ModelFacts]:
        """Read a GGUF header."""
        return self._readers.submit(read_model, path)

    def make_sample(self, progress: Callable[[float], None] | None = None) -> Future[ModelFacts]:
        """Write the sample model on first use; ``progress`` gets 0..1 on a worker thread."""

        def make() -> ModelFacts:
            return read_model(ensure_sample(self._shelf.paths.sample_dir, progress).q8_0)

        return self._readers.submit(make)

    def doctor(self, chosen: Path | None = None) -> Future[DoctorReport]:
        """Examine engines, cards, models and folders."""
        return self._io.submit(self._doctor(chosen))

    # -- the server --------------------------------------------------------------------------------------

    def start_server(self, request: LaunchRequest) -> Future[None]:
        """Launch a server and leave it running; ends when it is proved ready."""
        return self._io.submit(self._start_server(request))

    def stop_server(self) -> Future[None]:
        """Stop the running or starting server; also ends a measurement, keeping what is measured."""
        return self._io.submit(self._stop_server())

    def run_job(self, request: JobRequest) -> Future[JobResult]:
        """Comparison, search, sweep, soak and the other jobs; one job at a time."""
        return self._io.submit(self._jobs.run(request))

    def resume(self, experiment_id: str = "") -> Future[JobResult]:
        """Go on with an experiment that was cancelled or cut off by a crash; without id the newest run's."""
        return self._io.submit(self._jobs.resume(experiment_id))

    def unfinished(self) -> Future[ExperimentRecord | None]:
        """The newest experiment, if it was broken off and ``resume`` can go on with it."""
        return self._readers.submit(self._jobs.unfinished)

    def cancel(self) -> None:
        """Cancel the job in progress, keeping what is measured."""
        self._io.call(self._jobs.cancel)

    # -- history and preferences -------------------------------------------------------------------------

    def recent_runs(self, limit: int = 200) -> Future[list[tuple[RunRecord, list[RequestRecord]]]]:
        """Newest runs with their requests, newest first."""
        history = self._rooms.history.reader

        def read() -> list[tuple[RunRecord, list[RequestRecord]]]:
            return [(run, history.requests(run.id)) for run in history.runs(limit=limit)]

        return self._readers.submit(read)

    def telemetry_of(self, run_id: str) -> Future[list[TelemetrySample]]:
        """Stored telemetry of one run."""
        return self._readers.submit(self._rooms.history.reader.telemetry, run_id)

    def preference(self, key: str, default: str = "") -> str:
        """A stored preference of the app, e.g. ``language``, ``theme``, ``engine``, ``model``."""
        return self._shelf.preferences.text(key, default)

    def set_preferences(self, values: Mapping[str, str]) -> None:
        """Store preferences; a failure to write is announced as a notice, never raised."""
        try:
            self._shelf.preferences.store(values)
        except KnownError as error:
            self._announcer.announce(Notice(error.message))

    def close(self, timeout_s: float = 8.0) -> None:
        """Stop everything in order: job, server, sampler, history, threads. May be called twice."""
        if self._closed:
            return
        self._closed = True
        try:
            self._io.submit(self._stop_server()).result(timeout=timeout_s)
        except TimeoutError:
            log.warning("the engine did not stop within %s s; its guard ends it", timeout_s)
        self._rooms.sampler.stop()
        self._io.stop(timeout_s=2.0)
        self._readers.shutdown(wait=True, cancel_futures=True)
        self._rooms.history.close()

    def _watch_engine(self, event: Event) -> None:
        """Point the sampler at the engine's process as it comes and goes."""
        if isinstance(event, ServerChanged):
            self._rooms.sampler.watch_process(self._rooms.supervisor.pid)

    # -- on the io thread --------------------------------------------------------------------------------

    async def _find_engines(self, chosen: Path | None) -> list[EngineFinding]:
        refs = find_engines(chosen, os.environ, bundled_available=bundled_engine_available)
        return list(await asyncio.gather(*(self._finding(ref) for ref in refs)))

    async def _finding(self, ref: EngineRef) -> EngineFinding:
        try:
            return EngineFinding(ref, await self._facts(ref))
        except KnownError as error:
            return EngineFinding(ref, None, error.message)

    async def _facts(self, ref: EngineRef) -> EngineFacts:
        return await self._shelf.probes.facts(ref)

    async def _doctor(self, chosen: Path | None) -> DoctorReport:
        engines = await self._find_engines(chosen)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._readers, examine, self._rooms, tuple(engines), self._shelf.paths, self.folders
        )

    async def _model(self, path: Path) -> ModelFacts:
        return await asyncio.get_running_loop().run_in_executor(self._readers, read_model, path)

    async def _start_server(self, request: LaunchRequest) -> None:
        if self._jobs.busy:
            raise KnownError("job_busy")
        engine, model = await self._facts(request.engine), await self._model(Path(request.model_path))
        check_launch(request.settings, engine, model)
        spec = LaunchSpec(
            facts=engine, model_path=model.path, settings=request.settings, preset=request.preset
        )
        await self._rooms.supervisor.start(spec)

    async def _stop_server(self) -> None:
        self._jobs.cancel()
        await self._rooms.supervisor.stop()
