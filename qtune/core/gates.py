"""What a preset promises, checked against measured figures, and presets derived from measured arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qtune.core.looping import is_looping
from qtune.core.messages import Message
from qtune.core.records import RequestRecord
from qtune.core.verdict import Decision

GateState = Literal["pass", "fail", "unknown"]
IN_A_ROW = 10
TTFT_MOST = 1.10
DECODE_GOAL = 1.15
DEGRADATION_POINTS = 10.0
"""Percentage points by which an arm's change of decode with depth may be worse than that of off."""
PREFILL_LEAST = 0.85
MIB = 1024**2
KEEP_BYTES = {"conservative": 2048 * MIB, "balanced": 1024 * MIB, "aggressive": 512 * MIB}
"""Memory each preset keeps free at a filled context."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """One promise: kept, broken or not yet known, with the figures."""

    state: GateState
    reason: Message


@dataclass(frozen=True, slots=True)
class GateFigures:
    """What the gates look at; None where it was not measured.

    Attributes:
        decision: Decision on decode against off.
        ratio: Decode over off.
        ttft_ratio: First-token time over off.
        in_a_row: Result of ``in_a_row``.
        depths: Shallowest and deepest context measured, in tokens.
        degradation_pct: Change of decode from the first depth to the last (negative: slower).
        degradation_off_pct: The same with off.
        format_rate: Share of answers that kept their form, 0 to 1.
        error_rate: Share of requests that failed or hung, 0 to 1.
    """

    decision: Decision | None = None
    ratio: float | None = None
    ttft_ratio: float | None = None
    in_a_row: GateResult | None = None
    depths: tuple[int, int] | None = None
    degradation_pct: float | None = None
    degradation_off_pct: float | None = None
    format_rate: float | None = None
    format_rate_off: float | None = None
    error_rate: float | None = None
    error_rate_off: float | None = None


def check_gates(preset: str, figures: GateFigures) -> tuple[GateResult, ...]:
    """All promises of a preset (design section 4); off promises nothing."""
    if preset == "conservative":
        row = figures.in_a_row or _row_unknown(0)
        return (_decode_up(figures), _ttft(figures), row)
    if preset in {"balanced", "aggressive"}:
        both = (_decode_goal(figures), _degradation(figures), _format(figures))
        return both if preset == "balanced" else (*both, _errors(figures))
    return ()


def overall(results: Sequence[GateResult]) -> GateState:
    """One state for all: fail if any failed, unknown if any is, else pass."""
    states = {r.state for r in results}
    return "fail" if "fail" in states else "unknown" if "unknown" in states else "pass"


def in_a_row(records: Sequence[RequestRecord]) -> GateResult:
    """Ten counted requests in a row, of one run, without failure, mark, empty or looping answer."""
    last = [r for r in records if r.phase == "counted" and not r.times.cancelled][-IN_A_ROW:]
    for number, record in enumerate(last, start=1):
        reason = anomaly(record)
        if reason is not None:
            return GateResult(
                "fail", Message.of("gate_anomaly", number=number, n=len(last), reason=reason.sentence())
            )
    if len(last) < IN_A_ROW:
        return _row_unknown(len(last))
    return GateResult("pass", Message.of("gate_in_a_row", n=IN_A_ROW))


def anomaly(record: RequestRecord) -> Message | None:
    """What is wrong with a request, None if nothing."""
    if record.times.failure is not None:
        return record.times.failure
    if record.marks:
        return record.marks[0]
    if not (record.times.content or record.times.reasoning):
        return Message.of("anomaly_empty")
    if is_looping(record.times.content or record.times.reasoning) is not None:
        return Message.of("anomaly_looping")
    return None


def _row_unknown(n: int) -> GateResult:
    return GateResult("unknown", Message.of("gate_in_a_row_unknown", n=n, wanted=IN_A_ROW))


def _decode_up(f: GateFigures) -> GateResult:
    if f.decision is None or f.ratio is None or f.decision == "too_few":
        return GateResult("unknown", Message.of("gate_decode_unknown"))
    if f.decision == "better":
        return GateResult("pass", Message.of("gate_decode_up", ratio=f"{f.ratio:.2f}"))
    return GateResult("fail", Message.of("gate_decode_not_up", ratio=f"{f.ratio:.2f}"))


def _decode_goal(f: GateFigures) -> GateResult:
    if f.decision is None or f.ratio is None or f.decision == "too_few":
        return GateResult("unknown", Message.of("gate_decode_unknown"))
    reached = f.decision == "better" and f.ratio >= DECODE_GOAL
    return GateResult(
        "pass" if reached else "fail",
        Message.of("gate_decode_goal", gain=round((f.ratio - 1) * 100), goal=round((DECODE_GOAL - 1) * 100)),
    )


def _ttft(f: GateFigures) -> GateResult:
    if f.ttft_ratio is None:
        return GateResult("unknown", Message.of("gate_ttft_unknown"))
    return GateResult(
        "pass" if f.ttft_ratio <= TTFT_MOST else "fail",
        Message.of("gate_ttft", ratio=f"{f.ttft_ratio:.2f}", allowed=f"{TTFT_MOST:.2f}"),
    )


def _degradation(f: GateFigures) -> GateResult:
    if f.degradation_pct is None or f.degradation_off_pct is None or f.depths is None:
        return GateResult("unknown", Message.of("gate_degradation_unknown"))
    fine = f.degradation_pct >= f.degradation_off_pct - DEGRADATION_POINTS
    return GateResult(
        "pass" if fine else "fail",
        Message.of(
            "gate_degradation",
            shallow=f.depths[0],
            deep=f.depths[1],
            change=f"{f.degradation_pct:+.0f}",
            off=f"{f.degradation_off_pct:+.0f}",
        ),
    )


def _format(f: GateFigures) -> GateResult:
    if f.format_rate is None or f.format_rate_off is None:
        return GateResult("unknown", Message.of("gate_format_unknown"))
    return GateResult(
        "pass" if f.format_rate >= f.format_rate_off else "fail",
        Message.of("gate_format", rate=round(f.format_rate * 100), off=round(f.format_rate_off * 100)),
    )


def _errors(f: GateFigures) -> GateResult:
    if f.error_rate is None or f.error_rate_off is None:
        return GateResult("unknown", Message.of("gate_errors_unknown"))
    return GateResult(
        "pass" if f.error_rate <= f.error_rate_off else "fail",
        Message.of("gate_errors", rate=round(f.error_rate * 100), off=round(f.error_rate_off * 100)),
    )


# -- presets from measured arms ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MeasuredArm:
    """An arm as calibration sees it.

    Attributes:
        decision: Decision on decode against off; only better arms are taken.
        free_at_fill_bytes: Smallest free memory in the fill test, None when unknown.
        prefill_ratio: Prefill over off, None when unknown.
        soaked: Whether it held a soak.
    """

    arm: str
    decision: Decision
    decode_tok_s: float
    free_at_fill_bytes: int | None = None
    prefill_ratio: float | None = None
    soaked: bool = False


@dataclass(frozen=True, slots=True)
class CalibratedPreset:
    """The arm a preset should stand for (None: factory values); ``verified`` when nothing is open."""

    preset: str
    arm: str | None
    verified: bool
    reasons: tuple[Message, ...]


def calibrate(arms: Sequence[MeasuredArm]) -> tuple[CalibratedPreset, ...]:
    """Re-derive the three presets from measured arms.

    Conservative is the fastest with 2 GiB free and a prefill of at least 85 % of off, balanced the fastest
    with 1 GiB, aggressive the fastest with 0.5 GiB and unverified until soaked. An arm whose free memory is
    unknown is taken only where no arm with known memory fits, and the preset stays unverified.
    """
    return tuple(_calibrated(preset, arms) for preset in KEEP_BYTES)


def _calibrated(preset: str, arms: Sequence[MeasuredArm]) -> CalibratedPreset:
    keep = KEEP_BYTES[preset]
    strict = preset == "conservative"
    fit = [
        a
        for a in arms
        if a.decision == "better"
        and (a.free_at_fill_bytes is None or a.free_at_fill_bytes >= keep)
        and (not strict or a.prefill_ratio is None or a.prefill_ratio >= PREFILL_LEAST)
    ]
    known = [a for a in fit if not _open_points(a, preset)]
    pool = known or [a for a in fit if a.free_at_fill_bytes is not None] or fit
    if not pool:
        reason = Message.of("calibrated_none", keep=keep // MIB)
        return CalibratedPreset(preset, arm=None, verified=False, reasons=(reason,))
    arm = max(pool, key=lambda a: a.decode_tok_s)
    reasons = [Message.of("calibrated", keep=keep // MIB), *_open_points(arm, preset)]
    if preset == "aggressive" and not arm.soaked:
        reasons.append(Message.of("calibrated_unsoaked", arm=arm.arm))
    return CalibratedPreset(preset, arm.arm, len(reasons) == 1, tuple(reasons))


def _open_points(arm: MeasuredArm, preset: str) -> list[Message]:
    found = []
    if arm.free_at_fill_bytes is None:
        found.append(Message.of("calibrated_free_unknown", arm=arm.arm))
    if preset == "conservative" and arm.prefill_ratio is None:
        found.append(Message.of("calibrated_prefill_unknown", arm=arm.arm))
    return found
