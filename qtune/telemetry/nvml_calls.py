"""Puts one question at a time to the NVIDIA driver library, and turns a refusal into plain words."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

_log = logging.getLogger("qtune.telemetry")

_T = TypeVar("_T")

Raw: TypeAlias = Any
"""What the driver library hands out: untyped modules, handles and C structures."""

INVALID_ARGUMENT: Final = 2
NOT_SUPPORTED: Final = 3
NOT_FOUND: Final = 6
FUNCTION_NOT_FOUND: Final = 13

UNKNOWN_QUESTION: Final = -1
"""Not NVML's: the binding itself lacks the function or takes other arguments."""

NO_SENSE: Final = -2
"""Not NVML's: the driver answered, but the answer cannot be true."""

GONE: Final = frozenset({1, 9, 15, 16})
"""Codes after which a handle is of no more use: not initialised, no driver, card lost, reset required."""

REASONS: Final = {
    NO_SENSE: "the driver's answer makes no sense",
    UNKNOWN_QUESTION: "this driver library does not know the question",
    1: "the driver library was shut down",
    INVALID_ARGUMENT: "this driver does not take the question",
    NOT_SUPPORTED: "the board does not report it",
    4: "the driver gives no permission",
    9: "the NVIDIA driver is not loaded",
    12: "the NVIDIA driver library is not installed",
    FUNCTION_NOT_FOUND: "this driver is too old to report it",
    15: "the card was lost; restart the computer",
    16: "the card needs a reset; restart the computer",
    18: "the NVIDIA driver was updated; restart the computer",
    25: "this driver does not take the question",
}
"""NVML return codes (nvml.h, nvmlReturn_t) in plain words."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a question has no answer: NVML's code (or one of ours below zero) and the words for it."""

    code: int
    reason: str


class NvmlCalls:
    """The binding ``pynvml``, or something that answers like it, asked without ever raising."""

    def __init__(self, nvml: Raw) -> None:
        self.nvml = nvml

    def ask(
        self, what: str, function: str, *args: Raw, **named: Raw
    ) -> tuple[Raw, None] | tuple[None, Refusal]:
        """(answer, None) or (None, why not); ``what`` is for the log."""
        return self.ask_as(what, _as_it_is, function, *args, **named)

    def ask_as(
        self, what: str, convert: Callable[[Raw], _T], function: str, *args: Raw, **named: Raw
    ) -> tuple[_T, None] | tuple[None, Refusal]:
        """The same with the answer converted; a ``ValueError`` of ``convert`` means it makes no sense."""
        try:
            return convert(getattr(self.nvml, function)(*args, **named)), None
        except self.nvml.NVMLError as error:
            code = int(getattr(error, "value", 0))
            _log.debug("NVML %s: %s", what, error)
            return None, Refusal(code, REASONS.get(code, f"the driver answers {error}"))
        except ValueError as error:
            _log.debug("NVML %s: %r", what, error)
            return None, Refusal(NO_SENSE, REASONS[NO_SENSE])
        except (AttributeError, OSError, TypeError) as error:
            _log.debug("NVML %s: %r", what, error)
            return None, Refusal(UNKNOWN_QUESTION, REASONS[UNKNOWN_QUESTION])


def _as_it_is(raw: Raw) -> Raw:
    return raw


def text(raw: Raw) -> str:
    """Text of an answer; older bindings give bytes."""
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def within(low: float, high: float, scale: float = 1.0) -> Callable[[Raw], float]:
    """Converter of a whole number that must lie in ``low``..``high``; the result is divided by ``scale``."""

    def convert(raw: Raw) -> float:
        if isinstance(raw, bool) or not isinstance(raw, int) or not low <= raw <= high:
            raise ValueError(raw)
        return raw / scale

    return convert


def program_name(raw: Raw) -> str:
    """File name of a program as NVML names it: a path, with either slash, or a whole command line."""
    # Browsers overwrite their argument list with one long text, whose last slash lies in some option.
    path = re.split(r"\s--?[A-Za-z]", text(raw), maxsplit=1)[0]
    return re.split(r"[\\/]", path.strip())[-1]
