"""A start warms up until stable, counts what was asked, and gives up on a dead server."""

from __future__ import annotations

import pytest

from qtune.bench.compare_plan import DoneRequest, next_request, requests_left
from qtune.bench.warmup import is_warm, nonce


def walk(rates: list[float | None], runs: int = 3, seed: int = 7) -> list[str]:
    """Phases a plan goes through when the n-th request yields the n-th rate (the last one repeats)."""
    done: list[DoneRequest] = []
    while (planned := next_request(done, ("p",), runs, seed)) is not None:
        rate = rates[min(planned.index, len(rates) - 1)]
        done.append(DoneRequest(planned.phase, "p", rate))
    return [d.phase for d in done]


@pytest.mark.parametrize(
    ("rates", "warm"),
    [
        ([], False),
        ([50.0], False),
        ([50.0, 51.0], True),
        ([50.0, 52.0], False),
        ([30.0, 50.0, 50.5], True),
        ([50.0, None], False),
        ([10.0, 20.0, 30.0, 40.0, 50.0, 60.0], True),
    ],
)
def test_warm_when_the_last_two_agree(rates: list[float | None], warm: bool) -> None:
    assert is_warm(rates) is warm


def test_stable_server_needs_two_warm_ups() -> None:
    assert walk([60.0]) == ["warmup"] * 2 + ["counted"] * 3


def test_slow_first_request_is_not_counted() -> None:
    assert walk([20.0, 60.0, 60.5]) == ["warmup"] * 3 + ["counted"] * 3


def test_unstable_server_is_counted_after_six() -> None:
    restless = [10.0, 20.0, 10.0, 20.0, 10.0, 20.0, 10.0]
    assert walk(restless) == ["warmup"] * 6 + ["counted"] * 3


def test_gives_up_after_three_failures_in_a_row() -> None:
    assert walk([None]) == ["warmup"] * 3
    assert walk([60.0, 60.0, 60.0, None], runs=10) == ["warmup"] * 2 + ["counted"] * 4


def test_arms_see_the_same_prompts_however_long_they_warmed_up() -> None:
    def counted_nonces(warm_rates: list[float]) -> list[str]:
        done: list[DoneRequest] = []
        seen = []
        while (planned := next_request(done, ("p",), 3, 42)) is not None:
            if planned.phase == "counted":
                seen.append(planned.nonce)
            rate = warm_rates[min(planned.index, len(warm_rates) - 1)]
            done.append(DoneRequest(planned.phase, "p", rate))
        return seen

    quick, slow = counted_nonces([60.0]), counted_nonces([10.0, 30.0, 60.0])

    assert quick == slow
    assert len(set(quick)) == 3
    assert nonce(1, "counted", 0) != nonce(2, "counted", 0)


def test_requests_left_never_promises_more_than_the_plan() -> None:
    assert requests_left([], ("p",), 3) == 5
    assert requests_left([DoneRequest("warmup", "p", 1.0)] * 2, ("p",), 3) == 3
    assert (
        requests_left(
            [DoneRequest("warmup", "p", 1.0)] * 2 + [DoneRequest("counted", "p", 1.0)] * 3, ("p",), 3
        )
        == 0
    )
