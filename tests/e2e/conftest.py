"""A home for whole programs, with the sample model already in its cache."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, sample_cache: Path) -> Path:
    """A base folder whose cache already holds the sample model, so that it is written once."""
    base = tmp_path / "home"
    (base / "cache").mkdir(parents=True)
    (base / "cache" / "sample").symlink_to(sample_cache, target_is_directory=True)
    return base
