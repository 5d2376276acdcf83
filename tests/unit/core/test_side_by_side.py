"""Stored runs are held against each other with the verdict's own intervals, or with a range and no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from qtune.core.comparison import compare
from qtune.core.observation import observations
from qtune.core.records import MemoryFacts, RequestRecord, RunRecord
from qtune.core.side_by_side import Units, decode_line, in_order, side_by_side, side_observations, sides
from qtune.core.side_names import telling
from tests.unit.core.by_hand import request, run

PROMPTS = ("code", "json", "prose")


def start(
    arm: str, number: int, rate: float, experiment: str = "e1"
) -> tuple[RunRecord, list[RequestRecord]]:
    """One start of three prompts, each with its own speed and a little luck of the start."""
    made = replace(run(arm, number), id=f"{experiment}-{arm}-{number}", experiment_id=experiment)
    luck = 1 + 0.004 * ((number * 7) % 5 - 2)
    requests = [
        request(rate * luck * (1 + 0.2 * at), run_id=made.id, index=at, prompt_id=prompt)
        for at, prompt in enumerate(PROMPTS)
    ]
    return made, requests


def test_arms_of_an_experiment_get_the_ratio_and_decision_of_its_verdict() -> None:
    measured = [start(arm, n, rate) for n in (1, 2, 3) for arm, rate in (("off", 40), ("balanced", 60))]
    off, balanced = side_by_side(sides(measured, {"e1"}))
    answer = compare(observations(measured), "balanced")
    assert answer is not None
    told = balanced.against["decode_tok_s"]
    assert (told.ratio, told.low, told.high) == (answer.ratio.ratio, answer.ratio.low, answer.ratio.high)
    assert balanced.decision == answer.ratio.decision == "better"
    assert (off.against, off.decision, off.counted) == ({}, None, 9)
    level = off.levels["decode_tok_s"]
    assert level.kind == "interval"
    # Of noise alone: that the prompts differ by 40 % makes no level uncertain.
    assert 0.95 * level.centre < level.low < level.centre < level.high < 1.05 * level.centre
    assert off.levels["ttft_ms"].centre == pytest.approx(200)


def test_single_runs_have_a_range_and_no_decision_beyond_too_few() -> None:
    pair = [start("off", 1, 40), start("off", 3, 44, "e2")]
    first, second = side_by_side(sides(pair))
    assert first.levels["decode_tok_s"].kind == "range"
    assert second.decision == "too_few"  # their starts are the first of each, whatever their numbers
    told = second.against["decode_tok_s"]
    assert told.ratio == pytest.approx(1.1, rel=0.02)
    assert told.bounds is None  # the smallest and largest of three pairs are no interval
    assert second.paired == second.units == Units(texts=3, starts=1)
    assert [side.name for side in sides(pair, {"e2"})] == ["e1-off-1", "e2/off"]
    assert {one.start for one in side_observations(sides(pair)[1])} == {1}


def test_what_cannot_be_paired_has_no_ratio_and_what_was_not_measured_no_level() -> None:
    other: Sequence[RequestRecord] = [request(50, prompt_id="other")]
    failed = replace(run("balanced"), id="failed")
    memory = MemoryFacts("vram", 1, 2, 3, 4)
    found = side_by_side(
        sides([(run("off"), [request(40)]), (replace(run("off"), id="b"), other), (failed, [])])
    )
    assert [one.against for one in found] == [{}, {}, {}]
    assert [one.decision for one in found] == [None, None, None]
    assert (found[2].levels, found[2].counted, found[2].memory) == ({}, 0, None)
    both: list[tuple[RunRecord, list[RequestRecord]]] = [
        (replace(run("off"), memory=memory), []),
        (replace(run("off", 2), memory=replace(memory, peak=9)), []),
    ]
    (together,) = side_by_side(sides(both, {both[0][0].experiment_id}))
    assert together.memory is not None
    assert together.memory.peak == 9
    assert side_by_side(()) == ()


def test_why_nothing_can_be_paired_is_told_and_another_base_may_be_chosen() -> None:
    other = (replace(run("fast"), id="other"), [request(50, prompt_id="other")])
    longer = {"predicted_n": 1000, "predicted_ms": 20_000.0}
    long = (replace(run("fast"), id="long"), [request(50, timings=longer)])
    failed: tuple[RunRecord, list[RequestRecord]] = (replace(run("fast"), id="failed"), [])
    found = sides([(run("off"), [request(40)]), other, long, failed])

    def told(base: str) -> list[str | None]:
        return [None if one.why is None else one.why.code for one in side_by_side(found, base)]

    assert told("") == [None, "side_other_texts", "side_lengths_apart", "side_empty"]
    assert told("failed") == ["side_base_empty", "side_base_empty", "side_base_empty", None]
    (reason,) = side_by_side(found)[2].dropped
    assert "fast answered with 1000 tokens" in reason.sentence()  # and not the id of the run


def at(name: str, arm: str, hour: int) -> tuple[RunRecord, list[RequestRecord]]:
    """A run that began at this hour."""
    return replace(run(arm), id=name, started_utc=f"2026-11-30T{hour:02}:00:00Z"), [request()]


def test_what_came_later_is_held_against_off_or_else_against_the_oldest_that_has_figures() -> None:
    def order(*measured: tuple[RunRecord, list[RequestRecord]]) -> str:
        return " ".join(side.name for side in in_order(sides(measured)))

    new, mid, old = at("new", "balanced", 9), at("mid", "balanced", 8), at("old", "balanced", 7)
    assert order(new, mid, old) == "old mid new"
    assert order(at("off", "off", 9), mid, old) == "off old mid"
    assert order(at("off", "off", 9), at("off2", "off", 8), old) == "old off2 off"
    assert order(new, mid, (old[0], [])) == "mid old new"
    assert order((mid[0], []), (old[0], [])) == "old mid"


def test_names_hold_what_differs_and_no_more_than_tells_apart() -> None:
    mine = run("balanced")
    six, old_build = (
        replace(mine, model=replace(mine.model, quant="Q6_K")),
        replace(mine, engine=replace(mine.engine, version="11211 (abc)")),
    )
    later = replace(mine, started_utc="2027-01-01T00:00:00Z")
    assert telling([mine, run("off")]) == [(), ()]
    assert telling([six, run("off")]) == [("quant",)] * 2  # of unlike files, whatever the arms are called
    assert telling([mine, old_build]) == [("build",)] * 2
    assert telling([old_build, run("off")]) == [(), ()]
    assert telling([mine, six, old_build]) == [("quant", "build"), ("quant",), ("quant", "build")]
    assert telling([mine, later]) == [("date",)] * 2


def test_the_line_of_a_run_has_a_point_for_each_request_that_counts() -> None:
    first, second = request(40), request(50, times={"sent_ns": 5 * 10**9, "ended_ns": 8 * 10**9})
    warm = request(30, phase="warmup", times={"sent_ns": -2 * 10**9})
    line = decode_line((run("off"), [warm, first, second]))
    assert [round(at, 1) for at, _ in line] == [4.7, 10.0]
    assert [round(rate) for _, rate in line] == [40, 50]
    assert decode_line((run("off"), [])) == ()
