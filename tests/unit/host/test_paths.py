from __future__ import annotations

import os
from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.host.paths import app_paths, resource_dir


def test_one_folder_for_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QTUNE_HOME", str(tmp_path / "by variable"))
    assert app_paths().database_file == tmp_path / "by variable" / "data" / "qtune.db"
    paths = app_paths(tmp_path / "by argument")
    assert paths.settings_file == tmp_path / "by argument" / "config" / "settings.toml"
    paths.ensure()
    paths.ensure()
    made = (paths.config, paths.data, paths.state, paths.cache, paths.backups, paths.logs, paths.sample_dir)
    assert all(folder.is_dir() for folder in made)
    assert list(paths.empty_config_dir.iterdir()) == []


def test_usual_folders_carry_the_name_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QTUNE_HOME")
    paths = app_paths()
    for folder in (paths.config, paths.data, paths.state, paths.cache):
        assert folder.parts.count("qtune") == 1


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_folder_that_cannot_be_made_is_a_known_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, not a folder", encoding="utf-8")
    with pytest.raises(KnownError) as caught:
        app_paths(tmp_path / "home").ensure()
    assert caught.value.code == "folder_not_writable"
    assert str(tmp_path / "home") in str(caught.value)


def test_resources_are_found() -> None:
    assert (resource_dir() / "presets").is_dir()
