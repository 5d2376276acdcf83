"""Why an engine ended or failed, as a class: what the way back may cure and what needs another answer."""

from __future__ import annotations

from enum import StrEnum

from qtune.core.messages import Message


class Cause(StrEnum):
    """Class of a failure."""

    MEMORY = "memory"
    MTP_MISSING = "mtp_missing"
    MTP_FAULT = "mtp_fault"
    FLAGS = "flags"
    PORT = "port"
    FILE = "file"
    DISK = "disk"
    DEVICE = "device"
    STALL = "stall"
    SPILL = "spill"
    KILLED = "killed"
    STOPPED = "stopped"
    UNKNOWN = "unknown"


CURABLE = frozenset(
    {Cause.MEMORY, Cause.MTP_MISSING, Cause.MTP_FAULT, Cause.STALL, Cause.SPILL, Cause.KILLED, Cause.UNKNOWN}
)
"""Causes a lower rung may cure; the others get their own plain answer and no ladder."""

_BY_CODE = {
    "ended_out_of_memory": Cause.MEMORY,
    "ended_oom_killed": Cause.MEMORY,
    "memory_impossible": Cause.MEMORY,
    "memory_impossible_mtp": Cause.MEMORY,
    "memory_impossible_ctx": Cause.MEMORY,
    "memory_impossible_mtp_ctx": Cause.MEMORY,
    "memory_impossible_moe": Cause.MEMORY,
    "memory_impossible_moe_mtp": Cause.MEMORY,
    "memory_impossible_moe_ctx": Cause.MEMORY,
    "memory_impossible_moe_mtp_ctx": Cause.MEMORY,
    "folder_not_writable": Cause.DISK,
    "ended_mtp_missing": Cause.MTP_MISSING,
    "model_without_mtp": Cause.MTP_MISSING,
    "engine_without_mtp": Cause.MTP_MISSING,
    "arch_without_mtp": Cause.MTP_MISSING,
    "mtp_not_speculating": Cause.MTP_MISSING,
    "mtp_no_drafts": Cause.MTP_MISSING,
    "ended_mtp_fault": Cause.MTP_FAULT,
    "request_mtp_fault": Cause.MTP_FAULT,
    "ended_bad_argument": Cause.FLAGS,
    "engine_foreign": Cause.FLAGS,
    "ubatch_too_small": Cause.FLAGS,
    "n_min_above_n_max": Cause.FLAGS,
    "quantised_v_needs_flash": Cause.FLAGS,
    "ended_port_taken": Cause.PORT,
    "foreign_server": Cause.PORT,
    "ended_bad_model": Cause.FILE,
    "ended_file_missing": Cause.FILE,
    "ended_shard_missing": Cause.FILE,
    "ended_not_gguf": Cause.FILE,
    "ended_file_cut": Cause.FILE,
    "ended_sidecar": Cause.FILE,
    "ended_unknown_arch": Cause.FILE,
    "model_missing": Cause.FILE,
    "model_is_folder": Cause.FILE,
    "model_not_llm": Cause.FILE,
    "model_damaged": Cause.FILE,
    "model_truncated": Cause.FILE,
    "model_not_gguf": Cause.FILE,
    "model_not_readable": Cause.FILE,
    "model_is_sidecar": Cause.FILE,
    "ended_device": Cause.DEVICE,
    "ended_library_missing": Cause.DEVICE,
    "ended_illegal_instruction": Cause.DEVICE,
    "ended_blocked": Cause.DEVICE,
    "engine_not_started": Cause.DEVICE,
    "start_timeout": Cause.STALL,
    "stream_silent": Cause.STALL,
    "server_stalled": Cause.STALL,
    "server_deaf": Cause.STALL,
    "spill_yes_shared": Cause.SPILL,
    "spill_yes_speed": Cause.SPILL,
    "ended_killed": Cause.KILLED,
    "ended_from_outside": Cause.STOPPED,
    "ended_in_order": Cause.STOPPED,
    "ended_by_request": Cause.STOPPED,
    "start_cancelled": Cause.STOPPED,
}


def cause_of(message: Message, *, mtp: bool, signalled: bool = False) -> Cause:
    """Class of the failure a message tells.

    A crash by a signal without any line of its own, with MTP on, is put down to MTP: on the same build and
    model the mode off is by far the more travelled road (a segmentation fault only with drafts is what young
    MTP graphs are known for).

    Args:
        message: As the supervisor or a request gave it.
        mtp: Whether MTP was asked for.
        signalled: Whether the process died of a fault such as SIGSEGV; read from ``ended_signal`` too.
    """
    known = _BY_CODE.get(message.code)
    if known is not None:
        return known
    if mtp and (signalled or message.code in {"ended_signal", "ended_signal_silent"}):
        return Cause.MTP_FAULT
    if message.code == "first_completion_failed" and mtp and "speculative" in evidence_of(message):
        return Cause.MTP_FAULT
    return Cause.UNKNOWN


def evidence_of(message: Message) -> str:
    """The line of the log or the answer of the server that proves a failure; empty if nothing tells."""
    params = dict(message.params)
    return str(params.get("line") or params.get("reason") or "")
