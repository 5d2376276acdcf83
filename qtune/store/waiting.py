"""Rows on their way to the database, and what holds them up."""

from __future__ import annotations

import time
from concurrent.futures import Future
from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
)

from qtune.core.errors import BugError, KnownError, QtuneError
from qtune.core.messages import Message
from qtune.store import faults
from qtune.store.entries import Entry

PASSING = "history_unreachable"
"""Code of the fault that may be gone at the next try."""
_OUR_FAULT = (IntegrityError, DataError, InterfaceError, NotSupportedError, ProgrammingError)
_PATIENCE_S = 5.0
"""From the first failure until rows that wait are put beside the database; with the driver's own waiting for
a lock before it, a caller waits for a row about ten seconds at most."""
_PAUSES_S = (0.25, 0.5, 1.0, 2.0, 2.0, 5.0)
"""Between tries; the last one repeats."""
_REST = 6
"""Pause after a try of a connection, in lengths of the try: rows that come meanwhile wait for its end."""
_HOPELESS_S = 300.0
"""Pause where only the user can help: a server may lock out who tries a wrong password too often."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A database that was out of reach, or might have been.

    Attributes:
        engine: The writer's.
        notices: What the user should know.
        outdated: Whether there are summaries to be made anew.
    """

    engine: Engine
    notices: list[Message]
    outdated: bool


@dataclass(slots=True)
class Job:
    """One call; without entry it only tells that those before it are done.

    ``beside`` is set once its row is in the file beside the database; ``doubtful`` once the connection was
    lost while it was written, so that it may be there; ``freshen`` begins to look for summaries that are out
    of date, ``hurry`` ends the pause before the next try.
    """

    entry: Entry | None
    future: Future[None]
    beside: bool = False
    doubtful: bool = False
    freshen: bool = False
    hurry: bool = False

    def resolve(self) -> None:
        """The row is kept; whoever waits for it may go on."""
        if not self.future.done():
            self.future.set_result(None)


@dataclass(slots=True)
class Stall:
    """The database does not take rows at the moment."""

    since_s: float
    due_s: float = 0.0
    tries: int = 0

    @classmethod
    def from_now(cls) -> Stall:
        """The first row was not taken just now."""
        found = cls(time.monotonic())
        found.failed_again()
        return found

    @property
    def patience_over(self) -> bool:
        """Whether rows are put beside the database from here on."""
        return time.monotonic() - self.since_s >= _PATIENCE_S

    def failed_again(self, *, hopeless: bool = False, took_s: float = 0.0) -> None:
        """Another try came to nothing: the next pause is longer, also where the try itself took long."""
        pause_s = _HOPELESS_S if hopeless else _PAUSES_S[min(self.tries, len(_PAUSES_S) - 1)]
        pause_s = max(pause_s, _REST * took_s)
        self.due_s = time.monotonic() + pause_s
        self.tries += 1


def count_rows(jobs: list[Job]) -> int:
    """How many of the calls are rows."""
    return sum(job.entry is not None for job in jobs)


def explained(error: Exception, path: str) -> QtuneError:
    """Our error for a row that the database named ``path`` refused."""
    if isinstance(error, QtuneError):
        return error
    if isinstance(error, DatabaseError) and not isinstance(error, _OUR_FAULT):
        found: QtuneError = KnownError("history_not_writable", path=path, reason=faults.reason(error))
    else:
        # The row itself may be long and private; the driver's own words are enough.
        found = BugError(f"a row could not be written: {faults.reason(error)}")
    found.__cause__ = error
    return found


def why_away(error: Exception | None) -> Message:
    """Why a database on another computer cannot be used, for the user."""
    return (
        error.message if isinstance(error, KnownError) else Message.of(PASSING, reason=faults.reason(error))
    )
