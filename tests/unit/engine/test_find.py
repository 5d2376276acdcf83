import os
import sys
from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.engine.find import find_engines

NAME = "llama-server.exe" if sys.platform == "win32" else "llama-server"


def program(folder: Path, *, runs: bool = True) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.touch()
    path.chmod(0o755 if runs else 0o644)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def env(home: Path, *path: Path | str) -> dict[str, str]:
    return {"HOME": str(home), "USERPROFILE": str(home), "PATH": os.pathsep.join(map(str, path))}


def mine(tmp_path: Path, *args: object, **kwargs: object) -> list[tuple[str, str]]:
    refs = find_engines(*args, **kwargs)  # type: ignore[arg-type]
    return [(ref.found_in, ref.path) for ref in refs if Path(ref.path).is_relative_to(tmp_path)]


def test_chosen_then_path_then_usual_places(tmp_path: Path, home: Path) -> None:
    usual = program(home / "llama.cpp" / "build" / "bin")
    chosen = program(tmp_path / "mine")
    on_path = program(tmp_path / "bin")
    extra = program(tmp_path / "extra" / "bin")
    found = mine(
        tmp_path, chosen, env(home, "", "relative", tmp_path / "gone", on_path.parent), [tmp_path / "extra"]
    )
    assert found == [
        ("chosen", str(chosen)),
        ("PATH", str(on_path)),
        (str(extra.parent), str(extra)),
        (str(usual.parent), str(usual)),
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_one_program_is_listed_once_under_its_best_name(tmp_path: Path, home: Path) -> None:
    real = program(home / "llama.cpp" / "build" / "bin")
    link = tmp_path / "bin" / NAME
    link.parent.mkdir()
    link.symlink_to(real)
    assert mine(tmp_path, None, env(home, link.parent)) == [("PATH", str(link))]


@pytest.mark.skipif(sys.platform == "win32", reason="no execute bit there")
def test_a_file_that_may_not_run_is_passed_over(tmp_path: Path, home: Path) -> None:
    program(tmp_path / "bin", runs=False)
    assert mine(tmp_path, None, env(home, tmp_path / "bin")) == []


@pytest.mark.parametrize("place", ["", "bin", "build/bin"])
def test_a_chosen_folder_stands_for_the_program_in_it(tmp_path: Path, home: Path, place: str) -> None:
    inside = program(tmp_path / "llama" / place)
    assert mine(tmp_path, tmp_path / "llama", env(home)) == [("chosen", str(inside))]


@pytest.mark.parametrize(("name", "code"), [("gone", "engine_missing"), ("home", "engine_is_folder")])
def test_a_wrong_choice_has_a_sentence(tmp_path: Path, home: Path, name: str, code: str) -> None:
    with pytest.raises(KnownError) as caught:
        find_engines(tmp_path / name, env(home))
    assert caught.value.code == code
    assert str(tmp_path / name) in str(caught.value)


def test_the_bundled_engine_comes_last(home: Path) -> None:
    assert find_engines(None, env(home), bundled_available=lambda: True)[-1].kind == "bundled"
    assert "bundled" not in {ref.kind for ref in find_engines(None, env(home), bundled_available=False)}
