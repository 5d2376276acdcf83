from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest

from qtune.host.io_loop import IoLoop


@pytest.fixture
def io() -> Iterator[IoLoop]:
    loop = IoLoop()
    yield loop
    assert loop.stop(10)


def test_work_runs_on_the_thread_named_io(io: IoLoop) -> None:
    async def where() -> str:
        return threading.current_thread().name

    assert io.submit(where()).result(60) == "io"
    called = threading.Event()
    io.call(called.set)
    assert called.wait(60)


def test_errors_reach_the_one_who_asked(io: IoLoop) -> None:
    async def fail() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        io.submit(fail()).result(60)


def test_stop_cancels_lets_clean_up_and_answers_everybody() -> None:
    io = IoLoop()
    entered, cleaned = threading.Event(), threading.Event()

    async def long() -> None:
        try:
            entered.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    future = io.submit(long())
    assert entered.wait(60)
    assert io.stop(10)
    assert cleaned.is_set()
    with pytest.raises(CancelledError):
        future.result(0)
    with pytest.raises(CancelledError):
        io.submit(long()).result(0)
    io.call(cleaned.clear)
    assert cleaned.is_set()
    assert io.stop(0)


def test_whatever_is_submitted_while_it_stops_is_answered() -> None:
    for _ in range(20):
        io = IoLoop()
        go = threading.Barrier(2)

        async def work() -> int:
            return 1

        thread = threading.Thread(target=lambda io=io, go=go: (go.wait(), io.stop(10)))  # type: ignore[misc]
        thread.start()
        go.wait()
        futures = [io.submit(work()) for _ in range(50)]
        thread.join()
        for future in futures:
            try:
                assert future.result(60) == 1
            except CancelledError:
                continue


@pytest.mark.expect_log("the io thread did not end within 0.05 s")
def test_task_that_will_not_end_does_not_hold_the_caller() -> None:
    io = IoLoop()
    entered, release = threading.Event(), threading.Event()

    async def stubborn() -> None:
        entered.set()
        await asyncio.to_thread(release.wait)

    io.submit(stubborn())
    assert entered.wait(60)
    assert not io.stop(0.05)
    release.set()
    assert io.stop(10)
