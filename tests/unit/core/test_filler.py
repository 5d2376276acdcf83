"""Prompts reach the depth asked for, whatever the tokenizer, with the same text for the same seed."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable

import pytest

from qtune.core.filler import COUNTS_MOST, estimate_tokens, filled, material
from qtune.core.records import ChatMessage
from qtune.core.workload import Workload

PARAGRAPHS = [
    " ".join(f"word{n}x{k} of paragraph {n}," for k in range(12 + n % 7)) + f" end {n}." for n in range(12)
]
CHINESE = ["".join(chr(0x4E00 + 40 * n + k) for k in range(60 + n)) + "。" for n in range(12)]
QUESTION = Workload(
    "q", "Q", "en", (ChatMessage("system", "Be brief."), ChatMessage("user", "What is said about 3?")), 100
)
QUESTION_ZH = Workload("q", "Q", "zh", (ChatMessage("user", "第三段说了什么？"),), 100)


def byte_level(workload: Workload) -> int:
    """A tokenizer that knows none of the words: two bytes a token, and a template of 30."""
    return 30 + sum(len(m.content.encode()) // 2 for m in workload.messages)


def word_level(workload: Workload) -> int:
    return 9 + sum(len(re.findall(r"\w+|[^\w\s]", m.content)) for m in workload.messages)


@pytest.mark.parametrize("target", [500, 1000, 8000, 32000])
@pytest.mark.parametrize(
    ("count", "question", "paragraphs"),
    [
        (byte_level, QUESTION, PARAGRAPHS),
        (word_level, QUESTION, PARAGRAPHS),
        (byte_level, QUESTION_ZH, CHINESE),
    ],
    ids=["bytes", "words", "zh"],
)
def test_the_depth_is_met_within_one_per_cent(
    count: Callable[[Workload], int], target: int, question: Workload, paragraphs: list[str]
) -> None:
    found = filled(question, paragraphs, target, 7, count)
    assert found.tokens == count(found.workload)
    assert abs(found.tokens - target) <= 0.01 * target
    assert found.workload.messages[-1].content.endswith(question.messages[-1].content)
    assert found.workload.messages[:-1] == question.messages[:-1]
    assert found.workload.max_tokens == question.max_tokens


def test_counting_is_asked_for_a_few_times_only() -> None:
    asked: list[Workload] = []

    def count(workload: Workload) -> int:
        asked.append(workload)
        return byte_level(workload)

    found = filled(QUESTION, PARAGRAPHS, 4000, 7, count)
    assert len(asked) <= COUNTS_MOST
    assert found.tokens == pytest.approx(4000, rel=0.002)


def test_a_question_longer_than_the_target_stays_as_it_is() -> None:
    found = filled(QUESTION, PARAGRAPHS, 10, 7, byte_level)
    assert found.workload == QUESTION
    assert found.tokens == byte_level(QUESTION)


def test_a_counter_that_knows_nothing_ends_the_search() -> None:
    assert filled(QUESTION, PARAGRAPHS, 1000, 7, lambda _: 5).tokens == 5


def test_the_seed_decides_the_order() -> None:
    assert material(PARAGRAPHS, 5000, 1) == material(PARAGRAPHS, 5000, 1)
    assert material(PARAGRAPHS, 5000, 1) != material(PARAGRAPHS, 5000, 2)


def test_every_paragraph_is_used_before_one_comes_again_and_never_twice_in_a_row() -> None:
    for seed in range(20):
        text = material(PARAGRAPHS, 4 * sum(map(len, PARAGRAPHS)), seed)
        parts = text.split("\n\n")[:-1]
        assert set(parts[: len(PARAGRAPHS)]) == set(PARAGRAPHS)
        assert max(Counter(parts).values()) - min(Counter(parts).values()) <= 1
        assert all(a != b for a, b in itertools.pairwise(parts))


def test_the_material_breaks_off_after_a_whole_word() -> None:
    known = set(" ".join(PARAGRAPHS).replace(",", "").replace(".", "").split())
    for length in range(40, 400, 7):
        text = material(PARAGRAPHS, length, 3)
        assert length - 25 <= len(text) <= length + 1
        assert set(re.sub("[,.…]", "", text).split()) <= known


def test_no_prose_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="no prose"):
        material(["  "], 100, 1)


def test_the_estimate_tells_chinese_from_english() -> None:
    assert estimate_tokens("图书馆的一年，读者增加了。") == pytest.approx(9, abs=2)
    assert estimate_tokens("The library had more readers this year.") == pytest.approx(9, abs=2)
