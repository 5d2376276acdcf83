"""The engine's output on disk: complete, bounded, and never in anybody's way."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import IO

import pytest

from qtune.host import engine_log
from qtune.host.engine_log import EngineLog


def test_every_line_is_kept_in_order(tmp_path: Path) -> None:
    log = EngineLog(tmp_path / "engine.log")
    log.keep(["one", "zwei \N{LINE SEPARATOR} drei"])
    log.keep(["four"])
    log.close()
    log.keep(["too late"])
    assert log.file.read_text(encoding="utf-8").split("\n") == ["one", "zwei \u2028 drei", "four", ""]
    if sys.platform != "win32":
        assert log.file.stat().st_mode & 0o077 == 0


def test_a_second_session_goes_on_where_the_first_ended(tmp_path: Path) -> None:
    for word in ("first", "second"):
        log = EngineLog(tmp_path / "engine.log")
        log.keep([word])
        log.close()
    assert log.file.read_text() == "first\nsecond\n"


def test_two_files_at_most_lie_on_disk(tmp_path: Path) -> None:
    log = EngineLog(tmp_path / "engine.log", most_bytes=1000)
    for number in range(400):
        log.keep([f"line {number:04}"])
    log.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["engine.1.log", "engine.log"]
    lines = (log.older_file.read_text() + log.file.read_text()).splitlines()
    assert lines == [f"line {number:04}" for number in range(400 - len(lines), 400)]
    assert len(lines) >= 100
    assert log.older_file.stat().st_size < 1100


def test_nobody_waits_for_a_slow_disk_and_the_file_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_log, "MOST_WAITING", 3)
    log, answers = EngineLog(tmp_path / "engine.log"), threading.Event()
    really_open = log._open

    def late() -> IO[bytes]:
        answers.wait(30)
        return really_open()

    monkeypatch.setattr(log, "_open", late)
    for number in range(10):
        log.keep([f"line {number}", "and its end"])
    answers.set()
    log.close()
    kept = log.file.read_text().splitlines()
    assert kept[::2][:3] == ["line 0", "line 1", "line 2"]
    assert kept[-1] == "[14 lines left out: the disk was too slow]"


@pytest.mark.expect_log("not written to disk")
def test_without_a_folder_nothing_is_kept_and_nobody_is_held_up(tmp_path: Path) -> None:
    log = EngineLog(tmp_path / "gone" / "engine.log")
    log.keep(["lost"])
    log.close()
    log.keep(["lost, too"])
