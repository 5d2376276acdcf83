"""The bundled engine's command line, declared once: spellings, help text, checking and what each option sets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

Section = Literal["common", "sampling", "speculative", "example-specific"]
Action = Literal["help", "version", "list-devices"]
Apply = Callable[[Any, Any, Any], None]
"""Sets a checked value: (the xllamacpp module, its CommonParams, the value)."""

KV_TYPES: Final = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
SPEC_TYPES: Final = (
    "none",
    "draft-simple",
    "draft-eagle3",
    "draft-mtp",
    "draft-dflash",
    "draft-dspark",
    "ngram-simple",
    "ngram-map-k",
    "ngram-map-k4v",
    "ngram-mod",
    "ngram-cache",
)
_EXPERTS: Final = r"ffn_(up|down|gate|gate_up)_(ch|)exps"
_FIXED_LOG: Final = "accepted for compatibility: the bundled engine always prints it"


class ValueRefusedError(Exception):
    """A value llama-server would refuse; the text is its own wording for it."""


@dataclass(frozen=True)
class Option:
    """One option. `read` checks the text of a value, `apply` sets it; a switch has no `hint`.

    `negative` spellings turn a switch off. `action` options do something else than set a value.
    `many` values accumulate, all other options keep the last one.
    """

    names: tuple[str, ...]
    section: Section
    text: str
    apply: Apply | None = None
    read: Callable[[str], Any] | None = None
    hint: str = ""
    env: str = ""
    negative: tuple[str, ...] = ()
    action: Action | None = None
    many: bool = False

    def explain(self) -> str:
        """The option's block of the help, in llama-server's layout: text from column 40."""
        spellings = [*self.names, *self.negative]
        head = spellings[0]
        if len(spellings) > 1:
            head = f"{head + ', ':<7}" + ", ".join(spellings[1:])
        if self.hint:
            head += " " + self.hint
        lines = [line for part in self.text.split("\n") for line in _wrap(part, 70)]
        if self.env:
            lines.append(f"(env: {self.env})")
        margin = " " * 40
        opening = f"{head}\n{margin}" if len(head) > 37 else f"{head:<40}"
        return opening + f"\n{margin}".join(lines) + "\n"


def _wrap(text: str, width: int) -> list[str]:
    lines: list[str] = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def _on(value: str) -> bool:
    return value in {"on", "enabled", "true", "1"}


def _off(value: str) -> bool:
    return value in {"off", "disabled", "false", "0"}


def read_switch(value: str) -> bool:
    """Truth value of a switch given by environment."""
    if not (_on(value) or _off(value)):
        raise ValueRefusedError("invalid boolean value")
    return _on(value)


def read_integer(value: str) -> int:
    """Integer as C++'s stoi reads it: leading blanks and trailing text are allowed, 32 bits."""
    found = re.match(r"\s*[+-]?\d+", value)
    if not found or not -(2**31) <= int(found.group()) < 2**31:
        raise ValueRefusedError("stoi")
    return int(found.group())


