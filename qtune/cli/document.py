"""The one JSON document a command prints: ``{"schema": "qtune/1", "command", "ok", "error", "result"}``.

Repeated figures are ``{"median", "low", "high", "p90", "n"}`` (low and high: the range seen); what is
unavailable is null, with the reason under ``notes``. Sizes are bytes, times milliseconds, raw stamps
nanoseconds after sending.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from qtune.core.engine_facts import EngineFacts
from qtune.core.machine_facts import GpuFacts
from qtune.core.memory_facts import MemoryView, Room
from qtune.core.messages import Message
from qtune.session.requests import DoctorReport, EngineFinding, ModelEntry, ModelReport

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
        "gpus": [_card(gpu) for gpu in report.gpus],
        "gpu_note": None if report.gpu_note is None else report.gpu_note.sentence(),
        "models_found": len(report.models),
        "folders": dict(report.folders),
        "advice": [said(message) for message in report.advice],
    }


def _card(gpu: GpuFacts) -> Json:
    # Not asdict: it copies deeply, which a read-only mapping of notes does not allow.
    return {field.name: getattr(gpu, field.name) for field in fields(gpu)} | {"notes": dict(gpu.notes)}


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
        "problem": None if finding.problem is None else said(finding.problem),
    }


def models_json(report: ModelReport, engine: EngineFacts | None = None) -> Json:
    """Result of ``qtune models``, held against an engine."""
    return {
        "engine": None
        if engine is None
        else {
            "kind": engine.ref.kind,
            "path": engine.ref.path,
            "version": engine.version,
            "build": engine.build,
        },
        "models": [_model(entry) for entry in report.entries],
        "problems": [said(problem) for problem in report.problems],
        "folders": list(report.folders),
    }


def _model(entry: ModelEntry) -> Json:
    facts = entry.facts
    return {
        "path": facts.path,
        "files": list(facts.files),
        "name": facts.name,
        "arch": facts.arch,
        "quant": facts.quant,
        "size_bytes": facts.size_bytes,
        "sample": facts.is_sample,
        "mtp": facts.mtp,
        "mtp_head": _head(entry),
        "context_train": facts.context_train,
        "size_label": facts.size_label or None,
        "chat_template": facts.chat_template,
        "sampling": {name: _single(value) for name, value in facts.sampling},
        "imatrix": facts.imatrix,
        "sidecars": list(facts.sidecars),
        "mmproj": list(facts.mmproj),
        "siblings": list(entry.siblings),
        "estimate": None if entry.memory is None else _memory(entry.memory),
        "contexts": [asdict(fit) for fit in entry.contexts],
    }


def _head(entry: ModelEntry) -> Json | None:
    """The head inside, or that of a file beside it, which is told of under its own path."""
    facts = entry.facts
    if facts.mtp == "none" and not facts.sidecars:
        return None
    inside = facts.mtp != "none"
    return {
        "tensors": facts.mtp_tensors if inside else None,
        "quant": facts.mtp_quant if inside else None,
        "runs": entry.head_runs or "unknown",
    }


def _single(value: float) -> float:
    """The shortest writing of a number of single precision, in which headers keep it: 0.95."""
    return float(f"{value:.7g}")


def _memory(view: MemoryView) -> Json:
    estimate = view.estimate
    return {
        "on_card": estimate.on_card,
        "total_bytes": estimate.total_bytes,
        "mtp_bytes": estimate.mtp_bytes,
        "parts": [asdict(part) for part in estimate.parts],
        "gaps": list(estimate.gaps),
        "room": None if view.room is None else _room(view.room),
        "state": view.state,
        "keep_bytes": view.keep_bytes,
        "largest_ctx": view.largest_ctx,
    }


def _room(room: Room) -> Json:
    return {
        "name": room.name or None,
        "uuid": room.uuid or None,
        "total_bytes": room.total_bytes,
        "others_bytes": room.others_bytes,
        "free_bytes": room.free_bytes,
        "others": [{"name": name, "size_bytes": size} for name, size in room.others],
    }


def said(message: Message) -> Json:
    """A message with its code, sentence and hint."""
    return {"code": message.code, "message": message.sentence(), "hint": message.hint()}
