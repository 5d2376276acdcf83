"""The comparison's plan: forms, resuming from what is stored, failures, and the adaptive end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qtune.bench import compare_plan as cp
from qtune.bench.compare_plan import ComparePlan, DoneStart, PlannedStart
from qtune.bench.order import order
from qtune.core.records import RunStatus
from tests.unit.bench.rig import PROMPTS, Rig, walk

ARMS = ("off", "conservative", "balanced", "aggressive")
TRUTH = {"off": 40.0, "conservative": 55.0, "balanced": 60.0, "aggressive": 52.0}
DONE, FAILED, CANCELLED = RunStatus.DONE, RunStatus.FAILED, RunStatus.CANCELLED


def plan(
    arms: tuple[str, ...] = ARMS, form: cp.Form = cp.FULL, prompts: tuple[str, ...] = PROMPTS
) -> ComparePlan:
    return ComparePlan(arms, prompts, form, seed=3)


def test_quick_is_one_start_of_each_arm_and_three_requests() -> None:
    seen, done = walk(Rig(TRUTH), plan(form=cp.QUICK, prompts=("summary",)))
    assert tuple(d.arm for d in done) == order(ARMS, 1, 3)
    assert len(seen) == 4 * 3


def test_full_on_a_calm_machine_ends_after_two_starts() -> None:
    seen, done = walk(Rig(TRUTH, noise=0.005), plan())
    assert tuple(d.arm for d in done) == order(ARMS, 2, 3)
    assert all(sum(o.arm == arm for o in seen) == 12 for arm in ARMS)


def test_only_open_arms_go_on_and_off_with_them() -> None:
    truth = {"off": 40.0, "conservative": 41.3, "balanced": 60.0}
    _, done = walk(Rig(truth, noise=0.01, seed=1), plan(tuple(truth)))
    starts = {arm: sum(d.arm == arm for d in done) for arm in truth}
    assert starts["balanced"] == 2
    assert starts["conservative"] == starts["off"] > 2


def test_the_cap_ends_a_hopeless_case() -> None:
    _, done = walk(Rig({"off": 40.0, "on": 41.2}, noise=0.2), plan(("off", "on")))
    assert sum(d.arm == "on" for d in done) == cp.FULL.starts_most


def test_workloads_that_differ_do_not_keep_an_arm_open() -> None:
    uneven = {("on", "code"): 1.5, ("on", "prose"): 0.7}
    _, done = walk(Rig({"off": 40.0, "on": 52.0}, noise=0.005, by_prompt=uneven), plan(("off", "on")))
    assert len(done) == 4


@pytest.mark.parametrize(("prompts", "starts"), [(1, 6), (2, 4), (3, 2), (6, 2)])
def test_few_prompts_need_more_starts_for_six_pairs(prompts: int, starts: int) -> None:
    assert plan(prompts=tuple("abcdef"[:prompts])).starts_least == starts


def test_resuming_gives_the_same_starts_as_going_through() -> None:
    whole = walk(Rig(TRUTH, noise=0.03, seed=5), plan())
    seen, done = whole
    for cut in range(len(done)):
        kept = done[:cut]
        known = [o for o in seen if any((o.arm, o.start) == (d.arm, d.start) for d in kept)]
        coming = cp.next_start(plan(), kept, known)
        assert coming == PlannedStart(done[cut].arm, done[cut].start)
    assert cp.next_start(plan(), done, seen) is None


def test_a_broken_off_start_is_done_again() -> None:
    _, done = walk(Rig(TRUTH, noise=0.005), plan())
    cut = [*done[:2], replace(done[2], status=CANCELLED)]
    assert cp.next_start(plan(), cut, []) == PlannedStart(done[2].arm, done[2].start)


def test_an_arm_that_failed_is_given_up_and_the_others_go_on() -> None:
    seen, done = walk(Rig(TRUTH, noise=0.005, fails={("balanced", 1): "oom"}), plan())
    assert [d.status for d in done if d.arm == "balanced"] == [FAILED]
    assert {o.arm for o in seen} == set(ARMS) - {"balanced"}
    assert sum(d.arm == "off" for d in done) == 2


def test_without_off_it_ends() -> None:
    failed = [DoneStart("off", 1, FAILED), DoneStart("off", 2, FAILED)]
    assert cp.next_start(plan(), failed[:1], []) is not None
    assert cp.next_start(plan(), failed, []) is None


def test_starts_left() -> None:
    assert cp.starts_left(plan(), [], []) == 8
    assert cp.starts_left(plan(form=cp.QUICK), [], []) == 4
    seen, done = walk(Rig(TRUTH, noise=0.005), plan())
    assert cp.starts_left(plan(), done[:3], []) == 5
    assert cp.starts_left(plan(), done, seen) == 0


# -- inside a start ------------------------------------------------------------------------------------------


def walk_start(rates: list[float | None], start: int = 1) -> list[cp.PlannedRequest]:
    done: list[cp.DoneRequest] = []
    planned = []
    while (one := cp.next_request(done, PROMPTS, 2, seed=9, start=start)) is not None:
        planned.append(one)
        rate = rates[min(len(done), len(rates) - 1)]
        done.append(cp.DoneRequest(one.phase, one.prompt_id, rate))
    return planned


def test_warm_up_with_one_prompt_then_round_all_of_them() -> None:
    planned = walk_start([20.0, 60.0, 60.0])
    assert [(p.phase, p.prompt_id) for p in planned] == [("warmup", "code")] * 3 + [
        ("counted", p) for p in PROMPTS * 2
    ]
    assert [p.number for p in planned[3:]] == [0, 0, 0, 1, 1, 1]
    assert cp.requests_left([], PROMPTS, 2) == 8


def test_nonces_repeat_between_arms_and_differ_otherwise() -> None:
    slow_to_warm, quick = walk_start([20.0, 60.0, 60.0]), walk_start([60.0])
    assert [p.nonce for p in slow_to_warm[3:]] == [p.nonce for p in quick[2:]]
    everything = [p.nonce for start in (1, 2, 3) for p in walk_start([60.0], start)]
    assert len(set(everything)) == len(everything)


def test_a_dead_server_is_given_up() -> None:
    assert len(walk_start([None])) == 3
