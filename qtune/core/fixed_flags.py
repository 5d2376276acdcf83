"""Flags that every launch of qtune has beside its settings."""

from __future__ import annotations

from typing import Final

FixedFlag = tuple[tuple[str, ...], str | None]
"""Spellings of a flag, the newest first, and its word if it takes one."""

ALIKE: Final[tuple[FixedFlag, ...]] = (
    # Otherwise a build may shorten the context or move layers, and two arms differ in more than one thing.
    (("--fit",), "off"),
)
FOR_MEASURING: Final[tuple[FixedFlag, ...]] = (
    (("--metrics",), None),
    (("--slots",), None),
    # The lowest level that names layers, buffers and the MTP set-up; a few lines per request.
    (("--verbosity", "--log-verbosity", "-lv"), "4"),
    (("--log-colors",), "off"),
    # A vision tower beside the model would take memory that nobody asked for.
    (("--no-mmproj",), None),
    (("--no-ui", "--no-webui"), None),
)
"""What figures and the log need, and a server of every day does not."""
