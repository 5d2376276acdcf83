"""Checks the values of the bundled engine's options, in llama-server's words when one is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

KV_TYPES: Final = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
SPEC_TYPES: Final = (
    "none",
    "draft-simple",
    "draft-eagle3",
    "draft-mtp",
    "draft-dflash",
    "draft-dspark",
    "ngram-simple",
    "ngram-map-k",
    "ngram-map-k4v",
    "ngram-mod",
    "ngram-cache",
)


class ValueRefusedError(Exception):
    """A value llama-server would refuse; the text is its own wording for it."""


def _on(value: str) -> bool:
    return value in {"on", "enabled", "true", "1"}


def _off(value: str) -> bool:
    return value in {"off", "disabled", "false", "0"}


def read_switch(value: str) -> bool:
    """Truth value of a switch given by environment."""
    if not (_on(value) or _off(value)):
        raise ValueRefusedError("invalid boolean value")
    return _on(value)


def read_integer(value: str) -> int:
    """Integer as C++'s stoi reads it: leading blanks and trailing text are allowed, 32 bits."""
    found = re.match(r"\s*[+-]?\d+", value)
    if not found or not -(2**31) <= int(found.group()) < 2**31:
        raise ValueRefusedError("stoi")
    return int(found.group())


def read_float(value: str) -> float:
    """Number as C++'s stof reads it: trailing text is allowed."""
    found = re.match(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", value, re.IGNORECASE)
    if not found:
        raise ValueRefusedError("stof")
    return float(found.group())


def integer_from(low: int, refusal: str = "invalid value") -> Callable[[str], int]:
    """Reader of integers that are not below `low`."""

    def read(value: str) -> int:
        number = read_integer(value)
        if number < low:
            raise ValueRefusedError(refusal)
        return number

    return read


def one_of(refusal: str, words: dict[str, str]) -> Callable[[str], str]:
    """Reader that maps each allowed word to a word of its own and refuses all others."""

    def read(value: str) -> str:
        if value not in words:
            raise ValueRefusedError(refusal.format(value=value))
        return words[value]

    return read


def three_way(flag: str, *, automatic: bool) -> Callable[[str], str]:
    """Reader of on, off and, if `automatic`, auto, each in llama.cpp's spellings."""

    def read(value: str) -> str:
        if _on(value):
            return "on"
        if _off(value):
            return "off"
        if automatic and value in {"auto", "-1"}:
            return "auto"
        raise ValueRefusedError(f"error: unknown value for {flag}: '{value}'\n")

    return read


def read_layers(value: str) -> int:
    """Number of layers; auto is -1 and all is -2, as in llama.cpp."""
    return {"auto": -1, "all": -2}[value] if value in {"auto", "all"} else read_integer(value)


def read_parallel(value: str) -> int:
    """Number of slots; -1 means auto."""
    number = read_integer(value)
    if number == 0:
        raise ValueRefusedError("error: invalid value for n_parallel\n")
    return number


def read_cache_type(value: str) -> str:
    """Name of a number format the KV cache can have."""
    if value not in KV_TYPES:
        raise ValueRefusedError(f"Unsupported cache type: {value}")
    return value


def read_spec_types(value: str) -> list[str]:
    """Comma list of kinds of speculative decoding."""
    names = value.split(",")
    for name in names:
        if name not in SPEC_TYPES:
            raise ValueRefusedError(f"unknown speculative type: {name}")
    return names


def read_words(value: str) -> list[str]:
    """Comma list of words; empty ones are dropped."""
    return [word.strip() for word in value.split(",") if word.strip()]


def read_hosts(value: str) -> list[str]:
    """Comma list of addresses, at least one."""
    hosts = read_words(value)
    if not hosts:
        raise ValueRefusedError("--host requires at least one address")
    return hosts


def read_margins(value: str) -> list[int]:
    """Comma list of sizes in MiB."""
    margins = re.split(r"[,/]+", value)
    if not all(re.match(r"\s*\d+", margin) for margin in margins):
        raise ValueRefusedError("stoull")
    return [read_integer(margin) for margin in margins]


def read_template_arguments(value: str) -> dict[str, str]:
    """JSON object; its values stay JSON text."""
    try:
        arguments = json.loads(value)
    except ValueError as error:
        raise ValueRefusedError(f"parse error: {error}") from error
    if not isinstance(arguments, dict):
        raise ValueRefusedError("parse error: a JSON object is expected")
    return {key: json.dumps(item) for key, item in arguments.items()}


def read_key_file(value: str) -> list[str]:
    """Keys in a file, one a line, without comments."""
    try:
        lines = Path(value).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise ValueRefusedError(f"error: failed to open file '{value}'\n") from error
    return [line for line in lines if line and not line.startswith("#")]


def read_removed(advice: str) -> Callable[[str], None]:
    """Reader of a removed option: refuses whatever it is given."""

    def read(_value: str) -> None:
        raise ValueRefusedError(f"the argument has been removed. {advice}")

    return read
