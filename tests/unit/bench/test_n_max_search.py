"""The search finds the best n_max with half the requests, keeps off cliffs, and knows when to stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from qtune.bench.n_max_search import (
    Chosen,
    ScreenRun,
    SearchPlan,
    next_screen,
    predicted_lengths,
    stored_screen_run,
)
from qtune.core.decision import ArmFacts, verdict
from qtune.core.settings import ServerSettings
from tests.unit.bench.rig import Curve, arm_of, published_curve, random_curve, search
from tests.unit.core.by_hand import drafts, request, run

FULL_SWEEP = 9 * 12
"""Counted requests of measuring off and n_max 1 to 8 in the Full form."""


def drive(rates: Mapping[int, float | None], plan: SearchPlan | None = None) -> tuple[Chosen, list[int]]:
    """Walk the screening without noise; None is an arm that cannot start."""
    runs: list[ScreenRun] = []
    while not isinstance(step := next_screen(plan or SearchPlan(), runs), Chosen):
        positions = tuple(0.8 ** (i + 1) for i in range(step.n_max))
        runs.append(ScreenRun(step.n_max, rates[step.n_max], positions))
        assert len(runs) < 20
    return step, [r.n_max for r in runs]


@pytest.mark.parametrize("seed", range(20))
def test_published_figures_give_n_max_4(seed: int) -> None:
    found = search(published_curve(), seed, noise=0.02)
    assert found.chosen == 4
    assert found.requests <= FULL_SWEEP / 2
    confirmed = verdict(found.fresh, [ArmFacts("off", 0), ArmFacts("n4", 4, mtp_active=True)])
    assert (confirmed.decision, confirmed.winner) == ("better", "n4")
    assert confirmed.ratios[0].ratio == pytest.approx(199 / 133.6, rel=0.05)


def test_random_curves_within_two_percent_at_half_the_requests() -> None:
    close = []
    for seed in range(150):
        curve = random_curve(seed)
        found = search(curve, seed, noise=0.02)
        close.append(curve.rates[found.chosen] >= 0.98 * curve.best)
        assert found.requests <= FULL_SWEEP / 2
    assert sum(close) / len(close) >= 0.94


def test_confirmation_uses_fresh_samples_only() -> None:
    """The screening's luck must not reach the verdict: fresh ratios scatter around the truth."""
    curve = Curve(dict.fromkeys(range(9), 40.0) | {3: 44.0}, {n: (0.6,) * n for n in range(1, 9)})
    ratios = []
    for seed in range(120):
        found = search(curve, seed, noise=0.03)
        if found.chosen == 0:
            continue
        answer = verdict(found.fresh, [ArmFacts("off", 0), ArmFacts(arm_of(found.chosen), found.chosen)])
        ratios.append(answer.ratios[0].ratio / (curve.rates[found.chosen] / 40.0))
    assert len(ratios) > 60
    assert sum(ratios) / len(ratios) == pytest.approx(1.0, abs=0.005)


def test_memory_cliff_is_ruled_out_and_not_stepped_down() -> None:
    """A 4090: 84 tok/s at n 3, 6 at n 4."""
    chosen, tried = drive({0: 42, 1: 60, 2: 75, 3: 84, 4: 6, 5: 5.5, 6: 5, 7: 5, 8: 5})
    assert chosen.n_max == 3
    assert len(tried) <= 6
    assert "search_cliff" in {r.code for r in chosen.reasons}
    assert 5 not in tried


def test_arm_that_cannot_start_rules_out_longer_drafts() -> None:
    chosen, tried = drive({0: 40, 1: 50, 2: 60, 3: 66, 4: None, 5: None, 6: None, 7: None, 8: None})
    assert chosen.n_max == 3
    assert not {7, 8} & set(tried)
    assert "search_arm_failed" in {r.code for r in chosen.reasons}


def test_flat_curve_ends_early_with_the_lowest() -> None:
    """A09: 165.4 / 170.0 / 164.3 whatever n_max: a fixed overhead."""
    chosen, tried = drive({0: 140, **{n: 165 + (n % 2) for n in range(1, 9)}})
    assert "search_flat" in {r.code for r in chosen.reasons}
    assert chosen.n_max == min(n for n in tried if n)
    assert len(set(tried)) == 4


def test_flat_and_slower_than_off_means_off() -> None:
    chosen, _ = drive({0: 180, **{n: 165 + (n % 2) for n in range(1, 9)}})
    assert (chosen.kind, chosen.n_max) == ("off", 0)


def test_stops_at_once_when_nothing_can_beat_off() -> None:
    """A05: eight drafts at a fifth of off, one at half."""
    chosen, tried = drive({0: 56.5, 1: 30.9, 2: 26, 3: 22, 4: 18, 5: 15, 6: 13, 7: 12, 8: 11.4})
    assert chosen.kind == "off"
    assert len(tried) <= 4


def test_tie_goes_to_the_lower() -> None:
    """A04."""
    rates: dict[int, float | None] = {0: 31.3, 1: 42, 2: 49.4, 3: 52.5, 4: 52.9, 5: 49, 6: 45, 7: 42, 8: 39}
    assert drive(rates)[0].n_max == 3


def test_close_finalists_are_measured_once_more() -> None:
    _, tried = drive({0: 31.3, 1: 42, 2: 49.4, 3: 52.9, 4: 51.9, 5: 49, 6: 45, 7: 42, 8: 39})
    assert tried.count(3) == tried.count(4) == 2


def test_off_that_fails_ends_the_search() -> None:
    assert drive({0: None})[0].kind == "failed"


def test_lengths_without_positions_come_from_the_mean() -> None:
    assert predicted_lengths([ScreenRun(2, 60.0, (), 1 + 0.8 + 0.64)], 3) == pytest.approx(
        [1, 1.8, 2.44, 2.952], rel=1e-3
    )
    assert predicted_lengths([ScreenRun(3, 60.0, (0.9, 0.6, 0.3))], 4) == pytest.approx(
        [1, 1.9, 2.5, 2.8, 2.95]
    )


def test_screening_run_from_a_stored_start() -> None:
    settings = ServerSettings().with_values({"mtp": True, "n_max": 2})
    stored = replace(run("n2"), settings_requested=settings)
    timings = {"draft_n": 80, "draft_n_accepted": 60}
    requests = [request(50.0, timings=timings, drafts=drafts(40, 36, 24)), request(phase="warmup")]
    assert stored_screen_run(stored, requests) == ScreenRun(2, pytest.approx(50.0), (0.9, 0.6), 2.5)
    assert stored_screen_run(stored, []) == ScreenRun(2, None)
