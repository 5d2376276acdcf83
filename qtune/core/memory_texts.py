"""Sentences about a launch that will not fit into the memory there is.

Endings of the codes: ``_mtp`` where MTP is on and takes a part, ``_ctx`` where some context would fit.
"""

from __future__ import annotations

from typing import Final

from qtune.core.text import QT_TRANSLATE_NOOP, Text

MEMORY_TEXTS: Final[dict[str, Text]] = {
    "memory_impossible": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This launch cannot work: it takes at least {needed} GiB, and there are {total} GiB in all.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "Not even the smallest context fits; choose a smaller quantisation, fewer slots or smaller "
            "cache types.",
        ),
    ),
    "memory_impossible_mtp": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This launch cannot work: it takes at least {needed} GiB, and there are {total} GiB in all.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "Not even the smallest context fits; choose a smaller quantisation, fewer slots or smaller "
            "cache types. Without MTP it would be {mtp} GiB less.",
        ),
    ),
    "memory_impossible_ctx": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This launch cannot work: it takes at least {needed} GiB, and there are {total} GiB in all.",
        ),
        QT_TRANSLATE_NOOP("messages", "The largest context that fits is {ctx} tokens."),
    ),
    "memory_impossible_mtp_ctx": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This launch cannot work: it takes at least {needed} GiB, and there are {total} GiB in all.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "The largest context that fits with MTP is {ctx} tokens. MTP adds {mtp} GiB.",
        ),
    ),
    "memory_too_large": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This will probably not fit: it takes about {needed} GiB, and {free} GiB are free.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "Not even the smallest context fits; choose a smaller quantisation, fewer slots or smaller "
            "cache types.",
        ),
    ),
    "memory_too_large_mtp": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This will probably not fit: it takes about {needed} GiB, and {free} GiB are free.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "Not even the smallest context fits; choose a smaller quantisation, fewer slots or smaller "
            "cache types. Without MTP it would be {mtp} GiB less.",
        ),
    ),
    "memory_too_large_ctx": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This will probably not fit: it takes about {needed} GiB, and {free} GiB are free.",
        ),
        QT_TRANSLATE_NOOP("messages", "The largest context that fits is {ctx} tokens."),
    ),
    "memory_too_large_mtp_ctx": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This will probably not fit: it takes about {needed} GiB, and {free} GiB are free.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "The largest context that fits with MTP is {ctx} tokens. MTP adds {mtp} GiB.",
        ),
    ),
    "memory_tight": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This will be tight: it takes about {needed} of {free} GiB free, so {rest} GiB stay free "
            "instead of {keep}.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "No context leaves as much free; choose a smaller quantisation, fewer slots or smaller cache "
            "types.",
        ),
    ),
    "memory_tight_mtp": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This will be tight: it takes about {needed} of {free} GiB free, so {rest} GiB stay free "
            "instead of {keep}.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "No context leaves as much free; choose a smaller quantisation, fewer slots or smaller cache "
            "types. Without MTP it would be {mtp} GiB less.",
        ),
    ),
    "memory_tight_ctx": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This will be tight: it takes about {needed} of {free} GiB free, so {rest} GiB stay free "
            "instead of {keep}.",
        ),
        QT_TRANSLATE_NOOP("messages", "Up to {ctx} tokens of context leave as much free as they should."),
    ),
    "memory_tight_mtp_ctx": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "This will be tight: it takes about {needed} of {free} GiB free, so {rest} GiB stay free "
            "instead of {keep}.",
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "With MTP, up to {ctx} tokens of context leave as much free as they should. MTP adds {mtp} GiB.",
        ),
    ),
}
