"""Files that must not be touched, files that are broken, files that are old, folders that refuse."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

from qtune.core.errors import KnownError
from qtune.core.history_query import HistoryQuery
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.core.stats import arm_figures
from qtune.store import migrate, schema, sqlite
from qtune.store.history import open_history
from tests.patience import until

WAIT_S = 120
HEAD = schema.HEAD
NOW = datetime(2026, 11, 30, 7, 8, 9, tzinfo=UTC)


class StoppedClock:
    def now_ns(self) -> int:
        return 0

    def utc(self) -> datetime:
        return NOW


@pytest.fixture
def used(database: Path, backups: Path, made: ModuleType) -> Path:
    """A closed history with a run of 400 requests."""
    with open_history(database, backups) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.full_run())
        for index in range(400):
            history.writer.add_request(made.full_request(index=index))
        history.writer.flush().result(WAIT_S)
    return database


def count(database: Path, table: str) -> int:
    with closing(sqlite3.connect(database)) as raw:
        return int(raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608


# -- damage ------------------------------------------------------------------------------------------------


def all_random(content: bytes) -> bytes:
    return bytes((7 * i * i + 3 * i + 11) % 256 for i in range(len(content)))


def middle_random(content: bytes) -> bytes:
    third = len(content) // 3
    return content[:third] + all_random(content[:third]) + content[2 * third :]


def cut_in_half(content: bytes) -> bytes:
    return content[: len(content) // 2]


def cut_within_a_page(content: bytes) -> bytes:
    return content[: len(content) - 1000]


def cut_to_little(content: bytes) -> bytes:
    return content[:50]


def second_page_zeroed(content: bytes) -> bytes:
    return content[:4096] + bytes(4096) + content[8192:]


def nothing_left(_content: bytes) -> bytes:
    return b""


@pytest.mark.expect_log("is damaged")
@pytest.mark.parametrize(
    "spoil",
    [
        all_random,
        middle_random,
        second_page_zeroed,
        cut_in_half,
        cut_within_a_page,
        cut_to_little,
        nothing_left,
        lambda _: b"hello",
    ],
)
def test_a_damaged_file_is_set_aside_whole_and_a_new_one_begun(
    used: Path, backups: Path, made: ModuleType, spoil: Callable[[bytes], bytes]
) -> None:
    spoilt = spoil(used.read_bytes())
    used.write_bytes(spoilt)
    Path(f"{used}-wal").write_bytes(b"left over")
    aside = used.with_name("qtune.db.damaged-20261130T070809Z")
    with open_history(used, backups, StoppedClock()) as history:
        assert history.notices == (Message.of("history_damaged", path=str(aside)),)
        assert history.reader.counts().runs == 0
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.full_run()).result(WAIT_S)
        assert history.reader.counts().runs == 1
    assert aside.read_bytes() == spoilt
    assert Path(f"{aside}-wal").read_bytes() == b"left over"
    with open_history(used, backups, StoppedClock()) as history:
        assert history.notices == ()
        assert history.reader.counts().runs == 1


@pytest.mark.expect_log("is damaged")
def test_a_folder_in_place_of_the_history_is_set_aside_with_what_is_in_it(
    database: Path, backups: Path
) -> None:
    database.mkdir()
    (database / "letter.txt").write_text("not ours")
    aside = database.with_name("qtune.db.damaged-20261130T070809Z")
    with open_history(database, backups, StoppedClock()) as history:
        assert history.notices == (Message.of("history_damaged", path=str(aside)),)
        assert history.reader.counts().runs == 0
    assert (aside / "letter.txt").read_text() == "not ours"


@pytest.mark.expect_log("is damaged")
def test_a_log_without_its_history_is_kept(database: Path, backups: Path) -> None:
    Path(f"{database}-wal").write_bytes(b"all that is left")
    with open_history(database, backups, StoppedClock()) as history:
        assert [notice.code for notice in history.notices] == ["history_damaged"]
    (aside,) = database.parent.glob("qtune.db.damaged-*")
    assert aside.read_bytes() == b"all that is left"


@pytest.mark.expect_log("is damaged")
def test_two_damaged_files_of_one_second_are_both_kept(database: Path, backups: Path) -> None:
    for content in (b"first, broken", b"second, broken"):
        database.write_bytes(content)
        open_history(database, backups, StoppedClock()).close()
    kept = {path.read_bytes() for path in database.parent.glob("qtune.db.damaged-*")}
    assert kept == {b"first, broken", b"second, broken"}


def test_a_large_file_is_read_through_only_after_an_unclean_end(
    used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_CHECKED_ALWAYS_BYTES", 0)
    used.write_bytes(middle_random(used.read_bytes()))
    assert sqlite.look_at(used).damage is None
    Path(f"{used}-wal").write_bytes(b"left over")
    assert sqlite.look_at(used).damage is not None


def test_an_empty_file_is_a_new_history(database: Path, backups: Path) -> None:
    database.touch()
    with open_history(database, backups) as history:
        assert history.notices == ()
        assert history.reader.counts().runs == 0


def test_damage_found_while_working_is_a_sentence(used: Path, backups: Path, made: ModuleType) -> None:
    content = used.read_bytes()
    with open_history(used, backups) as history:
        page = 4096
        used.write_bytes(content[:page] + all_random(content[page:]))
        with pytest.raises(KnownError) as caught:
            history.reader.requests("r1")
        assert caught.value.code == "history_not_readable"
        error = history.writer.add_request(made.bare_request("r1", 1000)).exception(WAIT_S)
        assert isinstance(error, KnownError)
        assert error.code == "history_not_writable"
        # What is in the file now is no longer worth folding a log into.
        used.write_bytes(content)


# -- not ours ----------------------------------------------------------------------------------------------


def test_copies_of_one_second_do_not_overwrite_each_other(used: Path, backups: Path) -> None:
    assert sqlite.back_up(used, backups, "0001", NOW) != sqlite.back_up(used, backups, "0001", NOW)


def test_a_newer_history_is_refused_and_not_touched(used: Path, backups: Path) -> None:
    with closing(sqlite3.connect(used)) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = '0999'")
    before = used.read_bytes()
    with pytest.raises(KnownError) as caught:
        open_history(used, backups)
    assert caught.value.message == Message.of("history_newer", path=str(used), revision="0999")
    assert used.read_bytes() == before
    # A look leaves an empty log beside it at most.
    assert [
        path.name for path in used.parent.iterdir() if path.stat().st_size and path.suffix != ".db-shm"
    ] == ["qtune.db"]


def test_a_database_of_another_program_is_refused_and_not_touched(database: Path, backups: Path) -> None:
    with closing(sqlite3.connect(database)) as raw, raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    before = database.read_bytes()
    with pytest.raises(KnownError) as caught:
        open_history(database, backups)
    assert caught.value.message == Message.of("history_foreign", path=str(database))
    assert database.read_bytes() == before


# -- no place to write ---------------------------------------------------------------------------------------


def below_a_file(folder: Path) -> Path:
    (folder / "file").write_text("no folder")
    return folder / "file" / "qtune.db"


def in_no_folder(folder: Path) -> Path:
    return folder / "missing" / "qtune.db"


@pytest.mark.parametrize("place", [below_a_file, in_no_folder])
def test_a_place_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, backups: Path, place: Callable[[Path], Path]
) -> None:
    database = place(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(KnownError) as caught:
        open_history(database, backups)
    assert caught.value.code == "history_not_writable"
    assert str(database) in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


# -- migration ---------------------------------------------------------------------------------------------

OLD = Path(__file__).parents[2] / "data" / "history" / "revision_0001.sql"


@pytest.fixture
def of_revision_1(database: Path) -> Path:
    """A history as the first revision wrote it: two runs, four requests, telemetry."""
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("PRAGMA journal_mode=WAL")
        raw.executescript(OLD.read_text(encoding="utf-8"))
    return database


def test_a_history_of_revision_1_is_copied_and_every_row_is_read(
    of_revision_1: Path, backups: Path, made: ModuleType
) -> None:
    before = rows(of_revision_1)
    assert before["runs"], before["requests"]
    with open_history(of_revision_1, backups, StoppedClock()) as history:
        assert history.notices == ()
        failed, done = history.reader.runs()
        assert (failed.id, failed.status, failed.failure) == (
            "r1",
            RunStatus.FAILED,
            Message.of("engine_died", code=-9),
        )
        assert (done.id, done.status) == ("r0", RunStatus.DONE)
        assert (failed.settings_requested.n_max, failed.settings_requested.ctx_size) == (4, 32_768)
        assert (failed.model.name, failed.engine.build) == ("Qwen3.6 27B 通义", 11434)
        requests = history.reader.requests("r1")
        assert [request.index for request in requests] == [0, 1, 2]
        assert requests[2].times.event_ns == made.full_request().times.event_ns
        assert requests[2].times.content.startswith("多标记预测\u2028第二行")
        assert len(history.reader.requests("r0")) == 1
        assert [sample.t_ns for sample in history.reader.telemetry("r1")] == [
            sample.t_ns for sample in made.telemetry()
        ]
        assert history.reader.incidents() == history.reader.ladder_steps() == []
        history.writer.add_incident(made.incident()).result(WAIT_S)
    (copy,) = backups.iterdir()
    assert copy.name == "qtune-0001-20261130T070809Z.db"
    assert rows(copy) == before
    assert kept(of_revision_1, copy)
    assert rows(of_revision_1)["alembic_version"] == [(schema.HEAD,)]
    with open_history(of_revision_1, backups, StoppedClock()) as history:
        assert len(history.reader.incidents()) == 1
    assert list(backups.iterdir()) == [copy]


def kept(migrated: Path, copy: Path) -> bool:
    """Whether every column of every row of the copy is in the migrated file as it was."""
    with closing(sqlite3.connect(copy)) as raw:
        tables = {name: [row[1] for row in raw.execute(f"PRAGMA table_info({name})")] for name in rows(copy)}
    del tables["alembic_version"]
    return all(
        columns_of(migrated, name, tables[name]) == columns_of(copy, name, tables[name]) for name in tables
    )


def columns_of(database: Path, table: str, columns: list[str]) -> list[tuple[object, ...]]:
    quoted = ", ".join(f'"{name}"' for name in columns)
    with closing(sqlite3.connect(database)) as raw:
        return sorted(raw.execute(f"SELECT {quoted} FROM {table}"), key=repr)  # noqa: S608


def rows(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    with closing(sqlite3.connect(database)) as raw:
        names = [name for (name,) in raw.execute(query)]
        return {name: sorted(raw.execute(f"SELECT * FROM {name}"), key=repr) for name in names}  # noqa: S608


def test_a_history_of_revision_2_is_copied_every_row_is_read_and_its_figures_are_worked_out(
    database: Path, backups: Path
) -> None:
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("PRAGMA journal_mode=WAL")
        raw.executescript(OLD.with_name("revision_0002.sql").read_text(encoding="utf-8"))
    with open_history(database, backups, StoppedClock()) as history:
        reader = history.reader
        assert history.notices == ()
        # Every run is in the table at once, figures or not.
        keys = reader.run_ids(HistoryQuery())
        assert [row.id for row in reader.page(keys)] == ["r2", "r1", "r0"]
        assert [row.model for row in reader.page(keys)] == ["Qwen3.6 27B 通义", "Qwen3.6 27B 通义", ""]
        assert len(reader.incidents()) == len(reader.ladder_steps()) == 1
        until(lambda: all(row.figures_known for row in reader.page(keys)))
        row = reader.page(keys)[0]
        full = reader.full(row.key)
        assert full is not None
        figures = arm_figures(full[1])
        assert figures.decode_tok_s is not None
        assert (row.requests, row.requests_counted) == (4, 3)
        assert row.decode_tok_s == figures.decode_tok_s.median == pytest.approx(199 / 4.2)
        assert (row.starred, row.outlier, row.note, row.deleted_utc, row.decision) == (
            False, False, "", None, None,
        )  # fmt: skip
        assert [one.id for one in reader.page(reader.run_ids(HistoryQuery(text="rtx q4_k")))] == ["r2", "r1"]
    (copy,) = backups.iterdir()
    assert copy.name == "qtune-0002-20261130T070809Z.db"
    assert kept(database, copy)


def test_a_copy_of_before_the_migration_is_a_history_again(of_revision_1: Path, backups: Path) -> None:
    open_history(of_revision_1, backups, StoppedClock()).close()
    (copy,) = backups.iterdir()
    with open_history(copy, backups.parent / "others") as history:
        assert history.reader.counts().runs == 2


NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{head}"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("runs", sa.Column("weather", sa.Text()))
    op.execute("UPDATE runs SET weather = 'kept'")
    with op.batch_alter_table("runs", recreate="always") as runs:
        runs.alter_column("arm", new_column_name="arm_name")
    {ending}
"""


