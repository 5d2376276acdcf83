"""Reads server-sent events from bytes as they arrive, however the network cut them.

httpx's own line iterator splits at every Unicode line boundary, and U+2028 or U+0085 is legal inside JSON, so
the text of a model would break an event in two. Here only CR, LF and CRLF end a line, as the specification
(WHATWG HTML, "Server-sent events") says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

DONE: Final = "[DONE]"
"""Data of the event with which an OpenAI stream says that it is complete."""

MAX_EVENT_BYTES: Final = 8 * 1024 * 1024
"""Largest event taken; a token is some hundred bytes, a usage chunk a few thousand."""

_LINE_END: Final = re.compile(rb"[\r\n]")
_BOM: Final = b"\xef\xbb\xbf"


class EventTooLongError(ValueError):
    """The stream holds an event beyond the limit; it is not what it claims to be."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One dispatched event.

    Attributes:
        data: Its data lines, joined by a line feed.
        name: Its type; ``message`` unless the server named one.
    """

    data: str
    name: str = "message"


class SseReader:
    """Turns chunks of bytes into events; keeps at most one unfinished event in memory."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit = max_event_bytes
        self._rest = bytearray()
        self._scanned = 0
        self._after_cr = False
        self._first_line = True
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._name = ""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes and return the events they complete.

        Raises:
            EventTooLongError: an unfinished line or event has outgrown the limit.
        """
        events: list[SseEvent] = []
        self._rest += chunk
        start = 0
        while (end := _LINE_END.search(self._rest, max(start, self._scanned))) is not None:
            at = end.start()
            # A CR ends the line at once, without waiting for the LF that may follow in the next chunk.
            second_half = self._after_cr and at == start and self._rest[at] == 0x0A
            self._after_cr = self._rest[at] == 0x0D
            if not second_half:
                self._take_line(bytes(self._rest[start:at]), events)
            start = at + 1
        del self._rest[:start]
        self._scanned = len(self._rest)
        if self._rest:
            self._after_cr = False
        if len(self._rest) + self._data_bytes > self._limit:
            raise EventTooLongError(f"an event of more than {self._limit} bytes")
        return events

    def _take_line(self, line: bytes, events: list[SseEvent]) -> None:
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(_BOM)
        if not line:
            self._dispatch(events)
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = _text(value)
        elif field in (b"data", b"error"):
            self._data.append(value)
            self._data_bytes += len(value) + 1
            if field == b"error":
                # llama-server before its OpenAI form wrote errors as a field of their own.
                self._name = "error"

    def _dispatch(self, events: list[SseEvent]) -> None:
        if self._data:
            events.append(SseEvent(_text(b"\n".join(self._data)), self._name or "message"))
        self._data, self._data_bytes, self._name = [], 0, ""


def _text(raw: bytes) -> str:
    # Line ends are ASCII, so a whole line never holds half a character of the stream; what is broken in it
    # is the server's own and must not end the measurement.
    return raw.decode("utf-8", errors="replace")
