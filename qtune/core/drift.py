"""Output drift: whether an arm answers word for word like off at temperature 0, or where it first differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from qtune.core.messages import Message
from qtune.core.records import RequestRecord, RunRecord
from qtune.core.verdict import BASELINE

AROUND = 20
"""Characters shown on each side of a difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference of two answers.

    Attributes:
        index: Character at which they part, from 0.
        off: Text of off around it.
        arm: Text of the arm around it.
    """

    prompt_id: str
    index: int
    off: str
    arm: str


@dataclass(frozen=True, slots=True)
class Drift:
    """Answers of one arm against those of off to the same prompts.

    Attributes:
        compared: Pairs of answers looked at.
        differences: Those that differ, in the order of the requests.
    """

    arm: str
    compared: int
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool | None:
        """Whether all answers are equal; None when there was nothing to compare."""
        return None if self.compared == 0 else not self.differences

    def message(self) -> Message | None:
        """One sentence, None when there was nothing to compare."""
        if self.compared == 0:
            return None
        if not self.differences:
            return Message.of("drift_same")
        first = self.differences[0]
        return Message.of(
            "drift_differs",
            count=len(self.differences),
            total=self.compared,
            index=first.index,
            off=first.off,
            arm=first.arm,
        )


def first_difference(off: str, arm: str) -> int | None:
    """Index of the first character that differs, None for equal texts."""
    if off == arm:
        return None
    return next(i for i, (a, b) in enumerate(zip_longest(off, arm)) if a != b)


def output_drift(
    runs: Iterable[tuple[RunRecord, Sequence[RequestRecord]]], arm: str, base: str = BASELINE
) -> Drift:
    """Compare answers request by request: same prompt, same nonce, temperature 0, both ended well."""
    texts: dict[tuple[str, str], dict[str, str]] = {}
    for run, requests in runs:
        for r in requests:
            if run.arm in {arm, base} and r.times.ok and r.sampling.temperature == 0:
                answer = r.times.reasoning + r.times.content
                texts.setdefault((r.prompt_id, r.nonce), {}).setdefault(run.arm, answer)
    pairs = [(place[0], both[base], both[arm]) for place, both in texts.items() if len(both) == 2]
    found = []
    for prompt, off, other in pairs:
        at = first_difference(off, other)
        if at is not None:
            cut = slice(max(0, at - AROUND), at + AROUND)
            found.append(Difference(prompt, at, off[cut], other[cut]))
    return Drift(arm, len(pairs), tuple(found))
