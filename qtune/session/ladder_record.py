"""Writes down steps on the ladder and failures, with their proof, and marks combinations that fail."""

from __future__ import annotations

import asyncio
import uuid
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal

from qtune.core.causes import Cause, cause_of, evidence_of
from qtune.core.errors import KnownError
from qtune.core.events import IncidentHappened, Notice
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing, Ladder, RungKind
from qtune.core.messages import Message
from qtune.core.recovery import Action
from qtune.session.announcer import Announcer
from qtune.session.proof import Proof
from qtune.session.rooms import Rooms
from qtune.session.trials import Trial, Trials

Direction = Literal["start", "down", "up", "retry"]

REMEMBERED_BAD = frozenset({Cause.MEMORY, Cause.MTP_FAULT, Cause.STALL})
"""Causes that lie in the combination of build, model and settings."""
SETTLED = frozenset({"recovery_step", "recovery_at_foot", "recovery_too_often"})
"""What is done once a second chance was of no use: from then on an unknown cause lies there, too."""


@dataclass(frozen=True, slots=True)
class Move:
    """Which way, whose doing, and which rung is undone on the way up."""

    direction: Direction
    by: Literal["user", "automatic"]
    undone: RungKind | None = None


class LadderRecord:
    """On the io loop; rows are on disk when a call returns, or it was told why they are not."""

    def __init__(self, rooms: Rooms, announcer: Announcer, trials: Trials) -> None:
        self._rooms = rooms
        self._announcer = announcer
        self._trials = trials

    async def step(
        self, move: Move, before: Footing, ladder: Ladder, proof: Proof | None, reason: Message | None
    ) -> None:
        """A step that was taken, or tried."""
        kind = ladder.taken[-1].kind if move.direction == "down" and ladder.taken else move.undone
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
            vram_loaded_bytes=None if proof is None else self._memory_now(on_card=proof.on_card),
        )
        await self._stored(self._rooms.history.writer.add_ladder_step(step))

    async def incident(self, message: Message, trial: Trial, action: Action | None, run_id: str = "") -> None:
        """A failure and what is done about it; a stop that was wanted is none."""
        cause = cause_of(message, mtp=trial.footing.settings.mtp)
        if cause is Cause.STOPPED:
            return
        if _is_to_blame(cause, action):
            await asyncio.to_thread(self._trials.mark_bad, trial, message)
        incident = Incident(
            id=uuid.uuid4().hex,
            at_utc=self._rooms.clock.utc().isoformat(timespec="seconds"),
            cause=cause,
            message=message,
            evidence=evidence_of(message),
            footing=trial.footing,
            engine=trial.engine,
            action=None if action is None else action.reason,
            run_id=run_id,
        )
        self._announcer.announce(IncidentHappened(incident))
        await self._stored(self._rooms.history.writer.add_incident(incident))

    def warn(self, message: Message) -> None:
        """Tell what could not be kept; that must not end the way back, nor a server that runs."""
        self._announcer.announce(Notice(message))

    async def _stored(self, row: Future[None]) -> None:
        try:
            await asyncio.wrap_future(row)
        except KnownError as error:
            self.warn(error.message)

    def _memory_now(self, *, on_card: bool) -> int | None:
        latest = self._rooms.sampler.latest
        if latest is None:
            return None
        if not on_card or not latest.gpus:
            return latest.host.engine_rss_bytes
        return max((g.vram_used_bytes for g in latest.gpus if g.vram_used_bytes is not None), default=None)


def _is_to_blame(cause: Cause, action: Action | None) -> bool:
    """Whether the failure speaks against the combination it happened with."""
    if cause is Cause.UNKNOWN:
        return action is not None and action.reason.code in SETTLED
    return cause in REMEMBERED_BAD and (action is None or action.kind != "retry")
