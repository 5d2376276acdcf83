"""What window and terminal ask of a session, and what they get back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from qtune.core.card_memory import MemoryPeak
from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing, RungView
from qtune.core.machine_facts import GpuFacts, MachineFacts
from qtune.core.memory_facts import FitState, MemoryView
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.mtp_archs import MtpSupport
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord
from qtune.core.settings import ServerSettings
from qtune.core.spill_series import RoomyFigures
from qtune.core.stats import ArmFigures
from qtune.core.verdict import Verdict
from qtune.session.trials import Trial


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
class ServerAccess:
    """How a program reaches the running server: its OpenAI-compatible address and the key."""

    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LadderReport:
    """What is on disk about the ladder, for a process that runs no server itself.

    Attributes:
        asked: What was asked for when the newest chain of steps began.
        rungs: Rungs below what was asked, in order; empty when its file is gone.
        running: Launches in progress and running servers of all processes of qtune.
        last_good: What a start without further words would launch.
        default: What the user kept as the default.
        stale: The launch that took the app or the computer down.
        bad: Combinations known to fail, newest first.
        steps: Newest first.
        incidents: Newest first.
    """

    asked: Footing | None
    rungs: tuple[RungView, ...]
    running: tuple[Trial, ...]
    last_good: Trial | None
    default: Trial | None
    stale: Trial | None
    bad: tuple[Trial, ...]
    steps: tuple[LadderStep, ...]
    incidents: tuple[Incident, ...]


@dataclass(frozen=True, slots=True)
class ArmResult:
    """One start of an arm: its run, its raw requests, and what follows from them.

    Attributes:
        memory_bytes: Memory in use from the end of the load on, at 2 Hz; empty when it was not read.
        joule_per_token: Energy of the card over the tokens of counted answers; None without a power meter.
        request_peaks: Most memory in use during each request, None where not read; empty where not wanted.
        roomy: What later starts can be compared with, where this one had room on its card.
    """

    run: RunRecord
    requests: tuple[RequestRecord, ...]
    figures: ArmFigures
    memory_bytes: tuple[int, ...] = ()
    joule_per_token: float | None = None
    request_peaks: tuple[MemoryPeak | None, ...] = ()
    roomy: RoomyFigures | None = None


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


@dataclass(frozen=True, slots=True)
class ContextFit:
    """Whether a model fits at one context length, with MTP off and on (None: it has no head)."""

    ctx_size: int
    off_bytes: int
    off: FitState
    mtp_bytes: int | None
    mtp: FitState | None


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model found on disk.

    Attributes:
        memory: At the user's context with the preset balanced (off for a model without a head); None where
            the header is too poor for an estimate.
        contexts: Fit per context length, growing.
        siblings: Paths of the same model in other quantisations, largest first.
        head_runs: Whether the engine it is held against can run its MTP head; None without a head.
    """

    facts: ModelFacts
    memory: MemoryView | None = None
    contexts: tuple[ContextFit, ...] = ()
    siblings: tuple[str, ...] = ()
    head_runs: MtpSupport | None = None


@dataclass(frozen=True, slots=True)
class SurveyRequest:
    """A search for models.

    Attributes:
        folders: Only these; empty for the user's own, those of other programs, and the sample.
        ctx_size: Context the fit is shown for.
        engine: Whose build and devices count; without it what the driver names.
        card: UUID of the card to hold them against; None for the user's choice.
    """

    folders: tuple[Path, ...] = ()
    ctx_size: int | None = None
    engine: EngineFacts | None = None
    card: str | None = None


@dataclass(frozen=True, slots=True)
class ModelReport:
    """What a search for models found.

    Attributes:
        problems: Files that look like a model and are none, folders that cannot be read, a search cut short.
        folders: Where was looked.
        cancelled: The user broke the search off; what was found until then is there.
    """

    entries: tuple[ModelEntry, ...]
    problems: tuple[Message, ...] = ()
    folders: tuple[str, ...] = ()
    cancelled: bool = False
