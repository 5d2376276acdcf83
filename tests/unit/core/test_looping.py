"""Real loops are flagged; lists, code, tables and JSON, which repeat by nature, are not."""

from __future__ import annotations

import json

import pytest

from qtune.core.looping import is_looping, repeated_share

ENGLISH = (
    "A language model writes one token after the other, and each needs the whole network to be read from "
    "memory once. A small head can guess the next few tokens, and the large model checks all guesses at "
    "once. Where the text is easy to foresee, most guesses hold and several tokens come for the price of "
    "one. Where it is not, the work of guessing is lost, and the answer takes longer than without it. "
)
CHINESE = (
    "语言模型一次只写一个词元,每写一个都要把整个网络从显存里读一遍。小小的预测头可以先猜出后面几个词元,"
    "再由大模型一次检查完毕。文字容易预料的时候,大多数猜测成立,几个词元只花一步的时间;不容易预料的时候,"
    "猜测白做,反而比不用它更慢。所以要在自己的机器上用自己的文字去量,而不是听信别人的数字。"
)
BULLETS = "\n".join(
    f"- **Point {i}: {what}.** The reason is that {why}."
    for i, (what, why) in enumerate(
        [
            ("Measure twice", "a single run may be lucky"),
            ("Warm the server up", "the first request pays more"),
            ("Keep the prompt fixed", "other texts draft differently"),
            ("Change one thing", "two changes mix"),
            ("Watch the memory", "a full card pages out"),
            ("Note the build", "defaults move between releases"),
            ("Take turns", "the machine drifts over time"),
            ("Count tokens", "chunks are no tokens"),
            ("Look at the end", "a fast decode may finish late"),
            ("Say so", "no difference is an answer too"),
        ],
        start=1,
    )
)
CODE = """
import unittest

class TestStack(unittest.TestCase):
    def test_push(self):
        stack = Stack()
        stack.push(1)
        self.assertEqual(stack.peek(), 1)
        self.assertEqual(len(stack), 1)

    def test_pop(self):
        stack = Stack()
        stack.push(1)
        stack.push(2)
        self.assertEqual(stack.pop(), 2)
        self.assertEqual(len(stack), 1)

    def test_empty(self):
        stack = Stack()
        with self.assertRaises(IndexError):
            stack.pop()
        self.assertEqual(len(stack), 0)
        self.assertTrue(stack.is_empty())
"""
JSON = json.dumps(
    [
        {
            "id": i,
            "name": f"item {chr(97 + i)}",
            "price": round(3.7 * i + 1, 2),
            "stock": i * 7 % 5,
            "tags": [],
        }
        for i in range(14)
    ],
    indent=2,
)
ROWS = json.dumps(
    [
        {"id": i, "status": "open", "owner": None, "done": False, "priority": "high", "team": "blue"}
        for i in range(20)
    ]
)
TABLE = "| setting | off | on |\n|---|---|---|\n" + "\n".join(
    f"| n_max {n} | 40.{n} | 6{n}.1 |" for n in range(20)
)


@pytest.mark.parametrize(
    "text",
    [ENGLISH, CHINESE, BULLETS, CODE, JSON, ROWS, TABLE, ENGLISH + "\n\n" + CHINESE + BULLETS, "好" * 10, ""],
)
def test_text_that_is_no_loop(text: str) -> None:
    assert is_looping(text) is None


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH + "I hope this helps you. Let me know. " * 40,
        CHINESE + "总之,测量很重要,请多测几次。" * 30,
        "the " * 200,
        "是的" * 60,
        "0" * 3 + " 0" * 100,
        ENGLISH * 4,
        CHINESE * 4,
        CODE + "        self.assertEqual(stack.pop(), 2)\n" * 60,
        ROWS + ROWS[-100:] * 40,
        ENGLISH + BULLETS + "\n- **Point 11: Measure twice.** A single run may be lucky." * 30,
    ],
)
def test_real_loops(text: str) -> None:
    share = is_looping(text)
    assert share is not None
    assert share > 0.3


def test_a_passage_quoted_once_more_is_no_loop() -> None:
    assert is_looping(ENGLISH + BULLETS + ENGLISH) is None


def test_share_is_of_the_whole() -> None:
    assert repeated_share(ENGLISH) == 0.0
    assert repeated_share("the " * 200) == 1.0
