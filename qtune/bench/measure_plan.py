"""The plan of one arm: warm up until the rate is stable, then a fixed number of counted requests.

Pure: what comes next follows from what was done, so a plan can be tested, resumed and simulated.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from qtune.core.records import Phase

WARMUP_LEAST = 2
WARMUP_MOST = 6
STABLE_WITHIN = 0.03
FAILURES_MOST = 3
"""Failed requests in a row after which an arm is given up."""


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """The next request of an arm.

    Attributes:
        index: Position in the run, warm-up included.
        nonce: First line of the prompt: differs between requests, repeats between arms.
    """

    index: int
    phase: Phase
    nonce: str


@dataclass(frozen=True, slots=True)
class DoneRequest:
    """What the plan needs to know of a finished request; the rate is None when it failed."""

    phase: Phase
    decode_tok_s: float | None


def nonce(seed: int, phase: Phase, number: int | str) -> str:
    """First line for request ``number`` of a phase; the same for every arm of an experiment."""
    return f"Note {random.Random(f'{seed}:{phase}:{number}').randrange(16**6):06x}."  # noqa: S311 - not a secret


def is_warm(rates: Sequence[float | None]) -> bool:
    """Whether warm-up may end.

    At least two requests, the last two within 3 % of each other; after six it ends anyway. The first request
    of a server is never counted.
    """
    if len(rates) >= WARMUP_MOST:
        return True
    if len(rates) < WARMUP_LEAST:
        return False
    before, last = rates[-2:]
    if before is None or last is None:
        return False
    return abs(last - before) <= STABLE_WITHIN * max(last, before)


def next_request(done: Sequence[DoneRequest], runs: int, seed: int) -> PlannedRequest | None:
    """The next request of the arm, None when the plan is fulfilled or given up.

    Args:
        done: Everything performed so far, in order.
        runs: Counted requests wanted; failed ones are counted, they are a result too.
        seed: Seed of the experiment, for the nonces.
    """
    if given_up(done):
        return None
    warm = [d.decode_tok_s for d in done if d.phase == "warmup"]
    counted = len(done) - len(warm)
    if counted == 0 and not is_warm(warm):
        return PlannedRequest(len(done), "warmup", nonce(seed, "warmup", len(warm)))
    if counted < runs:
        return PlannedRequest(len(done), "counted", nonce(seed, "counted", counted))
    return None


def given_up(done: Sequence[DoneRequest]) -> bool:
    """Whether so many requests failed in a row that going on is pointless."""
    tail = done[-FAILURES_MOST:]
    return len(tail) == FAILURES_MOST and all(d.decode_tok_s is None for d in tail)


def requests_left(done: Sequence[DoneRequest], runs: int) -> int:
    """Fewest requests still to come, for the estimate of the time left."""
    warm = sum(d.phase == "warmup" for d in done)
    counted = len(done) - warm
    return max(0, runs - counted) + (max(0, WARMUP_LEAST - warm) if counted == 0 else 0)
