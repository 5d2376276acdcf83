"""The computer as it goes into the record: system, processor, memory. No names of user or host."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from qtune import __version__
from qtune.core.machine_facts import MachineFacts

if sys.platform == "win32":
    import winreg


def machine_facts() -> MachineFacts:
    """Look at the computer; takes milliseconds. A processor without a name is named by its architecture."""
    return MachineFacts(
        os=_os_name(),
        cpu=_cpu_name() or platform.processor() or platform.machine(),
        cores=psutil.cpu_count(logical=False) or os.cpu_count() or 1,
        ram_bytes=psutil.virtual_memory().total,
        python=platform.python_version(),
        qtune=__version__,
    )


def _os_name() -> str:
    """Name and version as its users know it, with the kernel where that decides about drivers."""
    if sys.platform == "linux":
        name = f"Linux {platform.release()}"
        with suppress(OSError):
            name = f"{platform.freedesktop_os_release()['PRETTY_NAME']} ({name})"
    elif sys.platform == "darwin":
        name = f"macOS {platform.mac_ver()[0]}"
    else:
        name = f"{platform.system()} {platform.release()} ({platform.version()})"
    return name


def _cpu_name() -> str:
    """Marketing name of the processor, empty where the system keeps it to itself."""
    name = ""
    with suppress(OSError, subprocess.SubprocessError):
        if sys.platform == "win32":
            place = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, place) as key:
                name = str(winreg.QueryValueEx(key, "ProcessorNameString")[0])
        elif sys.platform == "darwin":
            command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
            name = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
        else:
            text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
            # ARM kernels name no model.
            facts = (line.partition(":") for line in text.splitlines())
            name = next((value for key, _, value in facts if key.strip() == "model name"), "")
    return " ".join(name.split())
