"""Small files that survive a crash and a second process: replaced in one step, guarded by a lock."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def replace_file(path: Path, content: bytes | Iterable[bytes], *, mode: int | None = None) -> None:
    """Write a file so that a reader sees the old or the new content, never a part; OSError if that fails.

    Args:
        path: File to write or replace, in a folder that exists.
        content: The whole, or pieces that are written as they come.
        mode: Permissions of the new file; None for its owner's eyes only.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def try_lock(file: IO[bytes], *, wait: bool = False) -> bool:
    """Lock an open file against other processes until it is closed; False if another one holds it.

    Args:
        file: Opened for writing.
        wait: Wait for the other one (on Windows for up to ten seconds).
    """
    try:
        if sys.platform == "win32":
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file beside ``path``, so that reading, changing and replacing it is one step."""
    with path.with_name(f"{path.name}.lock").open("ab") as file:
        try_lock(file, wait=True)
        yield
