"""TCP ports on this computer: a free one, and whether a process of ours listens on one."""

from __future__ import annotations

import socket
import sys
from typing import Any

import psutil

LOOPBACK = "127.0.0.1"


def free_port(wanted: int = 0) -> int:
    """A port on 127.0.0.1 that is free right now; whoever binds it next must still prove to be ours.

    Args:
        wanted: Taken if nobody listens on it; 0 for any.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if wanted and sys.platform != "win32":  # there it would let us bind what another one listens on
            # Connections of the server before may still be dying away; they do not hinder the next one.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, wanted))
        except OSError:
            return free_port()
        port: int = probe.getsockname()[1]
        return port


def process_tree_pids(pid: int) -> tuple[int, ...]:
    """The process and its descendants, the process first; empty if it has ended."""
    try:
        return (pid, *(child.pid for child in psutil.Process(pid).children(recursive=True)))
    except psutil.Error:
        return ()


def listens(pid: int, port: int) -> bool | None:
    """Whether the process or one of its descendants listens on the port; None where that cannot be told."""
    hidden = False
    for member in process_tree_pids(pid):
        try:
            if any(_is_listener(entry, port) for entry in psutil.Process(member).net_connections(kind="tcp")):
                return True
        except psutil.AccessDenied:
            hidden = True
        except psutil.NoSuchProcess:
            continue
    return None if hidden else False


def _is_listener(entry: Any, port: int) -> bool:  # noqa: ANN401 - psutil has two classes for it
    return bool(entry.status == psutil.CONN_LISTEN and entry.laddr and entry.laddr.port == port)
