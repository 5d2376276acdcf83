"""The forms an export can have, by name: what each is made with and how its file ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from qtune.core.errors import KnownError
from qtune.core.records import RunRecord
from qtune.report.csv_table import requests_csv, runs_csv, spreadsheet_form
from qtune.report.export_run import ExportRun
from qtune.report.html_report import html_report
from qtune.report.json_export import export_jsonl, json_parts
from qtune.report.launch_config import llama_swap_block, models_preset
from qtune.report.launch_line import command_line
from qtune.report.launch_script import batch_script, powershell_script, sh_script
from qtune.report.llama_bench import bench_csv, bench_json, bench_markdown, bench_sql
from qtune.report.markdown import record_table, share_card
from qtune.report.words import Translate, english

ExportForm = Literal[
    "csv",
    "csv-requests",
    "csv-spreadsheet",
    "json",
    "jsonl",
    "markdown",
    "share",
    "html",
    "llama-bench-csv",
    "llama-bench-json",
    "llama-bench-md",
    "llama-bench-sql",
    "command",
    "sh",
    "ps1",
    "bat",
    "llama-swap",
    "ini",
]
EXPORT_FORMS: tuple[ExportForm, ...] = get_args(ExportForm)
LAUNCH_FORMS: frozenset[ExportForm] = frozenset({"command", "sh", "ps1", "bat", "llama-swap"})
"""Made of one run: that which is to be launched."""


@dataclass(frozen=True, slots=True)
class ExportWords:
    """How an export speaks.

    Attributes:
        language: Tag of the language ``translate`` gives, for the HTML report.
        locale: Decides separators of the spreadsheet form, e.g. ``de_DE``.
    """

    language: str = "en"
    locale: str = "en_US"
    translate: Translate = english


@dataclass(frozen=True, slots=True)
class Form:
    """One form: how its parts are made, the end of its file's name, whether the file may be run."""

    parts: Callable[[Iterable[ExportRun], ExportWords], Iterable[str]]
    suffix: str
    executable: bool = False


def _whole(
    make: Callable[[list[ExportRun]], str],
) -> Callable[[Iterable[ExportRun], ExportWords], Iterable[str]]:
    return lambda runs, _words: [make(list(runs))]


def _one(make: Callable[[RunRecord], str]) -> Callable[[Iterable[ExportRun], ExportWords], Iterable[str]]:
    """A form of one run.

    Raises (when used):
        KnownError: ``export_one_run`` where several were chosen.
    """

    def parts(runs: Iterable[ExportRun], _words: ExportWords) -> Iterable[str]:
        chosen = list(runs)
        if len(chosen) != 1:
            raise KnownError("export_one_run", count=len(chosen))
        return [make(chosen[0].run)]

    return parts


FORMS: dict[ExportForm, Form] = {
    "csv": Form(lambda runs, _: runs_csv(runs), ".csv"),
    "csv-requests": Form(lambda runs, _: requests_csv(runs), ".csv"),
    "csv-spreadsheet": Form(lambda runs, words: runs_csv(runs, spreadsheet_form(words.locale)), ".csv"),
    "json": Form(lambda runs, _: json_parts(runs), ".json"),
    "jsonl": Form(lambda runs, _: export_jsonl(runs), ".jsonl"),
    "markdown": Form(_whole(record_table), ".md"),
    "share": Form(_whole(share_card), ".md"),
    "html": Form(
        lambda runs, words: [html_report(list(runs), language=words.language, translate=words.translate)],
        ".html",
    ),
    "llama-bench-csv": Form(_whole(bench_csv), ".csv"),
    "llama-bench-json": Form(_whole(bench_json), ".json"),
    "llama-bench-md": Form(_whole(bench_markdown), ".md"),
    "llama-bench-sql": Form(_whole(bench_sql), ".sql"),
    "command": Form(_one(lambda run: command_line(run, "sh") + "\n"), ".txt"),
    "sh": Form(_one(sh_script), ".sh", executable=True),
    "ps1": Form(_one(powershell_script), ".ps1"),
    "bat": Form(_one(batch_script), ".bat"),
    "llama-swap": Form(_one(llama_swap_block), ".yaml"),
    "ini": Form(_whole(lambda runs: models_preset([source.run for source in runs])), ".ini"),
}
"""All forms by name; ``docs/exports.md`` describes them."""
