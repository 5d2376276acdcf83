"""The terminal: its commands, and the frame in which none of them lets a traceback through."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer
from rich.console import Console

from qtune import __version__
from qtune.cli import (
    db_command,
    doctor_tables,
    document,
    export_command,
    history_command,
    measuring,
    models_command,
    serving,
)
from qtune.cli.options import AsJson, BaseDir, EnginePath
from qtune.cli.printing import CANCELLED, Done, run_command
from qtune.cli.waiting import TerminalProgress, wait_for
from qtune.session.desk import Desk

app = typer.Typer(add_completion=False, no_args_is_help=False, pretty_exceptions_enable=False)
sweep = typer.Typer(
    help="Search for the best n_max, or see how speed falls with depth.", no_args_is_help=True
)
app.command()(models_command.models)
app.command()(measuring.measure)
app.command()(measuring.compare)
app.command()(measuring.selftest)
app.command()(measuring.soak)
app.command()(measuring.fill)
app.command()(measuring.ten)
app.command()(measuring.seeds)
app.command()(measuring.raw)
app.command()(measuring.resume)
app.command()(serving.serve)
app.command()(serving.ladder)
sweep.command("n-max")(measuring.sweep_n_max)
sweep.command("context")(measuring.sweep_context)
app.add_typer(sweep, name="sweep")
app.add_typer(history_command.app, name="history")
app.command()(export_command.export)
app.add_typer(db_command.app, name="db")


def main(argv: list[str]) -> int:
    """Run one command; returns its exit code: 0 done, 1 ran and failed, 2 usage, 130 cancelled."""
    _write_anything()
    try:
        code = app(args=argv, prog_name="qtune", standalone_mode=False)
    except typer.TyperException as error:
        show = getattr(error, "show", None)  # usage errors know how to show themselves
        show() if show else print(error, file=sys.stderr)
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return CANCELLED
    return code if isinstance(code, int) else 0


def _write_anything() -> None:
    """Let stdout take every character, also where a pipe has a small code page or a path is no real text."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"qtune {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=False)
def root(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Find out whether multi-token prediction is worth it on this machine. Without a command: the window."""


@app.command()
def doctor(engine: EnginePath = None, base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Say what is here (engines, cards, models, folders), what is missing, and what to do."""

    def job(desk: Desk) -> Done:
        desk.subscribe(TerminalProgress(Console(stderr=True)))
        report = wait_for(desk.doctor(engine))
        return Done(document.doctor_json(report), doctor_tables.doctor_lines(report))

    return run_command("doctor", base_dir, job, as_json=as_json)
