"""Stored values of other versions are read, and nothing is invented."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

import numpy as np
import pytest

from qtune.core.codec import content_hash, decode, encode, to_text
from qtune.core.errors import BugError
from qtune.core.messages import Message
from qtune.core.settings import ServerSettings


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    number: float
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outer:
    inner: Inner
    pair: tuple[int, Inner]
    maybe: Inner | None
    mode: Literal["a", "b"]
    colour: Colour
    names: frozenset[str]
    by_name: Mapping[str, Inner]
    score: float | None
    text: str
    extra: dict[str, str] = field(default_factory=lambda: {"made": "here"})
    count: int = 5


FULL = Outer(
    inner=Inner(1.5, ("一", "\u2028", "\udcff")),
    pair=(7, Inner(-0.0)),
    maybe=Inner(1e300),
    mode="b",
    colour=Colour.RED,
    names=frozenset({"x", "y"}),
    by_name={"k": Inner(2.0)},
    score=None,
    text="",
    extra={},
    count=2**53 + 1,
)


def through_json(value: object) -> object:
    import json  # noqa: PLC0415

    return json.loads(to_text(encode(value)))


def test_every_kind_of_field_comes_back_with_its_type() -> None:
    again = decode(Outer, through_json(FULL))
    assert again == FULL
    assert isinstance(again.colour, Colour)
    assert isinstance(again.names, frozenset)
    assert isinstance(again.pair, tuple)


def test_unknown_keys_are_dropped_and_missing_ones_filled_from_what_the_class_says() -> None:
    stored = encode(FULL)
    for gone in ("maybe", "names", "by_name", "score", "text", "extra", "count"):
        del stored[gone]
    stored["of a later version"] = {"deep": [1]}
    stored["inner"]["also new"] = 1
    expected = replace(
        FULL, maybe=None, names=frozenset(), by_name={}, text="", extra={"made": "here"}, count=5
    )
    assert decode(Outer, stored) == expected


@pytest.mark.parametrize("value", [{}, {"number": None}])
def test_a_missing_figure_without_default_is_never_invented(value: dict[str, object]) -> None:
    with pytest.raises(BugError, match="number"):
        decode(Inner, value)


def test_settings_of_other_versions_are_read_as_they_were() -> None:
    stored = {"ctx_size": 4096, "n_max": 99, "gone_setting": 1, "p_min": 0}
    read = decode(ServerSettings, stored)
    assert read == replace(ServerSettings(), ctx_size=4096, n_max=99, p_min=0.0)
    assert isinstance(read.p_min, float)


def test_figures_that_are_not_finite_are_null_and_odd_whole_numbers_plain() -> None:
    assert encode([math.nan, math.inf, -math.inf, 0.5]) == [None, None, None, 0.5]
    assert encode(np.int64(7)) == 7
    assert decode(tuple[Message, ...], encode((Message.of("m", x=math.nan),))) == (Message.of("m", x=None),)
    with pytest.raises(TypeError):
        encode(object())


def test_hash_depends_on_content_only() -> None:
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    assert content_hash(FULL) == content_hash(replace(FULL, names=frozenset({"y", "x"})))
    assert content_hash(FULL) != content_hash(replace(FULL, count=1))
