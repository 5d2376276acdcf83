"""Which card an engine is given, and which of its devices is which card."""

from __future__ import annotations

from typing import Any

import pytest

from qtune.core.card_choice import choose_card, cuda_environment, devices_used, match_devices
from qtune.core.engine_facts import DeviceFacts
from qtune.core.machine_facts import GpuFacts

MIB = 1 << 20


def card(uuid: str, name: str, mib: int | None, pci: str = "", **more: Any) -> GpuFacts:
    return GpuFacts(0, uuid, name, None if mib is None else mib * MIB, None, pci=pci, **more)


def device(name: str, description: str, mib: int | None) -> DeviceFacts:
    return DeviceFacts(name, description, None if mib is None else mib * MIB, None)


SLOW = card("GPU-A", "NVIDIA GeForce GTX 745", 4044, "0000:01:00.0")
FAST = card("GPU-B", "NVIDIA GeForce RTX 3090", 24576, "0000:02:00.0")
TWIN = card("GPU-C", "NVIDIA GeForce RTX 3090", 24576, "0000:41:00.0")
RED = card("0000:03:00.0", "AMD Radeon RX 7900 XTX", 24560, "0000:03:00.0", vendor="amd")


@pytest.mark.parametrize(
    ("uuid", "visible"),
    [
        ("GPU-B", {"CUDA_VISIBLE_DEVICES": "GPU-B"}),
        ("MIG-1234", {"CUDA_VISIBLE_DEVICES": "MIG-1234"}),
        ("", {}),
        ("0000:03:00.0", {}),
        ("pci-0000:01:00.0", {}),
        ("card-1", {}),
    ],
)
def test_environment_of_a_choice(uuid: str, visible: dict[str, str]) -> None:
    assert cuda_environment(uuid) == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"} | visible


def test_cuda_by_speed_and_driver_by_bus_meet_by_name() -> None:
    devices = [device("CUDA0", FAST.name, 24117), device("CUDA1", SLOW.name, 4000)]
    assert match_devices(devices, [SLOW, FAST]) == {"CUDA0": "GPU-B", "CUDA1": "GPU-A"}


def test_equal_cards_stand_in_the_order_of_the_bus_whatever_the_order_of_the_lists() -> None:
    devices = [device(f"CUDA{n}", FAST.name, 24117) for n in (10, 9)]
    assert match_devices(devices, [TWIN, SLOW, FAST]) == {"CUDA9": "GPU-B", "CUDA10": "GPU-C"}


@pytest.mark.parametrize(
    "cards",
    [
        pytest.param([FAST, TWIN, card("GPU-D", FAST.name, 24576, "0000:61:00.0")], id="one is hidden"),
        pytest.param([FAST, card("GPU-D", FAST.name, 24576)], id="an address is unknown"),
        pytest.param([FAST, card("GPU-D", FAST.name, 24576, FAST.pci)], id="slices of one board"),
        pytest.param([FAST], id="more devices than cards"),
    ],
)
def test_a_tie_that_nothing_breaks_is_left_open(cards: list[GpuFacts]) -> None:
    assert match_devices([device("CUDA0", FAST.name, 24117), device("CUDA1", FAST.name, 24117)], cards) == {}


def test_same_name_and_other_memory_are_two_cards() -> None:
    small, large = (
        card("GPU-S", "NVIDIA GeForce RTX 3080", 10240),
        card("GPU-L", "NVIDIA GeForce RTX 3080", 12288),
    )
    devices = [device("CUDA0", large.name, 12037), device("CUDA1", small.name, 10009)]
    assert match_devices(devices, [small, large]) == {"CUDA0": "GPU-L", "CUDA1": "GPU-S"}


def test_no_card_is_given_to_two_devices_of_a_backend() -> None:
    name = "NVIDIA GeForce RTX 3080"
    small, large = card("GPU-S", name, 10240, "0000:01:00.0"), card("GPU-L", name, 12288, "0000:02:00.0")
    devices = [device("CUDA0", name, 12037), device("CUDA1", name, None), device("CUDA2", name, None)]
    found = match_devices(devices, [small, large])
    assert "GPU-L" not in found.values()


