"""Rows that cannot be written yet, kept in a file beside the database until it takes them.

A writer at work keeps them in ``<database>.pending-<pid>-<start>.open``. Once it has ended, or died, the next
opening of the history reads the file in; whatever was written after all is recognised and not written twice.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import StatementError

from qtune.core.errors import BugError
from qtune.core.messages import Message
from qtune.host.owner import Owner, computer
from qtune.store import faults, sqlite, summaries
from qtune.store.entries import Entry

_log = logging.getLogger("qtune.store")

_PENDING = ".pending-"
_ASIDE = ".aside-"
_OPEN = ".open"
# The process, its start in milliseconds, a number where there are several, and whether it still writes.
_NAME = re.compile(r"(\d+)-(\d+)(?:-\d+)?(\.open)?")
_UNREADABLE = (BugError, ValueError, TypeError, LookupError, AttributeError)


class Spool:
    """The file of one writer; there is none until the first row has to wait."""

    def __init__(self, database: Path, owner: Owner) -> None:
        """Name the file after ``database`` and the process that writes it."""
        self._folder = database.parent
        self._name = f"{database.name}{_PENDING}{owner.pid}-{round(owner.started * 1000)}"
        self._file: FileIO | None = None
        self._path = Path()

    def add(self, entries: Iterable[Entry]) -> None:
        """Append rows; on disk when this returns.

        Raises:
            OSError: Nothing was appended.
        """
        lines = "".join(f"{entry.to_line()}\n" for entry in entries).encode("ascii")
        file = self._file or self._begin()
        end = file.seek(0, os.SEEK_END)
        try:
            done = 0
            while done < len(lines):
                done += file.write(lines[done:]) or 0
            os.fsync(file.fileno())
        except OSError:
            file.truncate(end)
            raise

    def clear(self) -> None:
        """Remove the file: the database has every row of it."""
        if self._file is not None:
            # Emptied first: a file that cannot be removed must not bring old states of a run back.
            self._file.truncate(0)
            self._close()
            self._path.unlink(missing_ok=True)

    def leave(self) -> None:
        """Close the file and leave it to the next opening."""
        if self._file is not None:
            self._close()
            self._path.rename(sqlite.free_path(self._folder, self._name))

    def _begin(self) -> FileIO:
        self._path = sqlite.free_path(self._folder, self._name, _OPEN)
        self._file = FileIO(self._path, "x")
        return self._file

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def read_in(engine: Engine, database: Path) -> list[Message]:
    """Write what earlier writers had to leave beside the database; returns what the user should know.

    Two processes may do so together. Lines that do not fit this database are kept in a file that is named.
    """
    stored, notices = 0, []
    for path, owner in left_behind(database):
        with engine.begin() as connection:
            try:
                content = path.read_bytes()
            except FileNotFoundError:
                continue  # another process was first
            new, refused = _store(connection, content, owner)
        stored += new
        # The rows are committed: a file that stays, such as one being looked at, is only read in once more.
        with suppress(OSError):
            if refused:
                name = path.name.removesuffix(_OPEN).replace(_PENDING, _ASIDE)
                aside = sqlite.free_path(path.parent, name)
                path.rename(aside)
                notices.append(Message.of("history_rows_aside", path=str(aside), count=refused))
            else:
                path.unlink(missing_ok=True)
    if stored:
        notices.insert(0, Message.of("history_read_in", count=stored))
    return notices


def left_behind(database: Path) -> Iterator[tuple[Path, Owner]]:
    """Files whose writer has ended, oldest process first."""
    prefix, found = f"{database.name}{_PENDING}", []
    for path in database.parent.iterdir():
        if not path.name.startswith(prefix):
            continue
        if (name := _NAME.fullmatch(path.name.removeprefix(prefix))) is not None:
            owner = Owner(int(name[1]), int(name[2]) / 1000, computer())
            if name[3] is None or not owner.is_alive():
                found.append((path, owner))
    yield from sorted(found, key=lambda one: (one[1].started, one[0].name))


def _store(connection: Connection, content: bytes, owner: Owner) -> tuple[int, int]:
    """Write the lines; returns how many are new here and how many do not fit."""
    new = refused = 0
    touched: set[int] = set()
    # What follows the last end of line was cut by a death: nobody was told that it is kept.
    for line in content.split(b"\n")[:-1]:
        try:
            entry = Entry.from_line(line.decode("ascii"))
            with connection.begin_nested():
                key = entry.write(connection, owner)
            if key is not None:
                touched.add(key)
            new += 1
        except StatementError as error:
            if faults.may_pass(error.orig) or sqlite.is_damage(error.orig):
                raise  # not the fault of the row
            if not faults.is_duplicate(error.orig):
                refused += 1
                _log.info("a row from beside the history does not fit: %s", faults.reason(error))
        except _UNREADABLE as error:
            refused += 1
            _log.info("a row from beside the history does not fit: %s", error)
    summaries.refresh(connection, touched)
    return new, refused
