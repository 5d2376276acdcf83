"""What the table of the history is asked for, and one row of it.

A table of 100 000 runs is a list of keys in order plus rows fetched when they come into view; neither knows
where it is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.core.verdict import Decision

Keys = NDArray[np.int64]
"""Keys of runs in the order of a table. A key is short and holds for one history file only; a run's id is
what stands in exports and survives a move to another history."""

SortColumn = Literal[
    "started_utc",
    "status",
    "kind",
    "model",
    "quant",
    "preset",
    "arm",
    "engine_build",
    "device",
    "n_max",
    "ctx_size",
    "decode_tok_s",
    "ttft_ms",
    "prefill_tok_s",
    "total_ms",
    "acceptance_rate",
    "load_ms",
    "vram_peak_bytes",
    "ram_peak_bytes",
    "requests_counted",
    "decision",
    "ratio",
    "starred",
]
SORT_COLUMNS: tuple[SortColumn, ...] = get_args(SortColumn)

FilterColumn = Literal["model", "quant", "preset", "arm", "engine", "device", "kind", "status", "decision"]
"""Columns whose different values make up a filter's box."""
FILTER_COLUMNS: tuple[FilterColumn, ...] = get_args(FilterColumn)

MOST_WORDS = 20
LONGEST_WORD = 200
"""Of a search; databases limit how long a pattern and how deep a condition may be."""


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """Which runs, in which order. Filters narrow together; within one filter any of its values will do.

    Attributes:
        text: Words that must all occur, in any case, somewhere in model, quantisation, preset, arm, engine,
            device, kind of experiment or note.
        models, quants, presets, arms, engines, devices, kinds, statuses, decisions: Values as
            :class:`RunSummary` shows them; none given means all. An empty text stands for "has none", e.g. a
            run without a verdict.
        experiments: Ids of experiments.
        since, until: Bounds of the start, with zone; ``until`` itself is outside.
        starred: Only those with a star.
        unstarred: Only those without one.
        outliers: Whether runs marked as outliers are left out, shown too, or shown alone.
        deleted: Whether runs marked as deleted are left out, shown too, or shown alone.
        sort, descending: The order. A run without the figure comes last either way; equal ones stand in the
            order they were stored, the newest first when descending. By ``decision`` the runs of the best
            decision with the largest gain come first when descending; those that were not judged themselves,
            such as off and failed runs, last either way.
        grouped: Runs of one experiment stand together, the experiment whose first run comes first on top.
    """

    text: str = ""
    models: tuple[str, ...] = ()
    quants: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    statuses: tuple[RunStatus, ...] = ()
    decisions: tuple[Decision | Literal[""], ...] = ()
    experiments: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    starred: bool = False
    unstarred: bool = False
    outliers: Literal["hidden", "shown", "only"] = "shown"
    deleted: Literal["hidden", "shown", "only"] = "hidden"
    sort: SortColumn = "started_utc"
    descending: bool = True
    grouped: bool = False

    @property
    def values(self) -> dict[FilterColumn, tuple[str, ...]]:
        """Values asked for by column; columns that are not filtered are left out."""
        asked: dict[FilterColumn, tuple[str, ...]] = {
            "model": self.models,
            "quant": self.quants,
            "preset": self.presets,
            "arm": self.arms,
            "engine": self.engines,
            "device": self.devices,
            "kind": self.kinds,
            "status": tuple(status.value for status in self.statuses),
            "decision": self.decisions,
        }
        return {column: values for column, values in asked.items() if values}


