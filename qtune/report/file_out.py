"""Writes an export in one step: the old file is whole until the new one is; devices take what comes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from qtune.core.errors import KnownError
from qtune.host.files import replace_file

_DEVICES = Path("/dev")
"""Where ``/dev/stdout`` may be a link to a file that a shell has opened."""


def write_export(path: Path, parts: Iterable[str] | str | bytes, *, executable: bool = False) -> None:
    """Write ``parts`` as UTF-8, bytes as they are.

    Lone halves of characters become ``?``, line ends stay. Parts are written as they come, so that a large
    history never stands in memory.

    Args:
        path: File to write or replace.
        parts: The text, whole or in pieces.
        executable: Whether it may be run, where the system knows that.

    Raises:
        KnownError: ``export_not_written``; the file from before is untouched.
    """
    content: bytes | Iterable[bytes]
    if isinstance(parts, bytes):
        content = parts
    else:
        pieces = [parts] if isinstance(parts, str) else parts
        content = (piece.encode("utf-8", "replace") for piece in pieces)
    try:
        if _takes_what_comes(path):
            with path.open("wb") as file:
                file.writelines([content] if isinstance(content, bytes) else content)
        else:
            # What a link points to is replaced, not the link: people keep their scripts elsewhere.
            replace_file(path.resolve(), content, mode=0o755 if executable else 0o644)
    except OSError as error:
        reason = error.strerror or str(error)
        raise KnownError("export_not_written", path=str(path), reason=reason) from error


def _takes_what_comes(path: Path) -> bool:
    """Whether it is a device or a pipe, which would be lost if a file took its place."""
    return path.exists() and not path.is_dir() and (not path.is_file() or path.parent == _DEVICES)
