"""Raw text to the native /completion: byte by byte, against the fake, and against the bundled engine."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from qtune.core import figures
from qtune.core.records import ChatMessage, ChatRequest, RequestTimes, Sampling, ServerTimings, Usage

STORY = ChatRequest((ChatMessage("user", "Tell me a story, please."),), 64, nonce="nonce 1", raw=True)
MTP = ("--spec-type", "draft-mtp", "--spec-draft-n-max", "3")
LAST = {
    "index": 0, "content": "", "tokens": [], "stop": True, "stop_type": "eos", "prompt": "nonce 1",
    "tokens_predicted": 3, "tokens_evaluated": 9, "tokens_cached": 11,
    "timings": {
        "cache_n": 0, "prompt_n": 9, "prompt_ms": 4.5, "predicted_n": 3, "predicted_ms": 2.0,
        "draft_n": 2, "draft_n_accepted": 1,
    },
}  # fmt: skip


def part(text: str, number: int = 1, **more: Any) -> str:
    head = {"index": 0, "content": text, "tokens": [7], "stop": False, "id_slot": -1}
    return json.dumps({**head, "tokens_predicted": number, "tokens_evaluated": 9, **more}, ensure_ascii=False)


def code(times: RequestTimes) -> str | None:
    return None if times.failure is None else times.failure.code


# -- byte by byte ------------------------------------------------------------------------------------------


async def test_a_whole_answer_ends_without_done(speak: Any) -> None:
    """The last chunk ends the request, though the server keeps the connection open."""

    async def script(x: Any) -> None:
        await x.head_out()
        await x.events(part("", 0, prompt_progress={"total": 9, "cache": 0, "processed": 4, "time_ms": 1}))
        await x.events(part("a\u2028b"))
        await x.events(part("", 2), part("ö", 3), json.dumps(LAST))
        await x.gone.wait()

    seen: list[tuple[str, str, int]] = []
    progress: list[tuple[int, int]] = []
    messages = (ChatMessage("system", "Be brief."), ChatMessage("user", "Hello."))
    sampling = Sampling(temperature=0.7, top_k=20, seed=5)
    ask = ChatRequest(messages, 16, sampling, thinking=True, nonce="n-1", raw=True)
    async with speak(script) as spoken:
        times = await asyncio.wait_for(
            spoken.client.chat(ask, lambda *d: seen.append(d), lambda *p: progress.append(p)), 10
        )
        await asyncio.wait_for(spoken.exchanges[0].gone.wait(), 10)
    assert times.ok
    assert (times.content, times.reasoning, times.finish_reason) == ("a\u2028bö", "", "stop")
    assert times.timings == ServerTimings(0, 9, 4.5, 3, 2.0, 2, 1)
    assert times.usage == Usage(9, 3, 0)
    assert progress == [(4, 9)]
    assert [d[:2] for d in seen] == [("content", "a\u2028b"), ("content", "ö")]
    assert [d[2] for d in seen] == list(times.event_ns)
    assert times.headers_ns is not None
    assert times.sent_ns < times.headers_ns <= times.event_ns[0] < times.event_ns[1] <= times.ended_ns
    assert times.first_answer_ns == times.event_ns[0]
    head, body = spoken.exchanges[0].head.decode(), json.loads(spoken.exchanges[0].body)
    assert head.startswith("POST /completion HTTP/1.1")
    assert body == {
        "prompt": "n-1\n\nBe brief.\n\nHello.", "n_predict": 16, "stream": True, "cache_prompt": False,
        "timings_per_token": False, "return_progress": True, "temperature": 0.7, "top_k": 20, "top_p": 1.0,
        "min_p": 0.0, "repeat_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0, "seed": 5,
        "xtc_probability": 0.0, "mirostat": 0,
    }  # fmt: skip


ERROR = '{"error":{"code":500,"message":"Compute error.","type":"server_error"}}'


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (f"data: {ERROR}\n\n", "request_failed_midway"),
        (f"error: {ERROR}\n\n", "request_failed_midway"),
        ('error: {"code":500,"message":"Compute error."}\n\n', "request_failed_midway"),
        ("", "stream_cut"),
        (f"data: {part('', 2)}\n\n", "stream_cut"),
        ("data: [1]\n\n", "reply_not_understood"),
    ],
)
async def test_failures_in_the_stream_keep_what_came(speak: Any, last: str, expected: str) -> None:
    async def script(x: Any) -> None:
        await x.head_out()
        await x.events(part("a"))
        if last:
            await x.raw(b"%x\r\n%s\r\n" % (len(last), last.encode()))
        await x.end()

    async with speak(script) as spoken:
        times = await spoken.client.chat(STORY)
    assert code(times) == expected
    assert (times.content, times.finish_reason, times.usage) == ("a", None, None)
    if expected == "request_failed_midway":
        assert times.failure is not None
        assert dict(times.failure.params) == {"reason": "Compute error."}


# -- the fake ----------------------------------------------------------------------------------------------


async def test_a_run_with_drafts(running: Any, fake_llama: Any, fake_model: Path) -> None:
    fake = fake_llama(pings=3, u2028=True, reasoning_tokens=4, itl_ms=5)
    async with running(fake.command, fake_model, *MTP) as probe:
        before = await probe.draft_counters()
        times = await probe.chat(STORY)
        after = await probe.draft_counters()
        chat = await probe.chat(replace(STORY, raw=False))
        short = await probe.chat(replace(STORY, max_tokens=10))
        asked = await probe.count_prompt(STORY)
    assert times.ok
    assert "\u2028" in times.content
    assert not times.reasoning
    assert times.finish_reason == "stop"
    assert times.timings is not None
    assert times.timings.draft_n
    assert times.usage == Usage(asked, 64, 0)
    assert figures.output_tokens(times) == len(times.event_ns) == 64
    gaps = [later - earlier for earlier, later in pairwise(times.event_ns)]
    assert sum(gap < 2_500_000 for gap in gaps) >= len(gaps) / 3  # accepted drafts come together
    drafts = after.since(before)
    assert (drafts.drafted, drafts.accepted) == (times.timings.draft_n, times.timings.draft_n_accepted)
    assert chat.usage is not None
    assert chat.usage.prompt_tokens > asked  # the template's own
    assert (short.finish_reason, len(short.event_ns)) == ("length", 10)


async def test_torn_packets(running: Any, fake_llama: Any, fake_model: Path) -> None:
    text = " Grüße, 你好.\u2028" * 4
    async with running(fake_llama(split_packets=True, text=text).command, fake_model) as probe:
        times = await probe.chat(STORY)
    assert times.ok
    assert times.content == text


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
    assert (times.finish_reason, times.usage, times.timings) == (None, None, None)


async def test_refused_and_without_figures(running: Any, fake_llama: Any, fake_model: Path) -> None:
    async with running(fake_llama(no_timings=True, no_usage=True).command, fake_model) as probe:
        bare = await probe.chat(STORY)
        too_long = ChatRequest((ChatMessage("user", "word " * 9000),), 8, raw=True)
        refused = await probe.chat(too_long)
    assert bare.ok
    assert (bare.timings, bare.usage) == (None, Usage())
    assert code(refused) == "request_refused"


# -- the bundled engine ------------------------------------------------------------------------------------


@pytest.mark.engine
async def test_the_real_engine(running: Any, bundled_engine: Any, sample_model: Any) -> None:
    ask = replace(STORY, max_tokens=8)
    async with running(bundled_engine.command, sample_model.q4_0, *MTP, "-t", "1") as probe:
        asked = await probe.count_prompt(STORY)
        progress: list[tuple[int, int]] = []
        times = await probe.chat(ask, on_prompt=lambda *p: progress.append(p))
        again = await probe.chat(ask)
        chat = await probe.chat(replace(ask, raw=False))
        refused = await probe.chat(ChatRequest((ChatMessage("user", "word " * 9000),), 8, raw=True))
        assert await probe.idle(20) is True
    assert times.ok, times.failure
    assert times.finish_reason == "length"
    assert times.usage == Usage(asked, 8, 0)
    assert times.timings is not None
    assert (times.timings.cache_n, times.timings.predicted_n) == (0, 8)
    assert times.timings.draft_n
    assert progress[-1] == (asked, asked)
    assert 0 < len(times.event_ns) <= 8
    assert again.content == times.content != ""
    assert chat.usage is not None
    assert chat.usage.prompt_tokens > asked
    assert code(refused) == "request_refused"
