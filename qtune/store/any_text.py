"""The type of every column of text: any text, also with a character that PostgreSQL does not take."""

from __future__ import annotations

from sqlalchemy import Dialect, Text, TypeDecorator

_MARK, _ITSELF, _NUL = "\ufdd0", "\ufdd1", "\ufdd2"
"""Code points that are no characters and that no text holds; the first marks what the next one stands for."""


class AnyText(TypeDecorator[str]):
    """Text of any length. Where U+0000 cannot be stored, two code points that no text holds stand for it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Text as it is stored."""
        if value is None or dialect.name == "sqlite":
            return value
        return value.replace(_MARK, _MARK + _ITSELF).replace("\0", _MARK + _NUL)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """Text as it was given."""
        if value is None or dialect.name == "sqlite" or _MARK not in value:
            return value
        return value.replace(_MARK + _NUL, "\0").replace(_MARK + _ITSELF, _MARK)
