"""The client against real server processes: the fake llama-server and the bundled engine."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qtune.core import figures
from qtune.core.records import ChatMessage, ChatRequest, RequestTimes
from qtune.endpoint.client import LlamaServerClient

STORY = ChatRequest((ChatMessage("user", "Tell me a story, please."),), 64, nonce="nonce 1")
MTP = ("--spec-type", "draft-mtp", "--spec-draft-n-max", "3")


def code(times: RequestTimes) -> str | None:
    return None if times.failure is None else times.failure.code


# -- the fake ----------------------------------------------------------------------------------------------


async def test_a_run_with_drafts(running: Any, fake_llama: Any, fake_model: Path) -> None:
    fake = fake_llama(split_packets=True, pings=3, u2028=True, reasoning_tokens=4)
    async with running(fake.command, fake_model, *MTP) as probe:
        assert (await probe.describe()).speculative is True
        before = await probe.draft_counters()
        times = await probe.chat(replace(STORY, thinking=True))
        after = await probe.draft_counters()
        assert await probe.idle(10) is True
    assert times.ok
    assert "\u2028" in times.content
    assert times.reasoning
    assert times.timings is not None
    assert times.timings.cache_n == 0
    assert figures.output_tokens(times) == times.timings.predicted_n
    assert before is not None
    assert after is not None
    drafts = after.since(before)
    assert (drafts.drafted, drafts.accepted) == (times.timings.draft_n, times.timings.draft_n_accepted)
    assert sum(drafts.accepted_by_position) == drafts.accepted


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ({"crash_after_tokens": 20}, "connection_lost"),
        ({"close_after_tokens": 20}, "connection_lost"),
        ({"error_in_stream": 20}, "request_failed_midway"),
        ({"hang_after_tokens": 20}, "stream_silent"),
    ],
)
async def test_trouble_after_twenty_tokens(
    running: Any, fake_llama: Any, fake_model: Path, switches: dict[str, Any], expected: str
) -> None:
    async with running(fake_llama(**switches).command, fake_model, silence_s=1.0) as probe:
        times = await probe.chat(STORY)
    assert code(times) == expected
    assert len(times.event_ns) == 20
    assert times.finish_reason is None


async def test_refusals(running: Any, fake_llama: Any, fake_model: Path) -> None:
    async with running(fake_llama(http_error=500).command, fake_model) as probe:
        assert code(await probe.chat(STORY)) == "request_refused"
        stranger = LlamaServerClient(int(str(probe._http.base_url.port)), "wrong")
        times = await stranger.chat(STORY)
        await stranger.close()
    assert times.failure is not None
    assert dict(times.failure.params)["status"] == 401


# -- the bundled engine ------------------------------------------------------------------------------------


@pytest.mark.engine
async def test_the_real_engine(running: Any, bundled_engine: Any, sample_model: Any) -> None:
    async with running(bundled_engine.command, sample_model.q4_0, *MTP, "-t", "1") as probe:
        me = await probe.describe()
        assert (me.speculative, me.slots) == (True, 1)
        assert me.ctx_size is not None
        assert await probe.count_prompt(STORY)
        short = replace(STORY, max_tokens=16)
        progress: list[tuple[int, int]] = []
        before = await probe.draft_counters()
        times = await probe.chat(short, on_prompt=lambda *p: progress.append(p))
        assert times.usage is not None
        assert await probe.count_prompt(short) == times.usage.prompt_tokens
        after = await probe.draft_counters()
        cancel = asyncio.Event()
        endless = ChatRequest(STORY.messages, 2000)
        cancelled = await probe.chat(endless, lambda *_: cancel.set(), cancel=cancel)
        assert await probe.idle(20) is True
        again = await probe.chat(short)
        refused = await probe.chat(ChatRequest((ChatMessage("user", "word " * 9000),), 8))
    assert times.ok, times.failure
    assert times.timings is not None
    assert times.timings.cache_n == 0
    assert times.timings.predicted_n == 16
    assert times.usage is not None
    assert times.usage.completion_tokens == 16
    assert 0 < len(times.event_ns) <= 16
    assert times.finish_reason == "length"
    assert progress
    assert progress[-1][0] <= progress[-1][1] == figures.prompt_tokens(times)
    assert times.timings.draft_n
    assert before is not None
    assert after is not None
    assert after.since(before).drafted == times.timings.draft_n
    assert cancelled.cancelled
    assert cancelled.content
    assert again.content == times.content
    assert refused.failure is not None
    assert refused.failure.code == "request_refused"
    assert "exceed" in str(dict(refused.failure.params)["reason"])
    ttft, server_ms = figures.ttft_ms(times), times.timings.prompt_ms
    assert ttft is not None
    assert server_ms is not None
    assert ttft >= server_ms
