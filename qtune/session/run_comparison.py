"""Runs of the history side by side: figures with intervals, the lines over time, and whether it is fair."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
        kinds: Kind of each run's experiment by the run's id, as far as known.
        beyond: Runs that were asked for beside these, but are too many to be compared.
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
    kinds: Mapping[str, str] = field(default_factory=dict)
    beyond: int = 0

    def left_out(self, shown: int) -> int:
        """How many runs of those asked for are not seen where only the first ``shown`` sides are."""
        return self.beyond + sum(len(side.side.runs) for side in self.sides[shown:])

    def of_first(self, most: int, base: str = "") -> RunComparison:
        """The same of the first ``most`` sides alone, in the order they are read in.

        Args:
            most: Sides to keep; what is said of runs is said of theirs only.
            base: Name of the side to hold the others against; the first of that order where it is empty.
        """
        kept = in_order([one.side for one in self.sides[:most]])
        names = {side.name for side in kept}
        joules = {name: joule for name, joule in self.joules.items() if name in names}
        decode, memory = (
            [line for side in kept for line in lines if line.side == side.name]
            for lines in (self.decode, self.memory)
        )
        found = _compared(kept, base, joules=joules, decode=decode, memory=memory, kinds=self.kinds)
        return replace(found, beyond=self.left_out(most))


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
    joules = {side.name: energy for side in found if (energy := _energy(side, telemetry)) is not None}
    decode = [Line(side.name, n, decode_line(one)) for side in found for n, one in enumerate(side.runs)]
    memory = [
        _memory(side.name, n, telemetry[run.id], run)
        for side in found
        for n, (run, _) in enumerate(side.runs)
    ]
    kinds = {source.run.id: source.experiment.kind for source in sources if source.experiment is not None}
    drawn = [[line for line in lines if line.points] for lines in (decode, memory)]
    return _compared(found, "", joules=joules, decode=drawn[0], memory=drawn[1], kinds=kinds)


def _compared(
    found: Sequence[Side],
    base: str,
    *,
    joules: dict[str, float],
    decode: Sequence[Line],
    memory: Sequence[Line],
    kinds: Mapping[str, str],
) -> RunComparison:
    firsts = [side.runs[0][0] for side in found]
    measured = [one for side in found for one in side.runs]
    return RunComparison(
        sides=side_by_side(found, base),
        base=base or next((side.name for side in found), ""),
        joules=joules,
        decode=tuple(decode),
        memory=tuple(memory),
        depths=_depths(found),
        facts=differing_facts(firsts),
        settings=differing_settings(firsts),
        unfair=tuple(unfair(measured, [kinds[run.id] for run, _ in measured if run.id in kinds])),
        kinds=kinds,
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
