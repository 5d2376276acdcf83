"""Lists the programs that hold memory of an NVIDIA card, as far as the driver tells."""

from __future__ import annotations

from typing import Final

import psutil

from qtune.core.machine_facts import GpuProcess
from qtune.telemetry.nvml_calls import FUNCTION_NOT_FOUND, NvmlCalls, Raw, Refusal
from qtune.telemetry.nvml_readings import program_name, size

_LISTS: Final = (
    ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"),
    ("nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"),
)
"""Each list by its newest name and by the one drivers before 510 know; bare names are refused there."""


def processes_of(calls: NvmlCalls, uuid: str, handle: Raw) -> tuple[tuple[GpuProcess, ...], Refusal | None]:
    """The programs on one card by falling memory, and why a list is missing.

    A program that computes and draws stands in both of NVML's lists with the same figure; here it stands
    once. Windows' driver model and WSL name programs without their memory, or none at all.
    """
    memory: dict[int, int | None] = {}
    missing = None
    for names in _LISTS:
        listed, refusal = _list(calls, names, handle)
        missing = refusal or missing
        for one in listed:
            pid, used = int(one.pid), size(one.usedGpuMemory)
            known = memory.get(pid)
            memory[pid] = used if known is None or (used is not None and used > known) else known
    found = [GpuProcess(uuid, pid, _name(calls, pid), used) for pid, used in memory.items()]
    return tuple(sorted(found, key=lambda one: (-(one.vram_bytes or 0), one.pid))), missing


def _list(calls: NvmlCalls, names: tuple[str, ...], handle: Raw) -> tuple[list[Raw], Refusal | None]:
    refusal = None
    for name in names:
        listed, refusal = calls.ask_as("programs", list, name, handle)
        if listed is not None:
            return listed, None
        if refusal is None or refusal.code != FUNCTION_NOT_FOUND:
            break
    return [], refusal


def _name(calls: NvmlCalls, pid: int) -> str:
    """File name of the program, empty where neither the driver nor the system tells."""
    if pid == 0:
        return ""
    name, _ = calls.ask_as("program name", program_name, "nvmlSystemGetProcessName", pid)
    if name:
        return name
    try:
        return program_name(psutil.Process(pid).name())
    except psutil.Error:
        return ""
