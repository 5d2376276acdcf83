"""Finished runs as they enter the question what an update of engine or driver did to the speed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Select, and_, func, select

from qtune.core.changes import Place, Stack, StackRun
from qtune.core.codec import decode
from qtune.core.machine_facts import GpuFacts, MachineFacts
from qtune.core.records import RunStatus
from qtune.core.run_difference import changed_settings, driver_word, power_word
from qtune.core.settings import ServerSettings
from qtune.store import schema

MOST: Final = 3000
LIKE: Final = 600
"""Newest runs that are looked at, of all and of one model and card; older ones are long out of use."""
_MANY: Final = 500

_COPIED: Final = ("run_key", "experiment_id", "started_utc", "model", "quant", "device", "arm", "kind")


def stack_runs(connection: Connection, like: int | None = None) -> list[StackRun]:
    """Newest runs that ended well, deleted ones and outliers left out.

    Args:
        connection: To the history.
        like: Key of a run; only runs of its model and card then, and none begun later.
    """
    rows = connection.execute(_query(like).limit(MOST if like is None else LIKE)).mappings().all()
    asked = _asked(connection, [row["run_key"] for row in rows])
    machines = _machines(connection, {row["machine"] for row in rows})
    return [_run(row, asked.get(row["run_key"], ""), machines[row["machine"]]) for row in rows]


def _query(like: int | None) -> Select[Any]:
    table, runs, experiments = schema.SUMMARIES, schema.RUNS, schema.EXPERIMENTS
    query = (
        select(
            *(table.c[name] for name in _COPIED),
            table.c.engine,
            table.c.engine_build,
            table.c.decode_tok_s,
            runs.c.machine,
            runs.c.settings_requested,
            runs.c.gpus,
            experiments.c.prompt_id,
        )
        .join(runs, runs.c.key == table.c.run_key)
        .join(experiments, experiments.c.id == table.c.experiment_id)
        .where(
            table.c.status == RunStatus.DONE.value,
            table.c.deleted_utc.is_(None),
            ~table.c.outlier,
            table.c.decode_tok_s > 0,
        )
        .order_by(table.c.run_key.desc())
    )
    if like is not None:
        mine = table.alias()
        alike = and_(*(mine.c[name] == table.c[name] for name in ("model", "quant", "device")))
        query = query.join(mine, and_(mine.c.run_key == like, alike)).where(table.c.run_key <= like)
    return query


def _asked(connection: Connection, keys: Sequence[int]) -> dict[int, str]:
    """Length of answers and sampling of each run, seeds left aside, as its last request had them."""
    table, found = schema.REQUESTS, dict[int, str]()
    for at in range(0, len(keys), _MANY):
        some = table.c.run_key.in_(keys[at : at + _MANY])
        last = select(table.c.run_key, func.max(table.c.position).label("last")).where(some)
        newest = last.group_by(table.c.run_key).subquery()
        query = select(table.c.run_key, table.c.max_tokens, table.c.sampling).join(
            newest, and_(table.c.run_key == newest.c.run_key, table.c.position == newest.c.last)
        )
        for key, most, sampling in connection.execute(query):
            found[key] = f"{most} {_text({**sampling, 'seed': 0})}"
    return found


def _machines(connection: Connection, hashes: set[str]) -> dict[str, MachineFacts]:
    table = schema.MACHINES
    query = select(table.c.hash, table.c.facts).where(table.c.hash.in_(hashes))
    return {one: decode(MachineFacts, facts) for one, facts in connection.execute(query)}


def _run(row: RowMapping, asked: str, machine: MachineFacts) -> StackRun:
    mtp, settings = _settings(_text(row["settings_requested"]))
    gpus = decode(tuple[GpuFacts, ...], row["gpus"])
    return StackRun(
        key=row["run_key"],
        experiment_id=row["experiment_id"],
        started_utc=row["started_utc"],
        place=Place(row["model"], row["quant"], row["device"], mtp=mtp),
        # The computer belongs to it: where several share a history, another one is no update.
        cell="\n".join((row["kind"], row["prompt_id"], asked, machine.cpu, settings)),
        arm=row["arm"],
        stack=Stack(
            row["engine"],
            row["engine_build"],
            driver_word(gpus),
            power_word(gpus),
            machine.qtune,
            machine.os,
        ),
        decode_tok_s=row["decode_tok_s"],
    )


@lru_cache(1000)
def _settings(stored: str) -> tuple[bool, str]:
    """Whether MTP is on, and what is not at its default: a setting new in this version is no change."""
    settings = decode(ServerSettings, json.loads(stored))
    return settings.mtp, _text(changed_settings(settings))


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
