"""From words of a command line to runs of the history: filters, ids, beginnings of ids, and ``last``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Literal

import typer

from qtune.cli.waiting import wait_for
from qtune.core.errors import KnownError
from qtune.core.history_query import FilterColumn, HistoryQuery, RunSummary
from qtune.core.records import RunStatus
from qtune.core.taken_in import IMPORTED, LLAMA_BENCH
from qtune.core.verdict import Decision
from qtune.session.history_desk import HistoryDesk

Marked = Literal["shown", "hidden", "only"]
LAST = "last"
NAMED_IDS = 5
"""Ids an ambiguous beginning is told with."""


class Verdict(StrEnum):
    """Decisions by the words of the command line; typer takes no list of literals."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no_difference"
    TOO_FEW = "too_few"
    MTP_NOT_ACTIVE = "mtp_not_active"
    NONE = "none"


_DECIDED: dict[Verdict, Decision | Literal[""]] = {
    Verdict.BETTER: "better",
    Verdict.WORSE: "worse",
    Verdict.NO_DIFFERENCE: "no_difference",
    Verdict.TOO_FEW: "too_few",
    Verdict.MTP_NOT_ACTIVE: "mtp_not_active",
    Verdict.NONE: "",
}

Runs = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Ids of runs or experiments, their beginnings, or last.")
]
Words = Annotated[str, typer.Option("--text", help="Words that all occur in a run's names or note.")]
Models = Annotated[list[str] | None, typer.Option("--model", help="Name of a model, or a part of it.")]
Quants = Annotated[list[str] | None, typer.Option("--quant", help="Quantisation, or a part of it.")]
PresetNames = Annotated[list[str] | None, typer.Option("--preset", help="Preset of the run.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help="Kind of experiment: compare, fill, ...")]
Statuses = Annotated[list[RunStatus] | None, typer.Option("--status", help="How the run ended.")]
Decisions = Annotated[list[Verdict] | None, typer.Option("--decision", help="Verdict of its experiment.")]
Starred = Annotated[bool, typer.Option("--starred", help="Only runs with a star.")]
Engines = Annotated[
    list[str] | None, typer.Option("--engine", help="Version of the engine, or a part of it.")
]
Outliers = Annotated[
    Marked, typer.Option("--outliers", help="Runs marked as outliers: shown too, left out, or alone.")
]
Since = Annotated[str, typer.Option("--since", metavar="DATE", help="Started on that day or later.")]
Until = Annotated[str, typer.Option("--until", metavar="DATE", help="Started on that day or earlier.")]


@dataclass(frozen=True, slots=True)
class Filters:
    """What the options of a filter said."""

    text: str = ""
    models: Sequence[str] | None = None
    quants: Sequence[str] | None = None
    presets: Sequence[str] | None = None
    kinds: Sequence[str] | None = None
    statuses: Sequence[RunStatus] | None = None
    decisions: Sequence[Verdict] | None = None
    starred: bool = False
    since: str = ""
    until: str = ""
    engines: Sequence[str] | None = None
    outliers: Marked = "shown"

    def query(self) -> HistoryQuery:
        """The query as the options said it; values are still what was typed.

        Raises:
            typer.BadParameter: No date.
        """
        return HistoryQuery(
            text=self.text,
            models=tuple(self.models or ()),
            quants=tuple(self.quants or ()),
            presets=tuple(self.presets or ()),
            kinds=tuple(self.kinds or ()),
            statuses=tuple(self.statuses or ()),
            decisions=tuple(_DECIDED[decision] for decision in self.decisions or ()),
            starred=self.starred,
            engines=tuple(self.engines or ()),
            outliers=self.outliers,
            since=moment(self.since) if self.since else None,
            until=moment(self.until, whole_day=True) if self.until else None,
        )


def moment(text: str, *, whole_day: bool = False) -> datetime:
    """A date, or date and time, with zone; without one it is local.

    Args:
        text: ISO 8601.
        whole_day: Whether a date alone means the end of its day.

    Raises:
        typer.BadParameter: Anything else.
    """
    try:
        at = datetime.fromisoformat(text)
        if whole_day and _is_day(text):
            at += timedelta(days=1)
        return at if at.tzinfo is not None else at.astimezone()
    except (ValueError, OverflowError, OSError):
        raise typer.BadParameter(f"{text!r} is no date such as 2026-11-30 or 2026-11-30T18:00") from None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def completed(history: HistoryDesk, query: HistoryQuery) -> HistoryQuery:
    """The query with typed parts of names replaced by the names that are there."""

    def names(column: FilterColumn, typed: tuple[str, ...]) -> tuple[str, ...]:
        if not typed:
            return typed
        there = [value for value, _ in wait_for(history.values(column))]
        return tuple(dict.fromkeys(name for word in typed for name in _meant(word, there)))

    return replace(
        query,
        models=names("model", query.models),
        quants=names("quant", query.quants),
        presets=names("preset", query.presets),
        kinds=names("kind", query.kinds),
        engines=names("engine", query.engines),
    )


def _meant(word: str, there: Sequence[str]) -> list[str]:
    """Exactly that name if it is there, else those that hold it, else the word: nothing will be found."""
    wanted = word.casefold()
    whole = [value for value in there if value.casefold() == wanted]
    return whole or [value for value in there if wanted in value.casefold()] or [word]


def chosen(
    history: HistoryDesk, words: Sequence[str], deleted: Literal["hidden", "shown", "only"] = "shown"
) -> list[RunSummary]:
    """Runs that are named, each once, in the order of the words.

    Args:
        history: Where to look.
        words: Ids, unique beginnings of ids, or ``last`` for the newest run that is not deleted.
        deleted: Which runs of a named experiment are meant; a run's own id always means that run.

    Raises:
        KnownError: ``history_id_unknown``, ``history_id_ambiguous``, ``history_experiment_empty``,
            ``history_empty``.
    """
    keys = dict.fromkeys(key for word in words for key in _keys(history, word, deleted))
    return wait_for(history.page(keys))


def newest(history: HistoryDesk, statuses: tuple[RunStatus, ...] = (), *, measured_here: bool = False) -> int:
    """Key of the newest run of these.

    Args:
        history: Where to look.
        statuses: How it ended; any way if empty.
        measured_here: Leave out what came in from elsewhere without a command line.

    Raises:
        KnownError: ``history_empty``.
    """
    kinds: tuple[str, ...] = ()
    if measured_here:
        there = wait_for(history.values("kind"))
        kinds = tuple(kind for kind, _ in there if kind not in {IMPORTED, LLAMA_BENCH})
        if not kinds:
            raise KnownError("history_empty")
    keys, _ = wait_for(history.find(HistoryQuery(statuses=statuses, kinds=kinds)))
    if not keys.size:
        raise KnownError("history_empty")
    return int(keys[0])


def experiment_of(history: HistoryDesk, word: str) -> str | None:
    """Id of the experiment a word names, None if it names a run.

    Raises:
        KnownError: As :func:`chosen`.
    """
    return None if word == LAST else _named(history, word)[1]


def _keys(history: HistoryDesk, word: str, deleted: Literal["hidden", "shown", "only"]) -> list[int]:
    if word == LAST:
        return [newest(history)]
    run, experiment = _named(history, word)
    if experiment is None:
        return [] if run is None else [run]
    query = HistoryQuery(experiments=(experiment,), deleted=deleted, descending=False)
    keys, _ = wait_for(history.find(query))
    if not keys.size:
        raise KnownError("history_experiment_empty", given=word)
    return [int(key) for key in keys]


def _named(history: HistoryDesk, word: str) -> tuple[int | None, str | None]:
    """Key of the run, or id of the experiment, that a word means."""
    found = wait_for(history.named(word))
    if word in found.runs:
        return found.runs[word], None
    if word in found.experiments:
        return None, word
    ids = [*found.runs, *found.experiments]
    if not word or not ids:
        raise KnownError("history_id_unknown", given=word or "''")
    if len(ids) > 1:
        named = ", ".join(ids[:NAMED_IDS]) + (", ..." if len(ids) > NAMED_IDS else "")
        raise KnownError("history_id_ambiguous", given=word, ids=named)
    return (found.runs[ids[0]], None) if found.runs else (None, ids[0])
