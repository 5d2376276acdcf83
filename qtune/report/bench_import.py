"""Reads what llama-bench wrote as JSON, JSONL or CSV; it measures without a server and without MTP."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from qtune.core.errors import KnownError
from qtune.report.json_import import parse_json
from qtune.report.llama_bench import bench_test

WITHOUT_MTP: Final = "without MTP"


@dataclass(frozen=True, slots=True)
class BenchRecord:
    """One test of llama-bench.

    Attributes:
        label: ``without MTP``, since llama-bench knows no speculation; an export of qtune in this form says
            what it used.
        test: Name as llama-bench shows it, e.g. ``tg128 @ d4096``.
        test_time: Its beginning, ISO 8601 with zone.
        avg_ns, stddev_ns: Mean duration of its repetitions, and their deviation.
        avg_ts: Mean rate in tokens/s.
        samples_ns, samples_ts: Duration and rate of each repetition, empty where not given.
        arm: Of an export of qtune; empty for llama-bench itself.
        options: Numbers among ``OPTIONS`` that the file tells.
        by_server: Whether qtune wrote it, whose rates are those of a server: (n - 1) tokens over their time.
    """

    label: str
    test: str
    model_type: str
    model_filename: str
    model_size: int
    build_commit: str
    build_number: int
    backends: str
    gpu_info: str
    cpu_info: str
    type_k: str
    type_v: str
    n_batch: int
    n_ubatch: int
    n_prompt: int
    n_gen: int
    n_depth: int
    test_time: str
    avg_ns: int
    stddev_ns: int
    avg_ts: float
    stddev_ts: float
    samples_ns: tuple[int, ...] = ()
    samples_ts: tuple[float, ...] = ()
    arm: str = ""
    by_server: bool = False
    options: Mapping[str, float] = field(default_factory=dict)


def import_llama_bench(text: str) -> tuple[BenchRecord, ...]:
    """Tests of ``llama-bench -o json``, ``jsonl`` or ``csv``, in order; what is not needed is passed over.

    Raises:
        KnownError: ``bench_file_damaged`` with the place of the first fault; nothing is taken then.
    """
    text = text.removeprefix("\ufeff").strip()
    try:
        found = list(_tests(text))
    except KnownError as error:
        raise KnownError("bench_file_damaged", **dict(error.message.params)) from error
    if not found:
        raise _damaged("the file", "there is no test in it")
    return tuple(_record(one, place) for place, one in found)


def is_llama_bench(first: str) -> bool:
    """Whether a file that begins with this line is one of llama-bench's, sound or not."""
    line = first.removeprefix("\ufeff").strip()
    if line.startswith("["):
        return True
    return "build_commit" in line and (line.startswith("{") or "avg_ts" in line)


def _tests(text: str) -> Iterable[tuple[str, Any]]:
    """Objects with their place in the file."""
    if text.startswith("["):
        yield from ((f"[{at}]", one) for at, one in enumerate(parse_json(text)))
    elif text.startswith("{"):
        for at, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield f"line {at}", parse_json(line, at)
    elif text:
        yield from _rows(text)


_TEXTS: Final = (
    "model_type", "model_filename", "build_commit", "backends", "gpu_info", "cpu_info", "type_k", "type_v",
    "test_time",
)  # fmt: skip
_WHOLES: Final = (
    "model_size", "build_number", "n_batch", "n_ubatch", "n_prompt", "n_gen", "n_depth", "avg_ns",
    "stddev_ns",
)  # fmt: skip


OPTIONS: Final = (
    "n_threads", "n_gpu_layers", "n_cpu_moe", "flash_attn", "spec_draft_n_max", "spec_draft_p_min",
)  # fmt: skip
"""Columns that a server has settings for; not every version of llama-bench has all of them."""


def _rows(text: str) -> Iterable[tuple[str, Any]]:
    """Rows of CSV as the objects JSON would have held."""
    reader = csv.reader(text.split("\n"), strict=True)
    try:
        names, *lines = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise _damaged(f"line {reader.line_num}", str(error)) from error
    yield from _objects(names[1], lines)


