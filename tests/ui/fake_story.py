"""A scripted session with realistic data: what a desk would announce while two arms are measured."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.events import (
    Event,
    LogArrived,
    Progress,
    RequestFinished,
    RequestStarted,
    RunFinished,
    RunStarted,
    ServerChanged,
    TelemetryTaken,
    TextArrived,
)
from qtune.core.machine_facts import GpuFacts, GpuSample, HostSample, MachineFacts, TelemetrySample
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.presets import Preset
from qtune.core.records import (
    ChatMessage,
    DraftCounters,
    EffectiveSettings,
    MemoryFacts,
    Phase,
    RequestRecord,
    RequestTimes,
    RunRecord,
    RunStatus,
    Sampling,
    ServerTimings,
    Usage,
)
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.core.workload import Workload

GIB = 1024**3
MS = 1_000_000
S = 1_000_000_000

PRESETS = (
    Preset("off", "Off", "Without MTP, for comparison", GIB, (("mtp", False),)),
    Preset(
        "conservative",
        "Conservative",
        "Faster without touching stability",
        2 * GIB,
        (("mtp", True), ("n_max", 2)),
    ),
    Preset(
        "balanced", "Balanced", "Clearly faster", GIB, (("mtp", True), ("n_max", 4), ("ubatch_size", 1024))
    ),
    Preset(
        "aggressive",
        "Aggressive",
        "The limit, with eyes open",
        GIB // 2,
        (("mtp", True), ("n_max", 6), ("batch_size", 4096), ("ubatch_size", 2048), ("parallel", 2)),
    ),
)
WORKLOADS = (
    Workload(
        "summary",
        "Summary, ten bullets",
        "en",
        (ChatMessage("user", "Sum up the report in ten bullets."),),
        480,
        "summary",
    ),
    Workload("code", "Code, a booking module", "en", (ChatMessage("user", "Write a module."),), 400, "code"),
    Workload(
        "mathematics",
        "Mathematics, step by step",
        "en",
        (ChatMessage("user", "How many steps?"),),
        400,
        "mathematics",
    ),
    Workload(
        "knowledge",
        "Knowledge question, tides",
        "en",
        (ChatMessage("user", "Why are there tides?"),),
        300,
        "knowledge",
    ),
    Workload(
        "sample",
        "Sample prompt",
        "en",
        (ChatMessage("user", "Explain how to read the figures."),),
        160,
        "sample",
    ),
)
MACHINE = MachineFacts("Linux 6.8", "AMD Ryzen 9 7900X", 24, 64 * GIB, "3.12.4")
GPU = GpuFacts(0, "GPU-5f0c", "NVIDIA GeForce RTX 4090", 24 * GIB, "565.57.01", 450.0)
MODEL = ModelFacts(
    path="/models/Qwen3.6-27B-Q4_K_M.gguf",
    files=("/models/Qwen3.6-27B-Q4_K_M.gguf",),
    name="Qwen3.6-27B",
    arch="qwen35",
    quant="Q4_K_M",
    size_bytes=int(16.4 * GIB),
    block_count=65,
    nextn_layers=1,
    context_train=262_144,
    mtp="embedded",
    chat_template=True,
)
SAMPLE = replace(
    MODEL,
    path="/cache/sample/qtune-sample-Q8_0.gguf",
    files=("/cache/sample/qtune-sample-Q8_0.gguf",),
    name="qtune sample model",
    quant="Q8_0",
    size_bytes=139 * 1024**2,
    block_count=5,
    is_sample=True,
)
SPEC_TYPES = ("draft-simple", "draft-mtp", "ngram-cache")
LLAMA = EngineFacts(
    ref=EngineRef("binary", ("/opt/llama.cpp/llama-server",), "/opt/llama.cpp/llama-server", "PATH"),
    version="11434 (3f2c1a9)",
    build=11434,
    commit="3f2c1a9",
    options=frozenset({"--spec-type"}),
    removed=frozenset(),
    spec_types=SPEC_TYPES,
    devices=(DeviceFacts("CUDA0", "NVIDIA GeForce RTX 4090", 24 * GIB, 23 * GIB),),
)
BUNDLED = EngineFacts(
    ref=EngineRef("bundled", ("python", "-m", "qtune", "--bundled-engine"), "/usr/bin/python3", "bundled"),
    version="11549 (bundled)",
    build=11549,
    commit=None,
    options=frozenset({"--spec-type"}),
    removed=frozenset(),
    spec_types=SPEC_TYPES,
    devices=(),
)
ANSWER = (
    "**Reading the figures of a language model**\n\n"
    "- Time to first token tells how long the prompt takes to read. It grows with the prompt.\n"
    "- Decode speed tells how fast the answer appears once it has begun.\n"
    "- Acceptance tells how often a guessed token was right. A guess that is right saves a whole step.\n"
    "- Mean length tells how many tokens one step of checking gains.\n"
    "- Memory tells how close the card is to its limit. <b>Tags in an answer stay text.</b>\n\n"
    "A fast answer with a slow first token can still feel slow, so look at both before you decide. "
)
LOG = (
    "build: 11434 (3f2c1a9) with cc (Debian 12.2.0) for x86_64-linux-gnu",
    "system info: n_threads = 12, n_threads_batch = 12, total_threads = 24",
    "llama_model_loader: loaded meta data with 41 key-value pairs and 866 tensors",
    "load_tensors: offloaded 66/66 layers to GPU",
    "load_tensors:        CUDA0 model buffer size = 15862.41 MiB",
    "llama_context: n_ctx         = 8192",
    "llama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB",
    "common_speculative_init: adding implementation draft-mtp",
    "srv    load_model: initialized 1 slots, n_ctx_slot = 8192",
    "main: server is listening on http://127.0.0.1:41233",
)
BASE_NS = 1000 * S
"""The story's clock starts here; only differences mean anything."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast an arm is: output rate, first token, acceptance and mean length (None without MTP)."""

    decode: float
    ttft_ms: float
    acceptance: float | None
    mean_len: float


