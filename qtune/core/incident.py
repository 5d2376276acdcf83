"""What is kept of failures and of steps on the ladder: what was turned off, when and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qtune.core.causes import Cause
from qtune.core.ladder import Footing, RungKind
from qtune.core.messages import Message


@dataclass(frozen=True, slots=True)
class Incident:
    """One failure of a server, with its proof and with what was done.

    Attributes:
        id: Unique.
        at_utc: Wall time in UTC, ISO 8601.
        message: What happened, in a sentence.
        evidence: The line of the engine's log, or the answer, that proves it; empty if nothing tells.
        footing: What was running.
        engine: Version line of the engine.
        action: What was done about it.
        run_id: The run it happened in, empty for a server outside any measurement.
    """

    id: str
    at_utc: str
    cause: Cause
    message: Message
    evidence: str
    footing: Footing
    engine: str
    action: Message | None = None
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class LadderStep:
    """One step on the ladder, or the start it begins with.

    Attributes:
        direction: ``start`` for what was asked for, ``down``, ``up``, or ``retry`` of the same footing.
        kind: Rung that was taken or undone, None for a start or a retry.
        by: Who took it.
        verified: Whether a real completion proved it.
        reason: Why it was taken, or why it failed.
        load_ms: From launch to the first answer; None if it never came.
        decode_tok_s: Of the proving completion: a look, no measurement.
        vram_loaded_bytes: In use once it was ready; main memory of the engine without a card.
    """

    id: str
    at_utc: str
    direction: Literal["start", "down", "up", "retry"]
    kind: RungKind | None
    by: Literal["user", "automatic"]
    before: Footing
    after: Footing
    verified: bool
    reason: Message | None = None
    load_ms: float | None = None
    decode_tok_s: float | None = None
    vram_loaded_bytes: int | None = None


def asked_last(steps: Sequence[LadderStep]) -> Footing | None:
    """What was asked for when the newest chain of steps began; None without steps.

    A chain begins with a start, or with a step that does not go on where the one before it ended.

    Args:
        steps: Newest first.
    """
    for number, step in enumerate(steps, 1):
        if step.direction == "start":
            return step.after
        if number == len(steps) or steps[number].after != step.before:
            return step.before
    return None
