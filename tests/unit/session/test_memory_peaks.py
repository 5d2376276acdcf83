"""The memory peak of each request of one start, out of readings that come twice a second."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.core.machine_facts import GpuSample, HostSample, TelemetrySample
from qtune.core.messages import Message
from qtune.core.records import RequestRecord
from qtune.session.memory_evidence import memory_peaks
from tests.unit.core.by_hand import MS, request
from tests.unit.session.runs import run_on


def during(sent_ms: int, ended_ms: int, *, broken: bool = False) -> RequestRecord:
    times = {"sent_ns": sent_ms * MS, "ended_ns": ended_ms * MS}
    return request(times={**times, "failure": Message.of("connection_lost")} if broken else times)


def readings(*rows: tuple[int, int | None], rss: bool = False, idle: int = 9) -> list[TelemetrySample]:
    """(ms, bytes) of the card that is used, beside one that is merely full."""
    found = []
    for t_ms, used in rows:
        gpus = () if rss else (GpuSample("GPU-full", idle), GpuSample("GPU-ours", used))
        found.append(TelemetrySample(t_ms * MS, HostSample(1.0, 2, 3, used if rss else 1), gpus))
    return found


def peaks(samples: Sequence[TelemetrySample], *requests: RequestRecord) -> tuple[int | None, ...]:
    found = memory_peaks(samples, requests, run_on())
    return tuple(None if peak is None else peak.used_bytes for peak in found)


def test_the_highest_reading_while_it_lasted() -> None:
    samples = readings((0, 1), (500, 5), (1000, 7), (1500, 6), (2000, 2))

    assert peaks(samples, during(400, 1400), during(1600, 1900)) == (7, 2)


def test_the_card_whose_use_grew_is_the_one_that_counts() -> None:
    assert peaks(readings((0, 1), (500, 5), (900, 5), idle=100), during(400, 600)) == (5,)


def test_a_request_between_two_readings_is_known_by_the_next() -> None:
    samples = readings((0, 1), (500, 5), (1000, 8), (1500, 9))

    assert peaks(samples, during(600, 700), during(1100, 1300)) == (8, 9)


def test_after_a_request_that_broke_the_engine_is_gone() -> None:
    samples = readings((0, 1), (500, 5), (1000, 1))

    assert peaks(samples, during(400, 700, broken=True), during(600, 700, broken=True)) == (5, None)


def test_without_a_card_it_is_the_memory_of_the_engine() -> None:
    assert peaks(readings((0, None), (500, 40), (1000, 30), rss=True), during(400, 700)) == (40,)


def test_without_readings_nothing_is_known() -> None:
    assert peaks([], during(0, 1), during(2, 3)) == (None, None)
    assert peaks(readings((0, None), (500, None), rss=True), during(0, 600)) == (None,)
