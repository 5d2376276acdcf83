"""The verdict on spill over the starts of an experiment: what each is compared with, and which one counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from qtune.core.messages import Message
from qtune.core.records import MemoryFacts, RunRecord
from qtune.core.spill_series import RoomyFigures
from qtune.core.stats import arm_figures
from qtune.core.verdict import Verdict
from qtune.session.findings import find
from qtune.session.requests import ArmResult, MeasureResult
from qtune.session.roomy import roomy_of
from tests.service.store.made import experiment
from tests.unit.core.by_hand import run

FREE = RoomyFigures(100, {"code": 40.0}, {"code": 1900.0}, 350.0, 9.0)


def start(arm: str, number: int = 1, roomy: RoomyFigures | None = FREE, **values: Any) -> ArmResult:
    made = run(arm, number)
    made = replace(made, settings_requested=made.settings_requested.with_values(values))
    return ArmResult(made, (), arm_figures([]), roomy=roomy)


def settings(**values: Any) -> Any:
    return run("off").settings_requested.with_values(values)


def test_the_newest_start_with_the_same_settings_says_all() -> None:
    newer = replace(FREE, power_w=300.0)
    done = [start("off"), start("b", mtp=True), start("b", 2, newer, mtp=True), start("b", 3, None, mtp=True)]

    assert roomy_of(done, settings(mtp=True)) == newer


def test_off_says_only_how_fast_prompts_are_read() -> None:
    done = [start("off"), start("other", mtp=True, n_max=5)]

    assert roomy_of(done, settings(mtp=True)) == RoomyFigures(prefill_tok_s={"code": 1900.0})


@pytest.mark.parametrize(
    "done",
    [[], [start("off", roomy=None)], [start("off", n_cpu_moe=4)], [start("other", mtp=True, n_max=5)]],
    ids=["nothing", "off had no room", "off reads another way", "another preset"],
)
def test_else_nothing_is_expected(done: list[ArmResult]) -> None:
    assert roomy_of(done, settings(mtp=True)) == RoomyFigures()


def test_one_start_that_spilled_is_not_hidden_behind_a_higher_peak() -> None:
    calm = MemoryFacts("vram", 1, 20, 23, 24, "no", Message.of("spill_no_room", free=1))
    advice = (Message.of("spill_advice_context"),)
    spilled = MemoryFacts("vram", 1, 20, 22, 24, "yes", Message.of("spill_yes_shared"), spill_advice=advice)

    def kept(*memories: MemoryFacts) -> MemoryFacts | None:
        runs: list[RunRecord] = [replace(run("off", n), memory=m) for n, m in enumerate(memories, 1)]
        arms = tuple(ArmResult(r, (), arm_figures([])) for r in runs)
        verdict = Verdict("too_few", Message.of("verdict_nothing_to_compare"))
        return find(MeasureResult(experiment(), arms, verdict), {}).arms[0].memory

    assert kept(spilled, calm) == replace(spilled, peak=23)
    assert kept(calm, replace(calm, peak=22, spill_reason=None)) == calm
