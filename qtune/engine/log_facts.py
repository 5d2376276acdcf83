"""What the engine's log tells: offloaded layers, buffers, contexts, the MTP set-up, acceptance per request.

Fragments are searched for, never columns, so that prefixes of any build do no harm. They are those of
llama-server b9246 to b11549 at ``-lv 4``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

BufferKind = Literal["model", "kv", "rs", "compute", "output"]
ContextKind = Literal["target", "mtp"]
Speculation = Literal["initialized", "failed", "unsupported"]

_MIB = 1024**2


@dataclass(frozen=True, slots=True)
class BufferFacts:
    """Memory the engine holds for one purpose on one device.

    Attributes:
        device: As the engine names it, e.g. ``CUDA0``, ``CPU_Mapped``, ``CUDA_Host``.
        context: ``mtp`` for what was allocated for the MTP head's own context.
    """

    device: str
    kind: BufferKind
    context: ContextKind
    size_bytes: int


@dataclass(frozen=True, slots=True)
class DraftAcceptance:
    """One request's ``draft acceptance`` line."""

    accepted: int
    generated: int
    mean_length: float | None


@dataclass(frozen=True, slots=True)
class LogFacts:
    """What the log has told so far; None where it has not.

    Attributes:
        ctx_total: ``n_ctx`` of the target context, all slots together.
        ctx_slot: Context of one slot.
        rs_seq: Copies of the recurrent state kept beside the first, to take drafts back (``n_rs_seq``).
        context_reduced: (asked, given) when the engine shrank the context by itself.
        config_files: Configuration files of the user that the engine read.
        speculation: How the MTP set-up ended.
        speculation_line: The line that says why it failed.
        synthetic: The engine fakes its acceptance (a benchmark option of llama-server).
    """

    layers_offloaded: int | None = None
    layers_total: int | None = None
    buffers: tuple[BufferFacts, ...] = ()
    ctx_total: int | None = None
    ctx_slot: int | None = None
    slots: int | None = None
    rs_seq: int | None = None
    context_reduced: tuple[int, int] | None = None
    cache_type_k: str | None = None
    cache_type_v: str | None = None
    draft_cache_type_k: str | None = None
    draft_cache_type_v: str | None = None
    n_max: int | None = None
    n_min: int | None = None
    p_min: float | None = None
    speculation: Speculation | None = None
    speculation_line: str | None = None
    synthetic: bool = False
    config_files: tuple[str, ...] = ()
    model_loaded: bool = False
    url: str | None = None
    acceptance: tuple[DraftAcceptance, ...] = ()

    def buffer_bytes(self, kind: BufferKind, context: ContextKind | None = None) -> int | None:
        """Sum over devices, None when no such buffer was named."""
        sizes = [b.size_bytes for b in self.buffers if b.kind == kind and context in (None, b.context)]
        return sum(sizes) if sizes else None


_PREFIX = re.compile(
    r"^\d+\.\d{2}\.\d{3}\.\d{3} [A-Z] "  # time and level
    r"(?:(?!error)(?:(?:srv|slot|cmn|spec|que|res)\s+)?[\w()~]+:\s+)?"  # component and function
)

# A line without any of these is not looked at further: under a flood of lines this is the whole cost.
_WORTH = re.compile(
    r"buffer size =|offloaded |n_ctx|n_rs_seq|n_max=|K \(|speculati|config file|context size reduced|"
    r"listening on|draft acceptance|draft (?:model|context)|model loaded"
)


def without_prefix(line: str) -> str:
    """A log line without time, level and function name."""
    return _PREFIX.sub("", line.strip(), count=1).strip()


_Learn = Callable[["LogReader", re.Match[str]], None]
_RULES: list[tuple[re.Pattern[str], _Learn]] = []


def _on(pattern: str) -> Callable[[_Learn], _Learn]:
    """Have a method of ``LogReader`` called for each line in which the pattern is found."""

    def register(learn: _Learn) -> _Learn:
        _RULES.append((re.compile(pattern), learn))
        return learn

    return register


