"""The command line of a run, taken apart so that other programs can start the same server.

The port becomes a variable, the address is 127.0.0.1, the name is the model's, and a key is never in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from qtune.core.errors import KnownError
from qtune.core.fixed_flags import FOR_MEASURING
from qtune.core.records import RunRecord, RunStatus
from qtune.core.shell_quoting import Shell, command_text
from qtune.report.export_run import one_line

PORT: Final = 8080
"""Default port of an exported launch: llama-server's own."""
HOST: Final = "127.0.0.1"

_DROPPED = frozenset({"--api-key", "--api-key-file"})
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag and its words; ``is_port`` marks the one whose word is the port."""

    name: str
    words: tuple[str, ...] = ()

    @property
    def is_port(self) -> bool:
        """Whether the port goes here."""
        return self.name == "--port"


@dataclass(frozen=True, slots=True)
class LaunchLine:
    """A launch: the words that start the engine, then its flags in order.

    Attributes:
        remarks: Lines about it, for comments.
        windows: Whether it belongs to a Windows machine.
    """

    program: tuple[str, ...]
    flags: tuple[Flag, ...]
    remarks: tuple[str, ...]
    windows: bool

    def argv(self, port: int | str) -> tuple[str, ...]:
        """The whole command line with this port."""
        words = [w for f in self.flags for w in (f.name, *((str(port),) if f.is_port else f.words))]
        return (*self.program, *words)


def launch_line(run: RunRecord) -> LaunchLine:
    """Take the command line of a run apart.

    Raises:
        KnownError: ``export_no_command`` when the run never had one.
    """
    if not run.argv:
        raise KnownError("export_no_command")
    command = run.engine.ref.command
    length = len(command) if run.argv[: len(command)] == command and command else 1
    flags = tuple(_own(f, run) for f in _flags(run.argv[length:]) if f.name not in _DROPPED)
    if not any(flag.is_port for flag in flags):
        flags = (*flags, Flag("--port", (str(PORT),)))
    return LaunchLine(run.argv[:length], flags, _remarks(run, flags), run.machine.os.startswith("Windows"))


def _flags(words: Sequence[str]) -> list[Flag]:
    found: list[Flag] = []
    for word in words:
        if word.startswith("-") and not _NUMBER.fullmatch(word) and not _takes_any(found):
            name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            found.append(Flag(name, (value,) if equals else ()))
        elif found:
            found[-1] = Flag(found[-1].name, (*found[-1].words, word))
    return found


def _takes_any(found: Sequence[Flag]) -> bool:
    """Whether the next word belongs to the last flag whatever it looks like: names of files, and keys."""
    return bool(found) and not found[-1].words and found[-1].name in {"--model", "--alias", *_DROPPED}


def _own(flag: Flag, run: RunRecord) -> Flag:
    if flag.name == "--host":
        return Flag(flag.name, (HOST,))
    return Flag(flag.name, (model_id(run),)) if flag.name == "--alias" else flag


def model_id(run: RunRecord) -> str:
    """Short name of the model with its quantisation, without blanks."""
    model = run.model
    name = model.name or re.split(r"[/\\]", model.path)[-1].removesuffix(".gguf")
    whole = name if not model.quant or model.quant.lower() in name.lower() else f"{name}-{model.quant}"
    return re.sub(r"[^\w.+-]+", "-", whole).strip("-") or "model"


_ADDED: Final = frozenset(
    {"--cache-ram 0"}
    | {
        spelling if word is None else f"{spelling} {word}"
        for names, word in FOR_MEASURING
        for spelling in names
    }
)
"""What a launch of qtune adds so that figures are true and the log tells enough."""


def _remarks(run: RunRecord, flags: Sequence[Flag]) -> tuple[str, ...]:
    ended = "" if run.status is RunStatus.DONE else run.status.value
    parts = (run.model.name, run.model.quant, run.arm, run.engine.version, run.started_utc[:10], ended)
    title = one_line("qtune: " + ", ".join(part for part in parts if part))
    spoken = (" ".join((flag.name, *flag.words)) for flag in flags)
    added = [words for words in spoken if words in _ADDED]
    if not added:
        return (title,)
    return title, f"Added for measuring; leave out what you do not want: {', '.join(added)}"


def command_line(run: RunRecord, shell: Shell, port: int = PORT) -> str:
    """The launch as one line to paste into a shell."""
    return command_text(launch_line(run).argv(port), shell)
