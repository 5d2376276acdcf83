"""Runs leaving the history for an export, and runs of a file coming in: all of them or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TextIO, TypeVar

from qtune.core.errors import KnownError
from qtune.core.records import ExperimentRecord, RunStatus
from qtune.core.run_line import RunLine
from qtune.core.taken_in import IMPORTED, TakenExperiment, TakenIn, TakenRun
from qtune.core.verdict import Verdict
from qtune.report.bench_import import import_llama_bench, is_llama_bench
from qtune.report.bench_runs import bench_runs
from qtune.report.export_run import ExportRun
from qtune.report.json_import import WHOLE_MOST, read_export
from qtune.session.transfer import Transfer
from qtune.store.history import History
from qtune.store.reader import Reader

T = TypeVar("T")
TOGETHER: Final = 5_000
"""Requests written in one transaction: with more in a file, its runs stay hidden until the last is there."""


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Runs of the history for an export, read as the export is written; ``transfer`` is told of each."""

    reader: Reader
    keys: Sequence[int]
    transfer: Transfer

    def runs(self) -> Iterator[ExportRun]:
        """With all their requests, their experiment, and what the user said of them."""
        experiments: dict[str, tuple[ExperimentRecord | None, Verdict | None]] = {}
        for run, requests, marks in self._told(self.reader.wholes(self.keys)):
            of = run.experiment_id
            if of not in experiments:
                experiments[of] = self.reader.experiment(of), self.reader.verdict(of)
            yield ExportRun(run, tuple(requests), *experiments[of], marks)

    def lines(self) -> Iterator[RunLine]:
        """With their figures alone."""
        return self._told(self.reader.lines(self.keys))

    def _told(self, found: Iterable[T]) -> Iterator[T]:
        if not self.keys:
            raise KnownError("export_nothing")
        for done, one in enumerate(found):
            self.transfer.step(done, len(self.keys))
            yield one
        self.transfer.step(len(self.keys), len(self.keys))


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import: runs that are new, and those that were there before."""

    added: int
    known: int


def import_file(history: History, path: Path, transfer: Transfer) -> Imported:
    """Read a file to its end, then take in what is new of it.

    Raises:
        KnownError: As ``HistoryDesk.import_file``; then nothing was taken in.
    """
    try:
        size = path.stat().st_size
        # Once to find the faults, before anything is written; what the history has already is left out then.
        with path.open(encoding="utf-8") as file:
            seen = [run.run.id for run in _told(runs_of(file), file, size, transfer, half=0)]
        known, left = history.reader.known(seen)
        if left:
            history.writer.withdraw(left).result()
        if len(known) < len(seen):
            with path.open(encoding="utf-8") as file:
                fresh = (
                    r for r in _told(runs_of(file), file, size, transfer, half=1) if r.run.id not in known
                )
                _Intake(history).take(fresh)
    except OSError as error:
        raise KnownError("import_unreadable", path=str(path), reason=error.strerror or str(error)) from error
    transfer.step(1, 1)
    return Imported(len(seen) - len(known), len(known))


def _told(
    runs: Iterable[ExportRun], file: TextIO, size: int, transfer: Transfer, *, half: int
) -> Iterator[ExportRun]:
    for run in runs:
        transfer.step(half * size + file.buffer.tell(), 2 * size)
        yield run


def runs_of(file: TextIO) -> Iterator[ExportRun]:
    """Runs of an export of qtune, or tests of llama-bench as runs, whichever it is."""
    try:
        first = file.readline(WHOLE_MOST)
        file.seek(0)
        if is_llama_bench(first):
            text = file.read(WHOLE_MOST)
            if len(text) >= WHOLE_MOST:
                raise KnownError("import_foreign", reason="it is too large for tests of llama-bench")
            return iter(bench_runs(import_llama_bench(text)))
    except UnicodeDecodeError:
        raise KnownError("import_foreign", reason="it is not UTF-8 text") from None
    return read_export(file)


@dataclass(slots=True)
class _Intake:
    """Hands runs to the writer, many at a time; what is not the last of them stays hidden until it is."""

    history: History
    experiments: dict[str, TakenExperiment] = field(default_factory=dict)
    runs: list[TakenRun] = field(default_factory=list)
    requests: int = 0
    staged: list[str] = field(default_factory=list)

    def take(self, runs: Iterable[ExportRun]) -> None:
        try:
            for source in runs:
                self._add(source)
                if self.requests >= TOGETHER:
                    self._write(staged=True)
            self._write(staged=bool(self.staged))
            if self.staged:
                self.history.writer.undelete(self.staged).result()
        except BaseException:
            if self.staged:
                self.history.writer.withdraw(self.staged).result()
            raise

    def _add(self, source: ExportRun) -> None:
        run, experiment = source.run, source.experiment
        if experiment is None:
            experiment = ExperimentRecord(run.experiment_id, IMPORTED, "quick", 0, run.started_utc)
        self.experiments.setdefault(experiment.id, TakenExperiment(experiment, source.verdict))
        if run.status is RunStatus.RUNNING:  # it runs somewhere else, or nowhere any more
            run = replace(run, status=RunStatus.INTERRUPTED)
        self.runs.append(TakenRun(run, source.requests, source.marks))
        self.requests += len(source.requests) + 1

    def _write(self, *, staged: bool) -> None:
        if staged:
            self.staged += [taken.run.id for taken in self.runs]
        rows = TakenIn(tuple(self.experiments.values()), tuple(self.runs), staged)
        self.experiments, self.runs, self.requests = {}, [], 0
        if rows.runs:
            self.history.writer.take_in(rows).result()
