from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from qtune.host.leftovers import end_leftovers, find_leftovers, forget_engine, remember_engine

SLEEP = [sys.executable, "-c", "import time; time.sleep(300)"]
DEAD_OWNER = {"owner_pid": 4_000_000, "owner_start_s": 1.0}


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(SLEEP) as process:
        yield process
        process.kill()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "leftovers.json"


def edit(file: Path, **changes: Any) -> None:
    entries = json.loads(file.read_text(encoding="utf-8"))
    for entry in entries:
        entry.update(changes)
    file.write_text(json.dumps(entries), encoding="utf-8")


def test_engine_of_a_dead_app_is_ended(sleeper: subprocess.Popen[bytes], file: Path) -> None:
    remember_engine(file, sleeper.pid, 8080)
    assert find_leftovers(file) == ()  # its owner, this process, is alive
    edit(file, **DEAD_OWNER)
    (found,) = find_leftovers(file)
    assert (found.pid, found.port) == (sleeper.pid, 8080)
    assert [trace.pid for trace in end_leftovers(file)] == [sleeper.pid]
    assert not psutil.pid_exists(sleeper.pid)
    assert json.loads(file.read_text(encoding="utf-8")) == []


def test_owner_number_given_to_another_process_does_not_protect(
    sleeper: subprocess.Popen[bytes], file: Path
) -> None:
    remember_engine(file, sleeper.pid, 0)
    edit(file, owner_start_s=psutil.Process().create_time() - 100)
    assert [trace.pid for trace in find_leftovers(file)] == [sleeper.pid]


@pytest.mark.parametrize(
    "mismatch",
    [lambda real: {"start_s": real.create_time() - 10}, lambda _: {"exe": "/opt/llama-server"}],
    ids=["start time", "program"],
)
def test_number_that_names_a_stranger_is_left_alone(
    sleeper: subprocess.Popen[bytes], file: Path, mismatch: Callable[[psutil.Process], dict[str, Any]]
) -> None:
    remember_engine(file, sleeper.pid, 0)
    edit(file, **DEAD_OWNER, **mismatch(psutil.Process(sleeper.pid)))
    assert find_leftovers(file) == ()
    assert end_leftovers(file) == ()
    assert sleeper.poll() is None
    assert json.loads(file.read_text(encoding="utf-8")) == []


def test_engine_of_another_window_is_left_alone_and_stays_noted(
    sleeper: subprocess.Popen[bytes], file: Path
) -> None:
    remember_engine(file, sleeper.pid, 8080)
    assert end_leftovers(file) == ()
    assert sleeper.poll() is None
    assert len(json.loads(file.read_text(encoding="utf-8"))) == 1
    forget_engine(file, sleeper.pid)
    assert json.loads(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "content", ["", "{", "\0\0", "{}", "7", '[1, null, {"pid": 1}, {"pid": 1e400}]', '[{"pid": "x"}]']
)
def test_damaged_file_means_nothing_is_known(file: Path, content: str) -> None:
    file.write_text(content, encoding="utf-8")
    assert find_leftovers(file) == ()
    assert end_leftovers(file) == ()


@pytest.mark.expect_log("WARNING qtune.host")
def test_note_that_cannot_be_written_stops_nobody(sleeper: subprocess.Popen[bytes], tmp_path: Path) -> None:
    remember_engine(tmp_path / "nowhere" / "leftovers.json", sleeper.pid, 0)
