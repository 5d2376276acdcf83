"""Checks a history and copies it, also while it is in use; changes nothing in it."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from qtune.core.clock import Clock, SystemClock
from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.store import schema, shared, spool, sqlite, summaries
from qtune.store.address import Address, Place

_FAULTS_NAMED = 5
_FORM = "%Y%m%dT%H%M%SZ"
_STAMP = re.compile(r"history-(\d{8}T\d{6}Z)")


def check(place: Place) -> list[Message]:
    """Read all of a history and say what is wrong with it; nothing if it is sound.

    Takes as long as reading the file: some seconds for a gigabyte.

    Raises:
        KnownError: ``history_missing``, ``history_foreign`` when it is another program's, or
            ``history_not_readable`` when the file cannot be opened at all; for a database on another computer
            why it cannot be used.
    """
    if isinstance(place, Address):
        waiting = spool.left_behind(place.waiting)
        found = [Message.of("history_check_pending", path=str(path)) for path, _ in waiting]
        return found + shared.check(place)
    return _check_file(place)


def _check_file(database: Path) -> list[Message]:
    if not database.is_file():
        raise KnownError("history_missing", path=str(database))
    found = [Message.of("history_check_pending", path=str(path)) for path, _ in spool.left_behind(database)]
    try:
        with closing(sqlite.read_only(database)) as connection:
            found += _faults(connection, database)
    except sqlite3.DatabaseError as error:
        if not sqlite.is_damage(error):
            raise KnownError("history_not_readable", path=str(database), reason=str(error)) from error
        found.append(Message.of("history_check_damage", path=str(database), reason=str(error)))
    return found


def back_up(place: Place, folder: Path, clock: Clock | None = None) -> Path:
    """Copy a history to ``folder/history-<utc>.db``, check the copy and return its path.

    Others may write meanwhile: the copy is the history of one moment. It bears its name only once it is
    whole, and never takes the place of another. Copies are kept until the user removes them.

    Raises:
        KnownError: ``history_missing``, or ``history_backup_failed`` when the copy could not be written or
            is not sound, as when the history itself is damaged; ``history_backup_shared`` for a database that
            is no file.
    """
    if isinstance(place, Address):
        raise KnownError("history_backup_shared", path=place.shown)
    database = place
    if not database.is_file():
        raise KnownError("history_missing", path=str(database))
    now = (SystemClock() if clock is None else clock).utc()
    name = f"history-{now.strftime(_FORM)}"
    partial: Path | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial = sqlite.free_path(folder, name, ".part")
        sqlite.copy_of_moment(database, partial)
        copy = sqlite.free_path(folder, name, ".db")
        partial.rename(copy)
    except (sqlite3.Error, OSError) as error:
        if partial is not None:
            partial.unlink(missing_ok=True)
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise KnownError("history_backup_failed", path=str(folder), reason=reason) from error
    return copy


def newest_copy(folder: Path) -> datetime | None:
    """When the newest of the copies that :func:`back_up` wrote to a folder was written, by their names."""
    found = []
    for path in folder.glob("history-*.db"):
        stamp = _STAMP.match(path.name)
        with suppress(ValueError):  # looks like one of ours, and is no date
            found += [datetime.strptime(stamp[1], _FORM).replace(tzinfo=UTC)] if stamp else []
    return max(found, default=None)


def _faults(connection: sqlite3.Connection, database: Path) -> Iterator[Message]:
    # What is named first explains what follows, so a file that is broken is not looked at further.
    broken = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_FAULTS_NAMED})")]
    if broken != ["ok"]:
        for reason in broken:
            yield Message.of("history_check_damage", path=str(database), reason=reason)
        return
    there = set(connection.execute("SELECT type, name FROM sqlite_master"))
    if ("table", "alembic_version") not in there:
        raise KnownError("history_foreign", path=str(database))
    (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
    if revision != schema.HEAD:
        yield Message.of("history_check_revision", revision=str(revision), wanted=schema.HEAD)
        return
    lacking = list(_lacking(connection, there))
    yield from lacking
    orphans = Counter(str(row[0]) for row in connection.execute("PRAGMA foreign_key_check"))
    for table, count in sorted(orphans.items()):
        yield Message.of("history_check_references", table=table, count=count)
    if not lacking:
        yield from _unsummarised(connection)


def _lacking(connection: sqlite3.Connection, there: set[tuple[str, str]]) -> Iterator[Message]:
    """Tables, columns and indexes of this version that are not in the file."""
    for table in schema.METADATA.sorted_tables:
        if ("table", table.name) not in there:
            yield Message.of("history_check_schema", what=f"table {table.name}")
            continue
        columns = {str(row[1]) for row in connection.execute(f'PRAGMA table_info("{table.name}")')}
        for column in table.columns:
            if column.name not in columns:
                yield Message.of("history_check_schema", what=f"column {table.name}.{column.name}")
        for index in sorted(str(index.name) for index in table.indexes):
            if ("index", index) not in there:
                yield Message.of("history_check_schema", what=f"index {index}")


def _unsummarised(connection: sqlite3.Connection) -> Iterator[Message]:
    missing = "SELECT count(*) FROM runs WHERE key NOT IN (SELECT run_key FROM summaries)"
    outdated = "SELECT count(*) FROM summaries WHERE version < ? AND version <> ?"
    for code, query, parameters in (
        ("history_check_unsummarised", missing, ()),
        ("history_check_outdated", outdated, (summaries.VERSION, -summaries.VERSION)),
    ):
        (count,) = connection.execute(query, parameters).fetchone()
        if count:
            yield Message.of(code, count=int(count))
