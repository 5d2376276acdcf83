"""The history as window and terminal use it: find, look at, mark, export, import, check, back up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from qtune.core.errors import KnownError
from qtune.core.history_query import FilterColumn, HistoryCounts, HistoryQuery, Keys, Named, RunSummary
from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord, RunStatus
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun
from qtune.report.file_out import write_export
from qtune.report.json_import import import_json
from qtune.session.exports import FORMS, ExportForm, ExportWords
from qtune.store.history import History
from qtune.store.upkeep import back_up, check

IMPORT_MOST_BYTES = 512 * 1024**2
"""A larger file is not one that qtune exported by itself."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import: runs that are new, and those that were there before."""

    added: int
    known: int


class HistoryDesk:
    """Part of the desk. Every call returns at once; futures end with a result or a ``KnownError``."""

    def __init__(self, history: History, backups: Path, readers: ThreadPoolExecutor) -> None:
        self._history = history
        self._backups = backups
        self._readers = readers

    # -- looking ---------------------------------------------------------------------------------------------

    def find(self, query: HistoryQuery) -> Future[tuple[Keys, Keys | None]]:
        """Keys of the runs that match, in order; with ``query.grouped`` also where each experiment begins."""
        reader = self._history.reader

        def read() -> tuple[Keys, Keys | None]:
            return reader.grouped_run_ids(query) if query.grouped else (reader.run_ids(query), None)

        return self._readers.submit(read)

    def page(self, keys: Iterable[int]) -> Future[list[RunSummary]]:
        """Rows of the table for these keys, in their order; runs that are gone are left out."""
        wanted = list(keys)
        return self._readers.submit(self._history.reader.page, wanted)

    def named(self, beginning: str) -> Future[Named]:
        """Runs and experiments whose id begins so, deleted ones too; the first few of each."""
        return self._readers.submit(self._history.reader.named, beginning)

    def values(self, column: FilterColumn) -> Future[list[tuple[str, int]]]:
        """Different values of a column with their number, for the box of a filter."""
        return self._readers.submit(self._history.reader.distinct, column)

    def counts(self) -> Future[HistoryCounts]:
        """How many runs, requests and so on there are."""
        return self._readers.submit(self._history.reader.counts)

    def details(self, key: int) -> Future[tuple[RunRecord, list[RequestRecord]] | None]:
        """One run with its raw requests; None if it is gone."""
        return self._readers.submit(self._history.reader.full, key)

    def details_of(self, run_ids: Sequence[str]) -> Future[list[ExportRun]]:
        """Runs by id with their raw requests, in this order; those that are gone are left out."""
        return self._readers.submit(self._by_id, tuple(run_ids))

    def verdict(self, experiment_id: str) -> Future[Verdict | None]:
        """The verdict as it was given when the experiment ended."""
        return self._readers.submit(self._history.reader.verdict, experiment_id)

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

    def undelete(self, run_ids: Sequence[str]) -> Future[None]:
        """Bring deleted runs back."""
        return self._history.writer.undelete(run_ids)

    def purge(self) -> Future[None]:
        """Really remove what was deleted."""
        return self._history.writer.purge_deleted()

    # -- exports and imports ---------------------------------------------------------------------------------

    def export_text(
        self, form: ExportForm, keys: Iterable[int], words: ExportWords | None = None
    ) -> Future[str]:
        """An export as text, for the clipboard or a terminal.

        Raises (in the future):
            KnownError: ``export_unsayable`` and others of ``report``, ``export_nothing``.
        """
        wanted, said = list(keys), words or ExportWords()
        return self._readers.submit(lambda: "".join(FORMS[form].parts(self._runs(wanted), said)))

    def export_file(
        self, form: ExportForm, keys: Iterable[int], path: Path, words: ExportWords | None = None
    ) -> Future[Path]:
        """Write an export; a file of that name is replaced in one step, or stays as it was.

        Raises (in the future):
            KnownError: As ``export_text``; ``export_not_written``.
        """
        wanted, said, made = list(keys), words or ExportWords(), FORMS[form]

        def write() -> Path:
            write_export(path, made.parts(self._runs(wanted), said), executable=made.executable)
            return path

        return self._readers.submit(write)

    def import_file(self, path: Path) -> Future[Imported]:
        """Take in runs that qtune exported as JSON or JSONL; those already here are left as they are.

        Raises (in the future):
            KnownError: ``import_damaged`` with the place of the fault, ``import_foreign``, ``import_newer``,
                ``import_unreadable``; then nothing was taken in.
        """
        return self._readers.submit(self._import, path)

    # -- upkeep ----------------------------------------------------------------------------------------------

    def check(self) -> Future[list[Message]]:
        """What is wrong with the history; empty if nothing."""
        return self._readers.submit(check, self._history.database)

    def back_up(self, folder: Path | None = None) -> Future[Path]:
        """Write a copy of the history, also while something is measured."""
        return self._readers.submit(back_up, self._history.database, folder or self._backups)

    # -- on a reader thread ----------------------------------------------------------------------------------

    def _runs(self, keys: Sequence[int]) -> Iterator[ExportRun]:
        reader = self._history.reader
        experiments: dict[str, ExperimentRecord | None] = {}
        if not keys:
            raise KnownError("export_nothing")
        for run, requests in reader.fulls(keys):
            if run.experiment_id not in experiments:
                experiments[run.experiment_id] = reader.experiment(run.experiment_id)
            yield ExportRun(run, tuple(requests), experiments[run.experiment_id])

    def _by_id(self, run_ids: Sequence[str]) -> list[ExportRun]:
        reader = self._history.reader
        found = []
        for run_id in run_ids:
            run = reader.run(run_id)
            if run is not None:
                experiment = reader.experiment(run.experiment_id)
                found.append(ExportRun(run, tuple(reader.requests(run_id)), experiment))
        return found

    def _import(self, path: Path) -> Imported:
        runs = import_json(_text_of(path))
        reader, writer = self._history.reader, self._history.writer
        experiments: set[str] = set()
        added = 0
        waiting: list[Future[None]] = []
        for source in runs:
            if reader.run(source.run.id) is not None:
                continue
            experiment = source.experiment
            if experiment is None:
                begun = source.run.started_utc
                experiment = ExperimentRecord(source.run.experiment_id, "imported", "quick", 0, begun)
            if experiment.id not in experiments and reader.experiment(experiment.id) is None:
                waiting.append(writer.add_experiment(experiment))
            experiments.add(experiment.id)
            run = source.run
            if run.status is RunStatus.RUNNING:  # it runs somewhere else, or nowhere any more
                run = replace(run, status=RunStatus.INTERRUPTED)
            waiting.append(writer.add_run(run))
            waiting += [writer.add_request(request) for request in source.requests]
            added += 1
        for future in waiting:
            future.result()
        return Imported(added, len(runs) - added)


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > IMPORT_MOST_BYTES:
            raise KnownError("import_foreign", reason="it is larger than 512 MiB")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise KnownError("import_foreign", reason="it is not UTF-8 text") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise KnownError("import_unreadable", path=str(path), reason=reason) from error