def _read_float(value: str) -> float:
    found = re.match(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", value, re.IGNORECASE)
    if not found:
        raise ValueRefusedError("stof")
    return float(found.group())


def _integer_from(low: int, refusal: str = "invalid value") -> Callable[[str], int]:
    def read(value: str) -> int:
        number = read_integer(value)
        if number < low:
            raise ValueRefusedError(refusal)
        return number

    return read


def _one_of(refusal: str, words: dict[str, str]) -> Callable[[str], str]:
    """Reader that maps each allowed word to a word of its own and refuses all others."""

    def read(value: str) -> str:
        if value not in words:
            raise ValueRefusedError(refusal.format(value=value))
        return words[value]

    return read


def _three_way(flag: str, *, automatic: bool) -> Callable[[str], str]:
    def read(value: str) -> str:
        if _on(value):
            return "on"
        if _off(value):
            return "off"
        if automatic and value in {"auto", "-1"}:
            return "auto"
        raise ValueRefusedError(f"error: unknown value for {flag}: '{value}'\n")

    return read


def _read_layers(value: str) -> int:
    return {"auto": -1, "all": -2}[value] if value in {"auto", "all"} else read_integer(value)


def _read_parallel(value: str) -> int:
    number = read_integer(value)
    if number == 0:
        raise ValueRefusedError("error: invalid value for n_parallel\n")
    return number


def _read_cache_type(value: str) -> str:
    if value not in KV_TYPES:
        raise ValueRefusedError(f"Unsupported cache type: {value}")
    return value


def _read_spec_types(value: str) -> list[str]:
    names = value.split(",")
    for name in names:
        if name not in SPEC_TYPES:
            raise ValueRefusedError(f"unknown speculative type: {name}")
    return names


def _read_words(value: str) -> list[str]:
    return [word.strip() for word in value.split(",") if word.strip()]


def _read_hosts(value: str) -> list[str]:
    hosts = _read_words(value)
    if not hosts:
        raise ValueRefusedError("--host requires at least one address")
    return hosts


def _read_margins(value: str) -> list[int]:
    margins = re.split(r"[,/]+", value)
    if not all(re.match(r"\s*\d+", margin) for margin in margins):
        raise ValueRefusedError("stoull")
    return [read_integer(margin) for margin in margins]


def _read_template_arguments(value: str) -> dict[str, str]:
    try:
        arguments = json.loads(value)
    except ValueError as error:
        raise ValueRefusedError(f"parse error: {error}") from error
    if not isinstance(arguments, dict):
        raise ValueRefusedError("parse error: a JSON object is expected")
    return {key: json.dumps(item) for key, item in arguments.items()}


def _read_key_file(value: str) -> list[str]:
    try:
        lines = Path(value).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise ValueRefusedError(f"error: failed to open file '{value}'\n") from error
    return [line for line in lines if line and not line.startswith("#")]


def _read_removed(advice: str) -> Callable[[str], None]:
    def read(_value: str) -> None:
        raise ValueRefusedError(f"the argument has been removed. {advice}")

    return read


def _attribute(path: str) -> Apply:
    """Set `params.<path>` to the value as it is."""
    *parents, name = path.split(".")

    def apply(_library: Any, params: Any, value: Any) -> None:  # noqa: ANN401 - xllamacpp has no types
        for parent in parents:
            params = getattr(params, parent)
        setattr(params, name, value)

    return apply


def _member(path: str, enum: str, prefix: str) -> Apply:
    """Set `params.<path>` to the member of an xllamacpp enumeration that the word names."""
    put = _attribute(path)

    def apply(library: Any, params: Any, value: str) -> None:  # noqa: ANN401
        word = value.upper().replace("-", "_").replace("+", "_")
        put(library, params, getattr(getattr(library, enum), prefix + word))

    return apply


def _nothing(_library: Any, _params: Any, _value: Any) -> None:  # noqa: ANN401
    """Accepted, but not adjustable in the bundled engine."""


def _set_context(_library: Any, params: Any, value: int) -> None:  # noqa: ANN401
    params.n_ctx = value
    if value == 0:
        # An explicit 0 asks for the full training context; fitting must not shrink it.
        params.fit_params_min_ctx = 2**32 - 1


def _set_margins(_library: Any, params: Any, value: list[int]) -> None:  # noqa: ANN401
    margins = [size << 20 for size in value]
    devices = list(params.fit_params_target)
    params.fit_params_target = margins * len(devices) if len(margins) == 1 else margins + devices[len(margins) :]


def _set_timeout(_library: Any, params: Any, value: int) -> None:  # noqa: ANN401
    params.timeout_read = params.timeout_write = value


def _set_spec_types(library: Any, params: Any, value: list[str]) -> None:  # noqa: ANN401
    kinds = library.common_speculative_type
    members = [getattr(kinds, "COMMON_SPECULATIVE_TYPE_" + name.upper().replace("-", "_")) for name in value]
    params.speculative.types = [*params.speculative.types, *members]
    # Since August 2026 the head's tensors are read only on request; llama-server asks by itself.
    params.load_mtp = params.load_mtp or "draft-mtp" in value


def _set_draft_sampling(_library: Any, params: Any, value: str) -> None:  # noqa: ANN401
    params.speculative.draft.probabilistic = value == "probabilistic"


def _set_experts(_library: Any, params: Any, layers: int | None) -> None:  # noqa: ANN401
    patterns = [rf"\.{_EXPERTS}"] if layers is None else [rf"blk\.{n}\.{_EXPERTS}" for n in range(layers)]
    params.tensor_buft_overrides = ",".join(f"{pattern}=CPU" for pattern in patterns)


def _set_keys(_library: Any, params: Any, value: list[str]) -> None:  # noqa: ANN401
    params.api_keys = [*params.api_keys, *value]


def _set_template_arguments(_library: Any, params: Any, value: dict[str, str]) -> None:  # noqa: ANN401
    params.default_template_kwargs = {**params.default_template_kwargs, **value}


def _set_reasoning(_library: Any, params: Any, value: str) -> None:  # noqa: ANN401
    params.enable_reasoning = {"on": 1, "off": 0, "auto": -1}[value]
    if value != "auto":
        arguments = {**params.default_template_kwargs, "enable_thinking": json.dumps(value == "on")}
        params.default_template_kwargs = arguments


def _set_colors(_library: Any, _params: Any, value: str) -> None:  # noqa: ANN401
    # The native logger decides once, at its first line; this is the only handle it leaves.
    if value == "off":
        os.environ["NO_COLOR"] = "1"


_DRAFT: Final = "speculative.draft."
_KV_HELP: Final = "number format of the {0}\nallowed values: " + ", ".join(KV_TYPES) + "\n(default: f16)"


def _cache_type(names: tuple[str, ...], what: str, path: str, env: str) -> Option:
    return Option(
        names,
        "common",
        _KV_HELP.format(what),
        _member(path, "ggml_type", "GGML_TYPE_"),
        _read_cache_type,
        "TYPE",
        env,
    )


def _count(
    names: tuple[str, ...],
    section: Section,
    text: str,
    path: str,
    env: str,
    read: Callable[[str], int] = read_integer,
) -> Option:
    return Option(names, section, text, _attribute(path), read, "N", env)


def _switch(names: str, section: Section, text: str, path: str, env: str, negative: str = "") -> Option:
    return Option(
        tuple(names.split()), section, text, _attribute(path), env=env, negative=tuple(negative.split())
    )


_COMMON: Final = (
    Option(("-h", "--help", "--usage"), "common", "print this help and exit", action="help"),
    Option(("--version",), "common", "print version and build, then exit", action="version"),
    _count(
        ("-t", "--threads"),
        "common",
        "CPU threads for generation (default: -1)",
        "cpuparams.n_threads",
        "LLAMA_ARG_THREADS",
    ),
    _count(
        ("-tb", "--threads-batch"),
        "common",
        "CPU threads for prompts (default: same as --threads)",
        "cpuparams_batch.n_threads",
        "",
    ),
    Option(
        ("-c", "--ctx-size"),
        "common",
        "context in tokens (default: 0, 0 = the model's own)",
        _set_context,
        read_integer,
        "N",
        "LLAMA_ARG_CTX_SIZE",
    ),
    _count(("-b", "--batch-size"), "common", "logical batch (default: 2048)", "n_batch", "LLAMA_ARG_BATCH"),
    _count(("-ub", "--ubatch-size"), "common", "physical batch (default: 512)", "n_ubatch", "LLAMA_ARG_UBATCH"),
    Option(
        ("-fa", "--flash-attn"),
        "common",
        "flash attention: 'on', 'off' or 'auto' (default: 'auto')",
        _member("flash_attn_type", "llama_flash_attn_type", "LLAMA_FLASH_ATTN_TYPE_"),
        lambda value: {"on": "enabled", "off": "disabled", "auto": "auto"}[
            _three_way("--flash-attn", automatic=True)(value)
        ],
        "[on|off|auto]",
        "LLAMA_ARG_FLASH_ATTN",
    ),
    _cache_type(("-ctk", "--cache-type-k"), "K cache", "cache_type_k", "LLAMA_ARG_CACHE_TYPE_K"),
    _cache_type(("-ctv", "--cache-type-v"), "V cache", "cache_type_v", "LLAMA_ARG_CACHE_TYPE_V"),
    Option(
        ("-lm", "--load-mode"),
        "common",
        "how the model file is read: auto, none, mmap, mlock, mmap+mlock or dio (default: auto)",
        _member("load_mode", "llama_load_mode", "LLAMA_LOAD_MODE_"),
        _one_of(
            "invalid value",
            {word: word for word in ("auto", "none", "mmap", "mlock", "mmap+mlock")} | {"dio": "direct_io"},
        ),
        "MODE",
        "LLAMA_ARG_LOAD_MODE",
    ),
    Option(
        ("--list-devices",), "common", "print the devices models can be placed on, then exit", action="list-devices"
    ),
    Option(
        ("-cmoe", "--cpu-moe"),
        "common",
        "keep all experts in main memory",
        lambda library, params, _value: _set_experts(library, params, None),
        env="LLAMA_ARG_CPU_MOE",
    ),
    Option(
        ("-ncmoe", "--n-cpu-moe"),
        "common",
        "keep the experts of the first N layers in main memory",
        _set_experts,
        _integer_from(0),
        "N",
        "LLAMA_ARG_N_CPU_MOE",
    ),
    Option(
        ("-ngl", "--gpu-layers", "--n-gpu-layers"),
        "common",
        "layers to place on the GPU: a number, 'auto' or 'all' (default: auto)",
        _attribute("n_gpu_layers"),
        _read_layers,
        "N",
        "LLAMA_ARG_N_GPU_LAYERS",
    ),
    Option(
        ("-fit", "--fit"),
        "common",
        "shrink what was not set until it fits the device: 'on' or 'off' (default: 'on')",
        lambda _library, params, value: setattr(params, "fit_params", value == "on"),
        _three_way("--fit", automatic=False),
        "[on|off]",
        "LLAMA_ARG_FIT",
    ),
    Option(
        ("-fitt", "--fit-target"),
        "common",
        "memory for --fit to leave free, in MiB per device (default: 1024)",
        _set_margins,
        _read_margins,
        "MiB0,MiB1,MiB2,...",
        "LLAMA_ARG_FIT_TARGET",
    ),
    _count(
        ("-fitc", "--fit-ctx"),
        "common",
        "smallest context --fit may choose (default: 4096)",
        "fit_params_min_ctx",
        "LLAMA_ARG_FIT_CTX",
    ),
    Option(
        ("-m", "--model"),
        "common",
        "GGUF file to load",
        _attribute("model.path"),
        str,
        "FNAME",
        "LLAMA_ARG_MODEL",
    ),
    Option(
        ("--log-colors",),
        "common",
        "coloured log: 'on', 'off' or 'auto' (default: 'auto', on a terminal; 'on' acts as 'auto')",
        _set_colors,
        _three_way("--log-colors", automatic=True),
        "[on|off|auto]",
        "LLAMA_ARG_LOG_COLORS",
    ),
    _switch("--offline", "common", "never touch the network", "offline", "LLAMA_ARG_OFFLINE"),
    _count(
        ("-lv", "--verbosity", "--log-verbosity"),
        "common",
        "how much to log (default: 3)\n0 output, 1 error, 2 warning, 3 info, 4 trace, 5 debug",
        "verbosity",
        "LLAMA_ARG_LOG_VERBOSITY",
    ),
    Option(
        ("--log-prefix",),
        "common",
        f"level letter in front of log lines ({_FIXED_LOG})",
        _nothing,
        env="LLAMA_ARG_LOG_PREFIX",
        negative=("--no-log-prefix",),
    ),
    Option(
        ("--log-timestamps",),
        "common",
        f"time in front of log lines ({_FIXED_LOG})",
        _nothing,
        env="LLAMA_ARG_LOG_TIMESTAMPS",
        negative=("--no-log-timestamps",),
    ),
    _cache_type(
        ("--spec-draft-type-k", "-ctkd", "--cache-type-k-draft"),
        "K cache of the draft",
        _DRAFT + "cache_type_k",
        "LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_K",
    ),
    _cache_type(
        ("--spec-draft-type-v", "-ctvd", "--cache-type-v-draft"),
        "V cache of the draft",
        _DRAFT + "cache_type_v",
        "LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_V",
    ),
)

_SAMPLING: Final = (
    Option(
        ("-s", "--seed"),
        "sampling",
        "seed of the random numbers (default: -1, -1 = random)",
        lambda _library, params, value: setattr(params.sampling, "seed", value % 2**32),
        read_integer,
        "SEED",
    ),
)

_SPECULATIVE: Final = (
    _count(
        ("--spec-draft-n-max",),
        "speculative",
        "tokens to draft per step (default: 3)",
        _DRAFT + "n_max",
        "LLAMA_ARG_SPEC_DRAFT_N_MAX",
        _integer_from(0),
    ),
    _count(
        ("--spec-draft-n-min",),
        "speculative",
        "shorter drafts are dropped (default: 0)",
        _DRAFT + "n_min",
        "LLAMA_ARG_SPEC_DRAFT_N_MIN",
    ),
    Option(
        ("--spec-draft-p-min", "--draft-p-min"),
        "speculative",
        "stop drafting below this probability (default: 0.00)",
        _attribute(_DRAFT + "p_min"),
        _read_float,
        "P",
        "LLAMA_ARG_SPEC_DRAFT_P_MIN",
    ),
    Option(
        ("--spec-draft-backend-sampling",),
        "speculative",
        "sample drafts on the device (default: enabled)",
        _attribute(_DRAFT + "backend_sampling"),
        env="LLAMA_ARG_SPEC_DRAFT_BACKEND_SAMPLING",
        negative=("--no-spec-draft-backend-sampling",),
    ),
    Option(
        ("--spec-draft-sampling",),
        "speculative",
        "greedy drafts, or sampled ones verified by rejection (default: greedy)",
        _set_draft_sampling,
        _one_of(
            "invalid value, must be one of: greedy, probabilistic",
            {"greedy": "greedy", "probabilistic": "probabilistic"},
        ),
        "{greedy,probabilistic}",
        "LLAMA_ARG_SPEC_DRAFT_SAMPLING",
    ),
    Option(
        ("--spec-draft-model", "-md", "--model-draft"),
        "speculative",
        "separate draft model or MTP sidecar (default: unused)",
        _attribute(_DRAFT + "mparams.path"),
        str,
        "FNAME",
        "LLAMA_ARG_SPEC_DRAFT_MODEL",
    ),
    Option(
        ("--spec-type",),
        "speculative",
        "kinds of speculative decoding, comma-separated (default: none)",
        _set_spec_types,
        _read_spec_types,
        ",".join(SPEC_TYPES),
        "LLAMA_ARG_SPEC_TYPE",
        many=True,
    ),
    Option(
        ("--draft", "--draft-n", "--draft-max"),
        "speculative",
        "the argument has been removed. use --spec-draft-n-max",
        read=_read_removed("use --spec-draft-n-max or --spec-ngram-mod-n-max"),
        hint="N",
        env="LLAMA_ARG_DRAFT_MAX",
    ),
    Option(
        ("--draft-min", "--draft-n-min"),
        "speculative",
        "the argument has been removed. use --spec-draft-n-min",
        read=_read_removed("use --spec-draft-n-min or --spec-ngram-mod-n-min"),
        hint="N",
        env="LLAMA_ARG_DRAFT_MIN",
    ),
)

_SERVER: Final = (
    _count(
        ("-ctxcp", "--ctx-checkpoints", "--swa-checkpoints"),
        "example-specific",
        "context checkpoints kept per slot (default: 32)",
        "n_ctx_checkpoints",
        "LLAMA_ARG_CTX_CHECKPOINTS",
    ),
    _count(
        ("-cram", "--cache-ram"),
        "example-specific",
        "main memory for prompts of idle slots in MiB (default: 8192, -1 = no limit, 0 = off)",
        "cache_ram_mib",
        "LLAMA_ARG_CACHE_RAM",
    ),
    _switch(
        "-kvu --kv-unified",
        "example-specific",
        "one KV pool shared by all slots (default: on when the number of slots is auto)",
        "kv_unified",
        "LLAMA_ARG_KV_UNIFIED",
        "-no-kvu --no-kv-unified",
    ),
    _switch(
        "--warmup",
        "example-specific",
        "one empty run after loading (default: enabled)",
        "warmup",
        "LLAMA_ARG_WARMUP",
        "--no-warmup",
    ),
    _count(
        ("-np", "--parallel"),
        "example-specific",
        "slots (default: -1, -1 = auto)",
        "n_parallel",
        "LLAMA_ARG_N_PARALLEL",
        _read_parallel,
    ),
    Option(
        ("--mmproj-auto",),
        "example-specific",
        "use a multimodal projector if there is one (default: enabled)",
        lambda _library, params, value: setattr(params, "no_mmproj", not value),
        env="LLAMA_ARG_MMPROJ_AUTO",
        negative=("--no-mmproj", "--no-mmproj-auto"),
    ),
    Option(
        ("-a", "--alias"),
        "example-specific",
        "names of the model in the API, comma-separated",
        lambda _library, params, value: setattr(params, "model_alias", set(value)),
        _read_words,
        "STRING",
        "LLAMA_ARG_ALIAS",
    ),
    Option(
        ("--host",),
        "example-specific",
        "addresses to listen on, comma-separated (default: 127.0.0.1)",
        _attribute("hostnames"),
        _read_hosts,
        "HOST",
        "LLAMA_ARG_HOST",
    ),
    _count(("--port",), "example-specific", "port to listen on (default: 8080)", "port", "LLAMA_ARG_PORT"),
    _switch(
        "--ui --webui",
        "example-specific",
        "serve the web page, where the build holds one (default: enabled)",
        "ui",
        "LLAMA_ARG_UI",
        "--no-ui --no-webui",
    ),
    Option(
        ("--api-key",),
        "example-specific",
        "keys that requests must bring, comma-separated (default: none)",
        _set_keys,
        _read_words,
        "KEY",
        "LLAMA_API_KEY",
        many=True,
    ),
    Option(
        ("--api-key-file",),
        "example-specific",
        "file of keys, one a line, # for comments (default: none)",
        _set_keys,
        _read_key_file,
        "FNAME",
        "LLAMA_ARG_API_KEY_FILE",
        many=True,
    ),
    Option(
        ("--chat-template-kwargs",),
        "example-specific",
        "arguments for the chat template, a JSON object",
        _set_template_arguments,
        _read_template_arguments,
        "STRING",
        "LLAMA_ARG_CHAT_TEMPLATE_KWARGS",
    ),
    Option(
        ("-to", "--timeout"),
        "example-specific",
        "socket time-out in seconds (default: 3600)",
        _set_timeout,
        read_integer,
        "N",
        "LLAMA_ARG_TIMEOUT",
    ),
    _count(
        ("--sse-ping-interval",),
        "example-specific",
        "seconds between comments in a silent stream (default: 30, -1 = off)",
        "sse_ping_interval",
        "LLAMA_ARG_SSE_PING_INTERVAL",
    ),
    _count(
        ("--threads-http",),
        "example-specific",
        "threads for HTTP (default: -1)",
        "n_threads_http",
        "LLAMA_ARG_THREADS_HTTP",
    ),
    _switch(
        "--cache-prompt",
        "example-specific",
        "reuse common prefixes of prompts (default: enabled)",
        "cache_prompt",
        "LLAMA_ARG_CACHE_PROMPT",
        "--no-cache-prompt",
    ),
    _switch(
        "--metrics",
        "example-specific",
        "serve GET /metrics (default: disabled)",
        "endpoint_metrics",
        "LLAMA_ARG_ENDPOINT_METRICS",
    ),
    _switch(
        "--props",
        "example-specific",
        "allow POST /props (default: disabled)",
        "endpoint_props",
        "LLAMA_ARG_ENDPOINT_PROPS",
    ),
    _switch(
        "--slots",
        "example-specific",
        "serve GET /slots (default: enabled)",
        "endpoint_slots",
        "LLAMA_ARG_ENDPOINT_SLOTS",
        "--no-slots",
    ),
    _switch(
        "--jinja",
        "example-specific",
        "use the model's Jinja chat template (default: enabled)",
        "use_jinja",
        "LLAMA_ARG_JINJA",
        "--no-jinja",
    ),
    Option(
        ("--reasoning-format",),
        "example-specific",
        "where thoughts go: none, deepseek, deepseek-legacy or auto (default: auto)",
        _member("reasoning_format", "common_reasoning_format", "COMMON_REASONING_FORMAT_"),
        _one_of(
            "Unknown reasoning format: {value}",
            {word: word for word in ("none", "auto", "deepseek", "deepseek-legacy")},
        ),
        "FORMAT",
        "LLAMA_ARG_THINK",
    ),
    Option(
        ("-rea", "--reasoning"),
        "example-specific",
        "thinking: 'on', 'off' or 'auto' (default: 'auto')",
        _set_reasoning,
        _three_way("--reasoning", automatic=True),
        "[on|off|auto]",
        "LLAMA_ARG_REASONING",
    ),
    _count(
        ("--reasoning-budget",),
        "example-specific",
        "tokens for thinking (default: -1, -1 = no limit, 0 = none)",
        "sampling.reasoning_budget_tokens",
        "LLAMA_ARG_THINK_BUDGET",
        _integer_from(-1),
    ),
    Option(
        ("--chat-template",),
        "example-specific",
        "chat template to use instead of the model's",
        _attribute("chat_template"),
        str,
        "JINJA_TEMPLATE",
        "LLAMA_ARG_CHAT_TEMPLATE",
    ),
)

OPTIONS: Final[tuple[Option, ...]] = (*_COMMON, *_SAMPLING, *_SPECULATIVE, *_SERVER)
"""All options in the order of the help."""
