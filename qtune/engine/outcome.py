"""How an engine ended, in one sentence: exit code and last words become a message."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from qtune.core.messages import Message, ParamValue
from qtune.engine.log_facts import without_prefix

EVIDENCE_CHARS = 200

_HAY = 400
"""So many of the last lines are searched: an abort may print a long trace after the line that matters."""


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
        ),
    ),
    ("ended_port_taken", _any(r"couldn't bind HTTP server socket", r"address already in use")),
    (
        "ended_mtp_missing",
        _any(
            r"context type MTP requested but model doesn't contain MTP layers",
            r"failed to create MTP context",
            r"missing tensor '[^']*nextn",
            r"tensor '[^']*nextn[^']*' not found",
        ),
    ),
    (
        "ended_out_of_memory",
        _any(
            r"out of ?memory",  # cudaMalloc, hipMalloc, CUDA error, ErrorOutOfDeviceMemory
            r"unable to allocate \S+ buffer",
            r"failed to allocate (?:compute|buffer|the (?:kv|rs) )",
            r"device memory allocation of size",
            r"std::bad_alloc",
            r"cannot allocate memory",
        ),
    ),
    (
        "ended_bad_model",
        _any(
            r"failed to open GGUF file",
            r"invalid magic characters",
            r"gguf_init_from_\w+: failed",
            r"data is not within the file bounds",
            r"failed to load GGUF split",
            r"illegal split file",
            r"unknown model architecture",
            r"unsupported model architecture",
            r"check_tensor_dims:",
            r"missing tensor '",
            r"unknown (?:pre-)?tokenizer",
            r"failed to download model",
        ),
    ),
    ("ended_bad_model", _any(r"error loading model", r"failed to load (?:draft |multimodal )?model")),
    ("ended_bad_model", _any(r"exiting due to model loading error")),
)

_TROUBLE = _any(
    r"GGML_ASSERT",
    r"\bCUDA error",
    r"\bROCm error",
    r"terminate called",
    r"quantized V cache requires",
    r"exiting due to",
    r"\bfatal\b",
    r"\babort",
    r"^\d+\.\d{2}\.\d{3}\.\d{3} E ",
    r"\berror\b",
    r"error while loading shared libraries",
)

_WINDOWS = {
    0xC0000005: "ACCESS_VIOLATION",
    0xC000001D: "ILLEGAL_INSTRUCTION",
    0xC0000135: "DLL_NOT_FOUND",
    0xC0000139: "ENTRYPOINT_NOT_FOUND",
    0xC0000409: "ABORT",
    0xC00000FD: "STACK_OVERFLOW",
}


def classify(
    returncode: int, log_tail: Sequence[str], *, stop_requested: bool = False, port: int | None = None
) -> Outcome:
    """Explain the end of an engine.

    Args:
        returncode: Exit code, negative for a signal.
        log_tail: Its last lines, oldest first.
        stop_requested: Whether we asked it to end.
        port: The port it was given, for the sentence.
    """
    if stop_requested:
        return Outcome(Message.of("ended_by_request"), returncode)
    tail = [line.strip() for line in log_tail[-_HAY:] if line.strip()]
    for code, pattern in _CAUSES:
        line = _first(tail, pattern)
        if line is not None:
            params: dict[str, ParamValue] = {"line": line}
            if code == "ended_port_taken":
                params = {"port": port}
            return Outcome(Message.of(code, **params), returncode, line)
    return _unexplained(returncode, _first(tail, _TROUBLE))


def _unexplained(returncode: int, line: str | None) -> Outcome:
    name = signal_name(returncode)
    if name == "SIGKILL":
        return Outcome(Message.of("ended_killed"), returncode, line)
    if name in {"SIGTERM", "SIGINT", "SIGHUP"}:
        return Outcome(Message.of("ended_from_outside", signal=name), returncode, line)
    code = "ended_exit" if name is None else "ended_signal"
    params: dict[str, ParamValue] = {"status": returncode} if name is None else {"signal": name}
    if line is None:
        return Outcome(Message.of(f"{code}_silent", **params), returncode)
    return Outcome(Message.of(code, **params, line=line), returncode, line)


def signal_name(returncode: int) -> str | None:
    """Name of the signal or fault that ended a process, None when it left by itself.

    A shell between us and the engine reports a signal as 128 + number; Windows reports faults as NTSTATUS.
    """
    number = -returncode if returncode < 0 else returncode - 128
    if returncode & 0xFFFFFFFF in _WINDOWS:
        return _WINDOWS[returncode & 0xFFFFFFFF]
    if sys.platform == "win32":
        return "ABORT" if returncode == 3 else None
    try:
        return signal.Signals(number).name if 0 < number < 65 else None
    except ValueError:
        return f"signal {number}" if returncode < 0 else None


def _first(tail: Sequence[str], pattern: re.Pattern[str]) -> str | None:
    """The first matching line, shortened to what fits into a sentence."""
    for line in tail:
        words = without_prefix(line)
        if pattern.search(words) is not None or pattern.search(line) is not None:
            return words if len(words) <= EVIDENCE_CHARS else words[: EVIDENCE_CHARS - 1] + "…"
    return None
