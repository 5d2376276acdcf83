"""A simulated machine with known truth: it walks the same plans as the real one and can drift, warm up,
stutter and fall off a memory cliff."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qtune.bench import compare_plan as cp
from qtune.bench import n_max_search as ns
from qtune.core.messages import Message
from qtune.core.observation import Observation
from qtune.core.records import RunStatus

PROMPTS = ("code", "prose", "summary")


@dataclass
class Rig:
    """Arms with known truth.

    Attributes:
        truth: True decode rate of each arm, tok/s.
        by_prompt: Factor on an arm's rate for one prompt, ``(arm, prompt)``.
        noise: Coefficient of variation of a single request.
        start_noise: The same from start to start.
        drift: Relative change of speed per request since the machine was switched on.
        cold: How much slower the very first start runs; its first request, and the first of any start, more.
        burst: Chance that somebody else uses the card during a request, which then takes 1.5 times as long.
        positions: Arm -> acceptance by position, for arms with MTP.
        ttft_ms: Arm -> first-token time.
    """

    truth: Mapping[str, float]
    seed: int = 0
    by_prompt: Mapping[tuple[str, str], float] = field(default_factory=dict)
    noise: float = 0.03
    start_noise: float = 0.0
    drift: float = 0.0
    cold: float = 0.0
    burst: float = 0.0
    positions: Mapping[str, Sequence[float]] = field(default_factory=dict)
    ttft_ms: Mapping[str, float] = field(default_factory=dict)
    tokens: int = 400
    fails: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.requests = 0
        self.starts = 0

    def start(
        self, arm: str, number: int, prompts: Sequence[str], requests: int, seed: int
    ) -> tuple[list[Observation], RunStatus]:
        """One fresh process: warm-up and counted requests, as the plan asks for them."""
        self.starts += 1
        if (arm, number) in self.fails:
            return [], RunStatus.FAILED
        luck = math.exp(self.random.normal(0, self.start_noise)) * (1 - self.cold * (self.starts == 1))
        done: list[cp.DoneRequest] = []
        seen: list[Observation] = []
        while (planned := cp.next_request(done, prompts, requests, seed, number)) is not None:
            rate = self._rate(arm, planned.prompt_id) * luck * (0.8 if planned.index == 0 else 1.0)
            done.append(cp.DoneRequest(planned.phase, planned.prompt_id, rate))
            if planned.phase == "counted":
                seen.append(self._observe(arm, number, planned, rate))
        return seen, RunStatus.DONE

    def _rate(self, arm: str, prompt: str) -> float:
        self.requests += 1
        rate = self.truth[arm] * self.by_prompt.get((arm, prompt), 1.0)
        rate *= math.exp(self.random.normal(0, self.noise)) * (1 + self.drift * self.requests)
        return rate / 1.5 if self.burst and self.random.random() < self.burst else rate

    def _observe(self, arm: str, number: int, planned: cp.PlannedRequest, rate: float) -> Observation:
        first = self.ttft_ms.get(arm, 200.0)
        positions = self.positions.get(arm, ())
        per_round = 1 + sum(positions)
        rounds = round(self.tokens / per_round)
        return Observation(
            arm=arm,
            start=number,
            prompt_id=planned.prompt_id,
            number=planned.number,
            decode_tok_s=rate,
            ttft_ms=first,
            total_ms=first + (self.tokens - 1) / rate * 1000,
            prefill_tok_s=1000 / first * 1000,
            prompt_tokens=1000,
            output_tokens=self.tokens,
            drafted=rounds * len(positions) if positions else None,
            accepted=round(rounds * sum(positions)) if positions else None,
            rounds=rounds if positions else None,
        )


def walk(rig: Rig, plan: cp.ComparePlan) -> tuple[list[Observation], list[cp.DoneStart]]:
    """Walk a comparison to its end."""
    seen: list[Observation] = []
    done: list[cp.DoneStart] = []
    while (planned := cp.next_start(plan, done, seen)) is not None:
        found, status = rig.start(planned.arm, planned.start, plan.prompts, plan.form.requests, plan.seed)
        seen += found
        done.append(cp.DoneStart(planned.arm, planned.start, status))
        assert len(done) <= plan.starts_most * len(plan.arms) + 2
    return seen, done


def observation(arm: str, start: int, prompt: str, rate: float, **more: object) -> Observation:
    """One observation by hand."""
    values: dict[str, object] = {"number": 0, "decode_tok_s": rate, "output_tokens": 300, **more}
    return Observation(arm=arm, start=start, prompt_id=prompt, **values)  # type: ignore[arg-type]


MARK = Message.of("mark_short", tokens=3)


# -- curves over n_max ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Curve:
    """Truth of a search: rate and acceptance by position for every draft length, 0 being off."""

    rates: Mapping[int, float]
    positions: Mapping[int, tuple[float, ...]]

    @property
    def best(self) -> float:
        return max(self.rates.values())


def published_curve() -> Curve:
    """Qwen3.6-35B-A3B on an A100 (measuring.md 1); lengths not published lie between their neighbours."""
    rates = {0: 133.6, 1: 150.0, 2: 163.0, 3: 173.8, 4: 199.0, 5: 176.0, 6: 153.0, 7: 130.0, 8: 109.8}
    total = {1: 0.85, 2: 0.79 * 2, 3: 0.73 * 3, 4: 0.76 * 4, 5: 0.6 * 5, 6: 0.473 * 6, 7: 2.85, 8: 0.357 * 8}
    return Curve(rates, {n: _falling(n, share) for n, share in total.items()})


def _falling(n: int, total: float) -> tuple[float, ...]:
    low, high = 0.0, 1.0
    for _ in range(40):
        p = (low + high) / 2
        low, high = (p, high) if sum(p**i for i in range(1, n + 1)) < total else (low, p)
    return tuple(low**i for i in range(1, n + 1))


def random_curve(seed: int, n_high: int = 8) -> Curve:
    """A card and model drawn at random: acceptance, price of a drafted token, kinks, sometimes a cliff."""
    random = np.random.default_rng(seed)
    off = float(random.uniform(20, 150))
    chance, tiring = random.uniform(0.45, 0.93), random.uniform(0.9, 1.0)
    cost, base = random.uniform(0.03, 0.3), random.uniform(0.0, 0.2)
    edge = int(random.integers(2, n_high + 1)) if random.random() < 0.25 else n_high + 1
    rates, positions = {0: off}, {}
    for n in range(1, n_high + 1):
        shares = tuple(float(chance ** (i + 1) * tiring ** (i * (i + 1) / 2)) for i in range(n))
        kink = math.exp(random.normal(0, 0.02))
        rates[n] = off * (1 + sum(shares)) / (1 + base + cost * n) * kink
        rates[n] = rates[n] * 0.08 if n >= edge else rates[n]
        positions[n] = shares
    return Curve(rates, positions)


def arm_of(n: int) -> str:
    return "off" if n == 0 else f"n{n}"


@dataclass
class Searched:
    """How a search went: what was chosen, counted requests, launches, and the verdict's observations."""

    chosen: int
    requests: int
    launches: int
    tried: list[int]
    reasons: tuple[Message, ...]
    fresh: list[Observation]


def search(curve: Curve, seed: int, plan: ns.SearchPlan | None = None, **rig_options: Any) -> Searched:
    """Drive the search, then its confirmation, on a rig."""
    plan = plan or ns.SearchPlan()
    rig = Rig({arm_of(n): r for n, r in curve.rates.items()}, seed=seed, **rig_options)
    runs: list[ns.ScreenRun] = []
    requests = 0
    while isinstance(step := ns.next_screen(plan, runs), ns.Screen):
        seen, _ = rig.start(arm_of(step.n_max), step.start, PROMPTS, plan.screen_requests, seed)
        requests += len(seen)
        runs.append(ns.screen_run(step.n_max, seen, curve.positions.get(step.n_max, ())))
        assert len(runs) < 20
    fresh: list[Observation] = []
    if step.kind == "confirm":
        confirm = cp.ComparePlan(("off", arm_of(step.n_max)), PROMPTS, cp.CONFIRM, seed + 1)
        fresh, _ = walk(rig, confirm)
    tried = [r.n_max for r in runs]
    return Searched(step.n_max, requests + len(fresh), rig.starts, tried, step.reasons, fresh)
