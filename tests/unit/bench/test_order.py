"""The order is balanced, reproducible, and begins with any arm."""

from __future__ import annotations

import pytest

from qtune.bench.order import order


def test_two_arms_go_a_b_b_a() -> None:
    first, second, third, fourth = order(("off", "on"), 2, seed=1)
    assert (first, second) == (fourth, third)
    assert first != second


@pytest.mark.parametrize("arms", [("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")])
@pytest.mark.parametrize("seed", range(5))
def test_a_steady_drift_falls_on_all_arms_alike(arms: tuple[str, ...], seed: int) -> None:
    whole = order(arms, 4, seed)
    places = {arm: sum(i for i, a in enumerate(whole) if a == arm) for arm in arms}
    assert len(set(places.values())) == 1
    assert all(whole.count(arm) == 4 for arm in arms)


def test_first_arm_comes_from_the_seed() -> None:
    assert {order(("a", "b", "c", "d"), 1, seed)[0] for seed in range(40)} == {"a", "b", "c", "d"}
    assert order(("a", "b", "c"), 2, 7) == order(("a", "b", "c"), 2, 7)
