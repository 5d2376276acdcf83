"""Whether plain JSON values have the shape of a record, and where they do not.

The codec reads tolerantly, since the history is our own. A file from elsewhere is not: every value must have
the declared type, every key must be known, and every number must be one that can be stored.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from qtune.core.errors import BugError, KnownError
from qtune.core.messages import Message, ParamValue

WHOLE = 2**63
"""Whole numbers at or beyond this do not fit a database."""

_CODE = re.compile(r"\w*")

Check = Callable[[Any, str], None]


def damaged(place: str, reason: str) -> KnownError:
    """The error that names the place of a fault in a file to be read in."""
    return KnownError("import_damaged", place=place, reason=reason)


def check_shape(hint: Any, value: Any, place: str) -> None:  # noqa: ANN401 - any JSON against any type
    """Check that ``value`` is what the codec makes of a ``hint``.

    Args:
        hint: A dataclass or another annotation the codec knows.
        value: What ``json`` made of the file.
        place: Where it stands, e.g. ``runs[3].model``.

    Raises:
        KnownError: ``import_damaged`` with the place of the first fault.
    """
    _check(hint)(value, place)


@cache
def _check(hint: Any) -> Check:  # noqa: ANN401
    origin = get_origin(hint)
    if origin in {Union, types.UnionType}:
        # The parameters of a message: Python's bool is an int and may stand where one is declared.
        also = (bool,) if hint == ParamValue else ()
        return _union(tuple(_check(arg) for arg in (*get_args(hint), *also)))
    if origin is Literal:
        return _one_of(get_args(hint))
    if origin is not None:
        return _collection(hint, origin)
    if dataclasses.is_dataclass(hint):
        return _record(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _one_of(tuple(member.value for member in hint))
    return _plain(hint)


_NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


def _plain(hint: type) -> Check:
    if hint not in _NAMES:
        raise BugError(f"no check for {hint} in an import")

    def check(value: Any, place: str) -> None:  # noqa: ANN401
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if hint is float:
            good = number and math.isfinite(value)
        elif hint is int:
            good = number and isinstance(value, int) and -WHOLE <= value < WHOLE
        else:
            good = isinstance(value, hint)
        if not good:
            raise damaged(place, f"{_NAMES[hint]} is expected, not {_shown(value)}")

    return check


def _shown(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = str(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _one_of(allowed: Sequence[Any]) -> Check:
    def check(value: Any, place: str) -> None:  # noqa: ANN401
        if not any(value == one and type(value) is type(one) for one in allowed):
            expected = ", ".join(map(str, allowed))
            raise damaged(place, f"one of {expected} is expected, not {_shown(value)}")

    return check


def _union(checks: Sequence[Check]) -> Check:
    def check(value: Any, place: str) -> None:  # noqa: ANN401
        fault: KnownError | None = None
        for one in checks:
            try:
                one(value, place)
            except KnownError as error:
                # null is no use as the explanation of a damaged record.
                fault = fault or error
            else:
                return
        raise fault or damaged(place, "nothing is allowed here")

    return check


def _collection(hint: Any, origin: Any) -> Check:  # noqa: ANN401
    args = get_args(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(_check(args[1]))
    if origin is frozenset or (origin is tuple and args[1:] == (Ellipsis,)):
        item, whole = _check(args[0]), args[0] is int

        def check(value: Any, place: str) -> None:  # noqa: ANN401
            listed = _list(value, place)
            # Stamps of tokens are most of a file; one by one they take longer than all the rest.
            if whole and _all_fit(listed):
                return
            for at, one in enumerate(listed):
                item(one, f"{place}[{at}]")

        return check
    if origin is tuple:
        return _fixed([_check(arg) for arg in args])
    raise BugError(f"no check for {hint} in an import")


def _all_fit(listed: Sequence[Any]) -> bool:
    """Whether these are whole numbers that can be stored."""
    whole = all(type(one) is int for one in listed)
    return whole and (not listed or -WHOLE <= min(listed) <= max(listed) < WHOLE)


def _list(value: Any, place: str) -> list[Any]:  # noqa: ANN401
    if not isinstance(value, list):
        raise damaged(place, f"a list is expected, not {_shown(value)}")
    return value


def _mapping(item: Check) -> Check:
    def check(value: Any, place: str) -> None:  # noqa: ANN401
        for key, one in object_at(value, place).items():
            item(one, f"{place}.{key}")

    return check


def _fixed(items: Sequence[Check]) -> Check:
    def check(value: Any, place: str) -> None:  # noqa: ANN401
        listed = _list(value, place)
        if len(listed) != len(items):
            raise damaged(place, f"{len(items)} values are expected, not {len(listed)}")
        for at, (item, one) in enumerate(zip(items, listed, strict=True)):
            item(one, f"{place}[{at}]")

    return check


def object_at(value: Any, place: str) -> Mapping[str, Any]:  # noqa: ANN401
    """``value`` as an object; ``import_damaged`` if it is none."""
    if not isinstance(value, Mapping):
        raise damaged(place, f"an object is expected, not {_shown(value)}")
    return value


def _record(cls: Any) -> Check:  # noqa: ANN401
    hints = get_type_hints(cls)
    checks = {field.name: _check(hints[field.name]) for field in dataclasses.fields(cls)}
    # Younger fields have a default and may be missing in the file of an older version.
    needed = {
        field.name
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }

    def check(value: Any, place: str) -> None:  # noqa: ANN401
        given = object_at(value, place)
        for name in given:
            if name not in checks:
                raise damaged(f"{place}.{name}", "this key is not known")
        for name in sorted(needed):
            if name not in given:
                raise damaged(place, f"the key {name} is missing")
        for name, one in given.items():
            checks[name](one, f"{place}.{name}")
        # Codes without a text are shown by their name, which is then filled in like a text.
        if cls is Message and not _CODE.fullmatch(given["code"]):
            raise damaged(f"{place}.code", f"{_shown(given['code'])} is no code")

    return check
