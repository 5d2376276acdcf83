"""Exported launches start the very same command: run by sh, or read back by the rules of the others.

PowerShell and cmd are not here, so their scripts are read by small readers that follow the documented rules.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtune.core.command_text import read_command
from qtune.core.engine_facts import EngineRef
from qtune.core.errors import KnownError
from qtune.core.records import RunRecord, RunStatus
from qtune.report.file_out import write_export
from qtune.report.launch_config import llama_swap_block, models_preset, yaml_string
from qtune.report.launch_line import command_line, launch_line, model_id
from qtune.report.launch_script import batch_script, powershell_script, sh_script
from tests.unit.report.exported import ARGV, run

AWKWARD = [
    "/models/Qwen 3.6 通义/🚀 $HOME `id` \"q\" 'q' 100% %PATH% & | < > ^ ! (a) [b]\\c.gguf",
    "C:\\Program Files\\模型\\100% & co\\a!b^c.gguf",
    "C:\\ends with\\",
    'a\\"b "c" & d %PATH% ^ e',
    "\u2018typographic\u2019",
    "--looks-like-a-flag",
    "-1",
    "",
    "plain",
]
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), max_size=20)


def a_run(*values: str, windows: bool = False, program: str = "/opt/llama cpp/llama-server") -> RunRecord:
    argv = [program, "--model", values[0], "--host", "192.168.0.7", "--port", "41873"]
    for value in values[1:]:
        argv += ["--flag", f"x{value}"]
    made = run("balanced", argv=(*argv, "--no-ui", "--api-key", "secret"))
    ref = EngineRef("binary", (program,), program, "chosen")
    machine = replace(made.machine, os="Windows 11 (10.0.26100)" if windows else "Debian (Linux 6.8)")
    return replace(made, engine=replace(made.engine, ref=ref), machine=machine)


def expected(made: RunRecord, port: int | str = 8080) -> list[str]:
    argv = list(made.argv[:-2])
    argv[4], argv[6] = "127.0.0.1", str(port)
    return argv


# -- readers -----------------------------------------------------------------------------------------------


def read_windows(line: str) -> list[str]:
    """CommandLineToArgvW: words by blanks, quotes toggle, backslashes count only before a quote."""
    found: list[str] = []
    at = 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
            continue
        word, quoted = "", False
        while at < len(line) and (quoted or line[at] not in " \t"):
            slashes = re.compile(r"\\*").match(line, at)
            assert slashes
            count = len(slashes[0])
            at = slashes.end()
            if at < len(line) and line[at] == '"':
                word += "\\" * (count // 2)
                if count % 2:
                    word += '"'
                elif quoted and line[at + 1 : at + 2] == '"':
                    word, at = word + '"', at + 1
                else:
                    quoted = not quoted
                at += 1
            else:
                word += "\\" * count
                if at < len(line) and (quoted or line[at] not in " \t"):
                    word += line[at]
                    at += 1
        found.append(word)
    return found


def read_batch(script: str, variables: dict[str, str]) -> list[str]:
    """Last command of a batch file as its program gets it: percents first, then carets, then the line."""
    text = re.sub(r"%(?:%|(\w+)%)", lambda m: variables[m[1]] if m[1] else "%", script)
    command, quoted, at = "", False, 0
    lines: list[str] = []
    while at < len(text):
        char = text[at]
        if char == "^" and not quoted:
            at += 1
            if text.startswith("\r\n", at):
                at += 2
            command += text[at]
        elif text.startswith("\r\n", at):
            lines.append(command)
            command, quoted, at = "", False, at + 1
        else:
            assert quoted or char not in "&|<>" or "nul" in text[at : at + 5], f"cmd would act on {char}"
            quoted ^= char == '"'
            command += char
        at += 1
    return read_windows(lines[-1])


_LITERAL = re.compile("['\u2018\u2019\u201a\u201b]")


def read_powershell(script: str, port: str) -> list[str]:
    """Program and arguments of the script: literals in single quotes, doubled quotes inside."""

    def literal(text: str) -> str:
        assert _LITERAL.match(text)
        assert _LITERAL.match(text[-1])
        inside = text[1:-1]
        single = _LITERAL.sub("", _LITERAL.sub(lambda m: m[0], inside))
        halved = re.sub("(['\u2018\u2019\u201a\u201b])(['\u2018\u2019\u201a\u201b])", r"\1", inside)
        assert len(halved) - len(single) == (len(inside) - len(single)) / 2, "a quote stands alone"
        return halved

    lines = script.removeprefix("\ufeff").split("\r\n")
    begin, end = lines.index("$arguments = @("), lines.index(") -join ' '")
    parts = [line[4:] for line in lines[begin + 1 : end]]
    arguments = [port.join(p[1:-1].split("$Port")) if p == '"--port $Port"' else literal(p) for p in parts]
    program = next(line for line in lines if line.startswith("$start.FileName = "))
    return [literal(program.removeprefix("$start.FileName = ")), *read_windows(" ".join(arguments))]


# -- scripts -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="sh")
@pytest.mark.parametrize("port", [None, "9123"])
def test_a_script_for_sh_starts_exactly_this(tmp_path: Path, port: str | None) -> None:
    folder = tmp_path / "it's a $HOME & 100% `x` 程序 🚀"
    folder.mkdir()
    program = folder / "llama-server"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\nsys.stdout.buffer.write('\\0'.join(sys.argv).encode())\n"
        "names = ' '.join(os.environ)\nsys.exit('LLAMA_ARG_' in names or 'LLAMA_API_KEY' not in names)\n"
    )
    program.chmod(0o700)
    made = a_run(*AWKWARD, "two\nlines", program=str(program))
    script = tmp_path / "start it.sh"
    write_export(script, sh_script(made), executable=True)

    assert subprocess.run(["/bin/sh", "-n", str(script)], check=False).returncode == 0
    environment = {"PATH": os.environ["PATH"], **({"PORT": port} if port else {})}
    environment |= {
        "LLAMA_ARG_CTX_SIZE": "1",
        "LLAMA_ARG_N_GPU_LAYERS": "a\nLLAMA_API_KEY=b",
        "LLAMA_API_KEY": "k",
    }
    done = subprocess.run([str(script)], capture_output=True, env=environment, check=True)

    assert done.stdout.decode().split("\0") == expected(made, port or 8080)
    assert script.stat().st_mode & stat.S_IXUSR
    assert "secret" not in script.read_text(encoding="utf-8")


WINDOWS_PROGRAM = "C:\\Program Files\\100% & 程序\\llama-server.exe"


def test_scripts_for_windows_start_exactly_this() -> None:
    made = a_run(*AWKWARD, windows=True, program=WINDOWS_PROGRAM)
    assert read_batch(batch_script(made), {"PORT": "8080"}) == expected(made)
    assert read_powershell(powershell_script(made), "9123") == expected(made, 9123)


@given(st.lists(words, min_size=1, max_size=4))
def test_any_word_survives_every_shell(values: list[str]) -> None:
    made = a_run(*values, windows=True, program=WINDOWS_PROGRAM)
    assert read_batch(batch_script(made), {"PORT": "8080"}) == expected(made)
    assert read_powershell(powershell_script(made), "1") == expected(made, 1)
    assert shlex.split(command_line(made, "sh")) == expected(made)


def test_script_files_are_what_their_shells_read() -> None:
    made = replace(a_run("C:\\a.gguf", windows=True), arm="x & del\n%TEMP% ^")
    batch, power, sh = batch_script(made), powershell_script(made), sh_script(made)
    for script in (batch, power):
        assert script.count("\n") == script.count("\r\n") == script.count("\r")
    assert power.startswith("\ufeff# qtune: ")
    assert not batch.startswith("\ufeff")
    assert "\r" not in sh
    assert "like 'LLAMA_ARG_*') { $start.EnvironmentVariables.Remove($name) }" in power
    assert "in ('set LLAMA_ARG_ 2^>nul') do set \"%%n=\"\r\n" in batch
    remark = next(line for line in batch.split("\r\n") if line.startswith("rem "))
    assert not re.search(r"[&|<>^%]", remark)
    assert [line for line in sh.split("\n") if line.startswith("#")][1].count("x & del %TEMP% ^") == 1
    assert all("secret" not in script for script in (batch, power, sh))


def test_what_a_form_cannot_hold_is_refused() -> None:
    with pytest.raises(KnownError, match=r"\.bat"):
        batch_script(a_run("two\nlines"))
    with pytest.raises(KnownError, match="llama-swap"):
        llama_swap_block([a_run("/models/${PORT}.gguf")])
    for value in ("/models/a;b.gguf", "/models/a#b.gguf", "/models/two\nlines", " /blank"):
        with pytest.raises(KnownError, match="models-preset"):
            models_preset([a_run(value)])
    nothing = run("off", argv=())
    for write in (sh_script, powershell_script, batch_script, launch_line):
        with pytest.raises(KnownError) as caught:
            write(nothing)
        assert caught.value.code == "export_no_command"
    for write_all in (llama_swap_block, models_preset):
        with pytest.raises(KnownError, match="never came as far"):
            write_all([nothing])


def test_an_exported_command_is_read_back_as_the_same_settings() -> None:
    for shell in ("sh", "cmd", "powershell"):
        read = read_command(command_line(run("balanced"), shell))  # type: ignore[arg-type]
        assert read.settings == {"ctx_size": 8192, "mtp": True, "n_max": 4}
        assert read.model_path == "/models/Qwen3.6.gguf"
        assert read.engine_path == "/opt/llama.cpp/llama-server"


def test_a_key_is_in_no_form() -> None:
    made = replace(run("off"), argv=("llama-server", "--api-key=k3y", "--api-key", "-k3y", "--port", "1"))
    forms = [sh_script(made), powershell_script(made), batch_script(made), llama_swap_block([made])]
    assert all("k3y" not in form for form in [*forms, models_preset([made]), command_line(made, "sh")])


# -- configurations ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("value", [AWKWARD[0], AWKWARD[1], "a\u0085b\u2028c", "it's: {a} #1"])
def test_llama_swap_gets_the_same_command(value: str, windows: bool) -> None:
    yaml = pytest.importorskip("yaml")  # comes with gguf
    made = a_run(value, *AWKWARD, windows=windows)
    block = yaml.safe_load(llama_swap_block([made]))
    (name, model), *more = block["models"].items()
    split = read_windows if windows else shlex.split
    assert more == []
    assert name == "Qwen3.6-27B-通义-Q4_K_M"
    assert split(" ".join(model["cmd"].split("\n"))) == expected(made, "${PORT}")
    assert model["proxy"] == "http://127.0.0.1:${PORT}"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_yaml_strings_are_read_back(text: str) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(f"k: {yaml_string(text)}") == {"k": text}


def test_presets_for_the_router_have_a_section_for_each_launch_that_differs() -> None:
    wider = (*ARGV[: ARGV.index("8192")], "16384", *ARGV[ARGV.index("8192") + 1 :])
    again = [*ARGV]
    again[again.index("41873")] = "41999"  # another start has another port
    runs = [
        run("off", argv=("llama-server", "--ctx-size", "4096")), run("balanced"),
        run("balanced", 2, argv=tuple(again)), run("balanced", 3, argv=wider),
    ]  # fmt: skip
    text = models_preset(runs)
    first, rest = text.split("\n", 1)
    assert first == "version = 1"
    ini = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=(";",))
    ini.read_string(rest)
    base = model_id(runs[0])
    assert ini.sections() == [base, f"{base}-balanced", f"{base}-balanced-2"]
    assert dict(ini[base]) == {"ctx-size": "4096"}
    assert dict(ini[f"{base}-balanced"]) == {
        "model": "/models/Qwen3.6.gguf", "ctx-size": "8192", "spec-type": "draft-mtp",
        "spec-draft-n-max": "4",
        "metrics": "true", "no-ui": "true",
    }  # fmt: skip
    yaml = pytest.importorskip("yaml")
    assert list(yaml.safe_load(llama_swap_block(runs))["models"]) == ini.sections()


def test_what_was_only_added_for_measuring_is_named() -> None:
    made = run("balanced", argv=(*ARGV, "--cache-ram", "0"), status=RunStatus.CANCELLED)
    title, measuring = launch_line(made).remarks
    assert title.endswith(", cancelled")
    assert measuring.endswith(": --metrics, --no-ui, --cache-ram 0")
    ours = run("off", argv=(*ARGV, "--cache-ram", "8192"))
    assert "--cache-ram" not in launch_line(ours).remarks[1]
    for text in (sh_script(made), powershell_script(made), llama_swap_block([made]), models_preset([made])):
        assert measuring in text
    assert "rem Added for measuring" in batch_script(made)
    older = run("off", argv=("llama-server", "--no-webui", "--log-verbosity", "4", "--verbosity", "1"))
    assert launch_line(older).remarks[1].endswith(": --no-webui, --log-verbosity 4")


def test_a_start_that_failed_neither_speaks_for_the_others_nor_spoils_them() -> None:
    failed, refused = run("balanced", status=RunStatus.FAILED), run("off", argv=())
    text = models_preset([refused, failed, run("balanced", 2)])
    assert text.count("[") == 1
    assert "failed" not in text


def test_names_of_models_have_no_blanks_and_no_quantisation_twice() -> None:
    made = run("off")
    named = replace(made, model=replace(made.model, name="My [model]: Q4_K_M"))
    assert model_id(named) == "My-model-Q4_K_M"
    assert model_id(replace(made, model=replace(made.model, name="", path="D:\\x\\b.gguf"))) == "b-Q4_K_M"
    assert model_id(replace(made, model=replace(made.model, name="::", quant=""))) == "model"
