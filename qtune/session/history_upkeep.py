"""Checks and copies the history as it lies on disk, without opening it.

Opening mends: it migrates, reads in what waited and sets a damaged file aside, so a check would find nothing.
"""

from __future__ import annotations

from pathlib import Path

from qtune.core.messages import Message
from qtune.host.paths import app_paths
from qtune.store.upkeep import back_up, check


def check_history(base_dir: Path | None = None) -> tuple[Path, list[Message]]:
    """The file, and what is wrong with it; nothing if it is sound.

    Raises:
        KnownError: ``history_missing``, ``history_foreign``, ``history_not_readable``.
    """
    database = app_paths(base_dir).database_file
    return database, check(database)


def back_up_history(base_dir: Path | None = None, folder: Path | None = None) -> Path:
    """Write a copy, by default to the folder of backups; returns its path.

    Raises:
        KnownError: ``history_missing``, ``history_backup_failed``.
    """
    paths = app_paths(base_dir)
    return back_up(paths.database_file, folder or paths.backups)
