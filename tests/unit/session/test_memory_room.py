"""Where a launch goes and what is free there, from what drivers and the engine tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from qtune.core.card_memory import INTEGRATED
from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.machine_facts import GpuFacts, GpuProcess, GpuSample, HostSample, TelemetrySample
from qtune.core.memory import refusal, view
from qtune.core.memory_facts import Room
from qtune.core.settings import ServerSettings
from qtune.session.memory_room import Seen, room_for
from tests.unit.core.published_shapes import QWEN36_27B

GIB = 1024**3
REF = EngineRef("binary", ("/x",), "/x", "chosen")
BIG = GpuFacts(0, "GPU-big", "NVIDIA GeForce RTX 3090", 24 * GIB, "1", pci="0000:01:00.0")
SMALL = GpuFacts(1, "GPU-small", "NVIDIA GeForce GTX 745", 4 * GIB, "1", pci="0000:02:00.0")
RADEON = GpuFacts(2, "pci-0000:03:00.0", "AMD Radeon RX 7900 XTX", 24 * GIB, "amdgpu", vendor="amd")
APU = GpuFacts(
    3,
    "pci-0000:08:00.0",
    "AMD Radeon 780M",
    GIB // 2,
    "amdgpu",
    notes={INTEGRATED: "its memory is carved from main memory"},
    vendor="amd",
    shared_total_bytes=40 * GIB,
)
CUDA_BIG = DeviceFacts("CUDA0", BIG.name, 24 * GIB - GIB // 4, 23 * GIB)
CUDA_SMALL = DeviceFacts("CUDA1", SMALL.name, 4 * GIB, 4 * GIB)
VULKAN_APU = DeviceFacts("Vulkan0", "AMD Radeon 780M (RADV PHOENIX)", GIB // 2 + 40 * GIB, 9 * GIB)


def engine(*devices: DeviceFacts) -> EngineFacts:
    return EngineFacts(REF, "v", 1, None, frozenset(), frozenset(), (), devices)


def reading(*gpus: GpuSample, host: HostSample | None = None) -> TelemetrySample:
    return TelemetrySample(0, host or HostSample(None, None, None), gpus)


def room(
    facts: EngineFacts | None, cards: Sequence[GpuFacts] = (), *gpus: GpuSample, chosen: str = "", **seen: Any
) -> Room:
    there = Seen(cards, **{"latest": reading(*gpus), **seen})
    found = room_for(on_card=True, engine=facts, seen=there, chosen=chosen)
    assert found is not None
    return found


def used(card: GpuFacts, gib: int) -> GpuSample:
    return GpuSample(card.uuid, gib * GIB, card.vram_total_bytes)


def test_an_engine_without_devices_sits_in_main_memory_even_beside_a_card() -> None:
    host = HostSample(1.0, 10 * GIB, 32 * GIB, engine_rss_bytes=2 * GIB)
    found = room_for(on_card=False, engine=engine(), seen=Seen([BIG], reading(host=host)))
    assert found is not None
    assert (found.name, found.total_bytes, found.others_bytes) == ("", 32 * GIB, 8 * GIB)


def test_our_own_engine_does_not_count_as_another_program() -> None:
    ours = GpuProcess(BIG.uuid, 7, "llama-server", 18 * GIB)
    browser = GpuProcess(BIG.uuid, 8, "browser", GIB)
    found = room(None, [BIG], used(BIG, 20), processes=[ours, browser], our_pids=[7])
    assert found.others_bytes == 2 * GIB
    assert found.free_bytes == 22 * GIB
    assert found.others == (("browser", GIB),)


@pytest.mark.parametrize("facts", [None, engine(CUDA_BIG, CUDA_SMALL)], ids=["no engine", "an engine"])
def test_the_chosen_card_counts_alone_and_without_a_choice_all_of_them(facts: EngineFacts | None) -> None:
    cards, now = [SMALL, BIG], (used(SMALL, 1), used(BIG, 2))
    alone = room(facts, cards, *now, chosen=BIG.uuid)
    both = room(facts, cards, *now)
    assert (alone.uuid, alone.free_bytes) == (BIG.uuid, 22 * GIB)
    assert (both.uuid, both.free_bytes) == ("", 25 * GIB)


# -- cards the engine cannot use ------------------------------------------------------------------------


def test_a_card_the_engine_has_no_backend_for_holds_nothing_of_the_model() -> None:
    found = room(engine(CUDA_BIG), [BIG, RADEON, APU], used(BIG, 2), used(RADEON, 1))
    assert (found.uuid, found.free_bytes) == (BIG.uuid, 22 * GIB)
    unheeded = room(engine(CUDA_BIG), [BIG, RADEON], used(BIG, 2), used(RADEON, 1), chosen=RADEON.uuid)
    assert unheeded.uuid == BIG.uuid, "the engine takes what it has, whatever was chosen"


def test_a_card_hidden_from_the_engine_holds_nothing_of_the_model() -> None:
    found = room(engine(CUDA_BIG), [BIG, SMALL], used(BIG, 2), used(SMALL, 1))
    assert (found.uuid, found.free_bytes) == (BIG.uuid, 22 * GIB)


def test_the_chosen_cuda_card_counts_though_it_was_hidden_when_the_engine_was_asked() -> None:
    found = room(engine(CUDA_BIG), [BIG, SMALL], used(BIG, 2), used(SMALL, 1), chosen=SMALL.uuid)
    assert (found.uuid, found.free_bytes) == (SMALL.uuid, 3 * GIB)


def test_integrated_graphics_are_left_out_beside_a_card() -> None:
    vulkan = engine(
        DeviceFacts("Vulkan0", f"{BIG.name} (NV)", 24 * GIB, None),
        DeviceFacts("Vulkan1", "Intel(R) UHD Graphics 770 (ADL-S GT1)", 31 * GIB, None),
    )
    assert room(vulkan, [BIG], used(BIG, 2)).free_bytes == 22 * GIB
    alone = room(engine(vulkan.devices[1]))
    assert (alone.total_bytes, alone.free_bytes) == (31 * GIB, None)


def test_a_device_that_is_no_card_of_the_drivers_leaves_what_is_free_unknown() -> None:
    arc = DeviceFacts("Vulkan1", "Intel(R) Arc(TM) A770 Graphics (DG2)", 16 * GIB, 16 * GIB)
    found = room(engine(replace(CUDA_BIG, name="Vulkan0"), arc), [BIG], used(BIG, 2))
    assert (found.total_bytes, found.free_bytes) == (40 * GIB, None)


# -- graphics that borrow main memory -------------------------------------------------------------------


def test_integrated_graphics_have_what_they_may_borrow_too() -> None:
    now = GpuSample(APU.uuid, GIB // 4, GIB // 2, shared_used_bytes=GIB)
    for facts in (None, engine(VULKAN_APU)):
        found = room(facts, [APU], now)
        assert found.total_bytes == 40 * GIB + GIB // 2
        assert found.others_bytes == GIB + GIB // 4
    ours = room(None, [APU], now, our_pids=[7])
    assert ours.others_bytes is None, "what our engine borrowed of it is not told"


def test_nothing_is_refused_where_main_memory_is_borrowed() -> None:
    bare = replace(APU, shared_total_bytes=None)
    now = GpuSample(APU.uuid, GIB // 4, GIB // 2)
    settings = ServerSettings(ctx_size=8192)
    for card in (bare, replace(APU, shared_total_bytes=GIB)):
        against = view(QWEN36_27B, settings, room(None, [card], now), keep_bytes=GIB, on_card=True)
        assert against is not None
        assert refusal(against) is None
    own = view(QWEN36_27B, settings, room(None, [SMALL], used(SMALL, 1)), keep_bytes=GIB, on_card=True)
    assert own is not None
    assert refusal(own) is not None


# -- by the engine's own list ---------------------------------------------------------------------------


def test_what_an_engine_said_was_free_says_nothing_of_now() -> None:
    arc = DeviceFacts("SYCL0", "Intel(R) Arc(TM) A770 Graphics", 16 * GIB, 15 * GIB)
    assert room(engine(arc)).others_bytes is None


def test_on_apple_main_memory_that_is_free_counts() -> None:
    metal = engine(DeviceFacts("MTL0", "Apple M2", 16 * GIB, 12 * GIB))

    def others(host: HostSample) -> int | None:
        found = room(metal, latest=reading(host=host))
        assert (found.name, found.total_bytes) == ("Apple M2", 16 * GIB)
        return found.others_bytes

    assert others(HostSample(1.0, 4 * GIB, 24 * GIB)) == 0, "20 GiB are free, more than Metal may take"
    assert others(HostSample(1.0, 14 * GIB, 24 * GIB)) == 6 * GIB
    assert others(HostSample(1.0, 14 * GIB, 24 * GIB, engine_rss_bytes=3 * GIB)) == 3 * GIB
    assert others(HostSample(None, None, None)) is None


def test_what_cannot_be_read_is_unknown_and_never_zero() -> None:
    assert room_for(on_card=False, engine=None, seen=Seen()) is None
    assert room(None, [BIG], GpuSample(BIG.uuid)).free_bytes is None
    nameless = DeviceFacts("Vulkan0", "GPU", None, None)
    assert room_for(on_card=True, engine=engine(nameless), seen=Seen()) is None
