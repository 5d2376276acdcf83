"""Makes what a test hands to qtune: a fake "binary" with its switches baked in, and a small model."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from typing import Any

from tests.fake_llama import switches as switch_module

SERVER = Path(__file__).with_name("server.py")
_LONGEST_SHEBANG = 120  # Linux cuts the line at 127 bytes in older kernels


def make_fake_binary(folder: Path, *, name: str = "llama-server", **switches: Any) -> Path:
    """Write an executable that behaves as llama-server does, or as the switches say.

    Args:
        folder: where to write it; made if missing.
        name: its file name (`.cmd` is added on Windows).
        switches: fields of `Switches`; an unknown one raises ValueError here, not in the child.
    """
    folder.mkdir(parents=True, exist_ok=True)
    baked = switch_module.to_json(switch_module.make(**switches))
    body = (
        "import runpy, sys\n"
        f"sys.argv[1:1] = ['--fake-json', {baked!r}]\n"
        f"runpy.run_path({str(SERVER)!r}, run_name='__main__')\n"
    )
    if sys.platform == "win32":
        script = folder / f"{name}.py"
        script.write_text(body, encoding="utf-8")
        path = folder / f"{name}.cmd"
        path.write_text(f'@"{sys.executable}" -SE "{script}" %*\n', encoding="utf-8")
        return path
    path = folder / name
    path.write_text(_first_lines() + body, encoding="utf-8")
    path.chmod(0o755)
    return path


def _first_lines() -> str:
    """A shebang to this interpreter, through sh where its path is too long or has a space."""
    shebang = f"#!{sys.executable} -SE\n"  # no site-packages, no PYTHON* variables: starts in a few ms
    if len(os.fsencode(shebang)) <= _LONGEST_SHEBANG and " " not in sys.executable:
        return shebang
    return f"#!/bin/sh\n'''exec' \"{sys.executable}\" -SE \"$0\" \"$@\"\n' '''\n"


def make_fake_model(folder: Path, *, name: str = "fake-Q4_K_M.gguf", mtp: bool = True) -> Path:
    """Write a tiny, well-formed GGUF file of architecture qwen35, with an MTP block unless told otherwise.

    The header is true to the format (version 3); the tensors are a few numbers, enough for header readers.
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts: list[tuple[str, str | int]] = [
        ("general.architecture", "qwen35"),
        ("general.name", "Fake"),
        ("general.file_type", 15),
        ("qwen35.block_count", 5 if mtp else 4),
        ("qwen35.context_length", 262144),
        ("qwen35.embedding_length", 256),
        ("qwen35.feed_forward_length", 512),
        ("qwen35.attention.head_count", 4),
        ("qwen35.attention.head_count_kv", 2),
        ("qwen35.attention.key_length", 64),
        ("qwen35.attention.value_length", 64),
        ("qwen35.full_attention_interval", 4),
        ("qwen35.ssm.conv_kernel", 4),
        ("qwen35.ssm.state_size", 32),
        ("qwen35.ssm.group_count", 4),
        ("qwen35.ssm.time_step_rank", 8),
        ("qwen35.ssm.inner_size", 256),
    ]
    tensors = ["token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight"]
    if mtp:
        facts.append(("qwen35.nextn_predict_layers", 1))
        tensors += ["blk.4.attn_norm.weight", "blk.4.nextn.eh_proj.weight"]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(facts))
    for key, value in facts:
        if isinstance(value, str):
            head += _gguf_text(key) + struct.pack("<I", 8) + _gguf_text(value)
        else:
            head += _gguf_text(key) + struct.pack("<II", 4, value)
    for index, tensor in enumerate(tensors):  # one dimension of 8 numbers, f32, 32 bytes each
        head += _gguf_text(tensor) + struct.pack("<IQIQ", 1, 8, 0, 32 * index)
    head += b"\0" * (-len(head) % 32)
    path = folder / name
    path.write_bytes(head + struct.pack("<8f", *range(8)) * len(tensors))
    return path


def _gguf_text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw
