"""Records to store: full ones with awkward contents, bare ones with nothing that may be missing."""

from __future__ import annotations

from qtune.core.causes import Cause
from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import Footing
from qtune.core.machine_facts import GpuFacts, GpuSample, HostSample, MachineFacts, TelemetrySample
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import (
    DraftCounters,
    EffectiveSettings,
    ExperimentRecord,
    MemoryFacts,
    RequestRecord,
    RequestTimes,
    RunRecord,
    RunStatus,
    Sampling,
    ServerTimings,
    Usage,
)
from qtune.core.settings import ServerSettings

AWKWARD = "多标记预测\u2028第二行\u2029\x85\x0b\x00 \U0001f680 \"quoted\" 'single' \\ \r\n\tend"

MACHINE = MachineFacts(
    os="Linux 6.8 中文", cpu="AMD Ryzen", cores=16, ram_bytes=68_719_476_736, python="3.11.7"
)
MODEL = ModelFacts(
    path="/模型/Qwen3.6-27B-Q4_K_M-00001-of-00002.gguf",
    files=("/模型/a\u2028b.gguf", "/模型/b\udcff.gguf"),
    name="Qwen3.6 27B 通义",
    arch="qwen35",
    quant="Q4_K_M",
    size_bytes=17_000_000_001,
    block_count=65,
    nextn_layers=1,
    context_train=262_144,
    mtp="embedded",
    chat_template=True,
)
ENGINE = EngineFacts(
    ref=EngineRef("binary", ("/opt/llama/llama-server",), "/opt/llama/llama-server", "PATH"),
    version="11434 (abc1234)",
    build=11434,
    commit="abc1234",
    options=frozenset({"--ctx-size", "-c", "--spec-type"}),
    removed=frozenset({"--draft"}),
    spec_types=("draft-mtp", "ngram-simple"),
    devices=(DeviceFacts("CUDA0", "NVIDIA GeForce RTX 4090", 25_757_220_864, 25_000_000_000),),
    notes=(Message.of("flag_dropped", flag="--mlock"),),
)
SETTINGS = ServerSettings().with_values({"mtp": True, "n_max": 4, "p_min": 0.1, "ctx_size": 32_768})


def experiment(id_: str = "e1") -> ExperimentRecord:
    return ExperimentRecord(id_, "compare", "full", 42, "2026-11-30T07:00:00Z", ("off", "balanced"), "文本")


def full_run(id_: str = "r1", experiment_id: str = "e1") -> RunRecord:
    return RunRecord(
        id=id_,
        experiment_id=experiment_id,
        arm="balanced",
        preset="balanced",
        start=2,
        status=RunStatus.FAILED,
        started_utc="2026-11-30T07:00:01Z",
        settings_requested=SETTINGS,
        model=MODEL,
        engine=ENGINE,
        machine=MACHINE,
        settings_effective=EffectiveSettings(
            ctx_size=32_768, parallel=1, speculative=True, mismatches=(Message.of("n_max_differs", asked=4),)
        ),
        mtp_active=False,
        argv=("llama-server", "--model", AWKWARD),
        environment=("LD_LIBRARY_PATH", "LLAMA_API_KEY"),
        notes=(Message.of("note", text=AWKWARD, number=7, share=0.1, nothing=None),),
        memory=MemoryFacts("vram", 1, 2, 2**40 + 1, None),
        load_ms=1234.567_891_234,
        gpus=(
            GpuFacts(0, "GPU-1", "RTX 4090", 2**34, "570.1", 450.0, {"power": "不支持"}),
            GpuFacts(1, "GPU-2", "RX 7900 XTX", None, None),
        ),
        ended_utc="2026-11-30T07:10:01Z",
        failure=Message.of("engine_died", code=-9),
    )


