"""Whether a window can be opened here, found out before Qt is loaded: Qt itself would abort the process."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping

from qtune.core.messages import Message

QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""Libraries Qt's wheels expect of the system, with the Debian package that brings each."""

DISPLAYLESS_PLATFORMS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")


def display_problem(env: Mapping[str, str]) -> Message | None:
    """Why no window can be opened, None if nothing is known against it. Only Linux can lack a display."""
    if not sys.platform.startswith("linux"):
        return None
    platform = env.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in DISPLAYLESS_PLATFORMS:
        return None
    if not env.get("DISPLAY") and not env.get("WAYLAND_DISPLAY"):
        return Message.of("no_display")
    missing = [name for name in QT_LIBRARIES if not _loads(name)]
    if not missing:
        return None
    packages = " ".join(QT_LIBRARIES[name] for name in missing)
    return Message.of("qt_missing_libraries", reason=f"missing {', '.join(missing)}", packages=packages)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
