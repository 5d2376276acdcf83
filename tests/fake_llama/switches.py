"""The switches of the fake server: how it behaves, and how it misbehaves, all in one value.

An unknown key is an error, so that a test with a misspelt switch fails instead of passing by accident.
`None` and `False` mean "does not happen"; a count of 0 means "at once".
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

DEFAULT_DEVICE = "CUDA0: NVIDIA GeForce RTX 4090 (24077 MiB, 23650 MiB free)"


@dataclass(frozen=True, slots=True)
class Switches:
    """Every switch with its default; the defaults are a healthy, quick server."""

    # --- what the program says about itself ---
    build: int = 11434
    commit: str = "abcdef123"
    version_form: str = "new"  # "new": version: 0.6.0-dev (build N, commit C) | "old": version: N (C)
    version_stream: str = "stderr"  # or "stdout"
    backend_lines: bool = False  # lines of a CUDA backend before the version
    version_garbage: bool | str = False  # not a llama-server at all; a text replaces the built-in one
    slow_version_s: float = 0.0
    slow_help_s: float = 0.0
    dialect: str = "current"  # "current" | "no_mtp" (older build) | "branch" (--spec-type mtp)
    old_names: bool = False  # --mmap, --no-mmap, --mlock, --direct-io instead of --load-mode
    lacks: tuple[str, ...] = ()  # options (any spelling) that this build does not know
    devices: tuple[str, ...] = (DEFAULT_DEVICE,)  # empty: a CPU build

    # --- the healthy path ---
    check_model: bool = True  # open the model file and look for the GGUF magic
    load_s: float = 0.05
    ttft_ms: float = 20.0  # fixed part of the prompt time, scaled by the share that was not cached
    prefill_tok_s: float = 0.0  # adds prompt_n / this to the prompt time; 0 adds nothing
    itl_ms: float = 2.0  # one step of the target model
    itl_jitter: float = 0.0  # standard deviation of a step as a share of itl_ms
    seed: int = 1
    tokens: int = 64  # natural length of the answer; the length of `text` where that is given
    text: str | tuple[str, ...] | None = None  # pieces of the answer; a string is cut into words
    answers: tuple[tuple[str, str], ...] = ()  # (fragment of the prompt, answer): the first match wins
    reasoning_tokens: int = 0  # so many tokens come first, as reasoning_content
    silent_every: int = 0  # every n-th token produces no event (as half a character does)
    acceptance: float = 0.8  # chance that the first draft token of a step is accepted
    acceptance_decay: float = 0.9  # factor on that chance per further position
    draft_cost: float = 0.08  # price of one drafted token as a share of itl_ms
    prefill_cost: float = 0.1  # MTP makes the prompt slower by this share
    cancel_s: float = 0.05  # how long a slot stays busy after the client has gone

    # --- records for the test ---
    launch_log: str | None = None  # file; one JSON line per start: argv, env, pid
    request_log: str | None = None  # file; one JSON line per request: method, path, headers, body

    # --- when the faults below apply (all conditions must hold) ---
    when_mtp: bool | None = None  # only with (True) or without (False) draft-mtp
    when_ctx_above: int | None = None
    when_n_max_above: int | None = None
    when_launch_at_most: int | None = None  # only the first n starts; needs launch_log
    after_requests: int = 0  # faults of a request spare the first n generations
    when_prompt_above: int | None = None  # faults of a request strike only prompts of more tokens

    # --- faults of the start ---
    crash_at_load: str | int | None = None  # "SIGSEGV" or an exit code, after load_s
    crash_text: str = ""  # raw text on stderr before that
    oom_at_load: bool | str = False  # True or "weights" | "kv" | "rs" | "compute" | "context"
    hang_at_load: bool = False
    port_in_use: bool = False  # says so even if the port is free
    spec_fails_silently: bool = False
    ctx_shrunk: int | None = None  # this n_ctx instead of the one asked for
    wrong_identity: bool = False

    # --- faults of a request ---
    crash_after_tokens: int | None = None  # SIGSEGV
    oom_after_tokens: int | None = None  # CUDA error, then SIGABRT
    hang_after_tokens: int | None = None  # connection open, no bytes, health green
    close_after_tokens: int | None = None  # connection closed, no finish
    error_in_stream: int | None = None  # data: {"error": ...} after n tokens, then the end
    http_error: int | None = None  # status, before the stream
    http_error_body: str | None = None  # raw body for it; default: llama-server's JSON
    cached: int | None = None  # cache_n, whatever cache_prompt says
    no_timings: bool = False
    no_usage: bool = False

    # --- faults of the process and of its pipes ---
    exit_after_s: float | None = None  # after it was ready
    exit_code: int = 1
    ignore_sigterm: bool = False
    hang_health: bool = False  # once ready, /health accepts and never answers
    hang_slots: bool = False  # /slots accepts and never answers, once after_requests generations have begun
    close_socket: bool = (
        False  # listens no more, once after_requests generations have begun; the process lives on
    )
    fork_grandchild: str | None = None  # file for its pid; it keeps the pipes open for two minutes
    megabyte_log_line: bool = False  # one at load, one per request
    flood_log: int = 0  # lines per second
    chatter_at_load: int = 0  # so many bytes of lines before the load

    # --- odd bytes in the stream ---
    split_packets: bool = False
    pings: int = 0  # a comment line before the first token and after every n-th token
    bad_utf8: bool = False
    u2028: bool = False


# What the conditions `when_...` govern; the rest always applies.
_FAULTS = (
    "crash_at_load", "oom_at_load", "hang_at_load", "port_in_use", "spec_fails_silently", "ctx_shrunk",
    "wrong_identity", "crash_after_tokens", "oom_after_tokens", "hang_after_tokens", "close_after_tokens",
    "error_in_stream", "http_error", "cached", "no_timings", "no_usage", "exit_after_s", "ignore_sigterm",
    "hang_health", "hang_slots", "close_socket", "fork_grandchild",
)  # fmt: skip


def without_faults(switches: Switches) -> Switches:
    """The same server in good health."""
    default = Switches()
    healthy: dict[str, Any] = {name: getattr(default, name) for name in _FAULTS}
    return dataclasses.replace(switches, **healthy)


def from_json(text: str) -> Switches:
    """Read the switches from the JSON object that the wrapper script carries.

    Raises:
        ValueError: a key is unknown.
    """
    return make(**json.loads(text))


def make(**given: Any) -> Switches:
    """Build the switches from keywords; lists become tuples, an unknown name raises ValueError."""
    known = {field.name for field in dataclasses.fields(Switches)}
    unknown = sorted(set(given) - known)
    if unknown:
        raise ValueError(f"unknown switch: {', '.join(unknown)}")
    answers = given.pop("answers", ())
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
    }
    pairs = answers.items() if isinstance(answers, dict) else answers
    values["answers"] = tuple((fragment, answer) for fragment, answer in pairs)
    return Switches(**values)


def to_json(switches: Switches) -> str:
    """Write the switches that differ from the defaults as one JSON object."""
    default = Switches()
    names = [field.name for field in dataclasses.fields(Switches)]
    changed = {n: getattr(switches, n) for n in names if getattr(switches, n) != getattr(default, n)}
    return json.dumps(changed)
