"""Whether the window stays smooth under a torrent of text: prints one table and fails if a bar is missed.

Run: python benchmarks/stream.py [--seconds 60] [--rate 2000]

The whole window is open with both rows of charts, and a thread announces what an engine would: tokens at the
given pace, a request every five seconds, readings twice a second. A tick is the time from waking up to the
next rest of the GUI thread, so nothing the user does waits longer than the longest tick.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.table import Row, show
from qtune.core.events import RequestFinished, RequestStarted, RunStarted, TextArrived
from qtune.ui.main_window import MainWindow
from tests.ui import fake_story as story
from tests.ui.fake_desk import FakeDesk, Scene

ROOT = Path(__file__).resolve().parent.parent
LONGEST_MS, USUAL_MS, USUAL_SHARE = 50.0, 16.0, 95.0
GROWTH_MIB = 16.0
"""What allocators keep back and the first answers fill."""
REQUEST_S, READING_S, BATCH_S = 5.0, 0.5, 0.01
WARM_S = 5.0
"""The first answers build their lines and fill their caches; the figures begin behind them."""


class Torrent(threading.Thread):
    """Announces on a thread of its own, as the io thread does, in packets of some milliseconds."""

    def __init__(self, desk: FakeDesk, rate: float) -> None:
        super().__init__(name="torrent", daemon=True)
        self._desk, self._rate = desk, rate
        self.ended = threading.Event()
        self.sent = 0

    def run(self) -> None:
        desk, stage = self._desk, story.Stage()
        run = story.run_record("torrent", "balanced", stage)
        desk.emit(RunStarted(run, 1, 1))
        words = story.words(997)
        began = time.perf_counter()
        asked = read = -1
        while not self.ended.wait(BATCH_S):
            now_ns, since = time.perf_counter_ns(), time.perf_counter() - began
            if int(since / READING_S) > read:
                read = int(since / READING_S)
                desk.emit(story.telemetry(stage, now_ns, 1.0, read))
            if int(since / REQUEST_S) > asked:
                if asked >= 0:
                    record = story.request(run.id, asked, now_ns, run.arm, 100, stage, "")
                    desk.emit(RequestFinished(record, run.arm))
                asked = int(since / REQUEST_S)
                desk.emit(RequestStarted(run.id, run.arm, asked, "counted"))
            due = int(since * self._rate)
            # Stamps lie evenly in the packet, as they do when a server keeps its pace.
            step = round(BATCH_S * 1e9 / max(due - self.sent, 1))
            desk.emit(
                *(
                    TextArrived(run.id, "content", words[n % len(words)], now_ns - (due - n) * step)
                    for n in range(self.sent, due)
                )
            )
            self.sent = due


class TimedApp(QApplication):
    """Times what the GUI thread does between two rests, ms: by the clock, and its own processor time.

    Events that follow each other within a blink belong to one tick: no input gets in between.
    """

    BLINK_S = 0.0003

    def __init__(self) -> None:
        super().__init__(sys.argv[:1])
        self.wall: list[float] = []
        self.own: list[float] = []
        self._depth = 0
        self._began = self._own_began = self._ended = self._own_ended = 0.0

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        if self._depth:
            return super().notify(receiver, event)
        now = time.perf_counter()
        if now - self._ended > self.BLINK_S:
            self.close_tick()
            self._began, self._own_began = now, time.thread_time()
        self._depth += 1
        try:
            return super().notify(receiver, event)
        finally:
            self._depth -= 1
            self._ended, self._own_ended = time.perf_counter(), time.thread_time()

    def close_tick(self) -> None:
        if self._began:
            self.wall.append((self._ended - self._began) * 1000)
            self.own.append((self._own_ended - self._own_began) * 1000)

    def clear(self) -> None:
        self.wall.clear()
        self.own.clear()
        self._began = 0.0


def observed(seconds: float, rate: float) -> tuple[list[tuple[float, float]], list[float], int]:
    """Ticks as (by the clock, own) ms, resident memory by the second (MiB), and tokens sent."""
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = TimedApp()
    app.setQuitOnLastWindowClosed(False)
    desk = FakeDesk(
        Scene(
            preferences={"model": story.MODEL.path, "language": "en", "theme": "light", "second_row": "yes"}
        )
    )
    window = MainWindow(desk, app, ROOT / "resources")
    window.resize(1440, 900)
    window.show()
    told, memory, torrent = list[tuple[float, float]](), list[float](), Torrent(desk, rate)
    process = psutil.Process()
    look = QTimer()
    look.setInterval(1000)
    look.timeout.connect(lambda: memory.append(process.memory_info().rss / 2**20))

    def begin() -> None:
        gc.freeze()  # as the app does once its window is there
        app.clear()
        look.start()

    def end() -> None:
        torrent.ended.set()
        look.stop()
        told.extend(zip(app.wall, app.own, strict=True))
        window.closed.connect(app.quit)
        window.shut_down()

    torrent.start()
    QTimer.singleShot(round(WARM_S * 1000), begin)
    QTimer.singleShot(round((WARM_S + seconds) * 1000), end)
    app.exec()
    torrent.join(5)
    return told, memory, torrent.sent


def rows(seconds: float, rate: float) -> Iterator[Row]:
    ticks, memory, sent = observed(seconds, rate)
    if sent < rate * seconds * 0.9:
        raise SystemExit(
            f"only {sent} tokens could be sent in {seconds + WARM_S:g} s; the machine is too busy"
        )
    wall, own = np.array(ticks).T
    note = f"of the GUI thread itself {own.max():.1f} ms"
    yield Row("longest block of the GUI thread", float(wall.max()), LONGEST_MS, unit="ms", note=note)
    share = float((wall <= USUAL_MS).mean() * 100)
    usual = f"{np.percentile(wall, 95):.1f} ms, own {np.percentile(own, 95):.1f} ms"
    note = f"{wall.size} ticks, 95 % within {usual}"
    yield Row(f"ticks within {USUAL_MS:g} ms", share, USUAL_SHARE, "least", "%", note=note)
    third = max(len(memory) // 3, 1)
    grown = max(memory[-third:]) - max(memory[:third])
    note = f"{memory[-1]:.0f} MiB at the end"
    yield Row("memory, last third against first", grown, GROWTH_MIB, unit="MiB", note=note)
    busy = float(own.sum() / (seconds * 10))
    yield Row("GUI thread at work", busy, unit="%", note=f"{sent / (seconds + WARM_S):,.0f} tok/s sent")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to look (default 60)")
    parser.add_argument("--rate", type=float, default=2000, help="tokens per second (default 2000)")
    given = parser.parse_args()
    return show(rows(given.seconds, given.rate))


if __name__ == "__main__":
    sys.exit(main())
