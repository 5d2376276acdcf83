"""The records to store, and a history of its own for each test: in a file, or on a PostgreSQL server.

A module marked ``both_databases`` is tested on both; a test of it marked ``file_only`` is about files. The
server starts with the first test that needs it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import URL, create_engine

from qtune.store import schema
from qtune.store.address import Address, Place, place_of
from qtune.store.history import History, open_history
from tests.postgres import Sql

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def made() -> ModuleType:
    spec = importlib.util.spec_from_file_location("made", HERE / "made.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    if "both_databases" not in marks or "file_only" in marks:
        return
    if "kind_of_database" in metafunc.fixturenames:
        kinds = ["file", pytest.param("postgres", marks=pytest.mark.postgres)]
        metafunc.parametrize("kind_of_database", kinds, indirect=True, scope="module")


@pytest.fixture(scope="module")
def kind_of_database(request: pytest.FixtureRequest) -> str:
    """Where this test keeps its history: ``file`` or ``postgres``."""
    return str(getattr(request, "param", "file"))


@pytest.fixture(scope="session")
def made_once(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Name of a database with all tables and no rows, to be copied."""
    server, folder = request.getfixturevalue("postgres_server"), tmp_path_factory.mktemp("template")
    name: str = server.new_database()
    open_history(place_of(server.url(name), folder), folder, wait_s=30).close()
    return name


@pytest.fixture(scope="session")
def in_turn(request: pytest.FixtureRequest, made_once: str) -> str:
    """Name of the database that tests use one after the other; whoever changes its tables takes another."""
    name: str = request.getfixturevalue("postgres_server").new_database(made_once)
    return name


@pytest.fixture
def database(kind_of_database: str, request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if kind_of_database == "postgres":
        return emptied_on_server(request, tmp_path)
    # A folder whose name would mean something in an address, in SQL or to a formatter.
    folder = tmp_path / ("50%20 #历史 'x' {y}" + ("" if sys.platform == "win32" else "?mode=ro"))
    folder.mkdir()
    return folder / "qtune.db"


def emptied_on_server(request: pytest.FixtureRequest, folder: Path) -> Address:
    """The one database that tests use in turn, without rows: a new one for each would be far more work."""
    server, name = request.getfixturevalue("postgres_server"), request.getfixturevalue("in_turn")
    tables = [table.name for table in reversed(schema.METADATA.sorted_tables)]
    keys = [f"{name}_key_seq" for name in ("runs", "ladder_steps", "incidents")]
    server.run(
        name,
        *(f"DELETE FROM {table}" for table in tables),  # noqa: S608
        *(f"ALTER SEQUENCE {key} RESTART" for key in keys),
    )
    place = place_of(server.url(name), folder)
    assert isinstance(place, Address)
    return place


@pytest.fixture
def sql() -> Sql:
    """Runs statements past qtune, in one transaction; returns the rows of the last one that has some."""

    def run(place: Place, *statements: str) -> list[tuple[Any, ...]]:
        if isinstance(place, Path):
            engine = create_engine(URL.create("sqlite", database=str(place)))
        else:
            engine = create_engine(place.url.set(password=place.password()))
        found: list[tuple[Any, ...]] = []
        with engine.begin() as connection:
            for statement in statements:
                done = connection.exec_driver_sql(statement)
                found = [tuple(row) for row in done] if done.returns_rows else found
        engine.dispose()
        return found

    return run


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def history(database: Place, backups: Path) -> Iterator[History]:
    with open_history(database, backups) as opened:
        yield opened
