"""``qtune history``: find runs, look at them, compare, mark, delete, export and import them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from qtune.cli import comparison_tables, history_document, history_tables
from qtune.cli.export_command import Form, Locale, Out, export_runs
from qtune.cli.history_choice import (
    Decisions,
    Engines,
    Filters,
    Kinds,
    Models,
    Outliers,
    PresetNames,
    Quants,
    Runs,
    Since,
    Starred,
    Statuses,
    Until,
    Words,
    chosen,
    completed,
    experiment_of,
    moment,
)
from qtune.cli.history_document import Told
from qtune.cli.options import AsJson, BaseDir
from qtune.cli.printing import Done, printable, run_command
from qtune.cli.waiting import Moving, TerminalProgress, wait_for
from qtune.core.errors import KnownError
from qtune.core.history_query import HistoryQuery, RunSummary, SortColumn, older_than
from qtune.core.messages import Message
from qtune.session.desk import Desk
from qtune.session.history_desk import HistoryDesk

app = typer.Typer(
    help="Find, show, compare, mark, export and import what was measured.", no_args_is_help=True
)
CANCELLED = "history_cancelled"
OneRun = Annotated[
    str, typer.Argument(metavar="RUN", help="Id of a run or experiment, its beginning, or last.")
]
Off = Annotated[bool, typer.Option("--off", help="Take the mark away again.")]


def _run(command: str, base_dir: Path | None, job: Callable[[HistoryDesk], Done], *, as_json: bool) -> int:
    def with_desk(desk: Desk) -> Done:
        desk.subscribe(TerminalProgress(Console(stderr=True)))
        return job(desk.history)

    return run_command(f"history {command}", base_dir, with_desk, as_json=as_json, cancelled=CANCELLED)


@app.command("list")
def list_(
    text: Words = "",
    model: Models = None,
    quant: Quants = None,
    preset: PresetNames = None,
    kind: Kinds = None,
    status: Statuses = None,
    decision: Decisions = None,
    starred: Starred = False,
    engine: Engines = None,
    outliers: Outliers = "shown",
    deleted: Annotated[bool, typer.Option("--deleted", help="Only runs that were deleted.")] = False,
    since: Since = "",
    until: Until = "",
    sort: Annotated[
        SortColumn, typer.Option("--sort", help="Column that decides the order.")
    ] = "started_utc",
    ascending: Annotated[bool, typer.Option("--ascending", help="Smallest or oldest first.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Show at most so many.")] = 50,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """List runs, the newest first; every filter narrows, and may be repeated for "one of these"."""
    filters = Filters(
        text, model, quant, preset, kind, status, decision, starred, since, until, engine, outliers
    )
    only: Literal["only", "hidden"] = "only" if deleted else "hidden"
    query = replace(filters.query(), deleted=only, sort=sort, descending=not ascending)

    def job(history: HistoryDesk) -> Done:
        keys, _ = wait_for(history.find(completed(history, query)))
        rows = wait_for(history.page(keys[:limit]))
        counts = wait_for(history.counts())
        result = history_document.list_json(rows, int(keys.size), counts)
        return Done(result, history_tables.list_parts(rows, int(keys.size)))

    return _run("list", base_dir, job, as_json=as_json)


@app.command()
def show(run: OneRun = "last", base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Show one run in full, or an experiment with its runs and its verdict."""

    def job(history: HistoryDesk) -> Done:
        experiment = experiment_of(history, run)
        told = _told(history, chosen(history, [run]))
        verdict = wait_for(history.verdict(told[0][0].experiment_id))
        parts = history_tables.show_parts(told, verdict, experiment=experiment is not None)
        return Done(history_document.show_json(told, verdict), parts)

    return _run("show", base_dir, job, as_json=as_json)


