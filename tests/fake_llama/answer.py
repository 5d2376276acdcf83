"""What the fake model says and how long that takes: text, drafts with a given acceptance, timings."""

from __future__ import annotations

import random
import re
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.fake_llama.command_line import Settings
from tests.fake_llama.switches import Switches

BROKEN = "\ue000"  # stands for bytes that are no UTF-8; replaced when the event is written
_SENTENCES = (
    "A cache keeps what was read before, so that the next reader need not wait. "
    "It is small, quick and close by. When it is full, something has to leave; "
    "which one leaves is the only hard question. "
)
_PIECE = re.compile(r"\s*\w{1,8}|\s*[^\w\s]|\s+")


def dice(*seed: object) -> random.Random:
    """Chance that falls the same way for the same seed."""
    return random.Random(":".join(map(str, seed)))  # noqa: S311 - nothing secret about it


def pieces_of(text: str) -> list[str]:
    """Cut text into token-like pieces; joined they give the text back."""
    return _PIECE.findall(text)


def token_ids(text: str) -> list[int]:
    """A made-up but steady number per piece."""
    return [zlib.crc32(piece.encode()) % 248320 for piece in pieces_of(text)]


@dataclass(frozen=True, slots=True)
class Step:
    """One run of the target model: tokens that come out of it, and the drafts it verified."""

    tokens: int
    drafted: int
    accepted: int
    cost: float  # in steps of the target model without drafts


@dataclass
class Drafting:
    """How this server drafts."""

    n_max: int
    n_min: int
    p_min: float
    acceptance: float
    decay: float
    draft_cost: float

    @staticmethod
    def of(settings: Settings, switches: Switches) -> Drafting | None:
        """None where the server does not draft at all."""
        if not settings.mtp or switches.spec_fails_silently:
            return None
        return Drafting(
            settings.number("--spec-draft-n-max"),
            settings.number("--spec-draft-n-min"),
            float(settings.text("--draft-p-min") or 0),
            switches.acceptance,
            switches.acceptance_decay,
            switches.draft_cost,
        )

    def draw(self, rng: random.Random, room: int) -> tuple[int, int]:
        """Drafted and accepted tokens of one step; `room` is how many tokens may still come."""
        drafted = accepted = 0
        all_good = True
        for position in range(min(self.n_max, room - 1)):
            good = rng.random() < self.acceptance * self.decay**position
            confidence = rng.uniform(0.5, 1.0) if good else rng.uniform(0.1, 0.9)
            if confidence < self.p_min:
                break
            drafted += 1
            all_good = all_good and good
            accepted += all_good
        return (0, 0) if drafted < self.n_min else (drafted, accepted)


def steps(rng: random.Random, wanted: int, drafting: Drafting | None) -> Iterator[Step]:
    """The steps after the first token until `wanted` tokens are out in all."""
    left = wanted - 1
    while left > 0:
        drafted, accepted = drafting.draw(rng, left) if drafting else (0, 0)
        cost = 1 + (drafting.draft_cost * max(drafted, 1) if drafting else 0.0)
        tokens = min(accepted + 1, left)
        left -= tokens
        yield Step(tokens, drafted, accepted, cost)


@dataclass
class Progress:
    """The figures of one request while it runs; all stamps in ns of perf_counter."""

    prompt_tokens: int
    cached: int
    started_ns: int = 0
    first_ns: int = 0
    last_ns: int = 0
    predicted: int = 0
    drafted: int = 0
    accepted: int = 0
    drafts: int = 0
    accepted_at: list[int] = field(default_factory=list)

    def count(self, step: Step) -> None:
        """Add one step."""
        self.drafted += step.drafted
        self.accepted += step.accepted
        self.drafts += step.drafted > 0
        missing = step.drafted - len(self.accepted_at)
        self.accepted_at += [0] * missing
        for position in range(step.accepted):
            self.accepted_at[position] += 1

    @property
    def prompt_ms(self) -> float:
        """From the start on the prompt to the first token."""
        end = self.first_ns or time.perf_counter_ns()
        return max((end - self.started_ns) / 1e6, 0.001)

    @property
    def predicted_ms(self) -> float:
        """From the first token to the last."""
        return (self.last_ns - self.first_ns) / 1e6

    def timings(self) -> dict[str, Any]:
        """The object as b11434 writes it; the draft fields are missing where nothing was drafted."""
        computed = self.prompt_tokens - self.cached
        spent = self.predicted_ms
        result: dict[str, Any] = {
            "cache_n": self.cached,
            "prompt_n": computed,
            "prompt_ms": self.prompt_ms,
            "prompt_per_token_ms": self.prompt_ms / max(computed, 1),
            "prompt_per_second": 1e3 * computed / self.prompt_ms,
            "predicted_n": self.predicted,
            "predicted_ms": spent,
            "predicted_per_token_ms": spent / max(self.predicted - 1, 1),
            "predicted_per_second": 1e3 * (self.predicted - 1) / spent if spent else 0.0,
        }
        if self.drafted:
            result |= {"draft_n": self.drafted, "draft_n_accepted": self.accepted}
        return result

    def usage(self) -> dict[str, Any]:
        """The OpenAI usage object."""
        return {
            "completion_tokens": self.predicted,
            "prompt_tokens": self.prompt_tokens,
            "total_tokens": self.predicted + self.prompt_tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached},
        }


def answer_pieces(switches: Switches, prompt: str) -> list[str]:
    """The natural answer to a prompt, token by token, before any limit."""
    chosen = next((answer for fragment, answer in switches.answers if fragment in prompt), None)
    if chosen is not None:
        return pieces_of(chosen)
    if isinstance(switches.text, tuple):
        return list(switches.text)
    if isinstance(switches.text, str):
        return pieces_of(switches.text)
    base = pieces_of(_SENTENCES)
    pieces = (base * (switches.tokens // len(base) + 1))[: switches.tokens]
    if switches.u2028 and len(pieces) > 2:
        pieces[2] += "\u2028\u2029\x85\x0b\x0c"
    if switches.bad_utf8 and len(pieces) > 3:
        pieces[3] += BROKEN
    return pieces
