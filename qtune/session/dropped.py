"""What a file given to the window is: a model, a folder, an engine, an export of the history, or a text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from qtune.core.command_text import MAX_CHARACTERS
from qtune.core.errors import KnownError

DroppedKind = Literal["model", "folder", "engine", "history", "text"]

_HEAD_BYTES: Final = 4
_TEXT_MOST_BYTES: Final = 4 * MAX_CHARACTERS
"""A longer file is not read; no character has more bytes."""
_PROGRAMS: Final = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""How programs begin on Linux, Windows and macOS."""
_SERVER: Final = re.compile(r"llama-server|llama-cpp-server", re.IGNORECASE)
"""A script of this name stands for the engine."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a file is, by its content and, where that is text, its name; ``text`` is what a text holds."""

    kind: DroppedKind
    path: Path
    text: str = ""


def look_at(path: Path) -> Dropped:
    """Tell what a file is; reads no more than its beginning unless it is a short text.

    Raises:
        KnownError: ``model_missing``, ``dropped_not_readable``, ``dropped_unknown``.
    """
    try:
        if path.is_dir():
            return Dropped("folder", path)
        if not path.is_file():
            raise KnownError("model_missing" if not path.exists() else "dropped_unknown", path=str(path))
        return _file(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise KnownError("dropped_not_readable", path=str(path), reason=reason) from error


def _file(path: Path) -> Dropped:
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if head == b"GGUF" or path.suffix.lower() == ".gguf":
            return Dropped("model", path)
        if head.startswith(_PROGRAMS) or _SERVER.fullmatch(path.stem):
            return Dropped("engine", path)
        if path.suffix.lower() in {".json", ".jsonl"}:
            return Dropped("history", path)
        rest = file.read(_TEXT_MOST_BYTES)
    try:
        if len(rest) == _TEXT_MOST_BYTES:
            raise KnownError("dropped_unknown", path=str(path))
        text = _decoded(head + rest)
    except UnicodeDecodeError:
        raise KnownError("dropped_unknown", path=str(path)) from None
    if "\0" in text:
        raise KnownError("dropped_unknown", path=str(path))
    return Dropped("text", path, text)


def _decoded(content: bytes) -> str:
    """Scripts of Windows may be UTF-16, which they say at their beginning."""
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return content.decode("utf-16" if wide else "utf-8-sig")


def there(paths: Iterable[str]) -> frozenset[str]:
    """Those of ``paths`` that exist; may hang as long as their drives do."""
    return frozenset(path for path in paths if os.path.exists(path))  # noqa: PTH110 - never raises
