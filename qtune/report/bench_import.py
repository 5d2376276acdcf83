"""Reads the JSON of llama-bench, which measures without a server and without MTP."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
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
        avg_ts: Mean rate in tokens/s.
        samples_ts: Rate of each repetition, empty where not given.
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
    n_ubatch: int
    n_prompt: int
    n_gen: int
    n_depth: int
    test_time: str
    avg_ts: float
    stddev_ts: float
    samples_ts: tuple[float, ...] = ()


def import_llama_bench(text: str) -> tuple[BenchRecord, ...]:
    """Tests of ``llama-bench -o json`` or ``-o jsonl``, in order; keys that are not needed are passed over.

    Raises:
        KnownError: ``bench_file_damaged`` with the place of the first fault; nothing is taken then.
    """
    text = text.removeprefix("\ufeff").strip()
    try:
        if text.startswith("["):
            listed = parse_json(text)
            places = [f"[{at}]" for at in range(len(listed))]
        else:
            numbered = [(at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip()]
            listed = [parse_json(line, at) for at, line in numbered]
            places = [f"line {at}" for at, _ in numbered]
    except KnownError as error:
        raise KnownError("bench_file_damaged", **dict(error.message.params)) from error
    if not listed:
        raise _damaged("the file", "there is no test in it")
    return tuple(_record(one, place) for one, place in zip(listed, places, strict=True))


def _damaged(place: str, reason: str) -> KnownError:
    return KnownError("bench_file_damaged", place=place, reason=reason)


def _record(value: Any, place: str) -> BenchRecord:  # noqa: ANN401 - JSON
    if not isinstance(value, Mapping):
        raise _damaged(place, "an object is expected")
    known: dict[str, Any] = {name: _text(value, name, place) for name in _TEXTS}
    known |= {name: _whole(value, name, place) for name in _WHOLES}
    samples = value.get("samples_ts", [])
    if not isinstance(samples, list) or not all(_is_rate(rate) for rate in samples):
        raise _damaged(f"{place}.samples_ts", "a list of rates is expected")
    speculation = value.get("spec_type")
    return BenchRecord(
        label=WITHOUT_MTP if speculation in {None, "", "none"} else str(speculation),
        test=bench_test(known["n_prompt"], known["n_gen"], known["n_depth"]),
        **known,
        avg_ts=_rate(value, "avg_ts", place),
        stddev_ts=_rate(value, "stddev_ts", place),
        samples_ts=tuple(float(rate) for rate in samples),
    )


_TEXTS: Final = (
    "model_type", "model_filename", "build_commit", "backends", "gpu_info", "cpu_info", "type_k", "type_v",
    "test_time",
)  # fmt: skip
_WHOLES: Final = ("model_size", "build_number", "n_ubatch", "n_prompt", "n_gen", "n_depth")


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
