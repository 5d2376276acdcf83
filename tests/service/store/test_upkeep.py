"""Checking finds planted damage and nothing else; a copy is whole, also of a history in use."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from qtune.core.errors import KnownError
from qtune.core.history_query import HistoryQuery
from qtune.core.messages import TEXTS, Message
from qtune.core.records import RunStatus
from qtune.host.owner import Owner
from qtune.store import schema
from qtune.store.entries import Entry
from qtune.store.history import History, open_history
from qtune.store.spool import Spool
from qtune.store.upkeep import back_up, check, newest_copy

WAIT_S = 120


class StoppedClock:
    def now_ns(self) -> int:
        return 0

    def utc(self) -> datetime:
        return datetime(2026, 11, 30, 7, 8, 9, tzinfo=UTC)


@pytest.fixture
def used(history: History, database: Path, made: ModuleType) -> Path:
    """A closed history with two runs."""
    history.writer.add_experiment(made.experiment())
    for id_ in ("r1", "r2"):
        history.writer.add_run(made.full_run(id_))
        history.writer.add_request(made.full_request(id_))
    history.close()
    return database


Plant = Callable[[sqlite3.Connection], object]
PLANTED: list[tuple[Plant, list[Message]]] = [
    (
        lambda raw: raw.execute("DELETE FROM experiments"),
        [Message.of("history_check_references", table="runs", count=2)],
    ),
    (
        lambda raw: raw.executescript("DELETE FROM summaries; DELETE FROM runs WHERE id = 'r1'"),
        [
            Message.of("history_check_references", table="figures", count=1),
            Message.of("history_check_references", table="requests", count=1),
            Message.of("history_check_unsummarised", count=1),
        ],
    ),
    (
        lambda raw: raw.execute("UPDATE summaries SET version = 0 WHERE run_key = 2"),
        [Message.of("history_check_outdated", count=1)],
    ),
    (
        lambda raw: raw.executescript(
            "DROP INDEX ix_summaries_ratio; DROP TABLE incidents; ALTER TABLE ladder_steps DROP COLUMN reason"
        ),
        [
            Message.of("history_check_schema", what="table incidents"),
            Message.of("history_check_schema", what="column ladder_steps.reason"),
            Message.of("history_check_schema", what="index ix_summaries_ratio"),
        ],
    ),
    (
        lambda raw: raw.execute("UPDATE alembic_version SET version_num = '0002'"),
        [Message.of("history_check_revision", revision="0002", wanted=schema.HEAD)],
    ),
]


@pytest.mark.parametrize(("plant", "wanted"), PLANTED)
def test_planted_damage_is_named(used: Path, plant: Plant, wanted: list[Message]) -> None:
    assert check(used) == []
    with closing(sqlite3.connect(used)) as raw, raw:
        plant(raw)
    before = used.read_bytes()
    assert sorted(check(used), key=repr) == sorted(wanted, key=repr)
    assert all(message.code in TEXTS for message in wanted)
    assert used.read_bytes() == before


def test_a_broken_index_and_broken_pages_are_named(used: Path) -> None:
    with closing(sqlite3.connect(used)) as raw, raw:
        raw.execute("PRAGMA writable_schema=ON")
        raw.execute(
            "UPDATE sqlite_master SET sql = replace(sql, '(status)', '(arm)') WHERE name = 'ix_runs_status'"
        )
    assert {message.code for message in check(used)} == {"history_check_damage"}
    content = used.read_bytes()
    used.write_bytes(content[:4096] + bytes(4096) + content[8192:])
    assert {message.code for message in check(used)} == {"history_check_damage"}
    used.write_bytes(b"hello, this is no database at all" * 50)
    assert [message.code for message in check(used)] == ["history_check_damage"]


def test_rows_that_wait_beside_are_named(used: Path, made: ModuleType) -> None:
    spool = Spool(used, Owner(1, 0.0))
    spool.add([Entry("incident", made.incident())])
    spool.leave()
    (path,) = used.parent.glob("*.pending-*")
    assert check(used) == [Message.of("history_check_pending", path=str(path))]


def test_what_is_no_history_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="no history"):
        check(tmp_path / "nothing.db")
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as raw, raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(KnownError) as caught:
        check(other)
    assert caught.value.code == "history_foreign"


def test_runs_without_a_row_in_the_table_get_one_at_the_next_opening(used: Path, backups: Path) -> None:
    with closing(sqlite3.connect(used)) as raw, raw:
        raw.execute("DELETE FROM summaries WHERE run_key = 1")
    with open_history(used, backups) as history:
        end = time.monotonic() + WAIT_S
        while len(history.reader.run_ids(HistoryQuery())) < 2:
            assert time.monotonic() < end
            time.sleep(0.005)
    assert check(used) == []


# -- copies ------------------------------------------------------------------------------------------------


def test_a_copy_is_made_while_rows_come_in_and_is_a_sound_history(
    history: History, database: Path, backups: Path, tmp_path: Path, made: ModuleType
) -> None:
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(replace(made.full_run(), status=RunStatus.RUNNING)).result(WAIT_S)
    futures = [history.writer.add_request(made.full_request(index=index)) for index in range(150)]
    futures[20].result(WAIT_S)
    kept = tmp_path / "不 kept #1"
    assert newest_copy(kept) is None
    copies = [back_up(database, kept, StoppedClock()) for _ in range(3)]
    named_alike = kept / "history-20269999T999999Z.db"
    named_alike.touch()
    assert newest_copy(kept) == StoppedClock().utc()
    named_alike.unlink()
    assert check(database) == []
    for future in futures:
        future.result(WAIT_S)
    assert sorted(path.name for path in kept.iterdir()) == [
        "history-20261130T070809Z-2.db",
        "history-20261130T070809Z-3.db",
        "history-20261130T070809Z.db",
    ]
    for copy in copies:
        assert check(copy) == []
        with open_history(copy, backups) as again:
            there = len(again.reader.requests("r1"))
            assert 21 <= there <= 150
            assert again.reader.requests("r1") == history.reader.requests("r1")[:there]


def test_a_damaged_history_gives_no_copy(used: Path, tmp_path: Path) -> None:
    content = used.read_bytes()
    used.write_bytes(content[:4096] + bytes(4096) + content[8192:])
    kept = tmp_path / "kept"
    with pytest.raises(KnownError) as caught:
        back_up(used, kept)
    assert caught.value.code == "history_backup_failed"
    assert list(kept.iterdir()) == []


def test_a_folder_that_refuses_is_a_sentence(used: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(KnownError) as caught:
        back_up(used, tmp_path / "file")
    assert caught.value.code == "history_backup_failed"
    with pytest.raises(KnownError, match="no history"):
        back_up(tmp_path / "nothing.db", tmp_path)
