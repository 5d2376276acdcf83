"""The engine's output as lines: split from raw bytes, cleaned, kept in a ring of bounded size."""

from __future__ import annotations

import re
from collections import deque
from threading import Lock

RING_BYTES = 2 << 20
"""What is kept: an hour of normal logging at ``-lv 4``, and small enough to copy at once."""

LINE_CHARS = 4000
"""Longer lines are cut: a line of megabytes would push all others out of the ring."""

_LINE_BYTES = 4 * LINE_CHARS
_COLOURS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class LineSplitter:
    """Turns the chunks of one stream into lines, however they are cut."""

    def __init__(self) -> None:
        self._open = bytearray()
        self._missing = 0

    def feed(self, chunk: bytes) -> list[str]:
        """Lines completed by this chunk, without line ends, colours and control characters."""
        *whole, rest = chunk.split(b"\n")
        lines = []
        for part in whole:
            self._hold(part)
            lines.append(self._take())
        self._hold(rest)
        return lines

    def close(self) -> list[str]:
        """The last line, if it had no end."""
        return [self._take()] if self._open else []

    def _hold(self, part: bytes) -> None:
        room = _LINE_BYTES - len(self._open)
        self._open += part[:room]
        self._missing += max(0, len(part) - room)

    def _take(self) -> str:
        raw, missing = bytes(self._open), self._missing
        self._open.clear()
        self._missing = 0
        text = raw.decode("utf-8", "replace").rstrip("\r")
        if "\x1b" in text:
            text = _COLOURS.sub("", text)
        text = _CONTROLS.sub(" ", text)
        if missing or len(text) > LINE_CHARS:
            more = len(text[LINE_CHARS:].encode()) + missing
            text = f"{text[:LINE_CHARS]} … [{more} bytes cut]"
        return text


class LogRing:
    """The newest lines, bounded in bytes. One thread writes, any thread reads."""

    def __init__(self, capacity_bytes: int = RING_BYTES) -> None:
        self._capacity = capacity_bytes
        self._lines: deque[tuple[str, int]] = deque()
        self._bytes = 0
        self._dropped = 0
        self._lock = Lock()

    def append(self, lines: list[str]) -> None:
        """Add lines; the oldest make room. Never waits for a reader longer than one copy takes."""
        with self._lock:
            for line in lines:
                size = len(line.encode("utf-8", "replace")) + 1
                self._lines.append((line, size))
                self._bytes += size
            while self._bytes > self._capacity and len(self._lines) > 1:
                self._bytes -= self._lines.popleft()[1]
                self._dropped += 1

    @property
    def dropped(self) -> int:
        """How many old lines have made room for new ones."""
        return self._dropped

    def lines(self) -> list[str]:
        """Everything that is kept, oldest first."""
        with self._lock:
            return [line for line, _ in self._lines]

    def tail(self, n: int) -> list[str]:
        """The newest ``n`` lines, oldest first."""
        with self._lock:
            start = max(0, len(self._lines) - n)
            return [self._lines[i][0] for i in range(start, len(self._lines))]
