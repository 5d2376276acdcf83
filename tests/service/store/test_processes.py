"""Real processes: killed while writing, writing together, out of disk."""

from __future__ import annotations

import os
import queue
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.store.history import open_history

HERE = Path(__file__).parent
WAIT_S = 120


class Child:
    """One process, and the lines it says."""

    def __init__(self, script: str, *words: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / script), *map(str, words)],
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
def running(script: str, *words: object) -> Iterator[Child]:
    child = Child(script, *words)
    try:
        yield child
    finally:
        child.close()


def writing(
    database: Path, run_id: str, count: int, burst: int = 1, *more: str
) -> AbstractContextManager[Child]:
    return running("writing_child.py", database, run_id, count, burst, *more)


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
def test_a_full_disk_is_a_sentence_and_what_was_acknowledged_stays(
    database: Path, backups: Path, limit: int, expected: str
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
    code, acknowledged, pending = done.stdout.split()
    assert code == "history_not_writable"
    assert int(acknowledged) > 0
    assert int(pending) > 1
    with open_history(database, backups) as history:
        assert history.notices[0].code == "history_read_in"
        stored = len(history.reader.requests("r1"))
    # The one that was refused may have found room at the end; nothing that was acknowledged is missing.
    assert stored - int(acknowledged) in {0, 1}
    assert is_sound(database)


# -- a room of its own: folders that nobody outside sees ---------------------------------------------------

_UNSHARE = ("unshare", "--mount") if sys.platform == "linux" and os.getuid() == 0 else ("unshare", "-rm")


def in_own_mounts(commands: str, *words: object) -> str:
    """What a shell says that may mount file systems, which are gone with it; ``$1`` is the first word."""
    may = sys.platform == "linux" and shutil.which("unshare") is not None
    tried = [*_UNSHARE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if not may or subprocess.run(tried, capture_output=True, check=False, timeout=WAIT_S).returncode:
        pytest.skip("no mounts of its own are allowed here")
    done = subprocess.run(
        [*_UNSHARE, "sh", "-ec", commands, "sh", *map(str, words)],
        stdout=subprocess.PIPE,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    return done.stdout.strip()


def test_a_disk_that_was_full_for_a_while_has_every_row_in_the_end(tmp_path: Path) -> None:
    mount = 'mount -t tmpfs -o size=1m tmpfs "$1"; exec "$2" "$3" "$1"'
    said = in_own_mounts(mount, tmp_path, sys.executable, HERE / "small_disk_child.py")
    assert said.split() == [
        "refused=True",
        "waited=True",
        "all=True",
        "history_pending",
        "history_caught_up",
        "qtune.db",
    ]


def test_a_history_on_a_read_only_disk_is_a_sentence_and_stays_as_it_is(
    database: Path, backups: Path, made: ModuleType
) -> None:
    with open_history(database, backups) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.bare_run(status=RunStatus.DONE))
    before = database.read_bytes()
    program = (
        "import sys; from pathlib import Path; from qtune.core.errors import KnownError;"
        "from qtune.store.history import open_history\n"
        "try: open_history(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "except KnownError as error: print(error.code)"
    )
    mount = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; exec "$2" -c "$3" "$4" "$5"'
    said = in_own_mounts(mount, database.parent, sys.executable, program, database, backups)
    assert said == "history_not_writable"
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == ["qtune.db"]


# -- locked by another program -------------------------------------------------------------------------------


def test_a_lock_of_three_seconds_only_delays_a_row(database: Path, backups: Path, made: ModuleType) -> None:
    with open_history(database, backups) as history:
        told: list[Message] = []
        history.writer.watch(told.append)
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.bare_run("r1")).result(WAIT_S)
        with running("locking_child.py", database) as locker:
            assert locker.lines.get(timeout=WAIT_S) == "locked"
            timer = threading.Timer(3.0, locker.go)
            timer.start()
            future = history.writer.add_request(made.full_request())
            assert history.reader.requests("r1") == []
            assert timer.is_alive(), "read while it was locked"
            future.result(WAIT_S)
            timer.join()
        assert history.reader.requests("r1") == [made.full_request()]
        assert told == []


@pytest.mark.parametrize("burst", [1, 8])
def test_killed_while_rows_wait_beside_a_locked_history_loses_nothing(
    database: Path, backups: Path, made: ModuleType, burst: int
) -> None:
    with writing(database, "r1", 10**9, burst, "hasty") as child:
        assert child.lines.get(timeout=WAIT_S) == "running"
        with running("locking_child.py", database) as locker:
            assert locker.lines.get(timeout=WAIT_S) == "locked"
            child.go()
            said = {int(child.lines.get(timeout=WAIT_S)) for _ in range(50)}
            child.kill()
    with open_history(database, backups) as history:
        read_in, interrupted = history.notices
        assert interrupted == Message.of("runs_interrupted", count=1)
        requests = history.reader.requests("r1")
        assert read_in == Message.of("history_read_in", count=len(requests))
        assert said <= {request.index for request in requests}
        assert requests[-1].times == made.full_request().times
    assert is_sound(database)
    assert not list(database.parent.glob("qtune.db.*"))


# -- many ----------------------------------------------------------------------------------------------------


def test_two_processes_store_a_hundred_runs_each(database: Path, backups: Path) -> None:
    with (
        running("runs_child.py", database, "a", 100) as one,
        running("runs_child.py", database, "b", 100) as two,
    ):
        assert [child.process.wait(WAIT_S) for child in (one, two)] == [0, 0]
    with open_history(database, backups) as history:
        assert history.notices == ()
        assert history.reader.counts().runs == 200
        assert {len(history.reader.requests(f"{name}-{n}")) for name in "ab" for n in range(100)} == {1}
    assert is_sound(database)


def test_ten_deaths_at_random_moments_lose_no_acknowledged_row(database: Path, backups: Path) -> None:
    chance = random.Random(5)  # noqa: S311
    for number in range(10):
        run_id = f"r{number}"
        with writing(database, run_id, 10**9, chance.choice((1, 5, 60))) as child:
            assert child.lines.get(timeout=WAIT_S) == "running"
            child.go()
            timer = threading.Timer(chance.uniform(0.0, 0.4), child.process.kill)
            timer.start()
            child.process.wait(WAIT_S)
            timer.join()
            said = child.rest()
        with open_history(database, backups) as history:
            assert history.notices == (Message.of("runs_interrupted", count=1),)
            stored = [request.index for request in history.reader.requests(run_id)]
        assert stored == list(range(len(stored)))
        # The last line may be cut by the death.
        assert {int(line) for line in said[:-1]} <= set(stored)
        assert is_sound(database)
