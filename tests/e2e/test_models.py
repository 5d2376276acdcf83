"""``qtune models`` end to end: a real process on a folder of awkward files, and on one that hangs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.models.tree import gguf_bytes, llm, make_tree


def test_thirty_awkward_files(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    tree = make_tree(tmp_path / "tree")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "qtune",
            "models",
            str(tree.root),
            "--json",
            "--base-dir",
            str(tmp_path / "b"),
        ],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    told = json.loads(done.stdout)
    models = {m["path"]: m for m in told["result"]["models"]}
    assert {
        p: (m["quant"], m["mtp"], len(m["files"]), m["size_bytes"]) for p, m in models.items()
    } == tree.models
    assert len(told["result"]["models"]) == len(models)
    codes = sorted(problem["code"] for problem in told["result"]["problems"])
    assert codes == sorted(tree.problems.values())
    assert not set(done.stdout.decode()) & set("\x1b\x07\u202e")


HANGS = """
import os, sys, threading
from qtune.__main__ import main
from qtune.models import discovery
real, real_read, was_read = os.scandir, discovery._read, threading.Event()
def scandir(path="."):
    if str(path).endswith("drive"):
        was_read.wait(60)
        print("hangs", file=sys.stderr, flush=True)
        threading.Event().wait()
    return real(path)
def read(*about):
    found = real_read(*about)
    was_read.set()
    return found
os.scandir, discovery._read = scandir, read
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another process")
def test_ctrl_c_shows_what_was_found(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    (shelf / "drive").mkdir(parents=True)
    (shelf / "A.gguf").write_bytes(gguf_bytes(llm("A")))
    words = ["models", str(shelf), "--json", "--base-dir", str(tmp_path / "b")]
    with subprocess.Popen(
        [sys.executable, "-c", HANGS, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"hangs\n"
        process.send_signal(signal.SIGINT)
        begun = time.perf_counter()
        out, _ = process.communicate(timeout=120)
    assert time.perf_counter() - begun < 5
    told = json.loads(out)
    assert process.returncode == 130
    assert told["error"]["code"] == "model_search_cancelled"
    assert [m["name"] for m in told["result"]["models"]] == ["A"]
