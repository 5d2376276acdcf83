"""Where the app keeps its things: settings, history, logs, cache, and the data it ships with."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

import qtune
from qtune.core.errors import KnownError

HOME_VARIABLE = "QTUNE_HOME"


@dataclass(frozen=True, slots=True)
class AppPaths:
    """The four folders of the app and what lies in them."""

    config: Path
    data: Path
    state: Path
    cache: Path

    @property
    def settings_file(self) -> Path:
        """Preferences of the app (not of llama-server: those are in the history)."""
        return self.config / "settings.toml"

    @property
    def database_file(self) -> Path:
        """The history."""
        return self.data / "qtune.db"

    @property
    def backups(self) -> Path:
        """Copies of the history made before each migration."""
        return self.data / "backups"

    @property
    def logs(self) -> Path:
        """Log files of the app."""
        return self.state / "logs"

    @property
    def leftovers_file(self) -> Path:
        """Engines that were started and not yet seen to end."""
        return self.state / "leftovers.json"

    @property
    def sample_dir(self) -> Path:
        """The sample model, made on first use."""
        return self.cache / "sample"

    @property
    def empty_config_dir(self) -> Path:
        """An empty folder the engine is told is the user's configuration, so that none leaks in."""
        return self.state / "no-config"

    def ensure(self) -> None:
        """Make the folders.

        Raises:
            KnownError: ``folder_not_writable``.
        """
        for folder in (self.config, self.data, self.logs, self.cache, self.empty_config_dir):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = error.strerror or str(error)
                raise KnownError("folder_not_writable", path=str(folder), reason=reason) from error


def app_paths(base_dir: Path | None = None) -> AppPaths:
    """Folders below ``base_dir`` or ``QTUNE_HOME``; else where the system wants them (platformdirs)."""
    chosen = base_dir or (Path(home) if (home := os.environ.get(HOME_VARIABLE)) else None)
    if chosen is not None:
        root = chosen.expanduser().absolute()
        return AppPaths(root / "config", root / "data", root / "state", root / "cache")
    dirs = platformdirs.PlatformDirs("qtune", appauthor=False, roaming=False)
    return AppPaths(dirs.user_config_path, dirs.user_data_path, dirs.user_state_path, dirs.user_cache_path)


def resource_dir() -> Path:
    """The shipped data: in the wheel, beside a checkout, or in a frozen app.

    Raises:
        KnownError: ``resources_missing`` when the installation is incomplete.
    """
    package = Path(qtune.__file__).parent
    frozen = getattr(sys, "_MEIPASS", None)
    candidates = [package / "_resources", package.parent / "resources"]
    if frozen is not None:
        candidates.append(Path(frozen) / "resources")
    for folder in candidates:
        if (folder / "presets").is_dir():
            return folder
    raise KnownError("resources_missing", path=str(package))
