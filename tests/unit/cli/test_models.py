"""``qtune models``: what is printed of a report, in a table and as JSON, and how the command ends."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

from qtune.cli.models_command import done, engine_facts
from qtune.cli.printing import printable
from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.memory_facts import FitState, MemoryEstimate, MemoryPart, MemoryView, Room
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.session.requests import ContextFit, EngineFinding, ModelEntry, ModelReport
from tests.service.store.made import ENGINE

GIB = 1024**3

FACTS = ModelFacts(
    path="/m/Qwen3.6-27B-Q4_K_M.gguf",
    files=("/m/Qwen3.6-27B-Q4_K_M.gguf",),
    name="Qwen3.6 27B",
    arch="qwen35",
    quant="Q4_K_M",
    size_bytes=16 * GIB,
    block_count=65,
    nextn_layers=1,
    context_train=262144,
    mtp="embedded",
    chat_template=True,
    size_label="27B",
    mtp_tensors=15,
    mtp_quant="Q8_0",
    sampling=(("temp", 0.6),),
    imatrix=True,
    mmproj=("/m/mmproj-F16.gguf",),
)


def view(state: FitState = "tight", largest_ctx: int | None = 49152, room: bool = True) -> MemoryView:
    parts = (
        MemoryPart("weights", 15 * GIB, "computed"),
        MemoryPart("compute", GIB, "estimated"),
        MemoryPart("mtp_kv", GIB // 2, "remembered"),
    )
    card = Room("RTX 4090", "GPU-1", 24 * GIB, GIB, (("game", GIB), ("desktop", None)))
    return MemoryView(MemoryEstimate(parts, on_card=True), card if room else None, GIB, state, largest_ctx)


ENTRY = ModelEntry(
    FACTS,
    view(),
    (ContextFit(4096, 1, "fits", 2, "tight"), ContextFit(8192, 3, "too_large", None, None)),
    ("/m/s",),
)


def shown(parts: Sequence[RenderableType], width: int = 170) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    for part in parts:
        console.print(part)
    return out.getvalue()


def line(entry: ModelEntry) -> list[str]:
    """The cells of one entry's row."""
    text = shown(done(ModelReport((entry,))).parts)
    row = text.splitlines()[3]
    return [cell.strip() for cell in row.strip("│").split("│")]


def test_one_row() -> None:
    assert line(ENTRY) == [
        "Qwen3.6 27B", "Q4_K_M", "16.0", "qwen35", "262144", "yes", "~16.5 of 23.0", "tight", "49152",
    ]  # fmt: skip


def test_what_is_not_known_is_a_dash() -> None:
    bare = ModelEntry(replace(FACTS, context_train=None, mtp="none"))
    assert line(bare)[4:9] == ["–", "no", "–", "–", "–"]
    assert line(ModelEntry(FACTS, view("unknown", None, room=False)))[6:9] == ["~16.5", "unknown", "–"]


def taken(*parts: MemoryPart, gaps: tuple[str, ...] = ()) -> str:
    found = MemoryView(MemoryEstimate(parts, on_card=True, gaps=gaps), None, GIB, "unknown", None)
    return line(ModelEntry(FACTS, found))[6]


def test_how_sure_a_figure_is() -> None:
    sure, guess = MemoryPart("weights", 2 * GIB, "computed"), MemoryPart("overhead", GIB, "estimated")

    assert taken(sure, MemoryPart("compute", GIB, "remembered")) == "3.0"
    assert taken(sure, guess) == "~3.0"
    assert taken(sure, guess, gaps=("x",)) == ">3.0"
    assert taken(gaps=("x",)) == "–"


def test_the_marks_are_explained_where_they_stand() -> None:
    marked = shown(done(ModelReport((ENTRY,))).parts)
    plain = shown(done(ModelReport((ModelEntry(FACTS),))).parts)

    assert "~ estimated in part" in marked
    assert "~" not in plain
    assert "held against no engine" in marked
    assert f"held against engine {ENGINE.version}" in shown(done(ModelReport((ENTRY,)), engine=ENGINE).parts)


