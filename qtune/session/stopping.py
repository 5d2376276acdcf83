"""Waiting that ends as soon as an event is set: pressing Stop must never wait for a disk or a pause."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from qtune.core.errors import KnownError

_T = TypeVar("_T")
CLEARED_WITHIN_S = 2.0


def if_set_raise(stop: asyncio.Event) -> None:
    """Raise ``start_cancelled`` if the event is set."""
    if stop.is_set():
        raise KnownError("start_cancelled")


async def unless_stopped(stop: asyncio.Event, work: Awaitable[_T]) -> _T:
    """Result of ``work``, which is cancelled when the event is set.

    Raises:
        KnownError: ``start_cancelled`` once the event is set, else what ``work`` raises.
    """
    doing = asyncio.ensure_future(work)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({doing, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise KnownError("start_cancelled")
        return doing.result()
    finally:
        stopping.cancel()
        if not doing.done():
            doing.cancel()
            await _cleared(doing)


async def _cleared(doing: asyncio.Future[_T]) -> None:
    """Wait until what was cancelled has cleared up, such as a child process, though not for ever."""
    await asyncio.wait({doing}, timeout=CLEARED_WITHIN_S)
    if doing.done() and not doing.cancelled():
        doing.exception()  # looked at, lest it be told of as lost


async def set_within(stop: asyncio.Event, seconds: float) -> bool:
    """Whether the event was set before the time was over."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return False
    return True
