"""Real processes: killed while writing, writing together, out of disk."""

from __future__ import annotations

import os
import queue
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.store.history import open_history

HERE = Path(__file__).parent
WAIT_S = 40


class Child:
    """One process writing a run, and the lines it says."""

    def __init__(self, database: Path, run_id: str, count: int, burst: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "writing_child.py"), str(database), run_id, str(count), str(burst)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, name="child-lines")
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.strip())

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(WAIT_S)

    def rest(self) -> list[str]:
        """All lines not taken yet, once the process has ended."""
        self._listener.join(WAIT_S)
        assert not self._listener.is_alive()
        found = []
        while not self.lines.empty():
            found.append(self.lines.get())
        return found

    def close(self) -> None:
        self.kill()
        self._listener.join(WAIT_S)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@contextmanager
def writing(database: Path, run_id: str, count: int, burst: int = 1) -> Iterator[Child]:
    child = Child(database, run_id, count, burst)
    try:
        yield child
    finally:
        child.close()


def is_sound(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as raw:
        sound = raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return sound and raw.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(("said_before_death", "burst"), [(3, 1), (150, 40), (90, 7)])
def test_killed_while_writing_loses_nothing_that_was_acknowledged(
    database: Path, backups: Path, made: ModuleType, said_before_death: int, burst: int
) -> None:
    with writing(database, "r1", 10**9, burst) as child:
        assert child.lines.get(timeout=WAIT_S) == "running"
        child.go()
        said = [child.lines.get(timeout=WAIT_S) for _ in range(said_before_death)]
        child.kill()
        said += child.rest()
    with open_history(database, backups) as history:
        assert history.notices == (Message.of("runs_interrupted", count=1),)
        (run,) = history.reader.runs()
        assert (run.status, run.failure, run.ended_utc) == (
            RunStatus.INTERRUPTED,
            Message.of("app_ended"),
            None,
        )
        requests = history.reader.requests("r1")
        # The last line may be cut by the kill; every whole one was acknowledged.
        assert {int(line) for line in said[:said_before_death]} <= {request.index for request in requests}
        assert len(requests) >= len(said) - 1
        assert [request.index for request in requests] == list(range(len(requests)))
        assert requests[-1].times == made.full_request().times
    assert is_sound(database)
    with open_history(database, backups) as history:
        assert history.notices == ()


def test_two_processes_begin_and_write_one_history_together(database: Path, backups: Path) -> None:
    count = 120
    with writing(database, "a", count, 3) as one, writing(database, "b", count, 3) as other:
        for child in (one, other):
            assert child.lines.get(timeout=WAIT_S) == "running"
        # Both live: nobody's run is taken for a left-over one.
        with open_history(database, backups) as history:
            assert history.notices == ()
            assert {run.status for run in history.reader.runs()} == {RunStatus.RUNNING}
            for child in (one, other):
                child.go()
            for child in (one, other):
                assert child.process.wait(WAIT_S) == 0
                assert child.rest() == [str(number) for number in range(count)]
            assert {run.status for run in history.reader.runs()} == {RunStatus.DONE}
            assert [len(history.reader.requests(run)) for run in "ab"] == [count, count]
    assert is_sound(database)


def test_a_process_id_used_again_does_not_keep_a_run_alive(
    database: Path, backups: Path, made: ModuleType
) -> None:
    with open_history(database, backups) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.bare_run("r1"))
        history.writer.add_run(made.full_run("r2"))
    with closing(sqlite3.connect(database)) as raw, raw:
        assert raw.execute("UPDATE runs SET owner_started = owner_started - 60").rowcount == 2
        assert raw.execute("SELECT DISTINCT owner_pid FROM runs").fetchall() == [(os.getpid(),)]
    with open_history(database, backups) as history:
        assert history.notices == (Message.of("runs_interrupted", count=1),)
        assert [run.status for run in history.reader.runs(newest_first=False)] == [
            RunStatus.INTERRUPTED,
            RunStatus.FAILED,
        ]


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX does")
@pytest.mark.parametrize(("limit", "expected"), [(8192, "history_not_writable"), (400_000, "requests")])
def test_a_full_disk_is_a_sentence_and_what_is_stored_stays(
    database: Path, limit: int, expected: str
) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "full_disk_child.py"), str(database), str(limit)],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    if expected != "requests":
        assert done.stdout.split() == [expected]
        return
    code, acknowledged, read = done.stdout.split()
    assert code == "history_not_writable"
    assert int(acknowledged) == int(read) > 0
    assert is_sound(database)
