"""Notices a server that says it is well and does nothing: progress counts, not health."""

from __future__ import annotations

import asyncio
from typing import Final

from qtune.core.messages import Message
from qtune.core.server_state import ServerState
from qtune.engine.supervisor import Supervisor

POLL_S: Final = 5.0
STALL_S: Final = 120.0
"""A prompt batch of a large model on a slow card takes many seconds, but not two minutes."""


async def stalled(supervisor: Supervisor, *, poll_s: float = POLL_S, stall_s: float = STALL_S) -> Message:
    """Return once the running server has been at work for ``stall_s`` seconds without a token.

    Slots that do not answer at all while the server is at work count as no progress, since a server that
    hangs answers its health all the same. While a measurement is on nothing is asked, so that nothing is
    disturbed; its requests have a watch of their own.
    """
    loop = asyncio.get_running_loop()
    mark: tuple[int, ...] | None = None
    since = loop.time()
    busy = False
    while True:
        await asyncio.sleep(poll_s)
        running = supervisor.running
        if running is None or supervisor.state is ServerState.MEASURING:
            since, busy = loop.time(), False
            continue
        work = await running.probe.work()
        if work is not None:
            if not work.busy or work.mark != mark:
                since = loop.time()
            busy, mark = work.busy, work.mark
        if not busy:
            since = loop.time()
        elif loop.time() - since >= stall_s:
            return Message.of("server_stalled", seconds=round(loop.time() - since))
