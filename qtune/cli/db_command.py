"""``qtune db``: is the history sound, and a copy of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from qtune.cli.document import said
from qtune.cli.options import AsJson, BaseDir
from qtune.cli.printing import Done, printable, run_alone
from qtune.core.messages import Message
from qtune.session.history_upkeep import back_up_history, check_history

app = typer.Typer(help="Check or copy the history.", no_args_is_help=True)
CANCELLED = "history_cancelled"


@app.command()
def check(base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Read all of the history and say what is wrong with it; changes nothing."""

    def job() -> Done:
        path, found = check_history(base_dir)
        lines = [f"{path} is sound."] if not found else [f"{m.sentence()} {m.hint()}".rstrip() for m in found]
        failure = Message.of("history_check_failed", count=len(found)) if found else None
        result = {"path": str(path), "problems": [said(message) for message in found]}
        return Done(result, [Text(printable(line)) for line in lines], failure)

    return run_alone("db check", base_dir, job, as_json=as_json, cancelled=CANCELLED)


@app.command()
def backup(
    folder: Annotated[
        Path | None, typer.Argument(help="Where to put the copy; default: the folder of backups.")
    ] = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Write a checked copy of the history, also while something is measured."""

    def job() -> Done:
        path = back_up_history(base_dir, folder)
        return Done({"path": str(path)}, [Text(printable(f"Copied to {path}"))])

    return run_alone("db backup", base_dir, job, as_json=as_json, cancelled=CANCELLED)
