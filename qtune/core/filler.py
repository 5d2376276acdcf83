"""Fills a prompt to a wanted depth with real prose, so that a long context is a filled one.

Pure: how long the text must be is planned from a ratio and corrected by true token counts, but who counts
(the server's tokenizer, or an estimate) is the caller's affair.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from qtune.core.records import ChatMessage
from qtune.core.workload import Workload

COUNTS_MOST = 5
"""Counting is a request of its own on a long text; the third one is nearly always within a few tokens."""
CLOSE_ENOUGH = 0.002
"""Distance from the target, as a share of it, at which nothing is corrected any more."""
CHARS_PER_TOKEN = 4.3
"""Usual for English prose in vocabularies of 100k tokens and more; only the first guess depends on it."""
CHARS_PER_TOKEN_CJK = 1.5
_FRAMES = {
    "en": (
        "Background reading. It needs no answer; the task follows after the line of dashes.\n\n",
        "\n\n--------\n\n",
    ),
    "zh": ("下面先是一些背景读物，不需要回答；任务在横线之后。\n\n", "\n\n--------\n\n"),
}
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Filled:
    """A workload at depth and the tokens its prompt was counted to have."""

    workload: Workload
    tokens: int


def is_cjk(character: str) -> bool:
    """Whether a character is a Chinese one or Chinese punctuation; such texts have no blanks to cut at."""
    return "\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"


def estimate_tokens(text: str) -> int:
    """Rough number of tokens, for servers that cannot count: about 15 % off either way."""
    cjk = sum(map(is_cjk, text))
    return round(cjk / CHARS_PER_TOKEN_CJK + (len(text) - cjk) / CHARS_PER_TOKEN)


def estimate_prompt(workload: Workload) -> int:
    """Rough number of tokens of a prompt, the template's own left out."""
    return sum(estimate_tokens(m.content) for m in workload.messages)


def fill(
    workload: Workload, paragraphs: Sequence[str], target_tokens: int, seed: int
) -> Generator[Workload, int, Filled]:
    """Bring a prompt to a target depth.

    A generator so that the counting may be asynchronous: it yields a candidate, is sent the tokens of that
    candidate's prompt, and returns the one that came nearest. The first candidate is the bare workload; when
    it has more tokens than the target it is also the last, since a question is never shortened.

    Args:
        workload: The question; what is added stands before it in the first user turn.
        paragraphs: Prose in the language of the question.
        target_tokens: Depth wanted, in tokens of whatever is counted.
        seed: Order of the paragraphs; the same seed gives the same text to every arm.
    """
    tokens = yield workload
    bare = best = Filled(workload, tokens)
    sample = "".join(paragraphs)
    length, added, per_char = 0, 0, estimate_tokens(sample) / max(1, len(sample))
    for _ in range(COUNTS_MOST - 1):
        if bare.tokens >= target_tokens or _close(best.tokens, target_tokens):
            break
        length += round((target_tokens - bare.tokens - added) / per_char)
        if length <= 0:  # less is missing than the words of the frame
            break
        candidate = _with_material(workload, material(paragraphs, length, seed))
        tokens = yield candidate
        if abs(tokens - target_tokens) < abs(best.tokens - target_tokens):
            best = Filled(candidate, tokens)
        added = tokens - bare.tokens
        if added <= 0:
            break
        per_char = added / length
    return best


def filled(
    workload: Workload,
    paragraphs: Sequence[str],
    target_tokens: int,
    seed: int,
    count: Callable[[Workload], int] = estimate_prompt,
) -> Filled:
    """`fill` with a counter that answers at once."""
    steps = fill(workload, paragraphs, target_tokens, seed)
    candidate = next(steps)
    while True:
        try:
            candidate = steps.send(count(candidate))
        except StopIteration as end:
            result: Filled = end.value
            return result


def _close(tokens: int, target: int) -> bool:
    return abs(tokens - target) <= CLOSE_ENOUGH * target


def material(paragraphs: Sequence[str], characters: int, seed: int) -> str:
    """Prose of about so many characters; it breaks off at the end of a word.

    When the paragraphs are used up they come again in another order, never one right after itself.

    Raises:
        ValueError: There is no paragraph with any text.
    """
    if not any(p.strip() for p in paragraphs):
        raise ValueError("no prose to fill with")
    pieces: list[str] = []
    length = 0
    for paragraph in _endless(paragraphs, seed):
        room = characters - length
        if room <= 0:
            break
        piece = paragraph if len(paragraph) <= room else _cut(paragraph, room)
        pieces.append(piece)
        length += len(paragraph) + 2
    return "\n\n".join(p for p in pieces if p)


def _endless(paragraphs: Sequence[str], seed: int) -> Iterator[str]:
    numbers = [n for n, text in enumerate(paragraphs) if text.strip()]
    last = -1
    for turn in itertools.count():
        random.Random(f"{seed}:filler:{turn}").shuffle(numbers)  # noqa: S311 - reproducible, not a secret
        if numbers[0] == last:
            numbers.append(numbers.pop(0))
        last = numbers[-1]
        yield from (paragraphs[n] for n in numbers)


def _cut(paragraph: str, room: int) -> str:
    """The beginning of a paragraph in at most ``room`` characters (and an ellipsis), whole words only."""
    end = room
    while end and not (paragraph[end - 1].isspace() or paragraph[end].isspace() or is_cjk(paragraph[end])):
        end -= 1
    kept = paragraph[:end].rstrip(" ,;:，；：、")
    return kept + _CUT if kept else ""


def _with_material(workload: Workload, text: str) -> Workload:
    before, after = _FRAMES["zh" if workload.language == "zh" else "en"]
    messages = list(workload.messages)
    at = next((n for n, m in enumerate(messages) if m.role == "user"), None)
    if at is None:
        messages.append(ChatMessage("user", before + text))
    else:
        messages[at] = replace(messages[at], content=f"{before}{text}{after}{messages[at].content}")
    return replace(workload, messages=tuple(messages))
