"""The engine's whole output on disk: the window keeps the newest lines only, this file keeps the rest."""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

_log = logging.getLogger("qtune.host")

MOST_BYTES: Final = 32 << 20
"""At this size the file becomes ``engine.1.log`` and a new one is begun: two of them at most lie on disk."""
MOST_WAITING: Final = 2000
"""Batches that may wait for a slow disk; more are left out, and the file says how many lines."""
_LEAST_MOVED: Final = 1 << 16


class EngineLog:
    """``keep`` may be called from any thread and never waits; a thread ``engine-log`` writes.

    Args:
        file: Where to write; its folder exists. Only its owner may read it: prompts may be in it.
        most_bytes: Size at which the file is put aside.
    """

    def __init__(self, file: Path, most_bytes: int = MOST_BYTES) -> None:
        self.file = file
        self._most_bytes = most_bytes
        self._waiting: queue.Queue[Sequence[str] | None] = queue.Queue(MOST_WAITING)
        self._left_out = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def older_file(self) -> Path:
        """The file before the present one, if there was one."""
        return self.file.with_suffix(".1" + self.file.suffix)

    def keep(self, lines: Sequence[str]) -> None:
        """Write these lines soon; after ``close`` nothing is kept any more."""
        with self._lock:
            if self._closed or not lines:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="engine-log", daemon=True)
                self._thread.start()
            try:
                if self._left_out:
                    self._waiting.put_nowait(self._gap())
                    self._left_out = 0
                self._waiting.put_nowait(tuple(lines))
            except queue.Full:
                self._left_out += len(lines)

    def close(self, timeout_s: float = 2.0) -> None:
        """Write what waits and end the thread; gives up on a disk that does not answer."""
        with self._lock:
            self._closed, thread = True, self._thread
        if thread is None:
            return
        try:
            if self._left_out:
                self._waiting.put(self._gap(), timeout=timeout_s)
            self._waiting.put(None, timeout=timeout_s)
        except queue.Full:
            _log.warning("the engine's log could not be written in time")
            return
        thread.join(timeout_s)

    def _gap(self) -> Sequence[str]:
        return (f"[{self._left_out} lines left out: the disk was too slow]",)

    def _run(self) -> None:
        try:
            self._write()
        except OSError as error:
            _log.warning("the engine's log is not written to disk any more: %s", error)
        # Whatever still comes is thrown away, so that nobody waits for room.
        with self._lock:
            self._closed = True

    def _write(self) -> None:
        file = self._open()
        try:
            while (lines := self._waiting.get()) is not None:
                file.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
                if self._waiting.empty():
                    file.flush()
                if file.tell() >= self._most_bytes:
                    file.close()
                    self._put_aside()
                    file = self._open()
        finally:
            file.close()

    def _open(self) -> IO[bytes]:
        return os.fdopen(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")

    def _put_aside(self) -> None:
        try:
            self.file.replace(self.older_file)
        except OSError as error:  # on Windows while somebody looks at it; the next size is as good
            self._most_bytes += max(self._most_bytes, _LEAST_MOVED)
            _log.info("the engine's log could not be put aside: %s", error)
