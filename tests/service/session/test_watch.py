"""The watch on a running server: what it tells, and what it must not take for a stall."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from qtune.core.messages import Message
from qtune.session.watchdog import Patience, stalled
from tests.service.engine.conftest import QUESTION, Stand, stand

__all__ = ["stand"]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="fake engines are POSIX scripts")
SOON = Patience(poll_s=0.1, stall_s=1.0, prompt_s=1.0, deaf_s=1.0)


@asynccontextmanager
async def asked(stand: Stand) -> AsyncIterator[None]:
    """Somebody else's request is on its way; its first words have come."""
    running = stand.supervisor.running
    assert running is not None
    come = asyncio.Event()
    asking = asyncio.create_task(running.probe.chat(QUESTION, on_delta=lambda *_: come.set()))
    await asyncio.wait({asking, told := asyncio.create_task(come.wait())}, return_when="FIRST_COMPLETED")
    try:
        yield
    finally:
        for task in (asking, told):
            task.cancel()
        await asyncio.wait({asking, told})


async def said(stand: Stand, patience: Patience = SOON, within_s: float = 20) -> Message:
    async with asyncio.timeout(within_s):
        return await stalled(stand.supervisor, patience)


async def says_nothing(stand: Stand, seconds: float, patience: Patience = SOON) -> None:
    with pytest.raises(TimeoutError):
        await said(stand, patience, seconds)


async def test_silence_in_mid_answer_with_green_health(stand: Stand) -> None:
    running = await stand.start(hang_after_tokens=10, after_requests=1, ignore_sigterm=True)
    async with asked(stand):
        assert (await said(stand)).code == "server_stalled"
        assert (await running.probe.health()).ready


async def test_slots_that_never_answer_with_green_health(stand: Stand) -> None:
    """The watch saw an idle server before; then it hangs, and only its health is well."""
    running = await stand.start(hang_slots=True, after_requests=1, itl_ms=20.0)
    telling = asyncio.create_task(said(stand, within_s=50))
    await asyncio.sleep(0.5)
    assert (await running.probe.chat(QUESTION)).ok
    assert (await telling).code == "server_stalled"


async def test_a_server_that_listens_no_more(stand: Stand) -> None:
    running = await stand.start(close_socket=True, after_requests=1)
    await running.probe.chat(QUESTION)
    message = await said(stand)
    assert message.code == "server_deaf"
    assert str(running.port) in message.sentence()


async def test_slow_tokens_and_idleness_are_no_stall(stand: Stand) -> None:
    await stand.start(itl_ms=300.0, acceptance=0.0)
    await says_nothing(stand, 1.5)
    async with asked(stand):
        await says_nothing(stand, 2.5)


async def test_a_long_prompt_is_waited_for_longer_than_a_token(stand: Stand) -> None:
    running = await stand.start(hang_after_tokens=0, after_requests=1)
    asking = asyncio.create_task(running.probe.chat(QUESTION))
    await says_nothing(stand, 2.0, Patience(poll_s=0.1, stall_s=0.3, prompt_s=60.0))
    assert (await said(stand, Patience(poll_s=0.1, stall_s=60.0, prompt_s=0.3))).code == "server_stalled"
    asking.cancel()
    await asyncio.wait({asking})


async def test_while_measuring_nothing_is_asked(stand: Stand, tmp_path: Path) -> None:
    log = tmp_path / "requests"
    await stand.start(request_log=str(log), hang_after_tokens=10, after_requests=1)
    stand.supervisor.begin_measuring()
    async with asked(stand):
        before = log.read_text(encoding="utf-8").count("/slots")
        await says_nothing(stand, 1.5)
        assert log.read_text(encoding="utf-8").count("/slots") == before


async def test_a_sleep_of_the_computer_is_no_stall(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server slept too: it stands where it stood, and the clock says an hour has passed."""
    await stand.start(hang_after_tokens=10, after_requests=1)
    async with asked(stand):
        loop = asyncio.get_running_loop()
        watching = asyncio.create_task(said(stand, Patience(poll_s=0.2, stall_s=60.0), within_s=4000))
        await asyncio.sleep(0.7)
        real, jump = loop.time, 3600.0
        monkeypatch.setattr(loop, "time", lambda: real() + jump)
        done, _ = await asyncio.wait({watching}, timeout=2.0)
        assert not done
        watching.cancel()
        await asyncio.wait({watching})
