"""A run as one line of a table: what identifies it, its settings, what was read and what came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qtune.core.engine_facts import DeviceFacts, EngineFacts
from qtune.core.machine_facts import GpuFacts, MachineFacts
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import EffectiveSettings, MemoryFacts, RequestRecord, RunRecord
from qtune.core.settings import ServerSettings
from qtune.core.stats import FlatFigures, arm_figures, flat
from qtune.core.verdict import Verdict


class Readings(NamedTuple):
    """What was read of a run's server, its devices and its memory; None where it was not told.

    Attributes:
        verified: Whether what was asked for was read back.
        devices: Names of the engine's devices.
        memory_kind: As ``MemoryFacts.kind``, and so on; without memory all of them are None.
    """

    verified: bool | None
    devices: str
    memory_kind: str | None = None
    memory_before_bytes: int | None = None
    memory_loaded_bytes: int | None = None
    memory_peak_bytes: int | None = None
    memory_total_bytes: int | None = None
    spill: str | None = None


class Standing(NamedTuple):
    """What became of a run in its experiment, and what the user said of it.

    Attributes:
        kind: Of the experiment; empty where it belongs to none, or nothing was worked out yet.
        decision: Of the experiment's verdict; None without one.
        ratio: Decode rate of the run's arm over off by that verdict; None where it was not held against off.
    """

    kind: str = ""
    decision: str | None = None
    ratio: float | None = None
    starred: bool = False
    outlier: bool = False
    note: str = ""


class RunLine(NamedTuple):
    """A run with the figures of its own counted requests; attributes as those of ``RunRecord``.

    A tuple, since an export makes a hundred thousand of them.
    """

    id: str
    experiment_id: str
    arm: str
    preset: str
    start: int
    status: str
    failure: Message | None
    started_utc: str
    ended_utc: str | None
    model: ModelFacts
    engine: EngineFacts
    machine: MachineFacts
    gpus: tuple[GpuFacts, ...]
    settings_requested: ServerSettings
    mtp_active: bool | None
    load_ms: float | None
    notes: tuple[Message, ...]
    figures: FlatFigures
    readings: Readings
    standing: Standing


def judged(verdict: Verdict | None, arm: str) -> tuple[str | None, float | None]:
    """Decision and ratio, as in :class:`Standing`, of the runs of one arm."""
    if verdict is None:
        return None, None
    return verdict.decision, next((found.ratio for found in verdict.ratios if found.arm == arm), None)


def readings(
    effective: EffectiveSettings | None, devices: Sequence[DeviceFacts], memory: MemoryFacts | None
) -> Readings:
    """Of what a run's record holds."""
    verified, names = None if effective is None else effective.verified, ", ".join(d.name for d in devices)
    if memory is None:
        return Readings(verified, names)
    of_memory = memory.kind, memory.before, memory.loaded, memory.peak, memory.total, memory.spill
    return Readings(verified, names, *of_memory)


def run_line(run: RunRecord, requests: Sequence[RequestRecord], standing: Standing) -> RunLine:
    """Line of a run, its figures derived from its raw requests."""
    return RunLine(
        id=run.id,
        experiment_id=run.experiment_id,
        arm=run.arm,
        preset=run.preset,
        start=run.start,
        status=run.status.value,
        failure=run.failure,
        started_utc=run.started_utc,
        ended_utc=run.ended_utc,
        model=run.model,
        engine=run.engine,
        machine=run.machine,
        gpus=run.gpus,
        settings_requested=run.settings_requested,
        mtp_active=run.mtp_active,
        load_ms=run.load_ms,
        notes=run.notes,
        figures=flat(arm_figures(requests)),
        readings=readings(run.settings_effective, run.engine.devices, run.memory),
        standing=standing,
    )
