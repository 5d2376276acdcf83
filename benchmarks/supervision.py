"""Nothing is left and nothing is lost, whenever the app dies: prints one table and fails if a bar is missed.

Run: python benchmarks/supervision.py [--kills 200] [--lanes 2] [--engine PATH|bundled --model FILE]

Three rounds. The app is killed with SIGKILL at random moments, again and again on the same folders, so that
every start is also the next opening after a kill. The engine is killed, and the time until the window would
know is taken. The server is stopped while it loads, reads a prompt and answers. Without --engine a false
llama-server stands in; a quarter of them ignore SIGTERM, and a quarter have a child of their own and talk
without end. Needs /proc, so Linux only.
"""

from __future__ import annotations

import argparse
import os
import queue
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.supervised_app import SMALL, Moments, engine_of, job_of
from qtune.core.engine_facts import EngineRef
from qtune.core.events import Event, ServerChanged
from qtune.core.server_state import ServerState
from qtune.host.paths import app_paths
from qtune.session import job_runner
from qtune.session.assembly import open_desk
from qtune.session.desk import Desk
from qtune.session.requests import LaunchRequest
from tests.fake_llama.make import make_fake_binary, make_fake_model

APP = Path(__file__).with_name("supervised_app.py")
MARK = "SUPERVISION_BENCH"
MOMENTS = ("starting", "loading", "prefill", "stream", "stopping")
PACE: dict[str, Any] = {"load_s": 0.15, "ttft_ms": 60, "itl_ms": 3, "tokens": 40}
POLITE_S, DEAF_S, CRASH_MS = 2.0, 10.0, 200.0
STUCK_S = 90.0
"""An app that reaches no moment for so long has hung."""


@dataclass(frozen=True)
class Row:
    name: str
    value: str
    bar: str
    note: str = ""
    missed: bool = False


def row(name: str, seconds: list[float], bar_s: float | None, unit: str = "s") -> Row:
    """The worst of some durations against a bar, the median beside it."""
    factor = 1000 if unit == "ms" else 1
    worst, middle = max(seconds) * factor, statistics.median(seconds) * factor
    digits = 0 if unit == "ms" else 2
    bar = "-" if bar_s is None else f"{bar_s * factor:g} {unit}"
    note = f"median {middle:.{digits}f} {unit}, {len(seconds)} times"
    return Row(name, f"{worst:.{digits}f} {unit}", bar, note, bar_s is not None and max(seconds) > bar_s)


# -- the app is killed ---------------------------------------------------------------------------------------


def marked(tag: str) -> dict[int, str]:
    """Processes with this value of the mark in their environment, and their command lines."""
    word, found = f"{MARK}={tag}".encode(), {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:200]
                )
        except OSError:
            continue
    return found


@dataclass
class Shot:
    """One life of the app and what was found after it."""

    moment: str
    deaf: bool
    gone_s: float = 0.0
    told: int = 0
    faults: list[str] = field(default_factory=list)


