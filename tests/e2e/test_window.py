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
from qtune.ui.state import own_settings

WAIT_MS = 120_000
CLOSED_WITHIN_S = 40.0  # ten are meant, on a machine that is free


@pytest.mark.engine
def test_one_click_to_the_sample_then_a_measured_table(qtbot: QtBot, qapp: QApplication, home: Path) -> None:
    qapp.setQuitOnLastWindowClosed(False)
    desk = open_desk(home)
    desk.set_preferences({"own_settings": own_settings.to_text((("threads", 1),))})  # two wait for each other
    window = MainWindow(desk, qapp, resource_dir())
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


PERSON = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox
from qtune import app
from qtune.ui import main_window
from qtune.ui.main_window import MainWindow

class Person(MainWindow):
    def __init__(self, *parts):
        super().__init__(*parts)
        self.pieces = 0
        self.bridge.text_arrived.connect(self.read)
        self.turn = QTimer(self, interval=50)
        self.turn.timeout.connect(self.act)
        self.turn.start()

    def read(self, pieces):
        self.pieces += len(pieces)

    def act(self):
        bench = self.bench
        yes = QMessageBox.ButtonRole.AcceptRole
        boxes = self.findChildren(QMessageBox)
        if boxes:
            next(b for b in boxes[0].buttons() if boxes[0].buttonRole(b) is yes).click()
            self.turn.stop()
        elif self.pieces > 20:
            print("closing", flush=True)
            self.pieces = -1_000_000
            self.close()
        elif bench.idle and bench.finder.engines_known and self.pieces == 0:
            self.run_job("measure") if bench.complete else bench.use_sample()

main_window.MainWindow = Person
sys.exit(app.main(sys.argv[1:]))
"""


@pytest.mark.engine
def test_closed_in_mid_stream_it_goes_with_everything_and_the_run_is_marked_cancelled(
    tmp_path: Path, sample_cache: Path
) -> None:
    base = tmp_path / "home"
    (base / "cache").mkdir(parents=True)
    (base / "cache" / "sample").symlink_to(sample_cache)
    app = subprocess.Popen(
        [sys.executable, "-c", PERSON, "--base-dir", str(base)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert app.stdout is not None
        assert app.stdout.readline() == "closing\n"
        family = psutil.Process(app.pid).children(recursive=True)
        assert family, "the engine is answering"
        _, stderr = app.communicate(timeout=CLOSED_WITHIN_S)
    finally:
        app.kill()
        app.wait()

    # The offscreen plugin says so of every window that has a least size, as a question has.
    said = [line for line in stderr.splitlines() if "plugin does not support propagateSizeHints" not in line]
    assert (app.returncode, said) == (0, [])
    assert [p for p in family if p.is_running()] == []
    with open_history(base / "data" / "qtune.db", base / "data" / "backups") as history:
        assert [run.status for run in history.reader.runs()] == [RunStatus.CANCELLED]
