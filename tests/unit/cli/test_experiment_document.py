"""The document and the table of a measurement: whatever is missing has its reason, and nothing is made up."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from qtune.cli import experiment_tables
from qtune.cli.experiment_document import experiment_json
from qtune.cli.measuring import SOAK_FAULTS, TEN_FAULTS, check_failure
from qtune.core.memory_facts import MemoryPart
from qtune.core.messages import TEXTS, Message
from qtune.core.records import MemoryFacts, RequestRecord, RunRecord, RunStatus
from qtune.core.stats import arm_figures
from qtune.core.verdict import Verdict
from qtune.session.findings import JobResult, find
from qtune.session.requests import ArmResult, MeasureResult
from tests.service.store.made import experiment, full_run
from tests.unit.core.by_hand import drafts, request, run

MEMORY = MemoryFacts("ram", None, 10, 20, 30)
VRAM = MemoryFacts("vram", 1, 10, 20, 30)
DRAFTED: dict[str, Any] = {
    "timings": {"draft_n": 80, "draft_n_accepted": 60},
    "drafts": drafts(20, 20, 20, 10, 10),
}


def found(*starts: tuple[RunRecord, Sequence[RequestRecord]]) -> JobResult:
    arms = tuple(ArmResult(run, tuple(rs), arm_figures(rs)) for run, rs in starts)
    result = MeasureResult(experiment(), arms, Verdict("too_few", Message.of("verdict_nothing_to_compare")))
    return JobResult(result, find(result, {}))


def arms_of(result: JobResult) -> dict[str, dict[str, Any]]:
    told = json.loads(json.dumps(experiment_json(result), allow_nan=False))
    return {arm["arm"]: arm for arm in told["arms"]}


def with_mtp(made: RunRecord) -> RunRecord:
    return replace(made, settings_requested=made.settings_requested.with_values({"mtp": True}))


CASES = {
    "bare": found((run("off"), [])),
    "whole": found(
        (replace(run("off"), memory=MEMORY), [request()]), (run("balanced"), [request(**DRAFTED)])
    ),
    "with a card": found((full_run(), [request(**DRAFTED)]), (replace(full_run(), memory=VRAM), [])),
    "failed at load": found((replace(run("off"), status=RunStatus.FAILED), [])),
}


@pytest.mark.parametrize("case", CASES)
def test_every_missing_figure_has_its_reason_and_no_other_has_one(case: str) -> None:
    for arm in arms_of(CASES[case]).values():
        assert set(arm["notes"]) == {key for key, value in arm.items() if value is None}
        assert all(arm["notes"].values())


def test_the_reason_is_the_true_one() -> None:
    off = arms_of(found((replace(run("off"), memory=MEMORY), [request()])))["off"]
    carded = arms_of(found((replace(full_run(), memory=VRAM), [request()])))["balanced"]
    idle = arms_of(found((with_mtp(run("balanced")), [request()])))["balanced"]

    assert off["notes"]["joule_per_token"] == "no graphics card is watched"
    assert off["notes"]["acceptance"] == "MTP was off"
    assert off["notes"]["drift"] == "off is what the others are compared with"
    assert "power" in carded["notes"]["joule_per_token"]
    assert "see vram" in carded["notes"]["engine_ram"]
    assert idle["notes"]["acceptance"] == "no token was drafted"


def test_only_starts_that_came_to_an_end_are_counted() -> None:
    runs = [replace(run("off", n), status=status) for n, status in enumerate(RunStatus, 1)]

    assert arms_of(found(*((each, [request()]) for each in runs)))["off"]["starts"] == 2


def shown(result: JobResult) -> str:
    console = Console(width=300, record=True, file=io.StringIO())
    for part in experiment_tables.parts(result):
        console.print(part)
    return console.export_text()


def test_the_table_says_when_nothing_counted() -> None:
    marked = request(marks=(Message.of("mark_looping"),))

    assert "nothing counted" in shown(found((run("off"), [marked])))
    assert "nothing counted" not in shown(found((run("off"), [request()])))


SPILLED = replace(
    VRAM,
    spill="yes",
    spill_reason=Message.of("spill_yes_shared", free=100, grown=900),
    spill_advice=(Message.of("spill_advice_context"),),
    parts=(MemoryPart("kv", 7, "measured"),),
)


def test_the_document_says_why_it_spilled_what_to_try_and_what_the_engine_told() -> None:
    arms = arms_of(found((replace(full_run(), memory=SPILLED), []), (replace(run("off"), memory=MEMORY), [])))

    vram = arms["balanced"]["vram"]
    assert (vram["spill"], vram["spill_reason"][:17]) == ("yes", "The card spilled:")
    assert [advice[:12] for advice in vram["spill_advice"]] == ["To be sure: "]
    assert vram["parts"] == [{"kind": "kv", "size_bytes": 7, "source": "measured"}]
    assert arms["off"]["engine_ram"]["parts"] == []
    assert "spill" not in arms["off"]["engine_ram"]


def test_the_terminal_says_it_too_and_shared_advice_once() -> None:
    off = replace(full_run(), arm="off", memory=SPILLED)
    text = shown(found((replace(full_run(), memory=SPILLED), []), (off, [])))

    assert text.count("balanced: The card spilled: 100 MiB were left, and 900 MiB more of main memory") == 1
    assert text.count("off: The card spilled") == 1
    assert text.count("Lower the context, or choose a smaller quantisation or KV type.") == 2
    assert text.count("To be sure: the same prompt with a lower context.") == 1


def test_the_terminal_says_where_answers_part() -> None:
    off, other = (request(times={"content": text}) for text in ("one\ntwo", "one\nsix"))

    line = next(
        line
        for line in shown(found((run("off"), [off]), (run("raw"), [other]))).splitlines()
        if "differ" in line
    )
    assert "1 of 1" in line
    assert "character 4" in line
    assert r"one\ntwo" in line


@pytest.mark.parametrize(
    ("kind", "decision", "code", "failed"),
    [
        ("ten", "too_few", "gate_anomaly", True),
        ("ten", "too_few", "gate_in_a_row", False),
        ("soak", "too_few", "soak_slower", True),
        ("soak", "too_few", "soak_memory", True),
        ("soak", "too_few", "soak_empty", True),
        ("soak", "too_few", "soak_errors", True),
        ("soak", "too_few", "soak_passed", False),
        ("soak", "too_few", "soak_short", False),
        ("selftest", "better", "verdict_better", True),
        ("selftest", "no_difference", "selftest_passed", False),
        ("compare", "worse", "verdict_worse", False),
    ],
)
def test_a_check_that_was_not_passed_is_a_failure(kind: str, decision: Any, code: str, failed: bool) -> None:
    verdict = Verdict(decision, Message.of(code))

    assert check_failure(kind, verdict) == (verdict.sentence if failed else None)


def test_the_faults_are_sentences_that_exist() -> None:
    assert TEXTS.keys() >= TEN_FAULTS | SOAK_FAULTS
