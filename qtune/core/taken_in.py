"""Runs that come from a file: what is stored of them together, all or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord
from qtune.core.verdict import Verdict

LLAMA_BENCH: Final = "llama-bench"
"""Kind of an experiment whose runs llama-bench measured."""
IMPORTED: Final = "imported"
"""Kind of one whose file does not tell what it was."""


@dataclass(frozen=True, slots=True)
class RunMarks:
    """What the user said of a run: a star, that it is an outlier, a note."""

    starred: bool = False
    outlier: bool = False
    note: str = ""


NO_MARKS: Final = RunMarks()


@dataclass(frozen=True, slots=True)
class TakenRun:
    """One run with all that belongs to it."""

    run: RunRecord
    requests: tuple[RequestRecord, ...] = ()
    marks: RunMarks = NO_MARKS


@dataclass(frozen=True, slots=True)
class TakenExperiment:
    """An experiment, and what it came to."""

    record: ExperimentRecord
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class TakenIn:
    """Rows that are stored in one transaction.

    Attributes:
        staged: Whether the runs stay hidden, because more of the same file follows.
    """

    experiments: tuple[TakenExperiment, ...]
    runs: tuple[TakenRun, ...]
    staged: bool = False
