"""An update that slows is found, one that does not is not accused, and too few runs say nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from qtune.core.changes import Change, Place, Stack, StackRun, change_of, changes

OLD = Stack("11211 (aaa)", 11211, "570.1", "350 W", "0.1.0", "Linux 6.8")
NEW = replace(OLD, engine="11434 (bbb)", build=11434)
PLACE = Place("Qwen3.6-27B", "Q4_K_M", "RTX 4090", mtp=True)


def runs(stack: Stack, rates: list[float], at: int = 0, cell: str = "n4", **more: object) -> list[StackRun]:
    """Runs of one stack, two a sitting."""
    base = StackRun(0, "", "2026-11-30T07:00:00Z", PLACE, cell, "balanced", stack, 1.0)
    return [
        replace(base, key=at + n, experiment_id=f"{cell}-{at}-{n // 2}", decode_tok_s=rate, **more)  # type: ignore[arg-type]
        for n, rate in enumerate(rates)
    ]


def one(found: tuple[Change, ...]) -> Change:
    (change,) = found
    return change


def simulated(seed: int, gain: float, number: int, cells: int = 1, *, sitting: float = 0.0) -> Change:
    """Runs with 3 % noise each, and what all runs of a sitting share."""
    random = np.random.default_rng(seed)
    made: list[StackRun] = []
    for cell in range(cells):
        for at, stack, level in ((0, OLD, 50.0), (1000, NEW, 50.0 * gain)):
            shared = np.repeat(random.normal(0, sitting, number), 2)[:number]
            logs = random.normal(math.log(level), 0.03, number) + shared
            made += runs(stack, np.exp(logs).tolist(), at + 100 * cell, f"c{cell}")
    return one(changes(made))


def share(direction: str, gain: float, number: int, cells: int = 1, *, sitting: float = 0.0) -> float:
    rigs = 200
    found = [simulated(seed, gain, number, cells, sitting=sitting).direction for seed in range(rigs)]
    return found.count(direction) / rigs  # type: ignore[arg-type]


@pytest.mark.parametrize(("number", "cells"), [(3, 1), (6, 1), (12, 1), (3, 4)])
def test_no_false_alarm_in_more_than_five_of_a_hundred(number: int, cells: int) -> None:
    assert share("same", 1.0, number, cells) >= 0.95


def test_no_false_alarm_either_when_sittings_differ_by_one_and_a_half_percent() -> None:
    assert share("same", 1.0, 8, sitting=0.015) >= 0.95


@pytest.mark.parametrize(("number", "cells"), [(12, 1), (4, 4)])
def test_a_true_five_percent_is_found_at_three_percent_noise(number: int, cells: int) -> None:
    assert share("slower", 0.95, number, cells) >= 0.85
    assert share("faster", 1.05, number, cells) >= 0.85


def test_two_runs_are_too_few_and_the_sentence_says_how_many_are_needed() -> None:
    change = one(changes(runs(OLD, [50, 51, 50, 49]) + runs(NEW, [40, 41], at=100)))
    assert (change.direction, change.low) == ("too_few", None)
    assert change.sentence.sentence() == (
        "Too few runs to say whether b11434 is slower or faster than b11211: Qwen3.6-27B Q4_K_M + MTP, runs"
        " on the same settings: 4 before, 2 now; each needs 3 or more."
    )


def test_the_alarm_names_builds_interval_runs_and_what_else_changed() -> None:
    updated = replace(NEW, driver="580.2", qtune="0.2.0")
    before, after = runs(OLD, [50, 50.5, 49.5, 50]), runs(updated, [46, 46.4, 45.6, 46], at=100)
    change = one(changes(before + after))
    assert (change.subject, change.direction, change.alarming) == ("engine", "slower", True)
    assert change.low is not None
    assert change.high is not None
    assert change.low < 0.92 < change.high < 0.95
    said = change.sentence.sentence()
    assert said.startswith(
        "b11434 is 8 % slower than b11211 on the same settings: Qwen3.6-27B Q4_K_M + MTP, -"
    )
    assert said.endswith("runs: 4 before, 4 now.")
    assert [m.code for m in change.also] == ["change_also_driver", "change_also_qtune"]
    assert "570.1 to 580.2" in change.also[0].sentence()
    alone = [replace(run, experiment_id="only") for run in after]
    assert one(changes(before + alone)).also[-1].code == "change_one_sitting"


def test_only_runs_of_the_same_settings_are_held_against_each_other() -> None:
    other_settings = runs(NEW, [30, 30, 30, 30], at=100, cell="n6")
    assert changes(runs(OLD, [50, 51, 50, 49]) + other_settings) == ()
    elsewhere = replace(PLACE, device="RTX 3090")
    assert changes(runs(OLD, [50, 51, 50, 49]) + runs(NEW, [30, 30, 30], at=100, place=elsewhere)) == ()
    # A new qtune or kernel alone is no other stack.
    assert changes(runs(OLD, [50, 51, 50]) + runs(replace(OLD, os="7.0"), [45, 45, 45], at=50)) == ()


def test_each_stack_is_held_against_the_last_one_before_it_newest_first() -> None:
    driver = replace(OLD, driver="580.2")
    limit = replace(driver, power="250 W")
    every = [
        *runs(OLD, [50, 51, 50, 49]),
        *runs(driver, [50, 50, 51, 49], 100),
        *runs(limit, [40, 41, 40], 200),
    ]
    found = changes(every)
    assert [(c.subject, c.direction) for c in found] == [("power", "slower"), ("driver", "same")]
    assert change_of(found, every[-1]) is found[0]
    assert change_of(found, every[0]) is None
    # Back on the first one: it is again held against the one used last.
    back = changes([*every, *runs(OLD, [50, 51, 50], 300)])
    assert [(c.before, c.after) for c in back][:1] == [(limit, OLD)]
