"""Readings of this very computer and of a real process tree."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psutil

from qtune.telemetry.host import HostProbe

HOLD = """
import subprocess, sys
block = b"x" * (30 << 20)
child = None
if len(sys.argv) > 1:
    child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE)
print("ready", flush=True)
sys.stdin.read()
if child is not None:
    child.communicate()
"""


def test_plausible_figures_and_no_meaningless_first_cpu_share() -> None:
    probe = HostProbe()
    first, second = probe.sample(), probe.sample()
    assert first.cpu_pct is None
    assert second.cpu_pct is not None
    assert second.ram_used_bytes is not None
    assert second.ram_total_bytes == psutil.virtual_memory().total
    assert 0 < second.ram_used_bytes < second.ram_total_bytes
    assert second.engine_rss_bytes is None


def test_resident_memory_counts_the_whole_tree_and_ends_with_it() -> None:
    probe = HostProbe()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().strip() == b"ready"
        assert parent.stdout.readline().strip() == b"ready"
        probe.watch(parent.pid)
        tree = probe.sample().engine_rss_bytes
        assert tree is not None
        assert tree >= psutil.Process(parent.pid).memory_info().rss + (30 << 20)
        parent.communicate()
    assert probe.sample().engine_rss_bytes is None


def test_a_pid_nobody_has_is_unknown() -> None:
    probe = HostProbe()
    probe.watch(2**22 + 12345)
    assert probe.sample().engine_rss_bytes is None


def test_a_reading_is_cheap() -> None:
    """Two readings a second must not show up in what is measured."""
    probe = HostProbe()
    probe.watch(os.getpid())
    for _ in range(10):
        probe.sample()
    begun = time.process_time()
    for _ in range(20):
        probe.sample()
    assert (time.process_time() - begun) / 20 < 0.05