PACES = {
    "off": Pace(38.4, 412, None, 1.0),
    "conservative": Pace(58.7, 418, 0.86, 2.72),
    "balanced": Pace(71.2, 431, 0.742, 3.21),
    "aggressive": Pace(66.9, 455, 0.561, 3.4),
}


@dataclass(frozen=True, slots=True)
class Stage:
    """Which computer the story plays on."""

    model: ModelFacts = MODEL
    engine: EngineFacts = LLAMA
    with_gpu: bool = True
    ctx_size: int = 8192
    prompt_id: str = "summary"
    world: str = "usual"
    """Which truth holds: ``usual`` (MTP pays), ``flat`` (it changes nothing), ``mixed`` (it depends)."""


def telemetry(stage: Stage, t_ns: int, loaded: float, step: int) -> TelemetryTaken:
    """One sample at 2 Hz; ``loaded`` is how much of the model lies in memory, 0 to 1."""
    wave = 0.02 * ((step * 37) % 10) / 10
    if not stage.with_gpu:
        rss = int(loaded * (0.42 + wave) * GIB) or None
        host = HostSample(91.0 if loaded else 8.0, int(5.1 * GIB + (rss or 0)), 16 * GIB, rss)
        return TelemetryTaken(TelemetrySample(t_ns, host))
    used = int((1.2 + loaded * 17.9 + loaded * wave * 8) * GIB)
    gpu = GpuSample(GPU.uuid, used, 24 * GIB, 96.0 if loaded else 4.0, 352.0, 67.0, 2520.0, 10501.0, ())
    return TelemetryTaken(TelemetrySample(t_ns, HostSample(14.0, 21 * GIB, 64 * GIB, int(2.2 * GIB)), (gpu,)))


def filled_to(prompt_id: str) -> int:
    """Prompt tokens of a share of a fill test."""
    _, ctx_size, share = prompt_id.split("-")
    return int(ctx_size) * int(share) // 100


def pace_of(arm: str, stage: Stage, prompt_id: str) -> Pace:
    """What holds for an arm on a prompt in this world; arms of a search follow a curve that peaks at 4."""
    arm = arm.removeprefix("try ").removesuffix("_again")
    if arm in PACES:
        pace = PACES[arm]
    elif arm[1:].isdigit():
        n = int(arm[1:])
        length = sum(0.8**k for k in range(n + 1))
        pace = Pace(38.4 * length / (1 + 0.065 * n + 0.012 * n * n), 400 + 8 * n, (length - 1) / n, length)
    else:  # chat and raw
        pace = PACES["balanced"]
    if prompt_id.startswith("fill-"):
        prompt_id = f"depth-{filled_to(prompt_id)}"
    if prompt_id.startswith("depth-"):
        depth = int(prompt_id.removeprefix("depth-")) / 8192
        loss = 1 + depth * (0.06 if arm == "off" else 0.11)
        return replace(pace, decode=pace.decode / loss, ttft_ms=pace.ttft_ms + 2900 * depth)
    if stage.world == "flat" and arm != "off":
        return replace(pace, decode=PACES["off"].decode * 1.004)
    if stage.world == "mixed" and arm != "off":
        gain = {"code": 1.45, "mathematics": 1.01}.get(prompt_id, 0.91)
        return replace(pace, decode=PACES["off"].decode * gain)
    return pace


