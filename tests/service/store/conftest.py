"""The records to store, and a history of its own for each test."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from qtune.store.history import History, open_history

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def made() -> ModuleType:
    spec = importlib.util.spec_from_file_location("made", HERE / "made.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def database(tmp_path: Path) -> Path:
    # A folder whose name would mean something in an address, in SQL or to a formatter.
    folder = tmp_path / ("50%20 #历史 'x' {y}" + ("" if sys.platform == "win32" else "?mode=ro"))
    folder.mkdir()
    return folder / "qtune.db"


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def history(database: Path, backups: Path) -> Iterator[History]:
    with open_history(database, backups) as opened:
        yield opened
