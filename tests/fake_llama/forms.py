"""The two forms of an answer: the OpenAI chat and the native completion, as events and as one object."""

from __future__ import annotations

import dataclasses
import datetime
from dataclasses import dataclass
from typing import Any, Protocol

from tests.fake_llama.answer import BROKEN, Progress
from tests.fake_llama.http1 import to_json


@dataclass(frozen=True, slots=True)
class Ending:
    """How an answer ended: what it says of its own figures, and whether a limit cut it."""

    cut: bool
    usage: dict[str, Any] | None
    timings: dict[str, Any] | None


class Form(Protocol):
    """Writes the parts of one answer."""

    def progress(self, state: dict[str, int]) -> list[bytes]:
        """The events for a state of the prompt's processing."""

    def token(self, kind: str, piece: str, timings: dict[str, Any] | None) -> list[bytes]:
        """The events of one token; `kind` is content or reasoning_content."""

    def end(self, ending: Ending) -> list[bytes]:
        """The events at the end of a stream."""

    def whole(self, content: str, reasoning: str, ending: Ending) -> dict[str, Any]:
        """The answer in one object, where it is no stream."""


def _event(value: dict[str, Any]) -> bytes:
    return f"data: {to_json(value)}\n\n".encode().replace(BROKEN.encode(), b"\xff\xc3")


def _without_none(**parts: Any) -> dict[str, Any]:
    return {key: value for key, value in parts.items() if value is not None}


@dataclass
class ChatForm:
    """`/v1/chat/completions`."""

    id: str
    model: str
    build: str
    wants_usage: bool  # in a stream; a whole answer always has it
    created: int = dataclasses.field(
        default_factory=lambda: int(datetime.datetime.now(datetime.UTC).timestamp())
    )
    role_sent: bool = False

    def progress(self, state: dict[str, int]) -> list[bytes]:
        self.role_sent = True
        return [self._chunk({"role": "assistant", "content": None}, prompt_progress=state)]

    def token(self, kind: str, piece: str, timings: dict[str, Any] | None) -> list[bytes]:
        role = [] if self.role_sent else [self._chunk({"role": "assistant", "content": None})]
        self.role_sent = True
        return [*role, self._chunk({kind: piece}, timings=timings)]

    def end(self, ending: Ending) -> list[bytes]:
        usage = ending.usage if self.wants_usage else None
        on_finish = ending.timings if usage is None else None
        events = [self._chunk({}, finish="length" if ending.cut else "stop", timings=on_finish)]
        if usage is not None:
            events.append(self._chunk(None, usage=usage, timings=ending.timings))
        return [*events, b"data: [DONE]\n\n"]

    def whole(self, content: str, reasoning: str, ending: Ending) -> dict[str, Any]:
        message = {"role": "assistant", "content": content}
        if reasoning:
            message["reasoning_content"] = reasoning
        choice = {"finish_reason": "length" if ending.cut else "stop", "index": 0, "message": message}
        figures = _without_none(usage=ending.usage, timings=ending.timings)
        return {"choices": [choice], **self._identity("chat.completion"), **figures}

    def _chunk(self, delta: dict[str, Any] | None, *, finish: str | None = None, **more: Any) -> bytes:
        choices = [] if delta is None else [{"finish_reason": finish, "index": 0, "delta": delta}]
        identity = self._identity("chat.completion.chunk")
        return _event({"choices": choices, **identity, **_without_none(**more)})

    def _identity(self, what: str) -> dict[str, Any]:
        return {
            "created": self.created,
            "id": self.id,
            "model": self.model,
            "system_fingerprint": self.build,
            "object": what,
        }


@dataclass
class NativeForm:
    """`/completion`: no roles, no usage object, and no event after the last chunk."""

    prompt: str
    limit: int
    model: str
    slot: int
    figures: Progress

    def progress(self, state: dict[str, int]) -> list[bytes]:
        return [self._chunk("", tokens=[0], prompt_progress=state)]

    def token(self, kind: str, piece: str, timings: dict[str, Any] | None) -> list[bytes]:
        del kind  # thoughts are text like any other
        return [self._chunk(piece, tokens=[self.figures.predicted], **_without_none(timings=timings))]

    def end(self, ending: Ending) -> list[bytes]:
        return [_event(self.whole("", "", ending))]

    def whole(self, content: str, reasoning: str, ending: Ending) -> dict[str, Any]:
        counts = self._counts() if ending.usage is not None else {}
        return {
            "index": 0,
            "content": reasoning + content,
            "tokens": [],
            "id_slot": self.slot,
            "stop": True,
            "model": self.model,
            **counts,
            "generation_settings": {"n_predict": self.limit, "speculative.types": "none"},
            "prompt": self.prompt,
            "has_new_line": False,
            "truncated": False,
            "stop_type": "limit" if ending.cut else "eos",
            "stopping_word": "",
            "tokens_cached": self.figures.prompt_tokens + max(self.figures.predicted - 1, 0),
            **_without_none(timings=ending.timings),
        }

    def _chunk(self, content: str, **more: Any) -> bytes:
        head = {"index": 0, "content": content, "tokens": more.pop("tokens"), "stop": False, "id_slot": -1}
        return _event({**head, **self._counts(), **more})

    def _counts(self) -> dict[str, int]:
        return {
            "tokens_predicted": self.figures.predicted,
            "tokens_evaluated": self.figures.prompt_tokens,
        }
