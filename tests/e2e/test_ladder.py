"""The way back end to end: real engines, the sample model, a real history; ``qtune serve`` as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from qtune.core.engine_facts import EngineRef
from qtune.core.incident import LadderStep
from qtune.core.ladder import RungKind
from qtune.core.settings import ServerSettings
from qtune.models.sample import SampleModel
from qtune.session.assembly import open_desk
from qtune.session.catalog import find_preset
from qtune.session.desk import Desk
from qtune.session.requests import LaunchRequest
from tests.fake_llama.make import make_fake_binary, make_fake_model
from tests.patience import until

DEADLINE_S = 120.0
STOP_S = 30.0  # ten are meant, on a machine that is free: benchmarks/supervision.py
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(url: str, key: str, tokens: int = 32) -> dict[str, Any]:
    """One chat completion of a program that knows nothing but the address and the key."""
    question = {"messages": [{"role": "user", "content": "Count from one to thirty in words."}]}
    return call(f"{url}/chat/completions", key, {**question, "max_tokens": tokens, "temperature": 0})


def call(url: str, key: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """JSON from the server."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    with LOCAL.open(urllib.request.Request(url, content, headers), timeout=DEADLINE_S) as answer:  # noqa: S310
        told: dict[str, Any] = json.load(answer)
    return told


# -- through the desk ------------------------------------------------------------------------------------


@pytest.fixture(params=["bundled", "genuine"])
def engine(request: pytest.FixtureRequest) -> EngineRef:
    """The bundled engine, and a genuine llama-server where QTUNE_TEST_LLAMA_SERVER names one."""
    if request.param == "bundled":
        found: EngineRef = request.getfixturevalue("bundled_engine")
        return found
    path = os.environ.get("QTUNE_TEST_LLAMA_SERVER")
    if not path:
        pytest.skip("QTUNE_TEST_LLAMA_SERVER names no llama-server")
    return EngineRef("binary", (path,), path, "chosen")


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    opened = open_desk(home)
    yield opened
    opened.close()


def balanced(desk: Desk, engine: EngineRef, model: SampleModel, ctx_size: int) -> LaunchRequest:
    base = ServerSettings().with_values({"ctx_size": ctx_size, "threads": 1})
    return LaunchRequest(
        engine, str(model.q8_0), find_preset(desk.presets, "balanced").apply(base), "balanced"
    )


def in_force(desk: Desk) -> tuple[bool, int, str]:
    """MTP, context and file, by what the server itself says and does, not by what we believe of it."""
    access = desk.server_access()
    assert access is not None
    assert access.key not in repr(access)
    answer = ask(access.url, access.key)
    assert answer["choices"][0]["message"]["content"]
    props = call(access.url.removesuffix("/v1") + "/props", access.key)
    drafted = answer["timings"].get("draft_n", 0) > 0
    return drafted, props["default_generation_settings"]["n_ctx"], Path(props["model_path"]).name


def steps_of(desk: Desk) -> list[LadderStep]:
    return desk.ladder_steps().result(DEADLINE_S)[::-1]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("asked_ctx", "lower_ctx"), [(8192, 4096), (4096, 2048)], ids=["from_8192", "from_4096"]
)
def test_down_to_the_small_file_and_up_again(
    desk: Desk, engine: EngineRef, sample_model: SampleModel, asked_ctx: int, lower_ctx: int
) -> None:
    large, small = sample_model.q8_0.name, sample_model.q4_0.name
    stages = [
        (True, asked_ctx, large),
        (False, asked_ctx, large),
        (False, lower_ctx, large),
        (False, lower_ctx, small),
    ]
    kinds: list[RungKind] = ["mtp_off", "context", "quantisation"]

    desk.start_server(balanced(desk, engine, sample_model, asked_ctx)).result(DEADLINE_S)
    assert in_force(desk) == stages[0]
    access = desk.server_access()
    view = desk.ladder()
    assert view is not None
    assert not view.lowered
    for number, kind in enumerate(kinds, 1):
        view = desk.ladder()
        assert view is not None
        assert view.below[0].rung.kind == kind
        desk.roll_back().result(DEADLINE_S)
        assert in_force(desk) == stages[number]
    view = desk.ladder()
    assert view is not None
    assert ([taken.rung.kind for taken in view.taken], view.state) == (kinds, "in_force")
    for number in (2, 1, 0):
        desk.climb_back().result(DEADLINE_S)
        assert in_force(desk) == stages[number]
    assert desk.server_access() == access or sys.platform == "win32"  # who uses the server finds it again

    steps = steps_of(desk)
    assert [(step.direction, step.kind) for step in steps] == [
        ("start", None), *(("down", kind) for kind in kinds), *(("up", kind) for kind in reversed(kinds)),
    ]  # fmt: skip
    assert all(step.verified and step.by == "user" and step.reason is None for step in steps)
    assert all(step.load_ms is not None and step.load_ms > 0 for step in steps)
    assert all(step.decode_tok_s is not None and step.decode_tok_s > 0 for step in steps)
    seen = [
        (step.after.settings.mtp, step.after.settings.ctx_size, Path(step.after.model_path).name)
        for step in steps
    ]
    assert seen == [*stages, *stages[2::-1]]
    assert desk.incidents().result(DEADLINE_S) == []


