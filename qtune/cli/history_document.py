"""What ``qtune history`` says as plain JSON values; described in docs/json.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields

from qtune.cli.document import Json, said
from qtune.cli.experiment_document import (
    acceptance_json,
    effective_json,
    memory_json,
    model_json,
    request_json,
    spread_json,
    verdict_json,
)
from qtune.core.changes import Change
from qtune.core.history_query import HistoryCounts, RunSummary
from qtune.core.records import ExperimentRecord
from qtune.core.run_difference import changed_settings, device_names
from qtune.core.side_by_side import FIGURES, Level, SideFigures
from qtune.core.stats import arm_figures
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun
from qtune.session.run_comparison import RunComparison

Told = tuple[RunSummary, ExportRun]
"""A run as its row of the table and as its raw record."""


def list_json(rows: Sequence[RunSummary], found: int, counts: HistoryCounts) -> Json:
    """Result of ``qtune history list``."""
    return {"found": found, "runs": [row_json(row) for row in rows], "counts": asdict(counts)}


def row_json(row: RunSummary) -> Json:
    """A row of the table of runs; its key holds for one file only and is left out."""
    # Not asdict: it copies deeply, which a read-only mapping of a message does not allow.
    told = {field.name: getattr(row, field.name) for field in fields(row) if field.name != "key"}
    failure = None if row.failure is None else said(row.failure)
    return told | {"status": row.status.value, "failure": failure}


def show_json(runs: Sequence[Told], verdict: Verdict | None) -> Json:
    """Result of ``qtune history show``."""
    experiment = runs[0][1].experiment if runs else None
    return {
        "experiment": None if experiment is None else _experiment(experiment),
        "runs": [_run(row, source) for row, source in runs],
        "verdict": None if verdict is None else verdict_json(verdict),
    }


def compare_json(runs: Sequence[Told], found: RunComparison) -> Json:
    """Result of ``qtune history compare``: each run with its figures, and the sides they make up."""
    rows = [row_json(row) | {"figures": _figures(source)} for row, source in runs]
    return {
        "runs": rows,
        "sides": [_side(side, found.joules.get(side.side.name)) for side in found.sides],
        "depths": [asdict(point) for point in found.depths],
        "facts": [{"fact": key, "values": list(values)} for key, values in found.facts.items()],
        "settings": [{"setting": key, "values": list(values)} for key, values in found.settings.items()],
        "unfair": [said(message) for message in found.unfair],
    }


def change_json(change: Change) -> Json:
    """One update as a value of ``qtune history changes``."""
    return {
        "subject": change.subject,
        "direction": change.direction,
        "sentence": change.sentence.sentence(),
        "hint": change.sentence.hint(),
        "also": [said(message) for message in change.also],
        "model": change.place.model,
        "quant": change.place.quant,
        "device": change.place.device,
        "mtp": change.place.mtp,
        "arms": list(change.arms),
        "before": asdict(change.before),
        "after": asdict(change.after),
        "ratio": change.ratio,
        "low": change.low,
        "high": change.high,
        "runs_before": change.runs_before,
        "runs_after": change.runs_after,
        "experiments": {"before": change.sittings[0], "after": change.sittings[1]},
        "first_utc": change.first_utc,
    }


def _experiment(experiment: ExperimentRecord) -> Json:
    return {
        "id": experiment.id,
        "kind": experiment.kind,
        "form": experiment.form,
        "seed": experiment.seed,
        "order": list(experiment.order),
        "prompts": experiment.prompt_id.split(",") if experiment.prompt_id else [],
        "created_utc": experiment.created_utc,
    }


def _run(row: RunSummary, source: ExportRun) -> Json:
    run, effective = source.run, source.run.settings_effective
    return row_json(row) | {
        "model_file": model_json(run),
        "engine_file": {"kind": run.engine.ref.kind, "path": run.engine.ref.path},
        "devices": list(device_names(run)),
        "settings_changed": changed_settings(run.settings_requested),
        "settings_requested": run.settings_requested.to_dict(),
        "settings_effective": None if effective is None else effective_json(effective),
        "figures": _figures(source),
        "vram": memory_json(run.memory, "vram"),
        "engine_ram": memory_json(run.memory, "ram"),
        "argv": list(run.argv),
        "marks": [message.sentence() for message in run.notes],
        "requests": [request_json(run, record) for record in source.requests],
    }


def _figures(source: ExportRun) -> Json:
    found = arm_figures(source.requests)
    return {
        "decode_tok_s": spread_json(found.decode_tok_s),
        "client_decode_tok_s": spread_json(found.client_decode_tok_s),
        "ttft_ms": spread_json(found.ttft_ms),
        "ttfa_ms": spread_json(found.ttfa_ms),
        "prefill_tok_s": spread_json(found.prefill_tok_s),
        "total_ms": spread_json(found.total_ms),
        "acceptance": acceptance_json(found.acceptance),
        "rounds_per_s": spread_json(found.rounds_per_s),
        "ok_rate": found.ok_rate,
        "requests_counted": found.n_counted,
    }


def _side(found: SideFigures, joules: float | None) -> Json:
    side = found.side
    return {
        "name": side.name,
        "arm": side.arm,
        "runs": [run.id for run, _ in side.runs],
        **{name: _level_json(found.levels.get(name)) for name in FIGURES},
        "against_first": {name: asdict(ratio) for name, ratio in found.against.items()},
        "decision": found.decision,
        "no_ratio": None if found.why is None else said(found.why),
        "measured": None if found.units is None else asdict(found.units),
        "peak_bytes": None if found.memory is None else found.memory.peak,
        "joule_per_token": joules,
        "requests_counted": found.counted,
        "left_out": [said(reason) for reason in found.dropped],
    }


def _level_json(level: Level | None) -> Json | None:
    return None if level is None else asdict(level)