@pytest.fixture
def next_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes this version know one more revision, which rebuilds the table the requests refer to."""

    def add(ending: str) -> None:
        scripts = tmp_path / "migrations"
        shutil.copytree(Path(schema.__file__).parent / "migrations", scripts)
        (scripts / "versions" / "next.py").write_text(NEXT.format(head=schema.HEAD, ending=ending))
        monkeypatch.setattr(migrate, "SCRIPTS", str(scripts))
        monkeypatch.setattr(schema, "HEAD", "next")

    return add


def test_an_older_history_is_copied_then_migrated_with_every_row(
    used: Path, backups: Path, next_revision: Callable[[str], None]
) -> None:
    next_revision("")
    # The engine's own reading names columns of this version, so only the opening is tried.
    with open_history(used, backups, StoppedClock()) as history:
        assert history.notices == ()
    assert count(used, "requests") == 400
    with closing(sqlite3.connect(used)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchone() == ("next",)
        assert raw.execute("SELECT arm_name, weather FROM runs").fetchall() == [("balanced", "kept")]
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    (copy,) = backups.iterdir()
    assert copy.name == f"qtune-{HEAD}-20261130T070809Z.db"
    assert count(copy, "requests") == 400
    with closing(sqlite3.connect(copy)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchone() == (HEAD,)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ('op.execute("INSERT INTO nowhere VALUES (1)")', "nowhere"),
        ('op.execute("DELETE FROM runs")', "requests"),
    ],
    ids=["fails in the middle", "breaks references"],
)
def test_a_migration_that_fails_leaves_schema_and_rows_as_they_were(
    used: Path, backups: Path, next_revision: Callable[[str], None], ending: str, words: str
) -> None:
    with closing(sqlite3.connect(used)) as raw:
        before = list(raw.iterdump())
    next_revision(ending)
    with pytest.raises(Exception, match=words):
        open_history(used, backups)
    with closing(sqlite3.connect(used)) as raw:
        assert list(raw.iterdump()) == before
    assert len(list(backups.iterdir())) == 1


def test_without_room_for_a_copy_nothing_is_migrated(
    used: Path, backups: Path, next_revision: Callable[[str], None]
) -> None:
    next_revision("")
    backups.write_text("a file where the folder of copies should be")
    with pytest.raises(KnownError) as caught:
        open_history(used, backups)
    assert caught.value.code == "history_not_writable"
    with closing(sqlite3.connect(used)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchone() == (HEAD,)


def test_a_copy_holds_what_is_still_in_the_log_and_five_are_kept(
    database: Path, backups: Path, made: ModuleType
) -> None:
    with open_history(database, backups) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.bare_run(status=RunStatus.DONE)).result(WAIT_S)
        assert Path(f"{database}-wal").stat().st_size > 0
        copies = [
            sqlite.back_up(database, backups, "0001", NOW + timedelta(seconds=second)) for second in range(7)
        ]
    assert len(set(copies)) == 7
    assert sorted(backups.iterdir()) == sorted(copies[-5:])
    assert count(copies[-1], "runs") == 1
