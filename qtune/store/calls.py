"""Everything that can be asked of the history's writer, one entry for each call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Literal

from qtune.core.clock import Clock
from qtune.core.incident import Incident, LadderStep
from qtune.core.machine_facts import TelemetrySample
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord
from qtune.core.taken_in import TakenIn
from qtune.core.verdict import Verdict
from qtune.store.entries import Entry, Mark, Note, Purge, TelemetryOfRun, VerdictOfExperiment, Withdrawal


class Calls(ABC):
    """The calls of the writer; each returns at once, its future resolves when the row is on disk."""

    def __init__(self, clock: Clock) -> None:
        """Take the moments of deletions from ``clock``."""
        self._clock = clock

    @abstractmethod
    def _submit(self, entry: Entry | None) -> Future[None]:
        """Queue an entry; None for a future that resolves when those of all before it have."""

    # -- what is measured ----------------------------------------------------------------------------------

    def add_experiment(self, record: ExperimentRecord) -> Future[None]:
        """Store a new experiment."""
        return self._submit(Entry("experiment", record))

    def save_verdict(self, experiment_id: str, verdict: Verdict) -> Future[None]:
        """Store what a stored experiment came to, in place of an earlier verdict."""
        return self._submit(Entry("verdict", VerdictOfExperiment(experiment_id, verdict)))

    def add_run(self, record: RunRecord) -> Future[None]:
        """Store a new run of a stored experiment; it belongs to this process."""
        return self._submit(Entry("run", record))

    def update_run(self, record: RunRecord) -> Future[None]:
        """Replace everything of a stored run but its id, its owner and the user's marks."""
        return self._submit(Entry("run_update", record))

    def add_request(self, record: RequestRecord) -> Future[None]:
        """Store one request of a stored run."""
        return self._submit(Entry("request", record))

    def save_telemetry(self, run_id: str, samples: Sequence[TelemetrySample]) -> Future[None]:
        """Store the whole series of a run, in place of an earlier one."""
        return self._submit(Entry("telemetry", TelemetryOfRun(run_id, tuple(samples))))

    def add_ladder_step(self, record: LadderStep) -> Future[None]:
        """Store one step on the ladder."""
        return self._submit(Entry("ladder_step", record))

    def add_incident(self, record: Incident) -> Future[None]:
        """Store one failure of a server; the run it names need not be stored."""
        return self._submit(Entry("incident", record))

    # -- the user's marks ----------------------------------------------------------------------------------

    def set_starred(self, run_ids: Iterable[str], on: bool) -> Future[None]:  # noqa: FBT001
        """Give runs a star, or take it; ids that are gone are no fault, here and below."""
        return self._mark("starred", run_ids, on=on)

    def set_outlier(self, run_ids: Iterable[str], on: bool) -> Future[None]:  # noqa: FBT001
        """Mark runs as not to be believed, or take the mark back. Nothing is removed or worked out anew."""
        return self._mark("outlier", run_ids, on=on)

    def set_note(self, run_id: str, text: str) -> Future[None]:
        """Store the user's words on a stored run, in place of earlier ones; empty removes them."""
        return self._submit(Entry("note", Note(run_id, text)))

    def mark_deleted(self, run_ids: Iterable[str]) -> Future[None]:
        """Mark runs as deleted as of now: hidden, but whole until :meth:`purge_deleted`."""
        return self._mark("deleted_utc", run_ids, on=True)

    def undelete(self, run_ids: Iterable[str]) -> Future[None]:
        """Take the mark of deletion back."""
        return self._mark("deleted_utc", run_ids, on=False)

    def purge_deleted(self) -> Future[None]:
        """Remove for good what is marked as deleted at this moment, with its requests and telemetry.

        Experiments that have no run left go too; a run that goes on stays. Incidents stay.
        """
        return self._submit(Entry("purge", Purge(self._now())))

    # -- what comes from a file ----------------------------------------------------------------------------

    def take_in(self, rows: TakenIn) -> Future[None]:
        """Store runs with all that is theirs in one transaction; those already there stay as they are."""
        return self._submit(Entry("taken_in", rows))

    def withdraw(self, run_ids: Iterable[str]) -> Future[None]:
        """Remove runs that were taken in but are still hidden; others of these ids stay."""
        return self._submit(Entry("withdrawal", Withdrawal(tuple(run_ids))))

    # -- the queue itself ----------------------------------------------------------------------------------

    def flush(self) -> Future[None]:
        """A future that resolves when those of all calls before this one have."""
        return self._submit(None)

    def _mark(
        self, name: Literal["starred", "outlier", "deleted_utc"], run_ids: Iterable[str], *, on: bool
    ) -> Future[None]:
        return self._submit(Entry("mark", Mark(name, tuple(run_ids), on, self._now())))

    def _now(self) -> str:
        return self._clock.utc().isoformat(timespec="seconds")
