"""Ends the runs of processes that are gone."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Engine, bindparam, select, update

from qtune.core.clock import Clock
from qtune.core.codec import encode
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.host.owner import Owner
from qtune.store import schema, summaries

_GIVEN_UP = timedelta(days=1)
"""Runs of another computer, whose processes cannot be looked at. Should one end after all, that is stored."""


def mark_interrupted(engine: Engine, clock: Clock) -> int:
    """Mark the runs that a process which is gone left behind as ``running``; returns how many."""
    runs = schema.RUNS
    query = select(runs.c.key, runs.c.owner_pid, runs.c.owner_started, runs.c.computer, runs.c.started_utc)
    now = clock.utc()
    with engine.begin() as connection:
        running = connection.execute(query.where(runs.c.status == RunStatus.RUNNING.value)).all()
        left = [key for key, pid, since, where, at in running if _is_left(Owner(pid, since, where), at, now)]
        if left:
            ended = {
                "status": RunStatus.INTERRUPTED.value,
                "failure": encode(Message.of("app_ended")),
            }
            connection.execute(
                update(runs).where(runs.c.key == bindparam("left")).values(ended),
                [{"left": key} for key in left],
            )
            summaries.refresh(connection, left)
    return len(left)


def _is_left(owner: Owner, started_utc: str, now: datetime) -> bool:
    if owner.is_here:
        return not owner.is_alive()
    try:
        return now - datetime.fromisoformat(started_utc) > _GIVEN_UP
    except (ValueError, TypeError):  # no moment, or one without a zone
        return False
