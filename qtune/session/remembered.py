"""What launches took, part by part, kept in a file so that the next estimate need not guess.

``parts_of_log`` reads the engine's own figures; ``Remembered`` keeps them under the model, the engine build
and the settings on which they depend.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, get_args

from qtune.core.engine_facts import EngineFacts
from qtune.core.memory import moved
from qtune.core.memory_compute import cells_per_slot
from qtune.core.memory_facts import MemoryKind, MemoryPart
from qtune.core.model_facts import ModelFacts
from qtune.core.settings import ServerSettings
from qtune.engine.log_facts import BufferFacts, BufferKind, ContextKind, LogFacts
from qtune.host.files import locked, replace_file

MAX_ENTRIES: Final = 500

_FORMAT: Final = 1
_KINDS: Final[frozenset[str]] = frozenset(get_args(MemoryKind))
_SETTINGS: Final = (
    "parallel", "gpu_layers", "flash_attn", "cache_type_k", "cache_type_v", "batch_size", "ubatch_size",
    "n_cpu_moe",
)  # fmt: skip
_MTP_SETTINGS: Final = ("n_max", "draft_cache_type_k", "draft_cache_type_v")
_WITHOUT_CONTEXT: Final = frozenset({"weights", "recurrent", "mtp_weights", "mtp_recurrent"})
"""Parts that do not change with the context."""
_WITH_CONTEXT: Final = frozenset({"compute", "mtp_compute"})
"""Parts that change with it and cannot be computed."""
_MAX_BYTES: Final = 16 * 1024**2
_ABSURD: Final = 1 << 50
"""No part is a pebibyte."""

_KIND_OF: Final[Mapping[tuple[BufferKind, ContextKind], MemoryKind]] = {
    ("model", "target"): "weights",
    ("kv", "target"): "kv",
    ("compute", "target"): "compute",
    ("output", "target"): "compute",
    ("model", "mtp"): "mtp_weights",
    ("kv", "mtp"): "mtp_kv",
    ("compute", "mtp"): "mtp_compute",
    ("output", "mtp"): "mtp_compute",
}

_log = logging.getLogger("qtune.session")


@dataclass(frozen=True, slots=True)
class _Entry:
    """What one launch took.

    Attributes:
        ctx: Context of one slot, rounded up as the engine does.
    """

    key: str
    ctx: int
    sizes: tuple[tuple[MemoryKind, int], ...]


def parts_of_log(facts: LogFacts) -> tuple[MemoryPart, ...]:
    """The engine's own figures of one launch.

    As soon as weights lie on a card only what lies on cards is counted, of several cards together; otherwise
    all. Weights named twice, mapped from the file and again in another order (``CPU_REPACK``), count once.
    The weights of an embedded MTP head are part of ``weights``, since the engine names one figure for both
    (``core.memory.estimate`` divides it). Recurrent states come as one figure too: the first copy is
    ``recurrent``, the others are what MTP adds.
    """
    on_card = any(b.kind == "model" and _is_card(b.device) for b in facts.buffers)
    counted = [b for b in facts.buffers if not on_card or _is_card(b.device)]
    sizes: dict[MemoryKind, int] = {}
    for kind, size in [*_simple_parts(counted), *_state_parts(counted, facts)]:
        sizes[kind] = sizes.get(kind, 0) + size
    return tuple(MemoryPart(kind, size, "measured") for kind, size in sizes.items() if size > 0)


def _is_card(device: str) -> bool:
    """Whether the engine's name of a buffer is that of a card's own memory."""
    return not device.startswith(("CPU", "AMX", "RPC")) and not device.endswith("_Host")


def _simple_parts(buffers: Sequence[BufferFacts]) -> Iterable[tuple[MemoryKind, int]]:
    mapped = {b.context for b in buffers if b.kind == "model" and b.device == "CPU_Mapped"}
    for buffer in buffers:
        is_copy = buffer.kind == "model" and buffer.device == "CPU_REPACK" and buffer.context in mapped
        kind = _KIND_OF.get((buffer.kind, buffer.context))
        if kind is not None and not is_copy:
            yield kind, buffer.size_bytes


def _state_parts(buffers: Sequence[BufferFacts], facts: LogFacts) -> Iterable[tuple[MemoryKind, int]]:
    total = sum(b.size_bytes for b in buffers if b.kind == "rs")
    copies = facts.rs_seq
    if copies is None:  # a build that does not say keeps n_max copies if it drafts at all
        copies = facts.n_max if facts.speculation == "initialized" and facts.n_max else 0
    first = round(total / (1 + copies))
    yield "recurrent", first
    yield "mtp_recurrent", total - first


class Remembered:
    """A JSON file of measured parts. May be used from any thread and by several windows at once.

    The file is read when this is made, by ``refresh`` and by ``learn``, so that ``recall`` waits for no disk.
    Whatever is wrong with the file, it is treated as empty: figures can be measured again.
    """

    def __init__(self, file: Path, *, max_entries: int = MAX_ENTRIES) -> None:
        self._file = file
        self._max_entries = max_entries
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._entries: tuple[_Entry, ...] = ()
        self.refresh()

    def refresh(self) -> None:
        """Take in what other windows have learned since; reads the file if it has changed."""
        with self._lock:
            self._read()

    def learn(
        self,
        model: ModelFacts,
        engine: EngineFacts,
        settings: ServerSettings,
        parts: Sequence[MemoryPart],
        *,
        head: ModelFacts | None = None,
        card: str = "",
    ) -> None:
        """Keep the parts of a launch, those that were measured; the oldest launches go.

        ``card`` is the UUID of the card the launch was confined to, empty if to none. A file that cannot be
        written is only logged.
        """
        sizes = tuple((part.kind, part.size_bytes) for part in parts if part.source == "measured")
        if not sizes:
            return
        entry = _Entry(_key(model, engine, settings, head, card), cells_per_slot(settings.ctx_size), sizes)
        with self._lock:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with locked(self._file):
                    self._keep(entry)
            except OSError as error:
                _log.info("what the launch took could not be kept: %s", error)

    def recall(
        self,
        model: ModelFacts,
        engine: EngineFacts,
        settings: ServerSettings,
        *,
        head: ModelFacts | None = None,
        card: str = "",
    ) -> tuple[MemoryPart, ...]:
        """What an earlier launch took, to be given to ``core.memory.estimate`` as learned.

        After a launch with the very same context it is all its parts. Otherwise it is those of the launch
        with the nearest context that help: weights and states, which do not depend on it, and compute buffers
        moved to this context, which makes an estimate of them again. Caches follow from the header.

        Answers from memory at once; see ``refresh``.
        """
        key, cells = _key(model, engine, settings, head, card), cells_per_slot(settings.ctx_size)
        alike = [entry for entry in self._entries if entry.key == key]
        if not alike:
            return ()
        nearest = min(alike, key=lambda entry: abs(entry.ctx - cells))
        parts = tuple(MemoryPart(kind, size, "remembered") for kind, size in nearest.sizes)
        if nearest.ctx == cells:
            return parts
        on_card = bool(engine.devices)
        then = replace(settings, ctx_size=nearest.ctx)
        compute = [replace(part, source="estimated") for part in parts if part.kind in _WITH_CONTEXT]
        return (
            *(part for part in parts if part.kind in _WITHOUT_CONTEXT),
            *moved(compute, model, then, settings.ctx_size, on_card=on_card, head=head),
        )

    def _keep(self, entry: _Entry) -> None:
        entries = self._read()
        if entry in entries:
            return
        others = [one for one in entries if (one.key, one.ctx) != (entry.key, entry.ctx)]
        kept = [*others, entry][-self._max_entries :]
        rows = [{"key": one.key, "ctx": one.ctx, "parts": dict(one.sizes)} for one in kept]
        replace_file(self._file, json.dumps({"format": _FORMAT, "entries": rows}, indent=0).encode())
        self._read()

    def _read(self) -> tuple[_Entry, ...]:
        """The entries, oldest first; read again only after the file has changed."""
        try:
            status = self._file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp == self._stamp:
                return self._entries
            content = json.loads(self._file.read_bytes()) if status.st_size <= _MAX_BYTES else None
        except FileNotFoundError:
            self._stamp, self._entries = None, ()
            return ()
        except (OSError, ValueError, RecursionError) as error:
            _log.info("what earlier launches took could not be read: %s", error)
            self._stamp, self._entries = None, ()
            return ()
        self._stamp, self._entries = stamp, tuple(_entries_of(content))
        return self._entries


def _entries_of(content: object) -> Iterator[_Entry]:
    """What can be made sense of."""
    rows = content.get("entries") if isinstance(content, dict) and content.get("format") == _FORMAT else None
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        key, ctx, parts = row.get("key"), row.get("ctx"), row.get("parts")
        if not isinstance(key, str) or type(ctx) is not int or not isinstance(parts, dict):
            continue
        if all(kind in _KINDS and type(size) is int and 0 < size < _ABSURD for kind, size in parts.items()):
            yield _Entry(key, ctx, tuple(parts.items()))


def _key(
    model: ModelFacts, engine: EngineFacts, settings: ServerSettings, head: ModelFacts | None, card: str
) -> str:
    """All on which the parts depend, apart from the context."""
    names = (*_SETTINGS, *(_MTP_SETTINGS if settings.mtp else ()))
    files = [[one.name, one.arch, one.quant, one.size_bytes] for one in (model, head) if one is not None]
    build = [engine.version, engine.build, engine.commit, [[d.name, d.description] for d in engine.devices]]
    return json.dumps([files, build, card, settings.mtp, [[name, settings.get(name)] for name in names]])
