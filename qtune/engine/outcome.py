"""How an engine ended, in one sentence: exit code and last words become a message."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from qtune.core.messages import Message, ParamValue
from qtune.engine import exit_status
from qtune.engine.exit_status import fault_words, signal_name
from qtune.engine.log_facts import without_prefix

EVIDENCE_CHARS = 200

TAIL_LINES = 4000
"""So many of the last lines are searched: an abort prints traces after the line that matters."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an engine ended.

    Attributes:
        message: One sentence, with the decisive line in it where there is one.
        returncode: As the system reported it, negative for a signal.
        line: The decisive line without prefix, None if no line tells.
    """

    message: Message
    returncode: int
    line: str | None = None


def _any(*fragments: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{fragment})" for fragment in fragments), re.IGNORECASE)


# In order: what stands higher explains the end better. Within one entry the first line that matches is the
# cause, the later ones follow from it. Wording of llama-server b9093 to b11549.
_CAUSES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "ended_bad_argument",
        _any(
            r"^error: invalid argument",
            r"^error while handling argument",
            r"^error while handling environment variable",
            r"^error: unknown argument",
            r"the argument has been removed",
            r"unknown speculative type",
            r"unsupported cache type",
            r"quantized V cache requires",
        ),
    ),
    (
        "ended_library_missing",
        _any(
            r"error while loading shared libraries",
            r"library not loaded:",
            r"symbol lookup error",
        ),
    ),
    (
        "ended_port_taken",
        _any(
            r"couldn't bind (?:HTTP server|to server) socket",
            r"address already in use",
            r"exiting due to HTTP server error",
        ),
    ),
    ("ended_sidecar", _any(r"requires ctx_other to be set")),
    (
        "ended_mtp_missing",
        _any(
            r"context type MTP requested but model doesn't contain MTP layers",
            r"missing tensor '[^']*nextn",
            r"tensor '[^']*nextn[^']*' not found",
            r"no implementations specified for speculative decoding",
        ),
    ),
    ("ended_unknown_arch", _any(r"un(?:known|supported) model architecture", r"unknown (?:pre-)?tokenizer")),
    (
        "ended_shard_missing",
        _any(r"failed to load GGUF split", r"illegal split file", r"invalid split (?:file|count|idx)"),
    ),
    ("ended_file_missing", _any(r"failed to open GGUF file")),
    ("ended_not_gguf", _any(r"invalid magic characters", r"bad GGUF magic")),
    (
        "ended_file_cut",
        _any(
            r"data is not within the file bounds",
            r"gguf_init_from_\w+: failed to (?:read|seek)",
            r"failed to read (?:key-value pairs|tensor info|magic|header)",
            r"unexpectedly reached end of file",
        ),
    ),
    (
        "ended_out_of_memory",
        _any(
            r"out of ?memory(?! pool)",  # cudaMalloc, hipMalloc, CUDA error, ErrorOutOfDeviceMemory
            r"OutOf(?:Device|Host)Memory",
            r"insufficient memory",
            r"CUBLAS_STATUS_ALLOC_FAILED",
            r"unable to allocate \S+ buffer",
            r"failed to allocate (?:compute|buffer|\S+ buffer|the (?:kv|rs) |memory)",
            r"device memory allocation of size",
            r"std::bad_alloc",
            r"^(?!.*mlock).*cannot allocate memory",
            r"paging file is too small",
        ),
    ),
    (
        "ended_mtp_fault",
        _any(
            r"failed to process speculative batch",
            r"GGML_ASSERT.*(?:n_keep_tail|n_rs_seq|rollback|\bspec(?:ulative)?\b|draft|\bmtp\b|nextn)",
            r"(?:speculative|\bspec|\bmtp)[\w-]*\.(?:cpp|h):\d+: GGML_ASSERT",
        ),
    ),
    (
        "ended_device",
        _any(
            r"no kernel image is available",
            r"unsupported toolchain",
            r"GPU is lost",
            r"fallen off the bus",
            r"uncorrectable ECC",
            r"forward compatibility was attempted",
        ),
    ),
    (
        "ended_bad_model",
        _any(
            r"gguf_init_from_\w+: failed",
            r"check_tensor_dims:",
            r"missing tensor '",
            r"failed to download model",
        ),
    ),
)

# Lines that are harmless where the engine goes on without; they explain an end only if nothing better does.
_PERHAPS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ended_mtp_missing", _any(r"failed to create MTP context", r"failed to measure MTP context memory")),
    (
        "ended_device",
        _any(
            r"CUDA driver version is insufficient",
            r"no CUDA-capable device",
            r"failed to initiali[sz]e (?:CUDA|ROCm|HIP|Vulkan)",
            r"no ROCm-capable device",
            r"ErrorIncompatibleDriver",
            r"driver/library version mismatch",
            r"cannot open shared object file",
        ),
    ),
    (
        "ended_bad_model",
        _any(
            r"error loading model",
            r"failed to load (?:draft |multimodal )?model",
            r"exiting due to model loading error",
        ),
    ),
)

_TROUBLE = _any(
    r"GGML_ASSERT",
    r"\bCUDA error",
    r"\bROCm error",
    r"terminate called",
    r"exiting due to",
    r"\bfatal\b",
    r"\babort",
    r"^\d+\.\d{2}\.\d{3}\.\d{3} E ",
    r"\berror\b",
)

_WELL = re.compile(r"\bmodel loaded\b|starting the main loop|all slots are idle|\bstop processing\b")
"""Whatever was said before such a line did not end the engine: it was up and had done its work."""

_IN_ORDER = re.compile("cleaning up before exit")
"""Said by a running server that was asked to end by a signal; it then leaves with status 0."""


def classify(
    returncode: int,
    log_tail: Sequence[str],
    *,
    stop_requested: bool = False,
    port: int | None = None,
    oom_killed: bool = False,
) -> Outcome:
    """Explain the end of an engine.

    Args:
        returncode: Exit code, negative for a signal.
        log_tail: Its last lines, oldest first.
        stop_requested: Whether we asked it to end.
        port: The port it was given, for the sentence.
        oom_killed: Whether the system killed something for want of main memory while the engine lived.
    """
    if stop_requested:
        return Outcome(Message.of("ended_by_request"), returncode)
    name = signal_name(returncode)
    if name in exit_status.KILLED:
        return Outcome(Message.of("ended_oom_killed" if oom_killed else "ended_killed"), returncode)
    if name in exit_status.ENDED_FROM_OUTSIDE:
        return Outcome(Message.of("ended_from_outside", signal=name), returncode)
    whole = [_plain(line) for line in log_tail[-TAIL_LINES:] if line.strip()]
    tail = _since_it_was_well(whole)
    if returncode == 0 and len(tail) < len(whole) and _first(tail, _IN_ORDER) is not None:
        return Outcome(Message.of("ended_in_order"), returncode)
    told = _told(tail, _CAUSES) or _fault(returncode, name)
    # A benign line of the start is no reason for a crash by signal.
    told = told or (_told(tail, _PERHAPS) if name is None else None)
    if told is None:
        return _unexplained(returncode, name, _first(tail, _TROUBLE))
    code, line = told
    params: dict[str, ParamValue] = {"line": line}
    if code == "ended_port_taken":
        params["port"] = port
    return Outcome(Message.of(code, **params), returncode, line)


def _told(tail: Sequence[str], causes: Sequence[tuple[str, re.Pattern[str]]]) -> tuple[str, str] | None:
    """The best cause that has a line, with its first line."""
    for code, pattern in causes:
        line = _first(tail, pattern)
        if line is not None:
            return code, line
    return None


def _fault(returncode: int, name: str | None) -> tuple[str, str] | None:
    """The cause that the exit status itself names."""
    for names, code in (
        (exit_status.LIBRARY_FAULTS, "ended_library_missing"),
        (exit_status.INSTRUCTION_FAULTS, "ended_illegal_instruction"),
        (exit_status.MEMORY_FAULTS, "ended_out_of_memory"),
        (exit_status.BLOCKED, "ended_blocked"),
    ):
        if name in names:
            return code, fault_words(returncode)
    return None


def _unexplained(returncode: int, name: str | None, line: str | None) -> Outcome:
    code = "ended_exit" if name is None else "ended_signal"
    params: dict[str, ParamValue] = (
        {"status": returncode} if name is None else {"signal": fault_words(returncode)}
    )
    if line is None:
        return Outcome(Message.of(f"{code}_silent", **params), returncode)
    return Outcome(Message.of(code, **params, line=line), returncode, line)


def _since_it_was_well(tail: list[str]) -> list[str]:
    """The lines after the last sign of health; errors before it did no lasting harm."""
    last = max((i for i, line in enumerate(tail) if _WELL.search(line)), default=-1)
    return tail[last + 1 :]


def _plain(line: str) -> str:
    """A line of the log; that of ``--log-jsonl`` without its wrapping."""
    line = line.strip()
    if line.startswith('{"type"'):
        try:
            entry = json.loads(line)
        except ValueError:
            return line
        level = "E" if entry.get("level") == "error" else "I"
        return f"0.00.000.000 {level} {str(entry.get('msg') or '').strip()}"
    return line


def _first(tail: Sequence[str], pattern: re.Pattern[str]) -> str | None:
    """The first matching line, shortened to what fits into a sentence."""
    for line in tail:
        if pattern.search(line) is None and pattern.search(without_prefix(line)) is None:
            continue
        words = without_prefix(line)
        return words if len(words) <= EVIDENCE_CHARS else words[: EVIDENCE_CHARS - 1] + "…"
    return None
