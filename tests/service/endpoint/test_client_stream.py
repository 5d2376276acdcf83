"""One streamed request against a socket that behaves and misbehaves byte by byte."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from qtune.core import figures
from qtune.core.records import ChatMessage, ChatRequest, ServerTimings, Usage
from qtune.endpoint.client import make_probe

ASK = ChatRequest((ChatMessage("user", "hello"),), 16, nonce="n-1")
ROLE = '{"choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}'
STOP = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
LAST = (
    '{"choices":[],"usage":{"completion_tokens":3,"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":0}},'
    '"timings":{"cache_n":0,"prompt_n":9,"prompt_ms":4.5,"predicted_n":3,"predicted_ms":2.0,'
    '"draft_n":2,"draft_n_accepted":1}}'
)


def delta(**parts: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": parts}]}, ensure_ascii=False)


def closed(spoken: Any, n: int = 0) -> Any:
    return asyncio.wait_for(spoken.exchanges[n].gone.wait(), 10)


async def test_a_whole_answer(speak: Any) -> None:
    async def script(x: Any) -> None:
        await x.head_out()
        await x.raw(b"4\r\n:\r\n\r\r\n")
        await x.events(
            '{"choices":[{"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":9,"cache":0,"processed":4}}'
        )
        await x.events(ROLE, delta(reasoning_content="hm"))
        await x.events(delta(content="a\u2028b"), delta(content="ö"))
        await x.events(STOP, LAST, "[DONE]")
        await x.end()

    seen: list[tuple[str, str, int]] = []
    progress: list[tuple[int, int]] = []
    async with speak(script) as spoken:
        times = await spoken.client.chat(ASK, lambda *d: seen.append(d), lambda *p: progress.append(p))
        await closed(spoken)
    assert times.ok
    assert times.failure is None
    assert (times.content, times.reasoning, times.finish_reason) == ("a\u2028bö", "hm", "stop")
    assert times.timings == ServerTimings(0, 9, 4.5, 3, 2.0, 2, 1)
    assert times.usage == Usage(9, 3, 0)
    assert [d[:2] for d in seen] == [("reasoning", "hm"), ("content", "a\u2028b"), ("content", "ö")]
    assert [d[2] for d in seen] == list(times.event_ns)
    assert progress == [(4, 9)]
    assert times.headers_ns is not None
    assert times.sent_ns < times.headers_ns <= times.event_ns[0] <= times.event_ns[1] == times.event_ns[2]
    assert times.first_answer_ns == times.event_ns[1]
    assert times.event_ns[2] <= times.ended_ns
    head, body = spoken.exchanges[0].head.decode(), json.loads(spoken.exchanges[0].body)
    assert "authorization: bearer secret-key" in head.lower()
    assert body["messages"] == [{"role": "user", "content": "n-1\nhello"}]
    assert body["return_progress"] is True
    assert body["cache_prompt"] is False


async def test_every_request_has_its_own_connection(speak: Any) -> None:
    async def script(x: Any) -> None:
        await x.head_out()
        await x.events(delta(content="a"), STOP, "[DONE]")
        await x.end()

    async with speak(script) as spoken:
        for n in range(3):
            assert (await spoken.client.chat(ASK)).ok
            await closed(spoken, n)
            assert len(spoken.exchanges) == n + 1


async def test_nor_does_a_question_leave_a_connection_open(speak: Any) -> None:
    async def script(x: Any) -> None:
        await x.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    async with speak(script) as spoken:
        for n in range(2):
            assert (await spoken.client.health()).ready
            await closed(spoken, n)


async def test_proxy_variables_are_ignored(speak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    async def script(x: Any) -> None:
        await x.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    async with speak(script) as spoken:
        assert (await spoken.client.health()).ready


REFUSAL = "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n{body}"


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (400, '{"error":{"message":"6011 tokens\\nexceed","type":"x"}}', "6011 tokens exceed"),
        (401, '{"error":{"message":"Invalid API Key"}}', "Invalid API Key"),
        (502, "<html>Bad Gateway</html>", "<html>Bad Gateway</html>"),
        (500, "", "X"),
    ],
)  # fmt: skip
async def test_refused_before_the_stream(speak: Any, status: int, body: str, reason: str) -> None:
    async def script(x: Any) -> None:
        await x.raw(REFUSAL.format(status=status, size=len(body), body=body).encode())

    async with speak(script) as spoken:
        times = await spoken.client.chat(ASK)
    assert times.failure is not None
    assert times.failure.code == "request_refused"
    assert dict(times.failure.params) == {"status": status, "reason": reason}
    assert not times.ok


async def test_endless_error_body_is_bounded(speak: Any) -> None:
    async def script(x: Any) -> None:
        await x.raw(b"HTTP/1.1 500 X\r\nConnection: close\r\n\r\n")
        while not x.gone.is_set():
            await x.raw(b"boom " * 4096)

    async with speak(script) as spoken:
        times = await spoken.client.chat(ASK)
    assert times.failure is not None
    assert len(str(dict(times.failure.params)["reason"])) <= 300


async def ends_without_finish(x: Any) -> None:
    await x.events(delta(content="a"))
    await x.end()


async def breaks_off(x: Any) -> None:
    await x.events(delta(content="a"))
    x.writer.transport.abort()


async def error_in_stream(x: Any) -> None:
    await x.events(delta(content="a"), '{"error":{"code":500,"message":"Compute error."}}')
    await x.end()


async def not_json(x: Any) -> None:
    await x.events(delta(content="a"), "hello there")


async def too_long(x: Any) -> None:
    while not x.gone.is_set():
        await x.raw(b"10000\r\n" + b"x" * 65536 + b"\r\n")


async def says_nothing(x: Any) -> None:
    await x.events(ROLE, STOP, LAST, "[DONE]")
    await x.end()


@pytest.mark.parametrize(
    ("script", "code", "tokens"),
    [
        (ends_without_finish, "stream_cut", 1),
        (breaks_off, "connection_lost", 1),
        (error_in_stream, "request_failed_midway", 1),
        (not_json, "reply_not_understood", 1),
        (too_long, "reply_not_understood", 0),
        (says_nothing, "answer_empty", 0),
    ],
)
async def test_failures_in_the_stream_keep_what_came(speak: Any, script: Any, code: str, tokens: int) -> None:
    async def whole(x: Any) -> None:
        await x.head_out()
        await script(x)

    async with speak(whole) as spoken:
        times = await spoken.client.chat(ASK)
        await closed(spoken)
    assert times.failure is not None
    assert times.failure.code == code
    assert len(times.event_ns) == tokens
    assert times.content == "a" * tokens
    assert not times.ok


async def test_a_web_page_is_not_an_answer(speak: Any) -> None:
    async def script(x: Any) -> None:
        await x.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")

    async with speak(script) as spoken:
        times = await spoken.client.chat(ASK)
    assert times.failure is not None
    assert times.failure.code == "reply_not_understood"


async def test_something_that_is_not_http(speak: Any) -> None:
    async def script(x: Any) -> None:
        await x.raw(b"220 mail.example ESMTP\r\n\r\n")

    async with speak(script) as spoken:
        times = await spoken.client.chat(ASK)
        assert times.failure is not None
        assert times.failure.code == "reply_not_understood"
        assert not (await spoken.client.health()).reachable


async def test_closed_before_any_answer(speak: Any) -> None:
    async def script(x: Any) -> None:
        x.writer.close()

    async with speak(script) as spoken:
        times = await spoken.client.chat(ASK)
    assert times.failure is not None
    assert times.failure.code == "connection_lost"
    assert times.headers_ns is None


async def test_nobody_listens(speak: Any) -> None:
    async with speak(ends_without_finish) as spoken:
        pass  # its port is free again
    probe = make_probe(spoken.port, "k")
    times = await probe.chat(ASK)
    assert times.failure is not None
    assert times.failure.code == "connection_lost"
    assert not (await probe.health()).reachable
    assert (await probe.describe()).ctx_size is None
    assert await probe.draft_counters() is None
    assert await probe.idle(1) is None
    await probe.close()


async def test_pings_do_not_hide_a_stuck_server(speak: Any) -> None:
    async def script(x: Any) -> None:
        await x.head_out()
        await x.events(delta(content="a"))
        while not x.gone.is_set():
            await x.raw(b"3\r\n:\n\n\r\n")
            await asyncio.sleep(0.01)

    async with speak(script, silence_s=0.2) as spoken:
        times = await spoken.client.chat(ASK)
        await closed(spoken)
    assert times.failure is not None
    assert times.failure.code == "stream_silent"
    assert times.failure.sentence() == "The server sent nothing for 0.2 s."
    assert times.content == "a"


async def test_silence_before_the_first_token_has_its_own_limit(speak: Any) -> None:
    started = asyncio.Event()

    async def script(x: Any) -> None:
        await x.head_out()
        started.set()
        await x.gone.wait()

    async with speak(script, silence_s=60, first_token_silence_s=0.1) as spoken:
        times = await spoken.client.chat(ASK)
    assert times.failure is not None
    assert times.failure.code == "stream_silent"


@pytest.mark.parametrize("when", ["before_headers", "before_token", "mid_answer"])
async def test_cancel_by_signal_keeps_what_came_and_closes(speak: Any, when: str) -> None:
    cancel = asyncio.Event()

    async def script(x: Any) -> None:
        if when != "before_headers":
            await x.head_out()
        if when == "mid_answer":
            await x.events(delta(content="a"))
        else:
            cancel.set()
        await x.gone.wait()

    async with speak(script) as spoken:
        times = await spoken.client.chat(ASK, lambda *_: cancel.set(), cancel=cancel)
        await closed(spoken)
    assert times.cancelled
    assert times.failure is not None
    assert times.failure.code == "request_cancelled"
    assert times.content == ("a" if when == "mid_answer" else "")
    assert not times.ok


async def test_cancel_given_before_the_start(speak: Any) -> None:
    async def script(x: Any) -> None:
        await x.gone.wait()

    cancel = asyncio.Event()
    cancel.set()
    async with speak(script) as spoken:
        assert (await spoken.client.chat(ASK, cancel=cancel)).cancelled


async def test_cancelling_the_task_closes_the_socket_and_raises(speak: Any) -> None:
    first = asyncio.Event()

    async def script(x: Any) -> None:
        await x.head_out()
        await x.events(delta(content="a"))
        await x.gone.wait()

    async with speak(script) as spoken:
        task = asyncio.create_task(spoken.client.chat(ASK, lambda *_: first.set()))
        await first.wait()
        asked = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await closed(spoken)
        assert time.perf_counter() - asked < 10


async def test_rate_is_that_of_the_stream(speak: Any) -> None:
    """Stamps follow the wire: a client rate within a few per cent of the pace at which bytes were sent."""
    sent: list[int] = []

    async def script(x: Any) -> None:
        await x.head_out()
        for _ in range(60):
            sent.append(time.perf_counter_ns())
            await x.events(delta(content="a"))
            await asyncio.sleep(0.004)
        await x.events(STOP, '{"choices":[],"usage":{"completion_tokens":60,"prompt_tokens":1}}', "[DONE]")

    async with speak(script) as spoken:
        times = await spoken.client.chat(ASK)
    assert len(times.event_ns) == 60
    lag = [seen - out for seen, out in zip(times.event_ns, sent, strict=True)]
    assert min(lag) >= 0
    rate = figures.client_decode_tok_s(times)
    assert rate == pytest.approx(59e9 / (sent[-1] - sent[0]), rel=0.05)
