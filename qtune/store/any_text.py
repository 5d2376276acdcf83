"""The type of every column of text: any text, also with a character that PostgreSQL does not take."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Dialect, Text, TypeDecorator

_MARK, _ITSELF, _NUL = "\ufdd0", "\ufdd1", "\ufdd2"
"""Code points that are no characters and that no text holds; the first marks what the next one stands for."""


_Processor = Callable[[str | None], str | None]


class AnyText(TypeDecorator[str]):
    """Text of any length. Where U+0000 cannot be stored, two code points that no text holds stand for it."""

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> _Processor | None:
        """What a text goes through when it is written; nothing in SQLite, which takes any."""
        return None if dialect.name == "sqlite" else _stored

    def result_processor(self, dialect: Dialect, coltype: object) -> _Processor | None:  # noqa: ARG002
        """What a text goes through when it is read, millions of times in a large export."""
        return None if dialect.name == "sqlite" else _given


def _stored(value: str | None) -> str | None:
    return None if value is None else value.replace(_MARK, _MARK + _ITSELF).replace("\0", _MARK + _NUL)


def _given(value: str | None) -> str | None:
    if value is None or _MARK not in value:
        return value
    return value.replace(_MARK + _NUL, "\0").replace(_MARK + _ITSELF, _MARK)
