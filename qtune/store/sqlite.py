"""Everything that holds for SQLite only: connections, looking at a file before trusting it, copies of it."""

from __future__ import annotations

import logging
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any, Literal

import psutil
from sqlalchemy import URL, Connection, Engine, create_engine, event

from qtune.core.codec import to_text

_log = logging.getLogger("qtune.store")

_BUSY_MS = 5000
_CHECKED_ALWAYS_BYTES = 64 * 2**20
_COPIES_KEPT = 5
_DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
# The row is as good as before and may be written later; anything else would fail again.
_PASSING_CODES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    }
)
_DUPLICATE_CODES = frozenset({sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE})
_NETWORK_TYPES = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "davfs", "fuse.sshfs", "9p", "v9fs", "drvfs"}
)
_COMPANIONS = ("-wal", "-shm", "-journal")

JournalMode = Literal["WAL", "DELETE"]


# -- connections -------------------------------------------------------------------------------------------


def write_engine(database: Path, journal: JournalMode, *, foreign_keys: bool = True) -> Engine:
    """Engine whose transactions take the write lock at once.

    One that read first and then wants to write fails at once when another process committed in between,
    whatever the busy timeout says.

    Args:
        database: The file.
        journal: Journal mode to bring the file to.
        foreign_keys: False for migrations only: rebuilding a table would delete the rows that refer to it.
    """

    def prepare(connection: sqlite3.Connection) -> None:
        connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
        _set_journal_mode(connection, journal)
        connection.execute("PRAGMA synchronous=NORMAL")

    return _engine(database, "BEGIN IMMEDIATE", prepare)


def read_engine(database: Path) -> Engine:
    """Engine that cannot write."""

    def prepare(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA query_only=ON")

    return _engine(database, "BEGIN", prepare)


def _engine(database: Path, begin: str, prepare: Callable[[sqlite3.Connection], None]) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(database)), json_serializer=to_text)

    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401
        # The driver's own transactions leave DDL outside; the begin event puts them in our hands.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
        prepare(connection)

    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", on_begin)
    return engine


def _set_journal_mode(connection: sqlite3.Connection, wanted: JournalMode) -> None:
    # Changing the mode ignores the busy timeout, and two processes may begin the same file together.
    deadline = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
            if mode.upper() != wanted:
                connection.execute(f"PRAGMA journal_mode={wanted}")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def tidy(engine: Engine) -> None:
    """What is due before the last connection closes: statistics, and the log folded into the file.

    Someone else may be at work on the history, or the disk may be full; quitting does not wait for that, and
    the last one to leave tidies up.
    """
    with closing(engine.raw_connection()) as connection:
        cursor = connection.cursor()
        cursor.execute("PRAGMA busy_timeout=200")
        cursor.execute("PRAGMA analysis_limit=400")
        try:
            cursor.execute("PRAGMA optimize")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            if not may_pass(error):
                raise
            _log.info("the history was left untidied: %s", error)
        cursor.fetchall()


def journal_mode_for(database: Path, mounts: Iterable[tuple[str, str, str]] | None = None) -> JournalMode:
    """``DELETE`` on a network share, where WAL's shared memory does not work, else ``WAL``.

    Args:
        database: The file, absolute.
        mounts: Mount point, type and options of each file system; None asks the operating system.
    """
    if mounts is None:
        mounts = [(part.mountpoint, part.fstype, part.opts) for part in psutil.disk_partitions(all=True)]
    if sys.platform == "win32" and str(database).startswith("\\\\"):
        return "DELETE"
    holding = [mount for mount in mounts if database.is_relative_to(PurePath(mount[0]))]
    if not holding:
        return "WAL"
    _, kind, options = max(holding, key=lambda mount: len(mount[0]))
    return "DELETE" if kind.lower() in _NETWORK_TYPES or "remote" in options.split(",") else "WAL"


