"""Just enough HTTP/1.1 by hand: reads requests, writes plain and chunked answers, can tear bytes apart."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass
from typing import Any

_REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
}
_IDLE_S = 5.0  # llama-server drops an idle connection after this


@dataclass(frozen=True, slots=True)
class Request:
    """One request with its body, header names in lower case."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        """The body as an object; ValueError if it is not one."""
        value = json.loads(self.body or b"{}")
        if not isinstance(value, dict):
            raise ValueError("body is not an object")  # noqa: TRY004 - bad JSON and this are one case
        return value


class Connection:
    """One client connection. Only the task that serves it may touch it."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tear: random.Random | None
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._tear = tear

    @property
    def gone(self) -> bool:
        """Whether the client has closed its side."""
        return self._reader.at_eof() or self._writer.transport.is_closing()

    async def until_gone(self) -> None:
        """Send nothing until the client gives up."""
        while not self.gone:  # noqa: ASYNC110 - the stream has no event for its end
            await asyncio.sleep(0.02)

    async def read_request(self) -> Request | None:
        """The next request, or None once the client has gone or was idle for too long."""
        try:
            head = await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), _IDLE_S)
        except (asyncio.IncompleteReadError, TimeoutError, ConnectionError):
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }
        path, _, query = target.partition("?")
        body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        return Request(method, path, query, headers, body)

    async def answer(self, status: int, body: str, *, kind: str = "application/json; charset=utf-8") -> None:
        """One whole answer."""
        data = body.encode()
        head = self._head(status, kind) + f"Content-Length: {len(data)}\r\n\r\n"
        await self.send(head.encode() + data)

    async def answer_json(self, status: int, value: Any) -> None:
        """One whole answer as JSON."""
        await self.answer(status, to_json(value))

    async def start_stream(self) -> None:
        """The header of an event stream; the body follows in chunks."""
        await self.send(
            (self._head(200, "text/event-stream") + "Transfer-Encoding: chunked\r\n\r\n").encode()
        )

    async def chunk(self, *pieces: bytes) -> None:
        """Each piece as a chunk of its own, handed to the socket together."""
        await self.send(b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces))

    async def end_stream(self) -> None:
        """The last, empty chunk."""
        await self.send(b"0\r\n\r\n")

    async def send(self, data: bytes) -> None:
        """Write bytes; torn into small packets at arbitrary places where that was switched on."""
        if self._tear is None:
            self._writer.write(data)
            await self._writer.drain()
            return
        while data:
            size = self._tear.randint(1, 80)
            self._writer.write(data[:size])
            await self._writer.drain()
            data = data[size:]
            await asyncio.sleep(0.0005)  # long enough that the next packet travels alone

    def close(self) -> None:
        """Close the socket."""
        self._writer.close()

    @staticmethod
    def _head(status: int, kind: str) -> str:
        return (
            f"HTTP/1.1 {status} {_REASONS.get(status, 'Unknown')}\r\nKeep-Alive: timeout=5, max=100\r\n"
            f"Server: llama.cpp\r\nContent-Type: {kind}\r\n"
        )


def to_json(value: Any) -> str:
    """JSON as llama-server writes it: no spaces, nothing but control characters escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def error_body(code: int, message: str, kind: str, **more: int) -> dict[str, Any]:
    """The object of an error answer."""
    return {"error": {"code": code, "message": message, "type": kind, **more}}
