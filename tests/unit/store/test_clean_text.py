"""Text that came in pieces is mended before it is stored; good text is left alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qtune.store.rows import clean_text


def test_cut_characters_are_joined_and_lone_halves_replaced() -> None:
    assert clean_text("a\ud83d\ude80b") == "a\U0001f680b"
    assert clean_text("a\ud83db\ude80") == "a\ufffdb\ufffd"


@given(st.text())
def test_good_text_is_left_alone(text: str) -> None:
    assert clean_text(text) == text
