"""One window per set of folders: the first start holds a lock, a second one asks it to come to the front."""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from qtune.host.files import replace_file, try_lock
from qtune.host.paths import AppPaths

_ANSWER_LIMIT_S = 2.0
_DONE = b"raised"


class Claim:
    """Proof of being the first; held until ``release``. Owns the thread ``raise-requests``."""

    def __init__(self, lock: IO[bytes], address_file: Path) -> None:
        self._lock = lock
        self._address_file = address_file
        self._token = secrets.token_hex(16)
        self._on_raise: Callable[[], None] | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._address = self._listener.getsockname()
        # Readable by this user only, as mkstemp makes it: whoever can read it may raise the window.
        replace_file(address_file, json.dumps({"port": self._address[1], "token": self._token}).encode())
        self._released = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="raise-requests", daemon=True)
        self._thread.start()

    def on_raise(self, function: Callable[[], None]) -> None:
        """Call this when another start asks for the window, on our thread: it must only pass it on."""
        self._on_raise = function

    def release(self) -> None:
        """Let another start be the first."""
        self._released.set()
        with suppress(OSError), socket.create_connection(self._address, _ANSWER_LIMIT_S):
            pass  # wakes the thread up
        self._thread.join(2 * _ANSWER_LIMIT_S)
        self._listener.close()
        with suppress(OSError):
            self._address_file.unlink()
        self._lock.close()

    def _listen(self) -> None:
        while not self._released.is_set():
            with suppress(OSError):
                connection, _ = self._listener.accept()
                with connection:
                    connection.settimeout(_ANSWER_LIMIT_S)
                    if hmac.compare_digest(connection.recv(256), self._token.encode()) and self._on_raise:
                        self._on_raise()
                        connection.sendall(_DONE)


def claim(paths: AppPaths) -> Claim | None:
    """Be the one window on these folders; None if another process is. OSError if they cannot be written."""
    lock = (paths.state / "instance.lock").open("ab")
    if not try_lock(lock):
        lock.close()
        return None
    try:
        return Claim(lock, _address_file(paths))
    except BaseException:
        lock.close()
        raise


def ask_to_raise(paths: AppPaths) -> bool:
    """Ask the window on these folders to come to the front; False if it does not answer."""
    try:
        address = json.loads(_address_file(paths).read_text(encoding="utf-8"))
        with socket.create_connection(("127.0.0.1", int(address["port"])), _ANSWER_LIMIT_S) as connection:
            connection.sendall(str(address["token"]).encode())
            return connection.recv(16) == _DONE
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _address_file(paths: AppPaths) -> Path:
    return paths.state / "instance.json"
