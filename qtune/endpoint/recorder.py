"""Collects one streamed answer into its raw record, without knowing how the bytes came."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from qtune.core.messages import Message
from qtune.core.ports import OnDelta, OnPrompt
from qtune.core.records import RequestTimes, ServerTimings, Usage
from qtune.endpoint import dialect
from qtune.endpoint.sse import DONE, EventTooLongError, SseReader


@dataclass(slots=True)
class StreamRecorder:
    """Takes chunks of bytes with the stamp of their arrival; every stamp is the same monotonic clock, in ns.

    Attributes:
        sent_ns: Just before the request went out.
        read_chunk: How the events of this endpoint are read.
        complete: The server said that nothing more will come.
        failure: First thing that went wrong in what the server sent.
    """

    sent_ns: int
    on_delta: OnDelta | None = None
    on_prompt: OnPrompt | None = None
    read_chunk: Callable[[str], dialect.Chunk] = dialect.read_chunk
    headers_ns: int | None = None
    complete: bool = False
    failure: Message | None = None
    _closed_ns: int | None = None
    _reader: SseReader = field(default_factory=SseReader)
    _event_ns: list[int] = field(default_factory=list)
    _first_answer_ns: int | None = None
    _timings: ServerTimings | None = None
    _usage: Usage | None = None
    _finish_reason: str | None = None
    _content: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)

    @property
    def closed(self) -> bool:
        """Whether reading on is of no use."""
        return self.complete or self.failure is not None

    @property
    def started(self) -> bool:
        """Whether a first token was seen."""
        return bool(self._event_ns)

    def take(self, chunk: bytes, stamp_ns: int) -> bool:
        """Take the bytes that arrived at ``stamp_ns``; returns whether they completed an event.

        Comment lines (pings) complete none, so that a server that only pings still counts as silent.
        """
        taken = self._take(chunk, stamp_ns)
        if self.closed and self._closed_ns is None:
            self._closed_ns = stamp_ns
        return taken

    def _take(self, chunk: bytes, stamp_ns: int) -> bool:
        try:
            events = self._reader.feed(chunk)
            for event in events:
                if self.closed:
                    break
                if event.data == DONE:
                    self.complete = True
                elif event.name == "error":
                    self._fail_midway(event.data)
                else:
                    self._take_chunk(self.read_chunk(event.data), stamp_ns)
        except (EventTooLongError, dialect.NotTheDialectError) as error:
            self.failure = Message.of("reply_not_understood", reason=dialect.one_line(str(error)))
            return True
        return bool(events)

    def _fail_midway(self, data: str) -> None:
        try:
            found = dialect.read_json(data)
        except dialect.NotTheDialectError:
            found = data
        reason = dialect.error_text(
            found if isinstance(found, dict) and "error" in found else {"error": found}
        )
        self.failure = Message.of("request_failed_midway", reason=reason)

    def _take_chunk(self, chunk: dialect.Chunk, stamp_ns: int) -> None:
        if chunk.error is not None:
            self.failure = Message.of("request_failed_midway", reason=chunk.error)
            return
        for kind, text in chunk.deltas:
            self._event_ns.append(stamp_ns)
            if kind != "reasoning" and self._first_answer_ns is None:
                self._first_answer_ns = stamp_ns
            if kind != "tool":
                (self._reasoning if kind == "reasoning" else self._content).append(text)
            if self.on_delta is not None:
                self.on_delta(kind, text, stamp_ns)
        if chunk.progress is not None and self.on_prompt is not None:
            self.on_prompt(*chunk.progress)
        self._finish_reason = chunk.finish_reason or self._finish_reason
        self._timings = chunk.timings or self._timings
        self._usage = chunk.usage or self._usage
        self.complete = self.complete or chunk.last

    def finish(
        self, ended_ns: int, failure: Message | None = None, *, cancelled: bool = False
    ) -> RequestTimes:
        """The record; ``failure`` is what went wrong outside the stream's own content.

        The end is when the stream said so; ``ended_ns`` counts only where it did not.
        """
        found = self.failure or failure
        if found is None:
            if self._finish_reason is None:
                found = Message.of("stream_cut")
            elif not self._event_ns:
                found = Message.of("answer_empty")
        return RequestTimes(
            sent_ns=self.sent_ns,
            ended_ns=ended_ns if self._closed_ns is None else self._closed_ns,
            headers_ns=self.headers_ns,
            event_ns=tuple(self._event_ns),
            first_answer_ns=self._first_answer_ns,
            timings=self._timings,
            usage=self._usage,
            finish_reason=self._finish_reason,
            content="".join(self._content),
            reasoning="".join(self._reasoning),
            failure=found,
            cancelled=cancelled,
        )
