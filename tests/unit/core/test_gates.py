"""Gates pass, fail, or say that something was not measured; calibration picks the fastest that fits."""

from __future__ import annotations

from dataclasses import replace

from qtune.core.gates import GateFigures, MeasuredArm, calibrate, check_gates, in_a_row, overall
from qtune.core.messages import Message
from tests.unit.core.by_hand import request

GIB = 1024**3
GOOD = GateFigures(
    decision="better", ratio=1.4, ttft_ratio=1.05, in_a_row=in_a_row([request()] * 10), depths=(8192, 32768),
    degradation_pct=-25.0, degradation_off_pct=-18.0, format_rate=1.0, format_rate_off=1.0,
    error_rate=0.0, error_rate_off=0.0,
)  # fmt: skip


def state(preset: str, **changed: object) -> str:
    return overall(check_gates(preset, replace(GOOD, **changed)))  # type: ignore[arg-type]


def test_all_presets_pass_on_good_figures() -> None:
    assert [state(p) for p in ("conservative", "balanced", "aggressive")] == ["pass"] * 3
    assert check_gates("off", GOOD) == ()


def test_conservative() -> None:
    assert state("conservative", decision="no_difference") == "fail"
    assert state("conservative", ttft_ratio=1.11) == "fail"
    assert state("conservative", in_a_row=None) == "unknown"
    assert state("conservative", decision="too_few") == "unknown"
    assert state("conservative", format_rate=None, degradation_pct=None) == "pass"


def test_balanced() -> None:
    assert state("balanced", ratio=1.14) == "fail"
    assert state("balanced", degradation_pct=-28.1) == "fail"
    assert state("balanced", degradation_pct=-28.0) == "pass"
    assert state("balanced", format_rate=0.9) == "fail"
    assert state("balanced", degradation_off_pct=None) == "unknown"
    assert state("balanced", degradation_off_pct=None, format_rate=0.9) == "fail"


def test_aggressive_minds_errors() -> None:
    assert state("aggressive", error_rate=0.1) == "fail"
    assert state("aggressive", error_rate=None) == "unknown"
    assert state("balanced", error_rate=0.1) == "pass"


def test_ten_in_a_row() -> None:
    good, warm = request(), request(phase="warmup", times={"content": ""})
    assert in_a_row([warm] + [good] * 10).state == "pass"
    assert in_a_row([good] * 9).state == "unknown"
    empty = in_a_row([good] * 5 + [request(times={"content": ""})] + [good] * 4)
    assert (empty.state, empty.reason.sentence()) == (
        "fail",
        "Request 6 of 10 in a row: the answer is empty.",
    )
    assert in_a_row([request(times={"failure": Message.of("stream_cut")})]).state == "fail"
    loops = request(times={"content": "I hope this helps you now. " * 40})
    assert "loops" in in_a_row([good, loops]).reason.sentence()
    assert in_a_row([loops] + [good] * 10).state == "pass"


def arm(
    name: str, rate: float, free: float | None, prefill: float | None = 1.0, **more: object
) -> MeasuredArm:
    return MeasuredArm(name, "better", rate, None if free is None else int(free * GIB), prefill, **more)  # type: ignore[arg-type]


def test_calibration_takes_the_fastest_that_keeps_headroom_and_prefill() -> None:
    arms = [arm("n2", 50, 3.0), arm("n3", 55, 2.5, 0.8), arm("n4", 60, 1.2), arm("n6", 65, 0.6, soaked=True)]
    found = {c.preset: c for c in calibrate(arms)}
    assert {p: c.arm for p, c in found.items()} == {
        "conservative": "n2", "balanced": "n4", "aggressive": "n6"
    }  # fmt: skip
    assert all(c.verified for c in found.values())


def test_aggressive_stays_unverified_until_soaked() -> None:
    aggressive = calibrate([arm("n4", 60, 1.2)])[2]
    assert (aggressive.arm, aggressive.verified) == ("n4", False)
    assert aggressive.reasons[-1].code == "calibrated_unsoaked"


def test_unknown_memory_is_second_choice_and_unverified() -> None:
    known_slower = calibrate([arm("n4", 60, None), arm("n2", 50, 3.0)])
    assert [c.arm for c in known_slower] == ["n2"] * 3
    only = calibrate([arm("n4", 60, None, None)])
    assert [(c.arm, c.verified) for c in only] == [("n4", False)] * 3
    assert {r.code for r in only[0].reasons} >= {"calibrated_free_unknown", "calibrated_prefill_unknown"}


def test_nothing_better_keeps_factory_values() -> None:
    found = calibrate([replace(arm("n2", 50, 3.0), decision="no_difference")])
    assert [(c.arm, c.reasons[0].code) for c in found] == [(None, "calibrated_none")] * 3
