"""A real socket that says exactly the bytes a test wants, and real servers as processes."""

from __future__ import annotations

import asyncio
import os
import socket
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from qtune.endpoint.client import LlamaServerClient

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass
class Exchange:
    """One connection as the server saw it; ``gone`` is set when the client has closed it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    head: bytes = b""
    body: bytes = b""
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def head_out(self) -> None:
        await self.raw(HEAD)

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def events(self, *data: str) -> None:
        """Each text as one event, all in one chunk."""
        payload = b"".join(f"data: {d}\n\n".encode() for d in data)
        await self.raw(b"%x\r\n%s\r\n" % (len(payload), payload))

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")


Script = Callable[[Exchange], Awaitable[None]]


@dataclass
class Spoken:
    """A client and everything its server saw."""

    client: LlamaServerClient
    exchanges: list[Exchange]
    port: int


@asynccontextmanager
async def spoken(script: Script, **client: float) -> AsyncIterator[Spoken]:
    exchanges: list[Exchange] = []
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        exchange = Exchange(reader, writer)
        exchanges.append(exchange)
        try:
            exchange.head = await reader.readuntil(b"\r\n\r\n")
            for line in exchange.head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    exchange.body = await reader.readexactly(int(line.split(b":")[1]))
            script_task = asyncio.ensure_future(script(exchange))
            tasks.add(script_task)
            with suppress(ConnectionError):
                await reader.read()
            exchange.gone.set()
            with suppress(ConnectionError):
                await script_task
        except (asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    llama = LlamaServerClient(port, "secret-key", **client)
    try:
        yield Spoken(llama, exchanges, port)
    finally:
        await llama.close()
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def speak() -> Callable[..., object]:
    """The context manager, as a fixture, since test files do not import each other."""
    return spoken


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@asynccontextmanager
async def served(
    command: tuple[str, ...], model: Path, *extra: str, **client: float
) -> AsyncIterator[LlamaServerClient]:
    """A server that is ready, and its client; output goes nowhere, the end is by terminate."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        *command, "--host", "127.0.0.1", "--port", str(port), "-m", str(model), "-np", "1", "-c", "4096",
        "--metrics", *extra,
        env={**os.environ, "LLAMA_API_KEY": "k"},
        stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL,
    )  # fmt: skip
    probe = LlamaServerClient(port, "k", **client)
    try:
        async with asyncio.timeout(120):
            while not (await probe.health()).ready:
                assert process.returncode is None
                await asyncio.sleep(0.02)
        yield probe
    finally:
        await probe.close()
        if process.returncode is None:
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            process.kill()
            await process.wait()


@pytest.fixture
def running() -> Callable[..., object]:
    """The context manager of a server process."""
    return served