# -- looking at a file before trusting it --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """What a look at a file, without writing to it, brought.

    Attributes:
        tables: Names of all tables.
        revision: Schema revision, None where there is none.
        damage: What SQLite says is broken, None when the file is sound.
    """

    tables: frozenset[str] = frozenset()
    revision: str | None = None
    damage: str | None = None


def look_at(database: Path) -> Found:
    """Read revision and state of a file; a missing or empty one has no tables.

    An empty file with a log, or a folder in its place, counts as damaged: SQLite would delete the log.

    All of a file is read only when it is small or when its last user did not close it: a look at a
    large one would hold up every start.

    Raises:
        sqlite3.Error: The file cannot be opened at all.
    """
    if database.is_dir():
        return Found(damage="it is a folder")
    # The log first: a process that begins the file just now fills the file before the log.
    log = Path(f"{database}-wal")
    unclean = log.exists() and log.stat().st_size > 0
    if not database.exists() or database.stat().st_size == 0:
        return Found(damage="it is empty, but its log is not" if unclean else None)
    thorough = unclean or database.stat().st_size <= _CHECKED_ALWAYS_BYTES
    try:
        with closing(read_only(database)) as connection:
            tables = frozenset(
                name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            )
            revision = None
            if "alembic_version" in tables:
                row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
                revision = None if row is None else str(row[0])
            damage = _damage(connection) if thorough else None
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return Found(damage=str(error))
    return Found(tables, revision, damage)


def is_damage(error: BaseException | None) -> bool:
    """Whether an error of the driver says that the file itself is broken."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.DatabaseError) and code is not None and code & 0xFF in _DAMAGE_CODES


def may_pass(error: BaseException | None) -> bool:
    """Whether an error of the driver is about the moment, such as a lock or a full disk, not the row."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.OperationalError) and code is not None and code & 0xFF in _PASSING_CODES


def is_duplicate(error: BaseException | None) -> bool:
    """Whether an error of the driver says that a row of this key is there already."""
    return getattr(error, "sqlite_errorcode", None) in _DUPLICATE_CODES


def read_only(database: Path) -> sqlite3.Connection:
    """A connection past SQLAlchemy that cannot write."""
    connection = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    return connection


def _damage(connection: sqlite3.Connection) -> str | None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return None if verdict == "ok" else str(verdict)


# -- copies ------------------------------------------------------------------------------------------------


def set_aside(database: Path, now: datetime) -> Path:
    """Rename a damaged file and what belongs to it to ``<name>.damaged-<utc>``, where nothing opens it again.

    A file that is missing, with a log that is not, is no fault.

    The log goes along under the matching name, so that rescue tools find it.
    """
    target = free_path(database.parent, f"{database.name}.damaged-{_stamp(now)}")
    for companion in _COMPANIONS:
        beside = Path(f"{database}{companion}")
        if beside.exists():
            beside.rename(f"{target}{companion}")
    if database.exists():
        database.rename(target)
    return target


def back_up(database: Path, backups: Path, revision: str, now: datetime) -> Path:
    """Copy the file as it is to ``backups/qtune-<revision>-<utc>.db``, check the copy, keep the newest five.

    A plain copy of a file in use would lack what is still in its log.

    Raises:
        sqlite3.Error: The copy could not be written or is not sound.
        OSError: The folder could not be made.
    """
    backups.mkdir(parents=True, exist_ok=True)
    copy = free_path(backups, f"qtune-{revision}-{_stamp(now)}", ".db")
    try:
        with closing(read_only(database)) as connection:
            connection.execute("VACUUM INTO ?", (str(copy),))
        with closing(read_only(copy)) as connection:
            damage = _damage(connection)
        if damage is not None:
            raise sqlite3.DatabaseError(damage)
    except sqlite3.Error:
        copy.unlink(missing_ok=True)
        raise
    copies = sorted(backups.glob("qtune-*.db"), key=lambda path: path.stat().st_mtime_ns)
    for old in copies[:-_COPIES_KEPT]:
        old.unlink(missing_ok=True)
    return copy


def copy_of_moment(database: Path, copy: Path) -> None:
    """Write a copy of a database that may be in use, page by page in one transaction, and check it.

    Raises:
        sqlite3.Error: The copy could not be written or is not sound.
    """
    # To its end in one step: a copy in several begins anew whenever somebody writes in between.
    with closing(read_only(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target, pages=-1)
        # The copy is one file, wherever it is taken.
        target.execute("PRAGMA journal_mode=DELETE")
        damage = _damage(target)
    if damage is not None:
        raise sqlite3.DatabaseError(damage)


def broken_references(connection: Connection) -> list[str]:
    """Tables with rows that refer to rows that are not there."""
    return sorted({str(row[0]) for row in connection.exec_driver_sql("PRAGMA foreign_key_check")})


def _stamp(now: datetime) -> str:
    return now.strftime("%Y%m%dT%H%M%SZ")


def free_path(folder: Path, name: str, suffix: str = "") -> Path:
    """A path that nothing has yet: the name as it is, or with a number."""
    candidate, number = folder / f"{name}{suffix}", 2
    while candidate.exists():
        candidate = folder / f"{name}-{number}{suffix}"
        number += 1
    return candidate
