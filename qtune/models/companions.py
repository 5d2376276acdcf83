"""Finds what belongs beside a model: MTP heads in files of their own, and image encoders."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from qtune.core.errors import KnownError
from qtune.core.model_facts import ModelFacts
from qtune.core.mtp_archs import ASSISTANT_ARCH, ASSISTED_ARCH
from qtune.models.gguf_format import Budget, GgufHeader, read_header
from qtune.models.quantisation import quantisation
from qtune.models.shards import SHARD_NAME
from qtune.models.weights import sum_weights, trunk_blocks

_log = logging.getLogger("qtune.models")
_T = TypeVar("_T")

MAX_BLOCKS: Final = 4096
"""Layers of a model at most; the engine itself holds 512."""

_HEAD_FOLDERS: Final = ("MTP", "mtp")
_MAX_ENTRIES: Final = 4000
_MAX_HEADERS: Final = 16
_LIMIT_S: Final = 0.4
_DIGITS: Final = re.compile(r"[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class _Head:
    arch: str
    embedding_length: int | None
    trunk: int
    quant: str


@dataclass(slots=True)
class Companions:
    """Looks beside models; one object for a whole scan lists each folder and reads each file once.

    It looks at 4000 names of a folder and 16 headers per model, and begins no further file after
    0.4 s.
    """

    _folders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _heads: dict[str, _Head | None] = field(default_factory=dict)
    _encoders: dict[str, frozenset[int] | None] = field(default_factory=dict)

    def complete(self, model: ModelFacts) -> ModelFacts:
        """The same facts with what lies beside the model now; a file that is only a head has nothing."""
        if model.mtp == "sidecar":
            return replace(model, sidecars=(), mmproj=())
        deadline = time.perf_counter() + _LIMIT_S
        sidecars = self._sidecars(model, deadline)
        return replace(model, sidecars=sidecars, mmproj=self._mmproj(model, deadline))

    def _sidecars(self, model: ModelFacts, deadline: float) -> tuple[str, ...]:
        folder = Path(model.path).parent
        found: list[tuple[tuple[object, ...], str]] = []
        left = _MAX_HEADERS
        seen = {_real(path) for path in model.files}
        for distance, place in enumerate((folder, *(folder / name for name in _HEAD_FOLDERS))):
            for path in self._names(place, "mtp", seen):
                if left == 0 or time.perf_counter() > deadline:
                    return tuple(path for _, path in sorted(found))
                left -= 1
                head = _cached(self._heads, path, _read_head)
                if head is not None and _fits(head, model):
                    found.append(((distance > 0, *_rank(head.quant, model.quant), path), path))
        return tuple(path for _, path in sorted(found))

    def _mmproj(self, model: ModelFacts, deadline: float) -> tuple[str, ...]:
        found: list[tuple[bool, str]] = []
        for path in islice(self._names(Path(model.path).parent, "mmproj", set()), _MAX_HEADERS):
            if time.perf_counter() > deadline:
                break
            widths = _cached(self._encoders, path, _read_encoder)
            if widths is not None:
                found.append((_width(model) not in widths, path))
        return tuple(path for _, path in sorted(found))

    def _names(self, folder: Path, word: str, seen: set[str]) -> list[str]:
        """GGUF files of a folder with ``word`` in the name, without those in ``seen``; adds what it gives."""
        key = str(folder)
        if key not in self._folders:
            self._folders[key] = _list(folder)
        chosen = []
        for path in self._folders[key]:
            if word in Path(path).name.lower() and (real := _real(path)) not in seen:
                seen.add(real)
                chosen.append(path)
        return chosen


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:
        return path


def _list(folder: Path) -> tuple[str, ...]:
    """Files of a folder that may be companions, in order; empty where the folder cannot be read."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry in islice(entries, _MAX_ENTRIES) if _may_be(entry.name)]
    except OSError as error:
        _log.debug("nothing looked for in %s: %s", folder, error)
        return ()
    return tuple(sorted(names))


def _may_be(name: str) -> bool:
    lower = name.lower()
    if not lower.endswith(".gguf") or lower.startswith(".") or not ("mtp" in lower or "mmproj" in lower):
        return False
    part = SHARD_NAME.fullmatch(name)
    return part is None or int(part["no"]) == 1


def _cached(known: dict[str, _T | None], path: str, read: Callable[[GgufHeader], _T | None]) -> _T | None:
    if path not in known:
        try:
            known[path] = read(read_header(Path(path), Budget(keys=512, tensors=2048)))
        except KnownError as error:
            _log.debug("%s left out: %s", path, error)
            known[path] = None
    return known[path]


def _read_head(header: GgufHeader) -> _Head | None:
    """What a file says that is only an MTP head, None for any other."""
    arch = header.text("general.architecture")
    blocks = header.whole(f"{arch}.block_count")
    nextn = header.whole(f"{arch}.nextn_predict_layers") or 0
    if blocks is None or blocks > MAX_BLOCKS or nextn > blocks:
        return None
    weights = sum_weights([header], arch, blocks, nextn)
    if weights.mtp != "sidecar":
        return None
    return _Head(
        arch,
        header.whole(f"{arch}.embedding_length"),
        trunk_blocks(arch, blocks, nextn),
        quantisation(header, weights.main_quant),
    )


def _fits(head: _Head, model: ModelFacts) -> bool:
    if head.arch == ASSISTANT_ARCH:  # its own width is another; the target's is not always said
        return model.arch == ASSISTED_ARCH
    width = _width(model)
    return (
        head.arch == model.arch
        and head.trunk == trunk_blocks(model.arch, model.block_count, model.nextn_layers)
        and (width is None or width == head.embedding_length)
    )


def _width(model: ModelFacts) -> int | None:
    return None if model.shape is None else model.shape.embedding_length


def _rank(quant: str, wanted: str) -> tuple[bool, int]:
    """The same quantisation first, then the nearest number of bits."""
    return quant != wanted, abs(_bits(quant) - _bits(wanted))


def _bits(quant: str) -> int:
    match = _DIGITS.search(quant)
    return 0 if match is None else int(match[0])


def _read_encoder(header: GgufHeader) -> frozenset[int] | None:
    """Widths an image or sound encoder gives out, None for any other file."""
    if header.text("general.type") != "mmproj" and header.text("general.architecture") != "clip":
        return None
    widths = {header.whole(f"clip.{part}.projection_dim") for part in ("vision", "audio")}
    return frozenset(width for width in widths if width is not None)