def test_one_card_in_two_backends_and_a_card_of_another_maker() -> None:
    devices = [
        device("CUDA0", FAST.name, 24117),
        device("Vulkan0", "NVIDIA GeForce RTX 3090", 24576),
        device("Vulkan1", "AMD Radeon RX 7900 XTX (RADV NAVI31)", 24560),
    ]
    assert match_devices(devices, [RED, FAST]) == {
        "CUDA0": "GPU-B",
        "Vulkan0": "GPU-B",
        "Vulkan1": "0000:03:00.0",
    }


def test_unknown_memory_is_no_contradiction_and_unlike_memory_is() -> None:
    assert match_devices([device("CUDA0", FAST.name, None)], [SLOW, FAST]) == {"CUDA0": "GPU-B"}
    assert match_devices([device("CUDA0", FAST.name, 12037)], [FAST]) == {}


def test_the_only_card_of_the_only_maker_needs_no_name() -> None:
    odd = device("ROCm0", "gfx1100", 24560)
    assert match_devices([odd], [RED, FAST]) == {"ROCm0": RED.uuid}
    assert match_devices([device("Vulkan0", "gfx1100", 24560)], [RED, FAST]) == {}
    assert match_devices([odd], [FAST]) == match_devices([odd], []) == match_devices([], [RED]) == {}


# -- what an engine is told -----------------------------------------------------------------------------

ROCM = [device("ROCm0", RED.name, 24560), device("ROCm1", "AMD Radeon RX 6600", 8176)]
OTHER_RED = card("0000:09:00.0", "AMD Radeon RX 6600", 8176, "0000:09:00.0", vendor="amd")
VULKAN = [device("Vulkan0", f"{FAST.name}", 24576), device("Vulkan1", f"{RED.name} (RADV NAVI31)", 24560)]


@pytest.mark.parametrize(
    ("devices", "uuid", "named", "heeded"),
    [
        (ROCM, OTHER_RED.uuid, ("ROCm1",), True),
        (VULKAN, RED.uuid, ("Vulkan1",), True),
        (VULKAN, FAST.uuid, ("Vulkan0",), True),
        ([*ROCM, *VULKAN], RED.uuid, ("ROCm0",), True),
        ([device("CUDA0", FAST.name, 24117)], FAST.uuid, (), True),
        ([device("CUDA0", FAST.name, 24117)], SLOW.uuid, (), True),
        ([device("CUDA0", FAST.name, 24117), *VULKAN], FAST.uuid, ("CUDA0",), True),
        ([device("CUDA0", FAST.name, 24117)], RED.uuid, (), False),
        ([device("Vulkan0", "some card", 1)], RED.uuid, (), False),
        (ROCM, "", (), True),
    ],
    ids=["ROCm", "Vulkan on AMD", "Vulkan on NVIDIA", "in two backends", "CUDA", "hidden when asked",
         "CUDA and Vulkan", "no backend", "no known device", "no choice"],
)  # fmt: skip
def test_how_an_engine_is_confined_to_a_card(
    devices: list[DeviceFacts], uuid: str, named: tuple[str, ...], heeded: bool
) -> None:
    choice = choose_card(devices, [SLOW, FAST, RED, OTHER_RED], uuid)
    assert (choice.devices, choice.heeded) == (named, heeded)
    assert choice.environment == cuda_environment(uuid)


@pytest.mark.parametrize(
    ("devices", "used"),
    [
        ([device("Vulkan0", FAST.name, 24576), device("Vulkan1", "Intel(R) Iris(R) Xe Graphics", 9)], 1),
        ([device("Vulkan0", FAST.name, 24576), device("Vulkan1", "AMD Radeon 780M (RADV PHOENIX)", 9)], 1),
        ([device("Vulkan0", FAST.name, 24576), device("Vulkan1", "AMD Radeon(TM) Graphics", 9)], 1),
        ([device("Vulkan0", FAST.name, 24576), device("Vulkan1", "Intel(R) Arc(TM) A770 Graphics", 9)], 2),
        ([device("ROCm0", RED.name, 24560), device("ROCm1", "AMD Radeon Graphics", 32752)], 2),
        ([device("Vulkan0", "AMD Radeon 780M (RADV PHOENIX)", 9)], 1),
    ],
)
def test_integrated_graphics_are_used_only_alone(devices: list[DeviceFacts], used: int) -> None:
    assert devices_used(devices, [FAST, RED]) == tuple(devices[:used])
