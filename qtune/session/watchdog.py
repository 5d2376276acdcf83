"""Notices a server that says it is well and does nothing: progress counts, not health."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from qtune.core.messages import Message
from qtune.core.server_state import ServerState
from qtune.engine.supervisor import Running, Supervisor
from qtune.host.ports import listens

ANSWER_S: Final = 15.0
"""A look takes no longer than its questions may; what it took beyond this the computer slept."""


@dataclass(frozen=True, slots=True)
class Patience:
    """With a server that makes no progress, in seconds.

    Attributes:
        poll_s: How often it is asked.
        stall_s: Without a token of an answer. A token takes milliseconds, but a batch of another
            conversation's prompt may come in between.
        prompt_s: Without progress on a prompt: a batch of 2048 tokens at 10 tokens a second takes 200 s, and
            nothing is told meanwhile.
        deaf_s: Without listening on its port. An engine that ends in order closes it before it has given
            back its memory, and is not to be cut short.
    """

    poll_s: float = 5.0
    stall_s: float = 120.0
    prompt_s: float = 600.0
    deaf_s: float = 10.0


USUAL = Patience()


async def stalled(supervisor: Supervisor, patience: Patience = USUAL) -> Message:
    """Return once the running server makes no progress for too long, or does not listen any more.

    Only time in which we were awake counts. While a measurement is on nothing is asked, so that nothing is
    disturbed; its requests have a watch of their own.
    """
    loop = asyncio.get_running_loop()
    watch = _Watch()
    while True:
        began = loop.time()
        await asyncio.sleep(patience.poll_s)
        running = supervisor.running
        if running is None or supervisor.state is ServerState.MEASURING:
            watch.pause()
            continue
        await watch.look(running)
        watch.count(min(loop.time() - began, patience.poll_s + ANSWER_S))
        if watch.deaf_s >= patience.deaf_s:
            return Message.of("server_deaf", port=running.port)
        if watch.quiet_s >= (patience.stall_s if watch.decoding else patience.prompt_s):
            return Message.of("server_stalled", seconds=round(watch.quiet_s))


class _Watch:
    """What the looks at one server have shown so far."""

    def __init__(self) -> None:
        self.quiet_s = 0.0
        self.deaf_s = 0.0
        self.decoding = False
        self._mark: tuple[int, ...] | None = None
        self._has_slots = False
        self._stuck = False
        self._deaf = False

    def pause(self) -> None:
        """Nothing is known of this time."""
        self.quiet_s, self._stuck, self._deaf = 0.0, False, False

    async def look(self, running: Running) -> None:
        """See whether the server is at work without getting anywhere."""
        work = await running.probe.work()
        if work is not None:
            self._stuck = work.busy and work.mark == self._mark
            self._has_slots, self._mark, self._deaf = True, work.mark, False
            self.decoding = work.decoding
            return
        self._deaf = await asyncio.to_thread(listens, running.pid, running.port) is False
        # Its slots answered before and do not now: a server that hangs answers its health all the same. When
        # neither answers, all its threads may be at work for others, so what was known before stays.
        if self._has_slots and (await running.probe.health()).ready:
            self._stuck = True

    def count(self, seconds: float) -> None:
        """Add the time since the last look."""
        self.quiet_s = self.quiet_s + seconds if self._stuck else 0.0
        self.deaf_s = self.deaf_s + seconds if self._deaf else 0.0
