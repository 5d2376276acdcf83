"""What is exported to launch a server launches that server: the script runs, the router reads its presets."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.records import RunRecord
from qtune.core.settings import ServerSettings
from qtune.endpoint.dialect import server_self
from qtune.engine.argv import build_argv
from qtune.engine.log_facts import LogFacts
from qtune.engine.probe import probe
from qtune.engine.readback import read_back
from qtune.host.ports import free_port
from qtune.models.sample import SampleModel
from qtune.report.file_out import write_export
from qtune.report.launch_config import models_preset
from qtune.report.launch_line import model_id
from qtune.report.launch_script import sh_script
from tests.unit.report.exported import run

LIMIT_S = 120
KEY = "a key of the user's"
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))
SETTINGS = ServerSettings().with_values(
    {"ctx_size": 1024, "parallel": 2, "threads": 1, "mtp": True, "n_max": 3, "ubatch_size": 256}
)


@pytest.fixture(params=["bundled", "llama-server"])
def engine(request: pytest.FixtureRequest) -> EngineRef:
    """The bundled engine, and a genuine llama-server where QTUNE_TEST_LLAMA_SERVER names one."""
    if request.param == "bundled":
        found: EngineRef = request.getfixturevalue("bundled_engine")
        return found
    return genuine("llama-server")


def genuine(program: str) -> EngineRef:
    chosen = os.environ.get("QTUNE_TEST_LLAMA_SERVER")
    if not chosen:
        pytest.skip("QTUNE_TEST_LLAMA_SERVER names no llama-server")
    path = str(Path(chosen).with_name(program))
    return EngineRef("binary", (path,), path, "chosen")


def a_run(engine: EngineRef, model: Path) -> tuple[RunRecord, EngineFacts]:
    facts = asyncio.run(probe(engine))
    argv = build_argv(SETTINGS, facts, model, 41873, "qtune-41873")
    assert argv.notes == ()
    made = run("balanced", argv=(*engine.command, *argv.tokens), settings_requested=SETTINGS)
    return replace(made, engine=facts, model=replace(made.model, path=str(model))), facts


@contextmanager
def started(command: list[str], log: Path, **environment: str) -> Iterator[None]:
    with log.open("wb") as out:
        server = subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=os.environ | environment,
        )
        try:
            yield
        except AssertionError as error:
            error.add_note(log.read_text(encoding="utf-8", errors="replace")[-3000:])
            raise
        finally:
            server.terminate()
            try:
                server.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def ask(port: int, path: str, body: dict[str, Any] | None = None, key: str | None = KEY) -> Any:
    headers = {"Content-Type": "application/json"} | (
        {} if key is None else {"Authorization": f"Bearer {key}"}
    )
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", content, headers)
    with LOCAL.open(request, timeout=LIMIT_S) as answer:
        return json.load(answer)


def ready(port: int) -> None:
    end = time.monotonic() + LIMIT_S
    while not healthy(port):
        assert time.monotonic() < end, "the server does not answer"
        time.sleep(0.1)


def healthy(port: int) -> bool:
    try:
        ask(port, "/health")
    except OSError:  # also while it loads
        return False
    return True


def said(port: int, tokens: int = 8, **more: Any) -> dict[str, Any]:
    question = {"messages": [{"role": "user", "content": "Count to nine in words."}], "max_tokens": tokens}
    answer: dict[str, Any] = ask(port, "/v1/chat/completions", {**question, "temperature": 0, **more})
    return answer


@pytest.mark.engine
@pytest.mark.skipif(sys.platform == "win32", reason="sh")
def test_an_exported_script_starts_what_was_measured(
    engine: EngineRef, sample_model: SampleModel, tmp_path: Path
) -> None:
    folder = tmp_path / "it's a $HOME & 100% `x` (b) 模型"
    folder.mkdir()
    model = folder / "a b.gguf"
    model.symlink_to(sample_model.q8_0)
    made, facts = a_run(engine, model)
    script = tmp_path / "start it.sh"
    write_export(script, sh_script(made), executable=True)
    port = free_port()
    hostile = {"LLAMA_ARG_N_PREDICT": "3", "LLAMA_ARG_CTX_SIZE": "512", "LLAMA_ARG_DRAFT_MAX": "16"}

    with started([str(script)], tmp_path / "log", PORT=str(port), LLAMA_API_KEY=KEY, **hostile):
        ready(port)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(port, "/props", key=None)
        props, slots = ask(port, "/props"), ask(port, "/slots")
        answer = said(port, 24)

    effective = read_back(SETTINGS, facts, model, server_self(props, slots), LogFacts())
    assert effective.verified, effective.mismatches
    assert (effective.ctx_size, effective.parallel, effective.speculative) == (1024, 2, True)
    assert effective.model_path == str(model)
    assert effective.alias == model_id(made)
    assert answer["usage"]["completion_tokens"] > 3
    assert answer["choices"][0]["message"]["content"]
    assert answer["timings"]["draft_n"] > 0


def test_the_router_of_llama_server_reads_exported_presets(sample_model: SampleModel, tmp_path: Path) -> None:
    engine = genuine("llama-server")
    folder = tmp_path / "a b (c) 模型 & %PATH% $x"
    folder.mkdir()
    model = folder / "m.gguf"
    model.symlink_to(sample_model.q8_0)
    made, facts = a_run(engine, model)
    ini = tmp_path / "presets.ini"
    write_export(ini, models_preset([made]))
    port = free_port()
    command = [*engine.command, "--models-preset", str(ini), "--host", "127.0.0.1", "--port", str(port)]

    with started([*command, "--models-max", "1"], tmp_path / "log", LLAMA_API_KEY=KEY):
        ready(port)
        name = model_id(made)
        assert [one["id"] for one in ask(port, "/v1/models")["data"]] == [name]
        answer = said(port, model=name)
        query = f"?model={urllib.parse.quote(name)}"
        props, slots = ask(port, f"/props{query}"), ask(port, f"/slots{query}")

    effective = read_back(SETTINGS, facts, model, server_self(props, slots), LogFacts())
    assert effective.verified, effective.mismatches
    assert answer["choices"][0]["message"]["content"]
    assert "draft_n" in answer["timings"]
