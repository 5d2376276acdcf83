"""Recognises an answer that repeats itself: degenerate text drafts well and would pass for speed."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

_WORDS = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]|\d+|[^\W\d_]+", re.UNICODE)
"""Words, numbers, and single characters of scripts without spaces; marks and brackets do not count."""
_BRACKETS = re.compile(r"""[{}\[\]()"=;|<>]""")
STRUCTURED = 0.05
"""Share of brackets, quotes and bars from which a text is code, JSON or a table."""
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
    """Share of the text, 0 to 1, that is repetition.

    In prose: inside runs of eight units that occur at least three times. Code, JSON and tables repeat by
    nature with one name or number changed; there only what repeats exactly, three times on end, counts.
    """
    return _share(_WORDS.findall(text.lower()), structured=_is_structured(text))


def is_looping(text: str) -> float | None:
    """The repeated share when the text loops, None when it does not (or is too short to say)."""
    units = _WORDS.findall(text.lower())
    if len(units) < UNITS_LEAST:
        return None
    structured = _is_structured(text)
    whole, tail = (_share(part, structured=structured) for part in (units, units[-TAIL:]))
    if whole >= SHARE_WHOLE or (len(units) > TAIL and tail >= SHARE_TAIL):
        return max(whole, tail)
    return None


def _is_structured(text: str) -> bool:
    dense = "".join(text.split())
    return bool(dense) and len(_BRACKETS.findall(dense)) / len(dense) >= STRUCTURED


def _share(units: list[str], *, structured: bool) -> float:
    if len(units) < GRAM:
        return 0.0
    return _periodic_share(units) if structured else _gram_share(units)


def _gram_share(units: list[str]) -> float:
    grams = [tuple(units[i : i + GRAM]) for i in range(len(units) - GRAM + 1)]
    counted = Counter(grams)
    inside = [False] * len(units)
    for i, gram in enumerate(grams):
        if counted[gram] >= TIMES:
            inside[i : i + GRAM] = [True] * GRAM
    return sum(inside) / len(units)


def _periodic_share(units: list[str]) -> float:
    """Share of the longest stretch that equals itself shifted by some period, at least three periods long."""
    _, ids = np.unique(np.array(units), return_inverse=True)
    best = 0
    for period in range(1, len(units) // TIMES + 1):
        same = np.flatnonzero(np.append(ids[period:] != ids[:-period], [True]))
        longest = int(np.diff(same, prepend=-1).max()) - 1
        if longest >= max((TIMES - 1) * period, GRAM):
            best = max(best, longest + period)
    return best / len(units)