def test_a_context_beyond_the_training_is_remarked() -> None:
    entry = replace(ENTRY, facts=replace(FACTS, context_train=8192))
    remark = f"65536 tokens are more than was trained with: {FACTS.name} (8192)"
    assert remark in shown(done(ModelReport((entry,)), ctx_size=65_536).parts)
    assert "trained with" not in shown(done(ModelReport((entry,)), ctx_size=8192).parts)
    assert "trained with" not in shown(done(ModelReport((entry,))).parts)


def test_other_quantisations_stand_in_one_line() -> None:
    small = replace(FACTS, path="/m/s", quant="Q3_K_M", size_bytes=12 * GIB)
    other = replace(FACTS, path="/m/o", name="Other")
    report = ModelReport(
        (ModelEntry(small, siblings=(FACTS.path,)), replace(ENTRY, siblings=("/m/s",)), ModelEntry(other))
    )
    lines = [row for row in shown(done(report).parts).splitlines() if " is here as " in row]

    assert lines == ["Qwen3.6 27B is here as Q4_K_M (16.0 GiB), Q3_K_M (12.0 GiB)"]


@pytest.mark.parametrize(
    ("mtp", "sidecars", "word"),
    [
        ("embedded", (), "yes"),
        ("none", (), "no"),
        ("none", ("s",), "sidecar"),
        ("sidecar", (), "only a head"),
    ],
)
def test_where_the_head_is(mtp: Any, sidecars: tuple[str, ...], word: str) -> None:
    assert line(ModelEntry(replace(FACTS, mtp=mtp, sidecars=sidecars)))[5] == word


@pytest.mark.parametrize(
    ("more", "runs", "word"),
    [
        ({}, "no", "yes, not in this build"),
        ({}, "unknown", "yes"),
        ({"mtp": "none", "sidecars": ("s",)}, "no", "sidecar, not in this build"),
        ({"mtp": "sidecar"}, "yes", "only a head"),
    ],
)
def test_whether_this_build_can_run_the_head(more: dict[str, Any], runs: Any, word: str) -> None:
    entry = ModelEntry(replace(FACTS, **more), head_runs=runs)

    text = shown(done(ModelReport((entry,))).parts, width=300)
    assert f"│ {word} " in text
    assert done(ModelReport((entry,))).result["models"][0]["mtp_head"]["runs"] == runs


def test_a_number_of_single_precision_is_written_short() -> None:
    sampling = (("temp", 0.6000000238418579), ("top_p", 0.949999988079071), ("top_k", 20.0))
    told = done(ModelReport((ModelEntry(replace(FACTS, sampling=sampling)),))).result

    assert json.dumps(told["models"][0]["sampling"]) == '{"temp": 0.6, "top_p": 0.95, "top_k": 20.0}'


