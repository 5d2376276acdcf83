"""Two copies of the program on one set of folders; one that stands still; one whose disk is full."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from qtune.host.paths import app_paths
from tests.fake_llama.make import make_fake_binary, make_fake_model
from tests.patience import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals to another process")
REPO = Path(__file__).resolve().parents[2]
STILL_S = 3.0


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


# -- two windows ----------------------------------------------------------------------------------------


@contextmanager
def window(base: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "qtune", "--base-dir", str(base)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=REPO,
    )  # fmt: skip
    try:
        yield process
    finally:
        end(process)


def is_up(process: subprocess.Popen[str], base: Path) -> bool:
    """Whether the window answers: it has come up and found its engines."""
    assert process.poll() is None, process.communicate()[1]
    return (base / "cache" / "engines.json").exists() and (base / "state" / "instance.json").exists()


def test_a_second_window_raises_the_first_and_after_a_kill_the_next_one_opens(tmp_path: Path) -> None:
    base = tmp_path / "home"
    with window(base) as first:
        until(lambda: is_up(first, base))
        with window(base) as second:
            _, said = second.communicate(timeout=120)
        assert (second.returncode, said) == (0, "")  # 0 is said only when the first has answered
        assert first.poll() is None
        first.kill()
        first.wait()
    assert (base / "state" / "instance.json").exists()  # what it left behind names nobody
    (base / "cache" / "engines.json").unlink()
    with window(base) as third:
        until(lambda: is_up(third, base))
        third.terminate()
        _, said = third.communicate(timeout=120)
    assert third.returncode == 0, said
    assert "Traceback" not in said


# -- two terminals --------------------------------------------------------------------------------------


def measure(base: Path, engine: Path, model: Path, runs: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable, "-m", "qtune", "measure", "--model", str(model), "--engine", str(engine),
            "--preset", "off", "--preset", "balanced", "--runs", str(runs), "--json", "--base-dir", str(base),
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPO,
    )  # fmt: skip


def test_two_terminals_with_one_history(tmp_path: Path) -> None:
    base, model = tmp_path / "home", make_fake_model(tmp_path)
    engines = [make_fake_binary(tmp_path / name, itl_ms=4, tokens=60) for name in ("one", "two")]
    both = [measure(base, engine, model, 6) for engine in engines]
    try:
        answers = [process.communicate(timeout=120) for process in both]
    finally:
        for process in both:
            end(process)

    told = [json.loads(out)["result"] for out, _ in answers]
    assert [process.returncode for process in both] == [0, 0], [said for _, said in answers]
    began = [run["started_utc"] for result in told for run in result["runs"]]
    assert len(began) == 4
    with closing(sqlite3.connect(app_paths(base).database_file)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        stored = database.execute(
            "SELECT runs.id, runs.status, count(*) FROM requests JOIN runs ON runs.key = requests.run_key "
            "GROUP BY runs.id"
        ).fetchall()
    asked: dict[str, int] = {}
    for result in told:
        for request in result["requests"]:
            asked[request["run_id"]] = asked.get(request["run_id"], 0) + 1
    assert {(run, "done", count) for run, count in asked.items()} == set(stored)
    assert len(stored) == 4
    assert list(app_paths(base).trials.glob("trial-*.json")) == []


# -- one that stands still, one whose folders cannot be written --------------------------------------------


APP = """
import os, resource, sys
from pathlib import Path
from qtune.core.errors import KnownError
from qtune.core.events import Notice, ServerChanged
from qtune.core.engine_facts import EngineRef
from qtune.core.settings import ServerSettings
from qtune.session.assembly import open_desk
from qtune.session.requests import LaunchRequest

def say(*words):
    os.write(1, (" ".join(map(str, words)) + chr(10)).encode())

def hear(event):
    if isinstance(event, ServerChanged):
        say("server", event.state.value)
    if isinstance(event, Notice):
        say("notice", event.message.code)

base, engine, model = sys.argv[1:]
desk = open_desk(Path(base))
desk.subscribe(hear)
ref = EngineRef("binary", (engine,), engine, "chosen")
for line in sys.stdin:
    order = line.strip()
    try:
        if order == "start":
            desk.start_server(LaunchRequest(ref, model, ServerSettings(ctx_size=4096), "off")).result(120)
        elif order == "fill the disk":
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        else:
            desk.stop_server().result(120)
        say("did", order)
    except KnownError as error:
        say("refused", error.code)
