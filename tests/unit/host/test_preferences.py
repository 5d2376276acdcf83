from __future__ import annotations

from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.host.preferences import open_preferences


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


def reread(file: Path, key: str) -> str:
    preferences, problem = open_preferences(file)
    assert problem is None
    return preferences.text(key)


def test_round_trip_keeps_what_it_does_not_know(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('[later]\nx = [1, 2]\n\n[other]\ny = "z"\n', encoding="utf-8")
    preferences, problem = open_preferences(file)
    assert problem is None
    preferences.store({"model": 'C:\\models\\"é"\u2028.gguf'})
    assert reread(file, "model") == 'C:\\models\\"é"\u2028.gguf'
    assert "x = [\n    1,\n    2,\n]" in file.read_text(encoding="utf-8")
    assert preferences.text("later", "default") == "default"  # a table is no text


def test_hand_written_numbers_and_truth_values_are_text(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("ctx_size = 8192\nrollback = true\n", encoding="utf-8")
    assert (reread(file, "ctx_size"), reread(file, "rollback")) == ("8192", "true")


def test_two_windows_do_not_undo_each_other(file: Path) -> None:
    one, two = open_preferences(file)[0], open_preferences(file)[0]
    one.store({"theme": "dark"})
    two.store({"language": "zh"})
    assert (reread(file, "theme"), reread(file, "language")) == ("dark", "zh")


@pytest.mark.parametrize("content", [b"theme = ", b"\0" * 100, b"\xff\xfe"], ids=["cut", "zeroed", "no text"])
def test_damaged_file_is_set_aside_and_the_one_before_used(file: Path, content: bytes) -> None:
    preferences, _ = open_preferences(file)
    preferences.store({"theme": "dark"})
    preferences.store({"theme": "light"})
    file.write_bytes(content)
    preferences, problem = open_preferences(file)
    assert problem is not None
    assert problem.code == "settings_file_damaged"
    aside = Path(str(dict(problem.params)["path"]))
    assert aside.name.startswith("settings.toml.damaged-")
    assert aside.read_bytes() == content
    assert preferences.text("theme") == "dark"
    preferences.store({"language": "en"})
    assert reread(file, "theme") == "dark"


def test_damaged_file_without_a_copy_gives_the_defaults(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("=", encoding="utf-8")
    preferences, problem = open_preferences(file)
    assert problem is not None
    assert preferences.text("theme", "system") == "system"


def test_unreadable_file_is_left_where_it_is(file: Path) -> None:
    file.mkdir(parents=True)  # reading a folder fails for every user, also for root
    preferences, problem = open_preferences(file)
    assert problem is not None
    assert problem.code == "settings_file_unreadable"
    assert file.is_dir()
    with pytest.raises(KnownError, match="config"):
        preferences.store({"theme": "dark"})
    assert preferences.text("theme") == "dark"
    assert [entry.name for entry in file.parent.iterdir() if entry.name.startswith(".")] == []
