"""What is refused before a launch, and how the chosen card reaches the engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.core.machine_facts import GpuFacts
from qtune.core.settings import ServerSettings
from qtune.session.launching import check_launch, launch_spec
from qtune.ui.state.obstacles import mtp_obstacle
from tests.unit.core.published_shapes import QWEN36_27B

GIB = 1024**3
GEMMA = replace(QWEN36_27B, arch="gemma4", mtp="none", sidecars=("/m/MTP/mtp-gemma4.gguf",))
MTP = ServerSettings(mtp=True)
RED = GpuFacts(0, "pci-0000:03:00.0", "AMD Radeon RX 7900 XTX", 24 * GIB, "amdgpu", vendor="amd")


def engine(build: int = 11_434, *devices: DeviceFacts) -> EngineFacts:
    ref = EngineRef("binary", ("/x",), "/x", "chosen")
    return EngineFacts(ref, f"b{build}", build, None, frozenset(), frozenset(), ("draft-mtp",), devices)


def test_a_head_beside_gemma4_is_asked_for_by_its_own_architecture() -> None:
    check_launch(MTP, engine(), GEMMA)
    assert mtp_obstacle(GEMMA, engine()) is None

    with pytest.raises(KnownError) as refused:
        check_launch(MTP, engine(9_600), GEMMA)
    assert refused.value.message == mtp_obstacle(GEMMA, engine(9_600))
    assert dict(refused.value.message.params)["arch"] == "gemma4-assistant"


def test_a_head_inside_is_asked_for_by_the_models_architecture() -> None:
    inside = replace(QWEN36_27B, arch="gemma4", mtp="embedded", sidecars=())
    with pytest.raises(KnownError) as refused:
        check_launch(MTP, engine(), inside)
    assert dict(refused.value.message.params)["arch"] == "gemma4"


def test_the_chosen_card_reaches_an_engine_that_is_not_cuda_by_its_devices() -> None:
    vulkan = engine(11_434, DeviceFacts("Vulkan3", f"{RED.name} (RADV NAVI31)", 24 * GIB, None))
    spec = launch_spec(vulkan, QWEN36_27B, MTP, "balanced", card=RED.uuid, cards=[RED])
    assert (spec.devices, spec.card) == (("Vulkan3",), RED.uuid)

    cuda = engine(11_434, DeviceFacts("CUDA0", "NVIDIA GeForce RTX 4090", 24 * GIB, None))
    unheeded = launch_spec(cuda, QWEN36_27B, MTP, "balanced", card=RED.uuid, cards=[RED])
    assert (unheeded.devices, unheeded.card) == ((), ""), "what it took is what all cards took"
