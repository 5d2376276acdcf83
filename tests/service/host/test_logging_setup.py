from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.host.logging_setup import configure_logging, release_logging

CRASHING = """
import logging, os, sys, threading
from pathlib import Path
from qtune.host.logging_setup import configure_logging, log_crashes
folder = Path(sys.argv[1])
configure_logging(folder, terminal=True)
log_crashes(folder)
logging.getLogger("qtune.x").info("ours")
logging.getLogger("httpx").info("theirs")
logging.getLogger("httpx").warning("a warning of theirs")
thread = threading.Thread(target=lambda: 1 / 0, name="worker")
thread.start()
thread.join()
if sys.argv[2] == "hard":
    os.abort()
raise LookupError("at the top")
"""


@pytest.mark.parametrize("how", ["soft", "hard"])
def test_what_a_crashing_app_leaves_in_its_log(tmp_path: Path, how: str) -> None:
    repo = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", CRASHING, str(tmp_path), how]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=repo)
    text = (tmp_path / "qtune.log").read_text(encoding="utf-8")
    assert "MainThread qtune.x: ours" in text
    assert "theirs\n" in text
    assert "INFO    MainThread httpx" not in text
    assert "WARNING: a warning of theirs" in ended.stderr
    assert "ours" not in ended.stderr
    assert "uncaught in thread worker" in text
    assert "ZeroDivisionError" in text
    assert ended.returncode != 0
    if how == "soft":
        assert "LookupError: at the top" in text
        assert "LookupError: at the top" in ended.stderr
    else:
        assert "Fatal Python error: Aborted" in (tmp_path / "crash.txt").read_text(encoding="utf-8")


def test_a_second_set_up_takes_the_place_of_the_first(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    try:
        configure_logging(one)
        configure_logging(two)
        logging.getLogger("qtune.test").info("hello")
    finally:
        release_logging()
    logging.getLogger("qtune.test").info("after")
    assert (one / "qtune.log").read_text(encoding="utf-8") == ""
    assert (two / "qtune.log").read_text(encoding="utf-8").endswith("hello\n")
    with pytest.raises(KnownError, match="missing"):
        configure_logging(tmp_path / "missing")
