"""What a session announces while it works: frozen values, drawn by the window and printed by the terminal."""

from __future__ import annotations

from dataclasses import dataclass

from qtune.core.engine_facts import EngineFacts
from qtune.core.incident import Incident
from qtune.core.ladder import LadderView, Rung
from qtune.core.machine_facts import TelemetrySample
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import ChatMessage, EffectiveSettings, Phase, RequestRecord, RunRecord
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """The server's state pill changed; ``reason`` says why it crashed or stopped."""

    state: ServerState
    reason: Message | None = None
    preset: str = ""
    settings: ServerSettings | None = None
    effective: EffectiveSettings | None = None
    model: ModelFacts | None = None
    engine: EngineFacts | None = None
    port: int | None = None


@dataclass(frozen=True, slots=True)
class LogArrived:
    """Lines of the engine's output, decoded, without line ends."""

    lines: tuple[str, ...]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class TelemetryTaken:
    """One telemetry sample."""

    sample: TelemetrySample


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run was stored and its engine is about to be launched."""

    run: RunRecord
    runs_total: int
    run_number: int


@dataclass(frozen=True, slots=True)
class RequestStarted:
    """A request goes out."""

    run_id: str
    arm: str
    index: int
    phase: Phase
    messages: tuple[ChatMessage, ...] = ()
    max_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TextArrived:
    """A delta of the answer. ``kind`` is content, reasoning or tool; ``t_ns`` its arrival."""

    run_id: str
    kind: str
    text: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class RequestFinished:
    """A request ended and is on disk."""

    record: RequestRecord
    arm: str


@dataclass(frozen=True, slots=True)
class RunFinished:
    """A run ended, however it went, and is on disk."""

    run: RunRecord
    requests: tuple[RequestRecord, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is. ``left_s`` is an estimate from what was measured so far, None while unknown."""

    what: Message
    done: int
    total: int
    elapsed_s: float
    left_s: float | None


@dataclass(frozen=True, slots=True)
class JobFinished:
    """A job ended; ``failure`` holds the sentence if it did not end well."""

    kind: str
    failure: Message | None = None
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know, e.g. that interrupted runs were found."""

    message: Message


@dataclass(frozen=True, slots=True)
class LadderChanged:
    """Where the server stands between what was asked and what runs has changed."""

    view: LadderView


@dataclass(frozen=True, slots=True)
class RolledBack:
    """Rungs were taken by itself, and what they lead to is proved.

    Attributes:
        rungs: In the order they were taken, at least one.
        why: The failure that made the first of them needed.
    """

    rungs: tuple[Rung, ...]
    why: Message

    def told(self) -> Message:
        """What the terminal says, in English."""
        what = " ".join(rung.describe().sentence() for rung in self.rungs)
        return Message.of("rolled_back", what=what, why=self.why.sentence())


@dataclass(frozen=True, slots=True)
class IncidentHappened:
    """A server failed; the incident is on its way to the history."""

    incident: Incident


Event = (
    ServerChanged
    | LogArrived
    | TelemetryTaken
    | RunStarted
    | RequestStarted
    | TextArrived
    | RequestFinished
    | RunFinished
    | Progress
    | JobFinished
    | Notice
    | LadderChanged
    | RolledBack
    | IncidentHappened
)
