"""A copied report tells what happened and nothing about whose computer it happened on."""

from __future__ import annotations

import getpass
import platform
from pathlib import Path

import pytest

from qtune.core.causes import Cause
from qtune.core.incident import Incident
from qtune.core.ladder import Footing
from qtune.core.messages import Message
from qtune.core.settings import ServerSettings
from qtune.session.incident_report import incident_report, scrubbed

LINE = "ggml_cuda: cudaMalloc failed: out of memory"


def incident(
    line: str = LINE, model: str = "/models/Q4_K_M.gguf", engine: str = "11434 (3f2c1a9)"
) -> Incident:
    settings = ServerSettings(ctx_size=32_768, mtp=True, n_max=4)
    message = Message.of("ended_out_of_memory", line=line)
    footing = Footing(model, settings, "balanced")
    action = Message.of("recovery_step", rung="mtp_off", cause="memory")
    return Incident("1", "2026-11-30T09:41:00+00:00", Cause.MEMORY, message, line, footing, engine, action)


def test_it_says_what_happened_with_what_and_what_was_done() -> None:
    report = incident_report(incident())
    for told in (
        "### Memory ran out",
        "2026-11-30T09:41:00+00:00",
        "11434 (3f2c1a9)",
        "Model: Q4_K_M.gguf",
        "Preset: balanced",
        "ctx_size 32768",
        "mtp on",
        "n_max 4",
        "One step down is taken by itself.",
        f"```text\n{LINE}\n```",
    ):
        assert told in report


@pytest.mark.parametrize(
    ("line", "kept", "gone"),
    [
        ("failed to open '/home/jo/my models/x 1.gguf': denied", "'x 1.gguf': denied", ("jo", "home")),
        ("load: /home/jo/my models/Qwen 3.gguf is cut", "is cut", ("jo", "home", "models")),
        (r"load: C:\Users\Jo Doe\models\q.gguf, 12 tensors", "q.gguf, 12 tensors", ("Jo", "Doe", "Users")),
        ("/home/jo/llama.cpp/ggml/src/ggml-cuda.cu:84: CUDA error", "ggml-cuda.cu:84: CUDA", ("jo", "home")),
        ("mmap of ~/private/q.gguf failed", "mmap of q.gguf failed", ("private",)),
        (r"\\nas\jo\q.gguf is not there", "q.gguf is not there", ("nas", "jo")),
        ("load:/home/jo/my models/x.gguf: bad", "load:x.gguf: bad", ("jo", "home", "models")),
        ("got file:///home/jo/q.gguf", "got q.gguf", ("jo", "home")),
        (r"no such file: \\?\C:\Users\Jo\q.gguf", "file: q.gguf", ("Jo", "Users")),
        ("mmap of ~jo/q.gguf failed", "mmap of q.gguf failed", ("jo",)),
        ("cannot write /home/jo/cache", "cannot write cache", ("jo", "home")),
        ("offloaded 66/66 layers, 41.2 tok/s at http://127.0.0.1:8080/v1", "66/66 layers, 41.2 tok/s at", ()),
        ("\x1b[31merror\x1b[0m: bad", "error: bad", ("\x1b",)),
    ],
)
def test_places_of_files_are_cut_to_their_names(line: str, kept: str, gone: tuple[str, ...]) -> None:
    cut = scrubbed(line)
    assert kept in cut
    assert [word for word in gone if word in cut] == []


def test_the_evidence_is_scrubbed_like_the_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "jos-tower.lan")
    monkeypatch.setattr(getpass, "getuser", lambda: "jodoe")
    monkeypatch.setattr(Path, "home", lambda: Path("/srv/people/jane"))
    line = "jodoe@jos-tower: /srv/people/jane/odd place/q4: no such file (jos-tower.lan, JANE)"
    model = "/srv/people/jane/odd place/q4"
    report = incident_report(incident(line, model, "b1 built in /srv/people/jane/src"))
    for told in ("jodoe", "jos-tower", "jane", "people", "odd place"):
        assert told not in report.casefold()
    assert report.count("q4") == 3


def test_a_name_is_cut_only_where_it_stands_alone() -> None:
    assert scrubbed("sam saw the same sample", names=("sam",)) == "… saw the same sample"
    assert scrubbed("the root cause", names=("root",)) == "the root cause"


def test_backticks_in_the_line_do_not_end_the_block() -> None:
    report = incident_report(incident("odd ``` line"))
    assert "````text\nodd ``` line\n````" in report


def test_without_a_line_there_is_no_empty_block() -> None:
    assert "```" not in incident_report(incident(""))
