"""What an error of a driver means for the row that was to be written, whichever database it is of."""

from __future__ import annotations

from qtune.store import postgres, sqlite


def may_pass(error: BaseException | None) -> bool:
    """Whether the error is about the moment, such as a lock or a lost connection, and not about the row."""
    return sqlite.may_pass(error) or postgres.may_pass(error)


def is_duplicate(error: BaseException | None) -> bool:
    """Whether the error says that a row of this key is there already."""
    return sqlite.is_duplicate(error) or postgres.is_duplicate(error)


def reason(error: BaseException | None) -> str:
    """The driver's own words without what SQLAlchemy adds: statements may be long and private."""
    cause = getattr(error, "orig", None) or error
    if cause is None:
        return ""
    return postgres.reason(cause) if postgres.is_ours(cause) else str(cause)
