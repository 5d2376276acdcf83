"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

BaseDir = Annotated[
    Path | None, typer.Option("--base-dir", help="Keep settings, history and cache in this folder.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
EnginePath = Annotated[
    Path | None, typer.Option("--engine", help="llama-server to use; default: found, else bundled.")
]
ModelPath = Annotated[Path | None, typer.Option("--model", help="GGUF file to measure.")]
Sample = Annotated[bool, typer.Option("--sample", help="Use the sample model (made on first use).")]
Presets = Annotated[
    list[str] | None,
    typer.Option("--preset", help="off, conservative, balanced, aggressive; may be repeated."),
]
Ctx = Annotated[int | None, typer.Option("--ctx", help="Context in tokens.")]
Prompts = Annotated[
    list[str] | None, typer.Option("--prompt", help="Name of a prompt, or @FILE; may be repeated.")
]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", min=16, help="Longest answer in tokens.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A server setting as key=value; may be repeated.")
]
Temperature = Annotated[
    float, typer.Option("--temperature", min=0.0, max=2.0, help="0 compares best; your own confirms.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of sampling, prompts and order.")]
Quick = Annotated[bool, typer.Option("--quick", help="One start per arm and one prompt: an indication.")]
Language = Annotated[str, typer.Option("--language", help="Language of the prompts: en or zh.")]