def _objects(names: Sequence[str], lines: Iterable[tuple[int, list[str]]]) -> Iterable[tuple[str, Any]]:
    if not {"avg_ts", "test_time"} <= set(names):
        raise _damaged("line 1", "these are not the columns of llama-bench")
    for number, cells in lines:
        place = f"line {number}"
        if len(cells) != len(names):
            raise _damaged(place, f"{len(names)} cells are expected, not {len(cells)}")
        row: dict[str, Any] = dict(zip(names, cells, strict=True))
        for name in (*_WHOLES, "avg_ts", "stddev_ts"):
            if name in row:
                row[name] = _number(row[name], f"{place}.{name}", whole=name in _WHOLES)
        yield place, row


def _number(cell: str, place: str, *, whole: bool) -> int | float:
    try:
        return int(cell or 0) if whole else float(cell)
    except ValueError:
        raise _damaged(place, "a whole number is expected" if whole else "a number is expected") from None


def _damaged(place: str, reason: str) -> KnownError:
    return KnownError("bench_file_damaged", place=place, reason=reason)


def _record(value: Any, place: str) -> BenchRecord:  # noqa: ANN401 - JSON
    if not isinstance(value, Mapping):
        raise _damaged(place, "an object is expected")
    known: dict[str, Any] = {name: _text(value, name, place) for name in _TEXTS}
    known |= {name: _whole(value, name, place) for name in _WHOLES}
    _check_time(known["test_time"], f"{place}.test_time")
    speculation, arm = value.get("spec_type"), value.get("arm")
    return BenchRecord(
        label=WITHOUT_MTP if speculation in {None, "", "none"} else str(speculation)[:40],
        test=bench_test(known["n_prompt"], known["n_gen"], known["n_depth"]),
        **known,
        avg_ts=_rate(value, "avg_ts", place),
        stddev_ts=_rate(value, "stddev_ts", place),
        samples_ns=tuple(int(one) for one in _samples(value, "samples_ns", place)),
        samples_ts=tuple(float(one) for one in _samples(value, "samples_ts", place)),
        arm=arm if isinstance(arm, str) else "",
        by_server="spec_type" in value,
        options={name: float(value[name]) for name in OPTIONS if _is_number(value.get(name))},
    )


def _is_number(value: object) -> bool:
    """Also as the text that a cell of CSV is."""
    try:
        return isinstance(value, str | int | float) and math.isfinite(float(value))
    except (ValueError, OverflowError):
        return False


def _check_time(text: str, place: str) -> None:
    try:
        zone = datetime.fromisoformat(text).tzinfo
    except ValueError:
        zone = None
    if zone is None:
        raise _damaged(place, "a time with its zone is expected")


def _samples(value: Mapping[str, Any], name: str, place: str) -> list[int | float]:
    samples = value.get(name, [])
    if not isinstance(samples, list) or not all(_is_rate(one) and one < 2**63 for one in samples):
        raise _damaged(f"{place}.{name}", "a list of numbers is expected")
    return samples


def _given(value: Mapping[str, Any], name: str, place: str) -> Any:  # noqa: ANN401
    if name not in value:
        raise _damaged(place, f"the key {name} is missing")
    return value[name]


def _text(value: Mapping[str, Any], name: str, place: str) -> str:
    found = _given(value, name, place)
    if not isinstance(found, str):
        raise _damaged(f"{place}.{name}", "text is expected")
    return found


def _whole(value: Mapping[str, Any], name: str, place: str) -> int:
    found = _given(value, name, place)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < 2**63:
        raise _damaged(f"{place}.{name}", "a whole number is expected")
    return found


def _rate(value: Mapping[str, Any], name: str, place: str) -> float:
    found = _given(value, name, place)
    if not _is_rate(found):
        raise _damaged(f"{place}.{name}", "a number is expected")
    return float(found)


def _is_rate(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
