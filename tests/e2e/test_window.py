"""The window end to end, offscreen: the real desk, the bundled llama.cpp engine, the sample model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qtune.core.records import RunStatus
from qtune.host.paths import resource_dir
from qtune.session.assembly import open_desk
from qtune.store.history import open_history
from qtune.ui.main_window import MainWindow

WAIT_MS = 120_000
CLOSED_WITHIN_S = 10.0


@pytest.mark.engine
@pytest.mark.timeout(300)
def test_one_click_to_the_sample_then_a_measured_table(qtbot: QtBot, qapp: QApplication, home: Path) -> None:
    qapp.setQuitOnLastWindowClosed(False)
    window = MainWindow(open_desk(home), qapp, resource_dir())
    window.show()
    try:
        qtbot.waitUntil(lambda: window.bench.finder.engines_known, timeout=WAIT_MS)
        qtbot.mouseClick(window.tune.first_start.sample, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.bench.complete, timeout=WAIT_MS)
        window.tune.measure.runs.setValue(1)
        window.bench.run_job("measure", ("off", "balanced"))
        qtbot.waitUntil(lambda: not window.bench.idle, timeout=WAIT_MS)
        qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)

        rows = window.tune.record.rowCount()
        assert rows >= 6, "two warm-ups and a counted request for each preset"
        assert window.tune.answer.text.toPlainText().count(" ") > 20, "the answer reads as sentences"
        compared = window.bench.compared("balanced")
        assert compared is not None
    finally:
        window.shut_down()
        qtbot.waitUntil(lambda: window._ended, timeout=WAIT_MS)
        closer = window._closer
        assert closer is not None
        qtbot.waitUntil(lambda: not closer.is_alive(), timeout=WAIT_MS)
    with open_history(home / "data" / "qtune.db", home / "data" / "backups") as history:
        assert [run.status for run in history.reader.runs()] == [RunStatus.DONE] * 2


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM")
@pytest.mark.timeout(120)
def test_the_program_opens_and_leaves_when_told(tmp_path: Path) -> None:
    base = tmp_path / "home"
    app = subprocess.Popen(
        [sys.executable, "-m", "qtune", "--base-dir", str(base)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        end = time.monotonic() + 60
        while not (base / "cache" / "engines.json").exists():  # the window has come up and found its engines
            assert app.poll() is None, app.communicate()[1]
            assert time.monotonic() < end
            time.sleep(0.05)
        family = psutil.Process(app.pid).children(recursive=True)
        app.send_signal(signal.SIGTERM)
        _, stderr = app.communicate(timeout=CLOSED_WITHIN_S)
    finally:
        app.kill()
        app.wait()

    assert app.returncode == 0, stderr
    assert "Traceback" not in stderr
    assert [p for p in family if p.is_running()] == []