# -- qtune serve as a process ----------------------------------------------------------------------------


class Served:
    """``qtune serve`` in a process of its own; what it says is in files, so that no pipe fills."""

    def __init__(self, base: Path, *words: str, out: str = "first") -> None:
        base.mkdir(exist_ok=True)
        self.base = base
        self.out, self.err = base / f"{out}.out", base / f"{out}.err"
        command = [sys.executable, "-m", "qtune", "serve", *words, "--base-dir", str(base)]
        with self.out.open("wb") as stdout, self.err.open("wb") as stderr:
            self.app = subprocess.Popen(command, stdout=stdout, stderr=stderr)

    def access(self) -> tuple[str, str]:
        """Address and key, as soon as it has told them."""
        until(lambda: self._access() is not None or self.app.poll() is not None)
        assert self.app.poll() is None, self.said
        url, where = self._access() or ("", "")
        return url.removeprefix("URL "), self.key_file(where).read_text().strip()

    def _access(self) -> tuple[str, str] | None:
        # Where stdout is for the document, the address is told on stderr.
        lines = (self.out.read_text() + self.said).splitlines()
        urls = [line for line in lines if line.startswith("URL ")]
        files = [line for line in lines if line.startswith("API key in ")]
        return (urls[-1], files[-1]) if urls and files else None

    @property
    def document(self) -> dict[str, Any]:
        """What it printed in the end, with ``--json``."""
        found: dict[str, Any] = json.loads(self.out.read_text(encoding="utf-8"))
        return found

    @staticmethod
    def key_file(line: str) -> Path:
        path = Path(line.removeprefix("API key in "))
        if sys.platform != "win32":
            assert path.stat().st_mode & 0o777 == 0o600
        return path

    @property
    def said(self) -> str:
        return self.err.read_text(encoding="utf-8")

    def engine(self) -> psutil.Process | None:
        """The engine that runs now."""
        for process in engines_of(self.base):
            return process
        return None

    def ended(self, number: int = signal.SIGINT) -> int:
        """Exit code after a signal."""
        began = time.monotonic()
        self.app.send_signal(number)
        code = self.app.wait(timeout=DEADLINE_S)
        assert time.monotonic() - began < STOP_S
        assert engines_of(self.base) == []
        assert not (self.base / "state" / f"serve-{self.app.pid}.key").exists()
        return code


