"""Fills the prompts of a context sweep to their depths, counted by the server's own tokenizer."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.bench.context_sweep import depth_prompt
from qtune.bench.warmup import nonce
from qtune.core.filler import estimate_prompt, fill
from qtune.core.ports import ServerProbe
from qtune.core.records import Sampling
from qtune.core.workload import Workload


class DepthFiller:
    """Completes the workloads of a sweep once, at the first server that is ready; all arms share them."""

    def __init__(
        self, workloads: dict[str, Workload], depths: Sequence[int], prose: Sequence[str], seed: int
    ) -> None:
        self._workloads = workloads
        self._depths = depths
        self._prose = prose
        self._seed = seed
        self._done = False

    async def __call__(self, probe: ServerProbe) -> None:
        """Fill every depth; where the server cannot count, an estimate is used."""
        if self._done:
            return
        for depth in self._depths:
            name = depth_prompt(depth)
            self._workloads[name] = await self._filled(probe, self._workloads[name], depth)
        self._done = True

    async def _filled(self, probe: ServerProbe, workload: Workload, depth: int) -> Workload:
        steps = fill(workload, self._prose, depth, self._seed)
        candidate = next(steps)
        while True:
            counted = await probe.count_prompt(candidate.request(nonce(self._seed, "counted", 0), Sampling()))
            try:
                candidate = steps.send(estimate_prompt(candidate) if counted is None else counted)
            except StopIteration as end:
                filled: Workload = end.value.workload
                return filled
