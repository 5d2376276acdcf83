"""Remembers what model headers said, so that a folder looked at before is not read again."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import threading
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from qtune import __version__
from qtune.core.model_facts import ModelFacts
from qtune.host.files import replace_file

_log = logging.getLogger("qtune.models")

_FORMAT: Final = 1
"""To be raised when the same header is to be read differently within one version of the program."""

_MAX_ENTRIES: Final = 2000
_MAX_BYTES: Final = 64 << 20

_Mark = tuple[str, int, int]
"""Real path, size and time of the last change in ns: together they say whether a file is still the same."""


class HeaderCache:
    """Facts of models by path, valid while all their files are the same; may be used from any thread.

    A file that is damaged or of another version counts as empty; one that cannot be written is lived without.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._known: dict[str, tuple[list[_Mark], dict[str, Any]]] | None = None
        self._changed = False

    def get(self, path: Path) -> ModelFacts | None:
        """Facts of the model at ``path``, None if it is not known or its files are others now."""
        with self._lock:
            entry = self._entries().get(str(path))
        if entry is None:
            return None
        try:
            facts = _rebuild(ModelFacts, entry[1])
        except (TypeError, ValueError, KeyError) as error:
            _log.debug("entry of %s dropped: %s", path, error)
            return None
        if not isinstance(facts, ModelFacts) or _marks(facts.files) != entry[0]:
            return None
        with self._lock:
            self._entries()[str(path)] = self._entries().pop(str(path), entry)  # used last, kept longest
        return facts

    def put(self, path: Path, facts: ModelFacts) -> None:
        """Remember what was read from ``path``."""
        marks = _marks(facts.files)
        if marks is None:
            return
        with self._lock:
            self._entries().pop(str(path), None)
            self._entries()[str(path)] = (marks, dataclasses.asdict(facts))
            self._changed = True

    def save(self) -> None:
        """Write it, if anything new was learnt."""
        with self._lock:
            if not self._changed:
                return
            self._changed = False
            kept = list(self._entries().items())[-_MAX_ENTRIES:]
            self._known = dict(kept)
            entries = [[path, marks, facts] for path, (marks, facts) in kept]
        try:
            # Only ASCII: names that are no proper Unicode survive as escapes.
            content = json.dumps({"version": _version(), "models": entries}, separators=(",", ":"))
            replace_file(self._file, content.encode("ascii"))
        except (OSError, ValueError) as error:
            _log.warning("headers of models could not be remembered in %s: %s", self._file, error)

    def _entries(self) -> dict[str, tuple[list[_Mark], dict[str, Any]]]:
        if self._known is None:
            self._known = _load(self._file)
        return self._known


def _load(file: Path) -> dict[str, tuple[list[_Mark], dict[str, Any]]]:
    try:
        if file.stat().st_size > _MAX_BYTES:
            return {}
        stored = json.loads(file.read_bytes())
        if stored["version"] != _version():
            return {}
        return {
            path: ([(str(real), int(size), int(changed)) for real, size, changed in marks], dict(facts))
            for path, marks, facts in stored["models"][-_MAX_ENTRIES:]
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        _log.debug("%s cannot be used: %s", file, error)
        return {}


def _marks(files: Sequence[str]) -> list[_Mark] | None:
    try:
        marks = []
        for name in files:
            facts = Path(name).stat()
            marks.append((os.path.realpath(name), facts.st_size, facts.st_mtime_ns))
    except (OSError, ValueError):
        return None
    return marks


def _version() -> str:
    return f"{__version__}/{_FORMAT}/{_fields(ModelFacts)}"


def _fields(cls: Any) -> str:  # noqa: ANN401 - a dataclass or any other annotation
    """Names of the fields, those of inner dataclasses too: other fields, another format."""
    if dataclasses.is_dataclass(cls):
        hints = get_type_hints(cls)
        return "(" + ",".join(f"{name}{_fields(hint)}" for name, hint in hints.items()) + ")"
    return "".join(_fields(arg) for arg in get_args(cls))


def _rebuild(hint: Any, stored: Any) -> Any:  # noqa: ANN401 - the annotation says what comes out
    """Value of type ``hint`` from its JSON; TypeError, ValueError or KeyError when it is not one."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in {Union, types.UnionType}:
        (inner,) = [arg for arg in args if arg is not types.NoneType]
        return None if stored is None else _rebuild(inner, stored)
    if origin is Literal:
        if stored not in args:
            raise ValueError(f"{stored!r} is none of {args}")
        return stored
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        return hint(**{name: _rebuild(inner, stored[name]) for name, inner in hints.items()})
    if origin is tuple:
        return _rebuild_tuple(args, stored)
    if hint is float and type(stored) is int:
        return float(stored)
    if type(stored) is not hint:
        raise TypeError(f"{stored!r} is no {hint}")
    return stored


def _rebuild_tuple(args: tuple[Any, ...], stored: Any) -> tuple[Any, ...]:  # noqa: ANN401
    if not isinstance(stored, list | tuple):
        raise TypeError(f"{stored!r} is no list")
    if args[1:] == (Ellipsis,):
        return tuple(_rebuild(args[0], item) for item in stored)
    return tuple(_rebuild(arg, item) for arg, item in zip(args, stored, strict=True))
