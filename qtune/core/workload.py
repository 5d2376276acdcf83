"""A workload: the prompt a measurement sends, how long the answer may be, and the form it must keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qtune.core.records import ChatMessage, ChatRequest, Sampling

DOMAINS = ("summary", "code", "mathematics", "knowledge", "json", "creative")
"""Kinds of text a model is measured on: structure decides how much drafting gains."""
FULL_SET = ("summary", "code", "mathematics")
"""Domains of a full comparison: prose, strict syntax, and steps with figures."""
SAMPLE_DOMAIN = "sample"
OWN_DOMAIN = "own"
_SCHEMA_PLACE = "{schema}"


@dataclass(frozen=True, slots=True)
class Workload:
    """A prompt with its name.

    Attributes:
        id: Short stable name, stored with each request.
        title: English name.
        language: ``en`` or ``zh``; empty for the user's own text.
        messages: The conversation; the nonce goes in front of the first user turn.
        max_tokens: Longest answer.
        domain: Kind of text: one of ``DOMAINS``, ``sample`` or ``own``.
        form: Name of the check in ``core.form`` the answer must pass; empty for none.
        schema: JSON schema of the answer, as JSON text; empty for none.
    """

    id: str
    title: str
    language: str
    messages: tuple[ChatMessage, ...]
    max_tokens: int
    domain: str = OWN_DOMAIN
    form: str = ""
    schema: str = ""

    def request(self, nonce: str, sampling: Sampling, max_tokens: int | None = None) -> ChatRequest:
        """The request with ``nonce`` as its first line."""
        return ChatRequest(self.messages, max_tokens or self.max_tokens, sampling, nonce=nonce)


def workload_from_table(table: Mapping[str, object]) -> Workload:
    """Read a workload from its TOML table (the shipped files are ours, so a missing key is a bug).

    ``{schema}`` in a message stands for the schema, so that what is asked and what is checked are one text.
    """
    messages = table["messages"]
    assert isinstance(messages, list)  # noqa: S101 - the format of our own file
    schema = str(table.get("schema", "")).strip()
    return Workload(
        id=str(table["id"]),
        title=str(table["title"]),
        language=str(table["language"]),
        messages=tuple(
            ChatMessage(str(m["role"]), str(m["content"]).replace(_SCHEMA_PLACE, schema)) for m in messages
        ),
        max_tokens=int(str(table["max_tokens"])),
        domain=str(table.get("domain", OWN_DOMAIN)),
        form=str(table.get("form", "")),
        schema=schema,
    )
