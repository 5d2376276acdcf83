"""``qtune models``: which models are here, what is in them, and whether they fit."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated

import typer

from qtune.cli import document, models_tables
from qtune.cli.options import AsJson, BaseDir, EnginePath
from qtune.cli.printing import Done, run_command
from qtune.cli.waiting import wait_for
from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.session.desk import Desk
from qtune.session.requests import ModelReport

Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="DIR...", help="Where to look; default: your folders and the usual ones."),
]
ModelCtx = Annotated[
    int | None, typer.Option("--ctx", min=1, help="Context in tokens for which to say what fits.")
]


def models(
    folders: Folders = None,
    engine: EnginePath = None,
    ctx: ModelCtx = None,
    card: Annotated[
        str | None, typer.Option("--card", help="UUID of the card to hold them against; see doctor.")
    ] = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """List the models found, with their MTP head, their other quantisations and whether they fit.

    Held against the engine that would be launched: its build has to run the head on its devices.
    """

    def job(desk: Desk) -> Done:
        cancel = threading.Event()
        asked = tuple(folders or ())
        facts = engine_facts(desk, engine)
        search = desk.survey_models(asked, ctx_size=ctx, engine=facts, cancel=cancel, card=card)
        report = wait_for(search, cancel.set)
        return done(report, asked, ctx, facts)

    return run_command("models", base_dir, job, as_json=as_json)


def engine_facts(desk: Desk, engine: Path | None) -> EngineFacts | None:
    """Facts of the engine that was asked for, else of the first that is known; None if none is.

    An engine is not started for a list of files: without ``--engine`` only what earlier commands learned of
    engines counts.
    """
    if engine is None:
        return wait_for(desk.known_engine())
    finding = wait_for(desk.find_engines(engine))[0]
    if finding.facts is None:
        raise KnownError.from_message(finding.problem or Message.of("engine_not_found"))
    return finding.facts


def done(
    report: ModelReport,
    asked: tuple[Path, ...] = (),
    ctx_size: int | None = None,
    engine: EngineFacts | None = None,
) -> Done:
    """What is printed, and the exit code: 1 when no folder that was asked for could be searched."""
    failure = None
    if report.cancelled:
        failure = Message.of("model_search_cancelled")
    elif asked and not report.folders and report.problems:
        failure = report.problems[0]
    result, parts = document.models_json(report, engine), models_tables.parts(report, ctx_size, engine)
    return Done(result, parts, failure, report.cancelled)
