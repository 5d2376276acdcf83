"""How soon the window is there: prints one table and fails if the bar is missed.

Run: python benchmarks/start.py [--seconds 30]

Two programs are started in turn, each a fresh process: qtune on folders of its own, and a bare window with
one pyqtgraph plot. The time runs from the start of the process to the end of the first painting; that of
qtune is a small sign that it opens, and the whole window is told beside it. Both are warm: the first start of
each is left out.
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
from PySide6.QtWidgets import QApplication
from qtune import app
from qtune.ui.window.opening import Opening
def hideEvent(self, event):
    (window,) = [w for w in QApplication.topLevelWidgets() if w.objectName() == "window"]
    window.windowHandle().installEventFilter(Watch(window, lambda window: window.shut_down()))
Opening.hideEvent = hideEvent
watched(Opening, lambda window: None)
sys.exit(app.main(["--base-dir", sys.argv[1]]))
"""
)


def paintings_s(code: str, *words: str) -> list[float]:
    """Seconds from the start of a process to the end of each window's first painting."""
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
    return [float(at) - began for at in told]


def rows(seconds: float) -> Iterator[Row]:
    bare, signs, windows = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        paintings_s(BARE)
        paintings_s(QTUNE, folder)
        end = time.perf_counter() + seconds
        while len(bare) < LEAST_PAIRS or time.perf_counter() < end:
            bare += paintings_s(BARE)
            sign, window = paintings_s(QTUNE, folder)
            signs.append(sign)
            windows.append(window)
    yield Row("bare window with a plot", _ms(bare), unit="ms", decimals=0, note=f"{len(bare)} starts")
    yield Row("qtune: the sign that it opens", _ms(signs), unit="ms", decimals=0)
    yield Row("qtune: the whole window", _ms(windows), unit="ms", decimals=0)
    for name, times, bar in (("first paint", signs, MOST_TIMES), ("whole window", windows, None)):
        pairs = [mine / other for mine, other in zip(times, bare, strict=True)]
        spread = f"{min(pairs):.2f} to {max(pairs):.2f}"
        yield Row(f"{name} against bare", median(pairs), bar, unit="times", decimals=2, note=spread)


def _ms(times_s: list[float]) -> float:
    return median(times_s) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30, help="how long to go on (default 30)")
    return show(rows(parser.parse_args().seconds))


if __name__ == "__main__":
    sys.exit(main())
