"""WAL is used on local disks only."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from qtune.store.sqlite import journal_mode_for

MOUNTS = [
    ("/", "ext4", "rw"),
    ("/home", "nfs4", "rw,relatime"),
    ("/home/local", "btrfs", "rw"),
    ("/mnt/c", "9p", "rw"),
    ("/media/z", "ntfs", "rw,remote"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="names POSIX paths")
@pytest.mark.parametrize(
    ("path", "mode"),
    [
        ("/var/qtune.db", "WAL"),
        ("/home/me/qtune.db", "DELETE"),
        ("/home/local/qtune.db", "WAL"),
        ("/homes/qtune.db", "WAL"),
        ("/mnt/c/qtune.db", "DELETE"),
        ("/media/z/qtune.db", "DELETE"),
    ],
)
def test_the_innermost_mount_decides(path: str, mode: str) -> None:
    assert journal_mode_for(Path(path), MOUNTS) == mode