desk.close()
say("closed")
"""


class App:
    """A desk in a process of its own that does what it is told and says what it hears."""

    def __init__(self, base: Path, engine: Path, model: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", APP, str(base), str(engine), str(model)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPO,
        )  # fmt: skip
        self.said: list[str] = []

    def order(self, word: str) -> str:
        """Have it done; what it says at the end of it."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        return self._until("did", "refused")

    def leave(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self._until("closed") == "closed"
        return self.process.wait(120)

    def _until(self, *first_words: str) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.strip())
            if line.split()[0] in first_words:
                return self.said[-1]
        raise AssertionError(f"it ended: {self.said}")


@contextmanager
def app(tmp_path: Path, **switches: Any) -> Iterator[App]:
    one = App(tmp_path / "home", make_fake_binary(tmp_path, **switches), make_fake_model(tmp_path))
    try:
        yield one
    finally:
        one.process.kill()
        one.process.wait()
        for pipe in (one.process.stdin, one.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.mark.parametrize("whole_computer", [False, True], ids=["the app alone", "as in a sleep"])
def test_an_app_that_stood_still_finds_its_server_well(tmp_path: Path, *, whole_computer: bool) -> None:
    """While the app stands still the engine fills its pipe and blocks; nothing of that is a failure."""
    with app(tmp_path, flood_log=20_000) as one:
        assert one.order("start") == "did start"
        family = [psutil.Process(one.process.pid)]
        if whole_computer:
            family += family[0].children(recursive=True)
        for process in family:
            process.suspend()
        time.sleep(STILL_S)
        for process in reversed(family):
            process.resume()
        time.sleep(1.0)  # what could be concluded wrongly would be by now
        assert one.order("stop") == "did stop"
        assert one.order("start") == "did start"
        assert one.leave() == 0
        states = [line.split()[1] for line in one.said if line.startswith("server")]
        assert states == [*["starting", "loading", "ready", "stopping", "stopped"] * 2]
        assert not [line for line in one.said if line.startswith("notice")]


def test_a_note_that_cannot_be_written_is_told_and_the_server_runs(tmp_path: Path) -> None:
    trials = app_paths(tmp_path / "home").trials
    with app(tmp_path) as one:
        until(trials.parent.exists)
        trials.write_text("in the way", encoding="utf-8")
        assert one.order("start") == "did start"
        assert "notice trial_not_noted" in one.said
        assert one.leave() == 0
    assert trials.read_text(encoding="utf-8") == "in the way"


def test_a_full_disk_stops_no_server_and_keeps_none_from_starting(tmp_path: Path) -> None:
    """Not a byte can be written any more: no note, no step in the history, no log. The server runs."""
    with app(tmp_path) as one:
        assert one.order("start") == "did start"
        assert one.order("fill the disk") == "did fill the disk"
        assert one.order("stop") == "did stop"
        assert one.order("start") == "did start"
        states = [line.split()[1] for line in one.said if line.startswith("server")]
        assert states[-1] == "ready"
        assert "crashed" not in states
        assert "notice trial_not_noted" in one.said
        assert [line for line in one.said if line.startswith("notice history_")]
        assert one.leave() == 0


CUT = '[{"model_path": "/m.gguf", "preset": "off", "sett'


@pytest.mark.parametrize("contents", [["", CUT, "[]", "{"], ["\0" * 2048, "null", CUT[1:], "\0"]])
def test_notes_cut_short_hinder_no_start(tmp_path: Path, contents: list[str]) -> None:
    trials = app_paths(tmp_path / "home").trials
    trials.mkdir(parents=True)
    names = ["trial-1-deadbeef.json", "good.json", "bad.json", "default.json"]
    for name, content in zip(names, contents, strict=True):
        (trials / name).write_text(content, encoding="utf-8")
    with app(tmp_path) as one:
        assert one.order("start") == "did start"
        assert one.leave() == 0
    no_lists = [name for name, content in zip(names, contents, strict=True) if content != "[]"][1:]
    told = [line for line in one.said if line.startswith("notice")]
    assert told == ["notice trials_damaged"] * len(no_lists)
    aside = {path.name.partition(".damaged-")[0]: path.read_bytes() for path in trials.glob("*.damaged-*")}
    assert aside == {name: contents[names.index(name)].encode() for name in no_lists}
    (good,) = json.loads((trials / "good.json").read_text(encoding="utf-8"))
    assert good["preset"] == "off"
