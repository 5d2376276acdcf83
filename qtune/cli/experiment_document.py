"""The result of every command that measures, as plain JSON values; described in docs/json.md."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from qtune.cli.document import Json, said
from qtune.cli.fill_words import fill_json
from qtune.core import figures
from qtune.core.figures import Acceptance
from qtune.core.records import EffectiveSettings, MemoryFacts, RequestRecord, RequestTimes, RunRecord
from qtune.core.stats import Spread, spread
from qtune.core.verdict import BASELINE, ArmAnswer, Verdict
from qtune.session.findings import ArmFindings, Findings, JobResult
from qtune.session.plans import ENDED

NOT_MEASURED = "not measured"


def experiment_json(found: JobResult) -> Json:
    """Result of ``measure``, ``compare``, ``sweep``, ``selftest``, ``soak``, ``fill`` and their kin."""
    result, findings = found.result, found.findings
    experiment = result.experiment
    return {
        "experiment": {
            "id": experiment.id,
            "kind": experiment.kind,
            "form": experiment.form,
            "seed": experiment.seed,
            "order": [r.run.arm for r in result.arms] or list(experiment.order),
            "prompts": experiment.prompt_id.split(","),
            "created_utc": experiment.created_utc,
        },
        "cancelled": result.cancelled,
        "model": None if not result.arms else model_json(result.arms[0].run),
        "arms": [_arm(arm, _answer(result.verdict, arm.arm)) for arm in findings.arms],
        "runs": [_run(r.run) for r in result.arms],
        "requests": [request_json(r.run, record) for r in result.arms for record in r.requests],
        "verdict": verdict_json(result.verdict),
        "diagnosis": _diagnosis(findings),
        "curve": [asdict(point) for point in findings.curve],
        "fill": None if findings.fill is None else fill_json(findings.fill),
        "calibrated": [
            {
                "preset": c.preset,
                "arm": c.arm,
                "verified": c.verified,
                "reasons": [r.sentence() for r in c.reasons],
            }
            for c in findings.calibrated
        ],
    }


def _answer(verdict: Verdict, arm: str) -> ArmAnswer | None:
    return next((a for a in verdict.answers if a.arm == arm), None)


def model_json(run: RunRecord) -> Json:
    """The model of a run."""
    model = run.model
    return {
        "path": model.path,
        "name": model.name,
        "arch": model.arch,
        "quant": model.quant,
        "size_bytes": model.size_bytes,
        "mtp": model.mtp,
        "sample": model.is_sample,
    }


def _arm(arm: ArmFindings, answer: ArmAnswer | None) -> Json:
    last, figured = arm.runs[-1], arm.figures
    engine = last.engine
    effective = last.settings_effective
    known = [r.settings_effective.verified for r in arm.runs if r.settings_effective is not None]
    told: Json = {
        "arm": arm.arm,
        "preset": arm.preset,
        "engine": {"kind": engine.ref.kind, "path": engine.ref.path, "version": engine.version},
        "settings_requested": last.settings_requested.to_dict(),
        "settings_effective": None if effective is None else effective_json(effective),
        "settings_verified": all(known) if known else None,
        "mtp_active": arm.mtp_active,
        "starts": sum(run.status in ENDED for run in arm.runs),
        "load_ms": spread_json(spread(r.load_ms for r in arm.runs)),
        "decode_tok_s": spread_json(figured.decode_tok_s),
        "client_decode_tok_s": spread_json(figured.client_decode_tok_s),
        "ttft_ms": spread_json(figured.ttft_ms),
        "ttfa_ms": spread_json(figured.ttfa_ms),
        "prefill_tok_s": spread_json(figured.prefill_tok_s),
        "total_ms": spread_json(figured.total_ms),
        "acceptance": acceptance_json(figured.acceptance),
        "rounds_per_s": spread_json(figured.rounds_per_s),
        "joule_per_token": arm.joule_per_token,
        "vram": memory_json(arm.memory, "vram"),
        "engine_ram": memory_json(arm.memory, "ram"),
        "ok_rate": figured.ok_rate,
        "format_rate": arm.format_rate,
        "price": None if answer is None else asdict(answer.price),
        "by_prompt": [] if answer is None else [asdict(domain) for domain in answer.domains],
        "gates": [{"state": g.state, "reason": g.reason.sentence()} for g in arm.gates],
        "drift": _drift(arm),
        "marks": [note.sentence() for run in arm.runs for note in run.notes],
        "argv": list(last.argv),
    }
    reasons = _reasons(arm)
    told["notes"] = {key: reasons.get(key, NOT_MEASURED) for key, value in told.items() if value is None}
    return told


def _drift(arm: ArmFindings) -> Json | None:
    if arm.drift is None:
        return None
    return {
        "compared": arm.drift.compared,
        "same": arm.drift.compared - len(arm.drift.differences),
        "differences": [asdict(difference) for difference in arm.drift.differences],
    }


def _reasons(arm: ArmFindings) -> dict[str, str]:
    """Why a figure would be null, as far as it is known, whether it is or not."""
    nothing = "no counted request ended well" if arm.figures.n_counted == 0 else None
    untold = "the server never said what it uses"
    off = arm.arm == BASELINE
    return {
        "settings_effective": untold,
        "settings_verified": untold,
        "mtp_active": "MTP was not asked for",
        "load_ms": "no start came as far as its first answer",
        "decode_tok_s": nothing or "the answers were too short, or their tokens were not counted",
        "client_decode_tok_s": nothing or "the answers were too short, or their tokens were not counted",
        "ttft_ms": nothing or "no answer had any text",
        "ttfa_ms": nothing or "no answer came as far as its own text",
        "prefill_tok_s": nothing or "the server did not say how long it read the prompt",
        "total_ms": nothing or NOT_MEASURED,
        "ok_rate": "no counted request was sent",
        "format_rate": nothing or "these prompts ask for no form that could be checked",
        "price": "off is what the others are compared with" if off else "it was not compared with off",
        "drift": "off is what the others are compared with"
        if off
        else "no answer at temperature 0 has its pair with off",
        **_draft_reasons(arm, nothing),
        **_card_reasons(arm),
    }


def _draft_reasons(arm: ArmFindings, nothing: str | None) -> dict[str, str]:
    if not arm.runs[-1].settings_requested.mtp:
        nothing = "MTP was off"
    elif arm.figures.acceptance is not None:
        nothing = "the number of rounds is not known"
    reason = nothing or "no token was drafted"
    return {"acceptance": reason, "rounds_per_s": reason}


def _card_reasons(arm: ArmFindings) -> dict[str, str]:
    if any(run.gpus for run in arm.runs):
        unread = "memory was not read while it ran"
        on_card = arm.memory is not None and arm.memory.kind == "vram"
        return {
            "joule_per_token": "the board reports no power, or an answer had no reading of it",
            "vram": unread,
            "engine_ram": "the engine is on a graphics card; see vram" if on_card else unread,
        }
    return {
        "joule_per_token": "no graphics card is watched",
        "vram": "no graphics card is watched; engine_ram is the engine's resident main memory",
        "engine_ram": "memory was not read while it ran",
    }


def _run(run: RunRecord) -> Json:
    return {
        "run_id": run.id,
        "arm": run.arm,
        "start": run.start,
        "status": run.status.value,
        "failure": None if run.failure is None else said(run.failure),
        "started_utc": run.started_utc,
        "ended_utc": run.ended_utc,
        "load_ms": run.load_ms,
        "mtp_active": run.mtp_active,
        "settings_verified": None if run.settings_effective is None else run.settings_effective.verified,
        "marks": [note.sentence() for note in run.notes],
    }


def effective_json(effective: EffectiveSettings) -> Json:
    """What the server was found to use."""
    plain = asdict(effective)
    plain["mismatches"] = [message.sentence() for message in effective.mismatches]
    return plain


def memory_json(memory: MemoryFacts | None, kind: str) -> Json | None:
    """Memory of a run if it is of this kind."""
    if memory is None or memory.kind != kind:
        return None
    told: Json = {
        "before": memory.before,
        "loaded": memory.loaded,
        "peak": memory.peak,
        "total": memory.total,
        "parts": [asdict(part) for part in memory.parts],
    }
    if kind == "vram":
        told |= {
            "free_min": memory.free_min,
            "spill": memory.spill,
            "spill_reason": None if memory.spill_reason is None else memory.spill_reason.sentence(),
            "spill_advice": [message.sentence() for message in memory.spill_advice],
        }
    return told


def spread_json(found: Spread | None) -> Json | None:
    """A repeated figure."""
    return None if found is None else asdict(found)


def acceptance_json(found: Acceptance | None) -> Json | None:
    """What became of drafts; null without any."""
    if found is None:
        return None
    return {
        "drafted": found.drafted,
        "accepted": found.accepted,
        "rate": found.rate,
        "by_position": list(found.by_position),
        "mean_len": found.mean_len,
    }


def request_json(run: RunRecord, record: RequestRecord) -> Json:
    """One request, raw."""
    times = record.times
    whole = times.reasoning + times.content
    return {
        "arm": run.arm,
        "start": run.start,
        "run_id": record.run_id,
        "index": record.index,
        "phase": record.phase,
        "prompt": record.prompt_id,
        "nonce": record.nonce,
        "max_tokens": record.max_tokens,
        "sampling": asdict(record.sampling),
        "ok": times.ok,
        "cancelled": times.cancelled,
        "failure": None if times.failure is None else said(times.failure),
        "finish_reason": times.finish_reason,
        "marks": [message.sentence() for message in record.marks],
        "prompt_tokens": figures.prompt_tokens(times),
        "output_tokens": figures.output_tokens(times),
        "stamps_ns": _stamps(times),
        "timings": None if times.timings is None else asdict(times.timings),
        "usage": None if times.usage is None else asdict(times.usage),
        "drafts": None if record.drafts is None else asdict(record.drafts),
        "text_sha256": hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest(),
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


def verdict_json(verdict: Verdict) -> Json:
    """A verdict with its sentences."""
    return {
        "decision": verdict.decision,
        "winner": verdict.winner,
        "sentence": verdict.sentence.sentence(),
        "ratios": [asdict(ratio) for ratio in verdict.ratios],
        "recommendations": [asdict(each) for each in verdict.recommendations],
        "reasons": [reason.sentence() for reason in verdict.reasons],
    }


def _diagnosis(findings: Findings) -> dict[str, Any] | None:
    found = findings.diagnosis
    if found is None:
        return None
    return {
        "bottleneck": found.bottleneck,
        "sentence": found.sentence.sentence(),
        "try_first": found.sentence.hint(),
        "findings": [finding.sentence() for finding in found.findings],
    }