class Lane:
    """One set of folders on which an app is started and killed in turn."""

    def __init__(self, base: Path, tag: str, engines: list[tuple[str, bool]], model: str, seed: int) -> None:
        self._base, self._tag, self._engines, self._model = base, tag, engines, model
        self._random = random.Random(seed)  # noqa: S311 - the same kills again for the same seed
        self._told: set[tuple[str, int]] = set()
        self._open_runs: set[str] = set()
        self._noted = False

    def shoot(self) -> Shot:
        """Start, kill at a random moment, look at what is left."""
        engine, deaf = self._random.choice(self._engines)
        shot = Shot(self._random.choice(MOMENTS), deaf)
        first, turn = self._random.choice(("server", "job")), self._random.randint(1, 3)
        lines = self._live(engine, first, shot, turn, self._random.uniform(0, 0.08))
        killed = time.perf_counter()
        self._read(lines, shot)
        self._wait_gone(shot, killed)
        self._look_at_folders(shot)
        return shot

    def last_opening(self) -> list[str]:
        """Open and close in order; what is wrong then."""
        shot = Shot("open", deaf=False)
        process = self._start("open", "open")
        out, _ = process.communicate(timeout=STUCK_S)
        self._read(out.splitlines(), shot)
        self._look_at_folders(shot)
        if process.returncode != 0:
            shot.faults.append(f"the last opening ended with {process.returncode}")
        with closing(sqlite3.connect(app_paths(self._base).database_file)) as database:
            open_runs = database.execute("SELECT count(*) FROM runs WHERE status = 'running'").fetchone()[0]
        if open_runs:
            shot.faults.append(f"{open_runs} runs still count as running")
        return shot.faults

    def _start(self, engine: str, first: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(APP), str(self._base), engine, self._model, first],
            stdout=subprocess.PIPE, stderr=(self._base.parent / f"{self._base.name}.err").open("a"),
            text=True, env={**os.environ, MARK: self._tag}, start_new_session=True,
        )  # fmt: skip

    def _live(self, engine: str, first: str, shot: Shot, turn: int, delay_s: float) -> list[str]:
        """Let the app live until a moment has come for the given time, and a little longer; what it said."""
        lines: list[str] = []
        process = self._start(engine, first)
        assert process.stdout is not None
        rescue = threading.Timer(STUCK_S, process.kill)
        rescue.start()
        for line in process.stdout:
            lines.append(line.strip())
            turn -= lines[-1] == shot.moment
            if turn == 0:
                break
        else:
            shot.faults.append(f"the app ended by itself or hung before {shot.moment}: {lines[-3:]}")
        time.sleep(delay_s)
        process.kill()
        lines += process.stdout.read().splitlines()
        rescue.cancel()
        process.wait()
        return lines

    def _read(self, lines: list[str], shot: Shot) -> None:
        """What the app said of its opening, and what it promised before it was killed."""
        words = [line.split() for line in lines]
        said = {word[1] for word in words if word[0] == "notice"}
        opened = next((word[1] for word in words if word[0] == "opened"), "never")
        told = bool(said & {"trial_stale", "trial_cut_off"})
        if opened != ("stale" if self._noted else "calm") or told != self._noted:
            shot.faults.append(f"opened {opened} and said {said}; a note was there: {self._noted}")
        if self._open_runs and "runs_interrupted" not in said:
            shot.faults.append(f"runs {self._open_runs} were cut off, which was not said")
        shot.faults += [" ".join(word) for word in words if word[0] == "fault"]
        new = {(word[1], int(word[2])) for word in words if word[0] == "done"}
        shot.told = len(new)
        self._told |= new

    def _wait_gone(self, shot: Shot, killed: float) -> None:
        limit_s = DEAF_S if shot.deaf else POLITE_S
        while (left := marked(self._tag)) and time.perf_counter() - killed < DEAF_S + 5:
            time.sleep(0.02)
        shot.gone_s = time.perf_counter() - killed
        if left or shot.gone_s > limit_s:
            shot.faults.append(f"after {shot.gone_s:.1f} s still there, or too late: {list(left.values())}")
        for pid in left:
            os.kill(pid, signal.SIGKILL)

    def _look_at_folders(self, shot: Shot) -> None:
        paths = app_paths(self._base)
        with closing(sqlite3.connect(paths.database_file)) as database:
            sound = database.execute("PRAGMA integrity_check").fetchall()
            broken = database.execute("PRAGMA foreign_key_check").fetchall()
            rows = database.execute(
                "SELECT runs.id, requests.position FROM requests JOIN runs ON runs.key = requests.run_key"
            )
            stored = {(run, int(position)) for run, position in rows}
            running = database.execute("SELECT id FROM runs WHERE status = 'running'")
            self._open_runs = {run for (run,) in running}
        if sound != [("ok",)] or broken:
            shot.faults.append(f"integrity_check: {sound}, foreign_key_check: {broken}")
        if lost := self._told - stored:
            shot.faults.append(f"lost: {sorted(lost)}")
        notes = list(paths.trials.glob("trial-*.json"))
        self._noted = bool(notes)
        if shot.moment in {"loading", "prefill", "stream"} and not notes:
            shot.faults.append("no note of the trial")


def kills(engines: list[tuple[str, bool]], model: str, count: int, lanes: int, seed: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="qtune-kills-") as name:
        folders = [
            Lane(Path(name) / f"lane{i}", f"{os.getpid()}-{i}", engines, model, seed * 1000 + i)
            for i in range(lanes)
        ]

        def walk(i: int) -> list[Shot]:
            return [_shown(folders[i].shoot()) for _ in range(i, count, lanes)]

        with ThreadPoolExecutor(lanes) as pool:
            shots = [shot for lane in pool.map(walk, range(lanes)) for shot in lane]
        faults = [fault for shot in shots for fault in shot.faults]
        faults += [fault for lane in folders for fault in lane.last_opening()]
    moments = Counter(shot.moment for shot in shots)
    told = sum(shot.told for shot in shots)
    found = [
        Row(
            "app killed: a process left, a stored request lost, a database unsound, a silent opening",
            f"{len(faults)} faults", "0",
            f"{len(shots)} kills ({', '.join(f'{n} {m}' for m, n in moments.items())}), {told} requests",
            bool(faults),
        )
    ]  # fmt: skip
    for deaf, bar_s, what in ((False, POLITE_S, ""), (True, DEAF_S, ", which ignores SIGTERM")):
        seconds = [shot.gone_s for shot in shots if shot.deaf is deaf]
        if seconds:
            found.append(row(f"app killed: guard and engine gone{what}", seconds, bar_s))
    return found


def _shown(shot: Shot) -> Shot:
    for fault in shot.faults:
        print(f"{shot.moment}: {fault}", file=sys.stderr, flush=True)
    return shot


# -- the engine is killed, the server is stopped -------------------------------------------------------------