def request(  # noqa: PLR0917
    run_id: str, index: int, start_ns: int, arm: str, tokens: int, stage: Stage, seed: str = ""
) -> RequestRecord:
    """One finished request of an arm, with stamps in bursts as MTP makes them."""
    pace = pace_of(arm, stage, stage.prompt_id)
    rng = random.Random(f"{arm}{index}{seed}")  # noqa: S311 - the same story each time
    rate = pace.decode * rng.uniform(0.985, 1.015)
    first = start_ns + int(pace.ttft_ms * rng.uniform(0.97, 1.05) * MS)
    stamps: list[int] = []
    while len(stamps) < tokens:
        burst = 1 if pace.acceptance is None else rng.choice((1, 3, 4, 4, 5))
        at = first + int(len(stamps) / rate * S)
        stamps += [at] * min(burst, tokens - len(stamps))
    stamps[-1] = first + int((tokens - 1) / rate * S)
    drafted = accepted = None
    counters = None
    if pace.acceptance is not None:
        rounds = round(tokens / pace.mean_len)
        accepted = round(rounds * (pace.mean_len - 1))
        drafted = round(accepted / pace.acceptance * rng.uniform(0.99, 1.01))
        counters = DraftCounters(rounds, drafted, accepted, _by_position(arm, rounds, accepted))
    read = 412
    if stage.prompt_id.startswith("depth-"):
        read = int(stage.prompt_id.removeprefix("depth-")) + 9
    if stage.prompt_id.startswith("fill-"):
        read = filled_to(stage.prompt_id) - 7
    times = RequestTimes(
        sent_ns=start_ns,
        ended_ns=stamps[-1] + 8 * MS,
        headers_ns=start_ns + 4 * MS,
        event_ns=tuple(stamps),
        first_answer_ns=stamps[0],
        timings=ServerTimings(0, read, 290.0, tokens, (tokens - 1) / rate * 1000, drafted, accepted),
        usage=Usage(read, tokens, 0),
        finish_reason="stop",
        content=ANSWER,
    )
    phase: Phase = "warmup" if index < 2 else "counted"
    return RequestRecord(
        run_id, index, phase, stage.prompt_id, f"nonce {index}", 160, Sampling(), times, (), counters
    )


def _by_position(arm: str, rounds: int, accepted: int) -> tuple[int, ...]:
    """Accepted tokens at each position; those of a search fall off as ``pace_of`` says."""
    if arm.removeprefix("try ")[1:].isdigit():
        return tuple(round(rounds * 0.8 ** (k + 1)) for k in range(int(arm.removeprefix("try ")[1:])))
    return accepted // 2, accepted // 3, accepted // 6


def run_record(  # noqa: PLR0917
    run_id: str,
    arm: str,
    stage: Stage,
    settings: ServerSettings | None = None,
    preset: str = "",
    start: int = 1,
    experiment_id: str = "experiment-1",
) -> RunRecord:
    """A run of an arm that has just begun."""
    if settings is None:
        shipped = next(p for p in PRESETS if p.id == arm)
        settings = shipped.apply(ServerSettings(ctx_size=stage.ctx_size))
    return RunRecord(
        id=run_id,
        experiment_id=experiment_id,
        arm=arm,
        preset=preset or arm,
        start=start,
        status=RunStatus.RUNNING,
        started_utc="2026-11-30T09:41:00+00:00",
        settings_requested=settings,
        model=stage.model,
        engine=stage.engine,
        machine=MACHINE,
        argv=("llama-server", "--model", stage.model.path),
        gpus=(GPU,) if stage.with_gpu else (),
    )


