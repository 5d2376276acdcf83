"""The genuine binding (nvidia-ml-py) over a stub of the driver library that answers as the boards do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.telemetry.boards.expectation import differences
from tests.unit.telemetry.boards.replay import BOARDS, answers, load

COMPILER = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux", reason="only Linux looks the driver library up by a path of ours"
    ),
    pytest.mark.skipif(COMPILER is None, reason="no C compiler (cc, gcc or clang) to build the stub with"),
]

ROOT = Path(__file__).parents[3]

READ = """
import json, os, sys
from qtune.telemetry import nvml
from tests.unit.telemetry.boards.expectation import read
nvml._KNOWN_PLACES = tuple(sys.argv[2:])
told = {}
for board, (answers, environment) in json.loads(sys.argv[1]).items():
    os.environ["NVML_STUB_ANSWERS"] = answers  # the stub reads them anew at each opening
    cards = nvml.NvmlCards(environment=environment)
    told[board] = read(cards)
    cards.close()
print(json.dumps(told))
"""

Build = Callable[[tuple[str, ...]], Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Folder of a stub without the functions given; each kind is built once."""
    built: dict[tuple[str, ...], Path] = {}

    def folder(absent: tuple[str, ...]) -> Path:
        if absent not in built:
            target = tmp_path_factory.mktemp("nvml") / "libnvidia-ml.so.1"
            flags = ["-std=c11", "-O0", "-shared", "-fPIC", f"-Wl,-soname,{target.name}"]
            source = Path(__file__).with_name("nvml_stub.c")
            left_out = [f"-DABSENT_{name}" for name in absent]
            assert COMPILER is not None
            subprocess.run([COMPILER, *flags, *left_out, "-o", target, source], check=True, timeout=120)
            built[absent] = target.parent
        return built[absent]

    return folder


@pytest.fixture(scope="module")
def told(build: Build, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each board tells; all that share a library are read by one process."""
    groups: dict[Path, list[str]] = {}
    for board in BOARDS:
        computer = load(board)
        missing = computer.get("library") == "missing"
        folder = tmp_path_factory.mktemp("empty") if missing else build(tuple(computer.get("absent", ())))
        groups.setdefault(folder, []).append(board)
    found: dict[str, Any] = {}
    for folder, boards in groups.items():
        found |= read_through(folder, boards, tmp_path_factory.mktemp("answers"))
    return found


def read_through(folder: Path, boards: Sequence[str], scratch: Path, *places: Path) -> dict[str, Any]:
    """Read boards in a process whose loader finds the library in a folder, and which knows other places."""
    work = {}
    for board in boards:
        computer = load(board)
        table = scratch / board
        table.write_text(
            "".join(
                f"{function}|{handle}|{code}|{' '.join(words)}\n"
                for (function, handle), (code, words) in answers(computer).items()
            )
        )
        work[board] = (str(table), computer.get("environment", {}))
    environment = os.environ | {"LD_LIBRARY_PATH": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", READ, json.dumps(work), *map(str, places)],
        check=False,
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("board", BOARDS)
def test_board_through_the_genuine_binding(board: str, told: dict[str, Any]) -> None:
    if board == "library_missing" and shutil.which("nvidia-smi"):
        pytest.skip("this computer has the library of a genuine driver")

    assert differences(load(board), told[board]) == []


def test_library_off_the_path_comes_before_one_that_is_on_it(build: Build, tmp_path: Path) -> None:
    """As under WSL, where a distribution's package may bring a library that knows no driver."""
    on_the_path, elsewhere = build(("nvmlDeviceGetMemoryInfo_v2",)), build(()) / "libnvidia-ml.so.1"

    told = read_through(on_the_path, ["rtx_4090"], tmp_path, elsewhere)

    assert differences(load("rtx_4090"), told["rtx_4090"]) == []


def test_library_off_the_path_that_cannot_be_loaded_costs_nothing(build: Build, tmp_path: Path) -> None:
    damaged = tmp_path / "libnvidia-ml.so.1"
    damaged.write_bytes(b"\x7fELF but no more")

    told = read_through(build(()), ["rtx_4090"], tmp_path, damaged)

    assert differences(load("rtx_4090"), told["rtx_4090"]) == []
