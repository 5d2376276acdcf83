"""The desk: everything the window and the terminal can ask for, in one place, thread-safe and without Qt."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.core.events import Event, Notice, RunFinished, ServerChanged, TelemetryTaken
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing, LadderFacts, LadderView
from qtune.core.memory_facts import MemoryView
from qtune.core.model_facts import ModelFacts
from qtune.core.presets import Preset
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord
from qtune.core.settings import ServerSettings
from qtune.core.shell_quoting import Shell
from qtune.core.workload import Workload
from qtune.engine.bundled import bundled_engine_available
from qtune.engine.find import find_engines
from qtune.host.io_loop import IoLoop
from qtune.host.ports import LOOPBACK
from qtune.models.gguf_header import read_model
from qtune.session.announcer import Announcer, Listener
from qtune.session.doctor import examine
from qtune.session.dropped import Dropped, look_at, there
from qtune.session.findings import JobResult
from qtune.session.history_desk import HistoryDesk
from qtune.session.history_place import HistoryPlaces
from qtune.session.job_runner import Facts, JobRunner
from qtune.session.jobs import JobRequest
from qtune.session.keeper import Entry, Keeper
from qtune.session.ladder_record import LadderRecord
from qtune.session.ladder_report import ladder_report
from qtune.session.launch_book import LaunchBook
from qtune.session.launch_text import launch_text
from qtune.session.means import Means, Timing
from qtune.session.memory_book import MemoryBook
from qtune.session.prices import Prices
from qtune.session.requests import (
    DoctorReport,
    EngineFinding,
    LadderReport,
    LaunchRequest,
    ModelEntry,
    ModelReport,
    ServerAccess,
    SurveyRequest,
)
from qtune.session.rooms import Rooms
from qtune.session.rungs import Rungs
from qtune.session.shelf import Shelf
from qtune.session.trials import Trial, Trials, is_there

log = logging.getLogger("qtune.session")

BUSY_ANSWER_S = 1.0
"""Who asks is about to press a button and does not wait longer."""


class Desk:
    """Owned by the composition root; every command may be called from any thread and returns at once.

    Futures end with a result or a ``KnownError``. Events are announced on whichever thread they happen
    (io, sampler); a listener must only hand them on.
    """

    def __init__(self, rooms: Rooms, io: IoLoop, shelf: Shelf, announcer: Announcer, timing: Timing) -> None:
        self._for_this_run: dict[str, str] = {}
        self._rooms = rooms
        self._io = io
        self._shelf = shelf
        self._announcer = announcer
        self._readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="reader")
        self._history = HistoryDesk(rooms.history, shelf.paths.backups, self._readers)
        self._places = HistoryPlaces(rooms.history, shelf.paths, shelf.preferences, self._readers)
        self._memory = MemoryBook(rooms, shelf, announcer.announce)
        self._rungs = Rungs(self._memory.folders, self._memory.headers, shelf.preferences.text)
        self._trials = Trials(shelf.paths.trials, rooms.clock)
        self._prices = Prices()
        record = LadderRecord(rooms, announcer, self._trials)
        launches = LaunchBook(self._trials, record, self._memory, shelf)
        means = Means(
            trials=self._trials,
            launches=launches,
            record=record,
            prices=self._prices,
            preference=self.preference,
            model=self._model,
            ladder=self._rungs_below,
            timing=timing,
        )
        self._keeper = Keeper(rooms, announcer, means)
        facts = Facts(self._facts, self._model, self._keeper.stop)
        self._jobs = JobRunner(rooms, announcer, shelf, launches, facts)
        self._closed = False
        self._stale_dismissed = False
        announcer.subscribe(self._watch_engine)
        self._priced = self._readers.submit(self._prices.read, rooms.history.reader)
        rooms.sampler.subscribe(lambda sample: announcer.announce(TelemetryTaken(sample)))

    @property
    def safe_mode(self) -> bool:
        """Whether servers are started with MTP off and nothing is started by itself."""
        return self._shelf.safe_mode

    @property
    def history(self) -> HistoryDesk:
        """The history: find, look at, mark, export, import."""
        return self._history

    @property
    def history_places(self) -> HistoryPlaces:
        """Where the history is kept."""
        return self._places

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
            ("history", str(self._rooms.history.place)),
            ("logs", str(paths.logs)),
            ("cache", str(paths.cache)),
        )

    @property
    def engine_log_file(self) -> Path:
        """Where the engine's whole output is kept; there is no such file before the first launch."""
        return self._rooms.engine_log.file

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

    def known_engine(self) -> Future[EngineFacts | None]:
        """The engine that would be launched, as far as it was asked before; starts no process."""
        return self._readers.submit(self._known_engine)

    def read_model(self, path: Path) -> Future[ModelFacts]:
        """Read a GGUF header."""
        return self._readers.submit(self._read_model, path)

    def look_at(self, path: Path) -> Future[Dropped]:
        """Tell what a file is that was handed over."""
        return self._readers.submit(look_at, path)

    def there(self, paths: Iterable[str]) -> Future[frozenset[str]]:
        """Those of ``paths`` that exist."""
        return self._readers.submit(there, tuple(paths))

    def make_sample(self, progress: Callable[[float], None] | None = None) -> Future[ModelFacts]:
        """Write the sample model on first use; ``progress`` gets 0..1 on a worker thread."""

        def make() -> ModelFacts:
            # Writing a model needs a library that takes longer to import than most commands to run.
            from qtune.models.sample import ensure_sample  # noqa: PLC0415

            return read_model(ensure_sample(self._shelf.paths.sample_dir, progress).q8_0)

        return self._readers.submit(make)

    def survey_models(
        self,
        folders: tuple[Path, ...] = (),
        *,
        ctx_size: int | None = None,
        engine: EngineFacts | None = None,
        cancel: threading.Event | None = None,
        found: Callable[[ModelEntry], None] | None = None,
        card: str | None = None,
    ) -> Future[ModelReport]:
        """Search for models and say what fits.

        Args:
            folders: Only these; empty for the user's own, those of other programs, and the sample.
            ctx_size: Context the fit is shown for.
            engine: Whose build and devices count; without it what the driver names.
            cancel: Set it to end the search early; what was found by then is in the result.
            found: Called on a worker thread with each model as it is read.
            card: UUID of the card to hold them against; None for the user's choice.
        """
        wanted = SurveyRequest(folders, ctx_size, engine, card)
        return self._readers.submit(self._memory.survey, wanted, cancel, found)

    def memory_view(
        self,
        model: ModelFacts,
        settings: ServerSettings,
        keep_bytes: int,
        engine: EngineFacts | None = None,
    ) -> MemoryView | None:
        """What a launch would take against what is free now; quick, for any thread. None: header too poor."""
        return self._memory.view(model, settings, keep_bytes, engine)

    def doctor(self, chosen: Path | None = None) -> Future[DoctorReport]:
        """Examine engines, cards, models and folders."""
        return self._io.submit(self._doctor(chosen))

    # -- the server --------------------------------------------------------------------------------------

    def start_server(self, request: LaunchRequest, entry: Entry = "top") -> Future[None]:
        """Launch a server and keep it running; ends when it, or a rung below it, is proved.

        ``entry`` says where on the ladder below the request to begin.
        """
        return self._io.submit(self._start_server(request, entry))

    def roll_back(self) -> Future[None]:
        """One rung down the ladder: stop, relaunch, prove, record."""
        return self._io.submit(self._on_ladder(self._keeper.roll_back))

    def climb_back(self) -> Future[None]:
        """Undo the last rung."""
        return self._io.submit(self._on_ladder(self._keeper.climb_back))

    def ladder(self) -> LadderView | None:
        """What was asked, what is in force, and the rungs below; None before anything was started."""
        return self._keeper.view

    @property
    def keeping(self) -> bool:
        """Whether a server is looked after: started, watched, or about to be started again."""
        return self._keeper.at_work

    def server_access(self) -> ServerAccess | None:
        """How to reach the running server; None while none is ready. Another start, another key.

        Rungs and restarts by itself keep the address where the port is still free.
        """
        running = self._rooms.supervisor.running
        if running is None:
            return None
        return ServerAccess(f"http://{LOOPBACK}:{running.port}/v1", running.api_key)

    def server_busy(self) -> Future[bool | None]:
        """Whether the running server answers somebody now; None where it does not tell within a second."""
        return self._io.submit(self._server_busy())

    def ladder_report(self) -> Future[LadderReport]:
        """What is on disk about the ladder, also of other processes and earlier times."""
        return self._readers.submit(self._ladder_report)

    def start_last_good(self) -> Future[None]:
        """Start the newest settings that proved themselves, but not those that took us down last time."""
        return self._io.submit(self._start_last_good())

    def last_good(self) -> Future[Trial | None]:
        """What ``start_last_good`` would start: the user's default, else the newest that worked."""
        return self._readers.submit(self._good)

    def keep_as_default(self) -> Future[None]:
        """Make what runs now the user's default."""
        return self._io.submit(self._keep_as_default())

    @property
    def stale_trial(self) -> Trial | None:
        """The launch during which the app or the computer went down last time, until it is dismissed."""
        return self._shelf.stale_trial if not self._stale_dismissed else None

    def dismiss_stale_trial(self) -> Future[None]:
        """The user knows of it."""
        self._stale_dismissed = True
        return self._readers.submit(self._trials.dismiss_stale)

    def launch_text(self, request: LaunchRequest, shell: Shell) -> Future[str]:
        """The command line by which a request would be launched, without a key."""
        return self._io.submit(self._launch_text(request, shell))

    def known_bad(self, request: LaunchRequest) -> Future[Trial | None]:
        """Whether exactly this combination of build, model and settings failed before."""
        return self._io.submit(self._known_bad(request))

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

    def incidents(self, limit: int = 50) -> Future[list[Incident]]:
        """Newest failures of servers, newest first."""
        return self._readers.submit(lambda: self._rooms.history.reader.incidents(limit=limit))

    def ladder_steps(self, limit: int = 50) -> Future[list[LadderStep]]:
        """Newest steps on the ladder, newest first."""
        return self._readers.submit(lambda: self._rooms.history.reader.ladder_steps(limit=limit))

    def preference(self, key: str, default: str = "") -> str:
        """A stored preference of the app, e.g. ``language``, ``theme``, ``engine``, ``model``."""
        return self._for_this_run.get(key) or self._shelf.preferences.text(key, default)

    def set_for_this_run(self, key: str, value: str) -> None:
        """Put a preference aside for as long as this process runs; nothing is stored."""
        self._for_this_run[key] = value

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
        self._history.cancel_transfers()
        try:
            self._io.submit(self._end_all()).result(timeout=timeout_s)
        except TimeoutError:
            log.warning("the engine did not stop within %s s; its guard ends it", timeout_s)
        self._rooms.sampler.stop()
        self._io.stop(timeout_s=2.0)
        self._rooms.engine_log.close()
        self._readers.shutdown(wait=True, cancel_futures=True)
        self._rooms.history.close()

    def _watch_engine(self, event: Event) -> None:
        """Point the sampler at the engine's process as it comes and goes; learn what was measured."""
        if isinstance(event, ServerChanged):
            self._rooms.sampler.watch_process(self._rooms.supervisor.pid)
        elif isinstance(event, RunFinished):
            self._prices.learn(event.run, event.requests)

    # -- on the io thread --------------------------------------------------------------------------------

    async def _find_engines(self, chosen: Path | None) -> list[EngineFinding]:
        refs = find_engines(chosen, os.environ, bundled_available=bundled_engine_available)
        return list(await asyncio.gather(*(self._finding(ref) for ref in refs)))

    def _known_engine(self) -> EngineFacts | None:
        refs = find_engines(None, os.environ, bundled_available=bundled_engine_available)
        known = (self._shelf.probes.get(ref) for ref in refs)
        return next((facts for facts in known if facts is not None), None)

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
            self._readers, examine, self._rooms, tuple(engines), self._memory, self.folders
        )

    async def _model(self, path: Path) -> ModelFacts:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read_model, path)

    def _read_model(self, path: Path) -> ModelFacts:
        return self._memory.know(read_model(path))

    async def _launch_text(self, request: LaunchRequest, shell: Shell) -> str:
        model, engine = await self._model(Path(request.model_path)), await self._facts(request.engine)
        card, cards = self._memory.chosen_card()[0], await asyncio.to_thread(self._memory.cards)
        return launch_text(request, engine, model, shell, card=card, cards=cards)

    async def _start_server(self, request: LaunchRequest, entry: Entry = "top") -> None:
        self._refuse_while_measuring()
        footing = Footing(request.model_path, request.settings, request.preset)
        if self.safe_mode and (entry == "top" or request.settings.mtp):
            entry = "without_mtp"
        engine = await self._keeper.before_a_move(self._facts(request.engine))
        await self._keeper.start(footing, engine, entry)

    async def _on_ladder(self, move: Callable[[], Awaitable[None]]) -> None:
        self._refuse_while_measuring()
        await move()

    def _refuse_while_measuring(self) -> None:
        if self._jobs.busy:
            raise KnownError("job_busy")

    async def _server_busy(self) -> bool | None:
        running = self._rooms.supervisor.running
        if running is None:
            return False
        try:
            work = await asyncio.wait_for(running.probe.work(), BUSY_ANSWER_S)
        except TimeoutError:
            return None
        return None if work is None else work.busy

    async def _stop_server(self) -> None:
        self._jobs.cancel()
        await self._keeper.stop()

    async def _end_all(self) -> None:
        await self._stop_server()
        await self._jobs.ended()  # else the run that was cancelled would look as if we had crashed

    async def _start_last_good(self) -> None:
        reading = asyncio.get_running_loop().run_in_executor(self._readers, self._good)
        good = await self._keeper.before_a_move(reading)
        if good is None:
            raise KnownError("no_last_good")
        footing = good.footing
        await self._start_server(
            LaunchRequest(good.ref, footing.model_path, footing.settings, footing.preset)
        )

    def _good(self) -> Trial | None:
        return self._trials.last_good(self.stale_trial, is_there)

    def _ladder_report(self) -> LadderReport:
        wait([self._priced])
        return ladder_report(
            self._trials, self._rooms.history.reader, self._rungs, self._prices, self.stale_trial
        )

    async def _keep_as_default(self) -> None:
        trial, view = self._keeper.trial, self._keeper.view
        if trial is None or view is None or view.state != "in_force":
            raise KnownError("server_not_running")
        await asyncio.get_running_loop().run_in_executor(self._readers, self._trials.keep_default, trial)

    async def _known_bad(self, request: LaunchRequest) -> Trial | None:
        footing = Footing(request.model_path, request.settings, request.preset)
        trial = self._trials.trial(footing, await self._facts(request.engine))
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._trials.known_bad, trial)

    async def _rungs_below(self, asked: Footing) -> LadderFacts:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._rungs.below, asked)
