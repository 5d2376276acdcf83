"""The diagnosis names the bottleneck and what is wrong with drafting, row by row of the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qtune.core.diagnosis import ArmSigns, diagnose

GIB = 1024**3
OFF = ArmSigns("off", decode_tok_s=30.0, ttft_ms=900.0, total_ms=14000.0, free_min_bytes=4 * GIB)
ON = replace(OFF, arm="n4", mtp_active=True, decision="better", ratio=1.4, drafted=2000, accepted=1300)


@pytest.mark.parametrize(
    ("changed", "bottleneck", "code"),
    [
        ({}, "decode", "diagnosis_decode"),
        ({"free_min_bytes": GIB // 2}, "memory", "diagnosis_memory"),
        ({"free_min_bytes": None}, "decode", "diagnosis_decode_memory_unknown"),
        ({"spill": "yes"}, "memory", "diagnosis_spill"),
        ({"ttft_ms": 9000.0}, "first_token", "diagnosis_first_token"),
        ({"ttft_ms": 900.0, "total_ms": 1000.0, "decode_tok_s": 100.0}, "none", "diagnosis_none"),
        ({"decode_tok_s": 120.0}, "none", "diagnosis_none"),
        ({"decode_tok_s": None}, "unknown", "diagnosis_unknown"),
    ],
)
def test_bottleneck(changed: dict[str, object], bottleneck: str, code: str) -> None:
    found = diagnose(replace(OFF, **changed))  # type: ignore[arg-type]
    assert (found.bottleneck, found.sentence.code) == (bottleneck, code)
    assert "?" not in found.sentence.sentence()


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"drafted": 3595, "accepted": 0}, "finding_head_unusable"),
        ({"drafted": 633, "accepted": 1}, "finding_head_unusable"),
        ({"drafted": 6, "accepted": 0}, "finding_few_drafts"),
        ({"accepted_on_code": 0.15}, "finding_suspect_build"),
        ({"mtp_active": False}, "finding_mtp_inactive"),
        ({"decision": "no_difference", "ratio": 1.0}, "finding_no_change"),
        ({"depths": (8192, 32768), "degradation_pct": -45.0}, "finding_depth"),
        ({"format_rate": 0.8}, "finding_format"),
    ],
)
def test_findings(changed: dict[str, object], code: str) -> None:
    found = diagnose(replace(OFF, format_rate=1.0), [replace(ON, **changed)])  # type: ignore[arg-type]
    assert [f.code for f in found.findings] == [code]
    assert "?" not in found.findings[0].sentence()


def test_slower_is_said_although_acceptance_looks_fine() -> None:
    slow = replace(ON, decision="worse", ratio=11.37 / 56.49, drafted=1000, accepted=800)
    (finding,) = diagnose(OFF, [slow]).findings
    assert finding.sentence() == "n4: slower than off by 80 % at an acceptance of 80 %."
    assert "MTP off" in finding.hint()


def test_a_good_arm_gives_no_finding() -> None:
    assert diagnose(OFF, [ON]).findings == ()
    assert diagnose(None).bottleneck == "unknown"


def test_rounds_and_length_tell_loops_from_memory() -> None:
    def code(before: tuple[float, float], after: tuple[float | None, float | None]) -> str | None:
        found = diagnose(OFF, [replace(ON, course=(before, after))]).findings
        return found[0].code if found else None

    assert code((20.0, 2.5), (20.5, 4.9)) == "finding_degenerate"
    assert code((20.0, 2.5), (8.0, 2.45)) == "finding_rounds_collapse"
    assert code((20.0, 2.5), (19.0, 2.4)) is None
    assert code((20.0, 2.5), (8.0, 1.2)) is None
    assert code((20.0, 2.5), (None, 2.5)) is None
