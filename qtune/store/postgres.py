"""Everything that holds for PostgreSQL only: connections, what its errors mean, how its text is sorted."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, Inspector, String, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError

from qtune.core.codec import to_text
from qtune.core.errors import KnownError, QtuneError
from qtune.store import schema
from qtune.store.address import Address

_LOCK = 0x7174756E65
"""Key of the advisory lock that whoever writes holds: "qtune"."""
_LOCK_WAIT_MS = 5000
_IDLE_MS = 30_000
"""A computer that falls asleep in the middle of a transaction must not hold up the others for longer."""
_CONNECT_S = 5
_CONNECTING = {
    "connect_timeout": _CONNECT_S,
    "application_name": "qtune",
    "client_encoding": "utf8",
    # A network that swallows packets is noticed within seconds, not after the system's quarter of an hour.
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    # Prepared statements would fail once another version has changed the tables.
    "prepare_threshold": None,
}

# SQLSTATE, see appendix A of the manual. The row itself is wrong: it would be refused again.
_OF_THE_ROW = ("22", "23", "42", "0A", "21", "54")
# Among these, what somebody may mend meanwhile: rights, tables that are gone.
_MENDABLE = frozenset({"42501", "42P01"})
_DUPLICATE = "23505"
_NO_RIGHTS = "42501"


# -- connections -------------------------------------------------------------------------------------------


def write_engine(address: Address) -> Engine:
    """Engine whose transactions come one after the other, also those of other computers.

    As SQLite's do: so that what is worked out from rows and written beside them is never of two moments.

    Raises:
        KnownError: ``history_driver_missing``.
    """
    engine = _engine(address, pool_size=1, max_overflow=0)

    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {_LOCK_WAIT_MS}")
            cursor.execute(f"SET idle_in_transaction_session_timeout = {_IDLE_MS}")
        connection.commit()

    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", on_begin)
    return engine


def read_engine(address: Address) -> Engine:
    """Engine that cannot write, and for which all statements of a transaction see one moment.

    Raises:
        KnownError: ``history_driver_missing``.
    """
    return _engine(
        address, isolation_level="REPEATABLE READ", execution_options={"postgresql_readonly": True}
    )


def _engine(address: Address, **options: Any) -> Engine:  # noqa: ANN401
    query = address.url.query
    connecting = {name: value for name, value in _CONNECTING.items() if name not in query}
    try:
        engine = create_engine(
            address.url, json_serializer=to_text, connect_args=connecting, pool_pre_ping=True, **options
        )
    except ImportError as error:
        raise KnownError("history_driver_missing") from error

    def on_do_connect(_dialect: object, _record: object, _args: object, words: dict[str, Any]) -> None:
        # At every connection anew: the user may have given another one meanwhile.
        if (password := address.password()) is not None:
            words["password"] = password

    event.listen(engine, "do_connect", on_do_connect)
    return engine


# -- what is there -----------------------------------------------------------------------------------------


def revision(connection: Connection, address: Address) -> str | None:
    """Revision of the schema; None where there are no tables yet.

    Raises:
        KnownError: ``history_encoding``, or ``history_shared_foreign`` when another program made the tables.
    """
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise KnownError("history_encoding", path=address.shown, encoding=str(encoding))
    tables = set(inspect(connection).get_table_names())
    found = None
    if "alembic_version" in tables:
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if tables and (found is None or schema.RUNS.name not in tables):
        raise KnownError("history_shared_foreign", path=address.shown)
    return None if found is None else str(found)


def refuse_without_rights(connection: Connection, address: Address) -> None:
    """Say before the first start that tables cannot be made.

    Raises:
        KnownError: ``history_no_rights``.
    """
    query = "SELECT current_schema(), has_schema_privilege(current_schema(), 'CREATE')"
    place, may = connection.exec_driver_sql(query).one()
    if not may:
        said = "there is no schema" if place is None else f"permission denied for schema {place}"
        raise KnownError("history_no_rights", path=address.shown, reason=said)


def lacking(connection: Connection) -> list[str]:
    """Tables, columns and indexes of this version that are not in the database."""
    seen: Inspector = inspect(connection)
    tables, found = set(seen.get_table_names()), []
    for table in schema.METADATA.sorted_tables:
        if table.name not in tables:
            found.append(f"table {table.name}")
            continue
        columns = {column["name"] for column in seen.get_columns(table.name)}
        found += [f"column {table.name}.{name}" for name in table.c.keys() if name not in columns]  # noqa: SIM118
        indexes = {index["name"] for index in seen.get_indexes(table.name)}
        found += sorted(f"index {index.name}" for index in table.indexes if index.name not in indexes)
    return found


def sort_by_code_point(connection: Connection) -> None:
    """Give each text of our tables the order of SQLite, whatever the language of the server is, and no limit.

    Otherwise moments would compare by rules that leave punctuation out, and computers could not agree.
    """
    seen: Inspector = inspect(connection)
    quote = connection.dialect.identifier_preparer.quote
    for table in schema.METADATA.sorted_tables:
        changes = [
            f'ALTER COLUMN {quote(column["name"])} TYPE text COLLATE "C"'
            for column in seen.get_columns(table.name)
            if isinstance(column["type"], String) and getattr(column["type"], "collation", None) != "C"
        ]
        if changes:
            connection.execute(text(f"ALTER TABLE {quote(table.name)} {', '.join(changes)}"))


# -- errors ------------------------------------------------------------------------------------------------


def may_pass(error: BaseException | None) -> bool:
    """Whether an error of the driver may be gone at the next try; only what is wrong with a row may not."""
    if not is_ours(error):
        return False
    state = _state(error)
    if state is None:  # it comes from the driver and not from the server: mostly a connection that is lost
        return type(error).__name__ in {"OperationalError", "InterfaceError", "ConnectionTimeout"}
    return state in _MENDABLE or not state.startswith(_OF_THE_ROW)


def is_duplicate(error: BaseException | None) -> bool:
    """Whether an error of the driver says that a row of this key is there already."""
    return is_ours(error) and _state(error) == _DUPLICATE


def reason(error: BaseException) -> str:
    """What the driver says, as one line without what it says around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    attempts = [line for line in lines if line.startswith("- host")]
    line = (attempts or lines or [type(error).__name__])[-1 if attempts else 0]
    # Before the last "failed:" stand server and port, which the sentence names anyway.
    return line.rpartition("failed: ")[2].removeprefix("FATAL:").strip().rstrip(".")


def explained(error: Exception, address: Address) -> QtuneError:
    """Our error for whatever went wrong between us and the server; its own words are in it, no password."""
    if isinstance(error, QtuneError):
        return error
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    words, place = address.without_password(reason(cause)), address.shown
    if "password authentication failed" in words:
        found = KnownError("history_password_wrong", path=place)
    elif "no password supplied" in words:
        found = KnownError("history_password_missing", path=place)
    elif _state(cause) == _NO_RIGHTS:
        found = KnownError("history_no_rights", path=place, reason=words)
    elif "does not exist" in words or "no pg_hba.conf entry" in words:
        found = KnownError("history_refused", path=place, reason=words)
    else:
        found = KnownError("history_unreachable", path=place, reason=words)
    found.__cause__ = error
    return found


def is_ours(error: BaseException | None) -> bool:
    """Whether an error is one of PostgreSQL's driver."""
    return type(error).__module__.partition(".")[0] == "psycopg"


def _state(error: BaseException | None) -> str | None:
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else None