@app.command()
def compare(runs: Runs, base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Hold runs, or the arms of experiments, against the first, with intervals; says if it is unfair."""

    def job(history: HistoryDesk) -> Done:
        told = _told(history, chosen(history, runs, deleted="hidden"))
        if len(told) == 1:
            raise KnownError("history_one_run")
        whole = {found for word in runs if (found := experiment_of(history, word)) is not None}
        compared = wait_for(history.compare([row.id for row, _ in told], whole))
        parts = comparison_tables.comparison_parts(compared)
        return Done(history_document.compare_json(told, compared), parts)

    return _run("compare", base_dir, job, as_json=as_json)


@app.command("changes")
def changes_(base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Say whether a newer engine, driver or power limit was slower or faster than the one before it."""

    def job(history: HistoryDesk) -> Done:
        found = wait_for(history.changes())
        result = {"changes": [history_document.change_json(change) for change in found]}
        return Done(result, comparison_tables.changes_parts(found))

    return _run("changes", base_dir, job, as_json=as_json)


@app.command()
def star(runs: Runs, off: Off = False, base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Star runs."""
    said = "Star taken from" if off else "Starred"
    return _mark("star", runs, base_dir, lambda h, ids: h.star(ids, on=not off), said, as_json=as_json)


@app.command()
def outlier(runs: Runs, off: Off = False, base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Mark runs as outliers; they stay in the history."""
    said = "No outlier any more:" if off else "Marked as outlier:"
    return _mark(
        "outlier", runs, base_dir, lambda h, ids: h.mark_outlier(ids, on=not off), said, as_json=as_json
    )


@app.command()
def note(
    run: OneRun,
    text: Annotated[str, typer.Argument(help="The note; an empty text takes it away.")],
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Write a note on a run, in place of the one it had."""

    def job(history: HistoryDesk) -> Done:
        ids = [row.id for row in chosen(history, [run])]
        for id_ in ids:
            wait_for(history.note(id_, text))
        return _marked(ids, "Noted on")

    return _run("note", base_dir, job, as_json=as_json)


@app.command()
def delete(
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN...]", help="Ids of runs or experiments, or last.")
    ] = None,
    before: Annotated[
        str, typer.Option("--before", metavar="DATE", help="Instead: all that were started before that day.")
    ] = "",
    keep_starred: Annotated[bool, typer.Option("--keep-starred", help="But not those with a star.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many that would be.")] = False,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Delete runs from the lists; "undelete" brings them back until "purge"."""
    if bool(runs) == bool(before):
        raise typer.BadParameter("name runs, or give --before")
    if runs and (keep_starred or dry_run):
        raise typer.BadParameter("--keep-starred and --dry-run go with --before")
    said = "Deleted (qtune history undelete brings them back):"
    if runs:
        return _mark("delete", runs, base_dir, HistoryDesk.delete, said, deleted="hidden", as_json=as_json)
    query = older_than(moment(before), keep_starred=keep_starred)

    def job(history: HistoryDesk) -> Done:
        keys, _ = wait_for(history.find(query))
        if dry_run:
            return Done({"runs": [], "would": keys.size}, [Text(f"Would be deleted: {_count(keys.size)}.")])
        ids = wait_for(history.delete_keys(keys))
        return Done({"runs": ids}, [Text(f"Deleted: {_count(len(ids))}; undelete brings them back.")])

    return _run("delete", base_dir, job, as_json=as_json)


@app.command()
def undelete(runs: Runs, base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Bring deleted runs back."""
    return _mark(
        "undelete", runs, base_dir, HistoryDesk.undelete, "Brought back:", deleted="only", as_json=as_json
    )


@app.command()
def purge(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many that would be.")] = False,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Really remove what was deleted; there is no way back."""
    if not (yes or dry_run) and (as_json or not sys.stdin.isatty()):
        raise typer.BadParameter("nobody can be asked here; give --yes, or --dry-run to see how many")

    def job(history: HistoryDesk) -> Done:
        count = wait_for(history.counts()).deleted
        if dry_run:
            return Done(
                {"removed": 0, "would": count}, [Text(f"Would be removed for good: {_count(count)}.")]
            )
        if count and not yes and not _agreed(count):
            return Done({"removed": 0}, [], Message.of("history_not_purged"), cancelled=True)
        wait_for(history.purge())
        return Done({"removed": count}, [Text(f"Removed for good: {_count(count)}.")])

    return _run("purge", base_dir, job, as_json=as_json)


@app.command()
def export(
    form: Form,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN...]", help="Runs or experiments; default: by the filters."),
    ] = None,
    output: Out = None,
    text: Words = "",
    model: Models = None,
    quant: Quants = None,
    preset: PresetNames = None,
    kind: Kinds = None,
    status: Statuses = None,
    decision: Decisions = None,
    starred: Starred = False,
    since: Since = "",
    until: Until = "",
    engine: Engines = None,
    outliers: Outliers = "shown",
    locale: Locale = None,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Export runs, those of a filter, or all; see docs/exports.md for the forms."""
    filters = Filters(
        text, model, quant, preset, kind, status, decision, starred, since, until, engine, outliers
    )
    query = filters.query()
    if runs and query != HistoryQuery():
        raise typer.BadParameter("name runs or give filters, not both")

    def keys(history: HistoryDesk) -> list[int]:
        if runs:
            return [row.key for row in chosen(history, runs, deleted="hidden")]
        # Oldest first, as a record is read.
        found, _ = wait_for(history.find(replace(completed(history, query), descending=False)))
        return [int(key) for key in found]

    return export_runs("history export", form, keys, output, locale, base_dir, as_json=as_json)


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(help="JSON or JSONL that qtune exported, or JSON, JSONL or CSV of llama-bench."),
    ],
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Take in runs of a file, all of them or none; those that are here already stay as they are."""

    def job(desk: Desk) -> Done:
        moving = Moving("import_running")
        desk.subscribe(moving.progress)
        found = moving.wait(desk.history.import_file(file, moving.transfer))
        told = [Text(f"Taken in: {_count(found.added)}. Here before: {_count(found.known)}.")]
        if found.deleted:
            told.append(
                Text(
                    f'Of these {_count(len(found.deleted))} had been deleted; "qtune history list --deleted"'
                    ' shows such runs, and "qtune history undelete" brings them back.'
                )
            )
        counts = {"added": found.added, "known": found.known}
        return Done({"path": str(file), **counts, "deleted": list(found.deleted)}, told)

    return run_command("history import", base_dir, job, as_json=as_json, cancelled=CANCELLED)


def _mark(
    command: str,
    words: Sequence[str],
    base_dir: Path | None,
    change: Callable[[HistoryDesk, Sequence[str]], Future[None]],
    said: str,
    *,
    deleted: Literal["hidden", "shown", "only"] = "shown",
    as_json: bool,
) -> int:
    def job(history: HistoryDesk) -> Done:
        ids = [row.id for row in chosen(history, words, deleted)]
        wait_for(change(history, ids))
        return _marked(ids, said)

    return _run(command, base_dir, job, as_json=as_json)


def _marked(ids: Sequence[str], said: str) -> Done:
    return Done({"runs": list(ids)}, [Text(printable(f"{said} {', '.join(ids)}"))])


def _told(history: HistoryDesk, rows: Sequence[RunSummary]) -> list[Told]:
    """Rows with their raw records; a run that was removed meanwhile is left out."""
    found = {source.run.id: source for source in wait_for(history.details_of([row.id for row in rows]))}
    told = [(row, found[row.id]) for row in rows if row.id in found]
    if not told:
        raise KnownError("history_empty")
    return told


def _agreed(count: int) -> bool:
    try:
        return typer.confirm(f"Remove {_count(count)} for good? There is no way back", err=True)
    except typer.Abort:
        raise KeyboardInterrupt from None


def _count(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"
