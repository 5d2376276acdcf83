"""A launch as the command line the window would use, to be pasted into a shell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from qtune.core.engine_facts import EngineFacts
from qtune.core.machine_facts import GpuFacts
from qtune.core.model_facts import ModelFacts
from qtune.core.shell_quoting import Shell, command_text
from qtune.engine.argv import build_argv
from qtune.session.launching import check_launch, launch_spec
from qtune.session.requests import LaunchRequest

PORT: Final = 8080
"""llama-server's own; qtune itself takes whichever is free."""
_VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
"""By which CUDA is shown the chosen card alone."""


def launch_text(
    request: LaunchRequest,
    engine: EngineFacts,
    model: ModelFacts,
    shell: Shell,
    *,
    card: str = "",
    cards: Sequence[GpuFacts] = (),
) -> str:
    """One line that starts what qtune would start, without a key: whoever pastes it starts an open server.

    Raises:
        KnownError: What ``check_launch`` and ``build_argv`` refuse.
    """
    check_launch(request.settings, engine, model)
    spec = launch_spec(engine, model, request.settings, request.preset, card=card, cards=cards)
    argv = build_argv(
        spec.settings,
        engine,
        spec.model_path,
        PORT,
        _alias(model),
        head_path=spec.head_path,
        devices=spec.devices,
    )
    chosen = {name: value for name, value in spec.extra_environment if name == _VISIBLE and card}
    return _with_variables(chosen, command_text((*engine.ref.command, *argv.tokens), shell), shell)


def _with_variables(variables: Mapping[str, str], command: str, shell: Shell) -> str:
    """The command with what its environment must hold; the values are UUIDs, which need no quotes."""
    for name, value in variables.items():
        match shell:
            case "sh":
                command = f"{name}={value} {command}"
            case "powershell":
                command = f"$env:{name} = '{value}'; {command}"
            case "cmd":
                command = f'set "{name}={value}" & {command}'
    return command


def _alias(model: ModelFacts) -> str:
    return re.sub(r"[^\w.+-]+", "-", model.name).strip("-") or "model"
