"""The supervisor under fire: engines that talk, fork, go deaf, stand still, and die without a word."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from typing import Any

import psutil
import pytest

from qtune.core.errors import KnownError
from qtune.core.server_state import ServerState
from qtune.engine import readiness
from tests.patience import soon
from tests.service.engine.conftest import QUESTION, Stand

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="fake engines are POSIX scripts")
MB = 1 << 20


async def timed(work: Any) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


# -- talkers --------------------------------------------------------------------------------------------


async def test_fifty_megabytes_before_it_listens(stand: Stand) -> None:
    """A full pipe would hold the load up for ever; what is kept must not grow with what is said."""
    before = psutil.Process().memory_info().rss
    running = await stand.start(chatter_at_load=50 * MB)
    grown = psutil.Process().memory_info().rss - before
    log = stand.supervisor.log
    assert log is not None
    assert sum(map(len, log.lines())) <= 2 * MB
    assert log.dropped > 100_000
    # The stand keeps every line it is told of, which a window does not.
    assert grown - sum(sys.getsizeof(line) for line in stand.lines) < 40 * MB
    assert (await running.probe.chat(QUESTION)).ok


async def test_stop_in_mid_flood(stand: Stand) -> None:
    await stand.start(flood_log=50_000, ignore_sigterm=True)
    await soon(lambda: stand.unsaid > 0)
    assert await timed(stand.supervisor.stop(grace_s=0.3)) < 8
    assert stand.steps[-2:] == ["stopping", "stopped"]


async def test_last_words_behind_a_full_pipe(stand: Stand) -> None:
    """The decisive line comes after two megabytes that were written in one go."""
    with pytest.raises(KnownError) as caught:
        await stand.start(chatter_at_load=2 * MB, oom_at_load="kv")
    assert caught.value.code == "ended_out_of_memory"


async def test_lines_without_end_while_it_answers(stand: Stand) -> None:
    running = await stand.start(megabyte_log_line=True, flood_log=5_000)
    answers = await asyncio.gather(*(running.probe.chat(QUESTION) for _ in range(3)))
    assert all(times.ok for times in answers)
    log = stand.supervisor.log
    assert log is not None
    assert max(map(len, log.lines())) < 5000


# -- those that die oddly ---------------------------------------------------------------------------------


async def test_an_end_with_0_and_without_a_word_is_still_an_end(stand: Stand) -> None:
    with pytest.raises(KnownError) as caught:
        await stand.start(crash_at_load=0)
    assert caught.value.code == "ended_exit_silent"
    assert stand.steps[-1] == "crashed"


async def test_a_running_server_that_leaves_with_0_is_told(stand: Stand) -> None:
    await stand.start(exit_after_s=0.5, exit_code=0)
    ended = await stand.supervisor.wait_ended()
    assert ended.code == "ended_in_order"  # its log says that it cleaned up
    assert stand.states[-1].state is ServerState.CRASHED


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGBUS])
async def test_killed_from_outside_leaves_no_zombie(stand: Stand, number: signal.Signals) -> None:
    running = await stand.start()
    engine, guard = psutil.Process(running.pid), psutil.Process(running.pid).parent()
    assert guard is not None
    os.kill(running.pid, number)
    ended = await stand.supervisor.wait_ended()
    known = {signal.SIGKILL: "ended_killed", signal.SIGTERM: "ended_in_order"}
    assert ended.code == known.get(number, "ended_signal_silent")
    assert not engine.is_running()
    assert not guard.is_running()


async def test_a_dead_engine_that_nobody_collects_does_not_hold_up_a_stop(
    stand: Stand, expect_log: Any
) -> None:
    """With its guard stopped the dead engine stays a zombie, and nobody reports its end."""
    expect_log("WARNING qtune.host: engine .* does not die")
    running = await stand.start()
    engine, guard = psutil.Process(running.pid), psutil.Process(running.pid).parent()
    assert guard is not None
    guard.suspend()
    engine.kill()
    await soon(lambda: engine.status() == psutil.STATUS_ZOMBIE)
    assert await timed(stand.supervisor.stop(grace_s=0.3)) < 8
    await soon(lambda: not guard.is_running() and not engine.is_running())


async def test_a_stopped_engine_can_still_be_ended(stand: Stand) -> None:
    """A stopped process does not hear SIGTERM; SIGKILL it cannot refuse."""
    running = await stand.start()
    psutil.Process(running.pid).suspend()
    assert await timed(stand.supervisor.stop(grace_s=0.3)) < 8
    assert not psutil.pid_exists(running.pid)


async def test_a_deaf_engine_with_a_child_goes_within_ten_seconds(stand: Stand) -> None:
    note = stand.folder / "grandchild"
    running = await stand.start(ignore_sigterm=True, fork_grandchild=str(note), flood_log=2_000)
    grandchild = int(note.read_text())
    assert await timed(stand.supervisor.stop()) < 20
    await soon(lambda: not psutil.pid_exists(grandchild))
    assert not psutil.pid_exists(running.pid)


# -- those that do not answer -----------------------------------------------------------------------------


async def test_a_server_without_a_socket_fails_requests_at_once_and_stops(stand: Stand) -> None:
    running = await stand.start(close_socket=True, after_requests=1)
    assert (await running.probe.chat(QUESTION)).ok
    times = await running.probe.chat(QUESTION)
    assert times.failure is not None
    assert times.failure.code == "connection_lost"
    assert stand.supervisor.state is ServerState.READY  # the process lives; the watch tells, see test_watch
    assert await timed(stand.supervisor.stop()) < 8


async def test_our_name_on_a_port_of_another_process_is_not_ours(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever relays our port answers with our name; the process we started does not listen there."""
    monkeypatch.setattr(readiness, "PATIENCE_S", 0.3)
    monkeypatch.setattr("qtune.engine.supervisor.listens", lambda *_: False)
    with pytest.raises(KnownError) as caught:
        await stand.start()
    assert caught.value.code == "foreign_server"


# -- the app is stopped -----------------------------------------------------------------------------------


@pytest.mark.parametrize("flood", [0, 20_000], ids=["quiet", "talking"])
async def test_an_engine_that_stood_still_is_no_failure(stand: Stand, flood: int) -> None:
    """As in a sleep of the computer: engine and guard stand still in mid-answer, and go on."""
    running = await stand.start(tokens=60, itl_ms=20.0, flood_log=flood)
    family = [psutil.Process(running.pid), psutil.Process(psutil.Process(running.pid).ppid())]
    come: list[str] = []
    asking = asyncio.create_task(running.probe.chat(QUESTION, on_delta=lambda *delta: come.append(delta[1])))
    await soon(lambda: len(come) > 5)
    for process in family:
        process.suspend()
    heard = len(come)
    await asyncio.sleep(1.0)
    for process in reversed(family):
        process.resume()
    times = await asking
    assert times.ok, times.failure
    assert len(come) > heard
    assert stand.steps == ["starting", "loading", "ready"]
