"""``qtune db``: is the history sound, a copy of it, and where it is kept."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from qtune.cli.document import said
from qtune.cli.options import AsJson, BaseDir
from qtune.cli.printing import Done, printable, run_alone
from qtune.core.messages import Message
from qtune.session.history_upkeep import (
    back_up_history,
    check_history,
    move_history,
    needs_password,
    where_history_is,
)

app = typer.Typer(help="Check or copy the history, or share one with others.", no_args_is_help=True)
FILE = "file"
CANCELLED = "history_cancelled"


@app.command()
def check(base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Read all of the history and say what is wrong with it; changes nothing."""

    def job() -> Done:
        path, found = check_history(base_dir)
        lines = [f"{path} is sound."] if not found else _lines(found)
        failure = Message.of("history_check_failed", count=len(found)) if found else None
        result = {"path": path, "problems": [said(message) for message in found]}
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


@app.command()
def where(base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Say where the history is kept, and whether it can be used."""

    def job() -> Done:
        place, found = where_history_is(base_dir)
        return Done(
            {"place": place, "found": said(found)}, [Text(printable(line)) for line in _lines([found])]
        )

    return run_alone("db where", base_dir, job, as_json=as_json, cancelled=CANCELLED)


@app.command()
def use(
    place: Annotated[
        str,
        typer.Argument(help="postgresql://name@server/database, or 'file': that of this computer."),
    ],
    untried: Annotated[bool, typer.Option("--untried", help="Store it without trying it.")] = False,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Keep the history in a database that others use too, from the next start on.

    The password is asked for and goes into the key ring of the system; QTUNE_HISTORY_PASSWORD holds it where
    nobody can be asked.
    """

    def job() -> Done:
        url = "" if place == FILE else place
        password = ""
        if url and needs_password(url, base_dir) and sys.stdin.isatty():
            password = getpass.getpass(
                "Password (empty: the one that is known, or none): ", stream=sys.stderr
            )
        now, told = move_history(url, password, base_dir, untried=untried)
        lines = [*_lines(told), f"From the next start on the history is {now}"]
        result = {"place": now, "notes": [said(message) for message in told]}
        return Done(result, [Text(printable(line)) for line in lines])

    return run_alone("db use", base_dir, job, as_json=as_json, cancelled=CANCELLED)


def _lines(messages: list[Message]) -> list[str]:
    return [f"{message.sentence()} {message.hint()}".rstrip() for message in messages]
