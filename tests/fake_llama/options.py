"""The command line of the fake: which options this build knows, as a table, and what each one means."""

# ruff: noqa: E501 - the rows of the table are wide

from __future__ import annotations

from dataclasses import dataclass

from tests.fake_llama.switches import Switches

KV_TYPES = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
SPEC_TYPES = {
    "current": "none,draft-simple,draft-eagle3,draft-mtp,draft-dflash,draft-dspark,"
    "ngram-simple,ngram-map-k,ngram-map-k4v,ngram-mod,ngram-cache",
    "no_mtp": "none,draft-simple,draft-eagle3,ngram-simple,ngram-map-k,ngram-map-k4v,ngram-mod,ngram-cache",
    "branch": "none,draft,eagle3,mtp,ngram-simple,ngram-map-k,ngram-map-k4v,ngram-mod,ngram-cache",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option: all its spellings (shortest first), what value it takes and what the help says."""

    names: tuple[str, ...]
    section: str
    hint: str | None  # None: a flag without a value
    kind: str  # "flag" | "text" | "int" | "float" | "choice" | "kv" | "spec" | "device" | "removed"
    default: str
    text: str
    env: str = ""
    off_names: tuple[str, ...] = ()  # the twins that negate it
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name the value is kept under: the first long spelling."""
        return next((name for name in self.names if name.startswith("--")), self.names[0])

    @property
    def all_names(self) -> tuple[str, ...]:
        """Spellings and negations together."""
        return self.names + self.off_names


# Columns: spellings (negations after "!") | value hint, or choices with "/" for the bar | kind | default | env | text.
# A kind is left out where the hint is a list of choices.
_COMMON = """
-h, --help, --usage | | flag | | | show this text and leave
--version | | flag | | | show the build and leave
-cl, --cache-list | | flag | | | list the models in the download cache
--completion-bash | | flag | | | print a completion script for bash
-t, --threads | N | int | -1 | LLAMA_ARG_THREADS | CPU threads while generating
-tb, --threads-batch | N | int | -1 | | CPU threads while reading the prompt
-C, --cpu-mask | M | text | | | CPU affinity mask
--prio | N | int | 0 | | priority of the threads
--poll | 0...100 | int | 50 | | how eagerly threads wait for work
-c, --ctx-size | N | int | 0 | LLAMA_ARG_CTX_SIZE | size of the context; 0 takes it from the model
-n, --predict, --n-predict | N | int | -1 | LLAMA_ARG_N_PREDICT | tokens to generate at most
-b, --batch-size | N | int | 2048 | LLAMA_ARG_BATCH | logical batch
-ub, --ubatch-size | N | int | 512 | LLAMA_ARG_UBATCH | physical batch
--keep | N | int | 0 | | tokens of the prompt to keep
--swa-full | | flag | | LLAMA_ARG_SWA_FULL | full cache for sliding-window layers
-fa, --flash-attn | [on/off/auto] | | auto | LLAMA_ARG_FLASH_ATTN | use Flash Attention
--perf ! --no-perf | | flag | | LLAMA_ARG_PERF | internal timings of the library
-kvo, --kv-offload ! -nkvo, --no-kv-offload | | flag | | LLAMA_ARG_KV_OFFLOAD | keep the KV cache on the device
-ctk, --cache-type-k | TYPE | kv | f16 | LLAMA_ARG_CACHE_TYPE_K | KV cache type of K
-ctv, --cache-type-v | TYPE | kv | f16 | LLAMA_ARG_CACHE_TYPE_V | KV cache type of V
--rpc | SERVERS | text | | LLAMA_ARG_RPC | remote devices
-lm, --load-mode | [auto/none/mmap/mlock/mmap+mlock/dio] | | auto | LLAMA_ARG_LOAD_MODE | how the file is read
-lzm, --lazy-mode | [on/auto/off] | | auto | LLAMA_ARG_LAZY_MODE | load parts when they are needed
-dev, --device | <dev1,dev2,..> | device | | LLAMA_ARG_DEVICE | devices to use, or none
--list-devices | | flag | | | list the devices and leave
-ot, --override-tensor | <pattern>=<buffer>,... | text | | LLAMA_ARG_OVERRIDE_TENSOR | place tensors by name
-cmoe, --cpu-moe | | flag | | LLAMA_ARG_CPU_MOE | keep all expert weights in host memory
-ncmoe, --n-cpu-moe | N | int | 0 | LLAMA_ARG_N_CPU_MOE | keep the experts of N layers in host memory
-ncffn, --n-cpu-ffn | N | int | 0 | LLAMA_ARG_N_CPU_FFN | keep the dense FFN of N layers in host memory
-ngl, --gpu-layers, --n-gpu-layers | N | text | auto | LLAMA_ARG_N_GPU_LAYERS | layers in VRAM: a number, auto or all
-sm, --split-mode | {none,layer,row,tensor} | | layer | LLAMA_ARG_SPLIT_MODE | how to share several cards
-ts, --tensor-split | N0,N1,N2,... | text | | LLAMA_ARG_TENSOR_SPLIT | share per card
-mg, --main-gpu | INDEX | int | 0 | LLAMA_ARG_MAIN_GPU | the card for what is not split
-fit, --fit | [on/off] | | on | LLAMA_ARG_FIT | fit what was not set to the free memory
-fitt, --fit-target | MiB0,MiB1,... | text | 1024 | LLAMA_ARG_FIT_TARGET | memory to leave free per device
-fitc, --fit-ctx | N | int | 4096 | LLAMA_ARG_FIT_CTX | smallest context that fit may choose
-a, --alias | STRING | text | | LLAMA_ARG_ALIAS | name of the model in the API
-m, --model | FNAME | text | | LLAMA_ARG_MODEL | path of the model
-mu, --model-url | URL | text | | LLAMA_ARG_MODEL_URL | where to fetch the model
-hf, -hfr, --hf-repo | <user>/<model>[:quant] | text | | LLAMA_ARG_HF_REPO | repository of the model
-hff, --hf-file | FILE | text | | LLAMA_ARG_HF_FILE | file in that repository
--offline | | flag | | LLAMA_ARG_OFFLINE | never use the network
--log-disable | | flag | | | no log
--log-file | FNAME | text | | LLAMA_ARG_LOG_FILE | write the log into a file as well
--log-colors | [on/off/auto] | | auto | LLAMA_ARG_LOG_COLORS | coloured log
-v, --verbose, --log-verbose | | flag | | | log everything
-lv, --verbosity, --log-verbosity | N | int | 3 | LLAMA_ARG_LOG_VERBOSITY | 1 error, 2 warning, 3 info, 4 trace, 5 debug
--log-prefix ! --no-log-prefix | | flag | | LLAMA_ARG_LOG_PREFIX | prefix in the log
--log-timestamps ! --no-log-timestamps | | flag | | LLAMA_ARG_LOG_TIMESTAMPS | time in the log
--log-jsonl | | flag | | LLAMA_ARG_LOG_JSONL | the log as JSON lines on stdout
"""

_SAMPLING = """
-s, --seed | SEED | int | -1 | | seed of the sampler
--temp | N | float | 0.80 | LLAMA_ARG_TEMP | temperature
--top-k | N | int | 40 | LLAMA_ARG_TOP_K | keep the k likeliest tokens
--top-p | N | float | 0.95 | | keep the likeliest tokens up to this sum
--min-p | N | float | 0.05 | | drop tokens below this share of the best
--repeat-penalty | N | float | 1.00 | | punish repeated tokens
--ignore-eos | | flag | | | go on after the end
-bs, --backend-sampling | | flag | | LLAMA_ARG_BACKEND_SAMPLING | sample on the device
"""

_SPECULATIVE = """
-md, --model-draft, --spec-draft-model | FNAME | text | | LLAMA_ARG_MODEL_DRAFT | model or MTP file for drafting
-hfd, -hfrd, --hf-repo-draft, --spec-draft-hf | <user>/<model>[:quant] | text | | | the same from a repository
--spec-type | {spec} | spec | none | LLAMA_ARG_SPEC_TYPE | kinds of speculative decoding, comma-separated
--spec-draft-n-max | N | int | 3 | LLAMA_ARG_SPEC_DRAFT_N_MAX | tokens to draft per step
--spec-draft-n-min | N | int | 0 | LLAMA_ARG_SPEC_DRAFT_N_MIN | drop drafts shorter than this
--draft-p-min, --spec-draft-p-min | P | float | 0.00 | LLAMA_ARG_SPEC_DRAFT_P_MIN | stop drafting below this probability
--draft-p-split, --spec-draft-p-split | P | float | 0.10 | LLAMA_ARG_SPEC_DRAFT_P_SPLIT | probability for a split
--spec-draft-backend-sampling ! --no-spec-draft-backend-sampling | | flag | | | sample drafts on the device
--spec-draft-sampling | [greedy/probabilistic] | | greedy | | how drafts are sampled
-ctkd, --cache-type-k-draft, --spec-draft-type-k | TYPE | kv | f16 | | KV cache type of K for drafting
-ctvd, --cache-type-v-draft, --spec-draft-type-v | TYPE | kv | f16 | | KV cache type of V for drafting
-ngld, --gpu-layers-draft, --spec-draft-ngl | N | text | auto | | layers of the draft model in VRAM
-devd, --spec-draft-device | <dev1,dev2,..> | device | | | devices of the draft model
--spec-synth-len | L | float | | | made-up mean accepted length, for benchmarks
--spec-synth-rates | P0,P1,... | text | | | made-up acceptance per position, for benchmarks
--spec-ngram-mod-n-match | N | int | 24 | | length of the n-gram to look up
--spec-ngram-mod-n-min | N | int | 48 | | shortest n-gram draft
--spec-ngram-mod-n-max | N | int | 64 | | longest n-gram draft
--spec-default | | flag | | | ngram-mod with its usual values
--draft, --draft-n, --draft-max | N | removed | | LLAMA_ARG_DRAFT_MAX | --spec-draft-n-max or --spec-ngram-mod-n-max
--draft-min, --draft-n-min | N | removed | | LLAMA_ARG_DRAFT_MIN | --spec-draft-n-min or --spec-ngram-mod-n-min
--spec-ngram-size-n | N | removed | | | the respective --spec-ngram-*-size-n
--spec-ngram-size-m | N | removed | | | the respective --spec-ngram-*-size-m
--spec-ngram-min-hits | N | removed | | | the respective --spec-ngram-*-min-hits
"""

_SERVER = """
-ctxcp, --ctx-checkpoints, --swa-checkpoints | N | int | 32 | LLAMA_ARG_CTX_CHECKPOINTS | snapshots per slot
-cms, --checkpoint-min-step | N | int | 8192 | | tokens between snapshots
-cram, --cache-ram | N | int | 8192 | LLAMA_ARG_CACHE_RAM | MiB for the states of idle slots; -1 any, 0 none
--cache-idle-slots ! --no-cache-idle-slots | | flag | | LLAMA_ARG_CACHE_IDLE_SLOTS | save and clear idle slots
-kvu, --kv-unified ! -no-kvu, --no-kv-unified | | flag | | LLAMA_ARG_KV_UNIFIED | one KV pool for all slots
--context-shift ! --no-context-shift | | flag | | LLAMA_ARG_CONTEXT_SHIFT | drop old tokens of a full context
-np, --parallel | N | int | -1 | LLAMA_ARG_N_PARALLEL | slots; -1 chooses
-cb, --cont-batching ! -nocb, --no-cont-batching | | flag | | LLAMA_ARG_CONT_BATCHING | continuous batching
-mm, --mmproj | FILE | text | | LLAMA_ARG_MMPROJ | vision part of the model
--mmproj-auto ! --no-mmproj, --no-mmproj-auto | | flag | | LLAMA_ARG_MMPROJ_AUTO | look for the vision part
--warmup ! --no-warmup | | flag | | LLAMA_ARG_WARMUP | a short run before the first request
--host | HOST | text | 127.0.0.1 | LLAMA_ARG_HOST | address to listen on
--port | PORT | int | 8080 | LLAMA_ARG_PORT | port to listen on
--reuse-port | | flag | | LLAMA_ARG_REUSE_PORT | let several servers share the port
--path | PATH | text | | LLAMA_ARG_STATIC_PATH | folder of static files
--api-prefix | PREFIX | text | | LLAMA_ARG_API_PREFIX | prefix of all paths
--ui, --webui ! --no-ui, --no-webui | | flag | | LLAMA_ARG_UI | the page for browsers
--embedding, --embeddings | | flag | | LLAMA_ARG_EMBEDDINGS | embeddings only
--api-key | KEY | text | | LLAMA_API_KEY | key that requests must carry
--api-key-file | FNAME | text | | | file with such keys
-to, --timeout | N | int | 3600 | LLAMA_ARG_TIMEOUT | seconds to wait for a socket
--sse-ping-interval | N | int | 30 | LLAMA_ARG_SSE_PING_INTERVAL | seconds of silence before a comment
--threads-http | N | int | -1 | LLAMA_ARG_THREADS_HTTP | threads that answer HTTP
--cache-prompt ! --no-cache-prompt | | flag | | LLAMA_ARG_CACHE_PROMPT | reuse the prompt of the request before
--cache-reuse | N | int | 0 | LLAMA_ARG_CACHE_REUSE | smallest chunk to shift
--metrics | | flag | | LLAMA_ARG_ENDPOINT_METRICS | the endpoint /metrics
--props | | flag | | LLAMA_ARG_ENDPOINT_PROPS | POST on /props
--slots ! --no-slots | | flag | | LLAMA_ARG_ENDPOINT_SLOTS | the endpoint /slots
--slot-save-path | PATH | text | | | folder for saved slots
-sps, --slot-prompt-similarity | SIMILARITY | float | 0.10 | | how alike a prompt must be for its slot
--jinja ! --no-jinja | | flag | | LLAMA_ARG_JINJA | use the template engine
--reasoning-format | FORMAT | text | auto | LLAMA_ARG_THINK | where thoughts go
-rea, --reasoning | [on/off/auto] | | auto | LLAMA_ARG_REASONING | let the model think
--reasoning-effort | LEVEL | text | | | how much it thinks
--reasoning-budget | N | int | -1 | LLAMA_ARG_THINK_BUDGET | tokens for thinking; 0 ends it at once
--chat-template | TEMPLATE | text | | LLAMA_ARG_CHAT_TEMPLATE | template in place of the model's
--chat-template-file | FILE | text | | LLAMA_ARG_CHAT_TEMPLATE_FILE | the same from a file
--chat-template-kwargs | STRING | text | | LLAMA_CHAT_TEMPLATE_KWARGS | JSON for the template
--sleep-idle-seconds | SECONDS | int | -1 | | unload after so long without work
--models-dir | PATH | text | | LLAMA_ARG_MODELS_DIR | folder of models (router)
--models-preset | PATH | text | | LLAMA_ARG_MODELS_PRESET | presets (router)
--models-max | N | int | 4 | LLAMA_ARG_MODELS_MAX | models at once (router)
"""

_OLD_LOADING = """
--mmap ! --no-mmap | | flag | | LLAMA_ARG_MMAP | map the file into memory
--mlock | | flag | | LLAMA_ARG_MLOCK | keep the model in memory
-dio, --direct-io ! -ndio, --no-direct-io | | flag | | LLAMA_ARG_DIO | read the file past the page cache
"""

SECTIONS = (
    ("common params", _COMMON),
    ("sampling params", _SAMPLING),
    ("speculative params", _SPECULATIVE),
    ("example-specific params", _SERVER),
)


def known_options(switches: Switches) -> list[Option]:
    """The options of the build that the switches describe, in the order of its help."""
    found: list[Option] = []
    for section, table in SECTIONS:
        lines = table.strip().splitlines()
        if section == "common params" and switches.old_names:
            new = ("-lm,", "-lzm,")
            lines = [line for line in lines if not line.startswith(new)] + _OLD_LOADING.strip().splitlines()
        found += [_option(section, line, switches.dialect) for line in lines]
    return [option for option in found if not set(option.all_names) & set(switches.lacks)]


def _option(section: str, line: str, dialect: str) -> Option:
    spelled, hint, kind, default, env, text = (part.strip() for part in line.split("|"))
    names, _, off = spelled.partition("!")
    choices: tuple[str, ...] = ()
    if not kind:
        hint = hint.replace("/", "|")
        choices = tuple(hint.strip("[]{}").replace("|", ",").split(","))
        kind = "choice"
    if kind == "spec":
        hint = SPEC_TYPES[dialect]
        choices = tuple(hint.split(","))
    if kind == "removed":
        text = f"the argument has been removed. use {text}"
    return Option(_split(names), section, hint or None, kind, default, text, env, _split(off), choices)


def _split(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())
