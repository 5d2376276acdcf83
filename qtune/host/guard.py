"""The babysitter between the app and an engine on POSIX: when the app is gone, so is the engine.

It runs as ``qtune --guard --lifeline N --status N [--grace S] -- command...`` and is the engine's parent.
The app holds the only writing end of the lifeline. What arrives there is an order (``T``: ask the engine to
end, ``K``: kill it); end of file means the app is gone, however it went. Facts go back as JSON lines on the
status descriptor. Everything is imported up front: the files of an AppImage may be unmounted by the time the
guard has to act.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from qtune.host.environ import without_bundle_paths

ORDER_TERMINATE = b"T"
ORDER_KILL = b"K"

DEFAULT_GRACE_S = 3.0
"""How long an engine may take to end by itself once the app is gone."""

SWEEP_BEFORE_REPORT_S = 0.15
"""The end is reported after the sweep, but no later than this: a crash must be noticed within 200 ms."""

SWEEP_LIMIT_S = 2.0

assert sys.platform != "win32"  # noqa: S101 - tells the type checker what this module is for

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


@dataclass(frozen=True, slots=True)
class GuardOrder:
    """What the command line asks of the guard.

    Attributes:
        lifeline: Descriptor to read orders and the end of the app from.
        status: Descriptor to report to.
        grace_s: Seconds between SIGTERM and SIGKILL once the app is gone.
        command: The engine's command line.
    """

    lifeline: int
    status: int
    grace_s: float
    command: tuple[str, ...]

    @classmethod
    def parse(cls, argv: Sequence[str]) -> GuardOrder:
        """Read ``[--guard] --lifeline N --status N [--grace S] -- command...``; ValueError if it is not."""
        words = list(argv[1:] if argv[:1] == ["--guard"] else argv)
        at = words.index("--")
        names, values, command = words[:at:2], words[1:at:2], words[at + 1 :]
        options = dict(zip(names, values, strict=True))
        if not command or not set(options) <= {"--lifeline", "--status", "--grace"}:
            raise ValueError("unknown option or no command")
        return cls(
            int(options.get("--lifeline", "-1")),
            int(options.get("--status", "-1")),
            float(options.get("--grace", DEFAULT_GRACE_S)),
            tuple(command),
        )


def main(argv: Sequence[str]) -> int:
    """Guard an engine until it has ended; answers the guard's own exit code: 0, or 2 for misuse."""
    try:
        order = GuardOrder.parse(argv)
        for descriptor in (order.lifeline, order.status):
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - has no name
    except (ValueError, OSError) as error:
        sys.stderr.write(f"qtune --guard: {error}\n")
        return 2
    guard = Guard(order)
    if not guard.start(without_bundle_paths(os.environ)):
        return 0
    guard.watch()
    # Past the interpreter's own way out, which takes 20 ms, and on busy cores ten times as long: the app
    # waits for this process before it tells of a crash. Nothing is buffered, nothing else is open.
    os._exit(0)


