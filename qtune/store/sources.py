"""Where a reader's connections come from: a file that is there, or a database that may be out of reach."""

from __future__ import annotations

import threading
from typing import Protocol

from sqlalchemy import ColumnElement, Engine, Table
from sqlalchemy.exc import DBAPIError

from qtune.core.errors import KnownError, QtuneError
from qtune.host.owner import computer
from qtune.store import postgres
from qtune.store.address import Address

_FIRST_S = 10.0
"""Longest wait of a reader for the outcome of the first try, which ends sooner by itself."""


class ReadSource(Protocol):
    """What a reader needs to know of the database."""

    def engine(self) -> Engine:
        """Engine that cannot write; a ``QtuneError`` says why there is none."""

    def explained(self, error: DBAPIError) -> QtuneError:
        """Our error for one of the driver."""

    def own(self, table: Table) -> tuple[ColumnElement[bool], ...]:
        """Conditions on rows of this computer."""

    def dispose(self) -> None:
        """Close the connections."""


class FileSource:
    """A file of this computer: always there, and all its rows count as of this computer."""

    def __init__(self, engine: Engine, path: str) -> None:
        """Take over the engine; ``path`` names the file in sentences."""
        self._engine = engine
        self._path = path

    def engine(self) -> Engine:
        """The engine."""
        return self._engine

    def explained(self, error: DBAPIError) -> QtuneError:
        """``history_not_readable``."""
        return KnownError("history_not_readable", path=self._path, reason=str(error.orig))

    def own(self, _table: Table) -> tuple[ColumnElement[bool], ...]:
        """None."""
        return ()

    def dispose(self) -> None:
        """Close the connections."""
        self._engine.dispose()


class SharedSource:
    """A database on another computer: there once the writer has reached it and brought it to our schema."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._tried = threading.Event()
        self._engine: Engine | None = None
        self._fault: QtuneError | None = None

    def opened(self, engine: Engine) -> None:
        """It was reached; called once, with an engine for reading."""
        self._engine = engine
        self._tried.set()

    def failed(self, fault: QtuneError) -> None:
        """It was not reached, so far."""
        self._fault = fault
        self._tried.set()

    def engine(self) -> Engine:
        """The engine; waits for the first try to reach the database."""
        self._tried.wait(_FIRST_S)
        if self._engine is not None:
            return self._engine
        if self._fault is None:
            raise KnownError("history_unreachable", path=self._address.shown, reason="it does not answer")
        # A copy: each reader raises it with a traceback of its own.
        if isinstance(self._fault, KnownError):
            raise KnownError.from_message(self._fault.message)
        raise self._fault

    def explained(self, error: DBAPIError) -> QtuneError:
        """What is in the way."""
        return postgres.explained(error, self._address)

    def own(self, table: Table) -> tuple[ColumnElement[bool], ...]:
        """Those that this computer wrote."""
        return (table.c.computer.in_(("", computer())),)

    def dispose(self) -> None:
        """Close the connections."""
        if self._engine is not None:
            self._engine.dispose()
