"""The commands that measure. Each turns its options into a ``JobRequest`` and shows what came of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from qtune.bench.context_sweep import DEPTHS
from qtune.cli import experiment_document, experiment_tables
from qtune.cli.asking import Asked, numbers, sampling
from qtune.cli.options import (
    AsJson,
    BaseDir,
    Ctx,
    EnginePath,
    Language,
    MaxTokens,
    ModelPath,
    Presets,
    Prompts,
    Quick,
    Sample,
    Seed,
    Settings,
    Temperature,
)
from qtune.cli.printing import Done, run_command
from qtune.cli.waiting import TerminalProgress, wait_for
from qtune.core.messages import Message
from qtune.core.records import Sampling
from qtune.core.verdict import Verdict
from qtune.session.desk import Desk
from qtune.session.findings import JobResult
from qtune.session.jobs import SAMPLE_DEPTHS, SEEDS, JobRequest

SWEEP_MAX_TOKENS = 128
USUAL_SEEDS = ",".join(map(str, SEEDS))
TEN_FAULTS = frozenset({"gate_anomaly"})
SOAK_FAULTS = frozenset({"soak_slower", "soak_memory", "soak_empty", "soak_errors"})
FILL_FAULTS = frozenset({"fill_none_safe", "fill_failed", "fill_unfinished"})


def _run(command: str, base_dir: Path | None, ask: Callable[[Desk], JobRequest], *, as_json: bool) -> int:
    def job(desk: Desk) -> Done:
        with TerminalProgress(Console(stderr=True)) as progress:
            desk.subscribe(progress)
            found = wait_for(desk.run_job(ask(desk)), desk.cancel)
        return _done(found)

    return run_command(command, base_dir, job, as_json=as_json)


def _done(found: JobResult) -> Done:
    result = found.result
    failure = Message.of("measure_cancelled") if result.cancelled else result.failure
    failure = failure or check_failure(result.experiment.kind, result.verdict)
    parts = experiment_tables.parts(found)
    return Done(experiment_document.experiment_json(found), parts, failure, result.cancelled)


def check_failure(kind: str, verdict: Verdict) -> Message | None:
    """The sentence of a check that was not passed; None for jobs that are no checks."""
    failed = {
        # Off against itself must not differ; if it does, this machine cannot compare.
        "selftest": verdict.decision in {"better", "worse"},
        "ten": verdict.sentence.code in TEN_FAULTS,
        "soak": verdict.sentence.code in SOAK_FAULTS,
        "fill": verdict.sentence.code in FILL_FAULTS,
    }
    return verdict.sentence if failed.get(kind, False) else None


def _form(quick: bool) -> Literal["quick", "full"]:
    return "quick" if quick else "full"


def measure(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Presets = None,
    ctx: Ctx = None,
    runs: Annotated[int, typer.Option("--runs", min=1, max=500, help="Counted requests per preset.")] = 3,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    temperature: Temperature = 0.0,
    seed: Seed = 42,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Measure one or several presets, one after the other: launch, warm up, count, store."""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {
        "presets": tuple(preset or ["off"]),
        "prompts": tuple(prompt or ()),
        "form": "quick",
        "runs": runs,
        "max_tokens": max_tokens,
        "sampling": sampling(temperature, seed),
        "seed": seed,
    }
    return _run("measure", base_dir, lambda d: asked.request(d, "measure", **more), as_json=as_json)


