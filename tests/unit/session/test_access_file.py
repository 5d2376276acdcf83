"""The file that holds the key: for the user alone, gone in the end, and not left of those who were killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.session.access_file import AccessFile
from qtune.session.requests import ServerAccess


def test_the_key_is_for_the_user_alone(tmp_path: Path) -> None:
    file = AccessFile(tmp_path)
    file.write("first")
    file.write("second")
    assert file.path.read_text() == "second\n"
    if sys.platform != "win32":
        assert file.path.stat().st_mode & 0o777 == 0o600
    file.remove()
    file.remove()
    assert list(tmp_path.iterdir()) == []
    assert "second" not in repr(ServerAccess("http://127.0.0.1:1/v1", "second"))


def test_only_files_of_the_dead_are_cleared(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        dead.wait()
    for name in (f"serve-{dead.pid}.key", f"serve-{os.getppid()}.key", "serve-mine.key", "other.key"):
        (tmp_path / name).touch()
    AccessFile(tmp_path).clear_leftovers()
    assert {path.name for path in tmp_path.iterdir()} == {
        f"serve-{os.getppid()}.key", "serve-mine.key", "other.key",
    }  # fmt: skip


def test_a_folder_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(KnownError) as caught:
        AccessFile(tmp_path / "gone").write("key")
    assert caught.value.code == "folder_not_writable"
