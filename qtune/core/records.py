"""The values the rooms exchange: what one run asked for, used, measured and came to, request by request.

Everything here is raw. Rates, intervals and verdicts are derived in ``core.figures`` and ``core.stats`` and
can always be recomputed. A missing figure is ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from qtune.core.engine_facts import EngineFacts
from qtune.core.machine_facts import GpuFacts, MachineFacts
from qtune.core.memory_facts import MemoryPart
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.settings import ServerSettings

# -- memory -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MemoryFacts:
    """Memory around one run, in bytes.

    Attributes:
        kind: ``vram`` of the card, or ``ram`` (resident memory of the engine) where there is no card.
        before: In use before the engine was started.
        loaded: In use when it was ready.
        peak: Highest reading during the run.
        total: What the card or the computer has.
        spill: Whether the card spilled into main memory, as judged by ``core.spill``.
        spill_reason: The sentence that explains ``spill``; None in records of older versions.
        spill_advice: What to try beyond that sentence's hint.
        parts: What the engine's own log names, part by part, once it was loaded.
        free_least: Of several cards, on which the other figures are sums, the smallest free memory of one.
    """

    kind: Literal["vram", "ram"]
    before: int | None
    loaded: int | None
    peak: int | None
    total: int | None
    spill: Literal["yes", "no", "unknown"] = "unknown"
    spill_reason: Message | None = None
    parts: tuple[MemoryPart, ...] = ()
    spill_advice: tuple[Message, ...] = ()
    free_least: int | None = None

    @property
    def free_min(self) -> int | None:
        """Smallest free memory seen on a card, None when a part is unknown."""
        if self.free_least is not None:
            return self.free_least
        return (
            None if self.total is None or self.peak is None or self.kind == "ram" else self.total - self.peak
        )


# -- a request ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn: role ``system``, ``user`` or ``assistant``, and its text."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling sent in full with every request, since GGUF files carry defaults of their own."""

    temperature: float = 0.0
    top_k: int = 1
    top_p: float = 1.0
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    seed: int = 42


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat request as it is sent.

    Attributes:
        thinking: False switches the template's thinking off, True on, None leaves it to the server.
        cache_prompt: Whether the server may reuse an earlier prompt; False while measuring.
        nonce: First line of the user's text, so that no cache can know the prompt; empty for none.
        raw: True sends the text to ``/completion`` without the chat template, to show what the wrong endpoint
            costs; never the default.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    sampling: Sampling = Sampling()
    thinking: bool | None = False
    cache_prompt: bool = False
    nonce: str = ""
    raw: bool = False


@dataclass(frozen=True, slots=True)
class ServerTimings:
    """llama-server's ``timings`` object, raw. Draft figures are None when nothing was drafted."""

    cache_n: int | None = None
    prompt_n: int | None = None
    prompt_ms: float | None = None
    predicted_n: int | None = None
    predicted_ms: float | None = None
    draft_n: int | None = None
    draft_n_accepted: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The OpenAI ``usage`` object."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class RequestTimes:
    """The raw record of one streamed request; every ``_ns`` is the same monotonic clock.

    Attributes:
        sent_ns: Just before the request went out.
        headers_ns: Response headers seen (says nothing about the first token).
        event_ns: Arrival of each chunk of bytes' deltas that held text or a tool call, one entry a delta;
            several share a stamp when they came in one packet. Never a count of tokens.
        first_answer_ns: First delta of the answer itself (not reasoning).
        ended_ns: End of stream, failure, or cancel.
        finish_reason: ``stop``, ``length``, ... or None when the stream had no end.
        failure: Why it did not end well, None if it did.
    """

    sent_ns: int
    ended_ns: int
    headers_ns: int | None = None
    event_ns: tuple[int, ...] = ()
    first_answer_ns: int | None = None
    timings: ServerTimings | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    content: str = ""
    reasoning: str = ""
    failure: Message | None = None
    cancelled: bool = False

    @property
    def first_token_ns(self) -> int | None:
        """Arrival of the first delta with text, reasoning or a tool call."""
        return self.event_ns[0] if self.event_ns else None

    @property
    def last_token_ns(self) -> int | None:
        """Arrival of the last such delta."""
        return self.event_ns[-1] if self.event_ns else None

    @property
    def ok(self) -> bool:
        """Whether the request ended as a complete answer."""
        return self.failure is None and not self.cancelled and self.finish_reason is not None


