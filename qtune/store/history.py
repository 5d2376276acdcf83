"""Opens the history: refuses what must not be touched, rescues what is broken, migrates what is old."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy.exc import DatabaseError

from qtune.core.clock import Clock, SystemClock
from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.host.owner import Owner
from qtune.store import migrate, schema, spool, sqlite, summaries
from qtune.store.address import Address, Place
from qtune.store.interrupted import mark_interrupted
from qtune.store.reader import Reader
from qtune.store.shared import reach
from qtune.store.sources import FileSource, SharedSource
from qtune.store.writer import Writer

_log = logging.getLogger("qtune.store")


class History:
    """An open history, made by :func:`open_history`. Whoever opened it closes it.

    Attributes:
        place: The file, or the address of the database.
        notices: What the user should know about the opening, e.g. that a damaged file was set aside.
        writer: The only way to write.
        reader: Reads, from any thread.
    """

    def __init__(self, place: Place, notices: tuple[Message, ...], writer: Writer, reader: Reader) -> None:
        self.place = place
        self.notices = notices
        self.writer = writer
        self.reader = reader

    def use_password(self, password: str) -> None:
        """Take another password for a database that may refuse the one it had, and try again at once."""
        if isinstance(self.place, Address):
            self.place.use_password(password)
            self.writer.hurry()

    def close(self) -> None:
        """Write what is queued and close every connection. May be called twice.

        Rows that the database does not take now wait beside it for the next opening.
        """
        # Readers first: an open read would keep the log from being folded into the file.
        self.reader.close()
        self.writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_history(place: Place, backups: Path, clock: Clock | None = None, *, wait_s: float = 1.0) -> History:
    """Open the history, beginning a new one where there is none.

    A database on another computer is opened whether it can be reached or not: what is written waits beside
    until it can, and the notices say what is in the way.

    Args:
        place: The file, whose folder must exist, or the address.
        backups: Folder for copies made before a migration; made when needed.
        clock: Names copies by wall time; None for the machine's.
        wait_s: How long to wait for a database on another computer before going on without.

    Raises:
        KnownError: ``history_newer`` when a newer qtune wrote it, ``history_foreign`` when another program
            did (both leave the file as it is), ``history_not_writable`` for anything else in the way.
    """
    clock = SystemClock() if clock is None else clock
    if isinstance(place, Address):
        return _open_shared(place, clock, wait_s)
    return _open_file(place, backups, clock)


def _open_shared(address: Address, clock: Clock, wait_s: float) -> History:
    source, owner = SharedSource(address), Owner.this_process()
    beside = spool.Spool(address.waiting, owner)
    writer = Writer(lambda: reach(address, source, clock), address.shown, owner, beside, clock=clock)
    writer.wait_for_first_try(wait_s)
    return History(address, tuple(writer.untold()), writer, Reader(source))


def _open_file(database: Path, backups: Path, clock: Clock) -> History:
    with _explained(database):
        _refuse_impossible(database)
        notices = _prepare(database, backups, clock)
        journal = sqlite.journal_mode_for(database.resolve())
        if journal == "DELETE":
            notices.append(Message.of("history_on_share", path=str(database)))
        write = sqlite.write_engine(database, journal)
        try:
            notices += spool.read_in(write, database)
            if interrupted := mark_interrupted(write, clock):
                notices.append(Message.of("runs_interrupted", count=interrupted))
            with write.connect() as connection:
                outdated = summaries.any_due(connection)
        except BaseException:
            write.dispose()
            raise
    name, owner = str(database), Owner.this_process()
    writer = Writer(write, name, owner, spool.Spool(database, owner), at_end=sqlite.tidy, clock=clock)
    if outdated:
        writer.freshen()
    reader = Reader(FileSource(sqlite.read_engine(database), name))
    return History(database, tuple(notices), writer, reader)


def _refuse_impossible(database: Path) -> None:
    if not database.parent.is_dir():
        raise KnownError(
            "history_not_writable", path=str(database), reason=f"there is no folder {database.parent}"
        )
    if database.exists() and not database.is_file() and not database.is_dir():
        raise KnownError("history_not_writable", path=str(database), reason="it is not a file")


def _prepare(database: Path, backups: Path, clock: Clock) -> list[Message]:
    """Leave a sound file of our schema at ``database``; returns what the user should know."""
    notices = []
    found = sqlite.look_at(database)
    if found.revision != schema.HEAD and found.revision is not None and not migrate.knows(found.revision):
        raise KnownError("history_newer", path=str(database), revision=found.revision)
    if found.damage is not None:
        moved = sqlite.set_aside(database, clock.utc())
        _log.warning("history %s is damaged (%s), moved to %s", database, found.damage, moved)
        notices.append(Message.of("history_damaged", path=str(moved)))
        found = sqlite.Found()
    if found.revision is None and found.tables:
        raise KnownError("history_foreign", path=str(database))
    if found.revision != schema.HEAD:
        if found.revision is not None:
            sqlite.back_up(database, backups, found.revision, clock.utc())
        _upgrade(database)
    return notices


def _upgrade(database: Path) -> None:
    engine = sqlite.write_engine(database, sqlite.journal_mode_for(database.resolve()), foreign_keys=False)
    try:
        migrate.upgrade(engine)
    finally:
        engine.dispose()


@contextmanager
def _explained(database: Path) -> Iterator[None]:
    """Turn what file system and database say into our error."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise KnownError("history_not_writable", path=str(database), reason=_reason(error)) from error
    except DatabaseError as error:
        raise KnownError("history_not_writable", path=str(database), reason=str(error.orig)) from error


def _reason(error: sqlite3.Error | OSError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
