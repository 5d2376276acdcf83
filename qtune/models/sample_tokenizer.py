"""The sample model's vocabulary: a byte-level BPE over its own words, and the chain of states it walks."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

TOKEN_NORMAL: Final = 1
TOKEN_CONTROL: Final = 3

END_OF_TURN: Final = "<|im_end|>"
_CONTROLS: Final = ("<|endoftext|>", "<|im_start|>", END_OF_TURN)
# Pieces as the qwen2 pre-tokenizer cuts plain English: a word with its leading blank, digits one by one,
# punctuation, and line ends.
_PIECES: Final = re.compile(r" ?[^\W\d_]+|\d| ?[^\s\w]+|\s*\n+|\s+")


@dataclass(frozen=True)
class SampleVocabulary:
    """Tokens, merges and the word chain.

    `chain` holds token ids in the order they are spoken, each id once. `starts` maps a start marker's id to
    the id that opens the answer; `follow` maps every id with a fixed successor to that successor.
    """

    tokens: tuple[str, ...]
    types: tuple[int, ...]
    merges: tuple[str, ...]
    chain: tuple[int, ...]
    starts: tuple[tuple[int, int], ...]
    follow: dict[int, int]
    sentence_starts: tuple[int, ...]
    end_of_turn: int
    end_of_text: int


def byte_alphabet() -> dict[int, str]:
    """GPT-2's printable stand-in for each byte, as byte-level BPE vocabularies write them."""
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {byte: chr(byte) for byte in keep}
    spare = 256
    for byte in range(256):
        if byte not in table:
            table[byte] = chr(spare)
            spare += 1
    return table


def train_merges(pieces: Sequence[str]) -> list[tuple[str, str]]:
    """Byte-pair merges, most frequent pair first, until every given piece is one symbol."""
    counts = Counter(pieces)
    words = [list(piece) for piece in counts]
    weights = list(counts.values())
    pairs: Counter[tuple[str, str]] = Counter()
    holders: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for index, word in enumerate(words):
        for pair in itertools.pairwise(word):
            pairs[pair] += weights[index]
            holders[pair].add(index)
    merges: list[tuple[str, str]] = []
    while pairs:
        best = max(pairs.items(), key=lambda item: (item[1], item[0]))[0]
        merges.append(best)
        for index in sorted(holders[best]):
            word = words[index]
            for pair in itertools.pairwise(word):
                pairs[pair] -= weights[index]
                if pairs[pair] <= 0:
                    del pairs[pair]
            _merge_in_place(word, best)
            for pair in itertools.pairwise(word):
                pairs[pair] += weights[index]
                holders[pair].add(index)
        pairs.pop(best, None)
    return merges


def _merge_in_place(word: list[str], pair: tuple[str, str]) -> None:
    at = 0
    while at < len(word) - 1:
        if word[at] == pair[0] and word[at + 1] == pair[1]:
            word[at : at + 2] = [pair[0] + pair[1]]
        at += 1


def cut_into_states(parts: Sequence[str], taken: set[str]) -> list[list[str]]:
    """Cut the paragraphs into phrases of as few words as possible, no phrase occurring twice.

    The chain has no memory but its last token, so each state must be a token of its own; a word that has
    been used takes the following words along until the phrase is new.
    """
    used = set(taken)
    result: list[list[str]] = []
    for number, part in enumerate(parts):
        words = part.split(" ")
        words[0] = ("\n\n" if number else "") + words[0]
        words[1:] = [" " + word for word in words[1:]]
        phrases: list[str] = []
        at = 0
        while at < len(words):
            end = at + 1
            while "".join(words[at:end]) in used and end < len(words):
                end += 1
            phrase = "".join(words[at:end])
            if phrase in used:  # the paragraph ends in known words: the last phrase grows instead
                used.discard(phrases[-1])
                phrase = phrases.pop() + phrase
            used.add(phrase)
            phrases.append(phrase)
            at = end
        result.append(phrases)
    return result


def build_vocabulary(parts: Sequence[str], known_text: str, start_parts: int) -> SampleVocabulary:
    """Build the vocabulary from the answer's paragraphs and the text whose words must be whole tokens."""
    alphabet = byte_alphabet()

    def spell(text: str) -> str:
        return "".join(alphabet[byte] for byte in text.encode("utf-8"))

    pieces = [spell(piece) for text in (known_text, *parts) for piece in _PIECES.findall(text)]
    # A word opens a line as often as it follows a blank.
    pieces += [piece.removeprefix(alphabet[32]) for piece in pieces]
    merges = train_merges([piece for piece in pieces if piece])
    tokens = [alphabet[byte] for byte in range(256)]
    ids = {token: index for index, token in enumerate(tokens)}

    def add(token: str) -> int:
        if token not in ids:
            ids[token] = len(tokens)
            tokens.append(token)
        return ids[token]

    for left, right in merges:
        add(left + right)
    states = cut_into_states(parts, set())
    chain_parts = [[add(spell(phrase)) for phrase in part] for part in states]
    chain = [token for part in chain_parts for token in part]
    # Each state needs a vector of its own; an answer that starts in mid-text has no blank line before it.
    openings = [chain_parts[0][0]]
    for part, phrases in zip(chain_parts[1:start_parts], states[1:start_parts], strict=True):
        opening = spell(phrases[0].lstrip("\n"))
        while opening in ids and ids[opening] in chain:
            opening += alphabet[32]
        openings.append(add(opening))
        del part
    controls = {name: add(name) for name in _CONTROLS}
    markers = [add(f"<|sample_{number}|>") for number in range(start_parts)]
    types = [TOKEN_NORMAL] * len(tokens)
    for control in (*controls.values(), *markers):
        types[control] = TOKEN_CONTROL

    follow = dict(itertools.pairwise(chain))
    follow[chain[-1]] = controls[END_OF_TURN]
    for part, opening_id in zip(chain_parts[1:start_parts], openings[1:], strict=True):
        follow[opening_id] = part[1]
    starts = tuple(zip(markers, openings, strict=True))
    follow.update(starts)
    sentence_starts = [chain[0]] + [
        after
        for phrase, after in zip([text for part in states for text in part], chain[1:], strict=False)
        if phrase.endswith((".", "?"))
    ]
    return SampleVocabulary(
        tokens=tuple(tokens),
        types=tuple(types),
        merges=tuple(f"{left} {right}" for left, right in merges),
        chain=tuple(dict.fromkeys([*chain, *openings])),
        starts=starts,
        follow=follow,
        sentence_starts=tuple(sentence_starts),
        end_of_turn=controls[END_OF_TURN],
        end_of_text=controls["<|endoftext|>"],
    )
