"""Runs on cards, made by hand for the tests of what their readings prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from qtune.core.engine_facts import DeviceFacts
from qtune.core.machine_facts import GpuFacts, GpuSample, HostSample, TelemetrySample
from qtune.core.records import EffectiveSettings, RunRecord
from tests.unit.core.by_hand import MS, run

GIB = 1024**3
CUDA = DeviceFacts("CUDA0", "NVIDIA GeForce RTX 3090", 24 * GIB, 23 * GIB)


def run_on(
    *cards: GpuFacts, devices: Sequence[DeviceFacts] = (CUDA,), layers: int | None = None, **settings: Any
) -> RunRecord:
    """A run of an engine with these devices; ``layers`` is what it said it placed on cards."""
    made = run("off")
    effective = None if layers is None else EffectiveSettings(layers_offloaded=layers, layers_total=33)
    return replace(
        made,
        engine=replace(made.engine, devices=tuple(devices)),
        settings_requested=made.settings_requested.with_values(settings),
        settings_effective=effective,
        gpus=cards,
    )


def sample(t_ms: int, *gpus: GpuSample, rss: int | None = GIB) -> TelemetrySample:
    return TelemetrySample(t_ms * MS, HostSample(1.0, 8 * GIB, 64 * GIB, rss), gpus)
