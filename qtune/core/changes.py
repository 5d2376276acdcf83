"""What changed since: whether a newer engine, driver or power limit is slower or faster than the last one.

Two stacks are compared on what both ran alike: same model, card, settings, prompts and sampling. Such runs
are a cell; the unit is a run, the log of its decode rate. The difference is the mean over the cells, weighted
by how well each is known, with the noise pooled over all of them and Student's t of its degrees of freedom,
so that few runs give a wide answer. Where one sitting differs from the next of the same stack by more than
its runs explain, the interval is widened by it, as ``core.interval`` does for starts. Nothing is said below
:data:`RUNS_LEAST` runs on either side, and a difference below 3 % is none, as in a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, Literal

from qtune.core.comparison import THRESHOLD
from qtune.core.interval import student_t_95
from qtune.core.messages import Message

RUNS_LEAST: Final = 3
"""Runs a stack needs; with fewer their own scatter is not known."""
DEGREES_LEAST: Final = 4
BEYOND: Final = 1.005
"""How far the nearer end of the interval must be from no difference. Alarms come unasked after every update,
so they shall be wrong less often than one time in twenty."""
NEWEST: Final = 12
"""Runs of a cell and stack that count; older ones may be from another state of the computer."""

Subject = Literal["engine", "driver", "power"]
Direction = Literal["slower", "faster", "same", "too_few"]


@dataclass(frozen=True, slots=True)
class Stack:
    """What a run stood on besides its settings.

    ``engine`` is the version line; ``driver`` and ``power`` are empty without a card that tells. ``qtune``
    and ``os`` make no other stack, but are named when they changed, too.
    """

    engine: str
    build: int | None = None
    driver: str = ""
    power: str = ""
    qtune: str = field(default="", compare=False)
    os: str = field(default="", compare=False)

    @property
    def engine_name(self) -> str:
        """As people call a build: ``b11434``, or the version line where it has no number."""
        return f"b{self.build}" if self.build else self.engine


@dataclass(frozen=True, slots=True)
class StackRun:
    """A finished run as it enters the comparison of stacks.

    Attributes:
        key: Counts up with every run.
        place: Model, quantisation and card, and whether MTP was on: what an answer is given for.
        cell: Everything else that must be equal: settings, prompts, length of answers, sampling, kind.
        decode_tok_s: Median over its counted requests.
    """

    key: int
    experiment_id: str
    started_utc: str
    place: Place
    cell: str
    arm: str
    stack: Stack
    decode_tok_s: float


@dataclass(frozen=True, slots=True)
class Place:
    """What an answer is given for; speculation is apart, since a build may change it alone."""

    model: str
    quant: str
    device: str
    mtp: bool

    @property
    def name(self) -> str:
        """Model and quantisation, in any language."""
        return f"{self.model} {self.quant}".strip() + (" + MTP" if self.mtp else "")


@dataclass(frozen=True, slots=True)
class Change:
    """A stack against the one used before it in the same place.

    Attributes:
        subject: What differs: the engine, else the driver, else the power limit.
        ratio: Decode rate after over before.
        low, high: 95 % interval of the ratio; None where there are too few runs.
        runs_before, runs_after: Runs in the cells both have.
        sittings: Experiments these runs are from, before and after.
        first_utc: Start of the first run of ``after``.
    """

    place: Place
    before: Stack
    after: Stack
    subject: Subject
    direction: Direction
    ratio: float
    low: float | None
    high: float | None
    runs_before: int
    runs_after: int
    sittings: tuple[int, int]
    arms: tuple[str, ...]
    first_utc: str

    @property
    def alarming(self) -> bool:
        """Whether it is beyond noise, and worth a word by itself."""
        return self.direction in {"slower", "faster"}

    @property
    def sentence(self) -> Message:
        """What came of it, in words."""
        params: dict[str, str | int] = {
            "after": _name(self.after, self.subject),
            "before": _name(self.before, self.subject),
            "percent": f"{abs(self.ratio - 1) * 100:.0f}",
            "model": self.place.name,
            "n_before": self.runs_before,
            "n_after": self.runs_after,
        }
        if self.low is not None and self.high is not None:
            params |= {"low": _signed(self.low), "high": _signed(self.high)}
        else:
            params["least"] = RUNS_LEAST
        return Message.of(f"change_{self.subject}_{self.direction}", **params)

    @property
    def also(self) -> tuple[Message, ...]:
        """What else is not as it was, and how far the answer can be trusted."""
        pairs = {
            "driver": (self.before.driver, self.after.driver),
            "power": (self.before.power, self.after.power),
            "qtune": (self.before.qtune, self.after.qtune),
            "os": (self.before.os, self.after.os),
        }
        found = [
            Message.of(f"change_also_{name}", before=before or "?", after=after or "?")
            for name, (before, after) in pairs.items()
            if before != after and name != self.subject
        ]
        if self.alarming and min(self.sittings) == 1:
            found.append(Message.of("change_one_sitting"))
        return tuple(found)


def changes(runs: Iterable[StackRun]) -> tuple[Change, ...]:
    """Each stack of each place against the one used before it, the newest first."""
    by_place: dict[Place, list[StackRun]] = {}
    for run in sorted(runs, key=lambda run: run.key, reverse=True):
        by_place.setdefault(run.place, []).append(run)
    found = []
    for place, mine in by_place.items():
        stacks: dict[Stack, dict[str, list[StackRun]]] = {}
        for run in mine:
            cell = stacks.setdefault(run.stack, {}).setdefault(run.cell, [])
            if len(cell) < NEWEST:
                cell.append(run)
        found += [(max(run.key for cell in stacks[c.after].values() for run in cell), c)
                  for c in _in_turn(place, list(stacks.items()))]  # fmt: skip
    return tuple(change for _, change in sorted(found, key=lambda one: one[0], reverse=True))


def change_of(found: Sequence[Change], run: StackRun) -> Change | None:
    """The change that brought the stack of a run."""
    return next((c for c in found if c.place == run.place and c.after == run.stack), None)


_Cells = Mapping[str, Sequence[StackRun]]


def _in_turn(place: Place, stacks: Sequence[tuple[Stack, _Cells]]) -> Iterable[Change]:
    """Newest stack first; each is held against the next older one that ran something alike."""
    done: set[Stack] = set()
    for (after, new), (before, old) in combinations(stacks, 2):
        if after not in done and new.keys() & old.keys():
            done.add(after)
            yield _change(place, (before, old), (after, new))


def _change(place: Place, earlier: tuple[Stack, _Cells], later: tuple[Stack, _Cells]) -> Change:
    (before, old), (after, new) = earlier, later
    shared = sorted(old.keys() & new.keys())
    a, b = {cell: old[cell] for cell in shared}, {cell: new[cell] for cell in shared}
    first, second = ([run for cell in side.values() for run in cell] for side in (a, b))
    ratio, half = _difference(a, b)
    enough = min(len(first), len(second)) >= RUNS_LEAST
    low, high = (
        (None, None) if half is None or not enough else (math.exp(ratio - half), math.exp(ratio + half))
    )
    newest_before, newest_after = (max(side, key=lambda run: run.key) for side in (first, second))
    return Change(
        place=place,
        # As the newest run of each had it: an update of the system is no other stack.
        before=newest_before.stack,
        after=newest_after.stack,
        subject=_subject(before, after),
        direction=_direction(math.exp(ratio), low, high),
        ratio=math.exp(ratio),
        low=low,
        high=high,
        runs_before=len(first),
        runs_after=len(second),
        sittings=(len({run.experiment_id for run in first}), len({run.experiment_id for run in second})),
        arms=tuple(dict.fromkeys(run.arm for run in second)),
        first_utc=min(run.started_utc for run in second),
    )


def _difference(before: _Cells, after: _Cells) -> tuple[float, float | None]:
    """Log ratio after over before, and the half-width of its 95 % interval; None where noise is unknown."""
    weights, gains = [], []
    residuals: list[tuple[int, str, float]] = []
    for cell in before:
        means = []
        for side, runs in enumerate((before[cell], after[cell])):
            logs = [math.log(run.decode_tok_s) for run in runs]
            means.append(sum(logs) / len(logs))
            residuals += [
                (side, run.experiment_id, log - means[-1]) for run, log in zip(runs, logs, strict=True)
            ]
        gains.append(means[1] - means[0])
        weights.append(1 / (1 / len(before[cell]) + 1 / len(after[cell])))
    mean = sum(w * g for w, g in zip(weights, gains, strict=True)) / sum(weights)
    degrees = len(residuals) - 2 * len(gains)
    if degrees < DEGREES_LEAST:
        return mean, None
    variance = sum(r * r for _, _, r in residuals) / degrees
    inflated = variance * max(1.0, _sitting_ratio(residuals, variance))
    return mean, student_t_95(degrees) * math.sqrt(inflated / sum(weights))


def _sitting_ratio(residuals: Sequence[tuple[int, str, float]], variance: float) -> float:
    """Squared sums over sittings, over what independent runs would give; 1 where no side has two."""
    seen = expected = 0.0
    for side in (0, 1):
        sums: dict[str, float] = {}
        mine = [(sitting, r) for which, sitting, r in residuals if which == side]
        for sitting, r in mine:
            sums[sitting] = sums.get(sitting, 0.0) + r
        if len(sums) > 1:
            seen += sum(s * s for s in sums.values())
            expected += variance * len(mine) * (1 - 1 / len(sums))
    return seen / expected if expected else 1.0


def _direction(ratio: float, low: float | None, high: float | None) -> Direction:
    if low is None or high is None:
        return "too_few"
    if high < 1 / BEYOND and ratio <= 1 / THRESHOLD:
        return "slower"
    return "faster" if low > BEYOND and ratio >= THRESHOLD else "same"


def _subject(before: Stack, after: Stack) -> Subject:
    if before.engine != after.engine:
        return "engine"
    return "power" if before.driver == after.driver else "driver"


def _name(stack: Stack, subject: Subject) -> str:
    return {"engine": stack.engine_name, "driver": stack.driver, "power": stack.power}[subject] or "?"


def _signed(ratio: float) -> str:
    return f"{(ratio - 1) * 100:+.0f}"
