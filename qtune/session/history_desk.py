"""The history as window and terminal use it: find, look at, mark, export, import, check, back up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import ParamSpec, TypeVar

from qtune.core.changes import Change, changes
from qtune.core.errors import KnownError
from qtune.core.history_query import (
    ExperimentSummary,
    FilterColumn,
    Groups,
    HistoryCounts,
    HistoryQuery,
    Keys,
    Marked,
    Named,
    RunSummary,
)
from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun
from qtune.report.file_out import write_export
from qtune.session.exchange import Imported, StoredRuns, import_file
from qtune.session.exports import FORMS, ExportForm, ExportWords
from qtune.session.history_upkeep import all_faults
from qtune.session.run_comparison import RunComparison, compare_runs
from qtune.session.transfer import Transfer
from qtune.store.history import History
from qtune.store.upkeep import back_up, newest_copy

P = ParamSpec("P")
T = TypeVar("T")
MARKED_TOGETHER = 2000
"""Runs in one transaction of the writer."""


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """An experiment as it ended: its runs in the order they were started, with their requests."""

    record: ExperimentRecord
    verdict: Verdict | None
    runs: tuple[tuple[RunRecord, tuple[RequestRecord, ...]], ...]


def _in_turn(mark: Callable[[Sequence[str]], Future[None]], run_ids: Sequence[str]) -> None:
    """Mark many runs a few at a time, so that what is measured meanwhile is written in between."""
    for at in range(0, len(run_ids), MARKED_TOGETHER):
        mark(run_ids[at : at + MARKED_TOGETHER]).result()


class HistoryDesk:
    """Part of the desk. Every call returns at once; futures end with a result or a ``KnownError``."""

    def __init__(self, history: History, backups: Path, readers: ThreadPoolExecutor) -> None:
        self._history = history
        self._backups = backups
        self._readers = readers
        self._under_way: set[Transfer] = set()

    # -- looking ---------------------------------------------------------------------------------------------

    def find(self, query: HistoryQuery) -> Future[tuple[Keys, Groups | None]]:
        """Keys of the runs that match, in order; with ``query.grouped`` also the experiments in them."""
        return self._read(self._history.reader.grouped_run_ids, query)

    def page(self, keys: Iterable[int]) -> Future[list[RunSummary]]:
        """Rows of the table for these keys, in their order; runs that are gone are left out."""
        wanted = list(keys)
        return self._read(self._history.reader.page, wanted)

    def headings(self, keys: Iterable[int]) -> Future[list[ExperimentSummary]]:
        """The experiments of these runs, in their order; those of runs that are gone are left out."""
        wanted = list(keys)
        return self._read(self._history.reader.headings, wanted)

    def named(self, beginning: str) -> Future[Named]:
        """Runs and experiments whose id begins so, deleted ones too; the first few of each."""
        return self._read(self._history.reader.named, beginning)

    def values(self, column: FilterColumn) -> Future[list[tuple[str, int]]]:
        """Different values of a column with their number, for the box of a filter."""
        return self._read(self._history.reader.distinct, column)

    def counts(self) -> Future[HistoryCounts]:
        """How many runs, requests and so on there are."""
        return self._read(self._history.reader.counts)

    def details(self, key: int) -> Future[tuple[RunRecord, list[RequestRecord]] | None]:
        """One run with its raw requests; None if it is gone."""
        return self._read(self._history.reader.full, key)

    def details_of(self, run_ids: Sequence[str]) -> Future[list[ExportRun]]:
        """Runs by id with their raw requests, in this order; those that are gone are left out."""
        return self._read(self._by_id, tuple(run_ids))

    def keys_of(self, run_ids: Sequence[str]) -> Future[list[int]]:
        """Keys of runs by their ids, in this order; those that are gone are left out."""
        return self._read(self._history.reader.keys_by_id, tuple(run_ids))

    def marks(self, keys: Iterable[int]) -> Future[Marked]:
        """How many of these runs are there, starred, outliers, deleted; however many they are."""
        return self._read(self._history.reader.marks, list(keys))

    def verdict(self, experiment_id: str) -> Future[Verdict | None]:
        """The verdict as it was given when the experiment ended."""
        return self._read(self._history.reader.verdict, experiment_id)

    def experiment(self, experiment_id: str) -> Future[StoredExperiment | None]:
        """A stored experiment as it ended, with its deleted runs if it has no others; None if it is gone."""
        return self._read(self._experiment, experiment_id)

    def compare(
        self,
        run_ids: Sequence[str],
        whole: Collection[str] = (),
        *,
        most: int | None = None,
        base: str = "",
        beyond: int = 0,
    ) -> Future[RunComparison]:
        """Hold runs against each other, as ``compare_runs`` says; those that are gone are left out."""
        wanted, together = tuple(run_ids), frozenset(whole)

        def work() -> RunComparison:
            sources = self._by_id(wanted)
            return compare_runs(self._history.reader, sources, together, most=most, base=base, beyond=beyond)

        return self._read(work)

    # -- what changed since ----------------------------------------------------------------------------------

    def changes(self) -> Future[tuple[Change, ...]]:
        """Every update of engine, driver or power limit and what it did to the speed, the newest first."""
        return self._read(lambda: changes(self._history.reader.stack_runs()))

    def changes_of(self, key: int) -> Future[tuple[Change, ...]]:
        """What the update did that brought what a run stood on, as far as was known with that run."""
        return self._read(self._changes_of, key)

    def newest_changes(self) -> Future[tuple[Change, ...]]:
        """What the last update did, if the newest run came after it; with MTP and without."""
        return self._read(self._changes_of, None)

    # -- marking ---------------------------------------------------------------------------------------------

    def star(self, run_ids: Sequence[str], *, on: bool) -> Future[None]:
        """Star runs, or take the star away."""
        return self._history.writer.set_starred(run_ids, on)

    def mark_outlier(self, run_ids: Sequence[str], *, on: bool) -> Future[None]:
        """Mark runs as outliers; they stay in the history."""
        return self._history.writer.set_outlier(run_ids, on)

    def note(self, run_id: str, text: str) -> Future[None]:
        """Write a note on a run."""
        return self._history.writer.set_note(run_id, text)

    def delete(self, run_ids: Sequence[str]) -> Future[None]:
        """Hide runs; ``undelete`` brings them back until they are purged."""
        return self._history.writer.mark_deleted(run_ids)

    def ids(self, keys: Iterable[int]) -> Future[list[str]]:
        """Ids of runs by key, by which they are marked; runs that are gone are left out."""
        return self._read(self._history.reader.ids_of, list(keys))

    def delete_keys(self, keys: Iterable[int]) -> Future[list[str]]:
        """Hide runs by key; ends with the ids of those that were not hidden before, for the way back."""
        wanted = list(keys)

        def work() -> list[str]:
            ids = self._history.reader.ids_of(wanted, deleted=False)
            _in_turn(self._history.writer.mark_deleted, ids)
            return ids

        return self._read(work)

    def undelete(self, run_ids: Sequence[str]) -> Future[None]:
        """Bring deleted runs back."""
        return self._read(_in_turn, self._history.writer.undelete, tuple(run_ids))

    def undelete_keys(self, keys: Iterable[int]) -> Future[list[str]]:
        """Bring deleted runs back by key; ends with the ids of those that were deleted."""
        wanted = list(keys)

        def work() -> list[str]:
            listed = set(self._history.reader.ids_of(wanted, deleted=False))
            ids = [run_id for run_id in self._history.reader.ids_of(wanted) if run_id not in listed]
            _in_turn(self._history.writer.undelete, ids)
            return ids

        return self._read(work)

    def purge(self) -> Future[None]:
        """Really remove what was deleted."""
        return self._history.writer.purge_deleted()

    # -- exports and imports ---------------------------------------------------------------------------------

    def export_text(
        self,
        form: ExportForm,
        keys: Iterable[int],
        words: ExportWords | None = None,
        transfer: Transfer | None = None,
    ) -> Future[str]:
        """An export as text, for the clipboard or a terminal.

        Raises (in the future):
            KnownError: ``export_unsayable`` and others of ``report``, ``export_nothing``,
                ``history_cancelled``.
        """
        said, source = words or ExportWords(), self._source(keys, transfer)
        return self._transfer(source.transfer, lambda: "".join(FORMS[form].text(source, said)))

    def export_to(
        self,
        write: Callable[[str], object],
        form: ExportForm,
        keys: Iterable[int],
        words: ExportWords | None = None,
        transfer: Transfer | None = None,
    ) -> Future[None]:
        """Hand an export on in parts as it is made; ``write`` is called on a reader thread.

        Raises (in the future):
            KnownError: As ``export_text``.
            OSError: From ``write``.
        """
        said, source = words or ExportWords(), self._source(keys, transfer)

        def hand_on() -> None:
            for part in FORMS[form].text(source, said):
                write(part)

        return self._transfer(source.transfer, hand_on)

    def export_file(
        self,
        form: ExportForm,
        keys: Iterable[int],
        path: Path,
        words: ExportWords | None = None,
        transfer: Transfer | None = None,
    ) -> Future[Path]:
        """Write an export; a file of that name is replaced in one step, or stays as it was.

        Raises (in the future):
            KnownError: As ``export_text``; ``export_not_written``.
        """
        said, made, source = words or ExportWords(), FORMS[form], self._source(keys, transfer)

        def write() -> Path:
            write_export(path, made.content(source, said), executable=made.executable)
            return path

        return self._transfer(source.transfer, write)

    def import_file(self, path: Path, transfer: Transfer | None = None) -> Future[Imported]:
        """Take in runs that qtune exported as JSON or JSONL, or tests of llama-bench; all of it or nothing.

        Those already here, deleted ones too, are left as they are.

        Raises (in the future):
            KnownError: ``import_damaged`` with the place of the fault, ``import_foreign``, ``import_empty``,
                ``import_newer``, ``import_unreadable``, ``bench_file_damaged``, ``history_not_writable``,
                ``history_cancelled``; then nothing was taken in.
        """
        under_way = transfer or Transfer()
        return self._transfer(under_way, lambda: import_file(self._history, path, under_way))

    def cancel_transfers(self) -> None:
        """End every export and import at its next step, since nobody waits for them any more."""
        for transfer in list(self._under_way):
            transfer.cancel()

    # -- upkeep ----------------------------------------------------------------------------------------------

    def check(self) -> Future[list[Message]]:
        """What is wrong with the history, and what waits beside it; empty if nothing."""
        place = self._history.place
        beside = place if isinstance(place, Path) else place.waiting
        return self._read(all_faults, place, beside.parent)

    def back_up(self, folder: Path | None = None) -> Future[Path]:
        """Write a copy of the history, also while something is measured."""
        return self._read(back_up, self._history.place, folder or self._backups)

    def newest_copy(self) -> Future[datetime | None]:
        """When the newest copy in the folder of backups was written; None if there is none."""
        return self._read(newest_copy, self._backups)

    def _read(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> Future[T]:
        try:
            return self._readers.submit(work, *args, **named)
        except RuntimeError:  # its threads have ended, as they do while the window still closes
            ended: Future[T] = Future()
            ended.set_exception(KnownError("closing"))
            return ended

    def _transfer(self, transfer: Transfer, work: Callable[[], T]) -> Future[T]:
        self._under_way.add(transfer)
        future = self._read(work)
        future.add_done_callback(lambda _ended: self._under_way.discard(transfer))
        return future

    # -- on a reader thread ----------------------------------------------------------------------------------

    def _experiment(self, experiment_id: str) -> StoredExperiment | None:
        reader = self._history.reader
        record = reader.experiment(experiment_id)
        if record is None:
            return None
        runs = reader.runs(experiment_id, newest_first=False)
        runs = runs or reader.runs(experiment_id, newest_first=False, deleted=True)
        measured = tuple((run, tuple(reader.requests(run.id))) for run in runs)
        return StoredExperiment(record, reader.verdict(experiment_id), measured)

    def _changes_of(self, key: int | None) -> tuple[Change, ...]:
        runs = self._history.reader.stack_runs(key)
        if not runs:
            return ()
        newest = runs[0]
        alike = [replace(newest.place, mtp=mtp) for mtp in (newest.place.mtp, not newest.place.mtp)]
        return tuple(c for c in changes(runs) if c.place in alike and c.after == newest.stack)

    def _source(self, keys: Iterable[int], transfer: Transfer | None) -> StoredRuns:
        return StoredRuns(self._history.reader, tuple(keys), transfer or Transfer())

    def _by_id(self, run_ids: Sequence[str]) -> list[ExportRun]:
        reader = self._history.reader
        found = []
        for run_id in run_ids:
            run = reader.run(run_id)
            if run is not None:
                experiment = reader.experiment(run.experiment_id)
                found.append(ExportRun(run, tuple(reader.requests(run_id)), experiment))
        return found
