"""The order in which arms are started: A B B A, balanced, from a recorded seed."""

from __future__ import annotations

import random
from collections.abc import Sequence


def block_order(arms: Sequence[str], block: int, seed: int) -> tuple[str, ...]:
    """Arms of one block (one start of each), from block 1.

    Every even block is the one before in reverse, so that a steady drift of the machine falls on all arms
    alike. Each further pair of blocks begins half-way round, so that no arm keeps the outer places.
    """
    base = list(arms)
    random.Random(f"{seed}:order").shuffle(base)  # noqa: S311 - reproducible, not a secret
    turn = (block - 1) // 2 * (len(base) // 2 or 1) % len(base)
    base = base[turn:] + base[:turn]
    return tuple(base if block % 2 else reversed(base))


def order(arms: Sequence[str], starts: int, seed: int) -> tuple[str, ...]:
    """Whole order over ``starts`` blocks, e.g. A B B A for two arms and two starts."""
    return tuple(arm for block in range(1, starts + 1) for arm in block_order(arms, block, seed))
