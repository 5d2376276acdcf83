"""Waiting for what must come: quick when it comes, and patient with a crowded machine when it is late.

How quick something has to be is measured in benchmarks/, on a machine that does nothing else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")
PATIENCE_S: Final = 120.0
"""Below the limit of a test, so that the test says what it waited for in vain."""


def until(condition: Callable[[], T], patience_s: float = PATIENCE_S) -> T:
    """What a condition gives once that is true."""
    end = time.monotonic() + patience_s
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.005)
    return found


async def soon(condition: Callable[[], T], patience_s: float = PATIENCE_S) -> T:
    """As :func:`until`, while the loop goes on."""
    end = time.monotonic() + patience_s
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come true in time"
        await asyncio.sleep(0.005)
    return found
