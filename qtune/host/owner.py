"""Which process a row belongs to, on which computer, and whether it still lives."""

from __future__ import annotations

import hashlib
import platform
import sys
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

if sys.platform == "win32":
    import winreg

_TOLERANCE_S = 5.0
"""Linux derives the start of a process from the wall clock, which time synchronisation moves."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process by its id and its start (seconds since the epoch), since ids are used again.

    Attributes:
        computer: As :func:`computer` names it; empty where it was not noted, which counts as this one.
    """

    pid: int
    started: float
    computer: str = ""

    @classmethod
    def this_process(cls) -> Owner:
        """The process we are in."""
        process = psutil.Process()
        return cls(process.pid, process.create_time(), computer())

    @property
    def is_here(self) -> bool:
        """Whether it is a process of this computer; of others nothing can be said."""
        return self.computer in {"", computer()}

    def is_alive(self) -> bool:
        """Whether this very process still runs; one that may not be looked at counts as alive."""
        if not self.is_here:
            return True
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) <= _TOLERANCE_S
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            return True


@cache
def computer() -> str:
    """What tells this computer from others that share a history: 64 bits as hex that name nobody.

    It holds from start to start, until the system is installed anew.
    """
    return hashlib.sha256(f"qtune\n{_system_id()}".encode(errors="replace")).hexdigest()[:16]


def _system_id() -> str:
    if sys.platform == "darwin":
        return f"{uuid.getnode():x}"
    with suppress(OSError):
        if sys.platform == "win32":
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography") as key:
                return str(winreg.QueryValueEx(key, "MachineGuid")[0])
        # Containers share the id of their image, or have none, but each has its host name and processes.
        return f"{Path('/etc/machine-id').read_text(encoding='ascii', errors='replace')}{platform.node()}"
    return platform.node()
