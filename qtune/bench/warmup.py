"""When a server is warm, when it is given up, and the first line that keeps a prompt out of every cache."""

from __future__ import annotations

import random
from collections.abc import Sequence

from qtune.core.records import Phase

WARMUP_LEAST = 2
WARMUP_MOST = 6
STABLE_WITHIN = 0.03
FAILURES_MOST = 3
"""Failed requests in a row after which an arm is given up."""


def nonce(seed: int, phase: Phase, number: int | str) -> str:
    """First line for request ``number`` of a phase; the same for every arm of an experiment."""
    return f"Note {random.Random(f'{seed}:{phase}:{number}').randrange(16**6):06x}."  # noqa: S311 - not a secret


def is_warm(rates: Sequence[float | None]) -> bool:
    """Whether warm-up may end.

    At least two requests, the last two within 3 % of each other; after six it ends anyway. The first request
    of a server is never counted.
    """
    if len(rates) >= WARMUP_MOST:
        return True
    if len(rates) < WARMUP_LEAST:
        return False
    before, last = rates[-2:]
    if before is None or last is None:
        return False
    return abs(last - before) <= STABLE_WITHIN * max(last, before)


def given_up(rates: Sequence[float | None]) -> bool:
    """Whether so many requests failed in a row (rate None) that going on is pointless."""
    tail = rates[-FAILURES_MOST:]
    return len(tail) == FAILURES_MOST and all(rate is None for rate in tail)
