"""The environment an engine is started in: ours, without what would change its settings behind our back."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_REMOVED_PREFIXES = ("LLAMA_ARG_", "LLAMA_LOG_")
"""Settings and log shape of llama-server, read before argv; a removed one is fatal even for --version."""

_REMOVED_NAMES = frozenset(
    {
        # Would make our own requests fail with 401; the key of an engine is given per start.
        "LLAMA_API_KEY",
        # Lets an allocation that does not fit spill into system memory without an error: the memory gate and
        # the fill test would then measure a different machine.
        "GGML_CUDA_ENABLE_UNIFIED_MEMORY",
        # Print or synchronise per graph or operation, which costs speed that the record could not explain.
        # Workarounds that a machine may need to run at all (GGML_VK_DISABLE_*, GGML_CUDA_P2P, ...) stay.
        "GGML_SCHED_DEBUG",
        "GGML_VK_PERF_LOGGER",
        "GGML_VK_PERF_LOGGER_CONCURRENT",
        "CUDA_LAUNCH_BLOCKING",
        # Passwords of a shared history are none of an engine's business.
        "QTUNE_HISTORY_URL",
        "QTUNE_HISTORY_PASSWORD",
        "PGPASSWORD",
    }
)

_LOADER_NAMES = ("LD_LIBRARY_PATH", "LIBPATH")
"""What PyInstaller's bootloader points at the bundle, keeping the user's value under NAME_ORIG."""


def child_environment(
    extra: Mapping[str, str] | None = None, *, empty_config_dir: Path | None = None
) -> dict[str, str]:
    """Environment for an engine.

    Args:
        extra: Names to set last, such as the API key.
        empty_config_dir: Existing empty folder that stands for the user's configuration folder, so that no
            ``llama.cpp/config.ini`` of the user is read. The one in ``/etc`` cannot be avoided.
    """
    env = {name: value for name, value in without_bundle_paths(os.environ).items() if not _is_removed(name)}
    # An assertion would otherwise start a debugger and hold the dead engine for seconds.
    env["GGML_NO_BACKTRACE"] = "1"
    if empty_config_dir is not None:
        names = ("APPDATA", "PROGRAMDATA") if os.name == "nt" else ("XDG_CONFIG_HOME",)
        env.update(dict.fromkeys(names, str(empty_config_dir)))
    env.update(extra or {})
    return env


def environment_differences(env: Mapping[str, str]) -> tuple[str, ...]:
    """Names, never values, by which an engine's environment differs from ours, sorted."""
    return tuple(
        sorted(name for name in env.keys() | os.environ.keys() if env.get(name) != os.environ.get(name))
    )


def without_bundle_paths(environment: Mapping[str, str], *, bundle: str | None = None) -> dict[str, str]:
    """Copy without a frozen build's own library folders, which would give an engine our libraries.

    Args:
        environment: What to copy.
        bundle: Folder of the frozen build; looked up by default, and nothing is changed when there is none.
    """
    env = dict(environment)
    bundle = bundle or getattr(sys, "_MEIPASS", None)
    if bundle is None:
        return env
    for name in _LOADER_NAMES:
        original = env.pop(f"{name}_ORIG", None)
        if original is not None:
            env[name] = original
        else:
            env.pop(name, None)
    if "PATH" in env:
        folders = env["PATH"].split(os.pathsep)
        env["PATH"] = os.pathsep.join(folder for folder in folders if not _is_inside(folder, bundle))
    return env


def _is_removed(name: str) -> bool:
    name = name.upper()  # Windows does not tell names apart by case
    return name in _REMOVED_NAMES or name.startswith(_REMOVED_PREFIXES)


def _is_inside(folder: str, bundle: str) -> bool:
    return bool(folder) and Path(folder).is_relative_to(bundle)
