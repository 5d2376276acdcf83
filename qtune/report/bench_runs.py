"""Tests of llama-bench as runs of the history, so that they stand beside what was measured through a server.

A test of n tokens is n decodes, which a server counts as n + 1 tokens: the first comes from the prompt, and
its time counts there. The rate is llama-bench's own, and the time follows from it: the mean duration and the
mean rate of several repetitions do not belong together. What a run has and a test has not, such as the time
to the first token, stays unknown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from qtune.core.codec import to_text
from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.core.machine_facts import MachineFacts
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import (
    EffectiveSettings,
    ExperimentRecord,
    RequestRecord,
    RequestTimes,
    RunRecord,
    RunStatus,
    Sampling,
    ServerTimings,
)
from qtune.core.settings import SETTINGS, ServerSettings, SettingValue
from qtune.core.taken_in import LLAMA_BENCH
from qtune.report.bench_import import WITHOUT_MTP, BenchRecord
from qtune.report.export_run import ExportRun


def bench_runs(records: Sequence[BenchRecord]) -> list[ExportRun]:
    """A run for each test; all of one model and build form an experiment.

    The id of a run follows from what was measured when, so that a test that comes again is recognised,
    whichever of llama-bench's forms it comes in. Tests that are the same in everything are one.
    """
    found: dict[str, ExportRun] = {}
    for record in records:
        one = _run(record)
        found.setdefault(one.run.id, one)
    return list(found.values())


def _run(record: BenchRecord) -> ExportRun:
    experiment = _experiment(record)
    run_id = _id(
        experiment.id, record.test, record.arm, record.test_time, record.avg_ns, record.stddev_ns,
        record.type_k, record.type_v, record.n_batch, record.n_ubatch,
    )  # fmt: skip
    mtp = record.label != WITHOUT_MTP
    run = RunRecord(
        id=run_id,
        experiment_id=experiment.id,
        arm=record.arm or record.test,
        preset=LLAMA_BENCH,
        start=1,
        status=RunStatus.DONE,
        started_utc=_utc(record.test_time),
        settings_requested=_settings(record, mtp=mtp),
        settings_effective=EffectiveSettings(record.n_prompt + record.n_gen + record.n_depth, 1),
        model=_model(record),
        engine=_engine(record),
        machine=MachineFacts("", record.cpu_info, 0, 0, ""),
        notes=(Message.of("bench_imported", test=record.test, label=record.label),),
    )
    return ExportRun(run, tuple(_requests(record, run_id)), experiment)


def _experiment(record: BenchRecord) -> ExperimentRecord:
    day = _utc(record.test_time)[:10]
    id_ = _id(record.model_filename, record.model_type, record.build_commit, record.build_number, day)
    return ExperimentRecord(id_, LLAMA_BENCH, "quick", 0, f"{day}T00:00:00+00:00", (), LLAMA_BENCH)


def _id(*parts: str | int) -> str:
    return hashlib.sha256(to_text(["llama-bench", *parts]).encode()).hexdigest()[:32]


def _utc(text: str) -> str:
    return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="seconds")


_PADDED = 256
"""llama.cpp rounds a context up to a multiple of it."""
_ALL_LAYERS = 99
"""What llama-bench offloads by default, more than any model has; qtune tells how many there were."""
_WHOLE_OPTIONS = {"threads": "n_threads", "n_cpu_moe": "n_cpu_moe", "n_max": "spec_draft_n_max"}


def _settings(record: BenchRecord, *, mtp: bool) -> ServerSettings:
    """The settings that a test and a server have in common, where the server can have them."""
    tokens, told = record.n_prompt + record.n_gen + record.n_depth, record.options
    values: dict[str, SettingValue] = {
        "ctx_size": -(-tokens // _PADDED) * _PADDED,
        "batch_size": record.n_batch,
        "ubatch_size": record.n_ubatch,
        "cache_type_k": record.type_k,
        "cache_type_v": record.type_v,
        "mtp": mtp,
    }
    for key, name in _WHOLE_OPTIONS.items():
        if name in told:
            values[key] = int(told[name])
    if "spec_draft_p_min" in told:
        values["p_min"] = told["spec_draft_p_min"]
    if "flash_attn" in told:
        values["flash_attn"] = {0: "off", 1: "on"}.get(int(told["flash_attn"]), "auto")
    if "n_gpu_layers" in told:
        layers = int(told["n_gpu_layers"])
        whole = layers > 0 if record.by_server else layers >= _ALL_LAYERS
        values["gpu_layers"] = "none" if layers == 0 else "all" if whole else "auto"
    settings = ServerSettings()
    for key, value in values.items():
        try:
            settings = settings.with_values({key: SETTINGS[key].check(value)})
        except KnownError:
            continue
    return settings


def _model(record: BenchRecord) -> ModelFacts:
    arch, label, quant = _type(record.model_type)
    name = record.model_filename.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")
    return ModelFacts(
        path=record.model_filename, files=(record.model_filename,), name=name, arch=arch, quant=quant,
        size_bytes=record.model_size, block_count=0, nextn_layers=0, context_train=None, mtp="none",
        chat_template=False, size_label=label,
    )  # fmt: skip


def _type(text: str) -> tuple[str, str, str]:
    """Architecture, size and quantisation of e.g. ``qwen35 27B Q4_K - Medium``."""
    arch, _, rest = text.partition(" ")
    label, _, quant = rest.partition(" ")
    return arch, label.removeprefix("?B"), quant or label


def _engine(record: BenchRecord) -> EngineFacts:
    build = record.build_number or None
    commit = None if record.build_commit in {"", "unknown"} else record.build_commit
    told = " ".join(filter(None, (build and str(build), commit and f"({commit})")))
    version = told or "llama-bench, build not known"
    ref = EngineRef("binary", (LLAMA_BENCH,), LLAMA_BENCH, "imported")
    return EngineFacts(ref, version, build, commit, frozenset(), frozenset(), (), ())


def _requests(record: BenchRecord, run_id: str) -> Iterable[RequestRecord]:
    """One for each repetition; where only the mean is known, it stands for all."""
    samples = zip(record.samples_ns, record.samples_ts, strict=False)
    begun = 0
    for index, (ns, rate) in enumerate([*samples] or [(record.avg_ns, record.avg_ts)]):
        timings = ServerTimings(cache_n=record.n_depth)
        if record.n_gen and not record.n_prompt:
            decodes = record.n_gen - 1 if record.by_server else record.n_gen
            ms = decodes / rate * 1000 if rate else ns / 1e6
            timings = replace(timings, predicted_n=decodes + 1, predicted_ms=ms)
        elif record.n_prompt and not record.n_gen:
            ms = record.n_prompt / rate * 1000 if rate else ns / 1e6
            timings = replace(timings, prompt_n=record.n_prompt, prompt_ms=ms)
        times = RequestTimes(sent_ns=begun, ended_ns=begun + ns, timings=timings, finish_reason="length")
        begun += ns
        yield RequestRecord(run_id, index, "counted", LLAMA_BENCH, "", record.n_gen, Sampling(), times)
