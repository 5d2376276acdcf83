"""Launch scripts for sh, PowerShell and cmd; each shell is quoted by its own rules.

All of them take ``LLAMA_ARG_*`` out of the environment, as measuring does: such variables would add settings
that the command line does not name. A key of the server's stays where it is, in ``LLAMA_API_KEY``.
"""

from __future__ import annotations

import re
import shlex

from qtune.core.errors import KnownError
from qtune.core.records import RunRecord
from qtune.core.shell_quoting import cmd_program, cmd_word, powershell_literal, windows_word
from qtune.report.launch_line import PORT, Flag, launch_line

_CRLF = "\r\n"


def sh_script(run: RunRecord, port: int = PORT) -> str:
    """Script for sh; ``PORT=9000 ./script.sh`` changes the port. To be written with its run bit set.

    Raises:
        KnownError: ``export_no_command``.
    """
    line = launch_line(run)
    words = [shlex.join(line.program)]
    words += ["  " + _sh_flag(flag) for flag in line.flags]
    head = ["#!/bin/sh", *(f"# {remark}" for remark in line.remarks), _SH_CLEAN, f'PORT="${{PORT:-{port}}}"']
    return "\n".join([*head, "exec " + " \\\n".join(words), ""])


_SH_CLEAN = "for name in $(env | sed -n 's/^\\(LLAMA_ARG_[A-Z0-9_]*\\)=.*/\\1/p'); do unset \"$name\"; done"


def _sh_flag(flag: Flag) -> str:
    return f'{shlex.quote(flag.name)} "$PORT"' if flag.is_port else shlex.join([flag.name, *flag.words])


def powershell_script(run: RunRecord, port: int = PORT) -> str:
    """Script for PowerShell 5.1 and later, with the byte order mark 5.1 needs to read UTF-8.

    The arguments are one string by the rules of Windows programs, because versions before 7.3 do not protect
    quotes inside an argument.

    Raises:
        KnownError: ``export_no_command``.
    """
    line = launch_line(run)
    first = [powershell_literal(windows_word(word)) for word in line.program[1:]]
    flags = [_powershell_flag(flag) for flag in line.flags]
    script = [
        *(f"# {remark}" for remark in line.remarks),
        f"param([int]$Port = {port})",
        "$arguments = @(",
        *("    " + one for one in (*first, *flags)),
        ") -join ' '",
        "$start = New-Object System.Diagnostics.ProcessStartInfo",
        f"$start.FileName = {powershell_literal(line.program[0])}",
        "$start.Arguments = $arguments",
        "$start.UseShellExecute = $false",
        "foreach ($name in @($start.EnvironmentVariables.Keys)) {",
        "    if ($name -like 'LLAMA_ARG_*') { $start.EnvironmentVariables.Remove($name) }",
        "}",
        "$server = [System.Diagnostics.Process]::Start($start)",
        "$server.WaitForExit()",
        "exit $server.ExitCode",
        "",
    ]
    return "\ufeff" + _CRLF.join(script)


def _powershell_flag(flag: Flag) -> str:
    if flag.is_port:
        return '"--port $Port"'
    return powershell_literal(" ".join(windows_word(word) for word in (flag.name, *flag.words)))


def batch_script(run: RunRecord, port: int = PORT) -> str:
    """Batch file for cmd, read as UTF-8; ``set PORT=9000`` before it changes the port.

    Raises:
        KnownError: ``export_no_command``; ``export_unsayable`` for words with a line break.
    """
    line = launch_line(run)
    for word in line.argv(port):
        if re.search(r"[\r\n]", word):
            raise KnownError("export_unsayable", form=".bat", text=repr(word))
    program, *more = line.program
    start = " ".join([cmd_program(program, batch=True), *(cmd_word(word, batch=True) for word in more)])
    script = [
        "@echo off",
        "chcp 65001 >nul",
        *(f"rem {_comment(remark)}" for remark in line.remarks),
        "setlocal DisableDelayedExpansion",
        'for /f "delims==" %%n in (\'set LLAMA_ARG_ 2^>nul\') do set "%%n="',
        f'if not defined PORT set "PORT={port}"',
        " ^\r\n".join([start, *("  " + _batch_flag(flag) for flag in line.flags)]),
        "",
    ]
    return _CRLF.join(script)


def _batch_flag(flag: Flag) -> str:
    if flag.is_port:
        return f"{flag.name} %PORT%"
    return " ".join(cmd_word(word, batch=True) for word in (flag.name, *flag.words))


def _comment(text: str) -> str:
    """``text`` without anything cmd could act on, which it does in some remarks."""
    return re.sub(r"[^\w.:,/()+-]+", " ", text)
