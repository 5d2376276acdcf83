"""The plan of a fill test: one start a context, from the one asked for down to one that is safe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from qtune.bench.fill_plan import (
    FillAsk,
    FillOutcome,
    FillStep,
    depth_of,
    fill_outcome,
    fill_prompts,
    fill_step,
    has_room,
    lower_ctx,
    next_ctx,
)
from qtune.core.errors import KnownError
from qtune.core.verdict import Verdict
from qtune.core.workload import Workload
from qtune.session.plans import Arm, StartOrder
from qtune.session.requests import ArmResult


@dataclass(frozen=True, slots=True)
class Fill:
    """One arm with a context that is filled, and smaller ones while memory does not suffice."""

    arm: Arm
    keep_bytes: int
    answer_tokens: int
    kind: str = "fill"
    form: Literal["quick", "full"] = "full"

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arm with the context asked for; the steps down bear its name too."""
        return (self.arm,)

    @property
    def _ask(self) -> FillAsk:
        arm = self.arm
        return FillAsk(arm.name, arm.preset, arm.settings.ctx_size, self.keep_bytes, self.answer_tokens)

    def next_start(self, done: Sequence[ArmResult]) -> StartOrder | None:
        """The context to try next, each in a fresh process."""
        steps = self._steps(done)
        ctx_size = next_ctx(self._ask, steps)
        if ctx_size is None:
            return None
        arm = Arm(self.arm.name, self.arm.preset, self.arm.settings.with_values({"ctx_size": ctx_size}))
        start = 1 + sum(step.state != "open" for step in steps)
        return StartOrder(arm, start, fill_prompts(ctx_size), 1, filling=True)

    def requests_left(self, done: Sequence[ArmResult]) -> tuple[int, int]:
        """One more launch; whether a smaller context must be tried is not known before."""
        order = self.next_start(done)
        return (0, 0) if order is None else (order.requests_left(), 1)

    def outcome(self, done: Sequence[ArmResult]) -> FillOutcome:
        """The largest safe context, and every point on the way to it."""
        return fill_outcome(self._ask, self._steps(done))

    def depth_of(self, prompt_id: str, slot_ctx: int | None) -> int:
        """Tokens wanted of a prompt in a server whose slots have that context, if known."""
        return depth_of(prompt_id, slot_ctx, self.answer_tokens)

    def verdict(self, done: Sequence[ArmResult]) -> Verdict:
        """The sentence of the outcome; a fill test compares nothing."""
        found = self.outcome(done)
        return Verdict("too_few", found.sentence, None, (), found.reasons)

    def _steps(self, done: Sequence[ArmResult]) -> list[FillStep]:
        return [fill_step(self._ask, r.run, r.requests, r.request_peaks) for r in done]


def fill_workloads(ctx_size: int, question: Workload, answer_tokens: int) -> dict[str, Workload]:
    """The question under the name of every share of every context that may come to be tried.

    Raises:
        KnownError: ``fill_no_room``.
    """
    if not has_room(ctx_size, answer_tokens):
        raise KnownError("fill_no_room", ctx=ctx_size, answer=answer_tokens)
    named: dict[str, Workload] = {}
    coming: int | None = ctx_size
    while coming is not None:
        names = fill_prompts(coming)
        named |= {name: replace(question, id=name, max_tokens=answer_tokens) for name in names}
        coming = lower_ctx(coming, answer_tokens)
    return named
