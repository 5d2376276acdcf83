"""Works out the summary of each run that the table of runs is sorted and filtered by, and keeps it fresh.

A summary is derived: it can be made anew from the run, its requests and the verdict of its experiment. It is
written in the transaction that changes one of these.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, func, insert, literal, select

from qtune.core import run_line
from qtune.core.codec import decode
from qtune.core.errors import BugError
from qtune.core.history_query import searchable
from qtune.core.machine_facts import GpuFacts
from qtune.core.records import EffectiveSettings, MemoryFacts, RequestRecord, RunStatus
from qtune.core.run_line import Readings
from qtune.core.settings import ServerSettings
from qtune.core.stats import ArmFigures, Spread, arm_figures, flat
from qtune.core.verdict import Verdict
from qtune.store import schema
from qtune.store.rows import Columns, Row, clean_text, request_record, run_value

_log = logging.getLogger("qtune.store")

VERSION = 3
"""Raised whenever other figures would come out: summaries of an older version are made anew."""

is_old = and_(schema.SUMMARIES.c.version < VERSION, schema.SUMMARIES.c.version != -VERSION)
"""Condition on summaries that an older version made."""

_TOGETHER = 100
"""Runs read at once: their requests are all in memory."""

_UNREADABLE = (BugError, ValueError, TypeError, LookupError, AttributeError)


def refresh(connection: Connection, keys: Iterable[int]) -> None:
    """Write the summaries of these runs as they are stored now; keys that are gone are skipped.

    What cannot be read back has a summary without figures: a derived row never costs a raw one.
    """
    table, wanted = schema.SUMMARIES, sorted(set(keys))
    for at in range(0, len(wanted), _TOGETHER):
        some = wanted[at : at + _TOGETHER]
        rows = _rows_of(connection, some)
        ended = [row["key"] for row in rows if row["status"] != RunStatus.RUNNING.value]
        requests = _requests_of(connection, ended)
        made = [_summary(row, requests.get(row["key"], [])) for row in rows]
        _replace(connection, table, some, [summary for summary, _ in made])
        _replace(connection, schema.FIGURES, some, [figures for _, figures in made if figures])


def _replace(connection: Connection, table: Table, keys: Sequence[int], columns: Sequence[Columns]) -> None:
    connection.execute(delete(table).where(table.c.run_key.in_(keys)))
    if columns:
        connection.execute(insert(table), columns)


def any_due(connection: Connection) -> bool:
    """Whether :func:`due` finds something, without looking through all runs."""
    if _stale(connection, 1):
        return True
    numbers = [
        connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in (schema.RUNS, schema.SUMMARIES)
    ]
    return numbers[0] != numbers[1]


def due(connection: Connection, limit: int) -> list[int]:
    """Keys of runs whose summary an older version made, newest first, or that have none; up to ``limit``.

    Only what else writes to the file leaves a run without one.
    """
    if found := _stale(connection, limit):
        return found
    runs, table = schema.RUNS, schema.SUMMARIES
    joined = runs.outerjoin(table, table.c.run_key == runs.c.key)
    query = select(runs.c.key).select_from(joined).where(table.c.run_key.is_(None)).limit(limit)
    return [int(key) for key in connection.execute(query).scalars()]


def _stale(connection: Connection, limit: int) -> list[int]:
    table = schema.SUMMARIES
    # In the order of the index, or each call would sort all that is due.
    order = (table.c.version.desc(), table.c.run_key.desc())
    query = select(table.c.run_key).where(is_old).order_by(*order).limit(limit)
    return [int(key) for key in connection.execute(query).scalars()]


def judged(verdict: Verdict | None, arm: str) -> Columns:
    """What an experiment's verdict says of the runs of one arm."""
    decision, ratio = run_line.judged(verdict, arm)
    return {"decision": decision, "ratio": ratio}


def _rows_of(connection: Connection, keys: Sequence[int]) -> Sequence[Row]:
    runs, models, machines = schema.RUNS, schema.MODELS, schema.MACHINES
    engines, experiments = schema.ENGINES, schema.EXPERIMENTS
    wanted = (
        "key", "experiment_id", "arm", "preset", "status", "started_utc", "settings_requested",
        "settings_effective", "devices", "gpus", "memory", "load_ms", "starred", "outlier", "note",
        "deleted_utc",
    )  # fmt: skip
    query = (
        select(
            *(runs.c[name] for name in wanted),
            models.c.name.label("model"),
            models.c.quant,
            models.c.arch,
            machines.c.cpu,
            engines.c.version.label("engine"),
            engines.c.facts.label("engine_facts"),
            experiments.c.kind,
            experiments.c.verdict,
        )
        .join(models, models.c.hash == runs.c.model)
        .join(machines, machines.c.hash == runs.c.machine)
        .join(engines, engines.c.hash == runs.c.engine)
        .join(experiments, experiments.c.id == runs.c.experiment_id)
        .where(runs.c.key.in_(keys))
    )
    return connection.execute(query).mappings().all()


