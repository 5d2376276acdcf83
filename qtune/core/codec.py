"""Turns the core's frozen dataclasses into plain JSON values and back, across versions of the program.

Reading is tolerant: keys this version does not know are dropped, missing ones take the field's default, then
``None`` where the type allows it, then an empty text or collection. A missing number without a default is a
fault of ours, since a figure is never invented. Numbers that are not finite are written as ``null``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import types
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from operator import index
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from qtune.core.errors import BugError

Decoder = Callable[[Any], Any]


def encode(value: object) -> Any:  # noqa: ANN401, PLR0911 - JSON is a union of everything below
    """Plain JSON value of a dataclass, collection or scalar."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(encode(item) for item in value)
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    # Whole numbers of other types; anything else is no value of the core and raises.
    return index(value)  # type: ignore[arg-type]


def decode(hint: Any, stored: Any) -> Any:  # noqa: ANN401 - the caller's annotation says what comes out
    """Value of the type ``hint`` from what :func:`encode` made of it, by this or another version."""
    return _decoder(hint)(stored)


def to_text(value: Any) -> str:  # noqa: ANN401
    """JSON text without blanks; other than ASCII is escaped, so that lone surrogates survive any database."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def content_hash(value: object) -> str:
    """128 bits of SHA-256 over the canonical JSON, as hex: equal facts, equal hash."""
    canonical = json.dumps(encode(value), separators=(",", ":"), sort_keys=True, allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:32]


def _as_is(stored: Any) -> Any:  # noqa: ANN401
    return stored


def _to_float(stored: Any) -> Any:  # noqa: ANN401
    return float(stored) if isinstance(stored, int) and not isinstance(stored, bool) else stored


@cache
def _decoder(hint: Any) -> Decoder:  # noqa: ANN401
    origin = get_origin(hint)
    if origin in {Union, types.UnionType}:
        return _optional(hint)
    if origin is not None:
        return _collection(hint, origin)
    if dataclasses.is_dataclass(hint):
        return _dataclass(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return _to_float if hint is float else _as_is


def _optional(hint: Any) -> Decoder:  # noqa: ANN401
    inner = [arg for arg in get_args(hint) if arg is not types.NoneType]
    if len(inner) != 1:
        return _as_is
    decode_inner = _decoder(inner[0])
    return lambda stored: None if stored is None else decode_inner(stored)


def _collection(hint: Any, origin: Any) -> Decoder:  # noqa: ANN401
    args = get_args(hint)
    if origin is Literal:
        return _as_is
    if isinstance(origin, type) and issubclass(origin, Mapping):
        item = _decoder(args[1])
        return lambda stored: {key: item(value) for key, value in dict(stored).items()}
    if origin is frozenset or (origin is tuple and args[1:] == (Ellipsis,)):
        item = _decoder(args[0])
        return lambda stored: origin(item(value) for value in stored)
    if origin is tuple:
        items = [_decoder(arg) for arg in args]
        return lambda stored: tuple(one(value) for one, value in zip(items, stored, strict=True))
    raise BugError(f"no way to read {hint} back")


def _dataclass(cls: Any) -> Decoder:  # noqa: ANN401
    hints = get_type_hints(cls)
    known = [
        (field.name, _decoder(hints[field.name]), _fallback(cls, field, hints[field.name]))
        for field in dataclasses.fields(cls)
    ]
    nullable = {name for name, hint in hints.items() if types.NoneType in get_args(hint)}

    def build(stored: Mapping[str, Any]) -> Any:  # noqa: ANN401
        values = {}
        for name, decode_field, fallback in known:
            value = stored.get(name)
            if value is None and (name not in stored or name not in nullable):
                values[name] = fallback()
            else:
                values[name] = decode_field(value)
        return cls(**values)

    return build


def _fallback(cls: Any, field: dataclasses.Field[Any], hint: Any) -> Callable[[], Any]:  # noqa: ANN401
    if field.default is not dataclasses.MISSING:
        return lambda: field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory
    if types.NoneType in get_args(hint):
        return lambda: None
    if hint is str:
        return str
    if get_origin(hint) in {tuple, frozenset, Mapping}:
        return lambda: decode(hint, ())

    def refuse() -> Any:  # noqa: ANN401
        raise BugError(f"a stored {cls.__name__} lacks {field.name!r}, which has no default")

    return refuse
