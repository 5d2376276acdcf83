"""What readings prove of memory and energy: beside a card, on one, on several, on a part of main memory."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from qtune.core.card_memory import INTEGRATED, MemoryPeak
from qtune.core.machine_facts import GpuFacts, GpuSample, TelemetrySample
from qtune.core.records import RunRecord
from qtune.session.memory_evidence import (
    joule_per_token,
    memory_around,
    memory_peaks,
    memory_series,
    spill_context,
)
from tests.unit.core.by_hand import MS, request
from tests.unit.session.runs import GIB, run_on, sample

LAUNCHED, LOADED = 1_000 * MS, 2_000 * MS
ONE, TWO, SHOWN = (GpuFacts(n, f"GPU-{n}", "RTX 3090", 24 * GIB, "1") for n in range(3))
APU = GpuFacts(
    0, "pci-0", "780M", GIB // 2, None, notes={INTEGRATED: "y"}, vendor="amd", shared_total_bytes=40 * GIB
)


def gpu(card: GpuFacts, used_gib: float, watt: float | None = 100.0) -> GpuSample:
    return GpuSample(card.uuid, round(used_gib * GIB), card.vram_total_bytes, power_w=watt)


def story(*rows: tuple[float, ...], cards: Sequence[GpuFacts] = (ONE, TWO, SHOWN)) -> list[TelemetrySample]:
    """Readings at 0, 1, 2 ... s of what is in use on each card, in GiB."""
    return [
        sample(1_000 * n, *(gpu(card, one) for card, one in zip(cards, row, strict=True)))
        for n, row in enumerate(rows)
    ]


SPLIT = story((1.0, 0.5, 2.0), (1.0, 0.5, 2.0), (20.0, 22.0, 2.25), (21.0, 23.5, 2.25))
DURING = request(times={"sent_ns": 2_500 * MS, "ended_ns": 3_000 * MS})


# -- an engine beside a card ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made",
    [run_on(ONE, devices=()), run_on(ONE, layers=0), run_on(ONE, gpu_layers="none")],
    ids=["a build for the processor", "no layer on the card", "no layer wanted there"],
)
def test_an_engine_on_the_processor_is_not_judged_by_the_card_beside_it(made: RunRecord) -> None:
    browser = story((1.0,), (1.0,), (9.0,), (9.0,), cards=[ONE])
    found = memory_around(browser, made, LAUNCHED, LOADED)
    assert found is not None
    assert (found.kind, found.peak, found.total) == ("ram", GIB, 64 * GIB)
    assert memory_peaks(browser, [DURING], made) == (MemoryPeak(GIB),)
    assert set(memory_series(browser, made, LOADED)) == {GIB}
    assert joule_per_token(browser, [DURING], made, LAUNCHED) is None


def test_spill_is_asked_only_of_an_engine_that_was_meant_for_a_card() -> None:
    samples = story((1.0,), (1.0,), (1.0,), cards=[ONE])
    assert spill_context(samples, run_on(ONE, devices=()), LAUNCHED, LOADED) is None
    assert spill_context(samples, run_on(ONE, gpu_layers="none"), LAUNCHED, LOADED) is None
    fell_back = spill_context(samples, run_on(ONE, layers=0), LAUNCHED, LOADED)
    assert fell_back is not None, "why it is slow must be told"
    assert (fell_back.layers_offloaded, fell_back.layers_total) == (0, 33)


# -- a model on several cards ---------------------------------------------------------------------------


def test_a_split_model_is_counted_on_all_its_cards_and_judged_by_the_fullest() -> None:
    made = run_on(ONE, TWO, SHOWN, layers=33)
    found = memory_around(SPLIT, made, LAUNCHED, LOADED)
    assert found is not None
    assert (found.before, found.loaded, found.peak) == (1.5 * GIB, 42 * GIB, 44.5 * GIB)
    assert (found.total, found.free_min) == (48 * GIB, GIB // 2)
    assert memory_peaks(SPLIT, [DURING], made) == (MemoryPeak(round(44.5 * GIB), GIB // 2),)
    context = spill_context(SPLIT, made, LAUNCHED, LOADED)
    assert context is not None
    assert context.uuid == TWO.uuid
    tokens = 101
    assert joule_per_token(SPLIT, [DURING], made, LAUNCHED) == pytest.approx(200.0 * 0.5 / tokens)


def test_the_power_of_a_split_model_is_unknown_where_one_card_does_not_tell() -> None:
    silent = [sample(s.t_ns // MS, s.gpus[0], gpu(TWO, 20.0, None)) for s in SPLIT[:1]]
    rest = [
        sample(s.t_ns // MS, s.gpus[0], GpuSample(TWO.uuid, s.gpus[1].vram_used_bytes, 24 * GIB))
        for s in SPLIT[1:]
    ]
    assert joule_per_token([*silent, *rest], [DURING], run_on(ONE, TWO, layers=33), LAUNCHED) is None


def test_a_card_that_grew_a_little_belongs_to_others() -> None:
    samples = story((1.0, 0.5), (1.0, 0.5), (20.0, 0.9), cards=[ONE, TWO])
    found = memory_around(samples, run_on(ONE, TWO, layers=33), LAUNCHED, LOADED)
    assert found is not None
    assert (found.peak, found.total, found.free_least) == (20 * GIB, 24 * GIB, None)


# -- graphics without memory of their own ---------------------------------------------------------------


def test_what_integrated_graphics_borrow_counts_as_their_memory() -> None:
    samples = [
        sample(1_000 * n, GpuSample(APU.uuid, GIB // 2, GIB // 2, shared_used_bytes=round(borrowed * GIB)))
        for n, borrowed in enumerate((0.5, 0.5, 9.5))
    ]
    found = memory_around(samples, run_on(APU, layers=33), LAUNCHED, LOADED)
    assert found is not None
    assert (found.loaded, found.total, found.free_min) == (10 * GIB, 40.5 * GIB, 30.5 * GIB)
