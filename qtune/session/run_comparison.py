"""Runs of the history side by side: figures with intervals, the lines over time, and whether it is fair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from qtune.bench.context_sweep import DepthPoint, degradation
from qtune.core.machine_facts import TelemetrySample
from qtune.core.messages import Message
from qtune.core.observation import Observation
from qtune.core.records import RequestRecord, RunRecord
from qtune.core.run_difference import Fact, differing_facts, differing_settings, unfair
from qtune.core.settings import SettingValue
from qtune.core.side_by_side import (
    Side,
    SideFigures,
    decode_line,
    in_order,
    side_by_side,
    side_observations,
    sides,
)
from qtune.report.export_run import ExportRun
from qtune.session.memory_evidence import joule_per_token, memory_line
from qtune.store.reader import Reader

Points = tuple[tuple[float, float], ...]
LINE_POINTS = 2000
"""Of a line, at most; a screen has no more columns."""
_DEPTH = "depth-"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a run.

    Attributes:
        side: Name of its side.
        start: Which of the side's runs, from 0.
        points: Seconds and value; NaN between two readings that are far apart.
        limit: What there is at most; None where it is not known.
    """

    side: str
    start: int
    points: Points
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Everything the window and the terminal show of a comparison.

    Attributes:
        base: Name of the side that the others are held against.
        joules: J/token by name of the side, where a board reported its power.
        decode: Decode rate in tok/s over seconds since the first request.
        memory: Bytes over seconds since the run began; empty without telemetry.
        depths: Decode and first token over filled context, by name of the side; only of context sweeps.
        facts: What the sides stood on and is not the same, with the value of each side's first run.
        settings: Settings that differ, likewise.
        beyond: Runs that were asked for beside these, but are not seen.
    """

    sides: tuple[SideFigures, ...]
    base: str
    joules: dict[str, float]
    decode: tuple[Line, ...]
    memory: tuple[Line, ...]
    depths: tuple[DepthPoint, ...]
    facts: dict[Fact, tuple[str, ...]]
    settings: dict[str, tuple[SettingValue, ...]]
    unfair: tuple[Message, ...]
    beyond: int = 0


def compare_runs(
    reader: Reader,
    sources: Sequence[ExportRun],
    whole: Collection[str] = (),
    *,
    most: int | None = None,
    base: str = "",
    beyond: int = 0,
) -> RunComparison:
    """Hold runs against each other; reads their telemetry. Takes long enough to need a thread of its own.

    Args:
        reader: Of the history they are from.
        sources: Runs with requests and experiment, in the order of their sides.
        whole: Ids of experiments that are compared arm by arm.
        most: Sides that are seen at once: what is said is said of the first so many, in the order that
            sides are read in (``in_order``). None: all of them, as they come.
        base: Name of the side to hold the others against; the first of those seen where it is none of them.
        beyond: How many runs were asked for that are not among these.
    """
    every = sides([(source.run, source.requests) for source in sources], whole)
    found = every if most is None else in_order(every[:most])
    measured = [one for side in found for one in side.runs]
    firsts = [side.runs[0][0] for side in found]
    names = [side.name for side in found]
    telemetry = {run.id: reader.telemetry(run.id) for run, _ in measured}
    lines = [
        (Line(side.name, n, decode_line(one)), _memory(side.name, n, telemetry[one[0].id], one[0]))
        for side in found
        for n, one in enumerate(side.runs)
    ]
    kinds = {source.run.id: source.experiment.kind for source in sources if source.experiment is not None}
    return RunComparison(
        sides=side_by_side(found, base),
        base=base if base in names else next(iter(names), ""),
        joules={side.name: energy for side in found if (energy := _energy(side, telemetry)) is not None},
        decode=tuple(decode for decode, _ in lines if decode.points),
        memory=tuple(memory for _, memory in lines if memory.points),
        depths=_depths(found),
        facts=differing_facts(firsts),
        settings=differing_settings(firsts),
        unfair=tuple(unfair(measured, [kinds[run.id] for run, _ in measured if run.id in kinds])),
        beyond=beyond + len(sources) - len(measured),
    )


def _energy(side: Side, telemetry: dict[str, list[TelemetrySample]]) -> float | None:
    """Mean over the starts, as findings of an experiment tell it."""
    found = [energy for run, requests in side.runs if (energy := _joules(run, requests, telemetry[run.id]))]
    return sum(found) / len(found) if found else None


def _joules(
    run: RunRecord, requests: Sequence[RequestRecord], samples: list[TelemetrySample]
) -> float | None:
    return joule_per_token(samples, requests, run, samples[0].t_ns) if samples else None


def _memory(side: str, start: int, samples: list[TelemetrySample], run: RunRecord) -> Line:
    points, total = memory_line(samples, run)
    step = 1 + len(points) // LINE_POINTS
    # Of each few readings the highest: a peak is what matters about memory.
    few = [max(points[at : at + step], key=lambda one: one[1]) for at in range(0, len(points), step)]
    return Line(side, start, _with_gaps([(at, float(used)) for at, used in few]), total)


def _with_gaps(points: Sequence[tuple[float, float]]) -> Points:
    """A line is broken where readings are missing; a straight stroke would look measured."""
    if len(points) < 3:
        return tuple(points)
    steps = sorted(after[0] - before[0] for before, after in pairwise(points))
    longest = 4 * max(steps[len(steps) // 2], 0.5)
    whole = [points[0]]
    for before, after in pairwise(points):
        if after[0] - before[0] > longest:
            whole.append(((before[0] + after[0]) / 2, float("nan")))
        whole.append(after)
    return tuple(whole)


def _depths(found: Sequence[Side]) -> tuple[DepthPoint, ...]:
    seen: list[Observation] = []
    for side in found:
        seen += [one for one in side_observations(side) if one.prompt_id.startswith(_DEPTH)]
    depths = sorted({int(one.prompt_id.removeprefix(_DEPTH)) for one in seen})
    if len(depths) < 2:
        return ()
    # What was never filled to a depth has nothing to say there.
    points = degradation(seen, [side.name for side in found], depths)
    return tuple(point for point in points if point.decode_tok_s is not None)
