from __future__ import annotations

import os
import socket
import subprocess
import sys

from qtune.host.ports import free_port, listens, process_tree_pids

LISTEN = """
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
input()
"""


def test_who_listens_is_told_apart() -> None:
    command = [sys.executable, "-c", LISTEN]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        port = int(other.stdout.readline())
        assert listens(other.pid, port) is True
        assert listens(os.getpid(), port) is True  # by a child of ours
        assert other.pid in process_tree_pids(os.getpid())
        free = free_port()
        assert listens(other.pid, free) is False
        with socket.create_server(("127.0.0.1", free)):
            assert listens(other.pid, free) is False  # somebody does, but not that process
        other.communicate("\n")
    assert process_tree_pids(other.pid) == ()
    assert listens(other.pid, port) is False


def test_a_wanted_port_is_taken_unless_somebody_listens_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        taken = stranger.getsockname()[1]
        assert free_port(taken) != taken
        with socket.create_connection(("127.0.0.1", taken)):
            stranger.accept()[0].close()  # whoever closes first leaves the port in TIME_WAIT
    assert free_port(taken) == taken or sys.platform == "win32"
