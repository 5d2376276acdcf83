"""What it costs to be watched: prints one table and fails if the bar is missed.

Run: python benchmarks/observer.py [--seconds 60] [--threads 0]

One engine of the processor answers the same requests in turn for two clients, each a process of its own: the
window, open and drawing what arrives, and a bare client without Qt. While the bare one asks, the window's
process stands still. The rate is the engine's own account.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.supervised_app import engine_of
from benchmarks.table import Row, show
from qtune.core import figures
from qtune.core.records import ChatMessage, RequestTimes, Sampling
from qtune.core.settings import ServerSettings
from qtune.endpoint.client import LlamaServerClient
from qtune.session.assembly import open_desk
from qtune.session.requests import LaunchRequest

ROOT = Path(__file__).resolve().parent.parent
LEAST_RATIO = 0.97
TOKENS = 200
KEY = "QTUNE_OBSERVER_KEY"
LEAST_PAIRS = 3


def chat_request(number: int):  # noqa: ANN201 - one line less to import
    from qtune.core.workload import Workload  # noqa: PLC0415 - for the children only

    asked = Workload(
        "observer", "Observer", "en", (ChatMessage("user", "Explain how to read the figures."),), TOKENS
    )
    return asked.request(f"observer {number}", Sampling(), TOKENS)


def told(times: RequestTimes) -> str:
    if times.failure is not None:
        return json.dumps({"failure": times.failure.sentence()})
    return json.dumps({"rate": figures.server_decode_tok_s(times), "tokens": figures.output_tokens(times)})


# -- the bare client -----------------------------------------------------------------------------------------


def bare(port: int, key: str) -> None:
    """Asks once for each line it reads."""

    async def go(number: int) -> RequestTimes:
        client = LlamaServerClient(port, key)
        try:
            return await client.chat(chat_request(number))
        finally:
            await client.close()

    print("{}", flush=True)
    for number, _line in enumerate(sys.stdin):
        print(told(asyncio.run(go(number))), flush=True)


# -- the window ----------------------------------------------------------------------------------------------


def window(base: str, port: int, key: str) -> None:
    """Opens everything, and asks once for each line it reads, drawing what arrives."""
    import threading  # noqa: PLC0415 - the bare client shall not load what it does not need

    from PySide6.QtCore import QTimer  # noqa: PLC0415
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    from qtune.core.events import RequestFinished, RequestStarted, RunStarted, TextArrived  # noqa: PLC0415
    from qtune.ui.main_window import MainWindow  # noqa: PLC0415
    from tests.ui import fake_story as story  # noqa: PLC0415

    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    desk = open_desk(Path(base))
    desk.set_preferences({"model": desk.make_sample().result(300).path, "second_row": "yes"})
    shown = MainWindow(desk, app, ROOT / "resources")
    shown.resize(1440, 900)
    shown.show()
    shown.closed.connect(app.quit)
    run = story.run_record("observer", "off", story.Stage())

    def work() -> None:
        desk._announcer.announce(RunStarted(run, 1, 1))  # noqa: SLF001
        print("{}", flush=True)
        for number, _line in enumerate(sys.stdin):
            print(told(desk._io.submit(ask(number)).result(300)), flush=True)  # noqa: SLF001
        QTimer.singleShot(0, app, shown.shut_down)

    async def ask(number: int) -> RequestTimes:
        announce = desk._announcer.announce  # noqa: SLF001
        chat = chat_request(number)
        announce(RequestStarted(run.id, run.arm, number, "counted", chat.messages, TOKENS))
        client = LlamaServerClient(port, key)
        try:
            times = await client.chat(
                chat, lambda kind, text, t: announce(TextArrived(run.id, kind, text, t))
            )
        finally:
            await client.close()
        made = story.request(run.id, number, times.sent_ns, run.arm, 2, story.Stage(), "")
        announce(RequestFinished(story.replace(made, times=times), run.arm))
        return times

    threading.Thread(target=work, name="work", daemon=True).start()
    app.exec()


# -- both in turn --------------------------------------------------------------------------------------------


class Child:
    """A client: one line in, one line out."""

    def __init__(self, *words: str, key: str = "") -> None:
        env = {**os.environ, KEY: key}
        if sys.platform == "linux" and not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")):
            env.setdefault("QT_QPA_PLATFORM", "offscreen")
        command = [sys.executable, __file__, *words]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )
        self.hello = self.read()

    def read(self) -> dict[str, object]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a client has ended")
        answer = json.loads(line)
        if "failure" in answer:
            raise SystemExit(answer["failure"])
        return answer

    def ask(self) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(str(self.read()["rate"]))

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def standing_still(child: Child) -> Iterator[None]:
    child.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        child.process.send_signal(signal.SIGCONT)


@contextmanager
def engine(base: Path, threads: int) -> Iterator[tuple[str, str]]:
    """A server kept by this process, which reads its log all the time; port and key."""
    desk = open_desk(base)
    try:
        model = desk.make_sample().result(300).path
        settings = ServerSettings(ctx_size=4096, threads=threads)
        desk.start_server(LaunchRequest(engine_of(desk, "bundled"), model, settings, "off")).result(300)
        access = desk.server_access()
        assert access is not None
        yield access.url.split(":")[2].split("/")[0], access.key
    finally:
        desk.close()


def rows(seconds: float, threads: int) -> Iterator[Row]:
    watched, alone = [], []
    with tempfile.TemporaryDirectory() as folder, engine(Path(folder) / "engine", threads) as (port, key):
        clients: list[Child] = []
        try:
            ours = Child("--port", port, "--role", "window", "--base", f"{folder}/window", key=key)
            clients.append(ours)
            other = Child("--port", port, "--role", "bare", key=key)
            clients.append(other)
            ours.ask()  # the first answer of an engine is slow
            end = time.perf_counter() + seconds
            while len(alone) < LEAST_PAIRS or time.perf_counter() < end:
                with standing_still(ours):
                    alone.append(other.ask())
                watched.append(ours.ask())
        finally:
            for client in clients:
                client.end()
    ratios = [mine / theirs for mine, theirs in zip(watched, alone, strict=True)]
    yield Row("bare client", median(alone), unit="tok/s", note=f"{len(alone)} requests of {TOKENS} tokens")
    yield Row("window open and drawing", median(watched), unit="tok/s")
    spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
    yield Row("window against bare", median(ratios), LEAST_RATIO, "least", decimals=3, note=spread)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (default 60)")
    parser.add_argument("--threads", type=int, default=0, help="of the engine; 0 leaves it to the engine")
    for word in ("--role", "--base", "--port"):
        parser.add_argument(word, default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.role == "window":
        window(given.base, int(given.port), os.environ[KEY])
        return 0
    if given.role == "bare":
        bare(int(given.port), os.environ[KEY])
        return 0
    if sys.platform == "win32":
        raise SystemExit("a process cannot be made to stand still here")
    return show(rows(given.seconds, given.threads))


if __name__ == "__main__":
    sys.exit(main())
