"""Where qtune keeps its files: the system's usual folders, or one folder of the user's choice."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from qtune.core.errors import KnownError

HOME_VARIABLE = "QTUNE_HOME"
"""Environment variable that names one folder for everything."""


@dataclass(frozen=True, slots=True)
class AppPaths:
    """The four folders of the app and what lies in them.

    Attributes:
        config: What the user chose.
        data: What must not be lost.
        state: Logs and what the app remembers of its last run.
        cache: What can be made again.
    """

    config: Path
    data: Path
    state: Path
    cache: Path

    @property
    def settings_file(self) -> Path:
        """Preferences of the app (not of llama-server; those are in the history)."""
        return self.config / "settings.toml"

    @property
    def database_file(self) -> Path:
        """The history."""
        return self.data / "qtune.db"

    @property
    def backups(self) -> Path:
        """Copies of the history."""
        return self.data / "backups"

    @property
    def logs(self) -> Path:
        """Log files."""
        return self.state / "logs"

    @property
    def engine_log_file(self) -> Path:
        """What the engine said."""
        return self.logs / "engine.log"

    @property
    def leftovers_file(self) -> Path:
        """Engines this app started, for the next start after a crash."""
        return self.state / "leftovers.json"

    @property
    def trials(self) -> Path:
        """What is being tried, what last worked, what failed."""
        return self.state / "trials"

    @property
    def sample_dir(self) -> Path:
        """The sample model."""
        return self.cache / "sample"

    @property
    def headers_file(self) -> Path:
        """What the headers of models said when they were last read."""
        return self.cache / "models.json"

    @property
    def empty_config_dir(self) -> Path:
        """A folder that stays empty and stands for the user's configuration folder in engines."""
        return self.state / "no-config"

    def ensure(self) -> None:
        """Make all folders.

        Raises:
            KnownError: ``folder_not_writable``.
        """
        for folder in (self.config, self.data, self.state, self.cache):
            _ensure_writable(folder)
        for folder in (self.backups, self.logs, self.sample_dir, self.empty_config_dir):
            _ensure_writable(folder)


def app_paths(base_dir: Path | None = None) -> AppPaths:
    """The folders in force; nothing is made yet.

    Args:
        base_dir: One folder for everything; by default ``QTUNE_HOME``, by default the system's usual folders.
    """
    chosen = base_dir or os.environ.get(HOME_VARIABLE)
    if chosen:
        base = Path(chosen).expanduser().absolute()
        return AppPaths(base / "config", base / "data", base / "state", base / "cache")
    dirs = platformdirs.PlatformDirs("qtune", appauthor=False, roaming=False)
    return AppPaths(dirs.user_config_path, dirs.user_data_path, dirs.user_state_path, dirs.user_cache_path)


def resource_dir() -> Path:
    """Folder of icons, presets, prompts, translations: of a wheel, of the repository or of a built bundle.

    Raises:
        KnownError: ``resources_missing`` when the installation is incomplete.
    """
    package = Path(__file__).resolve().parents[1]
    places = [package / "_resources", package.parent / "resources"]
    if bundle := getattr(sys, "_MEIPASS", None):
        places.append(Path(bundle) / "resources")
    for place in places:
        if (place / "presets").is_dir():
            return place
    raise KnownError("resources_missing", path=str(package))


def _ensure_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Permissions alone do not tell: the disk may be mounted read-only or be full.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise KnownError(
            "folder_not_writable", path=str(folder), reason=error.strerror or str(error)
        ) from error
