"""Recognises an answer that repeats itself: degenerate text drafts well and would pass for speed."""

from __future__ import annotations

import re
from collections import Counter

_WORDS = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]|\d+|[^\W\d_]+", re.UNICODE)
"""Words, numbers, and single characters of scripts without spaces; marks and brackets do not count, so that
tables and nested JSON are not taken for repetition."""
GRAM = 8
"""Units in a row that make a repeat. Labels, keys and headings of a list are shorter."""
TIMES = 3
"""A run of words is a loop when it comes this often; a refrain or a quoted line comes twice."""
SHARE_WHOLE = 0.35
SHARE_TAIL = 0.8
TAIL = 120
"""Units at the end that are looked at by themselves: a loop that sets in late never ends again."""
UNITS_LEAST = 40


def repeated_share(text: str) -> float:
    """Share of the text, 0 to 1, inside runs of eight units that occur at least three times."""
    return _share(_WORDS.findall(text.lower()))


def is_looping(text: str) -> float | None:
    """The repeated share when the text loops, None when it does not (or is too short to say)."""
    units = _WORDS.findall(text.lower())
    if len(units) < UNITS_LEAST:
        return None
    whole, tail = _share(units), _share(units[-TAIL:])
    if whole >= SHARE_WHOLE or (len(units) > TAIL and tail >= SHARE_TAIL):
        return max(whole, tail)
    return None


def _share(units: list[str]) -> float:
    grams = [tuple(units[i : i + GRAM]) for i in range(len(units) - GRAM + 1)]
    if not grams:
        return 0.0
    counted = Counter(grams)
    inside = [False] * len(units)
    for i, gram in enumerate(grams):
        if counted[gram] >= TIMES:
            inside[i : i + GRAM] = [True] * GRAM
    return sum(inside) / len(units)
