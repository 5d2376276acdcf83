"""The app is killed before its guard is ready, or just as it is: nothing it started may stay."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
REPO = Path(__file__).resolve().parents[3]
LIMIT_S = 120.0

VICTIM = """
import asyncio, os, signal, sys, threading
from qtune.host import child_posix
command = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(300)"]

async def main():
    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    real = child_posix._start_guard
    async def started(*args):
        child = await real(*args)
        if float(sys.argv[1]) == 0:
            die()
        threading.Timer(float(sys.argv[1]), die).start()
        return child
    child_posix._start_guard = started
    await child_posix.spawn(command, dict(os.environ), None)
    await asyncio.sleep(300)

asyncio.run(main())
"""


def with_mark(mark: bytes) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.05, 0.1, 0.2, 0.5])
def test_killed_between_the_fork_and_a_ready_guard(tmp_path: Path, after_s: float) -> None:
    done = subprocess.run(
        [sys.executable, "-c", VICTIM, str(after_s)],
        cwd=REPO, env={**os.environ, "KILLED_APP": str(tmp_path)}, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    mark = f"KILLED_APP={tmp_path}".encode()
    end = time.monotonic() + LIMIT_S
    while left := with_mark(mark):
        assert time.monotonic() < end, left
        time.sleep(0.02)
