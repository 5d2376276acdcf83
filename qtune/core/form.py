"""Whether an answer kept the form its workload asked for: ten bullets with a reason, or JSON by a schema.

The checks judge form, never content. They are strict where a program that reads the answer would stumble and
tolerant where only a reader's taste is touched, so that a difference between two arms means something.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from qtune.core.errors import BugError

TEN_BULLETS: Final = "ten_bullets_with_reason"
JSON_SCHEMA: Final = "json_schema"
FORMS: Final = (TEN_BULLETS, JSON_SCHEMA)
BULLETS: Final = 10
BULLETS_JUDGED_LEAST: Final = 5
"""A cut answer with fewer complete bullets than this says too little to be judged."""

# Reasoning that a server left in the answer is no part of it.
_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_BULLET = re.compile(
    r"""^(?P<indent>\s*)(?:\*\*)?(?:
        [-*+•·▪●–—]\s+ | [•·▪●]                         # - point, •point
        | [-–—](?=[\u3400-\u9fff“《])                    # -要点
        | [（(]?\d{1,2}[.)）．](?:\*\*)?\s+              # 1. 1) (1) **1.** with a blank
        | \d{1,2}[.．](?=[^\d\s]) | [（(]\d{1,2}[)）]    # 1.要点, but not 1.5
        | \d{1,2}、 | [一二三四五六七八九十]{1,3}、 | [①-⑳]
    )\s*(?P<text>\S.*)$""",
    re.VERBOSE,
)
_REASON = re.compile(r"(?:\breasons?|理由|原因)[\s*_]*[:：][\s*_]*(?P<text>.*)", re.IGNORECASE | re.DOTALL)
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_FENCE = re.compile(r"\A```(?:json)?[ \t]*\r?\n(?P<body>.*?)\r?\n?```\Z", re.DOTALL | re.IGNORECASE)
_WORD = re.compile(r"[^\W_]")


def check_form(form: str, text: str, schema: str = "", *, finished: bool = True) -> bool | None:
    """Whether an answer kept its form; None when no form was asked for or it cannot be told.

    Args:
        form: ``ten_bullets_with_reason``, ``json_schema``, or empty.
        text: The answer as it arrived, without separate reasoning.
        schema: JSON text of the schema, for ``json_schema``.
        finished: False when the token limit cut the answer. Cut bullets are judged as far as they go, cut
            JSON cannot be judged.

    Raises:
        BugError: An unknown form, or a schema that uses more than is checked here.
    """
    if not form:
        return None
    answer = _THINKING.sub("", text).strip()
    if form == TEN_BULLETS:
        return _ten_bullets(answer, finished=finished)
    if form == JSON_SCHEMA:
        return _json_by_schema(answer, schema) if finished else None
    raise BugError(f"no check for the form {form!r}")


# -- ten bullets ---------------------------------------------------------------------------------------------


@dataclass
class _Outline:
    """An answer cut into its title lines, its bullets, and lines that belong to neither."""

    head: list[str] = field(default_factory=list)
    bullets: list[str] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)


def _outline(text: str) -> _Outline:
    """Cut an answer into bullets.

    A bullet goes on over deeper indented lines, over the lines right below it, and over a line or bullet that
    begins with the reason. Any other text between or after bullets is stray.
    """
    found = _Outline()
    outer: int | None = None
    gap = False
    for line in text.splitlines():
        if not line.strip() or _RULE.match(line):
            gap = True
            continue
        match = _BULLET.match(line)
        indent = len(line) - len(line.lstrip())
        body = match["text"] if match else line.strip()
        reason = _REASON.match(body.lstrip("*_ "))
        if outer is None and match is None:
            found.head.append(body)
        elif outer is None or (match and indent < outer + 2 and not (reason and found.bullets)):
            outer = indent if outer is None else outer
            found.bullets.append(body)
        elif reason or indent >= outer + 2 or not (gap or body.startswith("#")):
            found.bullets[-1] += "\n" + body
        else:
            found.stray.append(body)
        gap = False
    return found


def _has_point_and_reason(bullet: str) -> bool:
    match = _REASON.search(bullet)
    if match is None or _WORD.search(bullet[: match.start()]) is None:
        return False
    return len(_WORD.findall(match["text"])) >= 3


def _ten_bullets(text: str, *, finished: bool) -> bool | None:
    """A title of one line, then exactly ten bullets, each with a point and a reason, and nothing else."""
    found = _outline(text)
    broken = len(found.head) > 1 or bool(found.stray) or len(found.bullets) > BULLETS
    whole = found.bullets if finished else found.bullets[:-1]
    broken = broken or not all(map(_has_point_and_reason, whole))
    # A bullet in first place shows that the title is missing; a cut answer may not have come to its title.
    broken = broken or (not found.head and bool(found.bullets))
    if finished:
        return not broken and len(found.head) == 1 and len(found.bullets) == BULLETS
    if broken:
        return False
    return True if len(whole) >= BULLETS_JUDGED_LEAST else None


# -- JSON ----------------------------------------------------------------------------------------------------


def _json_by_schema(text: str, schema: str) -> bool:
    """One JSON value that fits the schema, bare or as the only thing in one fence.

    Refused are NaN and Infinity and numbers too large for a double (no strict reader takes them), and a key
    given twice (two readers would see two different values).
    """
    rules: object = json.loads(schema) if schema else {}
    if not isinstance(rules, dict):
        raise BugError("a schema must be an object")
    fence = _FENCE.match(text)
    try:
        value = json.loads(
            fence["body"] if fence else text,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
    except (ValueError, RecursionError):  # a long row of brackets is deeper than the parser goes
        return False
    return fits(value, rules)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("the number is too large")
    return number


def _whole(digits: str) -> int:
    _finite(digits)
    return int(digits)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": _is_number,
    "integer": lambda v: _is_number(v) and not (isinstance(v, float) and not v.is_integer()),
}
_KEYWORDS: Final = frozenset(
    {
        "type", "enum", "required", "properties", "additionalProperties", "items", "minItems", "maxItems",
        "minimum", "maximum",
    }
)  # fmt: skip


def fits(value: object, schema: Mapping[str, object]) -> bool:
    """Whether a parsed JSON value fits a schema.

    The part of JSON Schema (2020-12) that extraction needs: ``type``, ``enum``, ``required``, ``properties``,
    ``additionalProperties: false``, ``items``, ``minItems``, ``maxItems``, ``minimum``, ``maximum``.

    Raises:
        BugError: The schema uses anything else; to pass over it would be to approve what was not checked.
    """
    unknown = schema.keys() - _KEYWORDS
    if unknown:
        raise BugError(f"schema keywords that are not checked: {', '.join(sorted(unknown))}")
    return (
        _fits_type(value, schema)
        and _fits_enum(value, schema)
        and _fits_bounds(value, schema)
        and (not isinstance(value, dict) or _fits_object(value, schema))
        and (not isinstance(value, list) or _fits_array(value, schema))
    )


def _fits_type(value: object, schema: Mapping[str, object]) -> bool:
    wanted = schema.get("type")
    if wanted is None:
        return True
    names = wanted if isinstance(wanted, list) else [wanted]
    return any(_TYPES[str(name)](value) for name in names)


def _fits_enum(value: object, schema: Mapping[str, object]) -> bool:
    allowed = schema.get("enum")
    # In Python 1 == True; in JSON they differ.
    return not isinstance(allowed, list) or any(
        a == value and isinstance(a, bool) == isinstance(value, bool) for a in allowed
    )


def _fits_bounds(value: object, schema: Mapping[str, object]) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return True
    low, high = schema.get("minimum"), schema.get("maximum")
    return (not isinstance(low, int | float) or value >= low) and (
        not isinstance(high, int | float) or value <= high
    )


def _fits_object(value: dict[str, object], schema: Mapping[str, object]) -> bool:
    required, properties = schema.get("required", []), schema.get("properties", {})
    if not isinstance(required, list) or not isinstance(properties, dict):
        raise BugError("required is a list and properties an object")
    if any(key not in value for key in required):
        return False
    if schema.get("additionalProperties", True) is False and value.keys() - properties.keys():
        return False
    return all(fits(value[key], rules) for key, rules in properties.items() if key in value)


def _fits_array(value: list[object], schema: Mapping[str, object]) -> bool:
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    if not isinstance(least, int) or not isinstance(most, int | float):
        raise BugError("minItems and maxItems are numbers")
    rules = schema.get("items", {})
    if not isinstance(rules, dict):
        raise BugError("items is a schema")
    return least <= len(value) <= most and all(fits(one, rules) for one in value)
