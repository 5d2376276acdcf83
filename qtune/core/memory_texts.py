"""Sentences about a launch that will not fit into the memory there is.

Endings of the codes, in this order: ``_moe`` where experts could be left to the processor, ``_mtp`` where MTP
is on and takes a part, ``_ctx`` where some context would fit.
"""

from __future__ import annotations

from typing import Final

from qtune.core.text import QT_TRANSLATE_NOOP, Text

_IMPOSSIBLE: Final = QT_TRANSLATE_NOOP(
    "messages",
    "This launch cannot work: it takes at least {needed} GiB, and there are {total} GiB in all.",
)
_TOO_LARGE: Final = QT_TRANSLATE_NOOP(
    "messages",
    "This will probably not fit: it takes about {needed} GiB, and {free} GiB are free.",
)
_TIGHT: Final = QT_TRANSLATE_NOOP(
    "messages",
    "This will be tight: it takes about {needed} of {free} GiB free, so {rest} GiB stay free "
    "instead of {keep}.",
)

_NONE: Final = QT_TRANSLATE_NOOP(
    "messages",
    "Not even the smallest context fits; choose a smaller quantisation, fewer slots or smaller cache types.",
)
_NONE_MTP: Final = QT_TRANSLATE_NOOP(
    "messages",
    "Not even the smallest context fits; choose a smaller quantisation, fewer slots or smaller "
    "cache types. Without MTP it would be {mtp} GiB less.",
)
_CTX: Final = QT_TRANSLATE_NOOP("messages", "The largest context that fits is {ctx} tokens.")
_MTP_CTX: Final = QT_TRANSLATE_NOOP(
    "messages",
    "The largest context that fits with MTP is {ctx} tokens. MTP adds {mtp} GiB.",
)
_MOE_NONE: Final = QT_TRANSLATE_NOOP(
    "messages",
    "Not even the smallest context fits; leave experts of some layers to the processor (n_cpu_moe), or "
    "choose a smaller quantisation, fewer slots or smaller cache types.",
)
_MOE_NONE_MTP: Final = QT_TRANSLATE_NOOP(
    "messages",
    "Not even the smallest context fits; leave experts of some layers to the processor (n_cpu_moe), or "
    "choose a smaller quantisation, fewer slots or smaller cache types. "
    "Without MTP it would be {mtp} GiB less.",
)
_MOE_CTX: Final = QT_TRANSLATE_NOOP(
    "messages",
    "The largest context that fits is {ctx} tokens; with experts of some layers left to the processor "
    "(n_cpu_moe) more would.",
)
_MOE_MTP_CTX: Final = QT_TRANSLATE_NOOP(
    "messages",
    "The largest context that fits with MTP is {ctx} tokens; with experts of some layers left to the "
    "processor (n_cpu_moe) more would. MTP adds {mtp} GiB.",
)

_TIGHT_NONE: Final = QT_TRANSLATE_NOOP(
    "messages",
    "No context leaves as much free; choose a smaller quantisation, fewer slots or smaller cache types.",
)
_TIGHT_NONE_MTP: Final = QT_TRANSLATE_NOOP(
    "messages",
    "No context leaves as much free; choose a smaller quantisation, fewer slots or smaller cache "
    "types. Without MTP it would be {mtp} GiB less.",
)
_TIGHT_CTX: Final = QT_TRANSLATE_NOOP(
    "messages", "Up to {ctx} tokens of context leave as much free as they should."
)
_TIGHT_MTP_CTX: Final = QT_TRANSLATE_NOOP(
    "messages",
    "With MTP, up to {ctx} tokens of context leave as much free as they should. MTP adds {mtp} GiB.",
)
_TIGHT_MOE_NONE: Final = QT_TRANSLATE_NOOP(
    "messages",
    "No context leaves as much free; leave experts of some layers to the processor (n_cpu_moe), or choose a "
    "smaller quantisation, fewer slots or smaller cache types.",
)
_TIGHT_MOE_NONE_MTP: Final = QT_TRANSLATE_NOOP(
    "messages",
    "No context leaves as much free; leave experts of some layers to the processor (n_cpu_moe), or choose a "
    "smaller quantisation, fewer slots or smaller cache types. Without MTP it would be {mtp} GiB less.",
)
_TIGHT_MOE_CTX: Final = QT_TRANSLATE_NOOP(
    "messages",
    "Up to {ctx} tokens of context leave as much free as they should; with experts of some layers left to "
    "the processor (n_cpu_moe) more would.",
)
_TIGHT_MOE_MTP_CTX: Final = QT_TRANSLATE_NOOP(
    "messages",
    "With MTP, up to {ctx} tokens of context leave as much free as they should; with experts of some layers "
    "left to the processor (n_cpu_moe) more would. MTP adds {mtp} GiB.",
)

MEMORY_TEXTS: Final[dict[str, Text]] = {
    "memory_impossible": Text(_IMPOSSIBLE, _NONE),
    "memory_impossible_mtp": Text(_IMPOSSIBLE, _NONE_MTP),
    "memory_impossible_ctx": Text(_IMPOSSIBLE, _CTX),
    "memory_impossible_mtp_ctx": Text(_IMPOSSIBLE, _MTP_CTX),
    "memory_impossible_moe": Text(_IMPOSSIBLE, _MOE_NONE),
    "memory_impossible_moe_mtp": Text(_IMPOSSIBLE, _MOE_NONE_MTP),
    "memory_impossible_moe_ctx": Text(_IMPOSSIBLE, _MOE_CTX),
    "memory_impossible_moe_mtp_ctx": Text(_IMPOSSIBLE, _MOE_MTP_CTX),
    "memory_too_large": Text(_TOO_LARGE, _NONE),
    "memory_too_large_mtp": Text(_TOO_LARGE, _NONE_MTP),
    "memory_too_large_ctx": Text(_TOO_LARGE, _CTX),
    "memory_too_large_mtp_ctx": Text(_TOO_LARGE, _MTP_CTX),
    "memory_too_large_moe": Text(_TOO_LARGE, _MOE_NONE),
    "memory_too_large_moe_mtp": Text(_TOO_LARGE, _MOE_NONE_MTP),
    "memory_too_large_moe_ctx": Text(_TOO_LARGE, _MOE_CTX),
    "memory_too_large_moe_mtp_ctx": Text(_TOO_LARGE, _MOE_MTP_CTX),
    "memory_tight": Text(_TIGHT, _TIGHT_NONE),
    "memory_tight_mtp": Text(_TIGHT, _TIGHT_NONE_MTP),
    "memory_tight_ctx": Text(_TIGHT, _TIGHT_CTX),
    "memory_tight_mtp_ctx": Text(_TIGHT, _TIGHT_MTP_CTX),
    "memory_tight_moe": Text(_TIGHT, _TIGHT_MOE_NONE),
    "memory_tight_moe_mtp": Text(_TIGHT, _TIGHT_MOE_NONE_MTP),
    "memory_tight_moe_ctx": Text(_TIGHT, _TIGHT_MOE_CTX),
    "memory_tight_moe_mtp_ctx": Text(_TIGHT, _TIGHT_MOE_MTP_CTX),
}
