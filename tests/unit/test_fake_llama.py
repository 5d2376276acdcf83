"""The fake llama-server itself, as a real process over a real socket: if it lies, every test on it does."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fake_llama.answer import Drafting, dice, steps
from tests.fake_llama.make import make_fake_binary, make_fake_model
from tests.patience import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the wrapper's signals are POSIX")

KEY = "sk-test"
CHAT = "/v1/chat/completions"
VERSION = re.compile(r"version:\s+(?:(\S+)\s+\(build (\d+), commit (\S+?)\)|(\d+)\s+\((\S+?)\))")
MTP = ("--spec-type", "draft-mtp", "--spec-draft-n-max", "4")


@dataclass
class Running:
    process: subprocess.Popen[bytes]
    port: int
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8")

    def call(self, method: str, path: str, body: Any = None, key: str = KEY) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        is_json = "json" in (answer.getheader("Content-Type") or "")
        return answer.status, json.loads(text) if is_json else text.decode()

    def health(self) -> int:
        try:
            return self.call("GET", "/health")[0]
        except OSError:
            return 0

    def ready(self) -> Running:
        until(lambda: self.health() == 200)
        return self

    def stream(self, prompt: str = "Say something.", **more: Any) -> tuple[list[bytes], list[int]]:
        """The lines of the body with their arrival; ends early, without an error, if the connection does."""
        body = {"messages": [{"role": "user", "content": prompt}], "stream": True, **more}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        lines: list[bytes] = []
        stamps: list[int] = []
        try:
            connection.request("POST", CHAT, json.dumps(body), {"X-Api-Key": KEY})
            answer = connection.getresponse()
            while line := answer.readline():
                if line != b"\n":
                    lines.append(line)
                    stamps.append(time.perf_counter_ns())
        except (http.client.HTTPException, ConnectionError):
            pass
        finally:
            connection.close()
        return lines, stamps

    def events(self, prompt: str = "Say something.", **more: Any) -> list[dict[str, Any]]:
        lines, _ = self.stream(prompt, **more)
        assert lines[-1] == b"data: [DONE]\n"
        return [json.loads(line[6:]) for line in lines[:-1] if not line.startswith(b":")]


Launch = Callable[..., Running]


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Launch]:
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, port: int | None = None, **switches: Any) -> Running:
        binary = make_fake_binary(tmp_path / f"bin{len(started)}", **switches)
        model = make_fake_model(tmp_path)
        port = port or free_port()
        log_file = tmp_path / f"log{len(started)}"
        argv = [str(binary), "-m", str(model), "--port", str(port), "-np", "1", "-c", "8192", *arguments]
        env = {"PATH": os.environ["PATH"], "LLAMA_API_KEY": KEY, "HOME": str(tmp_path)}
        with log_file.open("wb") as log:
            process = subprocess.Popen(argv, stdout=log, stderr=log, env=env)
        started.append(process)
        return Running(process, port, log_file)

    yield start
    for process in started:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(binary: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    home = {"HOME": str(binary.parent)}
    return subprocess.run(
        [str(binary), *arguments], capture_output=True, text=True, timeout=60, check=False, env=home | env
    )


def deltas(events: list[dict[str, Any]], key: str = "content") -> list[str]:
    parts = [event["choices"][0]["delta"].get(key) for event in events if event["choices"]]
    return [part for part in parts if part]


def test_a_healthy_life(launch: Launch) -> None:
    server = launch("-lv", "4", "--alias", "tried", load_s=0.4)
    until(lambda: server.health() == 503)
    assert server.call("GET", "/props")[1]["error"]["type"] == "unavailable_error"
    server.ready()
    assert server.call("GET", "/props", key="wrong")[0] == 401
    assert server.call("GET", "/metrics")[0] == 501
    _, props = server.call("GET", "/props")
    assert (props["model_alias"], props["default_generation_settings"]["n_ctx"]) == ("tried", 8192)
    _, slots = server.call("GET", "/slots")
    assert [slot["speculative"] for slot in slots] == [False]
    events = server.events(
        return_progress=True, stream_options={"include_usage": True}, cache_prompt=False, max_tokens=16
    )
    assert [event["prompt_progress"]["processed"] for event in events[:2]] == [
        0,
        events[0]["prompt_progress"]["total"],
    ]
    assert len(deltas(events)) == 16
    assert events[-2]["choices"][0]["finish_reason"] == "length"
    assert (events[-1]["choices"], events[-1]["usage"]["completion_tokens"]) == ([], 16)
    assert "timings" not in events[-2]
    assert "draft_n" not in events[-1]["timings"]
    for fragment in ("loading model '", "offloaded 66/66", "KV buffer", "RS buffer", "  eval time ="):
        assert fragment in server.log
    assert f"listening on http://127.0.0.1:{server.port}" in server.log
    assert re.match(r"0\.\d\d\.\d{3}\.\d{3} I ", server.log)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0


def test_quiet_by_default(launch: Launch) -> None:
    server = launch().ready()
    assert "model loaded" in server.log
    assert "offloaded" not in server.log


def test_timings_agree_with_the_clock_of_the_client(launch: Launch) -> None:
    server = launch(itl_ms=10, ttft_ms=60, tokens=40).ready()
    sent = time.perf_counter_ns()
    lines, stamps = server.stream()
    timings = json.loads(lines[-2][6:])["timings"]
    content = [stamp for line, stamp in zip(lines, stamps, strict=True) if b'"content":"' in line]
    assert len(content) == timings["predicted_n"] == 40
    client_ms = (content[-1] - content[0]) / 1e6
    assert timings["predicted_ms"] == pytest.approx(client_ms, rel=0.1)
    assert timings["predicted_ms"] >= 380
    assert 60 <= timings["prompt_ms"] <= (content[0] - sent) / 1e6


def test_drafts_come_in_bursts_and_are_counted(launch: Launch) -> None:
    server = launch(*MTP, "--metrics", acceptance=0.9, itl_ms=4, tokens=60).ready()
    assert server.call("GET", "/slots")[1][0]["speculative"] is True
    events = server.events(timings_per_token=True)
    moments = [e["timings"]["predicted_ms"] for e in events if e["choices"][0]["delta"].get("content")]
    assert len(moments) == 60
    assert len(set(moments)) < 30
    timings = events[-1]["timings"]
    assert 0 < timings["draft_n_accepted"] <= timings["draft_n"]
    assert timings["predicted_ms"] < 60 * 4 * 0.8
    metrics = dict(
        line.rsplit(" ", 1) for line in server.call("GET", "/metrics")[1].splitlines() if line[0] != "#"
    )
    at = [float(value) for name, value in metrics.items() if "per_pos" in name]
    assert sum(at) == float(metrics["llamacpp:spec_decode_num_accepted_tokens_total"])
    assert sum(at) == timings["draft_n_accepted"]
    assert at == sorted(at, reverse=True)
    found = re.search(r"draft acceptance = [\d.]+ \(\s*(\d+) accepted /\s*(\d+) generated\)", server.log)
    assert found is not None
    assert [int(n) for n in found.groups()] == [timings["draft_n_accepted"], timings["draft_n"]]


def test_more_drafts_are_not_always_better() -> None:
    def speed(n_max: int) -> float:
        drafting = Drafting(n_max, 0, 0.0, acceptance=0.75, decay=0.8, draft_cost=0.15) if n_max else None
        return 4000 / sum(step.cost for step in steps(dice(1), 4001, drafting))

    curve = [speed(n_max) for n_max in range(9)]
    best = curve.index(max(curve))
    assert 1 <= best <= 4
    assert curve[8] < curve[best]


def test_prompt_cache_is_kept_and_can_be_refused(launch: Launch) -> None:
    server = launch().ready()
    cached = [server.events()[-1]["timings"]["cache_n"] for _ in range(2)]
    assert cached[0] == 0
    assert cached[1] > 0
    assert server.events(cache_prompt=False)[-1]["timings"]["cache_n"] == 0


def test_reasoning_comes_first_and_can_be_refused(launch: Launch) -> None:
    server = launch(reasoning_tokens=3, text="Yes, it is.").ready()
    events = server.events()
    assert (len(deltas(events, "reasoning_content")), "".join(deltas(events))) == (3, "Yes, it is.")
    assert deltas(server.events(chat_template_kwargs={"enable_thinking": False}), "reasoning_content") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--foo"], "error: invalid argument: --foo\n"),
        (["--foo_bar"], "error: invalid argument: --foo-bar\n"),
        (["-c"], 'error while handling argument "-c": expected value for argument\n\nusage:\n-c, '),
        (["-c", "many"], 'error while handling argument "-c": stoi\n'),
        (["--spec-type", "mtp"], 'argument "--spec-type": unknown speculative type: mtp\n'),
        (["--draft", "3"], 'argument "--draft": the argument has been removed. use --spec-draft-n-max'),
        (["-ctk", "q9"], "Unsupported cache type: q9"),
        (["--no-mmap"], "error: invalid argument: --no-mmap\n"),
        (["--device", "CUDA7"], "invalid device: CUDA7"),
    ],
)
def test_bad_arguments_end_with_1(tmp_path: Path, arguments: list[str], said: str) -> None:
    result = run(make_fake_binary(tmp_path), *arguments)
    assert result.returncode == 1
    assert said in result.stderr


def test_stale_environment_stops_even_the_version(tmp_path: Path) -> None:
    result = run(make_fake_binary(tmp_path), "--version", LLAMA_ARG_DRAFT_MAX="4")
    assert result.returncode == 1
    assert "error while handling environment variable" in result.stderr


@pytest.mark.parametrize(
    ("switches", "stream", "build"),
    [
        ({}, "stderr", "11434"),
        ({"version_form": "old", "build": 9190, "version_stream": "stdout"}, "stdout", "9190"),
        ({"backend_lines": True}, "stderr", "11434"),
    ],
)
def test_version(tmp_path: Path, switches: dict[str, Any], stream: str, build: str) -> None:
    result = run(make_fake_binary(tmp_path, **switches), "--version")
    match = VERSION.search(getattr(result, stream))
    assert match is not None
    assert build in match.groups()
    assert result.returncode == 0


def test_builds_differ_in_their_help_and_mean_it(tmp_path: Path) -> None:
    def spec_types(binary: Path) -> str:
        found = re.search(r"^--spec-type (\S+)", run(binary, "--help").stdout, re.MULTILINE)
        assert found is not None
        return found[1]

    current = make_fake_binary(tmp_path / "a", lacks=["--metrics", "--spec-draft-n-max"])
    branch = make_fake_binary(tmp_path / "b", dialect="branch", old_names=True)
    text = run(current, "--help").stdout
    assert "draft-mtp" in spec_types(current)
    assert "draft-mtp" not in spec_types(make_fake_binary(tmp_path / "c", dialect="no_mtp"))
    assert ",mtp," in spec_types(branch)
    assert "--load-mode" in text
    assert "--metrics" not in text
    assert "--draft-max N" in text
    assert run(current, "--metrics").returncode == 1
    assert "--no-mmap" in run(branch, "--help").stdout
    assert run(branch, "--load-mode", "mmap").returncode == 1
    garbage = run(make_fake_binary(tmp_path / "d", version_garbage=True), "--version")
    assert VERSION.search(garbage.stdout + garbage.stderr) is None


def test_a_misspelt_switch_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="crash_after_token"):
        make_fake_binary(tmp_path, crash_after_token=3)


@pytest.mark.parametrize(
    ("switches", "code", "said"),
    [
        ({"crash_at_load": "SIGSEGV"}, -signal.SIGSEGV, "loading model"),
        ({"crash_at_load": 3, "crash_text": "GGML_ASSERT(x) failed"}, 3, "\nGGML_ASSERT(x) failed\n"),
        ({"oom_at_load": "kv"}, 1, "cudaMalloc failed: out of memory"),
        ({"port_in_use": True}, 1, "couldn't bind HTTP server socket, hostname: 127.0.0.1, port: "),
        ({"exit_after_s": 0.05, "exit_code": 7}, 7, "model loaded"),
    ],
)
def test_ends_at_load(launch: Launch, switches: dict[str, Any], code: int, said: str) -> None:
    server = launch(**switches)
    assert server.process.wait(60) == code
    assert said in server.log


def test_a_missing_or_wrong_model_fails_the_load(launch: Launch, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"PK\x03\x04")
    for path, said in (
        (tmp_path / "none.gguf", "failed to open GGUF file"),
        (wrong, "invalid magic characters"),
    ):
        server = launch("-m", str(path))
        assert server.process.wait(60) == 1
        assert said in server.log


def test_a_taken_port_is_noticed(launch: Launch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = launch(port=int(taken.getsockname()[1]))
        assert server.process.wait(60) == 1
    assert "couldn't bind HTTP server socket" in server.log
    assert "model loaded" not in server.log


@pytest.mark.parametrize(
    ("switches", "code"),
    [
        ({"crash_after_tokens": 5}, -signal.SIGSEGV),
        ({"oom_after_tokens": 5}, -signal.SIGABRT),
        ({"close_after_tokens": 5}, None),
        ({"error_in_stream": 5}, None),
    ],
)
def test_breaks_in_mid_stream(launch: Launch, switches: dict[str, Any], code: int | None) -> None:
    server = launch(**switches).ready()
    lines, _ = server.stream()
    assert sum(b'"content":"' in line for line in lines) == 5
    assert b"data: [DONE]\n" not in lines
    assert (b'{"error":' in lines[-1]) == ("error_in_stream" in switches)
    if code is None:
        assert server.health() == 200
    else:
        assert server.process.wait(60) == code
        assert ("CUDA error: out of memory" in server.log) == (code == -signal.SIGABRT)


def test_hangs_with_green_health_until_the_client_leaves(launch: Launch) -> None:
    server = launch(hang_after_tokens=0).ready()
    body = json.dumps({"messages": [{"role": "user", "content": "x"}], "stream": True})
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=0.3)
    connection.request("POST", CHAT, body, {"X-Api-Key": KEY})
    answer = connection.getresponse()
    with pytest.raises(TimeoutError):
        answer.readline()
    assert server.health() == 200
    assert server.call("GET", "/slots")[1][0]["is_processing"] is True
    answer.close()
    connection.close()
    until(lambda: server.call("GET", "/slots")[1][0]["is_processing"] is False)


def test_http_errors_and_their_turn(launch: Launch) -> None:
    server = launch(http_error=500, after_requests=1).ready()
    assert server.events()
    chat = {"messages": [{"role": "user", "content": "x"}]}
    assert server.call("POST", CHAT, chat)[0] == 500
    status, error = server.call("POST", CHAT, {"messages": [{"role": "user", "content": "x " * 9000}]})
    assert (status, error["error"]["type"]) == (400, "exceed_context_size_error")


def test_odd_bytes_survive_torn_packets(launch: Launch) -> None:
    server = launch(split_packets=True, pings=4, bad_utf8=True, u2028=True, tokens=12).ready()
    lines, _ = server.stream()
    assert lines.count(b":\n") == 4
    assert sum(b"\xff\xc3" in line for line in lines) == 1
    data = [line[6:] for line in lines if line.startswith(b"data: {")]
    pieces = deltas([json.loads(line.decode("utf-8", "replace")) for line in data])
    assert len(pieces) == 12
    assert "\u2028\u2029\x85\x0b\x0c" in "".join(pieces)
    assert lines[-1] == b"data: [DONE]\n"


def test_ignores_sigterm_and_leaves_a_grandchild_on_the_pipe(launch: Launch, tmp_path: Path) -> None:
    pid_file = tmp_path / "grandchild"
    server = launch(ignore_sigterm=True, fork_grandchild=str(pid_file)).ready()
    server.process.send_signal(signal.SIGTERM)
    assert server.events()
    server.process.kill()
    server.process.wait()
    grandchild = int(pid_file.read_text(encoding="ascii"))
    os.kill(grandchild, 0)  # alive, or this raises
    os.kill(grandchild, signal.SIGKILL)


def test_lies_about_what_is_effective(launch: Launch) -> None:
    server = launch(*MTP, ctx_shrunk=4096, wrong_identity=True, spec_fails_silently=True, cached=3).ready()
    _, props = server.call("GET", "/props")
    assert props["default_generation_settings"]["n_ctx"] == 4096
    assert props["model_alias"] == "somebody-else"
    assert server.call("GET", "/slots")[1][0]["speculative"] is False
    timings = server.events(cache_prompt=False)[-1]["timings"]
    assert timings["cache_n"] == 3
    assert "draft_n" not in timings
    assert "failed to initialize speculative decoding context" in server.log


def test_faults_only_where_their_conditions_hold(launch: Launch, tmp_path: Path) -> None:
    launches = tmp_path / "launches"
    fault: dict[str, Any] = {"crash_at_load": 9, "when_launch_at_most": 1, "launch_log": str(launches)}
    assert launch(**fault).process.wait(60) == 9
    launch(**fault).ready()
    entries = [json.loads(line) for line in launches.read_text(encoding="utf-8").splitlines()]
    assert [entry["env"]["LLAMA_API_KEY"] for entry in entries] == [KEY, KEY]
    assert all(KEY not in " ".join(entry["argv"]) for entry in entries)
    launch(crash_at_load=9, when_mtp=True).ready()
    assert launch(*MTP, crash_at_load=9, when_mtp=True).process.wait(60) == 9


def test_talks_more_than_a_pipe_holds(launch: Launch) -> None:
    server = launch(megabyte_log_line=True, flood_log=20_000).ready()
    until(lambda: server.log.count(" of a talkative server") > 1000)
    assert max(map(len, server.log.splitlines())) > 1_000_000
