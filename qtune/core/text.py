"""A sentence that can be translated: the mark lupdate looks for, and a sentence with its advice."""

from __future__ import annotations

from dataclasses import dataclass


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: N802 - the name lupdate looks for
    """Mark ``text`` for extraction; returns it unchanged."""
    del context
    return text


@dataclass(frozen=True, slots=True)
class Text:
    """English sentence of a code and what the user can do about it (may be empty)."""

    sentence: str
    hint: str = ""
