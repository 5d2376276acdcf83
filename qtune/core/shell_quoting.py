"""Words of a command line quoted so that they arrive unchanged: in sh, PowerShell, cmd, and Windows programs.

On Windows a word passes two readers: the shell, then the program's own start-up code, which splits one string
by the rules of ``CommandLineToArgvW``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Literal

Shell = Literal["sh", "powershell", "cmd"]

_PLAIN = re.compile(r"[\w./:\\=+,@-]+")
"""Neither cmd nor a Windows program gives these a meaning between blanks."""
_PLAIN_POWERSHELL = re.compile(r"-{0,2}\w[\w-]*|[A-Za-z]:[\w\\/.-]+")
_SINGLE_QUOTES = re.compile("['\u2018\u2019\u201a\u201b]")
"""PowerShell takes typographic single quotes for the plain one."""
_CMD_MEANING = re.compile(r'[()!^"<>&|]')


def command_text(argv: Sequence[str], shell: Shell) -> str:
    """One line to paste into a shell that starts ``argv``.

    PowerShell before 7.3 hands double quotes inside a word on unprotected; ``argv`` of a server has none.
    """
    program, *words = argv
    match shell:
        case "sh":
            return shlex.join(argv)
        case "powershell":
            return " ".join(["&", powershell_literal(program), *(_powershell_word(w) for w in words)])
        case "cmd":
            return " ".join([cmd_program(program), *(cmd_word(w) for w in words)])


def windows_word(word: str) -> str:
    """``word`` as ``CommandLineToArgvW`` reads it: in quotes, backslashes before a quote doubled."""
    if _PLAIN.fullmatch(word):
        return word
    doubled = re.sub(r'(\\*)"', r"\1\1\\" + '"', word)
    return '"' + re.sub(r"(\\+)$", r"\1\1", doubled) + '"'


def powershell_literal(word: str) -> str:
    """``word`` as a literal of PowerShell: in single quotes, with quotes inside doubled."""
    return "'" + _SINGLE_QUOTES.sub(lambda found: found[0] * 2, word) + "'"


def _powershell_word(word: str) -> str:
    return word if _PLAIN_POWERSHELL.fullmatch(word) else powershell_literal(word)


def cmd_word(word: str, *, batch: bool = False) -> str:
    """``word`` for a program started by cmd, typed (default) or in a batch file, where ``%`` is doubled.

    A word with a quote of its own is written without cmd's quoting, which any quote would end: every
    character with a meaning gets a caret. Line breaks cannot be said to cmd at all.
    """
    written = windows_word(word)
    if '"' in word or ("%" in word and not batch):
        written = _CMD_MEANING.sub(lambda found: "^" + found[0], written)
    # No caret keeps a variable of this name from being filled in within quotes; there are none here.
    return written.replace("%", "%%" if batch else "^%")


def cmd_program(path: str, *, batch: bool = False) -> str:
    """The program's own path as the first word: cmd finds it in plain quotes only."""
    written = path if _PLAIN.fullmatch(path) else f'"{path}"'
    return written.replace("%", "%%") if batch else written
