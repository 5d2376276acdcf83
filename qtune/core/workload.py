"""A workload: the prompt a measurement sends, and how long the answer may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qtune.core.records import ChatMessage, ChatRequest, Sampling


@dataclass(frozen=True, slots=True)
class Workload:
    """A prompt with its name.

    Attributes:
        id: Short stable name, stored with each request.
        title: English name.
        language: ``en`` or ``zh``.
        messages: The conversation; the nonce goes in front of the first user turn.
        max_tokens: Longest answer.
    """

    id: str
    title: str
    language: str
    messages: tuple[ChatMessage, ...]
    max_tokens: int

    def request(self, nonce: str, sampling: Sampling, max_tokens: int | None = None) -> ChatRequest:
        """The request with ``nonce`` as its first line."""
        return ChatRequest(self.messages, max_tokens or self.max_tokens, sampling, nonce=nonce)


def workload_from_table(table: Mapping[str, object]) -> Workload:
    """Read a workload from its TOML table (the shipped files are ours, so a missing key is a bug)."""
    messages = table["messages"]
    assert isinstance(messages, list)  # noqa: S101 - the format of our own file
    return Workload(
        id=str(table["id"]),
        title=str(table["title"]),
        language=str(table["language"]),
        messages=tuple(ChatMessage(str(m["role"]), str(m["content"])) for m in messages),
        max_tokens=int(str(table["max_tokens"])),
    )
