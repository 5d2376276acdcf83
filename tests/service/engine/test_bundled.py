"""The bundled engine as a program: to everything above it, it must pass for a llama-server."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from qtune.core.engine_facts import EngineRef
from qtune.core.settings import SETTINGS
from qtune.engine import bundled
from qtune.engine.bundled_options import OPTIONS
from qtune.engine.bundled_parser import UsageError, parse_command
from qtune.models.sample import SampleModel
from qtune.models.sample_text import PARTS
from tests.patience import until

pytestmark = pytest.mark.engine
VERSION = re.compile(r"version:\s+(?:(\S+)\s+\(build (\d+), commit (\S+?)\)|(\d+)\s+\((\S+?)\))")
QUESTION = {"messages": [{"role": "user", "content": "Tell me."}], "temperature": 0, "cache_prompt": False}
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are a matter of POSIX")


def run(engine: EngineRef, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command, env = [*engine.command, *words], _environment(environment)
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)


def _environment(extra: dict[str, str]) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LLAMA_")}
    return {**clean, **extra}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Served:
    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def health(self) -> int:
        try:
            return httpx.get(self.url + "/health", timeout=5).status_code
        except httpx.TransportError:
            return 0

    def end(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        """Exit status and seconds it took."""
        begin = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(120), time.monotonic() - begin


@contextmanager
def serving(
    engine: EngineRef, model: Path, folder: Path, *words: str, wait: bool = True, **environment: str
) -> Iterator[Served]:
    port, log = free_port(), folder / "engine.log"
    fixed = ["-m", str(model), "--port", str(port), "-np", "1", "-c", "2048", "--cache-ram", "0"]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [*engine.command, *fixed, *words], stdout=sink, stderr=sink, env=_environment(environment)
        )
    served = Served(process, f"http://127.0.0.1:{port}", log)
    try:
        if wait:
            until(lambda: served.health() == 200 or process.poll() is not None)
            assert process.poll() is None, log.read_text()
        yield served
    finally:
        process.kill()
        process.wait()


def test_version_is_told_on_stderr_in_llama_servers_form(bundled_engine: EngineRef) -> None:
    told = run(bundled_engine, "--version", "--whatever-follows")
    found = VERSION.search(told.stderr)
    assert (told.returncode, told.stdout) == (0, "")
    assert found
    assert int(found.group(2)) > 11_000
    assert "built with " in told.stderr


def test_help_has_llama_servers_shape_and_every_flag_qtune_passes(bundled_engine: EngineRef) -> None:
    told = run(bundled_engine, "--help")
    assert (told.returncode, told.stderr) == (0, "")
    sections = re.findall(r"^----- (.*) params -----$", told.stdout, re.MULTILINE)
    assert sections == ["common", "sampling", "speculative", "example-specific"]
    for line in told.stdout.splitlines():
        assert not line or line.startswith("-") or (line[:40].isspace() and line[40] != " "), line
    flags = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", told.stdout))
    passed = {setting.spellings[0].flag for setting in SETTINGS.values()}
    passed |= {"--model", "--alias", "--host", "--port", "--fit", "--metrics", "--slots", "--verbosity"}
    passed |= {
        "--log-colors",
        "--no-mmproj",
        "--api-key-file",
        "--offline",
        "--no-ui",
        "--chat-template-kwargs",
    }
    assert passed <= flags
    kinds = re.search(r"^--spec-type (\S+)", told.stdout, re.MULTILINE)
    assert kinds
    assert "draft-mtp" in kinds.group(1).split(",")


def test_no_spelling_belongs_to_two_options() -> None:
    spellings = [name for option in OPTIONS for name in (*option.names, *option.negative)]
    assert len(spellings) == len(set(spellings))
    assert all(name.startswith("-") for name in spellings)


def test_without_a_card_the_device_list_says_none(bundled_engine: EngineRef) -> None:
    told = run(bundled_engine, "--list-devices")
    assert told.returncode == 0
    lines = told.stdout.splitlines()
    assert lines[0] == "Available devices:"
    assert lines[1:] == ["  (none)"] or all(re.search(r"MiB, \d+ MiB free\)$", line) for line in lines[1:])


@pytest.mark.parametrize(
    ("words", "wording"),
    [
        (["--foo"], "error: invalid argument: --foo\n"),
        (["--foo_bar"], "error: invalid argument: --foo-bar\n"),
        (
            ["-c"],
            'error while handling argument "-c": expected value for argument\n\nusage:\n-c,    --ctx-size N',
        ),
        (["-c", "many"], 'error while handling argument "-c": stoi\n'),
        (["--spec_type", "mtp"], 'argument "--spec-type": unknown speculative type: mtp\n'),
        (["-ctk", "q9"], 'argument "-ctk": Unsupported cache type: q9\n'),
        (["-fa", "maybe"], "error: unknown value for --flash-attn: 'maybe'\n"),
        (["-np", "0"], "error: invalid value for n_parallel\n"),
        (
            ["--draft-max", "4"],
            'argument "--draft-max": the argument has been removed. use --spec-draft-n-max',
        ),
        (["--api-key-file", "/no/such/file"], "error: failed to open file '/no/such/file'\n"),
    ],
)
def test_a_bad_argument_is_refused_in_llama_servers_words(
    bundled_engine: EngineRef, words: list[str], wording: str
) -> None:
    told = run(bundled_engine, *words)
    assert (told.returncode, told.stdout) == (1, "")
    assert wording in told.stderr


def test_the_environment_counts_like_llama_servers() -> None:
    environment = {"LLAMA_ARG_CTX_SIZE": "4096", "LLAMA_ARG_NO_WARMUP": "1", "LLAMA_API_KEY": "a,b"}
    parsed = parse_command(["-c", "512", "--spec-type", "draft-mtp", "--spec-type", "ngram-mod"], environment)
    assert parsed.value_of("--ctx-size") == 512
    assert parsed.value_of("--warmup") is False
    assert parsed.value_of("--api-key") == ["a", "b"]
    assert [v for o, v in parsed.values if "--spec-type" in o.names] == [["draft-mtp"], ["ngram-mod"]]
    assert len(parsed.warnings) == 1
    assert "LLAMA_ARG_CTX_SIZE environment variable is set, but will be overwritten" in parsed.warnings[0]
    with pytest.raises(UsageError, match='environment variable "LLAMA_ARG_DRAFT_MAX": the argument has been'):
        parse_command(["--version"], {"LLAMA_ARG_DRAFT_MAX": "4"})


def test_a_repeated_argument_is_warned_of_and_the_last_one_counts() -> None:
    parsed = parse_command(["--port", "1", "--port", "2"], {})
    assert parsed.value_of("--port") == 2
    assert parsed.warnings[0].startswith("DEPRECATED: argument '--port' specified multiple times")


def test_where_xllamacpp_is_missing_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundled, "bundled_engine_available", lambda: False)
    assert bundled.main(["--help"]) == 0
    assert bundled.main(["-m", "x.gguf"]) == 1
    assert capsys.readouterr().err == (
        'error: the bundled engine is not installed: add it with  pip install "qtune[engine]"  or choose a '
        "llama-server of your own\n"
    )


@pytest.mark.parametrize(
    ("make", "fragment"),
    [
        (lambda path, _model: path, "failed to open GGUF file"),
        (lambda path, _model: path.write_bytes(b"no model, just words"), "invalid magic characters: 'no m'"),
        (
            lambda path, model: path.write_bytes(model.read_bytes()[:-1000]),
            "data is not within the file bounds",
        ),
        (lambda path, _model: path.mkdir(), "failed to load model"),
    ],
    ids=["missing", "not-gguf", "cut", "folder"],
)
def test_a_model_that_cannot_be_loaded_ends_it_with_native_words(
    bundled_engine: EngineRef,
    sample_model: SampleModel,
    tmp_path: Path,
    make: Callable[..., Any],
    fragment: str,
) -> None:
    path = tmp_path / "模型.gguf"
    make(path, sample_model.q4_0)
    told = run(bundled_engine, "-m", str(path), "--port", str(free_port()))
    assert told.returncode == 1
    assert fragment in told.stderr
    assert "exiting due to model loading error" in told.stderr


def test_a_port_in_use_ends_it_before_the_model_is_loaded(
    bundled_engine: EngineRef, sample_model: SampleModel
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = run(bundled_engine, "-m", str(sample_model.q4_0), "--port", str(port))
    assert told.returncode == 1
    assert f"couldn't bind HTTP server socket, hostname: 127.0.0.1, port: {port}" in told.stderr
    assert "exiting due to HTTP server error" in told.stderr
    assert "loading model" not in told.stderr


def test_mtp_drafts_and_the_log_tells_the_buffers(
    bundled_engine: EngineRef, sample_model: SampleModel, tmp_path: Path
) -> None:
    words = [
        "--spec_type",
        "draft-mtp",
        "--spec-draft-n-max",
        "3",
        "--metrics",
        "-lv",
        "4",
        "--alias",
        "probe",
    ]
    words += ["-ctk", "q8_0", "-ctv", "q8_0", "-ctkd", "q8_0", "-fa", "on", "-ngl", "all", "--fit", "off"]
    with serving(bundled_engine, sample_model.q8_0, tmp_path, *words) as served:
        assert httpx.get(served.url + "/v1/models").json()["data"][0]["id"] == "probe"
        assert [slot["speculative"] for slot in httpx.get(served.url + "/slots").json()] == [True]
        body = {**QUESTION, "max_tokens": 96}
        answer = httpx.post(served.url + "/v1/chat/completions", json=body, timeout=120).json()
        metrics = httpx.get(served.url + "/metrics").text
        status, seconds = served.end()
    timings = answer["timings"]
    assert timings["draft_n"] > timings["draft_n_accepted"] > 0
    text = answer["choices"][0]["message"]["content"]
    assert any("\n\n".join(PARTS[start:]).startswith(text) for start in range(len(PARTS)))
    drafts = int(re.findall(r"spec_decode_num_drafts_total (\d+)", metrics)[0])
    accepted = [int(n) for n in re.findall(r'accepted_tokens_per_pos_total{position="\d"} (\d+)', metrics)]
    assert len(accepted) == 3
    assert accepted == sorted(accepted, reverse=True)
    assert 0.55 < accepted[0] / drafts < 0.95
    log = served.log.read_text()
    for fragment in (
        "adding speculative implementation 'draft-mtp'",
        "n_max=3, n_min=0",
        "KV buffer size =",
        "K (q8_0)",
    ):
        assert fragment in log
    if sys.platform != "win32":
        assert (status, seconds < 2) == (0, True)
        assert "memory breakdown [MiB]" in log


def test_off_serves_without_drafts_and_knows_its_keys(
    bundled_engine: EngineRef, sample_model: SampleModel, tmp_path: Path
) -> None:
    (tmp_path / "keys").write_text("# a comment\nfrom-file\n")
    words = ["--api-key-file", str(tmp_path / "keys"), "--no-warmup"]
    with serving(bundled_engine, sample_model.q4_0, tmp_path, *words, LLAMA_API_KEY="from-env") as served:

        def ask(key: str | None) -> httpx.Response:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            body = {**QUESTION, "max_tokens": 4}
            return httpx.post(served.url + "/v1/chat/completions", json=body, headers=headers, timeout=120)

        assert [ask(key).status_code for key in (None, "wrong", "from-env", "from-file")] == [
            401,
            401,
            200,
            200,
        ]
        assert "draft_n" not in ask("from-env").json()["timings"]
        assert served.end(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)[0] in {0, 1}


@posix
def test_a_signal_in_mid_stream_ends_it_at_once(
    bundled_engine: EngineRef, sample_model: SampleModel, tmp_path: Path
) -> None:
    with serving(bundled_engine, sample_model.q4_0, tmp_path, "--spec-type", "draft-mtp") as served:
        body = {**QUESTION, "max_tokens": 2000, "stream": True, "ignore_eos": True}
        with httpx.stream("POST", served.url + "/v1/chat/completions", json=body, timeout=120) as stream:
            lines = stream.iter_lines()
            until(lambda: '"content":"' in next(lines))
            status, seconds = served.end()
    assert status == 0
    assert seconds < 2


@posix
def test_while_loading_it_answers_503_and_a_signal_kills_it(
    bundled_engine: EngineRef, sample_model: SampleModel, tmp_path: Path
) -> None:
    with serving(bundled_engine, sample_model.q8_0, tmp_path, wait=False) as served:
        seen = until(served.health)
        if seen == 200:
            pytest.skip("the model was loaded before the first look")
        assert seen == 503
        assert served.end()[0] == -signal.SIGTERM
