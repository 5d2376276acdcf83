"""Writes down steps on the ladder and failures, with their proof, and marks combinations that fail."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from typing import Literal

from qtune.core.causes import Cause, cause_of
from qtune.core.events import IncidentHappened
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing, Ladder
from qtune.core.messages import Message
from qtune.core.recovery import Action
from qtune.session.announcer import Announcer
from qtune.session.proof import Proof
from qtune.session.rooms import Rooms
from qtune.session.trials import Trial, Trials

Direction = Literal["start", "down", "up", "retry"]

REMEMBERED_BAD = frozenset({Cause.MEMORY, Cause.MTP_FAULT, Cause.STALL})
"""Causes that lie in the combination of build, model and settings."""


@dataclass(frozen=True, slots=True)
class Move:
    """Which way, and whose doing."""

    direction: Direction
    by: Literal["user", "automatic"]


class LadderRecord:
    """On the io loop; rows are on disk when a call returns."""

    def __init__(self, rooms: Rooms, announcer: Announcer, trials: Trials) -> None:
        self._rooms = rooms
        self._announcer = announcer
        self._trials = trials

    async def step(
        self, move: Move, before: Footing, ladder: Ladder, proof: Proof | None, reason: Message | None
    ) -> None:
        """A step that was taken, or tried."""
        kind = ladder.taken[-1].kind if move.direction == "down" and ladder.taken else None
        step = LadderStep(
            id=uuid.uuid4().hex,
            at_utc=self._rooms.clock.utc().isoformat(timespec="seconds"),
            direction=move.direction,
            kind=kind,
            by=move.by,
            before=before,
            after=ladder.current,
            verified=proof is not None,
            reason=reason,
            load_ms=None if proof is None else proof.load_ms,
            decode_tok_s=None if proof is None else proof.decode_tok_s,
            vram_loaded_bytes=None if proof is None else self._memory_now(),
        )
        await asyncio.wrap_future(self._rooms.history.writer.add_ladder_step(step))

    async def incident(self, message: Message, trial: Trial, action: Action | None, run_id: str = "") -> None:
        """A failure and what is done about it; a stop that was wanted is none."""
        cause = cause_of(message, mtp=trial.footing.settings.mtp)
        if cause is Cause.STOPPED:
            return
        if cause in REMEMBERED_BAD and (action is None or action.kind != "retry"):
            await asyncio.to_thread(self._trials.mark_bad, trial, message.sentence())
        incident = Incident(
            id=uuid.uuid4().hex,
            at_utc=self._rooms.clock.utc().isoformat(timespec="seconds"),
            cause=cause,
            message=message,
            evidence=str(dict(message.params).get("line") or ""),
            footing=trial.footing,
            engine=trial.engine,
            action=None if action is None else action.reason,
            run_id=run_id,
        )
        self._announcer.announce(IncidentHappened(incident))
        await asyncio.wrap_future(self._rooms.history.writer.add_incident(incident))

    def _memory_now(self) -> int | None:
        latest = self._rooms.sampler.latest
        if latest is None:
            return None
        if not latest.gpus:
            return latest.host.engine_rss_bytes
        return max((g.vram_used_bytes for g in latest.gpus if g.vram_used_bytes is not None), default=None)
