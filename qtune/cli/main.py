"""The commands: parse, ask the desk, print. Exit codes: 0 done, 1 ran and failed, 2 usage, 130 cancelled."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType

from qtune import __version__
from qtune.cli import document, tables
from qtune.cli.waiting import TerminalProgress, wait_for
from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.core.records import EngineRef, Sampling
from qtune.core.settings import SETTINGS, ServerSettings
from qtune.session.assembly import log_file, open_desk
from qtune.session.catalog import find_workload
from qtune.session.desk import Desk
from qtune.session.requests import MeasureRequest

CANCELLED = 130
WIDTH_PIPED = 160
SAMPLE_CTX = 4096

app = typer.Typer(add_completion=False, no_args_is_help=False, pretty_exceptions_enable=False)
log = logging.getLogger("qtune.cli")

BaseDir = Annotated[
    Path | None, typer.Option("--base-dir", help="Keep settings, history and cache in this folder.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
EnginePath = Annotated[
    Path | None, typer.Option("--engine", help="llama-server to use; default: found, else bundled.")
]


def main(argv: list[str]) -> int:
    """Run one command; returns its exit code and never lets a traceback through."""
    try:
        code = app(args=argv, prog_name="qtune", standalone_mode=False)
    except typer.TyperException as error:
        show = getattr(error, "show", None)  # usage errors know how to show themselves
        show() if show else print(error, file=sys.stderr)
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return CANCELLED
    return code if isinstance(code, int) else 0


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"qtune {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=False)
def root(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Find out whether multi-token prediction is worth it on this machine. Without a command: the window."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a command brings back: the JSON result, what a person reads, and how it ended."""

    result: dict[str, Any]
    parts: Sequence[RenderableType]
    failure: Message | None = None
    cancelled: bool = False

    @property
    def code(self) -> int:
        """Exit code of the process."""
        if self.cancelled:
            return CANCELLED
        return 0 if self.failure is None else 1


def _run(command: str, as_json: bool, base_dir: Path | None, job: Callable[[Desk], Done]) -> int:
    """Open the desk, do the job, print what came of it; every known error becomes one sentence."""
    try:
        desk = open_desk(base_dir)
        try:
            done = job(desk)
        finally:
            desk.close()
    except KnownError as error:
        return _print(command, as_json, None, error.message, 1)
    except Exception as error:
        log.exception("command %s failed", command)
        fault = Message.of("internal_fault", kind=type(error).__name__, path=str(log_file(base_dir)))
        return _print(command, as_json, None, fault, 1)
    return _print(command, as_json, done, done.failure, done.code)


def _print(command: str, as_json: bool, done: Done | None, failure: Message | None, code: int) -> int:
    if as_json:
        told = document.envelope(command, None if done is None else done.result, failure)
        print(json.dumps(told, ensure_ascii=False, allow_nan=False, indent=2))
        return code
    if done is not None:
        out = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_PIPED)
        for part in done.parts:
            out.print(part)
    if failure is not None:
        said = f"{failure.sentence()} {failure.hint()}".rstrip()
        Console(stderr=True).print(said, markup=False, highlight=False, soft_wrap=True)
    return code


@app.command()
def doctor(engine: EnginePath = None, base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Say what is here (engines, cards, models, folders), what is missing, and what to do."""

    def job(desk: Desk) -> Done:
        report = wait_for(desk.doctor(engine), desk.cancel)
        return Done(document.doctor_json(report), tables.doctor_lines(report))

    return _run("doctor", as_json, base_dir, job)


@app.command()
def measure(
    model: Annotated[Path | None, typer.Option("--model", help="GGUF file to measure.")] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="Use the sample model (made on first use).")
    ] = False,
    preset: Annotated[
        list[str] | None,
        typer.Option("--preset", help="off, conservative, balanced, aggressive; may be repeated."),
    ] = None,
    ctx: Annotated[int | None, typer.Option("--ctx", help="Context in tokens.")] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, max=500, help="Counted requests per preset.")] = 3,
    prompt: Annotated[str | None, typer.Option("--prompt", help="Name of a prompt, or @FILE.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", min=16, help="Longest answer.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="A server setting as key=value; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of sampling and order.")] = 42,
    engine: EnginePath = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Measure one or several presets: launch, warm up, count, store."""
    if (model is None) == (not sample):
        raise typer.BadParameter("give either --model FILE or --sample")

    def job(desk: Desk) -> Done:
        with TerminalProgress(Console(stderr=True)) as progress:
            desk.subscribe(progress)
            path = _sample_path(desk) if sample else str(model)
            request = MeasureRequest(
                engine=_choose_engine(desk, engine, sample),
                model_path=path,
                presets=tuple(preset or ["off"]),
                base=_settings(setting or [], ctx or (SAMPLE_CTX if sample else None)),
                workload=find_workload(desk.workloads, prompt or ("sample" if sample else "summary")),
                runs=runs,
                max_tokens=max_tokens,
                sampling=Sampling(seed=seed),
                seed=seed,
            )
            result = wait_for(desk.measure(request), desk.cancel)
        parts: list[RenderableType] = [tables.measure_table(result), *tables.measure_lines(result)]
        failure = Message.of("measure_cancelled") if result.cancelled else result.failure
        return Done(document.measure_json(result), parts, failure, result.cancelled)

    return _run("measure", as_json, base_dir, job)


def _sample_path(desk: Desk) -> str:
    return wait_for(desk.make_sample(), desk.cancel).path


def _choose_engine(desk: Desk, chosen: Path | None, sample: bool) -> EngineRef:
    """The engine asked for; else the bundled one for the sample, or the first that works."""
    findings = wait_for(desk.find_engines(chosen), desk.cancel)
    if chosen is not None:
        if findings[0].problem is not None:
            raise KnownError.from_message(findings[0].problem)
        return findings[0].ref
    working = [f.ref for f in findings if f.facts is not None]
    if sample:
        working.sort(key=lambda ref: ref.kind != "bundled")
    if not working:
        raise KnownError("engine_not_found")
    return working[0]


def _settings(words: Sequence[str], ctx_size: int | None) -> ServerSettings:
    """Settings from ``key=value`` words, each read in the type of its declaration."""
    values: dict[str, object] = {} if ctx_size is None else {"ctx_size": ctx_size}
    for word in words:
        key, sep, text = word.partition("=")
        if key not in SETTINGS or not sep:
            raise KnownError("setting_unknown", setting=key)
        values[key] = SETTINGS[key].read(text)
    return ServerSettings().with_values(values)
