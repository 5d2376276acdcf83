"""Limits over a sleep of the computer: simulated by a clock of the loop that jumps."""

from __future__ import annotations

import asyncio

import pytest

from qtune.host import awake
from qtune.host.awake import AwakeLimit


class Sleeper:
    """Moves the running loop's clock on, as a system does whose monotonic clock counts a sleep."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        loop = asyncio.get_running_loop()
        real, self._slept_s = loop.time, 0.0
        monkeypatch.setattr(loop, "time", lambda: real() + self._slept_s)

    def sleep(self, seconds: float) -> None:
        self._slept_s += seconds


async def never() -> None:
    await asyncio.Event().wait()


@pytest.fixture
async def computer(monkeypatch: pytest.MonkeyPatch) -> Sleeper:
    return Sleeper(monkeypatch)


async def test_without_a_sleep_it_is_a_plain_limit() -> None:
    began = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        async with AwakeLimit(0.1):
            await never()
    assert 0.1 <= asyncio.get_running_loop().time() - began < 2


async def test_a_sleep_does_not_count(computer: Sleeper) -> None:
    come = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with AwakeLimit(3):
        computer.sleep(3600)
        loop.call_later(0.2, come.set)
        await come.wait()


async def test_after_a_sleep_the_rest_of_the_limit_counts(
    computer: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(awake, "TICK_S", 0.1)
    with pytest.raises(TimeoutError):  # noqa: PT012 - the limit is the body
        async with asyncio.timeout(120), AwakeLimit(1.0):
            await asyncio.sleep(0.3)
            computer.sleep(20)
            await never()


async def test_renewing_and_ending() -> None:
    async with AwakeLimit(0.2) as limit:
        for _ in range(4):
            await asyncio.sleep(0.1)
            limit.renew(0.2)
    with pytest.raises(TimeoutError):  # noqa: PT012 - the limit is the body
        async with AwakeLimit(600) as limit:
            limit.renew(0.1)
            await never()
    with pytest.raises(TimeoutError):  # noqa: PT012 - the limit is the body
        async with AwakeLimit(600) as limit:
            limit.end_now()
            limit.end_now()
            await never()


async def test_a_cancellation_from_outside_stays_one() -> None:
    async def body() -> None:
        async with AwakeLimit(600):
            await never()

    task = asyncio.ensure_future(body())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
