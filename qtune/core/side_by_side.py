"""Stored runs held against each other: each side's figures, and its ratio to the first side, with intervals.

The method is that of the verdict: medians by prompt and start are the unit, ``core.interval`` makes the
interval, and with fewer than six of them there is none, only the range of what was seen. A side is a run by
itself, or all starts of an arm of an experiment.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from qtune.core.comparison import compare, lengths_apart
from qtune.core.interval import Interval, paired_interval
from qtune.core.messages import Message
from qtune.core.observation import (
    Figure,
    Observation,
    Table,
    centres,
    decode,
    log_ratios,
    observations,
    prefill,
    total,
    ttft,
)
from qtune.core.records import MemoryFacts
from qtune.core.run_difference import Measured
from qtune.core.verdict import BASELINE, Decision

FigureName = Literal["decode_tok_s", "ttft_ms", "total_ms", "prefill_tok_s"]
FIGURES: Final[Mapping[FigureName, Figure]] = {
    "decode_tok_s": decode,
    "ttft_ms": ttft,
    "total_ms": total,
    "prefill_tok_s": prefill,
}


@dataclass(frozen=True, slots=True)
class Side:
    """What is held against others.

    Attributes:
        name: Unlike that of any other side: the id of a run, or of an experiment with its arm.
        whole: Whether it is an arm of an experiment with all its starts.
    """

    name: str
    arm: str
    runs: tuple[Measured, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """A figure of one side.

    Attributes:
        centre: Geometric mean over the prompts of the medians by start.
        low, high: 95 % interval of measuring noise alone, in which prompts that differ have no share; the
            smallest and largest request where ``kind`` is ``range``.
        counted: Requests behind it.
    """

    centre: float
    low: float
    high: float
    kind: Literal["interval", "range"]
    counted: int


@dataclass(frozen=True, slots=True)
class Units:
    """What a figure rests on: so many texts, and the most starts in which one of them was measured."""

    texts: int
    starts: int

    @classmethod
    def of(cls, table: Table) -> Units | None:
        """Of values by text and start; None where there is none."""
        return cls(len(table), max(len(starts) for starts in table.values())) if table else None


@dataclass(frozen=True, slots=True)
class SideFigures:
    """A side with everything it is compared by.

    Attributes:
        levels: Figures by name; without those that no request told.
        against: Ratio to the base by figure, paired text by text; empty for the base itself. Only
            ``Interval.bounds`` may be shown beside it.
        decision: On the decode rate, as a verdict decides; None where nothing could be paired.
        units: What its own decode rate rests on.
        paired: What its ratio rests on.
        why: Why nothing could be paired with the base; None for the base itself.
        memory: That of the run with the highest peak.
        counted: Requests that count.
        dropped: Prompts left out of the ratios, and why.
    """

    side: Side
    levels: Mapping[FigureName, Level]
    against: Mapping[FigureName, Interval]
    decision: Decision | None
    memory: MemoryFacts | None
    counted: int
    units: Units | None = None
    paired: Units | None = None
    why: Message | None = None
    dropped: tuple[Message, ...] = ()


def sides(measured: Sequence[Measured], whole: Collection[str] = ()) -> tuple[Side, ...]:
    """Sides in the order of their first run.

    Args:
        measured: Runs with their requests.
        whole: Ids of experiments whose runs go together by arm; all others stand for themselves.
    """
    found: dict[str, list[Measured]] = {}
    for run, requests in measured:
        together = run.experiment_id in whole
        name = f"{run.experiment_id}/{run.arm}" if together else run.id
        found.setdefault(name, []).append((run, requests))
    return tuple(
        Side(name, runs[0][0].arm, tuple(runs), whole=runs[0][0].experiment_id in whole)
        for name, runs in found.items()
    )


def in_order(found: Sequence[Side]) -> tuple[Side, ...]:
    """The oldest first, arms of an experiment together, and before all others what they are held against.

    That is the off arm where exactly one side is one, else the oldest: so a gain is what came later. A side
    of which no request counts is held against nothing as long as there is another.
    """

    def group(side: Side) -> str:
        return side.runs[0][0].experiment_id if side.whole else side.name

    begun: dict[str, str] = {}
    for side in found:
        first = min(run.started_utc for run, _ in side.runs)
        begun[group(side)] = min(first, begun.get(group(side), first))
    ordered = sorted(found, key=lambda side: begun[group(side)])
    counting = [side for side in ordered if any(one.counts for one in side_observations(side))] or ordered
    offs = [side for side in counting if side.arm == BASELINE]
    base = offs[:1] if len(offs) == 1 else counting[:1]
    names = {side.name for side in base}
    return (*base, *(side for side in ordered if side.name not in names))


def side_by_side(found: Sequence[Side], base: str = "") -> tuple[SideFigures, ...]:
    """Figures of every side, the ratios to ``base`` among them: the name of a side, or else the first."""
    if not found:
        return ()
    seen = tuple(one for side in found for one in side_observations(side))
    names = [side.name for side in found]
    return tuple(_figures(side, seen, base if base in names else names[0]) for side in found)


def side_observations(side: Side) -> tuple[Observation, ...]:
    """Observations of a side under its name; starts are counted anew, so that first meets first."""
    numbers = {start: n for n, start in enumerate(sorted({run.start for run, _ in side.runs}), 1)}
    runs = [(replace(run, arm=side.name, start=numbers[run.start]), requests) for run, requests in side.runs]
    return observations(runs)


def _figures(side: Side, seen: Sequence[Observation], base: str) -> SideFigures:
    mine = [one for one in seen if one.arm == side.name]
    levels = {name: level for name, figure in FIGURES.items() if (level := _level(mine, side.name, figure))}
    other = side.name != base
    dropped = lengths_apart(seen, side.name, base) if other else ()
    answer = compare(seen, side.name, base) if other else None
    against: dict[FigureName, Interval] = {}
    paired = None
    if answer is not None:
        compared = {domain.prompt_id for domain in answer.domains}
        alike = [one for one in seen if one.prompt_id in compared]
        for name, figure in FIGURES.items():
            ratio = paired_interval(log_ratios(alike, side.name, base, figure))
            if ratio is not None:
                against[name] = ratio
        paired = Units.of(log_ratios(alike, side.name, base))
    memories = [run.memory for run, _ in side.runs if run.memory is not None]
    return SideFigures(
        side=side,
        levels=levels,
        against=against,
        decision=None if answer is None else answer.ratio.decision,
        memory=max(memories, key=lambda memory: memory.peak or 0, default=None),
        counted=sum(one.counts for one in mine),
        units=Units.of(centres(mine, side.name)),
        paired=paired,
        why=None if answer is not None or not other else _why(mine, seen, base, dropped),
        dropped=tuple(_of_arm(reason, side.arm) for _, reason in dropped),
    )


def _why(
    mine: Sequence[Observation],
    seen: Sequence[Observation],
    base: str,
    dropped: Sequence[tuple[str, Message]],
) -> Message:
    """Why a side and the base have no pair."""
    texts = {one.prompt_id for one in mine if one.counts}
    others = {one.prompt_id for one in seen if one.arm == base and one.counts}
    if not texts:
        return Message.of("side_empty")
    if not others:
        return Message.of("side_base_empty")
    left = (texts & others) - {prompt for prompt, _ in dropped}
    if left:
        return Message.of("side_other_starts")
    return Message.of("side_lengths_apart" if texts & others else "side_other_texts")


def _of_arm(reason: Message, arm: str) -> Message:
    """A reason that names the arm of a side in place of the side, whose name is an id."""
    return Message.of(reason.code, **(dict(reason.params) | {"arm": arm}))


def _level(mine: Sequence[Observation], name: str, figure: Figure) -> Level | None:
    values = [v for one in mine if one.counts and (v := figure(one)) is not None and v > 0]
    table = centres(mine, name, figure)
    logs = {prompt: {at: math.log(v) for at, v in cell.items()} for prompt, cell in table.items()}
    found = paired_interval(logs)
    if found is None or not values:
        return None
    if found.noise is None:
        return Level(found.ratio, min(values), max(values), "range", len(values))
    half = math.exp(found.noise)
    return Level(found.ratio, found.ratio / half, found.ratio * half, "interval", len(values))


def decode_line(measured: Measured) -> tuple[tuple[float, float], ...]:
    """Decode rate of each request that counts, over the seconds since the run's first request."""
    run, requests = measured
    if not requests:
        return ()
    begun = min(record.times.sent_ns for record in requests)
    ends = [r.times.ended_ns for r in requests if r.phase == "counted" and not r.times.cancelled]
    rates = [(one, end) for one, end in zip(observations([(run, requests)]), ends, strict=True) if one.counts]
    return tuple(
        ((end - begun) / 1e9, one.decode_tok_s) for one, end in rates if one.decode_tok_s is not None
    )
