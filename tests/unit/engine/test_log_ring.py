import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtune.engine.log_ring import LINE_CHARS, LineSplitter, LogRing


def split(*chunks: bytes) -> list[str]:
    splitter = LineSplitter()
    return [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.close()


@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=30)), st.data())
def test_lines_survive_any_cut(lines: list[str], data: st.DataObject) -> None:
    raw = "".join(f"{line}\n" for line in lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=8)))
    chunks = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert split(*chunks) == lines


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"windows\r\n", "windows"),
        (b"no end", "no end"),
        (b"\x1b[0;31mE error\x1b[0m\n", "E error"),
        (b"caf\xc3\n", "caf�"),
        (b"a\x00b\n", "a b"),
        ("one\u2028line\n".encode(), "one\u2028line"),
    ],
)
def test_odd_bytes(raw: bytes, line: str) -> None:
    assert split(raw) == [line]


def test_a_megabyte_line_is_cut_and_says_so() -> None:
    long, after = split(*[b"x" * 4096] * 256, b"\nnext\n")
    assert long.startswith("x" * LINE_CHARS + " … [")
    assert long.endswith(f"{(1 << 20) - LINE_CHARS} bytes cut]")
    assert after == "next"


def test_the_ring_is_bounded_and_counts_what_it_dropped() -> None:
    ring = LogRing(capacity_bytes=100)
    ring.append([f"{n:09}" for n in range(50)])
    assert ring.lines() == [f"{n:09}" for n in range(40, 50)]
    assert ring.dropped == 40
    assert ring.tail(2) == ["000000048", "000000049"]
    assert ring.tail(1000) == ring.lines()


def test_readers_on_other_threads_see_whole_states() -> None:
    ring = LogRing(capacity_bytes=500)
    stop = threading.Event()
    faults: list[object] = []

    def read() -> None:
        while not stop.is_set():
            numbers = [int(line) for line in ring.lines()]
            if numbers != list(range(numbers[0], numbers[0] + len(numbers))) if numbers else False:
                faults.append(numbers)

    reader = threading.Thread(target=read)
    reader.start()
    for n in range(5000):
        ring.append([str(n)])
    stop.set()
    reader.join()
    assert faults == []