def bare_run(id_: str = "r0", experiment_id: str = "e1", status: RunStatus = RunStatus.RUNNING) -> RunRecord:
    model = ModelFacts("", (), "", "", "", 0, 0, 0, None, "none", chat_template=False)
    engine = EngineFacts(
        EngineRef("bundled", (), "", ""), "", None, None, frozenset(), frozenset(), (), devices=()
    )
    machine = MachineFacts("", "", 1, 0, "")
    return RunRecord(
        id_,
        experiment_id,
        "off",
        "off",
        1,
        status,
        "2026-11-30T06:00:00Z",
        ServerSettings(),
        model,
        engine,
        machine,
    )


def full_request(run_id: str = "r1", index: int = 1) -> RequestRecord:
    sent = 2**62 + 1
    return RequestRecord(
        run_id=run_id,
        index=index,
        phase="counted",
        prompt_id="bullets",
        nonce="随机-7",
        max_tokens=512,
        sampling=Sampling(temperature=0.7, seed=2**40),
        times=RequestTimes(
            sent_ns=sent,
            ended_ns=sent + 9_000_000_003,
            headers_ns=sent + 1,
            event_ns=(sent + 5, sent + 5, sent + 17_000_001, sent + 8_999_999_999),
            first_answer_ns=sent + 17_000_001,
            timings=ServerTimings(0, 120, 345.678_9, 512, 8_123.456_789_012_3, 300, 211),
            usage=Usage(120, 512, 0),
            finish_reason="length",
            content=AWKWARD * 3,
            reasoning="想一想\u2028",
            failure=Message.of("stream_broke", reason=AWKWARD),
            cancelled=True,
        ),
        marks=(Message.of("outlier", why="temperature"), Message.of("clock_dropped")),
        drafts=DraftCounters(100, 300, 211, (90, 70, 51)),
    )


def bare_request(run_id: str = "r1", index: int = 0) -> RequestRecord:
    times = RequestTimes(sent_ns=-5, ended_ns=0)
    return RequestRecord(run_id, index, "warmup", "", "", 1, Sampling(), times)


def telemetry(count: int = 4) -> list[TelemetrySample]:
    return [
        TelemetrySample(
            t_ns=10**15 + 500_000_000 * i,
            host=HostSample(12.5 * i, 2**34 + i, 2**36, None if i % 2 else 2**31 + i),
            gpus=(
                GpuSample(
                    "GPU-1", 2**33 + i, 2**34, 99.0, 312.25, 60.0 + i, 2_500.0, None, ("sw_power_cap",)
                ),
                GpuSample("GPU-2", throttle_reasons=()),
            )[: i % 3],
        )
        for i in range(count)
    ]


FOOTING = Footing("/模型/b\udcff.gguf", SETTINGS, "balanced")


def incident(id_: str = "i1", at_utc: str = "2026-11-30T07:05:00Z") -> Incident:
    return Incident(
        id=id_,
        at_utc=at_utc,
        cause=Cause.MEMORY,
        message=Message.of("ended_out_of_memory", device="CUDA0", nothing=None),
        evidence=AWKWARD,
        footing=FOOTING,
        engine="11434 (abc1234)",
        action=Message.of("recovery_step", rung="mtp_off", cause="memory"),
        run_id="r1",
    )


def bare_incident(id_: str = "i0") -> Incident:
    message = Message.of("ended_unknown")
    return Incident(
        id_, "2026-11-30T06:00:00Z", Cause.UNKNOWN, message, "", Footing("", ServerSettings()), ""
    )


def ladder_step(id_: str = "s1", at_utc: str = "2026-11-30T07:05:00Z") -> LadderStep:
    return LadderStep(
        id=id_,
        at_utc=at_utc,
        direction="down",
        kind="mtp_off",
        by="automatic",
        before=FOOTING,
        after=Footing(FOOTING.model_path, SETTINGS.with_values({"mtp": False}), "balanced"),
        verified=True,
        reason=Message.of("recovery_step", rung="mtp_off", cause="memory"),
        load_ms=1234.5,
        decode_tok_s=21.25,
        vram_loaded_bytes=2**34 + 1,
    )


def bare_ladder_step(id_: str = "s0") -> LadderStep:
    start = Footing("", ServerSettings())
    return LadderStep(id_, "2026-11-30T06:00:00Z", "start", None, "user", start, start, verified=False)
