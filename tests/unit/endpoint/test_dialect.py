"""Bodies, chunks and self-descriptions of llama-server's API."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtune.core.ports import ServerSelf
from qtune.core.records import ChatMessage, ChatRequest, DraftCounters
from qtune.endpoint import dialect

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            [
                "choices", "delta", "content", "reasoning_content", "tool_calls", "function", "arguments",
                "finish_reason", "timings", "usage", "prompt_progress", "error", "message", "predicted_n",
                "predicted_ms", "prompt_tokens_details", "cached_tokens", "processed", "total",
                "stop", "stop_type", "tokens_predicted", "tokens_evaluated",
                "default_generation_settings", "n_ctx", "speculative", "total_slots", "is_processing",
            ]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_foreign_json_never_raises_anything_else(value: object) -> None:
    for read in (dialect.read_chunk, dialect.read_native_chunk):
        try:
            read(json.dumps(value))
        except dialect.NotTheDialectError:
            assert not isinstance(value, dict)
    dialect.server_self(value, value)
    dialect.busy(value)
    dialect.work(value)


def test_nonce_opens_the_first_user_turn_only() -> None:
    turns = (ChatMessage("system", "s"), ChatMessage("user", "u"), ChatMessage("user", "v"))
    body = dialect.chat_body(ChatRequest(turns, 8, nonce="run 7"), progress=False)
    assert [m["content"] for m in body["messages"]] == ["s", "run 7\nu", "v"]
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "return_progress" not in body
    assert "reasoning_effort" not in body


def test_thinking_left_to_the_server() -> None:
    body = dialect.chat_body(ChatRequest((ChatMessage("user", "u"),), 8, thinking=None), progress=True)
    assert "chat_template_kwargs" not in body
    assert body["return_progress"] is True


def test_raw_text_differs_from_a_chat_in_prompt_and_limit_alone() -> None:
    turns = (ChatMessage("system", "s"), ChatMessage("user", "u"))
    ask = ChatRequest(turns, 8, nonce="run 7", raw=True)
    chat, raw = (write(ask, progress=True) for write in (dialect.chat_body, dialect.completion_body))
    assert (raw.pop("prompt"), raw.pop("n_predict")) == ("run 7\n\ns\n\nu", 8)
    for name in ("messages", "max_tokens", "stream_options", "chat_template_kwargs"):
        del chat[name]
    assert raw == chat
    assert dialect.completion_body(ChatRequest(turns, 8, raw=True), progress=False)["prompt"] == "s\n\nu"


@pytest.mark.parametrize(
    ("stop_type", "finish"),
    [("eos", "stop"), ("word", "stop"), ("limit", "length"), ("none", "length")],
)
def test_why_a_raw_completion_ended(stop_type: str, finish: str) -> None:
    chunk = dialect.read_native_chunk(json.dumps({"content": "", "stop": True, "stop_type": stop_type}))
    assert (chunk.finish_reason, chunk.last, chunk.deltas) == (finish, True, ())


def test_nothing_drafted_is_unknown_not_zero() -> None:
    chunk = dialect.read_chunk(
        '{"choices":[],"timings":{"predicted_n":3,"predicted_ms":1.5,"prompt_ms":null}}'
    )
    assert chunk.timings is not None
    assert (chunk.timings.predicted_n, chunk.timings.predicted_ms) == (3, 1.5)
    assert chunk.timings.prompt_ms is None
    assert chunk.timings.draft_n is None


@pytest.mark.parametrize("raw", ["-1", "1e400", "NaN", "true", '"5"', "1.5", "{}"])
def test_impossible_counts_are_unknown(raw: str) -> None:
    chunk = dialect.read_chunk(f'{{"timings":{{"predicted_n":{raw}}}}}')
    assert chunk.timings is not None
    assert chunk.timings.predicted_n is None


def test_draft_counters_with_positions_out_of_order() -> None:
    name = "llamacpp:spec_decode_num_"
    text = (
        f"# TYPE {name}drafts_total counter\n{name}draft_tokens_total 1.2e+06\n"
        f"{name}accepted_tokens_total 70\n{name}drafts_total 40\n"
        f'{name}accepted_tokens_per_pos_total{{position="2"}} 5\n'
        f'{name}accepted_tokens_per_pos_total{{position="0"}} 38\n'
        f'{name}accepted_tokens_per_pos_total{{position="99999999"}} 1\n'
    )
    assert dialect.draft_counters(text) == DraftCounters(40, 1_200_000, 70, (38, 0, 5))
    assert dialect.draft_counters("llamacpp:prompt_tokens_total 5\n") is None


def test_self_from_slots_alone_and_from_nothing() -> None:
    slots = [{"id": 0, "n_ctx": 4096, "speculative": True}, {"id": 1, "n_ctx": 4096, "speculative": False}]
    assert dialect.server_self(None, slots) == ServerSelf(ctx_size=4096, slots=2, speculative=False)
    assert dialect.server_self(None, None) == ServerSelf()
    assert dialect.server_self({}, [{"n_ctx": 1}]).speculative is None


def test_foreign_text_is_one_short_line() -> None:
    line = dialect.one_line("a\r\nb\x1b[31m\u2028" + "c" * 500)
    assert line.startswith("a b [31m c")
    assert len(line) == dialect.MAX_REASON
    assert line.isprintable()


def test_the_mark_of_a_working_slot_changes_with_every_token() -> None:
    def slots(decoded: int) -> list[object]:
        return [
            {"id": 0, "is_processing": True, "id_task": 7, "next_token": [{"n_decoded": decoded}]},
            {"id": 1, "is_processing": False},
        ]

    first, same, later = (dialect.work(slots(n)) for n in (5, 5, 6))
    assert first is not None
    assert later is not None
    assert first.busy
    assert first == same
    assert first.mark != later.mark
