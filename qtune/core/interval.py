"""The interval of a ratio between two arms: a paired bootstrap, honest about few starts.

The unit is a pair: the log ratio of two centres with the same start and prompt. Starts (blocks) are resampled
within each prompt, then the prompts themselves; both percentiles together give the 95 % interval.

Three corrections make it hold with the two or four starts one can afford, checked by simulation in
``benchmarks/verdict.py``:

- Resampling B starts shows only (B - 1)/B of their variance; the residuals are scaled up for it.
- With few starts the noise itself is known badly; the half-width is scaled from the normal to Student's t
  with the degrees of freedom the residuals have.
- Prompts of one start share its luck (memory layout, clocks). Where starts differ from each other by more
  than the pairs alone would explain, that larger variance is used.

The spread over prompts is resampled without a small-sample correction and after taking out the part that is
only noise: the prompts are chosen workloads, not a sample from all texts, and the interval says between which
values the answer moves if some of them matter more. ``noise`` is the half-width without that spread, the part
more requests can narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qtune.core.observation import Table

PAIRS_LEAST = 6
"""Fewer pairs give a range and the words "too few"."""
SPREAD_REAL = 4.0
"""Prompts whose means vary less than this times their noise are taken for equal (about F at 95 %): a spread
that is only noise would be counted twice."""
REPLICATES = 2000
BOOTSTRAP_SEED = 20240
Z_95 = 1.959964
_T_95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
)  # fmt: skip
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio with its bounds.

    Attributes:
        ratio: Geometric mean over the prompts.
        low: Lower bound of the 95 % interval, or the smallest pair when ``kind`` is ``range``.
        high: Upper bound, likewise.
        pairs: Number of pairs behind it.
        kind: ``interval`` or, with too few pairs, ``range``.
        noise: Half-width of the interval in log units from noise alone; None for a range.
    """

    ratio: float
    low: float
    high: float
    pairs: int
    kind: Literal["interval", "range"]
    noise: float | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both ends where they are an interval; the ends of a range look like one and are not to be shown."""
        return (self.low, self.high) if self.kind == "interval" else None


def student_t_95(degrees: int) -> float:
    """Two-sided 95 % quantile of Student's t (table, then the usual expansion in 1/df)."""
    if degrees <= len(_T_95):
        return _T_95[degrees - 1]
    return Z_95 + (Z_95**3 + Z_95) / (4 * degrees) + 3 / degrees**2


def paired_interval(pairs: Table, seed: int = BOOTSTRAP_SEED) -> Interval | None:
    """Interval of the geometric mean over prompts; None without any pair.

    Args:
        pairs: Prompt -> start -> log ratio.
        seed: Seed of the bootstrap; the same data give the same interval.
    """
    logs = _in_order(pairs)
    if not logs:
        return None
    means = np.array([cell.mean() for cell in logs])
    noise = _Noise.of(logs, seed)
    if noise is None:
        low, high = min(cell.min() for cell in logs), max(cell.max() for cell in logs)
        count = sum(len(cell) for cell in logs)
        return _interval(float(means.mean()), float(low), float(high), count, None)
    centre = float(means.mean())
    prompts = _prompt_draws(means, noise.prompt_variance, seed)
    if prompts is None:
        half = noise.half_width
        return _interval(centre, centre - half, centre + half, noise.pairs, half)
    low, high = np.quantile(noise.draws + prompts, (0.025, 0.975))
    return _interval(centre, centre + float(low), centre + float(high), noise.pairs, noise.half_width)


def _spread_95(draws: _Floats) -> float:
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(high - low) / 2


def prompt_intervals(pairs: Table, seed: int = BOOTSTRAP_SEED) -> dict[str, Interval]:
    """Interval of each prompt by itself; its noise is estimated over all prompts together.

    Two starts of one prompt alone say next to nothing about their noise; pooled over the prompts they do.
    """
    logs = _in_order(pairs)
    noise = _Noise.of(logs, seed)
    found = {}
    for prompt, cell in zip(sorted(pairs), logs, strict=True):
        centre = float(cell.mean())
        if noise is None:
            found[prompt] = _interval(centre, float(cell.min()), float(cell.max()), len(cell), None)
        else:
            half = noise.single * student_t_95(noise.degrees) / math.sqrt(len(cell))
            found[prompt] = _interval(centre, centre - half, centre + half, len(cell), half)
    return found


