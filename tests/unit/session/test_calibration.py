"""A preset is verified once a fill test of its arm said how much memory stays free."""

from __future__ import annotations

from qtune.core.messages import Message
from qtune.core.stats import arm_figures
from qtune.core.verdict import ArmAnswer, Price, Ratio, Verdict
from qtune.session.findings import find
from qtune.session.requests import ArmResult, MeasureResult
from tests.service.store.made import experiment
from tests.unit.core.by_hand import request, run

GIB = 1024**3
BETTER = ArmAnswer(
    arm="balanced",
    ratio=Ratio("balanced", 1.5, 1.4, 1.6, "better"),
    domains=(),
    price=Price(prefill=0.95),
    pairs=6,
    cv_starts=0.01,
    cv_requests=0.01,
    noise=0.01,
)


def balanced(free_at_fill: dict[str, int] | None) -> tuple[str | None, bool]:
    """Arm of the preset balanced, and whether anything is open."""
    requests = (request(),)
    arms = tuple(ArmResult(run(name), requests, arm_figures(requests)) for name in ("off", "balanced"))
    verdict = Verdict("better", Message.of("verdict_no_difference"), "balanced", answers=(BETTER,))
    found = find(MeasureResult(experiment(), arms, verdict), {}, free_at_fill=free_at_fill)
    preset = next(c for c in found.calibrated if c.preset == "balanced")
    return preset.arm, preset.verified


def test_what_a_fill_test_found_enters_the_calibration() -> None:
    assert balanced(None) == ("balanced", False)
    assert balanced({"balanced": 2 * GIB}) == ("balanced", True)
    assert balanced({"balanced": GIB // 2}) == (None, False), "it does not keep the memory it promises"
