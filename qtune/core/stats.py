"""Summaries of repeated figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from qtune.core import figures
from qtune.core.codec import encode, to_text
from qtune.core.figures import Acceptance
from qtune.core.records import RequestRecord, RequestTimes


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure that was repeated.

    Attributes:
        median: Middle value.
        low: Smallest value seen (the range; too few repeats for an interval).
        high: Largest value seen.
        p90: 90th percentile, linear between neighbours.
        n: Number of values.
    """

    median: float
    low: float
    high: float
    p90: float
    n: int


def spread(values: Iterable[float | None]) -> Spread | None:
    """Summary of the values present; None when there are none."""
    # Not numpy: an export summarises a million handfuls, and its calls cost more than the work.
    present = sorted(float(v) for v in values if v is not None)
    if not present:
        return None
    return Spread(_quantile(present, 0.5), present[0], present[-1], _quantile(present, 0.9), len(present))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Quantile, linear between neighbours (Hyndman and Fan's seventh kind)."""
    place = (len(ordered) - 1) * share
    before = int(place)
    if before + 1 == len(ordered):
        return ordered[before]
    part = place - before
    return ordered[before] + (ordered[before + 1] - ordered[before]) * part


def counts(record: RequestRecord) -> bool:
    """Whether a request enters the figures: counted phase, ended well, no mark."""
    return record.phase == "counted" and record.times.ok and not record.marks


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """Everything derived from the counted requests of one arm; None where nothing counted."""

    decode_tok_s: Spread | None
    client_decode_tok_s: Spread | None
    ttft_ms: Spread | None
    ttfa_ms: Spread | None
    prefill_tok_s: Spread | None
    total_ms: Spread | None
    acceptance: Acceptance | None
    rounds_per_s: Spread | None
    ok_rate: float | None
    n_counted: int


_SPREADS: Final = ("decode_tok_s", "ttft_ms", "ttfa_ms", "prefill_tok_s", "total_ms")
_PARTS: Final = ("median", "low", "high", "p90")
FLAT: Final = (
    "requests_counted",
    "ok_rate",
    *(f"{name}_{part}" for name in _SPREADS for part in _PARTS),
    "drafted_tokens",
    "accepted_tokens",
    "acceptance",
    "mean_accept_len",
    *(f"rounds_per_s_{part}" for part in _PARTS),
)
"""Names of the figures of a run side by side, as :func:`flat` gives them."""

FlatFigures = str
"""Figures of a run by the names of ``FLAT``, as the text of a JSON list of numbers and ``null``.

A text, since it comes from a database and goes into a file; reading a hundred thousand of them takes longer
than all the rest.
"""


def flat(found: ArmFigures) -> FlatFigures:
    """Figures side by side; null for what is not known, and for what is no finite number."""

    def parts(one: Spread | None) -> list[float | None]:
        return [None if one is None else getattr(one, part) for part in _PARTS]

    values: list[float | None] = [found.n_counted, found.ok_rate]
    for name in _SPREADS:
        values += parts(getattr(found, name))
    a = found.acceptance
    values += [None] * 4 if a is None else [a.drafted, a.accepted, a.rate, a.mean_len]
    return to_text(encode([*values, *parts(found.rounds_per_s)]))


def arm_figures(records: Sequence[RequestRecord]) -> ArmFigures:
    """Derive the figures of one arm from its stored requests."""
    good = [r for r in records if counts(r)]
    tried = [r for r in records if r.phase == "counted" and not r.times.cancelled]

    def over(figure: Callable[[RequestTimes], float | None]) -> Spread | None:
        return spread(figure(r.times) for r in good)

    return ArmFigures(
        decode_tok_s=over(figures.decode_tok_s),
        client_decode_tok_s=over(figures.client_decode_tok_s),
        ttft_ms=over(figures.ttft_ms),
        ttfa_ms=over(figures.ttfa_ms),
        prefill_tok_s=over(figures.prefill_tok_s),
        total_ms=over(figures.total_ms),
        acceptance=pooled_acceptance(good),
        rounds_per_s=spread(figures.rounds_per_s(r.times, r.drafts) for r in good),
        ok_rate=sum(r.times.ok for r in tried) / len(tried) if tried else None,
        n_counted=len(good),
    )


def pooled_acceptance(records: Sequence[RequestRecord]) -> Acceptance | None:
    """Acceptance over all requests together: sums over sums; None when nothing was drafted."""
    found = [(r, a) for r in records if (a := figures.acceptance(r.times, r.drafts)) is not None]
    if not found:
        return None
    drafted, accepted = sum(a.drafted for _, a in found), sum(a.accepted for _, a in found)
    counters = [r.drafts for r, _ in found if r.drafts is not None]
    rounds = sum(c.drafts for c in counters)
    if len(counters) != len(found) or rounds == 0:
        lengths = [a.mean_len for _, a in found if a.mean_len is not None]
        return Acceptance(drafted, accepted, (), float(np.mean(lengths)) if lengths else None)
    positions = max(len(c.accepted_by_position) for c in counters)
    sums = [
        sum(c.accepted_by_position[i] for c in counters if i < len(c.accepted_by_position))
        for i in range(positions)
    ]
    return Acceptance(
        drafted, accepted, tuple(s / rounds for s in sums), 1 + sum(c.accepted for c in counters) / rounds
    )
