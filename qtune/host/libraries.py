"""Loads shared libraries from places the system's loader does not look in."""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Sequence
from pathlib import Path

_log = logging.getLogger("qtune.host")


def preload(paths: Sequence[str]) -> str | None:
    """Load the first library that is there and return its path, None if none is.

    Whoever asks later for its bare name (its soname) is then given this one, whatever the loader's path says.
    """
    for path in paths:
        if Path(path).is_file():
            try:
                ctypes.CDLL(path)
            except OSError as error:
                _log.info("%s cannot be loaded: %s", path, error)
            else:
                return path
    return None
