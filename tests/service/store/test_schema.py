"""The revisions lead to exactly the tables this version writes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from qtune.store import migrate, schema, sqlite
from qtune.store.history import open_history


def test_head_is_the_newest_revision() -> None:
    config = Config()
    config.set_main_option("script_location", migrate.SCRIPTS)
    assert ScriptDirectory.from_config(config).get_heads() == [schema.HEAD]
    assert migrate.knows(schema.HEAD)
    assert not migrate.knows("0999")


def test_migrated_and_declared_tables_agree(database: Path, backups: Path, tmp_path: Path) -> None:
    open_history(database, backups).close()
    engine = sqlite.read_engine(database)
    with engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, schema.METADATA) == []
    engine.dispose()
    # The comparison above does not look at constraints such as primary keys; the statements show all.
    declared = create_engine(f"sqlite:///{tmp_path / 'declared.db'}")
    schema.METADATA.create_all(declared)
    declared.dispose()
    assert statements(database) == statements(tmp_path / "declared.db")


def statements(database: Path) -> dict[str, list[str]]:
    """Parts of each statement by the name of its table or index, in no order."""
    query = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' AND name <> 'alembic_version'"
    with closing(sqlite3.connect(database)) as raw:
        return {
            name: sorted(part.strip(" ()") for part in " ".join(sql.split()).split(","))
            for name, sql in raw.execute(query)
        }


def test_an_opening_without_a_change_does_not_import_alembic(database: Path, backups: Path) -> None:
    open_history(database, backups).close()
    program = (
        "import sys; from pathlib import Path; from qtune.store.history import open_history;"
        "open_history(Path(sys.argv[1]), Path(sys.argv[2])).close();"
        "print([name for name in ('alembic', 'mako') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(database), str(backups)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""