class Guard:
    """One engine and everything it started. Owned by ``main``, one thread, nothing shared."""

    def __init__(self, order: GuardOrder) -> None:
        self._order = order
        self._pid = 0
        self._deadline: float | None = None
        self._app_is_there = True
        self._asked = False
        self._wake_r, wake_w = os.pipe()
        for end in (self._wake_r, wake_w):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake_w, warn_on_full_buffer=False)
        # Handlers rather than SIG_IGN: an ignored signal would stay ignored in the engine.
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, _only_wake)

    def start(self, environment: Mapping[str, str]) -> bool:
        """Start the engine in its own group and report its pid; if that fails report why and answer False."""
        prctl = _load_prctl()
        if prctl is not None:
            # What the engine leaves behind becomes our child, also when it left the group.
            prctl(_PR_SET_CHILD_SUBREAPER, 1)
        try:
            # PDEATHSIG follows the thread that forks; here that is the only one, and it stays to the end.
            engine = subprocess.Popen(
                self._order.command,
                env=environment,
                stdin=subprocess.DEVNULL,
                process_group=0,
                preexec_fn=_tie_to_parent(prctl, os.getpid()) if prctl is not None else None,  # noqa: PLW1509
            )
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            self._report(failed=_why(error, self._order.command[0]))
            return False
        self._pid = engine.pid
        # The exit is collected by pid in _collect; Popen must not wait for a pid it no longer owns.
        engine.returncode = 0
        self._report(started=engine.pid)
        self._let_go_of_output()
        return True

    def watch(self) -> None:
        """Obey orders and signals until the engine has ended, then sweep what it left and report its exit."""
        while (returncode := self._collect()) is None:
            self._wait()
            if self._deadline is not None and time.monotonic() >= self._deadline:
                self._signal_group(signal.SIGKILL)
                # Again and again: the group may have forked while it was being killed.
                self._deadline = time.monotonic() + 0.1
        self._sweep(SWEEP_BEFORE_REPORT_S)
        self._report(ended=returncode)
        self._sweep(SWEEP_LIMIT_S)

    def _wait(self) -> None:
        """Sleep until an order, a signal or the deadline."""
        sources = [self._wake_r]
        if self._app_is_there:
            sources.append(self._order.lifeline)
        timeout = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        ready, _, _ = select.select(sources, [], [], timeout)
        if self._wake_r in ready:
            arrived = os.read(self._wake_r, 512)
            if signal.SIGTERM in arrived or signal.SIGINT in arrived:
                self._ask_to_end()
        if self._order.lifeline in ready:
            self._obey(os.read(self._order.lifeline, 512))

    def _obey(self, orders: bytes) -> None:
        if ORDER_KILL in orders:
            self._deadline = time.monotonic()
        elif ORDER_TERMINATE in orders:
            self._ask_to_end()
        elif not orders:
            self._app_is_there = False
            if self._deadline is None:
                self._deadline = time.monotonic() + self._order.grace_s
            if not self._asked:  # a second SIGTERM makes llama-server drop everything at once
                self._ask_to_end()

    def _ask_to_end(self) -> None:
        self._asked = True
        self._signal_group(signal.SIGTERM)

    def _collect(self) -> int | None:
        """Reap whatever has ended; the engine's exit code (negative for a signal) once it is among them."""
        while True:
            try:
                pid = _ended_but_not_reaped()
                if pid == self._pid:
                    # While the dead leader is not reaped nobody else can get its number, so that the group is
                    # still the engine's.
                    self._signal_group(signal.SIGKILL)
                if pid != 0:
                    pid, status = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                return None
            if pid == 0:
                return None
            if pid == self._pid:
                if sys.platform == "darwin":
                    self._signal_group(signal.SIGKILL)
                return os.waitstatus_to_exitcode(status)

    def _sweep(self, limit_s: float) -> None:
        """Kill what the engine left behind, within the limit: orphans of ours until none is left."""
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            for pid in _children_of_this_process():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            try:
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    pass
            except ChildProcessError:
                return
            time.sleep(0.002)

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)

    def _report(self, **fact: object) -> None:
        with suppress(OSError):  # nobody is left to read it
            os.write(self._order.status, json.dumps(fact).encode() + b"\n")

    def _let_go_of_output(self) -> None:
        """Leave the output pipes to the engine, so that their end of file is the engine's."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.close(nowhere)


def _only_wake(_number: int, _frame: FrameType | None) -> None:
    """Exist, so that the signal's number is written to the wake-up pipe."""


def _why(error: Exception, path: str) -> dict[str, object]:
    """Facts about a failed start; names the case in which the system's own words mislead."""
    number = error.errno if isinstance(error, OSError) else None
    text = os.strerror(number) if number is not None else str(error)
    if isinstance(error, FileNotFoundError) and Path(path).exists():
        text = "the loader or interpreter it asks for is missing"
    return {"errno": number, "text": text}


def _ended_but_not_reaped() -> int:
    """Pid of a child that has ended, left unreaped; 0 if none; -1 (any) where the system cannot tell."""
    if sys.platform == "darwin":  # no os.waitid there before Python 3.13
        return -1
    ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return 0 if ended is None else ended.si_pid


def _children_of_this_process() -> list[int]:
    """Pids of our own children; empty where /proc cannot tell."""
    me = os.getpid()
    try:
        pids = Path(f"/proc/{me}/task/{me}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [int(pid) for pid in pids]


def _load_prctl() -> Callable[[int, int], int] | None:
    """Linux's prctl(2) with its two first arguments, None elsewhere."""
    if sys.platform == "darwin":
        return None
    function = ctypes.CDLL(None, use_errno=True).prctl
    function.argtypes = (ctypes.c_int, ctypes.c_ulong)
    function.restype = ctypes.c_int

    def prctl(option: int, argument: int) -> int:
        return int(function(option, argument))

    return prctl


def _tie_to_parent(prctl: Callable[[int, int], int], parent: int) -> Callable[[], None]:
    """What the engine's process does before exec: tie its life to the guard's, which may be over already."""

    def tie() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return tie