def _interval(centre: float, low: float, high: float, pairs: int, noise: float | None) -> Interval:
    kind: Literal["interval", "range"] = "range" if noise is None else "interval"
    return Interval(math.exp(centre), math.exp(low), math.exp(high), pairs, kind, noise)


def _in_order(pairs: Table) -> list[_Floats]:
    return [np.array([pairs[p][start] for start in sorted(pairs[p])]) for p in sorted(pairs)]


@dataclass(frozen=True, slots=True)
class _Noise:
    """Measuring noise of a table of pairs.

    Attributes:
        draws: Bootstrap deviations of the grand mean, widened for few starts.
        half_width: Of their 95 % interval.
        single: Standard deviation of one pair.
        degrees: Degrees of freedom of ``single``.
        prompt_variance: Variance of a prompt's mean that is only noise.
    """

    draws: _Floats
    half_width: float
    single: float
    degrees: int
    pairs: int
    prompt_variance: float

    @classmethod
    def of(cls, logs: list[_Floats], seed: int) -> _Noise | None:
        """Noise of the pairs; None when there are too few pairs or no repeats to tell it from."""
        counts = tuple(len(cell) for cell in logs)
        degrees = sum(counts) - len(counts)
        if sum(counts) < PAIRS_LEAST or degrees < 2:
            return None
        residuals = [cell - cell.mean() for cell in logs]
        pooled = sum(float((r**2).sum()) for r in residuals) / degrees
        inflate = max(1.0, _start_variance_ratio(logs, pooled)) ** 0.5
        scaled = np.concatenate(
            [r * math.sqrt(len(r) / (len(r) - 1)) / (len(r) * len(logs)) for r in residuals if len(r) > 1]
        )
        widened = inflate * student_t_95(degrees) / Z_95
        draws = widened * (_weights(tuple(n for n in counts if n > 1), seed) @ scaled)
        return cls(
            draws=draws,
            half_width=_spread_95(draws),
            single=inflate * math.sqrt(pooled),
            degrees=degrees,
            pairs=sum(counts),
            prompt_variance=pooled * float(np.mean([1 / n for n in counts])),
        )


def _start_variance_ratio(logs: list[_Floats], pooled: float) -> float:
    """Variance of the mean as the starts show it, over what independent pairs would give."""
    if len({len(cell) for cell in logs}) != 1 or len(logs) < 2 or pooled == 0:
        return 1.0
    by_start = np.stack(logs).mean(axis=0)
    return float(by_start.var(ddof=1)) * len(logs) / pooled


@lru_cache(maxsize=64)
def _weights(counts: tuple[int, ...], seed: int) -> _Floats:
    """How often each start was drawn within each prompt, less one; replicates x pairs."""
    generator = np.random.default_rng(seed)
    drawn = [generator.multinomial(n, [1 / n] * n, size=REPLICATES) - 1.0 for n in counts]
    return np.asarray(np.concatenate(drawn, axis=1), dtype=np.float64)


@lru_cache(maxsize=16)
def _prompt_weights(prompts: int, seed: int) -> _Floats:
    generator = np.random.default_rng(seed + 1)
    drawn = generator.multinomial(prompts, [1 / prompts] * prompts, size=REPLICATES)
    return np.asarray(drawn / prompts, dtype=np.float64)


def _prompt_draws(means: _Floats, noise_variance: float, seed: int) -> _Floats | None:
    """Bootstrap deviations from drawing prompts, shrunk by what is only noise; None if they do not differ."""
    if len(means) < 2:
        return None
    seen = float(means.var(ddof=1))
    if seen <= SPREAD_REAL * noise_variance:
        return None
    real = 1 - noise_variance / seen
    deviations = (means - means.mean()) * math.sqrt(real)
    return np.asarray(_prompt_weights(len(means), seed) @ deviations, dtype=np.float64)
