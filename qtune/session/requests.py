"""What window and terminal ask of a session, and what they get back."""

from __future__ import annotations

from dataclasses import dataclass

from qtune.core.messages import Message
from qtune.core.records import (
    EngineFacts,
    EngineRef,
    ExperimentRecord,
    GpuFacts,
    MachineFacts,
    ModelFacts,
    RequestRecord,
    RunRecord,
)
from qtune.core.settings import ServerSettings
from qtune.core.stats import ArmFigures
from qtune.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """Start one server and leave it running.

    Attributes:
        preset: Name of the preset the settings came from, or ``custom``.
    """

    engine: EngineRef
    model_path: str
    settings: ServerSettings
    preset: str


@dataclass(frozen=True, slots=True)
class ArmResult:
    """One start of an arm: its run, its raw requests, and what follows from them.

    Attributes:
        memory_bytes: Memory in use from the end of the load on, at 2 Hz; empty when it was not read.
        joule_per_token: Energy of the card over the tokens of counted answers; None without a power meter.
    """

    run: RunRecord
    requests: tuple[RequestRecord, ...]
    figures: ArmFigures
    memory_bytes: tuple[int, ...] = ()
    joule_per_token: float | None = None


@dataclass(frozen=True, slots=True)
class MeasureResult:
    """A finished (or cancelled) experiment: every start of it; those not reached are missing."""

    experiment: ExperimentRecord
    arms: tuple[ArmResult, ...]
    verdict: Verdict
    cancelled: bool = False
    failure: Message | None = None


@dataclass(frozen=True, slots=True)
class EngineFinding:
    """An engine candidate and what probing it gave: facts, or the sentence why not."""

    ref: EngineRef
    facts: EngineFacts | None
    problem: Message | None = None


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What is here, what is missing, and what to do about it."""

    machine: MachineFacts
    engines: tuple[EngineFinding, ...]
    gpus: tuple[GpuFacts, ...]
    gpu_note: Message | None
    models: tuple[ModelFacts, ...]
    folders: tuple[tuple[str, str], ...]
    advice: tuple[Message, ...]
