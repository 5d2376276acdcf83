"""A simulated machine with known truth: it walks the same plans as the real one and can drift, warm up,
stutter and fall off a memory cliff."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from qtune.bench import compare_plan as cp
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
