"""What else runs on this computer and bears on a measurement: other llama-servers, and the battery."""

from __future__ import annotations

import psutil

SERVER_NAMES = frozenset(
    {"llama-server", "llama-server.exe", "koboldcpp", "koboldcpp.exe", "ollama_llama_server"}
)


def other_servers() -> tuple[int, ...]:
    """Process ids of local model servers that run now; those that may not be looked at are left out."""
    running = psutil.process_iter(["name"])
    return tuple(process.pid for process in running if process.info["name"] in SERVER_NAMES)


def process_family(pid: int | None) -> tuple[int, ...]:
    """A process and its descendants by id; empty for None or one that is gone."""
    if pid is None:
        return ()
    try:
        process = psutil.Process(pid)
        return (pid, *(child.pid for child in process.children(recursive=True)))
    except psutil.Error:
        return ()


def on_battery() -> bool:
    """Whether the computer runs on battery now; False where it has none or does not tell."""
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    return battery is not None and battery.power_plugged is False
