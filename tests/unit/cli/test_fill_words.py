"""A fill test in the terminal: its table, its JSON, its exit code, and the offer after a comparison."""

from __future__ import annotations

import io
import json
import shlex
import sys
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from qtune.bench.fill_plan import FillAsk, FillOutcome, fill_outcome, fill_step
from qtune.cli import experiment_tables
from qtune.cli.asking import read_settings, refuse_overruled
from qtune.cli.experiment_document import experiment_json
from qtune.cli.measuring import FILL_FAULTS, check_failure
from qtune.core.card_memory import MemoryPeak
from qtune.core.engine_facts import EngineRef
from qtune.core.errors import KnownError
from qtune.core.messages import TEXTS, Message
from qtune.core.presets import Preset
from qtune.core.records import RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.stats import arm_figures
from qtune.core.verdict import Verdict
from qtune.session.findings import JobResult, find
from qtune.session.jobs import JobRequest, request_to_json
from qtune.session.requests import ArmResult, MeasureResult
from tests.service.store.made import experiment
from tests.unit.bench.test_fill_plan import GIB, OUT_OF_MEMORY, answered, broken, start, vram
from tests.unit.core.by_hand import request, run

PEAK = MemoryPeak(20 * GIB, 4 * GIB)
ASK = FillAsk("balanced", "balanced", 4096, GIB)


def filled(**more: Any) -> JobResult:
    """Died at 75 % of 4096, safe at 2048."""
    made = (
        (start(4096, status=RunStatus.FAILED, failure=OUT_OF_MEMORY), [answered(4096, 50), broken(4096, 75)]),
        (start(2048, **more), [answered(2048, share) for share in (50, 75, 92)]),
    )
    outcome = fill_outcome(ASK, [fill_step(ASK, run, requests, [PEAK] * 3) for run, requests in made])
    return job(made, outcome, "fill", Verdict("too_few", outcome.sentence, None, (), outcome.reasons))


def job(made: Any, outcome: FillOutcome | None, kind: str, verdict: Verdict, stored: str = "") -> JobResult:
    arms = tuple(ArmResult(run, tuple(rs), arm_figures(rs)) for run, rs in made)
    asked = replace(experiment(), kind=kind, request=stored)
    result = MeasureResult(asked, arms, verdict)
    return JobResult(result, find(result, {}, (), outcome))


def shown(found: JobResult) -> str:
    console = Console(width=300, record=True, file=io.StringIO())
    for part in experiment_tables.parts(found):
        console.print(part)
    return console.export_text()


# -- the outcome ---------------------------------------------------------------------------------------------


def test_the_document_holds_every_point() -> None:
    told = json.loads(json.dumps(experiment_json(filled()), allow_nan=False))["fill"]

    assert (told["asked_ctx"], told["largest_safe_ctx"]) == (4096, 2048)
    assert (told["margin_bytes"], told["keep_bytes"], told["memory"]) == (4 * GIB, GIB, "vram")
    assert [(p["ctx_size"], p["share"], p["ok"]) for p in told["points"]] == [
        (4096, 0.5, True), (4096, 0.75, False), (2048, 0.5, True), (2048, 0.75, True), (2048, 0.92, True),
    ]  # fmt: skip
    assert told["points"][1]["failure"]["code"] == "ended_out_of_memory"
    assert told["notes"] == {}


@pytest.mark.parametrize(("memory", "devices"), [(vram(None), None), (vram(20), ())])
def test_a_missing_margin_has_its_reason(memory: Any, devices: Any) -> None:
    more = {} if devices is None else {"devices": devices}
    made = ((start(4096, memory=memory, **more), [answered(4096, share) for share in (50, 75, 92)]),)
    outcome = fill_outcome(ASK, [fill_step(ASK, run, requests, []) for run, requests in made])
    told = experiment_json(job(made, outcome, "fill", Verdict("too_few", outcome.sentence)))["fill"]

    assert told["margin_bytes"] is None
    assert ("main memory" in told["notes"]["margin_bytes"]) == (devices == ())


