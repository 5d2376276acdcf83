"""Rows that the database does not take at the moment: kept, told of, tried again, read in later."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import psutil
import pytest
from sqlalchemy import Connection, event

from qtune.core.errors import BugError, KnownError
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.store import sqlite, waiting, writer
from qtune.store.history import History, open_history
from qtune.store.spool import Spool
from tests.patience import until

WAIT_S = 120
LOCKED = "cannot be written"


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times in which a test need not wait."""
    monkeypatch.setattr(sqlite, "_BUSY_MS", 50)
    monkeypatch.setattr(waiting, "_PATIENCE_S", 0.2)
    monkeypatch.setattr(waiting, "_PAUSES_S", (0.05,))


@contextmanager
def locked(database: Path) -> Iterator[None]:
    with closing(sqlite3.connect(database, isolation_level=None)) as raw:
        raw.execute("BEGIN EXCLUSIVE")
        yield
        raw.execute("ROLLBACK")


def beside(database: Path) -> list[Path]:
    return sorted(path for path in database.parent.iterdir() if ".pending-" in path.name)


@pytest.fixture
def measuring(history: History, made: ModuleType) -> History:
    """A history with a run whose requests come in."""
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(made.full_run()).result(WAIT_S)
    return history


@pytest.mark.expect_log(LOCKED)
def test_rows_wait_on_disk_while_the_history_is_locked_and_are_stored_in_order_afterwards(
    measuring: History, database: Path, made: ModuleType
) -> None:
    told: list[Message] = []
    measuring.writer.watch(told.append)
    with locked(database):
        futures = [measuring.writer.add_request(made.full_request(index=index)) for index in range(3)]
        futures.append(measuring.writer.update_run(replace(made.full_run(), status=RunStatus.DONE)))
        futures.append(measuring.writer.flush())
        for future in futures:
            future.result(WAIT_S)
        # Once rows go beside, the next one does not have to run out of patience again.
        began_s = time.monotonic()
        measuring.writer.add_incident(made.incident()).result(WAIT_S)
        assert time.monotonic() - began_s < 4
        assert measuring.writer.pending == 5
        assert measuring.reader.requests("r1") == []
        (file,) = beside(database)
        assert len(file.read_bytes().splitlines()) == 5
        (pending,) = told
        assert (pending.code, dict(pending.params)["reason"]) == ("history_pending", "database is locked")
    until(lambda: measuring.writer.pending == 0)
    until(lambda: len(told) == 2)
    assert told[1] == Message.of("history_caught_up", path=str(database))
    assert measuring.reader.requests("r1") == [made.full_request(index=index) for index in range(3)]
    run = measuring.reader.run("r1")
    assert run is not None
    assert run.status is RunStatus.DONE
    assert measuring.reader.incidents() == [made.incident()]
    assert beside(database) == []
    measuring.writer.add_request(made.full_request(index=3)).result(WAIT_S)
    assert measuring.reader.requests("r1")[3].index == 3


@pytest.mark.expect_log(LOCKED)
def test_a_whole_run_left_beside_the_history_is_read_in_at_the_next_opening(
    database: Path, backups: Path, made: ModuleType
) -> None:
    run = replace(made.full_run(), argv=("x", "--api-key", "SECRET-1"), environment=("KEY=SECRET-2",))
    ended = replace(run, status=RunStatus.DONE, failure=None)
    requests = [made.bare_request(), made.full_request()]
    with open_history(database, backups) as history, locked(database):
        write = history.writer
        write.add_experiment(made.experiment())
        write.add_run(replace(run, status=RunStatus.RUNNING))
        for request in requests:
            write.add_request(request)
        write.save_telemetry("r1", made.telemetry())
        write.add_ladder_step(made.ladder_step())
        last = write.update_run(ended)
        history.close()
        assert last.exception(WAIT_S) is None
        (file,) = beside(database)
        assert file.suffix != ".open"
        assert b"SECRET" not in file.read_bytes()
    kept = file.read_bytes()
    with open_history(database, backups) as history:
        assert history.notices == (Message.of("history_read_in", count=7),)
        assert history.reader.experiment("e1") == made.experiment()
        expected = replace(ended, argv=("x", "--api-key", "***"), environment=("KEY",))
        assert history.reader.runs() == [expected]
        assert history.reader.requests("r1") == requests
        assert history.reader.telemetry("r1") == made.telemetry()
        assert history.reader.ladder_steps() == [made.ladder_step()]
        assert beside(database) == []
    # A death between the commit and the removal leaves the file; its last line may be cut. What replaces, the
    # telemetry and the end of the run, is written again; what adds is not.
    file.write_bytes(kept + kept.splitlines()[3][:-20])
    with open_history(database, backups) as history:
        assert history.notices == (Message.of("history_read_in", count=2),)
        assert history.reader.runs() == [expected]
        assert history.reader.requests("r1") == requests
        assert history.reader.ladder_steps() == [made.ladder_step()]
        assert beside(database) == []


