"""The event reader: borders of chunks never change what is read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtune.endpoint.sse import DONE, EventTooLongError, SseEvent, SseReader

TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cs",)), st.sampled_from("\u2028\u2029\x85\x0b\x0c:\ufeff é𝄞")
    ),
    max_size=30,
)
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[SseEvent]]:
    """A stream as a server could send it, and the events it holds."""
    raw, expected = [], []
    for _ in range(draw(st.integers(0, 6))):
        end = draw(LINE_ENDS)
        if draw(st.booleans()):
            raw.append(f": ping {draw(st.integers())}{end}{end}")
        data = json.dumps({"text": draw(TEXTS)}, ensure_ascii=False)
        space = draw(st.sampled_from(["", " "]))
        name = draw(st.sampled_from(["", "", "delta"]))
        raw.append(f"event: {name}{end}" if name else "")
        raw.append(f"data:{space}{data}{end}")
        lines = [data]
        if draw(st.booleans()):
            raw.append(f"id: 1{end}data: more{end}retry{end}")
            lines.append("more")
        raw.append(end)
        expected.append(SseEvent("\n".join(lines), name or "message"))
    return "".join(raw).encode(), expected


@given(streams(), st.data())
def test_any_chunk_borders_give_the_same_events(
    stream: tuple[bytes, list[SseEvent]], data: st.DataObject
) -> None:
    raw, expected = stream
    borders = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=12)))
    reader = SseReader()
    found: list[SseEvent] = []
    for start, end in zip([0, *borders], [*borders, len(raw)], strict=True):
        found += reader.feed(raw[start:end])
    assert found == expected


@given(streams())
def test_byte_by_byte(stream: tuple[bytes, list[SseEvent]]) -> None:
    raw, expected = stream
    reader = SseReader()
    assert [event for i in range(len(raw)) for event in reader.feed(raw[i : i + 1])] == expected


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_no_bytes_break_it(chunks: list[bytes]) -> None:
    reader = SseReader()
    whole, parts = SseReader().feed(b"".join(chunks)), [e for c in chunks for e in reader.feed(c)]
    assert parts == whole


def test_cr_does_not_wait_for_its_lf() -> None:
    reader = SseReader()
    assert reader.feed(b"data: a\r\r") == [SseEvent("a")]
    assert reader.feed(b"\ndata: b\r\n\r") == [SseEvent("b")]
    assert reader.feed(b"\n\r\n") == []


def test_done_glued_and_split() -> None:
    reader = SseReader()
    assert [e.data for e in reader.feed(b'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DO')] == [
        '{"a":1}',
        '{"b":2}',
    ]
    assert [e.data for e in reader.feed(b"NE]\n\n")] == [DONE]


def test_broken_utf8_is_replaced_not_raised() -> None:
    assert SseReader().feed(b"data: \xe4\xbd\n\n") == [SseEvent("\ufffd")]


def test_bom_and_old_error_field() -> None:
    assert SseReader().feed(b'\xef\xbb\xbfdata: 1\n\nerror: {"message":"x"}\n\n') == [
        SseEvent("1"),
        SseEvent('{"message":"x"}', "error"),
    ]


def test_unfinished_event_is_not_delivered() -> None:
    assert SseReader().feed(b"data: half\n") == []


@pytest.mark.parametrize("piece", [b"x" * 512, b"data: " + b"x" * 500 + b"\n"], ids=["one line", "one event"])
def test_memory_is_bounded(piece: bytes) -> None:
    reader = SseReader(max_event_bytes=4096)
    for _ in range(7):
        reader.feed(piece)
    with pytest.raises(EventTooLongError):
        reader.feed(piece * 2)
