"""Maps the core's records to columns of the tables and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, cast

from sqlalchemy import RowMapping, Table

from qtune.core.causes import Cause
from qtune.core.codec import content_hash, decode, encode
from qtune.core.engine_facts import DeviceFacts, EngineFacts
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing
from qtune.core.machine_facts import GpuFacts, MachineFacts
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import (
    DraftCounters,
    EffectiveSettings,
    ExperimentRecord,
    MemoryFacts,
    RequestRecord,
    RequestTimes,
    RunRecord,
    RunStatus,
    Sampling,
    ServerTimings,
    Usage,
)
from qtune.core.settings import ServerSettings
from qtune.store import schema
from qtune.store.series import pack_stamps, unpack_stamps

Row = RowMapping
Columns = dict[str, Any]

_TIMINGS = tuple(field.name for field in fields(ServerTimings))
_USAGE = tuple(field.name for field in fields(Usage))
_SECRET_OPTION = "--api-key"  # noqa: S105 - the option, not its word
_HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a run shares with others: stored once under its hash."""

    machine: MachineFacts
    engine: EngineFacts
    model: ModelFacts


FactsKey = tuple[str, str, str]
"""Hashes of a run's machine, engine and model."""


def clean_text(text: str) -> str:
    """Text that every database can hold: surrogates are joined to their character, lone ones replaced.

    A server that cuts a character between two JSON events leaves halves behind.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def facts_columns(run: RunRecord) -> list[tuple[Table, Columns]]:
    """Rows of the tables of facts that a run refers to, machine, engine and model in this order."""
    engine, model, machine = replace(run.engine, devices=()), run.model, run.machine
    found: list[tuple[Table, object, Columns]] = [
        (schema.MACHINES, machine, {"os": machine.os, "cpu": machine.cpu}),
        (schema.ENGINES, engine, {"kind": engine.ref.kind, "version": engine.version}),
        (schema.MODELS, model, {"name": model.name, "arch": model.arch, "quant": model.quant}),
    ]
    return [
        (
            table,
            {
                "hash": content_hash(facts),
                "facts": encode(facts),
                **{name: clean_text(text) for name, text in texts.items()},
            },
        )
        for table, facts, texts in found
    ]


def experiment_columns(record: ExperimentRecord) -> Columns:
    """Columns of one experiment."""
    columns: Columns = encode(record)
    columns["arms"] = columns.pop("order")
    return columns


def experiment_record(row: Row) -> ExperimentRecord:
    """Experiment of one row."""
    return cast("ExperimentRecord", decode(ExperimentRecord, {**dict(row), "order": row["arms"]}))


def without_secrets(run: RunRecord) -> RunRecord:
    """The run as it may stand in a file: names of the environment only, and no key in the command line."""
    return replace(run, environment=_names(run.environment), argv=_without_key(run.argv))


def run_columns(run: RunRecord) -> Columns:
    """Columns of one run, without owner; facts stand as their hashes."""
    machine, engine, model = (columns["hash"] for _, columns in facts_columns(run))
    columns: Columns = encode(without_secrets(run))
    return {
        **columns,
        "machine": machine,
        "engine": engine,
        "model": model,
        "devices": encode(run.engine.devices),
    }


RUN_VALUES: Final[Mapping[str, Any]] = {
    "devices": tuple[DeviceFacts, ...],
    "settings_requested": ServerSettings,
    "settings_effective": EffectiveSettings | None,
    "argv": tuple[str, ...],
    "environment": tuple[str, ...],
    "notes": tuple[Message, ...],
    "memory": MemoryFacts | None,
    "gpus": tuple[GpuFacts, ...],
    "failure": Message | None,
}
"""What the columns of JSON of ``runs`` hold."""


def run_value(column: str, plain: Any) -> Any:  # noqa: ANN401 - RUN_VALUES says what comes out
    """Value of a column of JSON of ``runs``."""
    return decode(RUN_VALUES[column], plain)


def run_record(row: Row, facts: Facts) -> RunRecord:
    """Run of one row of ``runs`` with the facts whose hashes stand in it."""

    def read(column: str) -> Any:  # noqa: ANN401
        return run_value(column, row[column])

    return RunRecord(
        id=row["id"],
        experiment_id=row["experiment_id"],
        arm=row["arm"],
        preset=row["preset"],
        start=row["start"],
        status=RunStatus(row["status"]),
        started_utc=row["started_utc"],
        settings_requested=read("settings_requested"),
        model=facts.model,
        engine=replace(facts.engine, devices=read("devices")),
        machine=facts.machine,
        settings_effective=read("settings_effective"),
        mtp_active=row["mtp_active"],
        argv=read("argv"),
        environment=read("environment"),
        notes=read("notes"),
        memory=read("memory"),
        load_ms=row["load_ms"],
        gpus=read("gpus"),
        ended_utc=row["ended_utc"],
        failure=read("failure"),
    )


def request_columns(request: RequestRecord) -> Columns:
    """Columns of one request, without the key of its run."""
    times = request.times
    return {
        "position": request.index,
        "phase": request.phase,
        "prompt_id": clean_text(request.prompt_id),
        "nonce": clean_text(request.nonce),
        "max_tokens": request.max_tokens,
        "sampling": encode(request.sampling),
        "marks": encode(request.marks) or None,
        "drafts": encode(request.drafts),
        "sent_ns": times.sent_ns,
        "headers_ns": times.headers_ns,
        "first_answer_ns": times.first_answer_ns,
        "ended_ns": times.ended_ns,
        "event_ns": pack_stamps(times.event_ns),
        "finish_reason": None if times.finish_reason is None else clean_text(times.finish_reason),
        "cancelled": times.cancelled,
        "failure": encode(times.failure),
        "has_timings": times.timings is not None,
        **encode(times.timings or ServerTimings()),
        "has_usage": times.usage is not None,
        **encode(times.usage or Usage()),
        "content": clean_text(times.content),
        "reasoning": clean_text(times.reasoning),
    }


def request_record(run_id: str, row: Row) -> RequestRecord:
    """Request of one row."""
    times = RequestTimes(
        sent_ns=row["sent_ns"],
        ended_ns=row["ended_ns"],
        headers_ns=row["headers_ns"],
        event_ns=unpack_stamps(row["event_ns"]),
        first_answer_ns=row["first_answer_ns"],
        timings=ServerTimings(**{name: row[name] for name in _TIMINGS}) if row["has_timings"] else None,
        usage=Usage(**{name: row[name] for name in _USAGE}) if row["has_usage"] else None,
        finish_reason=row["finish_reason"],
        content=row["content"],
        reasoning=row["reasoning"],
        failure=decode(Message | None, row["failure"]),
        cancelled=row["cancelled"],
    )
    return RequestRecord(
        run_id=run_id,
        index=row["position"],
        phase=row["phase"],
        prompt_id=row["prompt_id"],
        nonce=row["nonce"],
        max_tokens=row["max_tokens"],
        sampling=decode(Sampling, row["sampling"]),
        times=times,
        marks=decode(tuple[Message, ...], row["marks"] or ()),
        drafts=decode(DraftCounters | None, row["drafts"]),
    )


def ladder_step_columns(step: LadderStep) -> Columns:
    """Columns of one step on the ladder."""
    columns: Columns = encode(step)
    columns["taken_by"] = columns.pop("by")
    columns["footing_before"] = columns.pop("before")
    columns["footing_after"] = columns.pop("after")
    return columns


def ladder_step_record(row: Row) -> LadderStep:
    """Step on the ladder of one row."""
    return LadderStep(
        id=row["id"],
        at_utc=row["at_utc"],
        direction=row["direction"],
        kind=row["kind"],
        by=row["taken_by"],
        before=decode(Footing, row["footing_before"]),
        after=decode(Footing, row["footing_after"]),
        verified=row["verified"],
        reason=decode(Message | None, row["reason"]),
        load_ms=row["load_ms"],
        decode_tok_s=row["decode_tok_s"],
        vram_loaded_bytes=row["vram_loaded_bytes"],
    )


def incident_columns(incident: Incident) -> Columns:
    """Columns of one incident."""
    columns: Columns = encode(incident)
    return {
        **columns,
        "evidence": clean_text(incident.evidence),
        "engine": clean_text(incident.engine),
    }


def incident_record(row: Row) -> Incident:
    """Incident of one row; a cause this version has no name for reads as unknown."""
    known = row["cause"] in set(Cause)
    return Incident(
        id=row["id"],
        at_utc=row["at_utc"],
        cause=Cause(row["cause"]) if known else Cause.UNKNOWN,
        message=decode(Message, row["message"]),
        evidence=row["evidence"],
        footing=decode(Footing, row["footing"]),
        engine=row["engine"],
        action=decode(Message | None, row["action"]),
        run_id=row["run_id"],
    )


def _names(environment: tuple[str, ...]) -> tuple[str, ...]:
    """Only names: a value that slipped in may be a secret and stays out of the file."""
    return tuple(entry.partition("=")[0] for entry in environment)


def _without_key(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command line with the word after ``--api-key`` hidden, should it ever come with one."""
    shown = []
    for before, word in zip(("", *argv), argv, strict=False):
        if before == _SECRET_OPTION:
            shown.append(_HIDDEN)
        else:
            shown.append(f"{_SECRET_OPTION}={_HIDDEN}" if word.startswith(f"{_SECRET_OPTION}=") else word)
    return tuple(shown)