class LogReader:
    """Reads the log line by line and keeps what it learns."""

    def __init__(self) -> None:
        self._seen: dict[str, object] = {}
        self._context: ContextKind = "target"
        self._buffers: dict[tuple[str, BufferKind, ContextKind], int] = {}
        self._acceptance: list[DraftAcceptance] = []
        self._config_files: list[str] = []

    def feed(self, lines: Iterable[str]) -> None:
        """Learn from more lines."""
        for line in lines:
            if _WORTH.search(line) is None:
                continue
            for pattern, learn in _RULES:
                found = pattern.search(line)
                if found is not None:
                    learn(self, found)

    def facts(self) -> LogFacts:
        """Everything learned so far."""
        buffers = tuple(BufferFacts(*key, size) for key, size in self._buffers.items())
        return LogFacts(
            buffers=buffers,
            acceptance=tuple(self._acceptance),
            config_files=tuple(self._config_files),
            **self._seen,  # type: ignore[arg-type]
        )

    @_on(r"(\S+)\s+(model|KV|RS|compute|output) buffer size =\s*([\d.]+) MiB")
    def _learn_buffer(self, found: re.Match[str]) -> None:
        kind: BufferKind = found[2].lower()  # type: ignore[assignment]
        key = (found[1], kind, self._context)
        size = round(float(found[3]) * _MIB)
        # The compute buffer is printed again when it is reserved anew, then the last line holds. The others
        # come once per shard or cache, then they add up.
        self._buffers[key] = size if kind == "compute" else self._buffers.get(key, 0) + size

    @_on(r"K \((\w+)\):.*?, V \((\w+)\):")
    def _learn_types(self, found: re.Match[str]) -> None:
        prefix = "draft_" if self._context == "mtp" else ""
        self._seen.setdefault(f"{prefix}cache_type_k", found[1])
        self._seen.setdefault(f"{prefix}cache_type_v", found[2])

    @_on(r"offloaded (\d+)/(\d+) layers")
    def _learn_offload(self, found: re.Match[str]) -> None:
        if self._context == "target":
            self._seen["layers_offloaded"] = int(found[1])
            self._seen["layers_total"] = int(found[2])

    @_on(r"llama_context: n_ctx\s+= (\d+)")
    def _learn_ctx(self, found: re.Match[str]) -> None:
        if self._context == "target":
            self._seen.setdefault("ctx_total", int(found[1]))

    @_on(r"llama_context: n_rs_seq\s+= (\d+)")
    def _learn_copies(self, found: re.Match[str]) -> None:
        if self._context == "target":
            self._seen.setdefault("rs_seq", int(found[1]))

    @_on(r"n_slots = (\d+), n_ctx_slot = (\d+)")
    def _learn_slots(self, found: re.Match[str]) -> None:
        self._seen["slots"] = int(found[1])
        self._seen["ctx_slot"] = int(found[2])

    @_on(r"context size reduced from (\d+) to (\d+)")
    def _learn_reduced(self, found: re.Match[str]) -> None:
        self._seen["context_reduced"] = (int(found[1]), int(found[2]))

    @_on(r"creating MTP draft context|loading draft model")
    def _enter_mtp(self, _found: re.Match[str]) -> None:
        self._context = "mtp"

    @_on(r"- n_max=(\d+)(?:, n_min=(\d+))?(?:, p_min=([\d.]+))?")
    def _learn_draft(self, found: re.Match[str]) -> None:
        self._seen["n_max"] = int(found[1])
        if found[2] is not None:
            self._seen["n_min"] = int(found[2])
        if found[3] is not None:
            self._seen["p_min"] = float(found[3])

    @_on(r"speculative decoding context initialized")
    def _learn_initialized(self, _found: re.Match[str]) -> None:
        self._seen["speculation"] = "initialized"
        self._context = "target"  # what is reserved from now on is for the first requests of the target

    @_on(
        r"failed to initialize speculative decoding context|"
        r"(speculative decoding not supported by this context)"
    )
    def _learn_failed(self, found: re.Match[str]) -> None:
        self._seen["speculation"] = "unsupported" if found[1] is not None else "failed"
        self._seen["speculation_line"] = without_prefix(found.string)
        self._context = "target"

    @_on(r"synthetic speculative acceptance is enabled")
    def _learn_synthetic(self, _found: re.Match[str]) -> None:
        self._seen["synthetic"] = True

    @_on(r"using config file: (.+)$")
    def _learn_config(self, found: re.Match[str]) -> None:
        self._config_files.append(found[1].strip())

    @_on(r"\bmodel loaded\b")
    def _learn_loaded(self, _found: re.Match[str]) -> None:
        self._seen["model_loaded"] = True
        self._context = "target"

    @_on(r"listening on (http\S+)")
    def _learn_url(self, found: re.Match[str]) -> None:
        self._seen["url"] = found[1]

    @_on(
        r"draft acceptance(?: rate)?\s*=\s*[\d.]+\s*\(\s*(\d+) accepted /\s*(\d+) generated\)"
        r"(?:,\s*mean (?:acceptance )?len(?:gth)?\s*=\s*([\d.]+))?"
    )
    def _learn_acceptance(self, found: re.Match[str]) -> None:
        mean = None if found[3] is None else float(found[3])
        self._acceptance.append(DraftAcceptance(int(found[1]), int(found[2]), mean))