def compare(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Presets = None,
    quick: Quick = False,
    ctx: Ctx = None,
    runs: Annotated[
        int | None, typer.Option("--runs", min=1, max=50, help="Counted requests per start and prompt.")
    ] = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    temperature: Temperature = 0.0,
    language: Language = "en",
    seed: Seed = 42,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Compare presets with off, interleaved over fresh processes, until the interval is narrow."""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {
        "presets": tuple(preset or ()),
        "prompts": tuple(prompt or ()),
        "form": _form(quick),
        "runs": runs,
        "max_tokens": max_tokens,
        "sampling": sampling(temperature, seed),
        "seed": seed,
        "language": language,
    }
    return _run("compare", base_dir, lambda d: asked.request(d, "compare", **more), as_json=as_json)


def sweep_n_max(
    model: ModelPath = None,
    sample: Sample = False,
    quick: Quick = False,
    n_high: Annotated[int, typer.Option("--high", min=1, max=16, help="Longest draft considered.")] = 8,
    ctx: Ctx = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    language: Language = "en",
    seed: Seed = 42,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Find the best n_max: screen by prediction, confirm against off with fresh samples."""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {
        "prompts": tuple(prompt or ()),
        "form": _form(quick),
        "max_tokens": max_tokens,
        "sampling": Sampling(seed=seed),
        "seed": seed,
        "language": language,
        "n_high": n_high,
    }
    return _run("sweep n-max", base_dir, lambda d: asked.request(d, "sweep-n-max", **more), as_json=as_json)


def sweep_context(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Presets = None,
    depths: Annotated[
        str | None, typer.Option("--depths", help="Filled context in tokens, e.g. 8k,16k,32k.")
    ] = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    language: Language = "en",
    seed: Seed = 42,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """See how decode speed and first token change as the context fills, with MTP off and on."""
    asked = Asked(model, sample, engine, None, setting)
    asked.check()
    usual = SAMPLE_DEPTHS if sample else DEPTHS
    more = {
        "presets": tuple(preset or ["balanced"]),
        "prompts": tuple(prompt or ()),
        "max_tokens": max_tokens or SWEEP_MAX_TOKENS,
        "sampling": Sampling(seed=seed),
        "seed": seed,
        "language": language,
        "depths": usual if depths is None else numbers(depths, 128, 1_000_000),
    }
    return _run(
        "sweep context", base_dir, lambda d: asked.request(d, "sweep-context", **more), as_json=as_json
    )


def selftest(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Annotated[
        str, typer.Option("--preset", help="Settings that are compared with themselves.")
    ] = "off",
    quick: Quick = False,
    ctx: Ctx = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    seed: Seed = 42,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Compare off with itself: anything but "no difference" means this machine cannot compare."""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {
        "presets": (preset,),
        "prompts": tuple(prompt or ()),
        "form": _form(quick),
        "max_tokens": max_tokens,
        "sampling": Sampling(seed=seed),
        "seed": seed,
    }
    return _run("selftest", base_dir, lambda d: asked.request(d, "selftest", **more), as_json=as_json)


def soak(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Annotated[str, typer.Option("--preset", help="Settings that are soaked.")] = "balanced",
    minutes: Annotated[float, typer.Option("--minutes", min=0.1, max=600.0, help="How long.")] = 20.0,
    ctx: Ctx = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    seed: Seed = 42,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Request after request for a while: does the speed hold, does memory grow?"""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {
        "presets": (preset,),
        "prompts": tuple(prompt or ()),
        "max_tokens": max_tokens,
        "sampling": Sampling(seed=seed),
        "seed": seed,
        "minutes": minutes,
    }
    return _run("soak", base_dir, lambda d: asked.request(d, "soak", **more), as_json=as_json)


def fill(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Annotated[
        str | None, typer.Option("--preset", help="Settings that are tried; balanced, off without a head.")
    ] = None,
    ctx: Ctx = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    language: Language = "en",
    seed: Seed = 42,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Fill the context to 50, 75 and 92 %: does it hold, how much memory stays free, what is safe?"""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {
        "presets": () if preset is None else (preset,),
        "prompts": tuple(prompt or ()),
        "max_tokens": max_tokens,
        "sampling": Sampling(seed=seed),
        "seed": seed,
        "language": language,
    }
    return _run("fill", base_dir, lambda d: asked.request(d, "fill", **more), as_json=as_json)


def ten(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Annotated[str, typer.Option("--preset", help="Settings that are tried.")] = "balanced",
    ctx: Ctx = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Ten requests in a row: all of them complete, none marked, none repeating itself?"""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {"presets": (preset,), "prompts": tuple(prompt or ()), "max_tokens": max_tokens}
    return _run("ten", base_dir, lambda d: asked.request(d, "ten", **more), as_json=as_json)


def seeds(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Presets = None,
    seed_list: Annotated[str, typer.Option("--seeds", help="Seeds, with commas.")] = USUAL_SEEDS,
    temperature: Temperature = 0.8,
    runs: Annotated[int, typer.Option("--runs", min=1, max=50, help="Counted requests per seed.")] = 3,
    ctx: Ctx = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Repeat off and a preset under several seeds: does the speed-up depend on the draw?"""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {
        "presets": tuple(preset or ["balanced"]),
        "prompts": tuple(prompt or ()),
        "max_tokens": max_tokens,
        "runs": runs,
        "sampling": sampling(temperature, 0),
        "seeds": numbers(seed_list, 0, 2**31 - 1),
    }
    return _run("seeds", base_dir, lambda d: asked.request(d, "seeds", **more), as_json=as_json)


def raw(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Annotated[str, typer.Option("--preset", help="Settings that are tried.")] = "balanced",
    runs: Annotated[int, typer.Option("--runs", min=1, max=50, help="Counted requests each.")] = 3,
    ctx: Ctx = None,
    prompt: Prompts = None,
    max_tokens: MaxTokens = None,
    setting: Settings = None,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Chat against raw completion: what a tool without the chat template would have told you."""
    asked = Asked(model, sample, engine, ctx, setting)
    asked.check()
    more = {"presets": (preset,), "prompts": tuple(prompt or ()), "max_tokens": max_tokens, "runs": runs}
    return _run("raw", base_dir, lambda d: asked.request(d, "raw", **more), as_json=as_json)


def resume(
    experiment: Annotated[str, typer.Argument(help="Id of the experiment; the newest unfinished one.")] = "",
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Go on with an experiment that was cancelled or cut off by a crash."""

    def job(desk: Desk) -> Done:
        with TerminalProgress(Console(stderr=True)) as progress:
            desk.subscribe(progress)
            return _done(wait_for(desk.resume(experiment), desk.cancel))

    return run_command("resume", base_dir, job, as_json=as_json)
