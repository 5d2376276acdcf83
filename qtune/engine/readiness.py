"""When a server counts as ready: it is healthy, it is ours, and it has answered one real request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from qtune.core.errors import KnownError
from qtune.core.ports import ServerProbe, ServerSelf
from qtune.core.records import ChatMessage, ChatRequest

POLL_S = 0.15
"""Loading is measured by this, so it adds up to 0.15 s to a load time; /health costs the server nothing."""

PATIENCE_S = 2.0
"""How long another server may answer in our place: if it took the port first, ours is about to say so."""

_FIRST_REQUEST = ChatRequest(messages=(ChatMessage("user", "Say hello."),), max_tokens=8)


@dataclass(frozen=True, slots=True)
class Identity:
    """How our server is told from another one.

    Attributes:
        port: Where it must listen on 127.0.0.1.
        alias: The name we gave it for this launch.
        owns_port: Whether our process listens on the port; None where the system does not tell.
    """

    port: int
    alias: str
    owns_port: Callable[[], bool | None]

    def accepts(self, server: ServerSelf) -> bool:
        """Whether what answers is the process we started."""
        ours = self.owns_port()
        if server.alias is None:
            return ours is True
        return server.alias == self.alias and ours is not False


async def prove_ready(probe: ServerProbe, identity: Identity) -> ServerSelf:
    """Wait until the server is healthy and ours, have it complete one request, and hear what it says.

    Waits without limit while nothing answers or the model loads; the caller sets the limit and watches the
    process.

    Raises:
        KnownError: ``foreign_server`` when another one answers, ``first_completion_failed``.
    """
    loop = asyncio.get_running_loop()
    doubted_since: float | None = None
    while True:
        health = await probe.health()
        if health.ready:
            server = await probe.describe()
            if identity.accepts(server):
                break
            doubted_since = doubted_since or loop.time()
            if loop.time() - doubted_since > PATIENCE_S:
                raise KnownError("foreign_server", port=identity.port)
        await asyncio.sleep(POLL_S)
    times = await probe.chat(_FIRST_REQUEST)
    # A model may end its turn at once; that is an answer too.
    if times.failure is not None and times.failure.code != "answer_empty":
        raise KnownError("first_completion_failed", reason=times.failure.sentence())
    return await probe.describe()