def finished_run(run: RunRecord, stage: Stage, **changes: object) -> RunRecord:
    """The same run at its end."""
    mtp = run.settings_requested.mtp
    effective = EffectiveSettings(
        ctx_size=run.settings_requested.ctx_size, parallel=run.settings_requested.parallel, speculative=mtp
    )
    memory = MemoryFacts("vram", int(1.2 * GIB), int(19.0 * GIB), int(19.4 * GIB), 24 * GIB)
    done = replace(
        run,
        status=RunStatus.DONE,
        settings_effective=effective,
        mtp_active=True if mtp else None,
        memory=memory if stage.with_gpu else MemoryFacts("ram", None, GIB // 5, GIB // 4, 64 * GIB),
        load_ms=8400.0,
        ended_utc="2026-11-30T09:43:00+00:00",
    )
    return replace(done, **changes)  # type: ignore[arg-type]


def words(tokens: int) -> list[str]:
    """The answer in pieces of about a token each, repeated to the wanted length."""
    pieces = [piece + " " for piece in ANSWER.split(" ")]
    return [pieces[i % len(pieces)] for i in range(tokens)]


@dataclass(frozen=True, slots=True)
class Start:
    """One start of an arm to be played: its run, what it asks, and where it stands in its job."""

    run: RunRecord
    prompts: tuple[str, ...]
    counted: int
    before: int
    """Requests of the job that came earlier."""
    total: int
    number: int = 1
    arms: int = 1
    tokens: int = 150
    filling: bool = False
    """Without a warm-up, as in a fill test."""


def play_start(start: Start, stage: Stage, start_ns: int) -> Iterator[tuple[int, Event]]:
    """Everything that happens in one start as (time in ns, event), in order."""
    run, tokens = start.run, start.tokens
    now = start_ns

    def server(state: ServerState) -> ServerChanged:
        return ServerChanged(
            state, None, run.preset, run.settings_requested, None, stage.model, stage.engine, port=41233
        )

    def progress(code: str, done: int, **params: str | int) -> Progress:
        elapsed = (now - BASE_NS) / S
        left = None if done < 1 else (start.total - done) * 4.2
        return Progress(Message.of(code, arm=run.arm, **params), done, start.total, elapsed, left)

    yield now, RunStarted(run, start.arms, start.number)
    yield now, progress("doing_load", start.before)
    yield now, server(ServerState.STARTING)
    yield now, server(ServerState.LOADING)
    for step in range(4):
        now += S // 2
        yield now, LogArrived(LOG[step * 3 : step * 3 + 3])
        yield now, telemetry(stage, now, (step + 1) / 4, step)
    yield now, server(ServerState.READY)
    yield now, server(ServerState.MEASURING)
    records = []
    warm_up = [] if start.filling else [start.prompts[0]] * 2
    asked = warm_up + [p for p in start.prompts for _ in range(start.counted)]
    seed = "" if run.start == 1 else str(run.start)
    for index, prompt in enumerate(asked):
        warm = index < len(warm_up)
        counted = {"number": index + 1 - len(warm_up), "runs": len(asked) - len(warm_up)}
        what = {"number": index + 1} if warm else counted
        yield now, progress("doing_warmup" if warm else "doing_counted", start.before + index, **what)
        here = replace(stage, prompt_id=prompt)
        record = request(run.id, index, now, run.arm, tokens, here, seed)
        phase: Phase = "warmup" if warm else "counted"
        record = replace(record, nonce=f"nonce {run.start} {index}", phase=phase)
        messages = (ChatMessage("user", "Explain how to read the figures."),)
        yield now, RequestStarted(run.id, run.arm, index, record.phase, messages, 160)
        sampled = now + S // 2
        for stamp, text in zip(record.times.event_ns, words(tokens), strict=True):
            while sampled < stamp:
                yield sampled, telemetry(stage, sampled, 1.0, sampled // (S // 2))
                sampled += S // 2
            yield stamp, TextArrived(run.id, "content", text, stamp)
        now = record.times.ended_ns
        yield now, LogArrived((f"slot print_timing: id 0 | eval time = {tokens} tokens",))
        yield now, RequestFinished(record, run.arm)
        records.append(record)
        now += 120 * MS
    yield now, server(ServerState.STOPPING)
    yield now, server(ServerState.STOPPED)
    yield now, RunFinished(finished_run(run, stage), tuple(records))


def history(stage: Stage) -> list[tuple[RunRecord, list[RequestRecord]]]:
    """Earlier runs, newest first: one interrupted, one that ran out of memory."""
    broken = finished_run(
        replace(run_record("run-old-2", "aggressive", stage), started_utc="2026-11-29T18:20:00+00:00"),
        stage,
        status=RunStatus.FAILED,
        failure=Message.of("ended_out_of_memory", line="cudaMalloc failed: out of memory"),
    )
    cut = finished_run(
        replace(run_record("run-old-1", "off", stage), started_utc="2026-11-28T21:05:00+00:00"),
        stage,
        status=RunStatus.INTERRUPTED,
        failure=Message.of("app_ended"),
    )
    return [(broken, []), (cut, [request("run-old-1", 0, BASE_NS, "off", 150, stage)])]
