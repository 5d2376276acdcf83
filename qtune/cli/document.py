"""The one JSON document a command prints: ``{"schema": "qtune/1", "command", "ok", "error", "result"}``.

Repeated figures are ``{"median", "low", "high", "p90", "n"}`` (low and high: the range seen); what is
unavailable is null, with the reason under ``notes``. Sizes are bytes, times milliseconds, raw stamps
nanoseconds after sending.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from qtune.core.messages import Message
from qtune.session.requests import DoctorReport, EngineFinding

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
        "advice": [said(message) for message in report.advice],
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
        "problem": None if finding.problem is None else said(finding.problem),
    }


def said(message: Message) -> Json:
    """A message with its code, sentence and hint."""
    return {"code": message.code, "message": message.sentence(), "hint": message.hint()}