def test_narrow_terminals_lose_no_name() -> None:
    text = shown(done(ModelReport((ENTRY,))).parts, width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert "Qwen3.6 27B Q4_K_M: /m/Qwen3.6-27B-Q4_K_M.gguf" in text


HOSTILE = "[red]\x1b[2J\x1b]0;t\x07\x9b31m\u202egnp\u2066\x7f\r\n\udce9[/]"


def test_nothing_from_files_steers_the_terminal() -> None:
    facts = replace(FACTS, name=HOSTILE, arch=HOSTILE, quant=HOSTILE, path=f"/m/{HOSTILE}")
    problem = Message.of("model_not_gguf", path=HOSTILE, reason="x")
    told = done(ModelReport((ModelEntry(facts),), (problem,), (HOSTILE,)))
    text = shown(told.parts, width=2000)
    assert not set(text) & set("\x1b\x07\x9b\u202e\u2066\x7f\r\udce9")
    assert text.count("[red]") == 8
    assert text.count(r"\u001b[2J") == 8
    assert len(text.splitlines()) == 9


def test_printable_leaves_what_people_write() -> None:
    kept = "模型 ü é 🦙 👨\u200d👩\u200d👧 [x] \\ \" '"
    assert printable(kept) == kept
    assert json.loads(printable(json.dumps({"a": HOSTILE}, ensure_ascii=False))) == {"a": HOSTILE}


def test_the_document() -> None:
    problem = Message.of("model_folder_missing", path="/gone")
    told = done(ModelReport((ENTRY, ModelEntry(replace(FACTS, mtp="none"))), (problem,), ("/m",)))
    result = json.loads(json.dumps(told.result, allow_nan=False))
    first, second = result["models"]
    assert first["estimate"] == {
        "on_card": True,
        "total_bytes": 33 * GIB // 2,
        "mtp_bytes": GIB // 2,
        "parts": [
            {"kind": "weights", "size_bytes": 15 * GIB, "source": "computed"},
            {"kind": "compute", "size_bytes": GIB, "source": "estimated"},
            {"kind": "mtp_kv", "size_bytes": GIB // 2, "source": "remembered"},
        ],
        "gaps": [],
        "room": {
            "name": "RTX 4090",
            "uuid": "GPU-1",
            "total_bytes": 24 * GIB,
            "others_bytes": GIB,
            "free_bytes": 23 * GIB,
            "others": [{"name": "game", "size_bytes": GIB}, {"name": "desktop", "size_bytes": None}],
        },
        "state": "tight",
        "keep_bytes": GIB,
        "largest_ctx": 49152,
    }
    assert first["contexts"][1] == {
        "ctx_size": 8192, "off_bytes": 3, "off": "too_large", "mtp_bytes": None, "mtp": None,
    }  # fmt: skip
    assert first["mtp_head"] == {"tensors": 15, "quant": "Q8_0", "runs": "unknown"}
    assert first["sampling"] == {"temp": 0.6}
    assert result["engine"] is None
    assert done(ModelReport(()), engine=ENGINE).result["engine"] == {
        "kind": "binary", "path": "/opt/llama/llama-server", "version": "11434 (abc1234)", "build": 11434,
    }  # fmt: skip
    assert (first["siblings"], first["mmproj"], first["size_label"]) == (
        ["/m/s"], ["/m/mmproj-F16.gguf"], "27B",
    )  # fmt: skip
    assert (second["mtp_head"], second["estimate"], second["contexts"]) == (None, None, [])
    assert (result["folders"], [p["code"] for p in result["problems"]]) == (["/m"], ["model_folder_missing"])


def test_every_key_is_described() -> None:
    told = done(ModelReport((ENTRY,))).result
    section = Path("docs/json.md").read_text(encoding="utf-8").split("## models\n")[1].split("\n## ")[0]
    estimate = told["models"][0]["estimate"]
    head = told["models"][0]["mtp_head"]
    for key in (
        *told,
        *told["models"][0],
        *head,
        *estimate,
        *estimate["room"],
        *told["models"][0]["contexts"][0],
    ):
        assert key in section, key


class Engines:
    """Stands for the desk of a computer with these engines."""

    def __init__(self, *findings: EngineFinding, known: EngineFacts | None = None) -> None:
        self._findings = list(findings)
        self._known = known

    def known_engine(self) -> Future[EngineFacts | None]:
        future: Future[EngineFacts | None] = Future()
        future.set_result(self._known)
        return future

    def find_engines(self, _chosen: Path | None) -> Future[list[EngineFinding]]:
        future: Future[list[EngineFinding]] = Future()
        future.set_result(self._findings)
        return future


BROKEN = EngineFinding(ENGINE.ref, None, Message.of("engine_not_found"))
WORKS = EngineFinding(ENGINE.ref, ENGINE)


def test_models_are_held_against_an_engine_without_starting_one_for_it() -> None:
    assert engine_facts(Engines(WORKS), Path("llama-server")) is ENGINE  # type: ignore[arg-type]
    assert engine_facts(Engines(BROKEN), None) is None  # type: ignore[arg-type]
    assert engine_facts(Engines(known=ENGINE), None) is ENGINE  # type: ignore[arg-type]
    with pytest.raises(KnownError, match="No llama-server"):
        engine_facts(Engines(BROKEN, WORKS), Path("llama-server"))  # type: ignore[arg-type]


def test_how_it_ends() -> None:
    problem = Message.of("model_folder_missing", path="/gone")
    asked = (Path("/gone"),)
    assert done(ModelReport(())).code == 0
    assert done(ModelReport((ENTRY,), (problem,), ("/m",)), asked).code == 0
    nothing = done(ModelReport((), (problem,)), asked)
    assert (nothing.code, nothing.failure) == (1, problem)
    broken = done(ModelReport((ENTRY,), (), (), cancelled=True), asked)
    assert (broken.code, broken.result["models"][0]["name"]) == (130, "Qwen3.6 27B")
