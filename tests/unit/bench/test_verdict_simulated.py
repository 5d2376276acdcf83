"""The whole method on simulated machines: plan, walk, decide. ``benchmarks/verdict.py`` runs it at length."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from qtune.bench import compare_plan as cp
from qtune.core.decision import ArmFacts, selftest, verdict
from tests.unit.bench.rig import PROMPTS, Rig, walk

RIGS = 60


def said(gain: float, rigs: int = RIGS, **machine: Any) -> Counter[str]:
    """What the Full form says of an arm that is ``gain`` times as fast as off."""
    found: Counter[str] = Counter()
    for seed in range(rigs):
        rig = Rig({"off": 40.0, "on": 40.0 * gain}, seed=seed, **machine)
        seen, _ = walk(rig, cp.ComparePlan(("off", "on"), PROMPTS, cp.FULL, seed))
        found[verdict(seen, [ArmFacts("off", 0), ArmFacts("on", 2, mtp_active=True)]).decision] += 1
    return found


ROUGH = {"drift": -0.0005, "cold": 0.04, "start_noise": 0.01}


@pytest.mark.parametrize("machine", [{}, {"noise": 0.01}, ROUGH, {"burst": 0.03}, {"noise": 0.06}])
def test_a_against_a_is_no_difference(machine: dict[str, float]) -> None:
    assert said(1.0, **machine)["no_difference"] >= 0.95 * RIGS


def test_five_percent_at_three_percent_noise_is_found() -> None:
    found = said(1.05, rigs=100)
    assert found["better"] >= 85
    assert found["worse"] == 0


@pytest.mark.parametrize(("gain", "decision"), [(1.4, "better"), (0.9, "worse"), (1.1, "better")])
def test_large_differences_are_found(gain: float, decision: str) -> None:
    assert said(gain, rigs=30)[decision] >= 29


def test_a_gain_survives_a_rough_machine() -> None:
    assert said(1.4, rigs=30, **ROUGH)["better"] >= 29


def test_three_percent_itself_is_seldom_called_better() -> None:
    """The threshold's own false alarms, looks in between included."""
    assert said(1.03, rigs=RIGS)["better"] <= 0.12 * RIGS


def test_a_drift_that_hits_one_arm_without_interleaving_is_cancelled() -> None:
    """5 % in 100 requests: measured one after the other the second arm would look slower than the first."""
    for seed in range(20):
        rig = Rig({"off": 40.0, "off_again": 40.0}, seed=seed, noise=0.005, drift=-0.0005)
        seen, _ = walk(rig, cp.ComparePlan(cp.SELFTEST_ARMS, PROMPTS, cp.FULL, seed))
        answer = selftest(seen, "off_again")
        assert answer.sentence.code == "selftest_passed"
        assert answer.ratios[0].ratio == pytest.approx(1.0, abs=0.01)


def test_the_winner_of_four_arms_is_the_fastest_or_its_equal() -> None:
    truth = {"off": 40.0, "conservative": 55.0, "balanced": 62.0, "aggressive": 50.0}
    facts = [ArmFacts(a, n, mtp_active=None if n == 0 else True) for n, a in enumerate(truth)]
    winners = Counter()
    for seed in range(25):
        seen, _ = walk(
            Rig(truth, seed=seed, noise=0.02), cp.ComparePlan(tuple(truth), PROMPTS, cp.FULL, seed)
        )
        winners[verdict(seen, facts).winner] += 1
    assert winners["balanced"] == 25


def test_the_quick_form_never_concludes() -> None:
    rig = Rig({"off": 40.0, "on": 80.0}, noise=0.001)
    seen, _ = walk(rig, cp.ComparePlan(("off", "on"), ("summary",), cp.QUICK, 1))
    found = verdict(seen, [ArmFacts("off", 0), ArmFacts("on", 2, mtp_active=True)])
    assert (found.decision, found.winner) == ("too_few", None)
    assert found.sentence.sentence().startswith("Indication: on decodes +100 % against off (3 requests each)")
