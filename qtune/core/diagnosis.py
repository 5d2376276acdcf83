"""The diagnosis in words: where the time goes, what is wrong with drafting, and what to try first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qtune.core.messages import Message
from qtune.core.verdict import Decision

Pace = tuple[float | None, float | None]
"""Rounds per second and L, the tokens gained in each."""
Bottleneck = Literal["first_token", "decode", "memory", "none", "unknown"]
MIB = 1024**2
FIRST_TOKEN_SHARE = 0.5
FIRST_TOKEN_HIGH_MS = 2000.0
EDGE_BYTES = 1024 * MIB
"""Less free memory than this is the edge of the card."""
DECODE_FINE_TOK_S = 60.0
"""From here on decode is not what one waits for."""
DRAFTS_LEAST = 200
"""Drafted tokens below which a head is not judged."""
HEAD_UNUSABLE = 0.05
SUSPECT_BUILD = 0.20
DEPTH_POOR_PCT = -30.0
SAME = 1.10
"""A quantity that moved by less than this factor stayed."""
JUMP = 1.5
COLLAPSE = 0.6


@dataclass(frozen=True, slots=True)
class ArmSigns:
    """What the diagnosis looks at in one arm; None where it was not measured.

    Attributes:
        decision: Against off; None for off itself.
        accepted_on_code: Acceptance (0 to 1) on the code workload alone.
        degradation_pct: Change of decode between ``depths``.
        spill: The three-state verdict on memory.
        course: Rounds per second and L over the first and over the second half of its requests, where both
            halves asked for the same.
    """

    arm: str
    decode_tok_s: float | None = None
    ttft_ms: float | None = None
    total_ms: float | None = None
    free_min_bytes: int | None = None
    spill: Literal["yes", "no", "unknown"] = "unknown"
    decision: Decision | None = None
    ratio: float | None = None
    mtp_active: bool | None = None
    drafted: int | None = None
    accepted: int | None = None
    accepted_on_code: float | None = None
    depths: tuple[int, int] | None = None
    degradation_pct: float | None = None
    format_rate: float | None = None
    course: tuple[Pace, Pace] | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The bottleneck of off with its advice (the hint of ``sentence``), and findings on each arm."""

    bottleneck: Bottleneck
    sentence: Message
    findings: tuple[Message, ...] = ()


def diagnose(off: ArmSigns | None, arms: Sequence[ArmSigns] = ()) -> Diagnosis:
    """Name the bottleneck by off's figures and say what stands out in each arm.

    Without off the first arm that was measured speaks for it.
    """
    spoken = off or next((a for a in arms if a.decode_tok_s is not None), None)
    bottleneck, sentence = _bottleneck(spoken)
    everyone = arms if off is None else [off, *arms]
    findings = [
        f for a in everyone for f in (*_depth(a), *_drafting(a), *_effect(a), *_course(a), *_form(a, off))
    ]
    return Diagnosis(bottleneck, sentence, tuple(findings))


def _bottleneck(a: ArmSigns | None) -> tuple[Bottleneck, Message]:
    if a is None or a.decode_tok_s is None or a.ttft_ms is None or not a.total_ms:
        return "unknown", Message.of("diagnosis_unknown")
    share = a.ttft_ms / a.total_ms
    rate = f"{a.decode_tok_s:.1f}"
    if a.spill == "yes":
        return "memory", Message.of("diagnosis_spill")
    if share >= FIRST_TOKEN_SHARE and a.ttft_ms >= FIRST_TOKEN_HIGH_MS:
        return "first_token", Message.of("diagnosis_first_token", share=round(share * 100))
    if a.decode_tok_s >= DECODE_FINE_TOK_S:
        return "none", Message.of("diagnosis_none", rate=rate, ttft=round(a.ttft_ms))
    return _low_decode(rate, a.free_min_bytes)


def _low_decode(rate: str, free_bytes: int | None) -> tuple[Bottleneck, Message]:
    if free_bytes is None:
        return "decode", Message.of("diagnosis_decode_memory_unknown", rate=rate)
    if free_bytes < EDGE_BYTES:
        return "memory", Message.of("diagnosis_memory", free=free_bytes // MIB)
    return "decode", Message.of("diagnosis_decode", rate=rate)


def _depth(a: ArmSigns) -> list[Message]:
    if a.degradation_pct is None or a.depths is None or a.degradation_pct > DEPTH_POOR_PCT:
        return []
    shallow, deep = a.depths
    return [Message.of("finding_depth", shallow=shallow, deep=deep, change=f"{a.degradation_pct:+.0f}")]


def _drafting(a: ArmSigns) -> list[Message]:
    """Whether the head works at all. Acceptance is judged within one build only, never compared."""
    if a.mtp_active is False:
        return [Message.of("finding_mtp_inactive", arm=a.arm)]
    if not a.drafted or a.accepted is None:
        return []
    if a.drafted <= DRAFTS_LEAST:
        return [Message.of("finding_few_drafts", arm=a.arm, drafted=a.drafted)]
    if a.accepted / a.drafted < HEAD_UNUSABLE:
        return [Message.of("finding_head_unusable", arm=a.arm, accepted=a.accepted, drafted=a.drafted)]
    if a.accepted_on_code is not None and a.accepted_on_code < SUSPECT_BUILD:
        return [Message.of("finding_suspect_build", arm=a.arm, rate=round(a.accepted_on_code * 100))]
    return []


def _effect(a: ArmSigns) -> list[Message]:
    if a.mtp_active is not True or a.ratio is None:
        return []
    if a.decision == "no_difference":
        return [Message.of("finding_no_change", arm=a.arm)]
    if a.decision == "worse":
        # However well the drafts are accepted: what counts is the measured speed against off.
        rate = "?" if not a.drafted or a.accepted is None else round(min(1.0, a.accepted / a.drafted) * 100)
        return [Message.of("finding_slower", arm=a.arm, loss=round((1 - a.ratio) * 100), rate=rate)]
    return []


def _form(a: ArmSigns, off: ArmSigns | None) -> list[Message]:
    known = off is not None and off.format_rate is not None and a.format_rate is not None
    if not known or off is None or a is off or (a.format_rate or 0) >= (off.format_rate or 0):
        return []
    return [
        Message.of(
            "finding_format",
            arm=a.arm,
            rate=round((a.format_rate or 0) * 100),
            off=round((off.format_rate or 0) * 100),
        )
    ]


def _course(a: ArmSigns) -> list[Message]:
    """What a change of speed within one configuration means.

    L jumps while rounds/s stays: degenerate output. Rounds/s collapses while L stays: spill or throttling.
    """
    if a.course is None:
        return []
    (rounds, length), (rounds_now, length_now) = a.course
    if not rounds or not length or rounds_now is None or length_now is None:
        return []
    rounds_stay = 1 / SAME < rounds_now / rounds < SAME
    length_stays = 1 / SAME < length_now / length < SAME
    if rounds_stay and length_now > JUMP * length:
        told = {"before": f"{length:.2f}", "after": f"{length_now:.2f}"}
        return [Message.of("finding_degenerate", arm=a.arm, **told)]
    if length_stays and rounds_now < COLLAPSE * rounds:
        told = {"before": f"{rounds:.1f}", "after": f"{rounds_now:.1f}"}
        return [Message.of("finding_rounds_collapse", arm=a.arm, **told)]
    return []
