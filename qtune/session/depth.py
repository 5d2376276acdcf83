"""Fills prompts to the depths that a context sweep or a fill test wants, by the server's own tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qtune.bench.warmup import nonce
from qtune.core.filler import estimate_prompt, fill
from qtune.core.ports import ServerProbe
from qtune.core.records import Sampling
from qtune.core.workload import Workload

CAUTION = 1.15
"""An estimate may be so far too low; where a prompt must not exceed its depth it is raised by this."""


class DepthFiller:
    """Completes the workloads of a job, each once, at the first server that needs it; later starts share it.

    Args:
        workloads: By id; filled ones replace bare ones.
        depth_of: Tokens wanted of a prompt in a server whose slots have that context (None: unknown).
        prose: Paragraphs to fill with.
        seed: Order of the paragraphs.
        caution: Factor on estimates, for servers that cannot count.
    """

    def __init__(
        self,
        workloads: dict[str, Workload],
        depth_of: Callable[[str, int | None], int],
        prose: Sequence[str],
        seed: int,
        caution: float = 1.0,
    ) -> None:
        self._workloads = workloads
        self._depth_of = depth_of
        self._prose = prose
        self._seed = seed
        self._caution = caution
        self._filled: set[str] = set()

    async def __call__(self, probe: ServerProbe, prompts: Sequence[str], slot_ctx: int | None) -> None:
        """Fill these prompts; where the server cannot count, an estimate is used."""
        for name in prompts:
            if name not in self._filled:
                depth = self._depth_of(name, slot_ctx)
                self._workloads[name] = await self._fill(probe, self._workloads[name], depth)
                self._filled.add(name)

    async def _fill(self, probe: ServerProbe, workload: Workload, depth: int) -> Workload:
        steps = fill(workload, self._prose, depth, self._seed)
        candidate = next(steps)
        while True:
            counted = await probe.count_prompt(candidate.request(nonce(self._seed, "counted", 0), Sampling()))
            if counted is None:
                counted = round(self._caution * estimate_prompt(candidate))
            try:
                candidate = steps.send(counted)
            except StopIteration as end:
                filled: Workload = end.value.workload
                return filled
