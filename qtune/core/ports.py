"""What the rooms need from each other, as protocols, so that siblings need not know one another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from qtune.core.records import ChatRequest, DraftCounters, RequestTimes


@dataclass(frozen=True, slots=True)
class Health:
    """Answer of ``/health``.

    Attributes:
        reachable: Something accepted the connection and spoke HTTP.
        ready: It answered 200.
        loading: It answered 503, llama-server's word for "loading".
    """

    reachable: bool
    ready: bool = False
    loading: bool = False


@dataclass(frozen=True, slots=True)
class ServerSelf:
    """What a server says of itself in ``/props`` and ``/slots``; None where it does not answer.

    Attributes:
        ctx_size: Context of one slot in tokens.
        speculative: Whether every slot was set up to speculate.
    """

    alias: str | None = None
    model_path: str | None = None
    ctx_size: int | None = None
    slots: int | None = None
    speculative: bool | None = None
    build: str | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What the slots of a server do.

    Attributes:
        busy: Whether any is at work.
        mark: Changes with every token of an answer and every batch of a prompt.
        decoding: Whether any is at work on its answer, past its prompt.
    """

    busy: bool
    mark: tuple[int, ...]
    decoding: bool = False


DeltaKind = str
OnDelta = Callable[[DeltaKind, str, int], None]
"""Called on the io thread for each delta with (``content`` | ``reasoning`` | ``tool``, text, stamp in ns)."""

OnPrompt = Callable[[int, int], None]
"""Called for each prompt progress report with (tokens processed, tokens in all)."""


class CancelSignal(Protocol):
    """Says when to give up a request and keep what was recorded; ``asyncio.Event`` is one."""

    def is_set(self) -> bool:
        """Whether it was given."""
        ...

    async def wait(self) -> object:
        """Return once it is given."""
        ...


class ServerProbe(Protocol):
    """HTTP questions the supervisor asks one server."""

    async def health(self) -> Health:
        """Never raises for a dead or foreign server; says so in the value."""
        ...

    async def describe(self) -> ServerSelf:
        """What the server says of itself."""
        ...

    async def chat(
        self,
        request: ChatRequest,
        on_delta: OnDelta | None = None,
        on_prompt: OnPrompt | None = None,
        cancel: CancelSignal | None = None,
    ) -> RequestTimes:
        """One streamed chat request; failures are in the record.

        ``cancel`` closes the socket and returns what was recorded so far; cancelling the task closes the
        socket and raises.
        """
        ...

    async def draft_counters(self) -> DraftCounters | None:
        """Speculation counters, None where the server has none."""
        ...

    async def count_prompt(self, request: ChatRequest) -> int | None:
        """Prompt tokens of a chat, template and nonce included; None where the server does not tell."""
        ...

    async def idle(self, timeout_s: float) -> bool | None:
        """Wait until no slot is at work: True when so, False when time ran out, None if it cannot tell."""
        ...

    async def work(self) -> Work | None:
        """What the slots do now; None where the server does not answer in time or does not tell."""
        ...

    async def close(self) -> None:
        """Let go of every connection."""
        ...


ProbeFactory = Callable[[int, str], ServerProbe]
"""Makes a probe for (port on 127.0.0.1, API key)."""
