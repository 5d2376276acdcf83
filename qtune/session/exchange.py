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
    """What came of an import.

    Attributes:
        new: Ids of the runs that were taken in, in the order of the file.
        known: How many were there before, deleted ones among them.
        deleted: Ids of those that are there, but were deleted; they stay so.
    """

    new: tuple[str, ...] = ()
    known: int = 0
    deleted: tuple[str, ...] = ()

    @property
    def added(self) -> int:
        """How many runs were taken in."""
        return len(self.new)


def import_file(history: History, path: Path, transfer: Transfer) -> Imported:
    """Read a file to its end, then take in what is new of it.

    Raises:
        KnownError: As ``HistoryDesk.import_file``; then nothing was taken in.
    """
    try:
        return _import(history, path, transfer)
    except KnownError as error:
        raise about_file(error, path) from error


def _import(history: History, path: Path, transfer: Transfer) -> Imported:
    try:
        size = path.stat().st_size
        if size == 0:
            raise KnownError("import_empty")
        # Once to find the faults, before anything is written; what the history has already is left out then.
        with path.open(encoding="utf-8") as file:
            seen = [run.run.id for run in _told(runs_of(file), file, size, transfer, half=0)]
        known = history.reader.known(seen)
        if known.left:
            history.writer.withdraw(known.left).result()
        new = tuple(run_id for run_id in seen if run_id not in known.stored)
        if new:
            with path.open(encoding="utf-8") as file:
                fresh = (
                    run
                    for run in _told(runs_of(file), file, size, transfer, half=1)
                    if run.run.id not in known.stored
                )
                _Intake(history).take(fresh)
    except OSError as error:
        raise KnownError("import_unreadable", path=str(path), reason=error.strerror or str(error)) from error
    transfer.step(1, 1)
    return Imported(new, len(known.stored), known.deleted)


_OF_FILE: Final = (
    "import_damaged", "import_foreign", "import_newer", "import_too_large", "import_empty",
    "bench_file_damaged", "bench_too_large", "import_utf16",
)  # fmt: skip
_DAMAGED: Final = ("import_damaged", "bench_file_damaged")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
"""Beginnings of files as PowerShell writes them."""
_HEAD: Final = 8192
"""Bytes at the beginning by which a file is told that was meant to be one of ours or of llama-bench."""


def about_file(error: KnownError, path: Path) -> KnownError:
    """The same fault with the name of the file.

    A place is told only of a file that begins as an export; of any other the place where it first is none
    would explain nothing.
    """
    message = error.message
    if message.code not in _OF_FILE:
        return error
    params = {**dict(message.params), "file": path.name}
    code = message.code
    if code in _DAMAGED and not _begins_as_export(path):
        code, params = "import_foreign", {"file": path.name}
    return KnownError(code, **params)


def _begins_as_export(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return b"qtune-export/" in head or b"build_commit" in head


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
                raise KnownError("bench_too_large", most=f"{WHOLE_MOST >> 20} MiB")
            return iter(bench_runs(import_llama_bench(text)))
    except UnicodeDecodeError:
        file.buffer.seek(0)
        code = "import_utf16" if file.buffer.read(2) in _UTF16 else "import_foreign"
        raise KnownError(code) from None
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
