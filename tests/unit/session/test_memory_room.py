"""Where a launch goes and what is free there, from what drivers and the engine tell."""

from qtune.core.records import (
    DeviceFacts,
    EngineFacts,
    EngineRef,
    GpuFacts,
    GpuProcess,
    GpuSample,
    HostSample,
    TelemetrySample,
)
from qtune.session.memory_room import places_on_card, room_for

GIB = 1024**3
REF = EngineRef("binary", ("/x",), "/x", "chosen")
BIG = GpuFacts(0, "GPU-big", "RTX 3090", 24 * GIB, "1")
SMALL = GpuFacts(1, "GPU-small", "GTX 745", 4 * GIB, "1")


def engine(*devices: DeviceFacts) -> EngineFacts:
    return EngineFacts(REF, "v", 1, None, frozenset(), frozenset(), (), devices)


def reading(*gpus: GpuSample, host: HostSample | None = None) -> TelemetrySample:
    return TelemetrySample(0, host or HostSample(None, None, None), gpus)


def test_an_engine_without_devices_sits_in_main_memory_even_beside_a_card() -> None:
    assert not places_on_card(engine(), [BIG])
    assert places_on_card(None, [BIG])
    host = HostSample(1.0, 10 * GIB, 32 * GIB, engine_rss_bytes=2 * GIB)
    room = room_for(on_card=False, engine=engine(), cards=[BIG], latest=reading(host=host))
    assert room is not None
    assert (room.name, room.total_bytes, room.others_bytes) == ("", 32 * GIB, 8 * GIB)


def test_our_own_engine_does_not_count_as_another_program() -> None:
    used = GpuSample("GPU-big", vram_used_bytes=20 * GIB, vram_total_bytes=24 * GIB)
    ours, browser = (
        GpuProcess("GPU-big", 7, "llama-server", 18 * GIB),
        GpuProcess("GPU-big", 8, "browser", GIB),
    )
    room = room_for(
        on_card=True,
        engine=None,
        cards=[BIG],
        latest=reading(used),
        processes=[ours, browser],
        our_pids=[7],
    )
    assert room is not None
    assert room.others_bytes == 2 * GIB
    assert room.free_bytes == 22 * GIB
    assert room.others == (("browser", GIB),)


def test_the_chosen_card_counts_alone_and_without_a_choice_all_of_them() -> None:
    latest = reading(
        GpuSample("GPU-small", vram_used_bytes=GIB, vram_total_bytes=4 * GIB),
        GpuSample("GPU-big", vram_used_bytes=2 * GIB, vram_total_bytes=24 * GIB),
    )
    cards = [SMALL, BIG]
    alone = room_for(on_card=True, engine=None, cards=cards, latest=latest, chosen="GPU-big")
    both = room_for(on_card=True, engine=None, cards=cards, latest=latest)
    assert alone is not None
    assert both is not None
    assert (alone.uuid, alone.free_bytes) == ("GPU-big", 22 * GIB)
    assert (both.uuid, both.free_bytes) == ("", 25 * GIB)


def test_without_a_driver_library_the_engines_own_list_is_taken() -> None:
    metal = DeviceFacts("MTL0", "Apple M2", 16 * GIB, 12 * GIB)
    room = room_for(on_card=True, engine=engine(metal), cards=[], latest=None)
    assert room is not None
    assert (room.name, room.free_bytes) == ("Apple M2", 12 * GIB)


def test_what_cannot_be_read_is_unknown_and_never_zero() -> None:
    assert room_for(on_card=False, engine=None, cards=[], latest=None) is None
    silent = reading(GpuSample("GPU-big"))
    room = room_for(on_card=True, engine=None, cards=[BIG], latest=silent)
    assert room is not None
    assert room.free_bytes is None
    nameless = DeviceFacts("Vulkan0", "GPU", None, None)
    assert room_for(on_card=True, engine=engine(nameless), cards=[], latest=None) is None
