"""The interval holds the truth as often as it says, also with the two starts one can afford."""

from __future__ import annotations

import math

import numpy as np
import pytest

from qtune.core.interval import paired_interval, prompt_intervals, student_t_95


def tables(
    seed: int, starts: int, prompts: int, noise: float, start_noise: float = 0.0, *, rigs: int = 400
) -> list[dict[str, dict[int, float]]]:
    """Tables of log ratios with truth 0: two arms with their own start scatter, two requests a cell."""
    random = np.random.default_rng(seed)
    cells = random.normal(0, noise, (rigs, starts, prompts))
    cells += random.normal(0, start_noise * math.sqrt(2), (rigs, starts, 1))
    return [{f"p{p}": dict(enumerate(t[:, p].tolist(), 1)) for p in range(prompts)} for t in cells]


def coverage(made: list[dict[str, dict[int, float]]]) -> float:
    found = [paired_interval(t) for t in made]
    return sum(i is not None and i.low <= 1 <= i.high for i in found) / len(found)


@pytest.mark.parametrize(("starts", "prompts"), [(2, 3), (4, 3), (6, 1), (2, 6)])
def test_covers_the_truth_with_independent_noise(starts: int, prompts: int) -> None:
    assert 0.925 <= coverage(tables(starts, starts, prompts, 0.03)) <= 0.985


def test_covers_the_truth_when_starts_differ_by_one_percent() -> None:
    """Prompts of one start share its luck; taking them for independent would cover about 88 % here."""
    assert coverage(tables(5, 2, 3, 0.02, 0.01)) >= 0.90
    assert coverage(tables(6, 6, 3, 0.02, 0.01)) >= 0.91


def test_is_reproducible_and_seeded() -> None:
    table = tables(1, 4, 3, 0.03, rigs=1)[0]
    assert paired_interval(table) == paired_interval(table)
    assert paired_interval(table, seed=1) != paired_interval(table, seed=2)


def test_few_pairs_give_a_range() -> None:
    found = paired_interval({"code": {1: math.log(1.2), 2: math.log(1.4)}})
    assert found is not None
    assert (found.kind, found.pairs, found.noise) == ("range", 2, None)
    assert (found.low, found.high) == (pytest.approx(1.2), pytest.approx(1.4))


def test_one_start_of_many_prompts_is_a_range_still() -> None:
    found = paired_interval({f"p{i}": {1: 0.1} for i in range(8)})
    assert found is not None
    assert (found.kind, found.pairs) == ("range", 8)


def test_nothing_gives_nothing() -> None:
    assert paired_interval({}) is None


def test_workloads_that_differ_widen_the_interval_but_not_its_noise() -> None:
    def table(shift: float) -> dict[str, dict[int, float]]:
        return {
            p: {s: base + 0.005 * (-1) ** s for s in (1, 2)} for p, base in (("a", 0.3), ("b", 0.3 + shift))
        } | {"c": {1: 0.3, 2: 0.3}}

    alike, apart = paired_interval(table(0.0)), paired_interval(table(0.6))
    assert alike is not None
    assert apart is not None
    assert apart.noise == pytest.approx(alike.noise)
    assert math.log(apart.high / apart.low) > 5 * math.log(alike.high / alike.low)
    assert apart.low == pytest.approx(math.exp(0.3), rel=0.03)


def test_a_missing_pair_does_not_shift_the_answer() -> None:
    """With a slow prompt missing in one start, averaging pairs instead of prompts would be off by a third."""
    table = {"fast": dict.fromkeys((1, 2, 3, 4), 0.6), "slow": {1: 0.0, 2: 0.0, 3: 0.0}}
    found = paired_interval(table)
    assert found is not None
    assert found.ratio == pytest.approx(math.exp(0.3))


def test_each_prompt_borrows_the_noise_of_all() -> None:
    found = prompt_intervals(tables(3, 2, 3, 0.02, rigs=1)[0])
    widths = {round(math.log(i.high / i.low), 6) for i in found.values()}
    assert len(widths) == 1
    assert all(i.kind == "interval" for i in found.values())


def test_student_t() -> None:
    assert student_t_95(1) == pytest.approx(12.706)
    assert student_t_95(20) == pytest.approx(2.086, abs=0.005)
    assert student_t_95(10_000) == pytest.approx(1.96, abs=0.001)
