"""A run as a model of llama-swap, and runs as presets of llama-server's own router."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from qtune.core.errors import KnownError
from qtune.core.records import RunRecord, RunStatus
from qtune.core.shell_quoting import windows_word
from qtune.report.export_run import one_line
from qtune.report.launch_line import HOST, Flag, LaunchLine, launch_line, model_id

_MACRO = "${"


def llama_swap_block(runs: Sequence[RunRecord]) -> str:
    """Blocks for the ``models`` of llama-swap's ``config.yaml``; llama-swap fills in ``${PORT}``.

    Of runs with the same flags there is one. llama-swap splits ``cmd`` by the rules of sh, on Windows by
    those of its programs.

    Raises:
        KnownError: ``export_no_command``; ``export_unsayable`` for words with ``${``, which llama-swap would
            take for a macro of its own.
    """
    lines = ["models:"]
    for name, line in _different(runs):
        for word in line.argv(""):
            if _MACRO in word:
                raise KnownError("export_unsayable", form="llama-swap", text=word)
        lines.append(f"  {yaml_string(name)}:")
        lines += [f"    # {remark}" for remark in line.remarks]
        lines += [*_command(line), f'    proxy: "http://{HOST}:${{PORT}}"']
    return "\n".join([*lines, ""])


def _different(runs: Sequence[RunRecord]) -> Iterator[tuple[str, LaunchLine]]:
    """Launches that differ, each with a name of its own; the first run that ended well speaks for all."""
    found: dict[tuple[object, ...], tuple[RunRecord, LaunchLine]] = {}
    for run in [run for run in runs if run.argv] or runs:  # one that was refused does not spoil the others
        line = launch_line(run)
        # Port and name of a server are another for each start.
        said = (line.program, *(flag for flag in line.flags if flag.name not in _ROUTER))
        ended_well = run.status is RunStatus.DONE
        if said not in found or (ended_well and found[said][0].status is not RunStatus.DONE):
            found[said] = run, line
    taken: set[str] = set()
    for run, line in found.values():
        name = _section(run, taken)
        taken.add(name)
        yield name, line


def _command(line: LaunchLine) -> list[str]:
    def quoted(words: Sequence[str]) -> str:
        return " ".join(windows_word(w) if line.windows else shlex.quote(w) for w in words)

    parts = [quoted(line.program)]
    parts += [f"{f.name} ${{PORT}}" if f.is_port else quoted((f.name, *f.words)) for f in line.flags]
    if all(part.isprintable() for part in parts):
        return ["    cmd: |", *(f"      {part}" for part in parts)]
    return [f"    cmd: {yaml_string(' '.join(parts))}"]


def yaml_string(text: str) -> str:
    """``text`` as a double-quoted scalar of YAML 1.2 that stays on one line."""

    def written(char: str) -> str:
        if char in '"\\':
            return f"\\{char}"
        if char.isprintable():
            return char
        code = ord(char)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return '"' + "".join(map(written, text)) + '"'


_ROUTER = frozenset({"--host", "--port", "--alias"})
"""The router gives each of its servers an address, a port and the name of its section."""


def models_preset(runs: Sequence[RunRecord]) -> str:
    """INI for ``llama-server --models-preset``: a section a launch, keys are flags without dashes.

    Read with llama-server b11434: ``;`` and ``#`` begin a comment anywhere and cannot be quoted, and a colon
    in the name of a section begins a quantisation.

    Raises:
        KnownError: ``export_no_command``; ``export_unsayable`` for values the file cannot hold.
    """
    lines = ["version = 1"]
    for name, line in _different(runs):
        lines += ["", *(f"; {remark}" for remark in line.remarks), f"[{name}]"]
        lines += [_entry(flag) for flag in line.flags if flag.name not in _ROUTER]
    return "\n".join([*lines, ""])


def _section(run: RunRecord, taken: set[str]) -> str:
    name = model_id(run)
    arm = re.sub(r"[^\w.+-]+", "-", one_line(run.arm))
    candidates = [name, f"{name}-{arm}", *(f"{name}-{arm}-{n}" for n in range(2, len(taken) + 3))]
    return next(candidate for candidate in candidates if candidate not in taken)


def _entry(flag: Flag) -> str:
    value = " ".join(flag.words) if flag.words else "true"
    if re.search(r"[;#]", value) or not value.isprintable() or value != value.strip() or not value:
        raise KnownError("export_unsayable", form="--models-preset", text=value)
    return f"{flag.name.lstrip('-')} = {value}"
