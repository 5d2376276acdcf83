"""Finds the files of a split model, and says which are missing or do not belong together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from qtune.core.errors import KnownError
from qtune.models.gguf_format import Budget, GgufHeader, as_whole, read_header

MAX_SHARDS: Final = 1000

SHARD_NAME: Final = re.compile(r"(?P<stem>.+)-(?P<no>[0-9]{5})-of-(?P<count>[0-9]{5})\.gguf", re.IGNORECASE)

_NAMED: Final = 8
"""Missing parts that a message names one by one."""


def read_parts(header: GgufHeader, budget: Budget) -> list[GgufHeader]:
    """Headers of all parts of the model, in order; of a model in one file that one.

    Names and numbering as ``llama-gguf-split`` writes them: ``split.no`` counts from 0, the name from 1.

    Raises:
        KnownError: as ``read_header``; ``model_truncated`` when parts are missing, ``model_damaged`` when
            they contradict each other.
    """
    count = header.whole("split.count") or 0
    if count <= 1:
        return [header]
    if count > MAX_SHARDS:
        raise _damaged(header, f"it claims to be one of {count} parts")
    match = SHARD_NAME.fullmatch(header.path.name)
    if match is None:
        raise _incomplete(header, f"it is one of {count} parts, and its name no longer says which")
    if int(match["count"]) != count:
        raise _damaged(header, f"its name says {int(match['count'])} parts, its header {count}")
    suffix = header.path.name[-len(".gguf") :]
    paths = [
        header.path.with_name(f"{match['stem']}-{number:05}-of-{count:05}{suffix}")
        for number in range(1, count + 1)
    ]
    if missing := [number for number, path in enumerate(paths, 1) if not _exists(path)]:
        raise _incomplete(header, _missing_text(missing, count))
    parts = [header if path == header.path else read_header(path, budget) for path in paths]
    _check_parts(parts)
    return parts


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # reading it will say what is wrong
        return True


def _missing_text(missing: list[int], count: int) -> str:
    if len(missing) == 1:
        return f"part {missing[0]} of {count} is missing beside it"
    named = ", ".join(map(str, missing[:_NAMED]))
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return f"parts {named}{more} of {count} are missing beside it"


def _check_parts(parts: list[GgufHeader]) -> None:
    count = len(parts)
    for number, part in enumerate(parts, 1):
        said = as_whole(part.values.get("split.count"))
        if said != count:
            raise _damaged(part, f"its name says {count} parts, its header {said or 'none'}")
        place = as_whole(part.values.get("split.no"))
        if place is not None and place != number - 1:
            raise _damaged(part, f"its name says part {number} of {count}, its header part {place + 1}")
    tensors = sum(len(part.tensors) for part in parts)
    expected = parts[0].whole("split.tensors.count")
    if expected is not None and expected != tensors:
        raise _damaged(parts[0], f"its parts hold {tensors} tensors in place of {expected}")


def _damaged(header: GgufHeader, reason: str) -> KnownError:
    return KnownError("model_damaged", path=str(header.path), reason=reason)


def _incomplete(header: GgufHeader, reason: str) -> KnownError:
    return KnownError("model_truncated", path=str(header.path), reason=reason)
