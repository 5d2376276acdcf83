"""How soon the window is there: prints one table and fails if the bar is missed.

Run: python benchmarks/start.py [--seconds 30]

Two programs are started in turn, each a fresh process: qtune on folders of its own, and a bare window with
one pyqtgraph plot. The time runs from the start of the process to the end of the first painting. Both are
warm: the first start of each is left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.table import Row, show

ROOT = Path(__file__).resolve().parent.parent
MOST_TIMES = 1.5
LEAST_PAIRS = 3
LIMIT_S = 60

# A window paints all in it while it handles its exposure, so the next turn of the loop is behind that.
HOOK = """
import time
from PySide6.QtCore import QEvent, QObject, QTimer
class Watch(QObject):
    def __init__(self, window, then):
        super().__init__(window)
        self.window, self.then = window, then
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Expose:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.tell)
        return False
    def tell(self):
        print("painted", time.perf_counter(), flush=True)
        self.then(self.window)
def watched(kind, then):
    before = kind.showEvent
    def showEvent(self, event):
        before(self, event)
        self.windowHandle().installEventFilter(Watch(self, then))
    kind.showEvent = showEvent
"""
BARE = (
    HOOK
    + """
import numpy, pyqtgraph
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    pass
watched(Window, lambda window: window.close())
app = QApplication([])
window = Window()
plot = pyqtgraph.PlotWidget()
plot.plot(numpy.arange(100.0), numpy.arange(100.0))
window.setCentralWidget(plot)
window.resize(1360, 880)
window.show()
app.exec()
"""
)
QTUNE = (
    HOOK
    + """
import sys
from qtune import app
from qtune.ui.main_window import MainWindow
watched(MainWindow, lambda window: window.shut_down())
sys.exit(app.main(["--base-dir", sys.argv[1]]))
"""
)


def first_paint_s(code: str, *words: str) -> float:
    """Seconds from the start of a process to the end of its first painting; the clock is the system's."""
    env = dict(os.environ)
    if not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")) and sys.platform == "linux":
        env.setdefault("QT_QPA_PLATFORM", "offscreen")
    began = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=ROOT, env=env, capture_output=True, text=True,
        timeout=LIMIT_S, check=False,
    )  # fmt: skip
    told = [line.split()[1] for line in ended.stdout.splitlines() if line.startswith("painted")]
    if ended.returncode or not told:
        raise SystemExit(f"no window came: {ended.stderr[-2000:]}")
    return float(told[0]) - began


def rows(seconds: float) -> Iterator[Row]:
    bare, ours = [], []
    with tempfile.TemporaryDirectory() as folder:
        first_paint_s(BARE)
        first_paint_s(QTUNE, folder)
        end = time.perf_counter() + seconds
        while len(bare) < LEAST_PAIRS or time.perf_counter() < end:
            bare.append(first_paint_s(BARE))
            ours.append(first_paint_s(QTUNE, folder))
    pairs = [mine / other for mine, other in zip(ours, bare, strict=True)]
    spread = f"{min(pairs):.2f} to {max(pairs):.2f}"
    yield Row(
        "bare window with a plot", median(bare) * 1000, unit="ms", decimals=0, note=f"{len(bare)} starts"
    )
    yield Row(
        "qtune", median(ours) * 1000, unit="ms", decimals=0, note="folders that exist, nothing measured"
    )
    yield Row(
        "qtune against bare, median of pairs",
        median(pairs),
        MOST_TIMES,
        unit="times",
        decimals=2,
        note=spread,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30, help="how long to go on (default 30)")
    return show(rows(parser.parse_args().seconds))


if __name__ == "__main__":
    sys.exit(main())
