"""What the program prints before it leaves: --version, --help, --list-devices, a foreign program's words."""

from __future__ import annotations

import sys
import time

from tests.fake_llama.command_line import Settings, help_block
from tests.fake_llama.options import SECTIONS, known_options
from tests.fake_llama.switches import Switches

_FOREIGN = "frobnicate 3.1 (c) nobody\nusage: frobnicate [-q] FILE...\n"


def version_lines(switches: Switches) -> list[str]:
    """The lines of --version, backend noise first where asked for."""
    lines = []
    if switches.backend_lines:
        lines += [
            "ggml_cuda_init: found 1 CUDA devices (Total VRAM: 24077 MiB):",
            "  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes, VRAM: 24077 MiB",
            "load_backend: loaded CUDA backend from /opt/llama/libggml-cuda.so",
        ]
    if switches.version_form == "old":
        lines.append(f"version: {switches.build} ({switches.commit})")
    else:
        lines.append(f"version: 0.6.0-dev (build {switches.build}, commit {switches.commit})")
    return [*lines, "built with GNU 12.2.0 for Linux x86_64"]


def help_text(switches: Switches) -> str:
    """The whole of --help."""
    options = known_options(switches)
    parts = []
    for section, _ in SECTIONS:
        blocks = [help_block(option) for option in options if option.section == section]
        parts.append(f"----- {section} -----\n\n" + "\n".join(blocks))
    return "\n\n\n".join(parts) + "\n"


def print_and_leave(settings: Settings, switches: Switches) -> bool:
    """Do what --help, --version or --list-devices ask; False if none of them was given."""
    if settings.is_on("--help"):
        time.sleep(switches.slow_help_s)
        sys.stdout.write(help_text(switches))
    elif settings.is_on("--version"):
        time.sleep(switches.slow_version_s)
        out = sys.stdout if switches.version_stream == "stdout" else sys.stderr
        out.write("\n".join(version_lines(switches)) + "\n")
    elif settings.is_on("--list-devices"):
        devices = [f"  {line}" for line in switches.devices] or ["  (none)"]
        sys.stdout.write("\n".join(["Available devices:", *devices]) + "\n")
    elif settings.is_on("--cache-list"):
        sys.stdout.write("number of models in cache: 0\n")
    elif settings.is_on("--completion-bash"):
        names = [name for option in known_options(switches) for name in option.all_names]
        sys.stdout.write(f'complete -W "{" ".join(names)}" llama-server\n')
    else:
        return False
    return True


def act_foreign(arguments: list[str], garbage: bool | str) -> int:
    """Behave as a program that is no llama-server: its words, and 2 for anything but --version and --help."""
    text = garbage if isinstance(garbage, str) else _FOREIGN
    asked = set(arguments) & {"--version", "--help", "-h"}
    (sys.stdout if asked else sys.stderr).write(text)
    return 0 if asked else 2
