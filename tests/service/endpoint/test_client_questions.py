"""The supervisor's questions against a server that answers some of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from qtune.core.ports import Health, ServerSelf
from qtune.core.records import ChatMessage, ChatRequest

METRICS = (
    "llamacpp:spec_decode_num_draft_tokens_total 30\nllamacpp:spec_decode_num_accepted_tokens_total 20\n"
    "llamacpp:spec_decode_num_drafts_total 12\n"
)


def answering(answers: dict[str, tuple[int, str]]) -> Any:
    async def script(x: Any) -> None:
        path = x.head.split(b" ")[1].decode()
        status, body = answers.get(path, (501, '{"error":{"code":501,"message":"off"}}'))
        await x.raw(f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())

    return script


@pytest.mark.parametrize(
    ("status", "health"),
    [(200, Health(True, ready=True)), (503, Health(True, loading=True)), (404, Health(True))],
)
async def test_health(speak: Any, status: int, health: Health) -> None:
    async with speak(answering({"/health": (status, "{}")})) as spoken:
        assert await spoken.client.health() == health


HELLO = ChatRequest((ChatMessage("user", "Hello"),), 8, nonce="Note 1.")


async def test_health_of_a_server_that_hangs(speak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qtune.endpoint.client.HEALTH_TIMEOUT_S", 0.1)

    async def script(x: Any) -> None:
        await x.gone.wait()

    async with speak(script) as spoken:
        assert await spoken.client.health() == Health(False)


async def test_describe_merges_props_and_slots(speak: Any) -> None:
    props = {
        "default_generation_settings": {"n_ctx": 8192, "params": {"speculative.types": "none"}},
        "total_slots": 1, "model_alias": "qtune-1", "model_path": "/m.gguf", "build_info": "b11434-abc",
    }  # fmt: skip
    slots = [{"id": 0, "n_ctx": 8192, "speculative": True, "is_processing": False}]
    answers = {"/props": (200, json.dumps(props)), "/slots": (200, json.dumps(slots))}
    async with speak(answering(answers)) as spoken:
        found = await spoken.client.describe()
        assert await spoken.client.idle(5) is True
    assert found == ServerSelf("qtune-1", "/m.gguf", 8192, 1, True, "b11434-abc")


async def test_what_is_switched_off_is_unknown(speak: Any) -> None:
    async with speak(answering({"/props": (200, "not json")})) as spoken:
        assert await spoken.client.describe() == ServerSelf()
        assert await spoken.client.draft_counters() is None
        assert await spoken.client.count_prompt(HELLO) is None
        assert await spoken.client.idle(5) is None


async def test_counters_and_tokens(speak: Any) -> None:
    answers = {"/metrics": (200, METRICS), "/tokenize": (200, '{"tokens":[1,2,3]}')}
    async with speak(answering(answers)) as spoken:
        counters = await spoken.client.draft_counters()
        assert await spoken.client.count_prompt(HELLO) == 3
        assert json.loads(spoken.exchanges[-1].body)["content"] == "Note 1.\n\nHello"
    assert counters is not None
    assert (counters.drafts, counters.drafted, counters.accepted) == (12, 30, 20)


async def test_idle_waits_for_the_slot(speak: Any) -> None:
    asked = 0

    async def script(x: Any) -> None:
        nonlocal asked
        asked += 1
        body = json.dumps([{"is_processing": asked < 4}])
        await x.raw(f"HTTP/1.1 200 X\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())

    async with speak(script) as spoken:
        assert await spoken.client.idle(0) is False
        assert await spoken.client.idle(30) is True
    assert asked == 4
