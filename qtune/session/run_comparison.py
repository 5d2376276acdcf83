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
from qtune.core.run_difference import differing_settings, unfair
from qtune.core.settings import SettingValue
from qtune.core.side_by_side import (
    Side,
    SideFigures,
    decode_line,
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
        sides: The first is what the others are held against.
        joules: J/token by name of the side, where a board reported its power.
        decode: Decode rate in tok/s over seconds since the first request.
        memory: Bytes over seconds since the run began; empty without telemetry.
        depths: Decode and first token over filled context, by name of the side; only of context sweeps.
        settings: Settings that differ, with the value of each side's first run.
    """

    sides: tuple[SideFigures, ...]
    joules: dict[str, float]
    decode: tuple[Line, ...]
    memory: tuple[Line, ...]
    depths: tuple[DepthPoint, ...]
    settings: dict[str, tuple[SettingValue, ...]]
    unfair: tuple[Message, ...]


def compare_runs(reader: Reader, sources: Sequence[ExportRun], whole: Collection[str] = ()) -> RunComparison:
    """Hold runs against each other; reads their telemetry.

    Args:
        reader: Of the history they are from.
        sources: Runs with requests and experiment, the one to compare with first.
        whole: Ids of experiments that are compared arm by arm.
    """
    measured = [(source.run, source.requests) for source in sources]
    found = sides(measured, whole)
    telemetry = {run.id: reader.telemetry(run.id) for run, _ in measured}
    kinds = [source.experiment.kind for source in sources if source.experiment is not None]
    joules = {side.name: energy for side in found if (energy := _energy(side, telemetry)) is not None}
    decode = [Line(side.name, n, decode_line(one)) for side in found for n, one in enumerate(side.runs)]
    memory = [
        _memory(side.name, n, telemetry[run.id], run)
        for side in found
        for n, (run, _) in enumerate(side.runs)
    ]
    return RunComparison(
        sides=side_by_side(found),
        joules=joules,
        decode=tuple(line for line in decode if line.points),
        memory=tuple(line for line in memory if line.points),
        depths=_depths(found),
        settings=differing_settings([side.runs[0][0] for side in found]),
        unfair=tuple(unfair(measured, kinds)),
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