@dataclass(frozen=True, slots=True)
class DraftCounters:
    """Speculation counters of ``/metrics`` (monotonic since the server started).

    Attributes:
        drafts: Verification steps, i.e. rounds that had a draft.
        accepted_by_position: Accepted tokens at draft position 0, 1, ...
    """

    drafts: int
    drafted: int
    accepted: int
    accepted_by_position: tuple[int, ...]

    def since(self, earlier: DraftCounters) -> DraftCounters:
        """Difference to an earlier reading of the same server."""
        padded = earlier.accepted_by_position + (0,) * len(self.accepted_by_position)
        return DraftCounters(
            self.drafts - earlier.drafts,
            self.drafted - earlier.drafted,
            self.accepted - earlier.accepted,
            tuple(now - then for now, then in zip(self.accepted_by_position, padded, strict=False)),
        )


# -- what is in force --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """What the running server was found to use, as far as it tells. None: it did not say."""

    ctx_size: int | None = None
    parallel: int | None = None
    speculative: bool | None = None
    n_max: int | None = None
    layers_offloaded: int | None = None
    layers_total: int | None = None
    cache_type_k: str | None = None
    cache_type_v: str | None = None
    model_path: str | None = None
    alias: str | None = None
    build: str | None = None
    mismatches: tuple[Message, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether context, slots and speculation were read back and equal what was asked."""
        known = None not in (self.ctx_size, self.parallel, self.speculative)
        return known and not self.mismatches


# -- history -----------------------------------------------------------------------------------------------


class RunStatus(StrEnum):
    """How a run stands or ended."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class ExperimentRecord:
    """A set of runs that answer one question together; times are UTC in ISO 8601.

    Attributes:
        order: Names of the arms as they were asked for.
        prompt_id: Workloads by id, with commas.
        request: What was asked, as JSON, so that the experiment can be resumed; empty if it cannot.
    """

    id: str
    kind: str
    form: Literal["quick", "full"]
    seed: int
    created_utc: str
    order: tuple[str, ...] = ()
    prompt_id: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One launch of an engine and what was measured with it.

    Attributes:
        arm: Name of the arm in its experiment, e.g. ``off`` or ``balanced``.
        start: Which start of this arm it is, from 1.
        mtp_active: Proof that MTP ran; None when it was not asked for.
        argv: The command line without the key.
        environment: Names (never values) of variables removed or set for the child.
        load_ms: From launch to the first completed answer.
    """

    id: str
    experiment_id: str
    arm: str
    preset: str
    start: int
    status: RunStatus
    started_utc: str
    settings_requested: ServerSettings
    model: ModelFacts
    engine: EngineFacts
    machine: MachineFacts
    settings_effective: EffectiveSettings | None = None
    mtp_active: bool | None = None
    argv: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    notes: tuple[Message, ...] = ()
    memory: MemoryFacts | None = None
    load_ms: float | None = None
    gpus: tuple[GpuFacts, ...] = ()
    ended_utc: str | None = None
    failure: Message | None = None


Phase = Literal["warmup", "counted"]


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request as stored: its place in the plan and its raw times.

    Attributes:
        index: Position in the run, from 0, warm-up included.
        marks: Reasons why it does not count into the figures (it stays in the list).
        drafts: Difference of the server's counters over this request, None if unavailable.
    """

    run_id: str
    index: int
    phase: Phase
    prompt_id: str
    nonce: str
    max_tokens: int
    sampling: Sampling
    times: RequestTimes
    marks: tuple[Message, ...] = ()
    drafts: DraftCounters | None = None
