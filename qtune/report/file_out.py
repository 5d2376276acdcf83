"""Writes an export in one step: the old file is whole until the new one is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from qtune.core.errors import KnownError
from qtune.host.files import replace_file


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
        replace_file(path, content, mode=0o755 if executable else 0o644)
    except OSError as error:
        reason = error.strerror or str(error)
        raise KnownError("export_not_written", path=str(path), reason=reason) from error
