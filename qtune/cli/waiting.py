"""Waiting for a job in the terminal: progress on stderr, Ctrl-C cancels and keeps what is measured."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from typing import Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from qtune.cli.printing import printable
from qtune.core.errors import KnownError
from qtune.core.events import Event, Notice, Progress
from qtune.core.messages import Message
from qtune.session.transfer import Transfer

T = TypeVar("T")
POLL_S = 0.2


class TerminalProgress:
    """Draws ``Progress`` events as one bar on a terminal; silent when piped."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None

    def __call__(self, event: Event) -> None:
        """Listener of the desk; may be called from any thread (rich locks by itself)."""
        if isinstance(event, Progress):
            left = "" if event.left_s is None else f"about {event.left_s:.0f} s left"
            if self._task is None:
                self._task = self._bar.add_task(event.what.sentence(), total=event.total, left=left)
            self._bar.update(
                self._task,
                description=event.what.sentence(),
                completed=event.done,
                total=event.total,
                left=left,
            )
        elif isinstance(event, Notice):
            told = printable(f"{event.message.sentence()} {event.message.hint()}".rstrip())
            self._console.print(told, markup=False, highlight=False)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


class Moving:
    """Shows how far a transfer is, and ends it at Ctrl-C.

    Attributes:
        transfer: To be handed on with the work.
        progress: Draws on stderr; may listen to the desk too.
    """

    def __init__(self, code: str) -> None:
        """Report under the message ``code``."""
        self.progress = TerminalProgress(Console(stderr=True))
        began_s, what = time.monotonic(), Message.of(code)

        def moved(done: int, total: int) -> None:
            elapsed_s = time.monotonic() - began_s
            left_s = elapsed_s / done * (total - done) if done else None
            self.progress(Progress(what, done, total, elapsed_s, left_s))

        self.transfer = Transfer(moved)

    def wait(self, future: Future[T]) -> T:
        """Result of the work.

        Raises:
            KeyboardInterrupt: It was cancelled and has ended.
        """
        try:
            with self.progress:
                return wait_for(future, self.transfer.cancel)
        except KnownError as error:
            if error.code == "history_cancelled":
                raise KeyboardInterrupt from None
            raise


def wait_for(future: Future[T], on_interrupt: Callable[[], None] | None = None) -> T:
    """Result of a future; the first Ctrl-C or SIGTERM calls ``on_interrupt``, a second one raises.

    Raises:
        KeyboardInterrupt: At the second signal; at the first where there is no job that could be cancelled.
    """
    with interrupts(on_interrupt):
        while True:
            try:
                return future.result(timeout=POLL_S)
            except NotYet:
                if future.done():  # it ended just after the wait, or with a time-out of its own
                    return future.result()


@contextmanager
def interrupts(first: Callable[[], None] | None) -> Iterator[None]:
    """Call ``first`` at the first Ctrl-C, SIGTERM or closing of the terminal; another one raises.

    Raises:
        KeyboardInterrupt: At the second signal; at the first where ``first`` is None.
    """
    seen = 0

    def handle(_number: int, _frame: object) -> None:
        nonlocal seen
        seen += 1
        if first is None or seen > 1:
            raise KeyboardInterrupt
        first()

    before = {number: signal.signal(number, handle) for number in _ending_signals()}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _ending_signals() -> tuple[signal.Signals, ...]:
    """Signals that ask us to end; a hang-up that our starter has us ignore (``nohup``) is none of them."""
    usual = (signal.SIGINT, signal.SIGTERM)
    if sys.platform == "win32" or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return usual
    return (*usual, signal.SIGHUP)
