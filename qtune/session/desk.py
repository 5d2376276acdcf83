"""The desk: everything the window and the terminal can ask for, in one place, thread-safe and without Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path

from qtune.core.events import Event
from qtune.core.presets import Preset
from qtune.core.records import ModelFacts, RequestRecord, RunRecord, TelemetrySample
from qtune.core.workload import Workload
from qtune.session.requests import DoctorReport, EngineFinding, LaunchRequest, MeasureRequest, MeasureResult

Listener = Callable[[Event], None]


class Desk:
    """Owned by the composition root; every command may be called from any thread and returns at once.

    Futures end with a result or a ``KnownError``. Events are announced on whichever thread they happen
    (io, sampler); a listener must only hand them on.
    """

    presets: tuple[Preset, ...]
    workloads: tuple[Workload, ...]

    def subscribe(self, listener: Listener) -> None:
        """Announce every event to ``listener`` from now on."""
        raise NotImplementedError

    def find_engines(self, chosen: Path | None = None) -> Future[list[EngineFinding]]:
        """Find and probe engines, the chosen one first, the bundled one last."""
        raise NotImplementedError

    def read_model(self, path: Path) -> Future[ModelFacts]:
        """Read a GGUF header."""
        raise NotImplementedError

    def make_sample(self, progress: Callable[[float], None] | None = None) -> Future[ModelFacts]:
        """Write the sample model on first use; ``progress`` gets 0..1 on a worker thread."""
        raise NotImplementedError

    def start_server(self, request: LaunchRequest) -> Future[None]:
        """Launch a server and leave it running; ends when it is proved ready."""
        raise NotImplementedError

    def stop_server(self) -> Future[None]:
        """Stop the running or starting server; also ends a measurement, keeping what is measured."""
        raise NotImplementedError

    def measure(self, request: MeasureRequest) -> Future[MeasureResult]:
        """Measure; a server left running is stopped first. One job at a time."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Cancel the job in progress, keeping what is measured."""
        raise NotImplementedError

    def recent_runs(self, limit: int = 200) -> Future[list[tuple[RunRecord, list[RequestRecord]]]]:
        """Newest runs with their requests, newest first."""
        raise NotImplementedError

    def telemetry_of(self, run_id: str) -> Future[list[TelemetrySample]]:
        """Stored telemetry of one run."""
        raise NotImplementedError

    def doctor(self, chosen: Path | None = None) -> Future[DoctorReport]:
        """Examine engines, cards, models and folders."""
        raise NotImplementedError

    def preference(self, key: str, default: str = "") -> str:
        """A stored preference of the app, e.g. ``language``, ``theme``, ``engine``, ``model``."""
        raise NotImplementedError

    def set_preferences(self, values: Mapping[str, str]) -> None:
        """Store preferences; a failure to write is announced as a notice, never raised."""
        raise NotImplementedError

    def close(self, timeout_s: float = 8.0) -> None:
        """Stop everything in order: job, server, sampler, history, threads."""
        raise NotImplementedError
