"""TCP ports of this computer: a free one, and who listens on one."""

from __future__ import annotations

import socket
from dataclasses import dataclass

import psutil

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class PortOwner:
    """The process that listens on a port; parts the system does not tell are None."""

    pid: int | None
    name: str | None


def free_port() -> int:
    """A port on 127.0.0.1 that was free a moment ago; the one who binds it may still come second."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def port_owner(port: int) -> PortOwner | None:
    """Who listens on ``port``; None when nobody does or the system does not tell."""
    try:
        connections = psutil.net_connections("tcp")
    except psutil.Error:
        return None
    for connection in connections:
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
            return PortOwner(connection.pid, _name(connection.pid))
    return None


def _name(pid: int | None) -> str | None:
    if pid is None:
        return None
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return None


def process_tree(pid: int) -> list[psutil.Process]:
    """A process and its living descendants; empty when it is gone."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def listens(pid: int, port: int) -> bool | None:
    """Whether a process or one of its descendants listens on ``port``; None when the system does not tell."""
    tree = process_tree(pid)
    told = False
    for process in tree:
        try:
            connections = process.net_connections("tcp")
        except psutil.Error:
            continue
        told = True
        if any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in connections):
            return True
    return False if told else None
