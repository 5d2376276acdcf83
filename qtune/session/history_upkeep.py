"""Checks and copies the history where it lies, without opening it, and says where that is.

Opening mends: it migrates, reads in what waited and sets a damaged file aside, so a check would find nothing.
"""

from __future__ import annotations

from pathlib import Path

from qtune.core.messages import Message
from qtune.host.paths import app_paths
from qtune.host.preferences import open_preferences
from qtune.session.history_place import look_at, place_at, place_in_force, store_choice
from qtune.store.address import Place, place_of
from qtune.store.upkeep import back_up, check


def check_history(base_dir: Path | None = None) -> tuple[str, list[Message]]:
    """The file or address, and what is wrong with it; nothing if it is sound.

    Raises:
        KnownError: ``history_missing``, ``history_foreign``, ``history_not_readable``; for a database why it
            cannot be used.
    """
    place = place_in_force(base_dir)
    return str(place), all_faults(place, app_paths(base_dir).data)


def all_faults(place: Place, folder: Path) -> list[Message]:
    """What is wrong with a history, and what waits in the folder of data for others."""
    return [*check(place), *_elsewhere(place, folder)]


def _elsewhere(place: Place, folder: Path) -> list[Message]:
    """Rows that wait for a history that is not in use any more."""
    begin = (place if isinstance(place, Path) else place.waiting).name
    waiting = sorted(folder.glob("*.pending-*"))
    return [
        Message.of("history_check_elsewhere", path=str(path))
        for path in waiting
        if not path.name.startswith(f"{begin}.pending-")
    ]


def back_up_history(base_dir: Path | None = None, folder: Path | None = None) -> Path:
    """Write a copy, by default to the folder of backups; returns its path.

    Raises:
        KnownError: ``history_missing``, ``history_backup_failed``, ``history_backup_shared``.
    """
    return back_up(place_in_force(base_dir), folder or app_paths(base_dir).backups)


def where_history_is(base_dir: Path | None = None) -> tuple[str, Message]:
    """The file or address, and what is found there.

    Raises:
        KnownError: What is in the way.
    """
    place = place_in_force(base_dir)
    return str(place), look_at(place)


def needs_password(url: str, base_dir: Path | None = None) -> bool:
    """Whether an address has none with it and may need one.

    Raises:
        KnownError: ``history_url_bad``, ``history_url_kind``.
    """
    place = place_of(url, app_paths(base_dir).data)
    return not isinstance(place, Path) and place.given is None


def move_history(
    url: str, password: str = "", base_dir: Path | None = None, *, untried: bool = False
) -> tuple[str, list[Message]]:
    """Keep the history at an address from now on, or with an empty one in the file of this computer.

    Returns:
        The place, and what the user should know.

    Raises:
        KnownError: What is in the way; then all is as it was.
    """
    paths = app_paths(base_dir)
    place = place_at(url, paths, password) if url else paths.database_file
    told = [] if untried else [look_at(place)]
    paths.ensure()
    preferences, problem = open_preferences(paths.settings_file)
    told += [problem] if problem is not None else []
    notice = store_choice(preferences, paths, url, password)
    return str(place), told + ([notice] if notice is not None else [])
