from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from qtune.host.paths import AppPaths, app_paths
from qtune.host.single_instance import ask_to_raise, claim

SECOND = """
import sys
from pathlib import Path
from qtune.host.paths import app_paths
from qtune.host.single_instance import ask_to_raise, claim
paths = app_paths(Path(sys.argv[1]))
print(claim(paths) is None, ask_to_raise(paths))
"""


@pytest.fixture
def paths(tmp_path: Path) -> AppPaths:
    paths = app_paths(tmp_path / "home")
    paths.ensure()
    return paths


def test_second_start_raises_the_first(paths: AppPaths, tmp_path: Path) -> None:
    first = claim(paths)
    assert first is not None
    raised = threading.Event()
    first.on_raise(raised.set)
    try:
        repo = Path(__file__).resolve().parents[3]
        command = [sys.executable, "-c", SECOND, str(tmp_path / "home")]
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=True, cwd=repo
        ).stdout
        assert said.split() == ["True", "True"]
        assert raised.is_set()
        address = paths.state / "instance.json"
        text = address.read_text(encoding="utf-8")
        raised.clear()
        address.write_text(text.replace('"token": "', '"token": "0'), encoding="utf-8")
        assert not ask_to_raise(paths)  # without the token nobody is heard
        assert not raised.is_set()
        address.write_text("{", encoding="utf-8")
        assert not ask_to_raise(paths)
    finally:
        first.release()
    assert not ask_to_raise(paths)
    again = claim(paths)
    assert again is not None
    again.release()
