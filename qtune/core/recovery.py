"""What to do after a failure: try again, take one rung, or stop and say why. A pure decision.

At most three restarts in a quarter of an hour with growing pauses, one retry where a retry is sensible, and
the ladder only for causes it can cure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qtune.core.causes import CURABLE, Cause
from qtune.core.ladder import Rung
from qtune.core.messages import Message

RESTARTS_MOST = 3
WINDOW_S = 15 * 60.0
PAUSES_S = (1.0, 5.0, 20.0)
"""Before the first, second and third restart within the window."""

RETRIED = frozenset({Cause.STALL, Cause.KILLED, Cause.UNKNOWN})
"""Causes after which the same settings get one more chance: they may not be to blame."""

_MTP_CAUSES = frozenset({Cause.MTP_MISSING, Cause.MTP_FAULT})


@dataclass(frozen=True, slots=True)
class Situation:
    """What a decision is taken on.

    Attributes:
        cause: Class of the failure.
        automatic: Whether the user lets the app act by itself.
        mtp: Whether MTP was on when it failed.
        retried: Whether these settings already had their second chance.
        restarts_s: When the app restarted by itself before, in seconds of a monotonic clock.
        now_s: The same clock now.
        rung: The step below, None at the foot.
        pauses_s: Before the first, second and third restart within the window.
    """

    cause: Cause
    automatic: bool
    mtp: bool
    retried: bool
    restarts_s: Sequence[float]
    now_s: float
    rung: Rung | None
    pauses_s: Sequence[float] = PAUSES_S


@dataclass(frozen=True, slots=True)
class Action:
    """What to do now, after how long a pause, and the sentence the user is told."""

    kind: Literal["retry", "step", "stop"]
    reason: Message
    pause_s: float = 0.0


def decide(situation: Situation) -> Action:
    """The next action. Never acts after the user stopped the server, and never without end."""
    s = situation
    recent = [t for t in s.restarts_s if s.now_s - t < WINDOW_S]
    if (reason := _forbidden(s, len(recent))) is not None:
        return Action("stop", reason)
    pause_s = s.pauses_s[len(recent)]
    if s.cause in RETRIED and not s.retried:
        return Action("retry", Message.of("recovery_retry", cause=s.cause.value), pause_s)
    if s.rung is None:
        return Action("stop", Message.of("recovery_at_foot"))
    return Action("step", Message.of("recovery_step", rung=s.rung.kind, cause=s.cause.value), pause_s)


def _forbidden(s: Situation, recent: int) -> Message | None:
    """Why nothing may be done by itself, None if something may."""
    if s.cause is Cause.STOPPED:
        return Message.of("recovery_stopped")
    # Without MTP a fault of MTP is not what happened, and turning it off would cure nothing.
    if s.cause not in CURABLE or (s.cause in _MTP_CAUSES and not s.mtp):
        return Message.of("recovery_not_curable", cause=s.cause.value)
    if not s.automatic:
        return Message.of("recovery_not_automatic")
    if recent >= RESTARTS_MOST:
        return Message.of("recovery_too_often", count=recent, minutes=round(WINDOW_S / 60))
    return None
