"""Where a llama-server may be: the chosen file, PATH, the usual folders, and the bundled engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from qtune.core.engine_facts import EngineRef
from qtune.core.errors import KnownError
from qtune.host.program import self_command

_NAME = "llama-server.exe" if sys.platform == "win32" else "llama-server"

_INSIDE = ("", "bin", "build/bin", "build/bin/Release")
"""Places inside a folder: unpacked archives, installations, and builds by CMake."""


def find_engines(
    chosen: Path | None,
    env: Mapping[str, str],
    extra_folders: Iterable[Path] = (),
    *,
    bundled_available: bool | Callable[[], bool] = False,
) -> list[EngineRef]:
    """Every engine that can be found, best first, each program once.

    Args:
        chosen: What the user chose: the program, or a folder with it.
        env: Environment whose PATH and home folders are searched.
        extra_folders: More folders to look into, before the usual ones.
        bundled_available: Whether the engine that comes with qtune can be started.

    Raises:
        KnownError: ``engine_missing`` or ``engine_is_folder`` when the chosen one is not there.
    """
    found = [] if chosen is None else [_binary(chosen_program(chosen), "chosen")]
    found += [_binary(program, "PATH") for program in _programs(_path_folders(env), ("",))]
    folders = [*extra_folders, *_usual_folders(env)]
    found += [_binary(program, str(program.parent)) for program in _programs(folders, _INSIDE)]
    unique = {os.path.normcase(os.path.realpath(ref.path)): ref for ref in reversed(found)}
    refs = list(reversed(unique.values()))
    if bundled_available() if callable(bundled_available) else bundled_available:
        refs.append(bundled_ref())
    return refs


def bundled_ref() -> EngineRef:
    """The engine that comes with qtune, started through qtune itself."""
    return EngineRef("bundled", tuple(self_command("--bundled-engine")), sys.executable, "bundled")


def chosen_program(chosen: Path) -> Path:
    """The program that a chosen path means.

    Raises:
        KnownError: ``engine_missing``, or ``engine_is_folder`` when no llama-server is inside.
    """
    path = chosen.expanduser().absolute()  # links are kept: their name is what the user knows
    if path.is_file():
        return path
    if not path.is_dir():
        raise KnownError("engine_missing", path=str(path))
    inside = next(_programs([path], _INSIDE), None)
    if inside is None:
        raise KnownError("engine_is_folder", path=str(path))
    return inside


def _binary(program: Path, found_in: str) -> EngineRef:
    return EngineRef("binary", (str(program),), str(program), found_in)


def _programs(folders: Iterable[Path], places: tuple[str, ...]) -> Iterator[Path]:
    for folder in folders:
        for place in places:
            program = folder / place / _NAME
            if _may_run(program):
                yield program


def _may_run(program: Path) -> bool:
    try:
        return program.is_file() and os.access(program, os.X_OK)
    except OSError:  # a folder of PATH that we may not look into
        return False


def _path_folders(env: Mapping[str, str]) -> Iterator[Path]:
    for entry in env.get("PATH", "").split(os.pathsep):
        # An empty or relative entry means the working directory, which may be anybody's.
        if entry and Path(entry).is_absolute():
            yield Path(entry)


def _usual_folders(env: Mapping[str, str]) -> list[Path]:
    home = Path(env.get("USERPROFILE" if sys.platform == "win32" else "HOME") or Path.home())
    folders = [home / "llama.cpp"]
    if sys.platform == "win32":
        inside = (("LOCALAPPDATA", "Microsoft/WinGet/Links"), ("LOCALAPPDATA", "Programs/llama.cpp"))
        inside += (("LOCALAPPDATA", "llama.cpp"), ("PROGRAMFILES", "llama.cpp"))
        folders += [Path(env[name]) / rest for name, rest in inside if env.get(name)]
        folders += [home / "scoop" / "shims", Path("C:/llama.cpp")]
        return folders
    folders.append(home / ".local")
    if sys.platform == "darwin":
        folders.append(Path("/opt/homebrew"))
    else:
        folders.append(Path("/home/linuxbrew/.linuxbrew"))
    return [*folders, Path("/usr/local"), Path("/usr"), Path("/opt/llama.cpp")]