def older_than(before: datetime, *, keep_starred: bool) -> HistoryQuery:
    """Runs that were started before a moment, to be deleted by choice; those that still run are left out."""
    ended = tuple(status for status in RunStatus if status is not RunStatus.RUNNING)
    return HistoryQuery(until=before, unstarred=keep_starred, statuses=ended)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One row of the table: a run with the figures derived from its counted requests.

    Figures are None where nothing counted, and while the run goes on. They follow ``core.stats``.

    Attributes:
        key: Of the run in this history file.
        model, quant: Name and quantisation of the model.
        engine: Its version line; ``engine_build`` is the number in it.
        device: Cards of the run by name, or the processor where there is none.
        n_max: Longest draft; None without MTP.
        ctx_size: Context of the running server, else the one that was asked for.
        acceptance_rate: Accepted over drafted tokens, 0 to 1.
        acceptance_length: L, tokens gained per round.
        vram_peak_bytes, ram_peak_bytes: Highest reading, of the card or of the engine's resident memory.
        requests: Requests of the counted phase that were not cancelled.
        requests_ok: Those of them that ended as a complete answer.
        requests_counted: Those that enter the figures.
        decision: Of the experiment's verdict.
        ratio: Decode rate of the run's arm over off, by that verdict.
        outlier: Marked by the user as not to be believed.
        deleted_utc: When it was marked as deleted; None if it is not.
        figures_known: False while the figures of an older history are still being worked out.
    """

    key: int
    id: str
    experiment_id: str
    kind: str
    arm: str
    preset: str
    start: int
    status: RunStatus
    started_utc: str
    ended_utc: str | None
    model: str
    quant: str
    engine: str
    engine_build: int | None
    device: str
    n_max: int | None
    ctx_size: int | None
    mtp_active: bool | None
    decode_tok_s: float | None
    ttft_ms: float | None
    prefill_tok_s: float | None
    total_ms: float | None
    acceptance_rate: float | None
    acceptance_length: float | None
    load_ms: float | None
    vram_peak_bytes: int | None
    ram_peak_bytes: int | None
    requests: int
    requests_ok: int
    requests_counted: int
    decision: str | None
    ratio: float | None
    failure: Message | None
    starred: bool
    outlier: bool
    note: str
    deleted_utc: str | None
    figures_known: bool


@dataclass(frozen=True, slots=True)
class ExperimentSummary:
    """The heading of an experiment in the table.

    Attributes:
        key: Of the run by which it was asked for.
        created_utc: When it was begun.
        model, quant: Of its runs; None where they differ.
        decision: Of its verdict; None without one.
        arm, ratio: The arm that won, else the fastest, and its decode rate over off; None where none was held
            against off.
    """

    key: int
    experiment_id: str
    kind: str
    created_utc: str
    model: str | None
    quant: str | None
    decision: str | None
    arm: str | None
    ratio: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Experiments of a table in which runs stand together by them, in its order.

    Attributes:
        begins: Where in the keys each begins.
        names: A number by which each is known whatever is asked for: the smallest key of its runs.
        totals: How many runs each has, filters left aside; those deleted only where they may be listed.
    """

    begins: Keys
    names: Keys
    totals: Keys


@dataclass(frozen=True, slots=True)
class HistoryCounts:
    """How many runs there are; ``deleted`` ones are in no other figure.

    ``requests`` are those of the counted phase of these runs.
    """

    runs: int
    experiments: int
    requests: int
    failed: int
    starred: int
    outliers: int
    deleted: int


@dataclass(frozen=True, slots=True)
class Marked:
    """How many runs of a selection there are, and how many of them carry each mark."""

    runs: int = 0
    starred: int = 0
    outliers: int = 0
    deleted: int = 0

    @classmethod
    def of(cls, rows: Iterable[RunSummary]) -> Marked:
        """Marks of rows that are at hand."""
        found = list(rows)
        return cls(
            len(found),
            sum(row.starred for row in found),
            sum(row.outlier for row in found),
            sum(row.deleted_utc is not None for row in found),
        )

    def __add__(self, other: Marked) -> Marked:
        """Those of both together."""
        return Marked(
            self.runs + other.runs,
            self.starred + other.starred,
            self.outliers + other.outliers,
            self.deleted + other.deleted,
        )


@dataclass(frozen=True, slots=True)
class Named:
    """What the beginning of an id may mean: keys of runs by their id, and ids of experiments."""

    runs: Mapping[str, int]
    experiments: tuple[str, ...]


def words(text: str) -> tuple[str, ...]:
    """Words of a search as they are compared: the beginnings of the first few, should a page be pasted."""
    found = dict.fromkeys(word[:LONGEST_WORD] for word in searchable([text]).split())
    return tuple(found)[:MOST_WORDS]


def searchable(texts: Iterable[str]) -> str:
    """Texts in which words are searched: in one case, without the character that ends texts in databases."""
    return "\n".join(text for text in texts if text).casefold().replace("\0", " ")


def grouped(keys: Keys, names: Keys, totals: Keys) -> tuple[Keys, Groups]:
    """Bring the members of each group together, groups in the order of their first member.

    Args:
        keys: In the order wanted within a group.
        names: The group of each key, a number from 0.
        totals: How many members there are of the group of each key.

    Returns:
        The keys in their new order, and the groups in theirs.
    """
    if not keys.size:
        return keys, Groups(keys, keys, keys)
    # A group is known by the place of its first member, so these sort as the groups should. Written from the
    # end, the first member is what stays.
    first = np.zeros(int(names.max()) + 1, np.int64)
    first[names[::-1]] = np.arange(keys.size - 1, -1, -1)
    places = first[names]
    order = np.argsort(places, kind="stable")
    begins = np.flatnonzero(np.diff(places[order], prepend=-1)).astype(np.int64)
    heads = order[begins]
    return keys[order], Groups(begins, names[heads], totals[heads])


def pages(keys: Keys, size: int) -> Iterator[Keys]:
    """Cut keys into pages."""
    for at in range(0, len(keys), size):
        yield keys[at : at + size]
