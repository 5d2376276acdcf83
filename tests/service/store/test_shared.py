"""A history on a server that others use too: out of reach, refusing, and several computers at once."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from qtune.core.errors import KnownError
from qtune.core.history_query import HistoryQuery
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.store import postgres, schema, waiting
from qtune.store.address import Address, place_of
from qtune.store.history import History, open_history
from qtune.store.shared import try_out
from qtune.store.upkeep import back_up, check
from tests.patience import until
from tests.postgres import PASSWORD, Server, Sql

pytestmark = pytest.mark.postgres
WAIT_S = 120
CANNOT = "cannot be written"


@pytest.fixture
def server(postgres_server: Server) -> Server:
    return postgres_server


@pytest.fixture(scope="module")
def kind_of_database() -> str:
    return "postgres"


@pytest.fixture
def empty(server: Server, tmp_path: Path) -> Address:
    """A database without tables."""
    return address(server, server.new_database(), tmp_path)


@pytest.fixture
def own(server: Server, made_once: str, tmp_path: Path) -> Address:
    """A database whose tables the test may spoil."""
    return address(server, server.new_database(made_once), tmp_path)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_PATIENCE_S", 0.2)
    monkeypatch.setattr(waiting, "_PAUSES_S", (0.05,))


def address(server: Server, name: str, folder: Path, **login: str) -> Address:
    found = place_of(server.url(name, **login), folder)
    assert isinstance(found, Address)
    return found


def name_of(place: Address) -> str:
    return str(place.url.database)


def opened(place: Address, **more: Any) -> History:
    return open_history(place, place.waiting.parent, wait_s=WAIT_S, **more)


def beside(place: Address) -> list[Path]:
    return [path for path in place.waiting.parent.iterdir() if ".pending-" in path.name]


def begin(history: History, made: ModuleType, run_id: str = "r1") -> None:
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(made.full_run(run_id)).result(WAIT_S)


# -- tables --------------------------------------------------------------------------------------------------


def test_revisions_lead_to_our_tables_and_every_text_is_sorted_by_its_code_points(
    empty: Address, sql: Sql
) -> None:
    with opened(empty) as history:
        assert history.notices == ()
    engine = postgres.read_engine(empty)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, schema.METADATA) == []
    engine.dispose()
    others = (
        "SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'public'"
        " AND data_type IN ('text', 'character varying') AND collation_name IS DISTINCT FROM 'C'"
    )
    assert sql(empty, others) == [("alembic_version",)]


def test_two_that_come_first_together_make_the_tables_once_and_lose_no_row(
    empty: Address, made: ModuleType
) -> None:
    count = 60

    def work(name: str) -> None:
        with opened(empty) as history:
            assert history.notices == ()
            history.writer.add_experiment(made.experiment(name))
            # Both bring the same facts of machine, engine and model.
            history.writer.add_run(replace(made.full_run(name, name), status=RunStatus.DONE))
            for index in range(count):
                history.writer.add_request(made.full_request(name, index))
            history.writer.flush().result(WAIT_S)

    workers = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with opened(empty) as history:
        assert [len(history.reader.requests(name)) for name in "ab"] == [count, count]
        rows = history.reader.page(history.reader.run_ids(HistoryQuery()))
        assert [row.requests for row in rows] == [0, 0]  # counted ones only
        assert check(empty) == []


# -- out of reach --------------------------------------------------------------------------------------------


@pytest.mark.expect_log(CANNOT)
def test_rows_of_a_lost_connection_wait_beside_and_are_stored_once_in_their_order(
    database: Address, server: Server, made: ModuleType
) -> None:
    told: list[Message] = []
    with opened(database) as history:
        history.writer.watch(told.append)
        begin(history, made)
        with server.out_of_reach(name_of(database)):
            for index in range(3):
                history.writer.add_request(made.full_request(index=index)).result(WAIT_S)
            assert history.writer.pending == 3
            (file,) = beside(database)
            assert len(file.read_bytes().splitlines()) == 3
            with pytest.raises(KnownError) as caught:
                history.reader.runs()
            assert caught.value.code == "history_unreachable"
        until(lambda: history.writer.pending == 0)
        until(lambda: len(told) == 2)
        assert [message.code for message in told] == ["history_pending", "history_caught_up"]
        assert history.reader.requests("r1") == [made.full_request(index=index) for index in range(3)]
        assert beside(database) == []


@pytest.mark.expect_log(CANNOT)
def test_what_waits_at_the_end_is_read_in_by_the_next_opening(
    database: Address, server: Server, made: ModuleType
) -> None:
    history = opened(database)
    begin(history, made)
    with server.out_of_reach(name_of(database)):
        history.writer.add_request(made.full_request())
        history.writer.update_run(replace(made.full_run(), status=RunStatus.DONE))
        history.close()
    assert len(beside(database)) == 1
    with opened(database) as history:
        assert history.notices == (Message.of("history_read_in", count=2),)
        assert history.reader.requests("r1") == [made.full_request()]
        assert history.reader.runs()[0].status is RunStatus.DONE
    assert beside(database) == []


@pytest.mark.expect_log(CANNOT, always=False)
def test_a_row_that_was_committed_when_the_connection_broke_is_stored_once_and_acknowledged(
    database: Address, made: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg  # noqa: PLC0415 - optional

    with opened(database) as history:
        begin(history, made)
        engine = history.writer._engine
        assert engine is not None
        commit, broken = engine.dialect.do_commit, []

        def break_once(connection: Any) -> None:
            commit(connection)
            if not broken:
                broken.append(True)
                connection.dbapi_connection.close()
                raise psycopg.OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(engine.dialect, "do_commit", break_once)
        futures = [history.writer.add_request(made.full_request(index=index)) for index in range(3)]
        assert [future.exception(WAIT_S) for future in futures] == [None] * 3
        assert broken
        assert [request.index for request in history.reader.requests("r1")] == [0, 1, 2]
        # Without a break, the same row again is a fault of ours as ever.
        assert history.writer.add_request(made.full_request()).exception(WAIT_S) is not None


def test_without_a_server_the_start_is_quick_and_nothing_is_lost(
    database: Address, server: Server, made: ModuleType
) -> None:
    told: list[Message] = []
    with server.out_of_reach(name_of(database)):
        history = opened(database)
        (notice,) = history.notices
        assert notice.code == "history_unreachable"
        assert "not currently accepting connections" in notice.sentence()
        history.writer.watch(told.append)
        begin(history, made)
        history.writer.add_request(made.full_request()).result(WAIT_S)
        with pytest.raises(KnownError, match="accepting"):
            history.reader.counts()
    until(lambda: history.writer.pending == 0)
    assert history.reader.requests("r1") == [made.full_request()]
    history.close()
    until(lambda: told == [Message.of("history_caught_up", path=str(database))])


def test_a_closed_port_is_a_sentence_within_the_wait(tmp_path: Path, unused_tcp_port: int) -> None:
    place = place_of(f"postgresql://me@127.0.0.1:{unused_tcp_port}/qtune", tmp_path)
    with open_history(place, tmp_path, wait_s=WAIT_S) as history:
        (notice,) = history.notices
    said = f"The shared history postgresql://me@127.0.0.1:{unused_tcp_port}/qtune cannot be reached: "
    assert notice.sentence() == f"{said}Connection refused."


def test_a_server_that_never_answers_holds_nobody_up(
    tmp_path: Path, made: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(postgres._CONNECTING, "connect_timeout", 4)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = place_of(f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/qtune", tmp_path)
        began_s = time.monotonic()
        with open_history(place, tmp_path, wait_s=0.05) as history:
            assert time.monotonic() - began_s < 3.5
            assert history.notices == ()
            told: list[Message] = []
            history.writer.watch(told.append)
            begin(history, made)
            assert [message.code for message in told] == ["history_unreachable"]
            # The next try is not due for several of its lengths, so the next rows do not wait for one.
            began_s = time.monotonic()
            for index in range(3):
                history.writer.add_request(made.full_request(index=index)).result(WAIT_S)
            assert time.monotonic() - began_s < 3.5
            assert history.writer.pending == 5


# -- refused -------------------------------------------------------------------------------------------------


def test_a_wrong_password_is_said_and_the_right_one_brings_the_rows_in(
    server: Server, database: Address, tmp_path: Path, made: ModuleType
) -> None:
    wrong = address(server, name_of(database), tmp_path, password="wr#ng")
    with opened(wrong) as history:
        assert history.notices == (Message.of("history_password_wrong", path=str(wrong)),)
        begin(history, made)
        assert history.writer.pending == 2
        history.use_password(PASSWORD)
        until(lambda: history.writer.pending == 0)
        assert history.reader.counts().runs == 1


def test_no_password_is_said(database: Address, tmp_path: Path) -> None:
    place = place_of(str(database), tmp_path)
    with open_history(place, tmp_path, wait_s=WAIT_S) as history:
        assert [notice.code for notice in history.notices] == ["history_password_missing"]


def test_a_role_that_may_only_look_can_look(
    server: Server, own: Address, tmp_path: Path, made: ModuleType, expect_log: Any
) -> None:
    with opened(own) as history:
        begin(history, made)
    name = name_of(own)
    server.run(
        name,
        f"CREATE ROLE looker{name} LOGIN PASSWORD 'x'",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker{name}",
    )
    expect_log(CANNOT)
    with opened(address(server, name, tmp_path, user=f"looker{name}", password="x")) as history:
        assert history.notices == ()
        assert history.reader.run("r1") == made.full_run()
        history.writer.add_request(made.full_request()).result(WAIT_S)
        assert history.writer.pending == 1
    (file,) = beside(own)
    file.unlink()


def test_a_role_without_rights_is_told_which_it_lacks(server: Server, empty: Address, tmp_path: Path) -> None:
    name = name_of(empty)
    server.run(name, f"CREATE ROLE guest{name} LOGIN PASSWORD 'x'")
    place = address(server, name, tmp_path, user=f"guest{name}", password="x")
    reason = "permission denied for schema public"
    with pytest.raises(KnownError) as caught:
        try_out(place)
    assert caught.value.message == Message.of("history_no_rights", path=str(place), reason=reason)
    with opened(place) as history:
        assert history.notices == (caught.value.message,)


@pytest.mark.parametrize(
    ("statements", "code"),
    [
        (("UPDATE alembic_version SET version_num = '0999'",), "history_newer"),
        (("DROP TABLE alembic_version",), "history_shared_foreign"),
    ],
)
def test_what_is_not_ours_is_refused_and_not_touched(
    own: Address, made: ModuleType, sql: Sql, statements: tuple[str, ...], code: str
) -> None:
    sql(own, *statements)
    tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"
    before = sql(own, tables)
    with pytest.raises(KnownError) as caught:
        try_out(own)
    with opened(own) as history:
        assert history.notices == (caught.value.message,)
        assert caught.value.code == code
        begin(history, made)
        assert history.writer.pending == 2
    assert sql(own, tables) == before
    assert sql(own, "SELECT count(*) FROM runs") == [(0,)]
    assert len(beside(own)) == 1


def test_a_database_of_another_encoding_is_refused(server: Server, tmp_path: Path) -> None:
    server.run(
        "postgres",
        "CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0",
    )
    with pytest.raises(KnownError, match="SQL_ASCII"):
        try_out(address(server, "ascii", tmp_path))


def test_without_the_driver_the_way_to_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    place = place_of("postgresql://me@127.0.0.1/qtune", tmp_path)
    with open_history(place, tmp_path, wait_s=WAIT_S) as history:
        (notice,) = history.notices
        assert notice.code == "history_driver_missing"
        assert 'pip install "qtune[postgres]"' in notice.hint()
        with pytest.raises(KnownError):
            history.reader.runs()


# -- several computers ---------------------------------------------------------------------------------------


@contextmanager
def another_computer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        for module in ("qtune.host.owner", "qtune.store.sources", "qtune.store.spool"):
            patch.setattr(f"{module}.computer", lambda: "another")
        yield


def test_what_another_computer_does_is_seen_but_not_taken_for_ours(
    database: Address, made: ModuleType, monkeypatch: pytest.MonkeyPatch, sql: Sql
) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    running = replace(made.full_run("theirs"), status=RunStatus.RUNNING, started_utc=now)
    with another_computer(monkeypatch), opened(database) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(running)
        history.writer.add_incident(made.incident())
        history.writer.add_ladder_step(made.ladder_step()).result(WAIT_S)
    # Its process is none of this computer's.
    sql(database, "UPDATE runs SET owner_pid = 2147483600")
    with opened(database) as history:
        reader = history.reader
        assert history.notices == ()
        assert reader.runs() == reader.incidents() == reader.ladder_steps() == []
        assert [run.id for run in reader.runs("e1")] == ["theirs"]
        assert [row.id for row in reader.page(reader.run_ids(HistoryQuery()))] == ["theirs"]
        run = reader.run("theirs")
        assert run is not None
        assert run.status is RunStatus.RUNNING
    sql(database, "UPDATE runs SET started_utc = '2026-01-01T00:00:00+00:00'")
    with opened(database) as history:
        assert history.notices == (Message.of("runs_interrupted", count=1),)


def test_a_run_of_ours_that_was_cut_off_is_interrupted(database: Address, made: ModuleType, sql: Sql) -> None:
    with opened(database) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.bare_run("r1"))
    sql(database, "UPDATE runs SET owner_started = 1.0")
    with opened(database) as history:
        assert history.notices == (Message.of("runs_interrupted", count=1),)
        assert history.reader.runs()[0].status is RunStatus.INTERRUPTED


# -- upkeep and secrets --------------------------------------------------------------------------------------


def test_a_check_names_what_is_missing_and_a_copy_is_the_servers_affair(
    own: Address, empty: Address, tmp_path: Path, sql: Sql
) -> None:
    assert check(own) == []
    sql(own, "DROP INDEX ix_summaries_model", "DROP TABLE figures", "ALTER TABLE runs DROP COLUMN note")
    assert {str(dict(message.params)["what"]) for message in check(own)} == {
        "index ix_summaries_model",
        "table figures",
        "column runs.note",
    }
    with pytest.raises(KnownError, match="no history"):
        check(empty)
    with pytest.raises(KnownError) as caught:
        back_up(own, tmp_path)
    assert "pg_dump" in caught.value.message.hint()


@pytest.mark.expect_log(CANNOT)
def test_the_password_is_in_no_sentence_no_log_and_no_file(
    server: Server, database: Address, made: ModuleType, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG, "qtune")
    assert str(database) == f"postgresql://postgres@127.0.0.1:{server.port}/{name_of(database)}"
    said = [try_out(database).sentence()]
    with opened(database) as history:
        begin(history, made)
        with server.out_of_reach(name_of(database)):
            history.writer.add_request(made.full_request()).result(WAIT_S)
            with pytest.raises(KnownError) as caught:
                history.reader.runs()
            said += [repr(caught.value.__cause__), caught.value.message.sentence()]
            said += [path.read_text() for path in beside(database)]
        said += [repr(engine) for engine in (history.writer._engine, database.url, database)]
        until(lambda: history.writer.pending == 0)
    rest = [path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert PASSWORD not in "\n".join([*said, *rest, caplog.text])


def test_people_with_roles_of_their_own_share_the_tables_of_a_group(
    server: Server, empty: Address, tmp_path: Path, made: ModuleType
) -> None:
    name = name_of(empty)
    server.run(name, f"CREATE ROLE group{name}", f"ALTER DATABASE {name} OWNER TO group{name}")
    for person in ("anna", "ben"):
        role = f"{person}{name}"
        server.run(
            name,
            f"CREATE ROLE {role} LOGIN PASSWORD 'x' IN ROLE group{name}",
            f"ALTER ROLE {role} IN DATABASE {name} SET role = 'group{name}'",
        )
        with opened(address(server, name, tmp_path, user=role, password="x")) as history:
            assert history.notices == ()
            history.writer.add_experiment(made.experiment(person))
            history.writer.add_run(made.full_run(person, person)).result(WAIT_S)
            assert history.reader.counts().runs == ["anna", "ben"].index(person) + 1


def test_ids_of_other_programs_are_taken_as_a_file_takes_them(database: Address, made: ModuleType) -> None:
    id_ = "long " * 40 + "\0\ufdd0"
    with opened(database) as history:
        begin(history, made, id_)
        assert history.reader.run(id_) == made.full_run(id_)