def _requests_of(connection: Connection, keys: Sequence[int]) -> dict[int, list[RequestRecord]]:
    """Requests by run; without their texts, which are most of them and enter no figure."""
    table, found = schema.REQUESTS, dict[int, list[RequestRecord]]()
    texts = (literal("").label(name) for name in ("content", "reasoning"))
    columns = (column for column in table.c if column.name not in {"content", "reasoning"})
    query = select(*columns, *texts).where(table.c.run_key.in_(keys))
    for row in connection.execute(query.order_by(table.c.run_key, table.c.position)).mappings():
        try:
            found.setdefault(row["run_key"], []).append(request_record("", row))
        except _UNREADABLE as error:
            _log.warning("request %d of a run does not enter its figures: %s", row["position"], error)
    return found


def _summary(row: Row, requests: Sequence[RequestRecord]) -> tuple[Columns, Columns | None]:
    """The narrow row, and the one with all figures; None where they cannot be known, or not yet."""
    columns: Columns = {name: row[name] for name in _COPIED}
    beside: Columns | None = None
    try:
        figures = arm_figures(requests)
        derived = _derived(row, requests, figures)
        beside = {"figures": flat(figures), **_readings(row)._asdict()}
    except _UNREADABLE as error:
        _log.warning("run %d of experiment %s has no figures: %s", row["key"], row["experiment_id"], error)
        derived = _NOTHING
    columns |= {"run_key": row["key"], **derived}
    texts = [*(str(columns[name]) for name in _SEARCHED), row["arch"], row["note"] or ""]
    summary = {**columns, "search": clean_text(searchable(texts))}
    if beside is None or row["status"] == RunStatus.RUNNING.value:
        return summary, None
    return summary, {"run_key": row["key"], **beside}


_COPIED = (
    "experiment_id", "kind", "status", "starred", "outlier", "deleted_utc", "started_utc", "arm", "preset",
    "model", "quant", "engine", "load_ms",
)  # fmt: skip
_SEARCHED = ("model", "quant", "preset", "arm", "engine", "device", "kind")


def _readings(row: Row) -> Readings:
    values = (run_value(name, row[name]) for name in ("settings_effective", "devices", "memory"))
    read = run_line.readings(*values)
    return read._replace(devices=clean_text(read.devices))


def _derived(row: Row, requests: Sequence[RequestRecord], found: ArmFigures) -> Columns:
    settings: ServerSettings = run_value("settings_requested", row["settings_requested"])
    effective: EffectiveSettings | None = run_value("settings_effective", row["settings_effective"])
    memory: MemoryFacts | None = run_value("memory", row["memory"])
    gpus: tuple[GpuFacts, ...] = run_value("gpus", row["gpus"])
    build = row["engine_facts"].get("build")
    tried = [r for r in requests if r.phase == "counted" and not r.times.cancelled]
    return {
        "version": VERSION,
        "engine_build": build if isinstance(build, int) else None,
        "device": clean_text(", ".join(dict.fromkeys(gpu.name for gpu in gpus)) or row["cpu"]),
        "n_max": settings.n_max if settings.mtp else None,
        "ctx_size": (effective and effective.ctx_size) or settings.ctx_size,
        "vram_peak_bytes": memory.peak if memory is not None and memory.kind == "vram" else None,
        "ram_peak_bytes": memory.peak if memory is not None and memory.kind == "ram" else None,
        "requests": len(tried),
        "requests_ok": sum(r.times.ok for r in tried),
        **figure_columns(found),
        **judged(decode(Verdict | None, row["verdict"]), row["arm"]),
    }


def figure_columns(found: ArmFigures) -> Columns:
    """Columns of the figures of a run."""
    acceptance = found.acceptance
    return {
        "decode_tok_s": _median(found.decode_tok_s),
        "ttft_ms": _median(found.ttft_ms),
        "prefill_tok_s": _median(found.prefill_tok_s),
        "total_ms": _median(found.total_ms),
        "acceptance_rate": None if acceptance is None else acceptance.rate,
        "acceptance_length": None if acceptance is None else acceptance.mean_len,
        "requests_counted": found.n_counted,
    }


def _median(found: Spread | None) -> float | None:
    return None if found is None else found.median


_NOTHING: dict[str, Any] = {
    "version": -VERSION,
    "engine_build": None,
    "device": "",
    "n_max": None,
    "ctx_size": None,
    "vram_peak_bytes": None,
    "ram_peak_bytes": None,
    "requests": 0,
    "requests_ok": 0,
    **figure_columns(arm_figures(())),
    "decision": None,
    "ratio": None,
}
