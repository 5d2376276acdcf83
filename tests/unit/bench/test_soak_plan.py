"""A soak holds when speed, memory and answers hold."""

from __future__ import annotations

import pytest

from qtune.bench.soak_plan import soak_goes_on, soak_result
from qtune.core.messages import Message
from tests.unit.core.by_hand import request

MIB = 1024**2
STEADY = [10_000 * MIB] * 50


def codes(rates: list[float], memory: list[int]) -> tuple[bool | None, list[str]]:
    result = soak_result([request(r) for r in rates], memory)
    return result.passed, [r.code for r in result.reasons]


@pytest.mark.parametrize(
    ("rates", "memory", "expected"),
    [
        ([50.0] * 30, STEADY, (True, ["soak_passed"])),
        ([50.0] * 25 + [49.1] * 5, STEADY, (True, ["soak_passed"])),
        ([50.0] * 25 + [48.5] * 5, STEADY, (False, ["soak_slower"])),
        ([50.0] * 30, [10_000 * MIB + i * 6 * MIB for i in range(50)], (False, ["soak_memory"])),
        ([50.0] * 30, [10_000 * MIB] * 25 + [10_900 * MIB] + STEADY[:24], (True, ["soak_passed"])),
        ([50.0] * 9, STEADY, (None, ["soak_short"])),
        ([50.0] * 30, [], (True, ["soak_passed", "soak_memory_unknown"])),
    ],
)
def test_soak(rates: list[float], memory: list[int], expected: tuple[bool | None, list[str]]) -> None:
    assert codes(rates, memory) == expected


def test_empty_and_failed_answers() -> None:
    empty = request(times={"content": " \n"})
    failed = request(times={"finish_reason": None, "failure": Message.of("stream_cut")})
    result = soak_result([request()] * 10 + [empty, failed] + [request()] * 10, STEADY)
    assert (result.passed, result.empty) == (False, 1)
    assert [r.code for r in result.reasons] == ["soak_empty", "soak_errors"]


def test_how_long_it_goes_on() -> None:
    assert soak_goes_on(1199.0, 20.0, 0)
    assert not soak_goes_on(1200.0, 20.0, 0)
    assert not soak_goes_on(10.0, 20.0, 3)
