"""``qtune serve`` and ``qtune ladder``: what they say and print of the way back; their words."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
import typer
from rich.console import Console

from qtune.__main__ import opens_window
from qtune.cli import ladder_document, ladder_tables
from qtune.cli.asking import Asked
from qtune.cli.serve_words import ServeTeller
from qtune.cli.serving import Wish
from qtune.core.causes import Cause
from qtune.core.engine_facts import EngineRef
from qtune.core.events import Event, IncidentHappened, LadderChanged, Notice, ServerChanged
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing, Known, Ladder, LadderFacts, LadderState, LadderView, RungView
from qtune.core.messages import Message
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.session.requests import LadderReport
from qtune.session.trials import Trial

ASKED = Footing(
    "/m/\x1b[31mQwen.gguf",
    ServerSettings().with_values({"mtp": True, "n_max": 4, "ctx_size": 8192}),
    "balanced",
)
TOP = Ladder(LadderFacts(ASKED))
REF = EngineRef("binary", ("/opt/llama-server",), "/opt/llama-server", "chosen")
TRIAL = Trial(ASKED, "b11434", REF, "2026-11-30T10:00:00+00:00", "running", Message.of("ended_killed"))
OOM = Message.of("ended_out_of_memory", line="cudaMalloc failed: out of memory")
INCIDENT = Incident(
    "i", "2026-11-30T10:00:00+00:00", Cause.MEMORY, OOM, "cudaMalloc failed: out of memory", ASKED, "b11434",
    Message.of("recovery_step", rung="mtp_off", cause="memory"),
)  # fmt: skip
STEP = LadderStep(
    "s", "2026-11-30T10:00:01+00:00", "down", "mtp_off", "automatic", ASKED, TOP.down().current,
    verified=True, reason=OOM, load_ms=1500.0, decode_tok_s=37.54,
)  # fmt: skip


def view(ladder: Ladder = TOP, state: LadderState = "in_force", why: Message | None = None) -> LadderView:
    taken, below = map(RungView, ladder.taken), map(RungView, ladder.rungs_below())
    return LadderView(ASKED, ladder.current, tuple(taken), tuple(below), state, why)


def said(*events: Event) -> list[str]:
    out = io.StringIO()
    teller = ServeTeller(Console(file=out, width=200))
    for event in events:
        teller(event)
    return out.getvalue().splitlines()


def test_the_ladder_is_told_once_a_state_with_what_was_turned_off_and_why() -> None:
    lowered = view(TOP.down().down(), why=OOM)
    lines = said(
        LadderChanged(view(state="starting")), LadderChanged(view(state="starting")),
        LadderChanged(view(state="waiting")), LadderChanged(lowered),
    )  # fmt: skip
    what = r"Lower than asked for (balanced, context 8192, MTP on (n_max 4), \u001b[31mQwen.gguf): MTP off. "
    assert lines.pop() == what + f"Context 8192 to 4096 tokens. Because: {OOM.sentence()}"
    assert lines == [
        r"Starting: balanced, context 8192, MTP on (n_max 4), \u001b[31mQwen.gguf",
        "It is started again after a pause.",
        r"In force: balanced, context 4096, MTP off, \u001b[31mQwen.gguf",
    ]


def test_an_incident_is_told_with_its_proof_and_the_next_step() -> None:
    odd = replace(INCIDENT, message=Message.of("server_stalled", seconds=120), evidence="slot 0 is busy")
    lines = said(IncidentHappened(odd), IncidentHappened(INCIDENT), Notice(Message.of("safe_mode")))
    assert lines[0].endswith("made no token for 120 s.")
    assert lines[1] == "Evidence: slot 0 is busy"
    assert lines[2] == "What is done: One step down is taken by itself."
    assert lines[3].startswith("Next: ")
    assert lines[4].startswith("Memory ran out: ")
    assert lines[-1].startswith("Safe mode: MTP is off")


def test_the_end_of_the_server_is_remembered_with_its_reason() -> None:
    teller = ServeTeller(Console(file=io.StringIO()))
    gone = Message.of("ended_from_outside")
    teller(ServerChanged(ServerState.CRASHED, gone))
    assert (teller.reason, teller.incidents) == (gone, [])
    teller(IncidentHappened(INCIDENT))
    assert (teller.reason, teller.incidents) == (OOM, [INCIDENT])


FIRST, SECOND = TOP.rungs_below()
REPORT = LadderReport(
    asked=ASKED,
    rungs=(RungView(FIRST, Known(60.0, None), Known(30.0, 1024**3)), RungView(SECOND)),
    running=(TRIAL,),
    last_good=None,
    default=TRIAL,
    stale=TRIAL,
    bad=(TRIAL,),
    steps=(STEP,),
    incidents=(INCIDENT,),
)  # fmt: skip


def test_the_report_for_a_person() -> None:
    out = io.StringIO()
    console = Console(file=out, width=250, highlight=False)
    for part in ladder_tables.parts(REPORT):
        console.print(part)
    text = out.getvalue()
    assert "\x1b" not in text
    assert "Last good      –\n" in text
    assert "it is not started again by itself" in text
    rows = [
        [cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines() if "│" in line
    ]
    assert rows[0] == ["1", "MTP off.", "60.0", "30.0", "-50 %", "1.0"]
    assert rows[1] == ["2", "Context 8192 to 4096 tokens.", "–", "–", "–", "–"]
    assert rows[2][-1] == "The engine was killed from outside."
    assert rows[3][1] == "down: mtp_off"
    assert rows[3][3:7] == ["itself", "yes", "1.5", "37.5"]
    assert rows[4][1].startswith("Memory ran out: ")


def test_the_report_and_the_end_of_serving_as_json() -> None:
    result = ladder_document.ladder_json(REPORT)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    rung = result["rungs"][0]
    assert (rung["kind"], rung["price"], rung["memory_bytes"]) == ("mtp_off", 0.5, 1024**3)
    assert rung["changes"] == [{"setting": "mtp", "before": True, "after": False}]
    assert result["last_good"] is None
    assert result["stale"]["reason"] == "The engine was killed from outside."
    assert result["steps"][0]["reason"]["code"] == "ended_out_of_memory"
    assert result["incidents"][0]["cause"] == "memory"

    served = ladder_document.serve_json(view(TOP.down(), "failed", OOM), [INCIDENT], [STEP])
    assert json.loads(json.dumps(served, allow_nan=False)) == served
    ladder = served["ladder"]
    assert [taken["kind"] for taken in ladder["taken"]] == ["mtp_off"]
    assert [below["kind"] for below in ladder["below"]] == ["context"]
    assert (ladder["state"], ladder["why"]["code"]) == ("failed", "ended_out_of_memory")
    assert ladder_document.serve_json(None, [], []) == {"ladder": None, "incidents": [], "steps": []}


@pytest.mark.parametrize(
    "asked",
    [
        Asked(None, sample=False, engine=None, ctx=4096, settings=None),
        Asked(None, sample=False, engine=None, ctx=None, settings=["mtp=on"]),
        Asked(None, sample=True, engine=None, ctx=None, settings=["mtp"]),
    ],
)
def test_settings_without_a_model_are_refused(asked: Asked) -> None:
    with pytest.raises(typer.BadParameter):
        Wish(asked, None, no_rollback=False, roll_back=False, keep=False).check()


def test_safe_mode_alone_opens_the_window() -> None:
    assert opens_window(["--safe-mode"])
    assert opens_window(["--safe-mode", "--base-dir", "x"])
    assert not opens_window(["serve", "--safe-mode"])
    assert not opens_window(["--safe-mode", "serve"])
