"""Brings a database to the schema of this version, all steps in one transaction.

alembic is imported inside the function: it costs a tenth of a second that no start without a change pays.
"""

from __future__ import annotations

import logging

from sqlalchemy import Connection, Engine

from qtune.core.errors import BugError
from qtune.store import postgres, sqlite

_log = logging.getLogger("qtune.store")

SCRIPTS = "qtune.store:migrations"
"""Where the revisions are, as a path inside the package: there is no ini file, installed or not."""


def knows(revision: str) -> bool:
    """Whether a revision is one of ours; if not, a newer version wrote it."""
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    scripts = ScriptDirectory.from_config(config)
    return any(script.revision == revision for script in scripts.walk_revisions())


def upgrade(engine: Engine) -> None:
    """Run every revision that is missing. Two processes may try together: the second finds nothing to do.

    Args:
        engine: One with foreign keys off, or rebuilding a table deletes the rows that refer to it.
    """
    with engine.begin() as connection:
        upgrade_within(connection)


def upgrade_within(connection: Connection) -> None:
    """The same within a transaction that lets nobody else write."""
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    if connection.dialect.name == "postgresql":
        postgres.sort_by_code_point(connection)
    elif broken := sqlite.broken_references(connection):
        raise BugError(f"the migration broke references in {', '.join(broken)}")
    _log.info("history brought to the schema of this version")
