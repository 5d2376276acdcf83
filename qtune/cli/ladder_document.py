"""The ladder in the JSON document: footings, rungs, steps, incidents and trials."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.cli.document import Json, said
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing, LadderView, RungView
from qtune.core.messages import Message
from qtune.session.requests import LadderReport
from qtune.session.trials import Trial


def serve_json(view: LadderView | None, incidents: Sequence[Incident], steps: Sequence[LadderStep]) -> Json:
    """Result of ``qtune serve``: where it stood in the end, and what happened while it served."""
    return {
        "ladder": None if view is None else _view(view),
        "incidents": [_incident(incident) for incident in incidents],
        "steps": [_step(step) for step in steps],
    }


def ladder_json(report: LadderReport) -> Json:
    """Result of ``qtune ladder``."""
    return {
        "asked": None if report.asked is None else _footing(report.asked),
        "rungs": [_rung(rung) for rung in report.rungs],
        "running": [_trial(trial) for trial in report.running],
        "last_good": _trial_or_none(report.last_good),
        "default": _trial_or_none(report.default),
        "stale": _trial_or_none(report.stale),
        "known_bad": [_trial(trial) for trial in report.bad],
        "steps": [_step(step) for step in report.steps],
        "incidents": [_incident(incident) for incident in report.incidents],
    }


def _view(view: LadderView) -> Json:
    return {
        "asked": _footing(view.asked),
        "current": _footing(view.current),
        "taken": [_rung(rung) for rung in view.taken],
        "below": [_rung(rung) for rung in view.below],
        "state": view.state,
        "why": _said_or_none(view.why),
    }


def _footing(footing: Footing) -> Json:
    return {
        "model_path": footing.model_path,
        "preset": footing.preset or None,
        "settings": footing.settings.to_dict(),
    }


def _rung(view: RungView) -> Json:
    rung, before, after = view.rung, view.before, view.after
    return {
        "kind": rung.kind,
        "what": rung.describe().sentence(),
        "changes": [{"setting": s.key, "before": old, "after": new} for s, old, new in rung.changes()],
        "model_path": rung.after.model_path,
        "decode_tok_s": {
            "before": None if before is None else before.decode_tok_s,
            "after": None if after is None else after.decode_tok_s,
        },
        "price": view.price,
        "memory_bytes": None if after is None else after.memory_bytes,
    }


def _step(step: LadderStep) -> Json:
    return {
        "id": step.id,
        "at_utc": step.at_utc,
        "direction": step.direction,
        "kind": step.kind,
        "by": step.by,
        "before": _footing(step.before),
        "after": _footing(step.after),
        "verified": step.verified,
        "reason": _said_or_none(step.reason),
        "load_ms": step.load_ms,
        "decode_tok_s": step.decode_tok_s,
        "memory_loaded_bytes": step.vram_loaded_bytes,
    }


def _incident(incident: Incident) -> Json:
    return {
        "id": incident.id,
        "at_utc": incident.at_utc,
        "cause": incident.cause.value,
        "message": said(incident.message),
        "evidence": incident.evidence or None,
        "footing": _footing(incident.footing),
        "engine": incident.engine,
        "action": _said_or_none(incident.action),
        "run_id": incident.run_id or None,
    }


def _trial(trial: Trial) -> Json:
    return {
        **_footing(trial.footing),
        "engine": trial.engine,
        "engine_path": trial.ref.path,
        "at_utc": trial.at_utc,
        "phase": trial.phase,
        "reason": None if trial.reason is None else trial.reason.sentence(),
    }


def _trial_or_none(trial: Trial | None) -> Json | None:
    return None if trial is None else _trial(trial)


def _said_or_none(message: Message | None) -> Json | None:
    return None if message is None else said(message)
