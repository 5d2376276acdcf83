"""A running server whose card spills is noticed, and nothing else is taken for it."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.machine_facts import GpuFacts, GpuSample, HostSample, TelemetrySample
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.session.spill_watch import spilled

GIB = 1024**3
CARD = GpuFacts(0, "pci-1", "RX 7900 XTX", 24 * GIB, "amdgpu", vendor="amd")
ENGINE = EngineFacts(
    EngineRef("binary", ("/x",), "/x", "chosen"), "v", 1, None, frozenset(), frozenset(), (),
    (DeviceFacts("ROCm0", "RX 7900 XTX", 24 * GIB, None),),
)  # fmt: skip


def reading(t_ns: int, free: int, shared: int | None) -> TelemetrySample:
    card = GpuSample(
        "pci-1", vram_used_bytes=24 * GIB - free, vram_total_bytes=24 * GIB, shared_used_bytes=shared
    )
    return TelemetrySample(t_ns, HostSample(None, None, None), (card,))


def rooms(samples: list[TelemetrySample], state: ServerState = ServerState.READY) -> Any:
    return SimpleNamespace(
        clock=SimpleNamespace(now_ns=lambda: 10**12),
        sampler=SimpleNamespace(samples_between=lambda _a, _b: tuple(samples)),
        supervisor=SimpleNamespace(state=state),
        machine=SimpleNamespace(os="Debian (Linux 6.1)"),
    )


def running(settings: ServerSettings) -> Any:
    return SimpleNamespace(spec=SimpleNamespace(facts=ENGINE, settings=settings))


async def judged(samples: list[TelemetrySample], settings: ServerSettings | None = None, **more: Any) -> str:
    watch = spilled(rooms(samples, **more), running(settings or ServerSettings()), (CARD,), 0, 0.001)
    try:
        return cast("str", (await asyncio.wait_for(watch, 0.5)).code)
    except TimeoutError:
        return "nothing"


SPILLED = [reading(1, GIB, GIB), reading(2, 100 * 1024**2, 4 * GIB), reading(3, 100 * 1024**2, 5 * GIB)]


async def test_a_full_card_that_borrows_main_memory_has_spilled() -> None:
    assert await judged(SPILLED) == "spill_yes_shared"


@pytest.mark.parametrize(
    "samples",
    [
        [reading(1, 2 * GIB, GIB), reading(2, 2 * GIB, GIB)],
        [reading(1, 100 * 1024**2, GIB), reading(2, 100 * 1024**2, GIB)],
        [reading(1, 100 * 1024**2, None), reading(2, 100 * 1024**2, None)],
        [],
    ],
    ids=["room", "full but calm", "no counter", "no reading"],
)
async def test_room_calm_or_silence_is_no_spill(samples: list[TelemetrySample]) -> None:
    assert await judged(samples) == "nothing"


async def test_planned_offload_and_a_measurement_are_left_alone() -> None:
    assert await judged(SPILLED, ServerSettings(n_cpu_moe=4)) == "nothing"
    assert await judged(SPILLED, state=ServerState.MEASURING) == "nothing"