@pytest.mark.expect_log(LOCKED)
def test_a_run_left_beside_while_it_was_measured_is_interrupted(
    database: Path, backups: Path, made: ModuleType
) -> None:
    with open_history(database, backups) as history, locked(database):
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.bare_run("r1"))
        history.close()
    (file,) = beside(database)
    started = round(psutil.Process().create_time() * 1000)
    assert file.name == f"qtune.db.pending-{os.getpid()}-{started}"
    # Its process is gone: what has its number now began at another time.
    file.rename(file.with_name(f"qtune.db.pending-{os.getpid()}-{started - 60_000}"))
    with open_history(database, backups) as history:
        assert [notice.code for notice in history.notices] == ["history_read_in", "runs_interrupted"]
        (run,) = history.reader.runs()
        assert run.status is RunStatus.INTERRUPTED


def test_what_a_living_process_keeps_beside_is_left_to_it(
    database: Path, backups: Path, made: ModuleType
) -> None:
    open_history(database, backups).close()
    process = psutil.Process()
    started = round(process.create_time() * 1000)
    file = database.with_name(f"qtune.db.pending-{process.pid}-{started}.open")
    spooled = Spool(database, writer.Owner(process.pid, process.create_time()))
    spooled.add([writer.Entry("incident", made.incident())])
    assert beside(database) == [file]
    with open_history(database, backups) as history:
        assert history.notices == ()
        assert history.reader.incidents() == []
    assert beside(database) == [file]
    spooled.leave()
    with open_history(database, backups) as history:
        assert history.notices == (Message.of("history_read_in", count=1),)
        assert history.reader.incidents() == [made.incident()]


def test_lines_that_do_not_fit_are_kept_and_named(database: Path, backups: Path, made: ModuleType) -> None:
    open_history(database, backups).close()
    spooled = Spool(database, writer.Owner(1, 0.0))
    entry = writer.Entry
    spooled.add([entry("request", made.full_request("of no run")), entry("incident", made.incident())])
    spooled.add([entry("run", made.bare_run("r1", "of no experiment"))])
    spooled.leave()
    (file,) = beside(database)
    odd = entry("incident", replace(made.incident("i2"), id=["no", "text"])).to_line()
    with file.open("ab") as more:
        more.write(f"{odd}\n".encode())
        more.write(
            b'{"kind":"of a later version","record":{}}\nno json at all\n[]\n{"kind":"incident"}\n\xff\n'
        )
    content = file.read_bytes()
    with open_history(database, backups) as history:
        read_in, aside = history.notices
        assert read_in == Message.of("history_read_in", count=1)
        path = Path(str(dict(aside.params)["path"]))
        assert aside == Message.of("history_rows_aside", path=str(path), count=8)
        assert path.read_bytes() == content
        assert history.reader.incidents() == [made.incident()]
        assert history.reader.counts().runs == 0
    with open_history(database, backups) as history:
        assert history.notices == ()


@pytest.mark.expect_log(LOCKED)
def test_a_wrong_row_among_those_that_wait_does_not_take_them_along(
    measuring: History, database: Path, made: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_PATIENCE_S", 1000.0)
    with locked(database):
        good = [measuring.writer.add_request(made.full_request(index=1))]
        wrong = measuring.writer.add_request(made.full_request("of no run"))
        good.append(measuring.writer.add_request(made.full_request(index=2)))
        until(lambda: measuring.writer.pending == 3)
        assert not any(future.done() for future in (*good, wrong))
        assert beside(database) == []
    assert isinstance(wrong.exception(WAIT_S), BugError)
    for future in good:
        future.result(WAIT_S)
    assert [request.index for request in measuring.reader.requests("r1")] == [1, 2]


@pytest.mark.expect_log(LOCKED)
@pytest.mark.expect_log("beside the history")
def test_a_row_that_finds_no_place_at_all_fails_aloud_and_is_still_tried_again(
    measuring: History, database: Path, made: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(_spool: Spool) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, locked(database):
        patch.setattr(Spool, "_begin", no_room)
        error = measuring.writer.add_request(made.full_request()).exception(WAIT_S)
        assert isinstance(error, KnownError)
        assert error.message == Message.of(
            "history_not_writable", path=str(database), reason="database is locked"
        )
        assert measuring.writer.pending == 1
    until(lambda: measuring.writer.pending == 0)
    assert measuring.reader.requests("r1") == [made.full_request()]


@pytest.mark.expect_log(LOCKED)
def test_a_full_database_takes_the_rows_once_there_is_room(measuring: History, made: ModuleType) -> None:
    pages = 30

    def limit(connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")

    event.listen(measuring.writer._engine, "begin", limit)
    futures = [measuring.writer.add_request(made.full_request(index=index)) for index in range(200)]
    for future in futures:
        future.result(WAIT_S)
    assert 0 < measuring.writer.pending <= 200
    assert len(measuring.reader.requests("r1")) + measuring.writer.pending == 200
    pages = 2**30
    until(lambda: measuring.writer.pending == 0)
    assert [request.index for request in measuring.reader.requests("r1")] == list(range(200))
