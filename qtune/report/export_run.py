"""What every export is made of: a run with its requests and its experiment, and the arms they form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from qtune.core.decision import arm_facts, verdict
from qtune.core.errors import KnownError
from qtune.core.observation import observations, typical_spread
from qtune.core.records import ExperimentRecord, MemoryFacts, RequestRecord, RunRecord, RunStatus
from qtune.core.run_line import RunLine, Standing, judged, run_line
from qtune.core.stats import ArmFigures, Spread, arm_figures
from qtune.core.taken_in import NO_MARKS, RunMarks
from qtune.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class ExportRun:
    """One run as it stands in the history.

    Attributes:
        experiment: None where it belongs to none.
        verdict: What the experiment came to; None where it has not, or nobody asked.
        marks: What the user said of the run.
    """

    run: RunRecord
    requests: tuple[RequestRecord, ...] = ()
    experiment: ExperimentRecord | None = None
    verdict: Verdict | None = None
    marks: RunMarks = NO_MARKS


@dataclass(frozen=True, slots=True)
class ExportArm:
    """One arm of an experiment over all its starts.

    Attributes:
        runs: Its starts in order; the last one speaks for settings and memory is that of the highest peak.
        figures: Over the counted requests of all starts that ended.
        decode_tok_s: Median by text and start, then the geometric mean over the texts, as the ratio to off is
            made; with the range of the requests.
        memory: None where it was not read.
    """

    arm: str
    runs: tuple[ExportRun, ...]
    figures: ArmFigures
    decode_tok_s: Spread | None
    memory: MemoryFacts | None

    @property
    def last(self) -> RunRecord:
        """The newest start."""
        return self.runs[-1].run


MOST_EXPERIMENTS: Final = 20
"""Of which a card or a report tells at most."""


def by_experiment(runs: Iterable[ExportRun]) -> list[list[ExportRun]]:
    """Runs that were measured against each other, in the order the experiments first come.

    Arms of the same name in two experiments are not one arm: engine, settings and hour differ.

    Raises:
        KnownError: ``export_too_many`` for more experiments than a reader would follow; the rest of a large
            history is not read then.
    """
    found: dict[str, list[ExportRun]] = {}
    for source in runs:
        found.setdefault(source.run.experiment_id, []).append(source)
        if len(found) > MOST_EXPERIMENTS:
            raise KnownError("export_too_many", most=MOST_EXPERIMENTS)
    return list(found.values())


def arms_of(runs: Sequence[ExportRun]) -> tuple[ExportArm, ...]:
    """Runs grouped by arm, in the order the experiment asked for, then as they come."""
    asked = [name for r in runs if r.experiment is not None for name in r.experiment.order]
    names = dict.fromkeys([*asked, *(r.run.arm for r in runs)])
    grouped = {name: tuple(r for r in runs if r.run.arm == name) for name in names}
    return tuple(_arm(name, mine) for name, mine in grouped.items() if mine)


def _arm(name: str, runs: tuple[ExportRun, ...]) -> ExportArm:
    # A start that was broken off is done again; counting both would count its prompts twice.
    whole = [r for r in runs if r.run.status in {RunStatus.DONE, RunStatus.FAILED}] or runs
    memories = [r.run.memory for r in runs if r.run.memory is not None]
    figured = arm_figures([q for r in whole for q in r.requests])
    seen = observations((r.run, r.requests) for r in whole)
    return ExportArm(
        arm=name,
        runs=runs,
        figures=figured,
        decode_tok_s=typical_spread(seen, name, figured.decode_tok_s),
        memory=max(memories, key=lambda m: m.peak or 0) if memories else None,
    )


def verdict_of(runs: Sequence[ExportRun]) -> Verdict:
    """Verdict recomputed from the raw records, by the same rules as when they were measured."""
    pairs = [(r.run, r.requests) for r in runs]
    return verdict(observations(pairs), arm_facts([run for run, _ in pairs]))


def line_of(source: ExportRun) -> RunLine:
    """A run as one line of a table, its figures derived from its raw requests."""
    kind = "" if source.experiment is None else source.experiment.kind
    marks = source.marks
    standing = Standing(
        kind, *judged(source.verdict, source.run.arm), marks.starred, marks.outlier, marks.note
    )
    return run_line(source.run, source.requests, standing)


def one_line(text: str) -> str:
    """``text`` without line breaks and other control characters, for comments and titles."""
    return "".join(c if c.isprintable() else " " for c in text).strip()
