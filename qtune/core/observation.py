"""What one counted or failed request says, taken out of the stored records, and its centres per start.

An observation is the unit of all statistics: it knows its arm, its start (the block it is paired in), its
prompt and its number there, so that two arms can be compared on the very same text.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from qtune.core import figures
from qtune.core.messages import Message
from qtune.core.records import RequestRecord, RunRecord
from qtune.core.stats import Spread

Table = Mapping[str, Mapping[int, float]]
"""Prompt -> start -> value."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One request of the counted phase.

    Attributes:
        arm: Name of the arm.
        start: Which start of the arm, from 1; starts of the same number form a block.
        prompt_id: Workload.
        number: Which counted request of this prompt in this start, from 0; the same number means the same
            text in every arm.
        ok: Whether it ended as a complete answer.
        rounds: Verification steps; None when unknown or not positive.
        marks: Why it does not enter the figures.
    """

    arm: str
    start: int
    prompt_id: str
    number: int
    ok: bool = True
    decode_tok_s: float | None = None
    ttft_ms: float | None = None
    total_ms: float | None = None
    prefill_tok_s: float | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    drafted: int | None = None
    accepted: int | None = None
    rounds: int | None = None
    marks: tuple[Message, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether it enters the figures."""
        return self.ok and not self.marks and self.decode_tok_s is not None


Figure = Callable[[Observation], float | None]


def observations(runs: Iterable[tuple[RunRecord, Sequence[RequestRecord]]]) -> tuple[Observation, ...]:
    """Observations of stored runs; warm-up and cancelled requests are left out, failed ones are kept.

    A start that was broken off and repeated gives two runs of the same number; numbering goes on over both.
    """
    found: list[Observation] = []
    seen: dict[tuple[str, int, str], int] = {}
    for run, requests in runs:
        for record in requests:
            if record.phase != "counted" or record.times.cancelled:
                continue
            place = (run.arm, run.start, record.prompt_id)
            number = seen[place] = seen.get(place, -1) + 1
            found.append(_observe(run, record, number))
    return tuple(found)


def _observe(run: RunRecord, record: RequestRecord, number: int) -> Observation:
    times = record.times
    accepted = figures.acceptance(times, record.drafts)
    output = figures.output_tokens(times)
    rounds: int | None = None
    if accepted is not None:
        counted = record.drafts.drafts if record.drafts is not None else 0
        # Without the server's counters: every token after the first that was no accepted draft cost a round.
        rounds = counted or (0 if output is None else output - 1 - accepted.accepted)
    return Observation(
        arm=run.arm,
        start=run.start,
        prompt_id=record.prompt_id,
        number=number,
        ok=times.ok,
        decode_tok_s=figures.decode_tok_s(times),
        ttft_ms=figures.ttft_ms(times),
        total_ms=figures.total_ms(times),
        prefill_tok_s=figures.prefill_tok_s(times),
        prompt_tokens=figures.prompt_tokens(times),
        output_tokens=output,
        drafted=None if accepted is None else accepted.drafted,
        accepted=None if accepted is None else accepted.accepted,
        rounds=rounds if rounds is not None and rounds > 0 else None,
        marks=record.marks,
    )


def decode(observation: Observation) -> float | None:
    """Decode rate, the figure verdicts are about."""
    return observation.decode_tok_s


def ttft(observation: Observation) -> float | None:
    """First-token time in ms."""
    return observation.ttft_ms


def prefill(observation: Observation) -> float | None:
    """Prompt tokens per second."""
    return observation.prefill_tok_s


def total(observation: Observation) -> float | None:
    """Whole request in ms."""
    return observation.total_ms


def length(observation: Observation) -> float | None:
    """Tokens of the answer."""
    return observation.output_tokens


def centres(seen: Iterable[Observation], arm: str, figure: Figure = decode) -> dict[str, dict[int, float]]:
    """Median of a figure per prompt and start of one arm, over the requests that count."""
    return {
        prompt: {start: statistics.median(values) for start, values in starts.items()}
        for prompt, starts in _cells(seen, arm, figure).items()
    }


def _cells(seen: Iterable[Observation], arm: str, figure: Figure) -> dict[str, dict[int, list[float]]]:
    """Values of the requests that count, by prompt and start."""
    cells: dict[str, dict[int, list[float]]] = {}
    for one in seen:
        value = figure(one) if one.arm == arm and one.counts else None
        if value is not None and value > 0:
            cells.setdefault(one.prompt_id, {}).setdefault(one.start, []).append(value)
    return cells


def log_ratios(
    seen: Sequence[Observation], arm: str, base: str, figure: Figure = decode
) -> dict[str, dict[int, float]]:
    """Log of arm over base per prompt and start, where both have a centre."""
    upper, lower = centres(seen, arm, figure), centres(seen, base, figure)
    return {
        prompt: pairs
        for prompt, starts in upper.items()
        if (
            pairs := {
                start: math.log(value / lower[prompt][start])
                for start, value in starts.items()
                if start in lower.get(prompt, {})
            }
        )
    }


def geometric_mean(values: Iterable[float]) -> float | None:
    """Geometric mean of positive values; None without any."""
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else None


def typical(seen: Iterable[Observation], arm: str, figure: Figure = decode) -> float | None:
    """One figure for an arm: geometric mean over prompts of the mean centre of its starts."""
    table = centres(seen, arm, figure)
    return geometric_mean(sum(starts.values()) / len(starts) for starts in table.values())


def typical_spread(seen: Iterable[Observation], arm: str, requests: Spread | None) -> Spread | None:
    """Decode rate of an arm with the range of its requests, so that two arms stand as their ratio says.

    The median of requests over several texts may go down while every text goes up; see :func:`typical`.
    """
    middle = typical(seen, arm)
    return requests if requests is None or middle is None else replace(requests, median=middle)


def cv_of_starts(table: Table) -> float | None:
    """Coefficient of variation of one arm's result from start to start, None below two starts.

    The result of a start is the geometric mean over its prompts, so this is how far the figure would move if
    the arm were measured once more. Only prompts present in every start are used, lest a missing one look
    like a change of speed.
    """
    starts = sorted({start for cells in table.values() for start in cells})
    complete = [cells for cells in table.values() if len(cells) == len(starts)]
    if len(starts) < 2 or not complete:
        return None
    results = [sum(math.log(cells[start]) for cells in complete) / len(complete) for start in starts]
    return math.sqrt(_squares(results) / (len(results) - 1))


def cv_of_requests(seen: Iterable[Observation], arm: str, figure: Figure = decode) -> float | None:
    """Coefficient of variation of single requests within a start and prompt, pooled; None without repeats."""
    cells = [
        [math.log(v) for v in values]
        for starts in _cells(seen, arm, figure).values()
        for values in starts.values()
    ]
    squares = sum(_squares(v) for v in cells)
    degrees = sum(len(v) - 1 for v in cells)
    return math.sqrt(squares / degrees) if degrees else None


def _squares(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values)


def nothing_counted(seen: Iterable[Observation], arm: str) -> Message | None:
    """Why no request of an arm entered the figures; None when one did or none was tried."""
    mine = [o for o in seen if o.arm == arm]
    if not mine or any(o.counts for o in mine):
        return None
    return next((o.marks[0] for o in mine if o.marks), Message.of("answer_failed"))
