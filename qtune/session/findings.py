"""What follows from a finished experiment, arm by arm: figures, gates, drift, diagnosis, calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from qtune.bench.context_sweep import DepthPoint, degradation, depth_changes
from qtune.bench.fill_plan import FillOutcome
from qtune.core.diagnosis import ArmSigns, Diagnosis, Pace, diagnose
from qtune.core.drift import Drift, output_drift
from qtune.core.form import check_form
from qtune.core.gates import (
    CalibratedPreset,
    GateFigures,
    GateResult,
    MeasuredArm,
    calibrate,
    check_gates,
    in_a_row,
)
from qtune.core.observation import typical_spread
from qtune.core.records import MemoryFacts, RequestRecord, RunRecord
from qtune.core.stats import ArmFigures, Spread, arm_figures, counts, pooled_acceptance
from qtune.core.verdict import BASELINE, ArmAnswer
from qtune.core.workload import Workload
from qtune.session.plans import ENDED, SCREEN, seen
from qtune.session.requests import ArmResult, MeasureResult

COURSE_LEAST: Final = 6
"""Counted requests in each half from which on a change of pace is judged."""
_BAD: Final = {"no": 0, "unknown": 1, "yes": 2}
"""How bad a verdict on spill is."""


@dataclass(frozen=True, slots=True)
class ArmFindings:
    """One arm over all its starts.

    Attributes:
        runs: Its starts, in order.
        figures: Over the counted requests of all starts.
        decode_tok_s: Median by text and start, then the geometric mean over the texts, as the ratio to off is
            made; with the range of the requests.
        format_rate: Share of answers that kept the form asked for, 0 to 1; None when none was asked for.
        gates: Promises of the preset, each with its reason.
        drift: Answers against those of off; None for off itself or when nothing could be compared.
        memory: Of the start with the highest peak; its verdict on spill is the worst of all starts.
        joule_per_token: Mean over the starts; None without a power meter.
    """

    arm: str
    preset: str
    runs: tuple[RunRecord, ...]
    requests: tuple[RequestRecord, ...]
    figures: ArmFigures
    decode_tok_s: Spread | None
    format_rate: float | None
    gates: tuple[GateResult, ...]
    drift: Drift | None
    memory: MemoryFacts | None
    joule_per_token: float | None

    @property
    def mtp_active(self) -> bool | None:
        """Whether MTP was proved in every start that asked for it."""
        known = [run.mtp_active for run in self.runs if run.mtp_active is not None]
        return all(known) if known else None


@dataclass(frozen=True, slots=True)
class Findings:
    """All arms, the bottleneck in words, the curve of a context sweep, and presets from measured arms.

    ``fill`` is the outcome of a fill test; such a test has no diagnosis.
    """

    arms: tuple[ArmFindings, ...]
    diagnosis: Diagnosis | None
    curve: tuple[DepthPoint, ...]
    calibrated: tuple[CalibratedPreset, ...]
    fill: FillOutcome | None = None


@dataclass(frozen=True, slots=True)
class JobResult:
    """A finished (or cancelled) job with what follows from it."""

    result: MeasureResult
    findings: Findings


def find(
    result: MeasureResult,
    workloads: Mapping[str, Workload],
    depths: Sequence[int] = (),
    fill: FillOutcome | None = None,
    free_at_fill: Mapping[str, int] | None = None,
) -> Findings:
    """Derive everything from the raw records of an experiment.

    Args:
        result: The experiment.
        workloads: Its prompts, by id.
        depths: Of a context sweep.
        fill: Outcome, where the experiment is a fill test.
        free_at_fill: Smallest free memory by arm, where fill tests of the same arms told it.
    """
    present = dict.fromkeys(r.run.arm for r in result.arms)
    asked = [name for name in dict.fromkeys(result.experiment.order) if name in present]
    names = [*asked, *(name for name in present if name not in asked)]
    grouped = {name: [r for r in result.arms if r.run.arm == name] for name in names}
    everything = _Everything(
        result=result,
        grouped=grouped,
        answers={a.arm: a for a in result.verdict.answers},
        forms={name: _format_rate(starts, workloads) for name, starts in grouped.items()},
        curve=degradation(seen(result.arms), names, depths) if depths else (),
    )
    arms = tuple(_arm(name, everything) for name in names)
    signs = {a.arm: _signs(a, everything, workloads) for a in arms if not a.arm.startswith(SCREEN)}
    diagnosis = diagnose(signs.get(BASELINE), [s for name, s in signs.items() if name != BASELINE])
    calibrated = _calibrated(arms, everything.answers, free_at_fill or {})
    told = diagnosis if arms and fill is None else None
    return Findings(arms, told, tuple(everything.curve), calibrated, fill)


@dataclass(frozen=True, slots=True)
class _Everything:
    """The experiment as a whole, which each arm is judged against."""

    result: MeasureResult
    grouped: Mapping[str, Sequence[ArmResult]]
    answers: Mapping[str, ArmAnswer]
    forms: Mapping[str, float | None]
    curve: Sequence[DepthPoint]


def _arm(name: str, everything: _Everything) -> ArmFindings:
    starts = everything.grouped[name]
    # A start that was broken off is done again; counting both would count its prompts twice.
    whole = [r for r in starts if r.run.status in ENDED] or starts
    requests = tuple(q for r in whole for q in r.requests)
    preset = starts[0].run.preset
    pairs = [(r.run, r.requests) for r in everything.result.arms]
    drift = None if name == BASELINE else output_drift(pairs, name)
    energies = [r.joule_per_token for r in starts if r.joule_per_token is not None]
    memories = [r.run.memory for r in starts if r.run.memory is not None]
    figured = arm_figures(requests)
    return ArmFindings(
        arm=name,
        preset=preset,
        runs=tuple(r.run for r in starts),
        requests=requests,
        figures=figured,
        decode_tok_s=typical_spread(seen(whole), name, figured.decode_tok_s),
        format_rate=everything.forms[name],
        gates=check_gates(preset, _gate_figures(name, everything)),
        drift=drift if drift is not None and drift.compared else None,
        memory=_memory(memories),
        joule_per_token=sum(energies) / len(energies) if energies else None,
    )


def _memory(memories: Sequence[MemoryFacts]) -> MemoryFacts | None:
    """The highest peak with the worst verdict, which may be that of another start."""
    if not memories:
        return None
    highest = max(memories, key=lambda m: m.peak or 0)
    worst = max((highest, *memories), key=lambda m: _BAD[m.spill])
    return replace(
        highest, spill=worst.spill, spill_reason=worst.spill_reason, spill_advice=worst.spill_advice
    )


def _gate_figures(name: str, everything: _Everything) -> GateFigures:
    answer = everything.answers.get(name)
    changes = depth_changes(everything.curve, name)
    starts = everything.grouped[name]
    return GateFigures(
        decision=None if answer is None else answer.ratio.decision,
        ratio=None if answer is None else answer.ratio.ratio,
        ttft_ratio=None if answer is None else answer.price.ttft,
        in_a_row=in_a_row(max((r.requests for r in starts), key=len)),
        depths=None if changes is None else changes[0],
        degradation_pct=None if changes is None else changes[1],
        degradation_off_pct=None if changes is None else changes[2],
        format_rate=everything.forms[name],
        format_rate_off=everything.forms.get(BASELINE),
        error_rate=_error_rate(starts),
        error_rate_off=_error_rate(everything.grouped.get(BASELINE, ())),
    )


def _error_rate(starts: Sequence[ArmResult]) -> float | None:
    ok_rate = arm_figures([q for r in starts for q in r.requests]).ok_rate
    return None if ok_rate is None else 1 - ok_rate


def _format_rate(starts: Sequence[ArmResult], workloads: Mapping[str, Workload]) -> float | None:
    kept = []
    for record in (q for r in starts for q in r.requests):
        workload = workloads.get(record.prompt_id)
        if workload is None or not workload.form or not counts(record):
            continue
        finished = record.times.finish_reason != "length"
        kept.append(check_form(workload.form, record.times.content, workload.schema, finished=finished))
    judged = [found for found in kept if found is not None]
    return sum(judged) / len(judged) if judged else None


def _signs(arm: ArmFindings, everything: _Everything, workloads: Mapping[str, Workload]) -> ArmSigns:
    figured, accepted = arm.figures, arm.figures.acceptance
    answer = everything.answers.get(arm.arm)
    changes = depth_changes(everything.curve, arm.arm)
    code = pooled_acceptance([q for q in arm.requests if counts(q) and _domain(q, workloads) == "code"])
    return ArmSigns(
        arm=arm.arm,
        decode_tok_s=None if arm.decode_tok_s is None else arm.decode_tok_s.median,
        ttft_ms=None if figured.ttft_ms is None else figured.ttft_ms.median,
        total_ms=None if figured.total_ms is None else figured.total_ms.median,
        free_min_bytes=None if arm.memory is None else arm.memory.free_min,
        spill="unknown" if arm.memory is None else arm.memory.spill,
        decision=None if answer is None else answer.ratio.decision,
        ratio=None if answer is None else answer.ratio.ratio,
        mtp_active=arm.mtp_active,
        drafted=None if accepted is None else accepted.drafted,
        accepted=None if accepted is None else accepted.accepted,
        accepted_on_code=None if code is None else code.rate,
        depths=None if changes is None else changes[0],
        degradation_pct=None if changes is None else changes[1],
        format_rate=arm.format_rate,
        course=None if everything.curve else _course(arm.requests),
    )


def _course(requests: Sequence[RequestRecord]) -> tuple[Pace, Pace] | None:
    """Its pace in the first and in the second half; None below so many requests that one could tell."""
    by_text: dict[str, list[RequestRecord]] = {}
    for record in filter(counts, requests):
        by_text.setdefault(record.prompt_id, []).append(record)
    # Text by text, lest a text that drafts well looks like a jump.
    halves = [(mine[: len(mine) // 2], mine[len(mine) - len(mine) // 2 :]) for mine in by_text.values()]
    early, late = ([q for half in halves for q in half[at]] for at in (0, 1))
    if len(early) < COURSE_LEAST:
        return None
    return _pace(arm_figures(early)), _pace(arm_figures(late))


def _pace(found: ArmFigures) -> Pace:
    rounds, accepted = found.rounds_per_s, found.acceptance
    return None if rounds is None else rounds.median, None if accepted is None else accepted.mean_len


def _domain(record: RequestRecord, workloads: Mapping[str, Workload]) -> str:
    workload = workloads.get(record.prompt_id)
    return "" if workload is None else workload.domain


def _calibrated(
    arms: Sequence[ArmFindings], answers: Mapping[str, ArmAnswer], free_at_fill: Mapping[str, int]
) -> tuple[CalibratedPreset, ...]:
    """Presets from the arms that were compared with off."""
    measured = [
        MeasuredArm(
            arm=a.arm,
            decision=answer.ratio.decision,
            decode_tok_s=a.decode_tok_s.median,
            free_at_fill_bytes=free_at_fill.get(a.arm),
            prefill_ratio=answer.price.prefill,
        )
        for a in arms
        if (answer := answers.get(a.arm)) is not None and a.decode_tok_s is not None
    ]
    return calibrate(measured) if measured else ()
