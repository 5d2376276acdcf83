"""One frame around every command: open the desk, do the job, print what came of it, say how it ended."""

from __future__ import annotations

import json
import logging
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from qtune.cli import document
from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.session.assembly import log_file, open_desk
from qtune.session.desk import Desk

CANCELLED = 130
WIDTH_PIPED = 170
_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories: control, format (direction marks, among others), half a character, line separators."""

_JOINERS = "\u200c\u200d"
"""Format characters that emoji and Indic letters are made with."""

_UNUSUAL = re.compile("[^ -~]")

log = logging.getLogger("qtune.cli")


@dataclass(frozen=True, slots=True)
class Done:
    """What a command brings back: the JSON result, what a person reads, and how it ended."""

    result: dict[str, Any]
    parts: Sequence[RenderableType]
    failure: Message | None = None
    cancelled: bool = False

    @property
    def code(self) -> int:
        """Exit code of the process: 0 done, 1 ran and failed, 130 cancelled."""
        if self.cancelled:
            return CANCELLED
        return 0 if self.failure is None else 1


def run_command(
    command: str,
    base_dir: Path | None,
    job: Callable[[Desk], Done],
    *,
    as_json: bool,
    safe_mode: bool = False,
    cancelled: str = "measure_cancelled",
) -> int:
    """Run one command; every known error becomes one sentence. Returns the exit code.

    An interrupt that no job turned into a result of its own ends the command too, once the desk is closed;
    ``cancelled`` is the code of what is said then.
    """

    def with_desk() -> Done:
        desk = open_desk(base_dir, safe_mode=safe_mode)
        try:
            return job(desk)
        finally:
            desk.close()

    return run_alone(command, base_dir, with_desk, as_json=as_json, cancelled=cancelled)


def run_alone(
    command: str,
    base_dir: Path | None,
    job: Callable[[], Done],
    *,
    as_json: bool,
    cancelled: str = "measure_cancelled",
) -> int:
    """As :func:`run_command`, for a job that must not open the desk."""
    try:
        done = job()
    except KnownError as error:
        return _print(command, None, error.message, 1, as_json=as_json)
    except KeyboardInterrupt:
        return _print(command, None, Message.of(cancelled), CANCELLED, as_json=as_json)
    except Exception as error:
        log.exception("command %s failed", command)
        fault = Message.of("internal_fault", kind=type(error).__name__, path=str(log_file(base_dir)))
        return _print(command, None, fault, 1, as_json=as_json)
    return _print(command, done, done.failure, done.code, as_json=as_json)


def printable(text: str) -> str:
    """The text with what would steer a terminal, or turn its direction, as JSON escapes; valid in JSON too.

    Names of files and texts in them are other people's.
    """
    return _UNUSUAL.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    if char in _JOINERS or unicodedata.category(char) not in _STEERING:
        return char
    return "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]


def _print(command: str, done: Done | None, failure: Message | None, code: int, *, as_json: bool) -> int:
    if as_json:
        told = document.envelope(command, None if done is None else done.result, failure)
        text = json.dumps(told, ensure_ascii=False, allow_nan=False, indent=2)
        print("\n".join(map(printable, text.split("\n"))), flush=True)
        return code
    if done is not None:
        out = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_PIPED)
        for part in done.parts:
            # A program that reads the lines wants them whole.
            out.print(part, soft_wrap=isinstance(part, Text) and not sys.stdout.isatty())
    if failure is not None:
        said = printable(f"{failure.sentence()} {failure.hint()}".rstrip())
        Console(stderr=True).print(said, markup=False, highlight=False, soft_wrap=True)
    return code
