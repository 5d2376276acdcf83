"""Whatever is stored comes back equal, and each row stands alone."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from qtune.core.causes import Cause
from qtune.core.errors import BugError, KnownError
from qtune.core.records import RunStatus
from qtune.store.address import Place
from qtune.store.history import History, open_history
from tests.postgres import Sql

pytestmark = pytest.mark.both_databases
WAIT_S = 120


def test_every_record_comes_back_equal_also_after_reopening(
    database: Place, backups: Path, made: ModuleType
) -> None:
    runs = [made.bare_run(status=RunStatus.DONE), made.full_run()]
    requests = [made.bare_request(), made.full_request()]
    with open_history(database, backups) as history:
        assert history.notices == ()
        writer = history.writer
        done = [writer.add_experiment(made.experiment()), *(writer.add_run(run) for run in runs)]
        done += [writer.add_request(request) for request in requests]
        done.append(writer.save_telemetry("r1", made.telemetry()))
        for future in done:
            future.result(WAIT_S)
        assert history.reader.requests("r1") == requests
    with open_history(database, backups) as history:
        reader = history.reader
        assert history.notices == ()
        assert reader.experiment("e1") == made.experiment()
        assert reader.runs(newest_first=False) == runs
        assert [reader.run("r0"), reader.run("r1")] == runs
        assert reader.requests("r1") == requests
        assert reader.requests("r0") == []
        assert reader.telemetry("r1") == made.telemetry()
        assert reader.telemetry("r0") == []
        assert reader.counts().runs == 2
        assert reader.experiment("nothing") is None
        assert reader.run("nothing") is None


def test_runs_are_ordered_by_start_and_limited(history: History, made: ModuleType) -> None:
    history.writer.add_experiment(made.experiment())
    history.writer.add_experiment(made.experiment("e2"))
    for number in (2, 0, 1):
        run = replace(made.bare_run(f"r{number}"), started_utc=f"2026-11-30T06:00:0{number}Z")
        history.writer.add_run(run)
    history.writer.add_run(made.full_run("other", "e2"))
    history.writer.flush().result(WAIT_S)
    assert [run.id for run in history.reader.runs("e1")] == ["r2", "r1", "r0"]
    assert [run.id for run in history.reader.runs("e1", 2, newest_first=False)] == ["r0", "r1"]
    assert [run.id for run in history.reader.runs(limit=1)] == ["other"]


def test_incidents_and_steps_come_back_equal_in_their_order(
    history: History, database: Place, made: ModuleType, sql: Sql
) -> None:
    writer, reader = history.writer, history.reader
    # The last two are of one second; the run the incidents name is not stored.
    incidents = [made.bare_incident(), made.incident("i2"), made.incident("i1")]
    steps = [made.bare_ladder_step(), made.ladder_step("s2"), made.ladder_step("s1")]
    for incident, step in zip(
        (incidents[1], incidents[2], incidents[0]), (*steps[1:], steps[0]), strict=True
    ):
        writer.add_incident(incident)
        writer.add_ladder_step(step)
    writer.flush().result(WAIT_S)
    assert reader.incidents(newest_first=False) == incidents
    assert reader.incidents(limit=2) == [incidents[2], incidents[1]]
    assert reader.ladder_steps(newest_first=False) == steps
    assert reader.ladder_steps(limit=2) == [steps[2], steps[1]]
    # Of a version with another cause and more to a footing.
    (stored,) = sql(database, "SELECT CAST(footing AS TEXT) FROM incidents ORDER BY key DESC LIMIT 1")
    newer = stored[0].replace("{", '{"new" : 1,', 1).replace("'", "''")
    sql(database, f"UPDATE incidents SET cause = 'gremlins', footing = '{newer}'")  # noqa: S608
    assert [incident.cause for incident in reader.incidents()] == [Cause.UNKNOWN] * 3
    assert reader.incidents()[-1].footing == incidents[0].footing


def test_update_replaces_what_changed_and_clears_what_went(history: History, made: ModuleType) -> None:
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(made.full_run()).result(WAIT_S)
    ended = replace(
        made.full_run(), status=RunStatus.DONE, failure=None, memory=None, load_ms=math.nan, mtp_active=True
    )
    history.writer.update_run(ended).result(WAIT_S)
    assert history.reader.run("r1") == replace(ended, load_ms=None)


def test_facts_that_repeat_are_stored_once(
    history: History, database: Place, made: ModuleType, sql: Sql
) -> None:
    history.writer.add_experiment(made.experiment())
    less_free = replace(made.ENGINE.devices[0], free_bytes=1)
    history.writer.add_run(made.full_run("r1"))
    history.writer.add_run(replace(made.full_run("r2"), engine=replace(made.ENGINE, devices=(less_free,))))
    history.writer.add_run(replace(made.full_run("r3"), model=replace(made.MODEL, quant="Q8_0")))
    history.writer.flush().result(WAIT_S)
    assert [run.model.quant for run in history.reader.runs(newest_first=False)] == [
        "Q4_K_M",
        "Q4_K_M",
        "Q8_0",
    ]
    second = history.reader.run("r2")
    assert second is not None
    assert second.engine.devices == (less_free,)
    for name, count in (("machines", 1), ("engines", 1), ("models", 2)):
        assert sql(database, f"SELECT count(*) FROM {name}") == [(count,)]  # noqa: S608


def test_no_nan_and_no_secret_reaches_the_file(
    history: History, database: Place, made: ModuleType, sql: Sql
) -> None:
    history.writer.add_experiment(made.experiment())
    run = replace(
        made.full_run(),
        load_ms=math.inf,
        argv=("llama-server", "--api-key", "SECRET-1", "--api-key=SECRET-2", "-np", "1"),
        environment=("LLAMA_API_KEY=SECRET-3", "HOME"),
    )
    history.writer.add_run(run)
    request = made.full_request()
    timings = replace(request.times.timings, prompt_ms=math.nan, predicted_ms=-math.inf)
    history.writer.add_request(replace(request, times=replace(request.times, timings=timings)))
    history.writer.flush().result(WAIT_S)
    stored = history.reader.run("r1")
    assert stored is not None
    assert stored.load_ms is None
    assert stored.argv == ("llama-server", "--api-key", "***", "--api-key=***", "-np", "1")
    assert stored.environment == ("LLAMA_API_KEY", "HOME")
    (read,) = history.reader.requests("r1")
    assert read.times.timings == replace(timings, prompt_ms=None, predicted_ms=None)
    history.close()
    assert "SECRET" not in repr(sql(database, "SELECT * FROM runs"))
    if isinstance(database, Path):
        assert b"SECRET" not in database.read_bytes()


def test_a_bad_row_fails_alone_in_a_burst(history: History, made: ModuleType) -> None:
    writer = history.writer
    writer.add_experiment(made.experiment())
    writer.add_run(made.bare_run("r1")).result(WAIT_S)
    futures = [
        writer.add_request(made.bare_request("r1", 0)),
        writer.add_request(made.bare_request("never added", 1)),
        writer.add_request(made.bare_request("r1", 0)),
        writer.update_run(made.bare_run("never added")),
        writer.save_telemetry("never added", made.telemetry()),
        writer.add_run(made.bare_run("r2", "never added")),
        writer.add_request(made.bare_request("r1", 1)),
    ]
    errors = [future.exception(WAIT_S) for future in futures]
    assert errors[0] is errors[-1] is None
    assert all(isinstance(error, BugError) for error in errors[1:-1]), errors
    assert [request.index for request in history.reader.requests("r1")] == [0, 1]


def test_giving_up_waiting_does_not_lose_the_row(history: History, made: ModuleType) -> None:
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(made.bare_run("r1")).result(WAIT_S)

    async def give_up() -> None:
        waiting = asyncio.wrap_future(history.writer.add_request(made.full_request()))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(give_up())
    history.writer.flush().result(WAIT_S)
    assert len(history.reader.requests("r1")) == 1


def test_close_writes_what_is_queued_and_leaves_nothing_beside(
    history: History, database: Place, made: ModuleType, sql: Sql, tmp_path: Path
) -> None:
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(made.bare_run("r1"))
    count = 520  # more than are committed together
    futures = [history.writer.add_request(made.bare_request("r1", number)) for number in range(count)]
    history.close()
    history.close()
    assert all(future.done() and future.exception() is None for future in futures)
    folder = database.parent if isinstance(database, Path) else tmp_path
    assert [path.name for path in folder.iterdir()] == (["qtune.db"] if isinstance(database, Path) else [])
    assert isinstance(history.writer.flush().exception(WAIT_S), BugError)
    assert sql(database, "SELECT count(*) FROM requests") == [(count,)]


@pytest.mark.file_only
def test_reading_goes_on_while_another_transaction_writes(
    history: History, database: Path, made: ModuleType
) -> None:
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(made.bare_run("r1")).result(WAIT_S)
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM runs")
        waiting = history.writer.add_request(made.bare_request("r1", 0))
        assert history.reader.counts().runs == 1
        assert history.reader.requests("r1") == []
        assert not waiting.done()
        other.execute("ROLLBACK")
    waiting.result(WAIT_S)
    assert len(history.reader.requests("r1")) == 1


def test_a_reader_cannot_write(history: History) -> None:
    with pytest.raises(KnownError, match=r"read-?only"), history.reader._connection() as connection:
        connection.exec_driver_sql("DELETE FROM runs")
