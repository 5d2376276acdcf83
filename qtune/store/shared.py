"""Reaches a history on another computer: looks before it touches anything, brings it to our schema."""

from __future__ import annotations

import logging

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import DBAPIError

from qtune.core.clock import Clock
from qtune.core.errors import KnownError, QtuneError
from qtune.core.messages import Message
from qtune.store import migrate, postgres, schema, spool, summaries
from qtune.store.address import Address
from qtune.store.interrupted import mark_interrupted
from qtune.store.sources import SharedSource
from qtune.store.waiting import Reached

_log = logging.getLogger("qtune.store")


def reach(address: Address, source: SharedSource, clock: Clock) -> Reached:
    """Open a database for the writer; the source opens for readers too, or hears why not.

    Raises:
        QtuneError: Why the database cannot be used now.
    """
    write: Engine | None = None
    try:
        write = postgres.write_engine(address)
        _bring_to_schema(write, address)
        notices = spool.read_in(write, address.waiting)
        if interrupted := mark_interrupted(write, clock):
            notices.append(Message.of("runs_interrupted", count=interrupted))
        with write.connect() as connection:
            outdated = summaries.any_due(connection)
        source.opened(postgres.read_engine(address))
    except Exception as error:
        if write is not None:
            write.dispose()
        if not isinstance(error, DBAPIError | QtuneError | OSError):
            _log.exception("opening the history %s failed", address)
        fault = postgres.explained(error, address)
        source.failed(fault)
        if fault is error:
            raise
        raise fault from error
    return Reached(write, notices, outdated=outdated)


def try_out(address: Address) -> Message:
    """What is found at an address, without changing anything there.

    Raises:
        QtuneError: Why the database cannot be used.
    """
    engine = postgres.read_engine(address)
    try:
        with engine.connect() as connection:
            found = _known_revision(postgres.revision(connection, address), address)
            if found is None:
                postgres.refuse_without_rights(connection, address)
                return Message.of("history_shared_empty", path=address.shown)
            if found != schema.HEAD:
                return Message.of("history_shared_older", path=address.shown)
            runs = connection.execute(select(func.count()).select_from(schema.RUNS)).scalar_one()
    except DBAPIError as error:
        raise postgres.explained(error, address) from error
    finally:
        engine.dispose()
    return Message.of("history_shared_found", path=address.shown, count=int(runs))


def check(address: Address) -> list[Message]:
    """What is wrong with a history on another computer; its server looks after the bytes.

    Raises:
        QtuneError: Why the database cannot be looked at, or ``history_missing``.
    """
    engine = postgres.read_engine(address)
    try:
        with engine.connect() as connection:
            found = _known_revision(postgres.revision(connection, address), address)
            if found is None:
                raise KnownError("history_missing", path=address.shown)
            if found != schema.HEAD:
                return [Message.of("history_check_revision", revision=found, wanted=schema.HEAD)]
            lacking = [Message.of("history_check_schema", what=what) for what in postgres.lacking(connection)]
            return lacking or _unsummarised(connection)
    except DBAPIError as error:
        raise postgres.explained(error, address) from error
    finally:
        engine.dispose()


def _unsummarised(connection: Connection) -> list[Message]:
    runs, table = schema.RUNS, schema.SUMMARIES
    missing = select(func.count()).select_from(runs).where(runs.c.key.not_in(select(table.c.run_key)))
    outdated = select(func.count()).select_from(table).where(summaries.is_old)
    numbers = {
        "history_check_unsummarised": connection.execute(missing).scalar_one(),
        "history_check_outdated": connection.execute(outdated).scalar_one(),
    }
    return [Message.of(code, count=int(number)) for code, number in numbers.items() if number]


def _bring_to_schema(engine: Engine, address: Address) -> None:
    # The transaction holds the lock of writers: of two that come together one waits, and finds all done.
    with engine.begin() as connection:
        if _known_revision(postgres.revision(connection, address), address) != schema.HEAD:
            migrate.upgrade_within(connection)


def _known_revision(revision: str | None, address: Address) -> str | None:
    if revision not in {None, schema.HEAD} and not migrate.knows(str(revision)):
        raise KnownError("history_newer", path=address.shown, revision=revision)
    return revision
