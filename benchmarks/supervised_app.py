"""The app that supervision.py shoots at: opens a desk, then loads, measures and stops without end.

Run: python benchmarks/supervised_app.py BASE ENGINE MODEL [server|job|open]

Every moment is told as one line on stdout, a finished request once it is on disk. ``open`` only opens and
closes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from qtune.core.engine_facts import EngineRef
from qtune.core.errors import KnownError
from qtune.core.events import (
    Event,
    Notice,
    RequestFinished,
    RequestStarted,
    RunFinished,
    RunStarted,
    ServerChanged,
    TextArrived,
)
from qtune.core.settings import ServerSettings
from qtune.session import job_runner
from qtune.session.assembly import open_desk
from qtune.session.desk import Desk
from qtune.session.jobs import JobRequest
from qtune.session.requests import LaunchRequest

SMALL = ServerSettings(ctx_size=4096, threads=1)


def engine_of(desk: Desk, name: str) -> EngineRef:
    """The engine at a path, or the one that comes with qtune for ``bundled``."""
    if name != "bundled":
        return EngineRef("binary", (name,), name, "chosen")
    found = desk.find_engines().result(60)
    return next(finding.ref for finding in found if finding.ref.kind == "bundled")


def job_of(engine: EngineRef, model: str, runs: int = 3) -> JobRequest:
    """A short measurement, two starts of the server."""
    return JobRequest(
        "measure", engine, model, presets=("off", "balanced"), base=SMALL, prompts=("sample",), runs=runs,
        max_tokens=48,
    )  # fmt: skip


class Moments:
    """Names the moments of a desk's events, the first piece of each answer only."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._silent = False

    def __call__(self, event: Event) -> None:
        for line in self._named(event):
            self._tell(line)

    def _named(self, event: Event) -> Iterator[str]:
        match event:
            case ServerChanged():
                yield event.state.value
            case RunStarted():
                yield f"run {event.run.id}"
            case RunFinished():
                yield f"ended {event.run.id}"
            case RequestStarted():
                self._silent = True
                yield "prefill"
            case TextArrived() if self._silent:
                self._silent = False
                yield "stream"
            case RequestFinished():
                yield f"done {event.record.run_id} {event.record.index}"
            case Notice():
                yield f"notice {event.message.code}"
            case _:
                pass


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # in one piece, whichever thread says it, and gone at once


def main() -> int:
    base, engine, model, first = sys.argv[1:]
    job_runner.PREFLIGHT_S = 0.1  # nothing is concluded from these figures
    desk = open_desk(Path(base))
    try:
        desk.subscribe(Moments(_say))
        _say(f"opened {'stale' if desk.stale_trial is not None else 'calm'}")
        desk.dismiss_stale_trial().result(30)
        _say("ready to be shot")
        if first != "open":
            _work(desk, engine_of(desk, engine), model, job_first=first == "job")
    except KnownError as error:
        _say(f"fault {error.code} {error}")
    finally:
        desk.close()
    return 0


def _work(desk: Desk, engine: EngineRef, model: str, *, job_first: bool) -> None:
    if job_first:
        desk.run_job(job_of(engine, model)).result(600)
    while True:
        desk.start_server(LaunchRequest(engine, model, SMALL, "off")).result(120)
        desk.stop_server().result(30)
        desk.run_job(job_of(engine, model)).result(600)


if __name__ == "__main__":
    sys.exit(main())
