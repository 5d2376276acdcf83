"""How often the system has killed a process for want of main memory, where it tells."""

from __future__ import annotations

from pathlib import Path

_VMSTAT = Path("/proc/vmstat")


def oom_kills() -> int | None:
    """Kills by the out-of-memory killer since the computer was started; None where that is not told.

    Linux counts them in /proc/vmstat, those for the limit of a container too (``oom_kill``, since 4.13).
    """
    try:
        lines = _VMSTAT.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    counts = [line.split() for line in lines if line.startswith("oom_kill ")]
    return int(counts[0][1]) if counts and counts[0][1].isdigit() else None
