"""Pasted commands become settings; nothing is dropped without a word, and keys are nowhere in the result."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtune.core.command_text import PastedCommand, command_text, read_command
from qtune.core.settings import SETTINGS, ServerSettings
from qtune.core.shell_words import split_commands

SH = r"""
#!/bin/sh
export LLAMA_ARG_N_GPU_LAYERS=99
CUDA_VISIBLE_DEVICES=0 /opt/llama.cpp/build/bin/llama-server \
  -m "/models/Qwen 3/通义.gguf" \
  -c 32768 -np 2 -fa --host 0.0.0.0 --port 9931 \
  -ctk q8_0 -ctv=q8_0 --temp 0.7 --top-k -1 \
  --spec-type draft-mtp,ngram-mod --draft-max 6 --no-mmap 2>&1 | tee "server log.txt"
"""


def test_a_command_with_continued_lines_is_read_whole() -> None:
    read = read_command(SH.replace("-ctv=q8_0", "--cache-type-v=q8_0"))
    assert read.settings == {
        "ctx_size": 16384, "parallel": 2, "gpu_layers": "all", "flash_attn": "on", "cache_type_k": "q8_0",
        "cache_type_v": "q8_0", "load_mode": "none", "mtp": True, "n_max": 6,
    }  # fmt: skip
    assert read.model_path == "/models/Qwen 3/通义.gguf"
    assert read.engine_path == "/opt/llama.cpp/build/bin/llama-server"
    assert read.ignored == (
        "CUDA_VISIBLE_DEVICES=0", "tee server log.txt", "--host 0.0.0.0", "--port 9931", "--temp 0.7",
        "--top-k -1", "--spec-type ngram-mod", "2>&1",
    )  # fmt: skip
    assert read.problems == ()
    ServerSettings().with_values(read.settings)


WINDOWS = "\r\n".join(
    [
        "set LLAMA_ARG_THREADS=8",
        '"C:\\Program Files\\llama\\llama-server.exe" ^',
        '  -m "D:\\模型\\a & b 100%%.gguf" ^',
        "  -c 4096 -ngl 0 --mlock & echo done",
    ]
)
POWERSHELL = "\n".join(
    [
        "$env:LLAMA_ARG_THREADS = '8'",
        "& 'C:\\Program Files\\llama\\llama-server.exe' `",
        '  -m "D:\\模型\\a & b 100%.gguf" `',
        "  -c 4096 -ngl 0 --mlock; echo done",
    ]
)


@pytest.mark.parametrize("text", [WINDOWS, POWERSHELL])
def test_commands_of_windows_shells_are_read(text: str) -> None:
    read = read_command(text)
    assert read.settings == {
        "ctx_size": 4096, "gpu_layers": "none", "threads": 8, "load_mode": "mmap+mlock",
    }  # fmt: skip
    assert read.model_path == "D:\\模型\\a & b 100%.gguf"
    assert read.engine_path == "C:\\Program Files\\llama\\llama-server.exe"
    assert read.ignored == ("echo done",)


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        ("-fa -c 512", {"flash_attn": "on", "ctx_size": 512}),
        ("-fa off", {"flash_attn": "off"}),
        ("--flash-attn 1", {"flash_attn": "on"}),
        ("--ctx_size=1024", {"ctx_size": 1024}),
        ("-c 512 -c 768", {"ctx_size": 768}),
        ("-c 10000 -np 3", {"ctx_size": 3333, "parallel": 3}),
        ("-ngl auto", {"gpu_layers": "auto"}),
        ("-ngl -1", {"gpu_layers": "auto"}),
        ("--n-gpu-layers 999", {"gpu_layers": "all"}),
        ("--draft 5 --draft-min 2 --draft-p-min .75", {"n_max": 5, "n_min": 2, "p_min": 0.75}),
        ("--spec-draft-n-max 5 -ctkd q4_0", {"n_max": 5, "draft_cache_type_k": "q4_0"}),
        ("--spec-type none", {"mtp": False}),
        ("--spec-type ngram-mod --spec-type mtp", {"mtp": True}),
        ("-t -1 -cram -1 -lm dio", {"threads": 0, "cache_ram_mib": -1, "load_mode": "dio"}),
        ("-cmoe", {"n_cpu_moe": 1024}),
        ("-ncmoe 12 -b 4096 -ub 1024", {"n_cpu_moe": 12, "batch_size": 4096, "ubatch_size": 1024}),
    ],
)
def test_short_old_and_bare_flags(flags: str, settings: dict[str, Any]) -> None:
    read = read_command(f"llama-server -m a.gguf {flags}")
    assert read.settings == dict(sorted(settings.items(), key=lambda pair: list(SETTINGS).index(pair[0])))
    assert read.problems == ()


@pytest.mark.parametrize(
    ("flags", "code", "listed"),
    [
        ("-ngl 20", "setting_invalid", "--gpu-layers 20"),
        ("-c many", "setting_invalid", "-c many"),
        ("-c 10", "setting_invalid", "--ctx-size 10"),
        ("-c 0", "pasted_context_of_model", "--ctx-size 0"),
        ("--draft-max 99", "setting_invalid", "--draft-max 99"),
        ("-ctk q3_0", "setting_invalid", "-ctk q3_0"),
        ("-c -np 2", "pasted_value_missing", "-c"),
    ],
)
def test_what_cannot_be_kept_is_said_and_listed(flags: str, code: str, listed: str) -> None:
    read = read_command(f"llama-server {flags}")
    assert [p.code for p in read.problems] == [code]
    assert "?" not in read.problems[0].sentence()
    assert listed.replace("--gpu-layers", "-ngl") in read.ignored
    assert "ctx_size" not in read.settings


@pytest.mark.parametrize(
    ("text", "engine", "code"),
    [
        ("-c 512", None, None),
        ("ExecStart=/usr/bin/llama-server -c 512", "/usr/bin/llama-server", None),
        ("sudo nohup ./server -c 512 &", "./server", None),
        ("numactl --cpunodebind=0 llama-server -c 512", "llama-server", None),
        ("docker run --gpus all ghcr.io/ggml-org/llama.cpp:server-cuda -c 512", None, None),
        ("/usr/bin/python -m qtune --bundled-engine -c 512", None, None),
        ("llama-cli -c 512", None, "pasted_other_program"),
        ("llama-server -hf unsloth/Qwen3:Q4 -c 512", "llama-server", "pasted_download"),
        ('llama-server -m "$HOME/a.gguf" -c 512', "llama-server", "pasted_variable"),
    ],
)
def test_ways_to_name_the_server(text: str, engine: str | None, code: str | None) -> None:
    read = read_command(text)
    assert read.settings == {"ctx_size": 512}
    assert read.engine_path == engine
    assert [p.code for p in read.problems] == ([code] if code else [])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "pasted_nothing"),
        (" \n # only a comment\n", "pasted_nothing"),
        ('llama-server -m "half', "pasted_open_quote"),
        ("x" * 100_001, "pasted_too_long"),
    ],
)
def test_no_command(text: str, code: str) -> None:
    assert read_command(text) == PastedCommand({}, problems=read_command(text).problems)
    assert [p.code for p in read_command(text).problems] == [code]


KEY = "aB3dE5fG7hJ9"


@pytest.mark.parametrize(
    "text",
    [
        f"llama-server --api-key {KEY}",
        f"llama-server --api-key={KEY} -c 512",
        f"llama-server --api_key -{KEY}",
        f"LLAMA_API_KEY={KEY} llama-server",
        f"export HF_TOKEN={KEY}\nllama-server -hft {KEY}",
        f"$env:LLAMA_API_KEY = '{KEY}'\n.\\llama-server.exe -c 512",
        f'set "LLAMA_API_KEY={KEY}"\r\nllama-server.exe',
        f"setx LLAMA_API_KEY {KEY}\nllama-server",
        f"llama-server -c 512 & curl -H 'Authorization: Bearer {KEY}' localhost",
        f"llama-server --port --api-key {KEY}",
        f"llama-server --chat-template sk-{KEY} > hf_{KEY}",
    ],
)
def test_keys_are_never_kept(text: str) -> None:
    assert KEY not in repr(read_command(text))


words = st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12), min_size=1, max_size=5)


@given(words, st.sampled_from(["sh", "powershell", "cmd"]))
def test_words_survive_being_written_and_read(given_words: list[str], shell: Any) -> None:
    # The program and a path make the shell plain; alone, a line of plain words may be any shell's.
    program = "/opt/it's/llama-server" if shell == "sh" else "C:\\a b\\llama-server.exe"
    argv = [program, "--flag", *given_words]
    split = split_commands(command_text(argv, shell))
    read = list(split.commands[0])
    if split.shell != shell:
        return
    assert read[1 if shell == "powershell" else 0 :] == argv
    assert len(split.commands) == 1


@given(st.text(max_size=200))
def test_any_text_is_read_without_failing(text: str) -> None:
    read = read_command("llama-server " + text)
    ServerSettings().with_values(read.settings)