def test_other_jobs_have_no_fill() -> None:
    verdict = Verdict("too_few", Message.of("verdict_nothing_to_compare"))

    assert experiment_json(job(((run("off"), [request()]),), None, "measure", verdict))["fill"] is None


def test_a_person_reads_each_share_and_why_it_failed() -> None:
    text = shown(filled())

    rows = [line.replace("│", " ").split() for line in text.splitlines() if line.startswith("│")]
    assert [(row[0], row[1]) for row in rows] == [
        ("4096", "50"), ("4096", "75"), ("2048", "50"), ("2048", "75"), ("2048", "92"),
    ]  # fmt: skip
    assert "out of memory" in " ".join(rows[1])
    assert "4.00 GiB ok" in " ".join(rows[-1])
    assert "A context of 2048 tokens is safe" in text
    assert "vs off" not in text, "a fill test compares nothing"


@pytest.mark.parametrize(
    ("code", "failed"),
    [("fill_none_safe", True), ("fill_failed", True), ("fill_safe", False), ("fill_safe_ram", False)],
)
def test_only_a_test_without_a_safe_context_fails(code: str, failed: bool) -> None:
    verdict = Verdict("too_few", Message.of(code))

    assert check_failure("fill", verdict) == (verdict.sentence if failed else None)
    assert set(TEXTS) >= FILL_FAULTS


# -- the offer -----------------------------------------------------------------------------------------------


def compared(winner: str | None, decision: Any = "better", kind: str = "compare", **base: Any) -> JobResult:
    arm = run("balanced")
    arm = replace(
        arm,
        model=replace(arm.model, path="/models/a b.gguf"),
        engine=replace(arm.engine, ref=EngineRef("binary", (), "/opt/llama-server", "chosen")),
        settings_requested=arm.settings_requested.with_values({"mtp": True}),
    )
    engine = arm.engine.ref
    asked = JobRequest(
        "compare", engine, arm.model.path, base=ServerSettings().with_values({"ctx_size": 32768, **base})
    )
    verdict = Verdict(decision, Message.of("verdict_no_difference"), winner)
    made = ((run("off"), [request()]), (arm, [request()]))
    return job(made, None, kind, verdict, request_to_json(asked))


def offer(found: JobResult) -> str:
    return next((line for line in shown(found).splitlines() if line.startswith("Next: ")), "")


@pytest.mark.skipif(sys.platform == "win32", reason="quoted for a POSIX shell")
def test_a_winner_that_drafts_is_offered_a_fill_test() -> None:
    line = offer(compared("balanced", cache_type_k="q8_0", flash_attn="on"))

    assert shlex.split(line.partition("? ")[2]) == [
        "qtune", "fill", "--model", "/models/a b.gguf", "--preset", "balanced", "--ctx", "32768",
        "--set", "flash_attn=on", "--set", "cache_type_k=q8_0", "--engine", "/opt/llama-server",
    ]  # fmt: skip


def test_nothing_is_offered_where_nothing_won() -> None:
    assert offer(compared("off", "no_difference")) == ""
    assert offer(compared(None, "too_few")) == ""
    assert offer(compared("balanced", kind="soak")) == ""


# -- what is refused -----------------------------------------------------------------------------------------


def test_a_setting_of_the_usual_preset_is_refused_and_that_of_another_is_not() -> None:
    presets = (
        Preset("off", "", "", 0, (("mtp", False),)),
        Preset("balanced", "", "", 0, (("n_max", 4),)),
        Preset("aggressive", "", "", 0, (("parallel", 2),)),
    )
    refuse_overruled(read_settings(["parallel=3", "mtp=true"]), "fill", (), presets)
    with pytest.raises(KnownError):
        refuse_overruled(read_settings(["n_max=2"]), "fill", (), presets)
