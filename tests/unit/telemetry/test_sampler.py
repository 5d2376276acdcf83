"""The sampling thread, on a clock that only the test moves."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from qtune.core.machine_facts import GpuSample, HostSample, TelemetrySample
from qtune.telemetry.sampler import Sampler

MS = 1_000_000
DEADLINE_S = 120


class StagedTime:
    """Clock and stop signal in one: waiting moves the clock, and the thread rests after ``ticks`` waits."""

    def __init__(self, ticks: int) -> None:
        self.t_ns = 0
        self.waits: list[float] = []
        self.rested = threading.Event()
        self._ticks = ticks
        self._stop = threading.Event()

    def now_ns(self) -> int:
        return self.t_ns

    def utc(self) -> datetime:
        return datetime.now(UTC)

    def wait(self, timeout: float) -> bool:
        self.waits.append(timeout)
        if len(self.waits) >= self._ticks:
            self.rested.set()
            return self._stop.wait(DEADLINE_S)
        self.t_ns += round(timeout * 1e9)
        return self._stop.is_set()

    def set(self) -> None:
        self._stop.set()

    def clear(self) -> None:
        self._stop.clear()


class Cards:
    def __init__(self, time: StagedTime, *costs_ms: int, fails: bool = False) -> None:
        self.time, self.costs, self.fails = time, list(costs_ms), fails

    def sample(self) -> tuple[GpuSample, ...]:
        if self.costs:
            self.time.t_ns += self.costs.pop(0) * MS
        if self.fails:
            raise RuntimeError("driver gone")
        return (GpuSample("GPU-1", vram_used_bytes=7),)


class Host:
    def __init__(self, *, fails: bool = False) -> None:
        self.watched: list[int | None] = []
        self.fails = fails

    def sample(self) -> HostSample:
        if self.fails:
            raise OSError("no /proc")
        return HostSample(1.0, 2, 3)

    def watch(self, pid: int | None) -> None:
        self.watched.append(pid)


def run(time: StagedTime, cards: Any, host: Any, listener: Any = None, **options: Any) -> Sampler:
    sampler = Sampler(cards, host, time, stop_signal=time, **options)
    if listener is not None:
        sampler.subscribe(listener)
    sampler.start()
    assert time.rested.wait(DEADLINE_S)
    sampler.stop(DEADLINE_S)
    return sampler


def test_ticks_lie_on_the_grid_whatever_a_reading_costs() -> None:
    time = StagedTime(ticks=6)
    sampler = run(time, Cards(time, 30, 130, 700, 0, 1), Host())
    stamps = [sample.t_ns // MS for sample in sampler.samples_between(0, 1 << 60)]
    assert stamps == [0, 500, 1000, 2000, 2500, 3000]
    assert time.waits[:3] == [0.47, 0.37, 0.3]


def test_samples_between_and_a_bounded_ring() -> None:
    time = StagedTime(ticks=10)
    sampler = run(time, Cards(time), Host(), kept=4)
    assert [s.t_ns // MS for s in sampler.samples_between(0, 1 << 60)] == [3000, 3500, 4000, 4500]
    assert [s.t_ns // MS for s in sampler.samples_between(3500 * MS, 4000 * MS)] == [3500, 4000]
    assert sampler.latest is not None
    assert sampler.latest.gpus[0].vram_used_bytes == 7


@pytest.mark.parametrize(("card_fails", "host_fails"), [(True, False), (False, True), (True, True)])
def test_a_failing_source_costs_only_its_own_figures(
    card_fails: bool, host_fails: bool, caplog: pytest.LogCaptureFixture, expect_log: Any
) -> None:
    for name in ["cards"] * card_fails + ["host"] * host_fails:
        expect_log(f"reading of {name} failed; readings go on")
    time = StagedTime(ticks=5)
    sampler = run(time, Cards(time, fails=card_fails), Host(fails=host_fails))
    samples = sampler.samples_between(0, 1 << 60)
    assert len(samples) == 5
    assert {bool(s.gpus) for s in samples} == {not card_fails}
    assert {s.host.cpu_pct for s in samples} == {None if host_fails else 1.0}
    assert len([r for r in caplog.records if r.levelno == logging.ERROR]) == card_fails + host_fails


@pytest.mark.expect_log("a listener failed")
def test_a_failing_listener_does_not_silence_the_others() -> None:
    time = StagedTime(ticks=3)
    seen: list[TelemetrySample] = []
    names: set[str] = set()

    def broken(_: TelemetrySample) -> None:
        raise ValueError("listener")

    def good(sample: TelemetrySample) -> None:
        names.add(threading.current_thread().name)
        seen.append(sample)

    sampler = Sampler(Cards(time), Host(), time, stop_signal=time)
    sampler.subscribe(broken)
    sampler.subscribe(good)
    sampler.start()
    sampler.start()
    assert time.rested.wait(DEADLINE_S)
    sampler.stop()
    assert len(seen) == 3
    assert names == {"sampler"}
    assert not any(thread.name == "sampler" for thread in threading.enumerate())


def test_unsubscribed_in_mid_call() -> None:
    time = StagedTime(ticks=4)
    seen: list[int] = []
    sampler = Sampler(Cards(time), Host(), time, stop_signal=time)

    def once(sample: TelemetrySample) -> None:
        seen.append(sample.t_ns)
        end()

    end = sampler.subscribe(once)
    sampler.start()
    assert time.rested.wait(DEADLINE_S)
    sampler.stop()
    sampler.stop()
    assert seen == [0]


@pytest.mark.expect_log("the sampler did not end")
def test_a_hung_driver_does_not_hold_the_end() -> None:
    time = StagedTime(ticks=1)
    inside, release = threading.Event(), threading.Event()

    class Hung:
        def sample(self) -> tuple[GpuSample, ...]:
            inside.set()
            release.wait(DEADLINE_S)
            return ()

    sampler = Sampler(Hung(), Host(), time, stop_signal=time)
    sampler.start()
    assert inside.wait(DEADLINE_S)
    sampler.stop(timeout_s=0.05)
    release.set()
    sampler.stop(DEADLINE_S)
    assert not any(thread.name == "sampler" for thread in threading.enumerate())


def test_process_to_watch_is_handed_on() -> None:
    time, host = StagedTime(ticks=1), Host()
    sampler = Sampler(Cards(time), host, time, stop_signal=time)
    sampler.watch_process(42)
    sampler.watch_process(None)
    assert host.watched == [42, None]
