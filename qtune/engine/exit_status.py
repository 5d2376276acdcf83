"""What an exit status means: signals of POSIX and faults of Windows, in whatever form they are reported."""

from __future__ import annotations

import signal
import sys

_WINDOWS = {
    0xC0000005: "ACCESS_VIOLATION",
    0xC0000017: "NO_MEMORY",
    0xC000001D: "ILLEGAL_INSTRUCTION",
    0xC0000022: "ACCESS_DENIED",
    0xC000007B: "INVALID_IMAGE",
    0xC00000FD: "STACK_OVERFLOW",
    0xC000012D: "COMMITMENT_LIMIT",
    0xC0000135: "DLL_NOT_FOUND",
    0xC0000138: "ORDINAL_NOT_FOUND",
    0xC0000139: "ENTRYPOINT_NOT_FOUND",
    0xC000013A: "CONTROL_C_EXIT",
    0xC0000142: "DLL_INIT_FAILED",
    0xC0000374: "HEAP_CORRUPTION",
    0xC0000409: "ABORT",
}
"""NTSTATUS by value (ntstatus.h); ABORT is what newer C libraries make of ``abort()``."""

_ABORT_OF_WINDOWS = 3
"""What ``abort()`` of older C libraries leaves with."""

KILLED = frozenset({"SIGKILL"})
ENDED_FROM_OUTSIDE = frozenset({"SIGTERM", "SIGINT", "SIGHUP", "CONTROL_C_EXIT"})
LIBRARY_FAULTS = frozenset({"DLL_NOT_FOUND", "ORDINAL_NOT_FOUND", "ENTRYPOINT_NOT_FOUND", "DLL_INIT_FAILED"})
INSTRUCTION_FAULTS = frozenset({"SIGILL", "ILLEGAL_INSTRUCTION", "INVALID_IMAGE"})
MEMORY_FAULTS = frozenset({"NO_MEMORY", "COMMITMENT_LIMIT"})
BLOCKED = frozenset({"ACCESS_DENIED"})


def signal_name(returncode: int) -> str | None:
    """Name of the signal or fault that ended a process, None when it left by itself.

    A shell between us and the engine reports a signal as 128 + number; Windows reports faults as NTSTATUS,
    which some callers see as a negative number.
    """
    status = returncode & 0xFFFFFFFF
    if status in _WINDOWS:
        return _WINDOWS[status]
    if sys.platform == "win32":
        return "ABORT" if returncode == _ABORT_OF_WINDOWS else None
    number = -returncode if returncode < 0 else returncode - 128
    try:
        return signal.Signals(number).name if 0 < number < 65 else None
    except ValueError:
        return f"signal {number}" if returncode < 0 else None


def fault_words(returncode: int) -> str:
    """The fault for a sentence: the name of a signal, or name and number of a fault of Windows."""
    name = signal_name(returncode) or str(returncode)
    status = returncode & 0xFFFFFFFF
    return f"{name} (0x{status:08X})" if status in _WINDOWS else name
