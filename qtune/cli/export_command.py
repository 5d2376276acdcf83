"""``qtune export`` and what all exports of the terminal share: a file in one step, or standard output."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from qtune.cli.history_choice import chosen, experiment_of, newest
from qtune.cli.options import AsJson, BaseDir
from qtune.cli.printing import Done, printable, run_command
from qtune.cli.waiting import Moving, wait_for
from qtune.core.errors import KnownError
from qtune.core.history_query import HistoryQuery, RunSummary
from qtune.core.records import RunStatus
from qtune.session.desk import Desk
from qtune.session.exports import LAUNCH_FORMS, LAUNCHED, ExportForm, ExportWords
from qtune.session.history_desk import HistoryDesk
from qtune.session.to_launch import to_launch

Form = Annotated[ExportForm, typer.Argument(help="Form of the export; docs/exports.md describes them.")]
Out = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File to write or replace; default: standard output."),
]
_LOCALE = re.compile(r"(?:[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*|C|POSIX)(?:[.@].*)?")
_STANDARD_OUTPUT = (Path("-"), Path("/dev/stdout"))
Locale = Annotated[
    str | None,
    typer.Option("--locale", help="Whose separators csv-spreadsheet has, e.g. de_DE; default: yours."),
]


def export(
    form: Form,
    run: Annotated[
        str | None,
        typer.Argument(metavar="[RUN]", help="Id of a run or experiment; default: the newest that finished."),
    ] = None,
    arm: Annotated[
        str | None,
        typer.Option("--arm", help="Arm of the experiment; to launch it: by default the winner."),
    ] = None,
    output: Out = None,
    locale: Locale = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Export the newest experiment, or what is named; as a launch script, its winner."""

    def keys(history: HistoryDesk) -> list[int]:
        if run is None:
            return _newest(history, form, arm)
        rows = chosen(history, [run], deleted="hidden")
        if experiment_of(history, run) is not None:
            return _of_experiment(history, rows, arm, to_be_launched=form in LAUNCH_FORMS)
        if arm is not None and rows[0].arm != arm:
            raise KnownError("export_arm_unknown", arm=arm, arms=rows[0].arm)
        return [row.key for row in rows]

    return export_runs("export", form, keys, output, locale, base_dir, as_json=as_json)


def _newest(history: HistoryDesk, form: ExportForm, arm: str | None) -> list[int]:
    launched = form in LAUNCHED
    key = newest(history, (RunStatus.DONE,), measured_here=launched)
    (row,) = wait_for(history.page([key]))
    query = HistoryQuery(experiments=(row.experiment_id,), descending=False)
    keys, _ = wait_for(history.find(query))
    rows = wait_for(history.page(keys))
    return _of_experiment(history, rows, arm, to_be_launched=launched)


def _of_experiment(
    history: HistoryDesk, rows: Sequence[RunSummary], arm: str | None, *, to_be_launched: bool
) -> list[int]:
    if to_be_launched:
        found = wait_for(history.experiment(rows[0].experiment_id))
        return [to_launch(rows, None if found is None else found.verdict, arm).key]
    mine = [row.key for row in rows if arm in {None, row.arm}]
    if not mine:
        raise KnownError("export_arm_unknown", arm=arm, arms=", ".join(dict.fromkeys(r.arm for r in rows)))
    return mine


def export_runs(
    command: str,
    form: ExportForm,
    keys: Callable[[HistoryDesk], Sequence[int]],
    output: Path | None,
    locale: str | None,
    base_dir: Path | None,
    *,
    as_json: bool,
) -> int:
    """Export the runs that ``keys`` finds; returns the exit code.

    With ``--json`` and no file the text stands in the document: standard output holds one thing.
    """
    if locale is not None and not _LOCALE.fullmatch(locale):
        raise typer.BadParameter(f"{locale!r} is no locale such as de_DE, zh_CN or en")
    if output in _STANDARD_OUTPUT:
        output = None
    words = ExportWords(locale=own_locale() if locale is None else locale)

    def job(desk: Desk) -> Done:
        moving, history = Moving("export_running"), desk.history
        desk.subscribe(moving.progress)
        wanted = keys(history)
        result = {"form": form, "runs": len(wanted), "path": None, "replaced": False, "text": None}
        if output is not None:
            replaced = output.exists()
            path = moving.wait(history.export_file(form, wanted, output, words, moving.transfer))
            told = f"{'Replaced' if replaced else 'Wrote'} {path} ({form}, runs: {len(wanted)})"
            return Done(result | {"path": str(path), "replaced": replaced}, [Text(printable(told))])
        if as_json or sys.stdout.isatty():
            text = moving.wait(history.export_text(form, wanted, words, moving.transfer))
            if as_json:
                return Done(result | {"text": text}, [])
            _show(text)
        else:
            _pass_on(
                lambda write: moving.wait(history.export_to(write, form, wanted, words, moving.transfer))
            )
        return Done(result, [])

    return run_command(command, base_dir, job, as_json=as_json, cancelled="history_cancelled")


def own_locale() -> str:
    """The user's locale by the variables of POSIX, in their order; en_US where none is set."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_NUMERIC", "LANG"))
    return next((name for name in named if name), "en_US")


def _show(text: str) -> None:
    """To a person, without what steers a terminal."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    print("\n".join(map(printable, lines)), flush=True)


def _pass_on(export: Callable[[Callable[[str], object]], object]) -> None:
    """To a program, byte for byte as a file would hold it, while it is made; the reader may go away."""
    sys.stdout.flush()
    out = sys.stdout.buffer
    try:
        export(lambda part: out.write(part.encode("utf-8", "replace")))
        out.flush()
    except OSError as error:
        # Or the interpreter tries to write the rest at its end, and complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            reason = error.strerror or str(error)
            raise KnownError("export_not_written", path="standard output", reason=reason) from error