class Watched:
    """A desk in this process with the moments it announces."""

    def __init__(self, base: Path) -> None:
        self.desk: Desk = open_desk(base)
        self.desk.set_preferences({"automatic_rollback": "off"})
        self.crashed_at: queue.SimpleQueue[float] = queue.SimpleQueue()
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.desk.subscribe(self._hear)
        self.desk.subscribe(Moments(self._said.put))

    def _hear(self, event: Event) -> None:
        if isinstance(event, ServerChanged) and event.state is ServerState.CRASHED:
            self.crashed_at.put(time.perf_counter())

    def begin(self, kind: str, engine: EngineRef, model: str) -> Future[Any]:
        """Start a server or a measurement; moments of what was before are forgotten."""
        while not self._said.empty():
            self._said.get()
        if kind == "job":
            return self.desk.run_job(job_of(engine, model))
        return self.desk.start_server(LaunchRequest(engine, model, SMALL, "off"))

    def until(self, moment: str) -> None:
        while self._said.get(timeout=STUCK_S) != moment:
            pass

    @property
    def engine_pid(self) -> int:
        pid = self.desk._rooms.supervisor.pid  # noqa: SLF001 - no command of the desk tells it
        assert pid is not None
        return pid


@contextmanager
def watched() -> Iterator[Watched]:
    with tempfile.TemporaryDirectory(prefix="qtune-watched-") as name:
        one = Watched(Path(name) / "home")
        try:
            yield one
        finally:
            one.desk.close()


@contextmanager
def busy_cores() -> Iterator[None]:
    spinning = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def crash_seconds(engine: str, model: str, times: int) -> list[float]:
    """From SIGKILL to the engine until the change of state is announced, half of them in mid-answer."""
    seconds = []
    with watched() as one:
        ref = engine_of(one.desk, engine)
        for number in range(times):
            begun = one.begin("job" if number % 2 else "server", ref, model)
            one.until("stream" if number % 2 else "ready")
            killed = time.perf_counter()
            os.kill(one.engine_pid, signal.SIGKILL)
            seconds.append(one.crashed_at.get(timeout=STUCK_S) - killed)
            begun.exception(STUCK_S)
            one.desk.stop_server().result(STUCK_S)
    return seconds


def stop_seconds(engine: str, model: str, moment: str, times: int) -> list[float]:
    """From the order to stop until nothing is left and the job has its end on disk."""
    seconds = []
    with watched() as one:
        ref = engine_of(one.desk, engine)
        for _ in range(times):
            job = one.begin("job", ref, model)
            one.until(moment)
            time.sleep(0.6)  # a program that has just been started has not got round to ignoring signals
            began = time.perf_counter()
            one.desk.stop_server().result(STUCK_S)
            job.exception(STUCK_S)
            seconds.append(time.perf_counter() - began)
    return seconds


# -- the table -----------------------------------------------------------------------------------------------


def rows(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    fakes = iter(range(100))

    def fake(**switches: Any) -> str:  # noqa: ANN401 - they differ in type
        return str(make_fake_binary(folder / f"engine{next(fakes)}", **{**PACE, **switches}))

    real: str | None = options.engine
    model = options.model or str(make_fake_model(folder))
    engines = [(real, False)] if real else [
        (fake(), False), (fake(), False), (fake(ignore_sigterm=True), True),
        (fake(fork_grandchild=str(folder / "grandchild"), flood_log=5000), False),
    ]  # fmt: skip
    yield from kills(engines, model, options.kills, options.lanes, options.seed)
    plain = real or fake()
    yield row("engine killed: crash noticed", crash_seconds(plain, model, 20), CRASH_MS / 1000, "ms")
    with busy_cores():
        yield row("the same, on busy cores", crash_seconds(plain, model, 20), None, "ms")
    slow: dict[str, Callable[[dict[str, bool]], str]] = {
        "loading": lambda more: fake(load_s=60.0, **more),
        "prefill": lambda more: fake(prefill_tok_s=10.0, **more),
        "stream": lambda more: fake(itl_ms=20.0, tokens=100_000, **more),
    }
    for moment, make in slow.items():
        yield row(f"stop during {moment}", stop_seconds(real or make({}), model, moment, 5), POLITE_S)
    if not real:
        for moment, make in slow.items():
            name = f"stop during {moment}, engine ignores SIGTERM"
            yield row(name, stop_seconds(make({"ignore_sigterm": True}), model, moment, 2), DEAF_S)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200, help="how often the app is killed (default 200)")
    parser.add_argument("--lanes", type=int, default=2, help="apps at a time (default 2)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", help="a llama-server, or 'bundled', in place of the false one")
    parser.add_argument("--model", help="the model file for it")
    options = parser.parse_args()
    if options.engine and not options.model:
        parser.error("--engine needs --model")
    job_runner.PREFLIGHT_S = 0.1  # nothing is concluded from these figures
    print("| what | worst | bar | |\n|---|---:|---:|---|")
    missed = False
    with tempfile.TemporaryDirectory(prefix="qtune-supervision-") as name:
        for one in rows(options, Path(name)):
            missed |= one.missed
            name_shown = f"{one.name}{' **missed**' if one.missed else ''}"
            print(f"| {name_shown} | {one.value} | {one.bar} | {one.note} |", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
