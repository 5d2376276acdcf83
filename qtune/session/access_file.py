"""The key of the running server in a file that only the user can read, for programs that are to use it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import psutil

from qtune.core.errors import KnownError
from qtune.host.files import replace_file


class AccessFile:
    """One per process; its name holds the process id, so that two servers do not overwrite each other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.path = folder / f"serve-{os.getpid()}.key"

    def write(self, key: str) -> None:
        """Put the key on disk, readable for the user alone (mode 0600 where files have modes).

        Raises:
            KnownError: ``folder_not_writable``.
        """
        try:
            replace_file(self.path, f"{key}\n".encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise KnownError("folder_not_writable", path=str(self._folder), reason=reason) from error

    def remove(self) -> None:
        """Take it away; nothing if it is not there."""
        with suppress(OSError):
            self.path.unlink()

    def clear_leftovers(self) -> None:
        """Take away files of processes that were killed; their keys open nothing any more."""
        for path in self._folder.glob("serve-*.key"):
            pid = path.stem.removeprefix("serve-")
            if pid.isdigit() and not psutil.pid_exists(int(pid)):
                with suppress(OSError):
                    path.unlink()
