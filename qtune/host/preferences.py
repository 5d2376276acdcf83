"""Preferences of the app in ``settings.toml``: read tolerantly, replaced in one step, one .bak kept."""

from __future__ import annotations

import shutil
import threading
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomli_w

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.host.files import locked, replace_file


class Preferences:
    """Values by key, kept in memory and stored on every change. May be used from any thread."""

    def __init__(self, file: Path, values: Mapping[str, Any]) -> None:
        self._file = file
        self._values = dict(values)
        self._lock = threading.Lock()

    def text(self, key: str, default: str = "") -> str:
        """A value as text (a number or truth value edited in by hand too); the default if it is absent."""
        with self._lock:
            value = self._values.get(key, default)
        if isinstance(value, bool):
            return str(value).lower()
        return str(value) if isinstance(value, str | int | float) else default

    def store(self, values: Mapping[str, str]) -> None:
        """Change values and write the file, if they are new; keys this version does not know are kept.

        Raises:
            KnownError: ``folder_not_writable``; the values hold until the app ends all the same.
        """
        with self._lock:
            if all(self._values.get(key) == value for key, value in values.items()):
                return
            self._values.update(values)
            try:
                self._write(values)
            except OSError as error:
                reason = error.strerror or str(error)
                raise KnownError("folder_not_writable", path=str(self._file.parent), reason=reason) from error

    def _write(self, changes: Mapping[str, str]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with locked(self._file):
            current = dict(self._values)
            try:
                current = _load(self._file)  # another window may have written since we read
            except FileNotFoundError:
                pass
            except ValueError:
                _set_aside(self._file)
            else:
                shutil.copyfile(self._file, _backup(self._file))
            replace_file(self._file, tomli_w.dumps({**current, **changes}).encode())


def open_preferences(file: Path) -> tuple[Preferences, Message | None]:
    """Read the preferences; whatever is wrong with the file is reported, never fatal.

    A damaged file is set aside, never deleted, and the copy of the one before is used if that can be read.
    """
    try:
        return Preferences(file, _load(file)), None
    except FileNotFoundError:
        return Preferences(file, {}), None
    except ValueError:  # half-written, zeroed, or not text at all
        problem = Message.of("settings_file_damaged", path=str(_set_aside(file)))
    except OSError as error:
        return Preferences(file, {}), Message.of(
            "settings_file_unreadable", path=str(file), reason=error.strerror
        )
    try:
        return Preferences(file, _load(_backup(file))), problem
    except (ValueError, OSError):
        return Preferences(file, {}), problem


def _load(file: Path) -> dict[str, Any]:
    """Parse the file; ValueError (also for bad UTF-8) if it is damaged, OSError if it cannot be read."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _backup(file: Path) -> Path:
    return file.with_name(f"{file.name}.bak")


def _set_aside(file: Path) -> Path:
    """Rename a damaged file after the moment it was found; its new place, or the old one if that fails."""
    place = file.with_name(f"{file.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    try:
        return file.replace(place)
    except OSError:
        return file
