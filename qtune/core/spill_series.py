"""Signs of a spill and of throttling, read from the samples and requests of one run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import Final, Literal

from qtune.core.card_memory import CARD_MOST_BYTES
from qtune.core.figures import decode_tok_s, prefill_tok_s, rounds_per_s
from qtune.core.machine_facts import GpuSample, TelemetrySample
from qtune.core.messages import Message
from qtune.core.records import RequestRecord
from qtune.core.spill import NEAR_BYTES, Platform, SpillSigns, judge_spill

PINNED_MOST: Final = 1 << 30
"""Main memory beyond this that a load took is not pinning by design (416 to 586 MiB with MTP)."""

THROTTLE_SHARE: Final = 0.25
"""A reason seen in fewer of the readings flickers and explains nothing."""

_HELD_BACK: Final = frozenset(
    {"thermal (software)", "thermal (hardware)", "hardware slowdown", "power brake"}
)
"""Reasons, by the words of the driver's reader, that make a measurement worthless. A card at its power limit
works as it always does, an idle one or one whose clocks the user set likewise."""


@dataclass(frozen=True, slots=True)
class RoomyFigures:
    """What this configuration does when it has room, from an earlier start.

    What is missing is taken from the run itself.

    Attributes:
        shared_bytes: Main memory used by the card.
        rounds_per_s: By prompt, since the depth decides it.
        prefill_tok_s: Likewise.
    """

    shared_bytes: int | None = None
    rounds_per_s: Mapping[str, float] = field(default_factory=dict)
    prefill_tok_s: Mapping[str, float] = field(default_factory=dict)
    power_w: float | None = None
    pcie_kb_s: float | None = None


@dataclass(frozen=True, slots=True)
class SpillContext:
    """Where and how a run was made.

    Attributes:
        uuid: The card the engine sits on.
        launched_ns: Start of the engine; ``loaded_ns`` is when it was ready, None if it never was.
        planned_offload: Layers, experts or the KV cache were asked to stay in main memory.
    """

    uuid: str
    launched_ns: int
    loaded_ns: int | None
    platform: Platform = "linux"
    vendor: Literal["nvidia", "amd"] = "nvidia"
    planned_offload: bool = False
    layers_offloaded: int | None = None
    layers_total: int | None = None
    integrated: bool = False
    roomy: RoomyFigures = RoomyFigures()


def spill_signs(
    samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord], context: SpillContext
) -> SpillSigns:
    """Signs of a whole run: the least free memory, the largest growth, the slowest counted request.

    Expected is what the first third of the requests with the same prompt did, unless ``context.roomy`` says.
    """
    run = _Run(samples, requests, context)
    slowest = min(run.answered, key=run.speed, default=None)
    # From the load on: a counter that went silent or mad by then must not let the empty card testify.
    began = context.launched_ns + 1 if context.loaded_ns is None else context.loaded_ns
    signs = run.memory_signs(run.since(began))
    return signs if slowest is None else run.speed_signs(signs, slowest)


def spill_marks(
    samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord], context: SpillContext
) -> dict[int, Message]:
    """Which requests, by index, were answered while the card had spilled or was throttled."""
    run = _Run(samples, requests, context)
    marks = {}
    for record in requests:
        times = record.times
        during = run.between(times.sent_ns, times.ended_ns)
        if not during:
            continue
        signs = run.speed_signs(run.memory_signs(during), record)
        if judge_spill(signs).state == "yes":
            marks[record.index] = Message.of("mark_spill")
        elif signs.throttled:
            marks[record.index] = Message.of("mark_throttled", reasons=", ".join(signs.throttled))
    return marks


def roomy_figures(
    samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord], context: SpillContext
) -> RoomyFigures | None:
    """What later starts of the same configuration are compared with; None if this one had no room itself."""
    run = _Run(samples, requests, context)
    if context.loaded_ns is None or not run.answered:
        return None
    signs = spill_signs(samples, requests, context)
    free = signs.free_min_bytes
    if free is None or free < NEAR_BYTES or signs.throttled or judge_spill(signs).state != "no":
        return None
    during = [g for r in run.answered for g in run.between(r.times.sent_ns, r.times.ended_ns)]
    return RoomyFigures(
        shared_bytes=max(_shared(run.since(context.loaded_ns)), default=None),
        rounds_per_s=_by_prompt(run.answered, _rounds),
        prefill_tok_s=_by_prompt(run.answered, _prefill),
        power_w=_mean(during, _power),
        pcie_kb_s=_mean(during, _traffic),
    )


def _by_prompt(
    records: Iterable[RequestRecord], figure: Callable[[RequestRecord], float | None]
) -> dict[str, float]:
    known: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        if (found := figure(record)) is not None:
            known[record.prompt_id].append(found)
    return {prompt: median(found) for prompt, found in known.items()}


def _held_back(readings: Sequence[GpuSample], wanted: Iterable[str]) -> tuple[str, ...]:
    told = [g.throttle_reasons for g in readings if g.throttle_reasons is not None]
    return tuple(
        reason
        for reason in sorted(wanted)
        if (seen := sum(reason in reasons for reasons in told)) and seen >= THROTTLE_SHARE * len(told)
    )


class _Run:
    """The series of the engine's card, and what to expect of each request."""

    def __init__(
        self, samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord], context: SpillContext
    ) -> None:
        self._context = context
        self._series = [(s.t_ns, g) for s in samples for g in s.gpus if g.uuid == context.uuid]
        self._baseline = self._shared_baseline()
        self.answered = sorted(
            (r for r in requests if r.phase == "counted" and r.times.ok), key=lambda r: r.times.sent_ns
        )
        self._first = self._first_thirds()

    def since(self, t0_ns: int) -> list[GpuSample]:
        """Readings from a moment on."""
        return [g for t_ns, g in self._series if t_ns >= t0_ns]

    def between(self, t0_ns: int, t1_ns: int) -> list[GpuSample]:
        """Readings between two moments."""
        return [g for t_ns, g in self._series if t0_ns <= t_ns <= t1_ns]

    def memory_signs(self, readings: Sequence[GpuSample]) -> SpillSigns:
        """What these readings say of memory."""
        context = self._context
        free = [
            (g.vram_total_bytes - g.vram_used_bytes, g.vram_total_bytes)
            for g in readings
            if g.vram_used_bytes is not None
            and g.vram_total_bytes is not None
            and g.vram_used_bytes <= g.vram_total_bytes <= CARD_MOST_BYTES
        ]
        least, total = min(free, default=(None, None))
        shared = max(_shared(readings), default=None)
        known = shared is not None and self._baseline is not None
        return SpillSigns(
            free_min_bytes=least,
            total_bytes=total,
            shared_growth_bytes=(shared or 0) - (self._baseline or 0) if known else None,
            planned_offload=context.planned_offload,
            platform=context.platform,
            vendor=context.vendor,
            layers_offloaded=context.layers_offloaded,
            layers_total=context.layers_total,
            integrated=context.integrated,
        )

    def speed_signs(self, signs: SpillSigns, record: RequestRecord) -> SpillSigns:
        """The same with the speed of one request, and power and traffic while it was answered."""
        roomy, times = self._context.roomy, record.times
        during = self.between(times.sent_ns, times.ended_ns)
        early = [g for r in self._first_of(record) for g in self.between(r.times.sent_ns, r.times.ended_ns)]
        return replace(
            signs,
            rounds_ratio=self._ratio(record, _rounds, roomy.rounds_per_s),
            prefill_ratio=self._ratio(record, _prefill, roomy.prefill_tok_s),
            power_ratio=_over(_mean(during, _power), roomy.power_w or _mean(early, _power)),
            pcie_ratio=_over(_mean(during, _traffic), roomy.pcie_kb_s or _mean(early, _traffic)),
            throttled=_held_back(during, _HELD_BACK),
        )

    def speed(self, record: RequestRecord) -> float:
        """The worst ratio of a request to what was expected of it; endless where nothing was."""
        roomy = self._context.roomy
        ratios = (
            self._ratio(record, _rounds, roomy.rounds_per_s),
            self._ratio(record, _prefill, roomy.prefill_tok_s),
        )
        return min((r for r in ratios if r is not None), default=float("inf"))

    def _ratio(
        self,
        record: RequestRecord,
        figure: Callable[[RequestRecord], float | None],
        roomy: Mapping[str, float],
    ) -> float | None:
        expected = roomy.get(record.prompt_id)
        if expected is None:
            early = [f for r in self._first_of(record) if (f := figure(r)) is not None]
            expected = median(early) if early else None
        return _over(figure(record), expected)

    def _first_of(self, record: RequestRecord) -> list[RequestRecord]:
        return self._first.get(record.prompt_id, [])

    def _first_thirds(self) -> dict[str, list[RequestRecord]]:
        """The first third of each prompt's requests; a single one has nothing to be compared with."""
        by_prompt: defaultdict[str, list[RequestRecord]] = defaultdict(list)
        for record in self.answered:
            by_prompt[record.prompt_id].append(record)
        return {prompt: own[: -(-len(own) // 3)] for prompt, own in by_prompt.items() if len(own) > 1}

    def _shared_baseline(self) -> int | None:
        """Main memory the card uses when this configuration has room.

        Else that right after the load, unless the load alone took more than is ever pinned by design.
        """
        context = self._context
        if context.roomy.shared_bytes is not None:
            return context.roomy.shared_bytes
        if context.loaded_ns is None:
            return None
        loaded = next(iter(_shared(self.since(context.loaded_ns))), None)
        before = list(_shared(g for t_ns, g in self._series if t_ns <= context.launched_ns))
        if loaded is None or not before or context.planned_offload:
            return loaded
        return min(loaded, before[-1] + PINNED_MOST)


def _shared(readings: Iterable[GpuSample]) -> list[int]:
    return [
        g.shared_used_bytes
        for g in readings
        if g.shared_used_bytes is not None and 0 <= g.shared_used_bytes <= CARD_MOST_BYTES
    ]


def _rounds(record: RequestRecord) -> float | None:
    """Rounds per second; without drafting every token is a round."""
    found = rounds_per_s(record.times, record.drafts)
    timings = record.times.timings
    drafted = timings is not None and bool(timings.draft_n)
    return decode_tok_s(record.times) if found is None and not drafted else found


def _prefill(record: RequestRecord) -> float | None:
    return prefill_tok_s(record.times)


def _power(reading: GpuSample) -> float | None:
    return reading.power_w


def _traffic(reading: GpuSample) -> float | None:
    both = [kb_s for kb_s in (reading.pcie_tx_kb_s, reading.pcie_rx_kb_s) if kb_s is not None]
    return sum(both) if both else None


def _mean(readings: Iterable[GpuSample], figure: Callable[[GpuSample], float | None]) -> float | None:
    known = [found for reading in readings if (found := figure(reading)) is not None]
    return fmean(known) if known else None


def _over(figure: float | None, expected: float | None) -> float | None:
    return None if figure is None or not expected else figure / expected
