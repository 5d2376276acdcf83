"""The one JSON document a command prints: ``{"schema": "qtune/1", "command", "ok", "error", "result"}``.

Repeated figures are ``{"median", "low", "high", "p90", "n"}`` (low and high: the range seen); what is
unavailable is null, with the reason under ``notes``. Sizes are bytes, times milliseconds, raw stamps
nanoseconds after sending.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from qtune.core import figures
from qtune.core.figures import Acceptance
from qtune.core.messages import Message
from qtune.core.records import EffectiveSettings, MemoryFacts, RequestRecord, RequestTimes
from qtune.core.stats import Spread
from qtune.core.verdict import Verdict
from qtune.session.requests import ArmResult, DoctorReport, EngineFinding, MeasureResult

SCHEMA = "qtune/1"
Json = dict[str, Any]


def envelope(command: str, result: Json | None, error: Message | None) -> Json:
    """Frame every command shares."""
    told = None if error is None else {"code": error.code, "message": error.sentence(), "hint": error.hint()}
    return {"schema": SCHEMA, "command": command, "ok": error is None, "error": told, "result": result}


def doctor_json(report: DoctorReport) -> Json:
    """Result of ``qtune doctor``."""
    return {
        "machine": asdict(report.machine),
        "engines": [_engine(finding) for finding in report.engines],
        "gpus": [{**asdict(gpu), "notes": dict(gpu.notes)} for gpu in report.gpus],
        "gpu_note": None if report.gpu_note is None else report.gpu_note.sentence(),
        "models_found": len(report.models),
        "folders": dict(report.folders),
        "advice": [_said(message) for message in report.advice],
    }


def _engine(finding: EngineFinding) -> Json:
    facts = finding.facts
    return {
        "kind": finding.ref.kind,
        "path": finding.ref.path,
        "found_in": finding.ref.found_in,
        "version": None if facts is None else facts.version,
        "build": None if facts is None else facts.build,
        "mtp": None if facts is None else facts.mtp,
        "spec_types": [] if facts is None else list(facts.spec_types),
        "devices": [] if facts is None else [asdict(device) for device in facts.devices],
        "problem": None if finding.problem is None else _said(finding.problem),
    }


def measure_json(result: MeasureResult) -> Json:
    """Result of ``qtune measure``."""
    experiment = result.experiment
    return {
        "experiment": {
            "id": experiment.id,
            "kind": experiment.kind,
            "form": experiment.form,
            "seed": experiment.seed,
            "order": list(experiment.order),
            "prompt": experiment.prompt_id,
            "created_utc": experiment.created_utc,
        },
        "cancelled": result.cancelled,
        "model": None if not result.arms else _model(result.arms[0]),
        "arms": [_arm(arm) for arm in result.arms],
        "requests": [_request(arm.run.arm, record) for arm in result.arms for record in arm.requests],
        "verdict": _verdict(result.verdict),
        "diagnosis": None,
        "notes": {"diagnosis": "needs a full comparison"},
    }


def _model(arm: ArmResult) -> Json:
    model = arm.run.model
    return {
        "path": model.path,
        "name": model.name,
        "arch": model.arch,
        "quant": model.quant,
        "size_bytes": model.size_bytes,
        "mtp": model.mtp,
        "sample": model.is_sample,
    }


def _arm(arm: ArmResult) -> Json:
    run, figured = arm.run, arm.figures
    effective = run.settings_effective
    return {
        "arm": run.arm,
        "preset": run.preset,
        "run_id": run.id,
        "status": run.status.value,
        "failure": None if run.failure is None else _said(run.failure),
        "engine": {"kind": run.engine.ref.kind, "path": run.engine.ref.path, "version": run.engine.version},
        "settings_requested": run.settings_requested.to_dict(),
        "settings_effective": None if effective is None else _effective(effective),
        "settings_verified": None if effective is None else effective.verified,
        "mtp_active": run.mtp_active,
        "starts": run.start,
        "load_ms": run.load_ms,
        "decode_tok_s": _spread(figured.decode_tok_s),
        "client_decode_tok_s": _spread(figured.client_decode_tok_s),
        "ttft_ms": _spread(figured.ttft_ms),
        "ttfa_ms": _spread(figured.ttfa_ms),
        "prefill_tok_s": _spread(figured.prefill_tok_s),
        "total_ms": _spread(figured.total_ms),
        "acceptance": _acceptance(figured.acceptance),
        "rounds_per_s": _spread(figured.rounds_per_s),
        "vram": _memory(run.memory, "vram"),
        "engine_ram": _memory(run.memory, "ram"),
        "ok_rate": figured.ok_rate,
        "format_rate": None,
        "marks": [note.sentence() for note in run.notes],
        "argv": list(run.argv),
        "notes": _reasons(arm),
    }


def _reasons(arm: ArmResult) -> dict[str, str]:
    """Why a figure is null."""
    reasons = {"format_rate": "this prompt asks for no form that is checked"}
    if arm.figures.acceptance is None:
        off = "MTP was off" if not arm.run.settings_requested.mtp else "no token was drafted"
        reasons["acceptance"] = reasons["rounds_per_s"] = off
    if arm.figures.n_counted == 0:
        reasons["decode_tok_s"] = "no counted request ended well"
    if arm.run.memory is None or arm.run.memory.kind != "vram":
        reasons["vram"] = "no graphics card is watched; engine_ram is the engine's resident main memory"
    return reasons


def _effective(effective: EffectiveSettings) -> Json:
    plain = asdict(effective)
    plain["mismatches"] = [message.sentence() for message in effective.mismatches]
    return plain


def _memory(memory: MemoryFacts | None, kind: str) -> Json | None:
    if memory is None or memory.kind != kind:
        return None
    figured: Json = {
        "before": memory.before,
        "loaded": memory.loaded,
        "peak": memory.peak,
        "total": memory.total,
    }
    if kind == "vram":
        figured |= {"free_min": memory.free_min, "spill": "unknown"}
    return figured


def _spread(spread: Spread | None) -> Json | None:
    return None if spread is None else asdict(spread)


def _acceptance(found: Acceptance | None) -> Json | None:
    return (
        None
        if found is None
        else {
            "drafted": found.drafted,
            "accepted": found.accepted,
            "rate": found.rate,
            "by_position": list(found.by_position),
            "mean_len": found.mean_len,
        }
    )


def _request(arm: str, record: RequestRecord) -> Json:
    times = record.times
    return {
        "arm": arm,
        "run_id": record.run_id,
        "index": record.index,
        "phase": record.phase,
        "prompt": record.prompt_id,
        "nonce": record.nonce,
        "max_tokens": record.max_tokens,
        "sampling": asdict(record.sampling),
        "ok": times.ok,
        "cancelled": times.cancelled,
        "failure": None if times.failure is None else _said(times.failure),
        "finish_reason": times.finish_reason,
        "marks": [message.sentence() for message in record.marks],
        "prompt_tokens": figures.prompt_tokens(times),
        "output_tokens": figures.output_tokens(times),
        "stamps_ns": _stamps(times),
        "timings": None if times.timings is None else asdict(times.timings),
        "usage": None if times.usage is None else asdict(times.usage),
        "drafts": None if record.drafts is None else asdict(record.drafts),
        "text_sha256": hashlib.sha256((times.reasoning + times.content).encode()).hexdigest(),
        "text": times.content,
    }


def _stamps(times: RequestTimes) -> Json:
    def after(stamp: int | None) -> int | None:
        return None if stamp is None else stamp - times.sent_ns

    return {
        "headers": after(times.headers_ns),
        "first_token": after(times.first_token_ns),
        "first_answer": after(times.first_answer_ns),
        "last_token": after(times.last_token_ns),
        "ended": after(times.ended_ns),
        "events": len(times.event_ns),
    }


def _verdict(verdict: Verdict) -> Json:
    return {
        "decision": verdict.decision,
        "winner": verdict.winner,
        "sentence": verdict.sentence.sentence(),
        "ratios": [asdict(ratio) for ratio in verdict.ratios],
        "reasons": [reason.sentence() for reason in verdict.reasons],
    }


def _said(message: Message) -> Json:
    return {"code": message.code, "message": message.sentence(), "hint": message.hint()}
