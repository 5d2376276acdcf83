"""Reads the computer itself: processor, main memory, and the resident memory of the engine's processes."""

from __future__ import annotations

import threading
from typing import Final

import psutil

from qtune.core.machine_facts import HostSample

_TREE_AGE: Final = 10
"""Readings after which the engine's children are looked up anew; listing all processes is not free."""

_YOUNG: Final = 6
"""Readings after a new process was named during which its children are looked up each time."""


class HostProbe:
    """Readings of the computer; ``watch`` names the process whose tree counts as the engine.

    Readings belong to one thread; ``watch`` may be called from any.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid: int | None = None
        self._root: psutil.Process | None = None
        self._tree: list[psutil.Process] = []
        self._readings = 0
        self._cpu_primed_by: int | None = None

    def watch(self, pid: int | None) -> None:
        """Count the resident memory of this process and its descendants from now on; None for none."""
        with self._lock:
            if pid != self._pid:
                self._pid, self._root, self._tree, self._readings = pid, None, [], 0

    def sample(self) -> HostSample:
        """One reading. The processor's share is that since the last one, None on the first."""
        memory = psutil.virtual_memory()
        with self._lock:
            rss = self._tree_rss()
        return HostSample(
            cpu_pct=self._cpu(),
            # What cannot be had any more, caches not counted; "used" means something else on every system.
            ram_used_bytes=memory.total - memory.available,
            ram_total_bytes=memory.total,
            engine_rss_bytes=rss,
        )

    def _cpu(self) -> float | None:
        share = psutil.cpu_percent(interval=None)
        # psutil keeps the last reading per thread; the first one in a thread is a meaningless zero.
        if self._cpu_primed_by != threading.get_ident():
            self._cpu_primed_by = threading.get_ident()
            return None
        return share

    def _tree_rss(self) -> int | None:
        if self._pid is None:
            return None
        try:
            if self._root is None:
                self._root = psutil.Process(self._pid)
            if self._readings < _YOUNG or self._readings % _TREE_AGE == 0:
                self._tree = [self._root, *self._root.children(recursive=True)]
            self._readings += 1
        except psutil.Error:
            return None
        sizes = [size for process in self._tree if (size := _rss(process)) is not None]
        return sum(sizes) if sizes else None


def _rss(process: psutil.Process) -> int | None:
    try:
        if process.status() == psutil.STATUS_ZOMBIE or not process.is_running():
            return None
        return int(process.memory_info().rss)
    except psutil.Error:
        return None