def engines_of(base: Path) -> list[psutil.Process]:
    """Engines that run with a model or a configuration folder of this home; neither guards nor zombies."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or []
        if "--port" not in words or "--guard" in words or process.info["status"] == psutil.STATUS_ZOMBIE:
            continue
        with suppress(psutil.Error):
            if any(str(base) in word for word in (*words, *process.environ().values())):
                found.append(process)
    return found


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    started = []

    def start(*words: str, base: Path | None = None, out: str = "first") -> Served:
        started.append(Served(base or tmp_path / "home", *words, out=out))
        return started[-1]

    yield start
    for served in started:
        if served.app.poll() is None:
            served.app.kill()
            served.app.wait()


def told(base: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Exit code and document of a command that ends by itself."""
    command = [sys.executable, "-m", "qtune", *words, "--base-dir", str(base), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    return done.returncode, json.loads(done.stdout)


SAMPLE = ("--sample", "--set", "threads=1")


@pytest.mark.engine
@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
def test_serve_the_sample_until_ctrl_c(serve: Callable[..., Served], home: Path) -> None:
    served = serve(*SAMPLE, base=home)
    url, key = served.access()
    answer = ask(url, key, 16)
    assert answer["timings"]["draft_n"] > 0
    assert not any(key in word for p in psutil.process_iter(["cmdline"]) for word in p.info["cmdline"] or [])
    assert key not in served.said + served.out.read_text()
    assert served.ended(signal.SIGINT) == 0

    code, document = told(home, "ladder")
    result = document["result"]
    assert code == 0
    assert [rung["kind"] for rung in result["rungs"]] == ["mtp_off", "context", "quantisation"]
    assert (result["stale"], result["running"], result["incidents"]) == (None, [], [])
    assert result["last_good"]["settings"]["mtp"] is True
    assert [(s["direction"], s["verified"]) for s in result["steps"]] == [("start", True)]


@pytest.mark.engine
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_an_engine_that_is_killed_is_back_by_itself(serve: Callable[..., Served], home: Path) -> None:
    served = serve(*SAMPLE, base=home)
    access = served.access()
    first = served.engine()
    assert first is not None
    first.kill()
    until(lambda: (now := served.engine()) is not None and now.pid != first.pid)
    until(lambda: served.said.count("In force: ") == 2)
    assert served.access() == access
    assert ask(*access, 16)["choices"]
    assert served.ended(signal.SIGTERM) == 0

    result = told(home, "ladder")[1]["result"]
    (incident,) = result["incidents"]
    assert incident["cause"] == "killed"
    assert incident["action"]["code"] == "recovery_retry"
    assert [(s["direction"], s["by"]) for s in result["steps"]] == [("retry", "automatic"), ("start", "user")]


@pytest.mark.engine
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_itself_it_leaves_no_engine_and_explains_at_the_next_start(
    serve: Callable[..., Served], home: Path
) -> None:
    served = serve(*SAMPLE, base=home)
    served.access()
    assert served.engine() is not None
    served.app.kill()
    served.app.wait()
    until(lambda: engines_of(home) == [])

    result = told(home, "ladder")[1]["result"]
    assert (result["stale"]["phase"], result["stale"]["preset"]) == ("running", "balanced")
    assert result["last_good"] is None
    code, document = told(home, "serve")
    assert (code, document["error"]["code"]) == (1, "no_other_good")

    below = serve("--roll-back", base=home)
    url, key = below.access()
    assert "went down while a server ran (balanced" in below.said
    assert ask(url, key, 16)["timings"].get("draft_n", 0) == 0
    assert below.ended() == 0
    after = told(home, "ladder")[1]["result"]
    assert after["stale"] is None
    assert after["asked"]["settings"]["mtp"] is True
    assert after["last_good"]["settings"]["mtp"] is False
    assert (after["steps"][0]["direction"], after["steps"][0]["kind"]) == ("down", "mtp_off")


# -- with a false engine, for what a real one does not do on request ------------------------------------


def false_engine(folder: Path, **switches: Any) -> tuple[str, ...]:
    """The words that name a false engine and its model."""
    binary, model = make_fake_binary(folder, **switches), make_fake_model(folder)
    return "--engine", str(binary), "--model", str(model)


def test_nothing_to_serve_is_one_sentence(tmp_path: Path) -> None:
    code, document = told(tmp_path, "serve")
    assert (code, document["error"]["code"]) == (1, "no_last_good")
    assert document["result"] == {"ladder": None, "incidents": [], "steps": []}
    words = [sys.executable, "-m", "qtune", "serve", "--base-dir", str(tmp_path)]
    for wrong in (("--ctx", "4096"), ("--sample", "--model", "x.gguf"), ("--sample", "--set", "threads")):
        done = subprocess.run([*words, *wrong], capture_output=True, timeout=DEADLINE_S, check=False)
        assert done.returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
def test_stopped_before_it_was_ready(serve: Callable[..., Served], tmp_path: Path) -> None:
    served = serve(*false_engine(tmp_path, hang_at_load=True), "--json")
    until(lambda: "Server: loading" in served.said)
    assert served.ended() == 130
    assert served.document["error"]["code"] == "serve_cancelled"
    assert served.document["result"]["ladder"]["state"] == "starting"
    assert served.document["result"]["incidents"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
def test_what_does_not_fit_is_lowered_and_said(serve: Callable[..., Served], tmp_path: Path) -> None:
    engine = false_engine(tmp_path, oom_at_load=True, when_mtp=True)
    served = serve(*engine, "--preset", "balanced", "--keep", "--json")
    served.access()
    until(lambda: "Kept as your default: balanced" in served.said)
    assert served.ended() == 0
    ladder = served.document["result"]["ladder"]
    assert ladder["asked"]["settings"]["mtp"] is True
    assert ladder["current"]["settings"]["mtp"] is False
    assert [taken["kind"] for taken in ladder["taken"]] == ["mtp_off"]
    assert ladder["why"]["code"] == "ended_out_of_memory"
    (incident,) = served.document["result"]["incidents"]
    assert incident["cause"] == "memory"
    assert "out of memory" in incident["evidence"]
    steps = served.document["result"]["steps"]
    assert [(s["direction"], s["kind"], s["verified"]) for s in steps] == [
        ("start", None, False), ("down", "mtp_off", True),
    ]  # fmt: skip
    assert "Lower than asked for (balanced" in served.said

    again = serve(*engine, "--preset", "balanced", "--no-rollback")
    assert again.app.wait(timeout=DEADLINE_S) == 1
    assert "failed before with this engine and model" in again.said
    assert "Automatic rollback is off" in again.said
    (line,) = [line for line in again.said.splitlines() if line.startswith("All that the engine printed: ")]
    assert "out of memory" in Path(line.partition(": ")[2]).read_text(encoding="utf-8", errors="replace")


@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
def test_a_default_that_cannot_be_written_is_told_and_the_server_runs(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    home = tmp_path / "in the way"
    (home / "state").mkdir(parents=True)
    (home / "state" / "trials").write_text("")
    served = serve(*false_engine(tmp_path), "--keep", base=home)
    served.access()
    assert "Not kept as your default: The folder" in served.said
    assert "Kept as your default:" not in served.said.replace("Not kept as", "")
    assert served.ended() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
def test_without_rollback_the_end_of_the_engine_is_the_end(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    served = serve(*false_engine(tmp_path), "--no-rollback", "--json")
    served.access()
    engine = served.engine()
    assert engine is not None
    engine.kill()
    assert served.app.wait(timeout=DEADLINE_S) == 1
    assert served.document["error"]["code"] == "ended_killed"
    assert served.document["result"]["ladder"]["state"] == "failed"
    assert served.document["result"]["incidents"][0]["action"]["code"] == "recovery_not_automatic"
    assert list((served.base / "state").glob("*.key")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
def test_the_default_goes_before_what_last_worked_and_safe_mode_before_both(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    engine = false_engine(tmp_path)
    for words in (("--preset", "balanced", "--keep"), ("--preset", "off")):
        served = serve(*engine, *words)
        served.access()
        assert served.ended() == 0
        assert ("Kept as your default: " in served.said) == ("--keep" in words)
    served = serve("--json")
    served.access()
    assert served.ended() == 0
    assert served.document["result"]["ladder"]["asked"]["preset"] == "balanced"
    assert served.document["result"]["ladder"]["taken"] == []

    served = serve("--safe-mode", "--json")
    served.access()
    assert served.ended() == 0
    ladder = served.document["result"]["ladder"]
    assert ladder["asked"]["settings"]["mtp"] is True
    assert ladder["current"]["settings"]["mtp"] is False
    assert ladder["why"]["code"] == "safe_mode"


@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
def test_two_terminals_one_killed_and_the_other_is_what_worked(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    engine, base = false_engine(tmp_path), tmp_path / "home"
    calm = serve(*engine, "--preset", "balanced")
    calm.access()
    killed = serve(*engine, "--preset", "aggressive", out="second")
    assert killed.access() != calm.access()
    running = told(base, "ladder")[1]["result"]["running"]
    assert {trial["preset"] for trial in running} == {"balanced", "aggressive"}
    killed.app.kill()
    killed.app.wait()
    assert calm.ended() == 0

    again = serve("--json", out="third")
    again.access()
    assert "went down while a server ran (aggressive" in again.said
    assert "Starting the last settings that worked: balanced" in again.said
    assert again.ended() == 0
    assert again.document["result"]["ladder"]["asked"]["preset"] == "balanced"
    after = told(base, "ladder")[1]["result"]
    assert list((base / "state").glob("*.key")) == []
    assert (after["stale"], after["known_bad"]) == (
        None,
        [],
    )  # explained; it had worked before it was cut off
    assert after["last_good"]["preset"] == "balanced"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_in_mid_launch_the_combination_is_remembered(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    served = serve(*false_engine(tmp_path, hang_at_load=True))
    until(lambda: "Server: loading" in served.said)
    served.app.kill()
    served.app.wait()
    result = told(tmp_path / "home", "ladder")[1]["result"]
    assert (result["stale"]["phase"], result["stale"]["preset"]) == ("launching", "balanced")
    assert [bad["settings"] for bad in result["known_bad"]] == [result["stale"]["settings"]]
    assert told(tmp_path / "home", "serve")[1]["error"]["code"] == "no_other_good"
