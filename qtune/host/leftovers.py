"""The last resort against orphans: the engines we started, for the next start to end what a crash left.

A process is touched only when pid, start time and program all match the record and the app that started it is
gone. A number alone proves nothing: it may name a stranger by now.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from qtune.host.files import locked, replace_file

_log = logging.getLogger("qtune.host")

_SAME_START_S = 2.0
"""Start times are derived from the boot time, which the system corrects by fractions of a second."""

_GRACE_S = 3.0


@dataclass(frozen=True, slots=True)
class EngineTrace:
    """One engine as it was when it was started.

    Attributes:
        pid: Its process id.
        start_s: When it was started, seconds since 1970 by the system's account.
        exe: The program it runs.
        port: Where it listens, 0 if nowhere.
        owner_pid: Process id of the app that started it.
        owner_start_s: When that app was started.
    """

    pid: int
    start_s: float
    exe: str
    port: int
    owner_pid: int
    owner_start_s: float


def remember_engine(file: Path, pid: int, port: int) -> None:
    """Note that this process started an engine; nothing if it is gone or the file cannot be written."""
    try:
        engine, owner = psutil.Process(pid), psutil.Process(os.getpid())
        trace = EngineTrace(pid, engine.create_time(), engine.exe(), port, owner.pid, owner.create_time())
    except psutil.Error:
        return
    _change(file, lambda traces: [*(known for known in traces if known.pid != pid), trace])


def forget_engine(file: Path, pid: int) -> None:
    """Drop the note on an engine of ours that has ended."""
    me = os.getpid()
    _change(file, lambda traces: [known for known in traces if (known.pid, known.owner_pid) != (pid, me)])


def find_leftovers(file: Path) -> tuple[EngineTrace, ...]:
    """Engines that are still alive although the app that started them is gone."""
    return tuple(trace for trace in _read(file) if _is_leftover(trace))


def end_leftovers(file: Path) -> tuple[EngineTrace, ...]:
    """End what ``find_leftovers`` finds, with its children, and drop notes that no longer mean anything.

    Takes up to three seconds if there is something to end. Returns what was ended.
    """
    if not file.exists():
        return ()
    ended = tuple(trace for trace in find_leftovers(file) if _end(trace))
    _change(file, lambda traces: [known for known in traces if _owner_lives(known) or _is_leftover(known)])
    return ended


def _is_leftover(trace: EngineTrace) -> bool:
    return not _owner_lives(trace) and _process_of(trace) is not None


def _owner_lives(trace: EngineTrace) -> bool:
    """Whether the app that started the engine may still be there; in doubt it is."""
    try:
        return _has_started(psutil.Process(trace.owner_pid), trace.owner_start_s)
    except (psutil.NoSuchProcess, ValueError, OverflowError):
        return False
    except psutil.Error:
        return True


def _process_of(trace: EngineTrace) -> psutil.Process | None:
    """The engine, if the number certainly still names it."""
    try:
        process = psutil.Process(trace.pid)
        return process if _has_started(process, trace.start_s) and process.exe() == trace.exe else None
    except (psutil.Error, ValueError, OverflowError):
        return None


def _has_started(process: psutil.Process, start_s: float) -> bool:
    """Whether it is the one that was started then, and not dead and merely uncollected."""
    return abs(process.create_time() - start_s) <= _SAME_START_S and process.status() != psutil.STATUS_ZOMBIE


def _end(trace: EngineTrace) -> bool:
    process = _process_of(trace)
    if process is None:
        return False
    try:
        family = [process, *process.children(recursive=True)]
        _tell(family, psutil.Process.terminate)
        _, alive = psutil.wait_procs(family, timeout=_GRACE_S)
        _tell(alive, psutil.Process.kill)
        _, alive = psutil.wait_procs(alive, timeout=_GRACE_S)
    except psutil.Error as error:
        _log.warning("leftover engine %d: %s", trace.pid, error)
        return False
    _log.info("ended leftover engine %d (%s)", trace.pid, trace.exe)
    return not alive


def _tell(processes: Iterable[psutil.Process], order: Callable[[psutil.Process], None]) -> None:
    for process in processes:
        try:
            order(process)
        except psutil.NoSuchProcess:
            continue


def _read(file: Path) -> list[EngineTrace]:
    """What is noted; a damaged file or entry means nothing is known."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    known = (_trace(entry) for entry in entries) if isinstance(entries, list) else ()
    return [trace for trace in known if trace is not None]


def _trace(entry: Any) -> EngineTrace | None:  # noqa: ANN401 - whatever the file held
    try:
        return EngineTrace(
            int(entry["pid"]),
            float(entry["start_s"]),
            str(entry["exe"]),
            int(entry["port"]),
            int(entry["owner_pid"]),
            float(entry["owner_start_s"]),
        )
    except (TypeError, KeyError, ValueError, OverflowError):
        return None


def _change(file: Path, change: Callable[[list[EngineTrace]], list[EngineTrace]]) -> None:
    try:
        with locked(file):
            before = _read(file)
            after = change(before)
            if after != before or not file.exists():
                replace_file(file, json.dumps([asdict(trace) for trace in after], indent=1).encode())
    except OSError as error:
        _log.warning("%s: %s", file, error.strerror)
