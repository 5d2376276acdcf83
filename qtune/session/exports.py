"""The forms an export can have, by name: what each is made with and how its file ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from qtune.core.errors import KnownError
from qtune.core.records import RunRecord
from qtune.core.run_line import RunLine
from qtune.host.browser import print_page
from qtune.report.csv_table import requests_csv, runs_csv, spreadsheet_form
from qtune.report.export_run import ExportRun, line_of
from qtune.report.html_report import html_report
from qtune.report.json_export import export_jsonl, json_parts
from qtune.report.launch_config import llama_swap_block, models_preset
from qtune.report.launch_line import command_line
from qtune.report.launch_script import batch_script, powershell_script, sh_script
from qtune.report.llama_bench import bench_csv, bench_json, bench_markdown, bench_sql
from qtune.report.markdown import record_table, share_cards
from qtune.report.words import ENGLISH, Words

ExportForm = Literal[
    "csv",
    "csv-requests",
    "csv-spreadsheet",
    "json",
    "jsonl",
    "markdown",
    "share",
    "html",
    "pdf",
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
LAUNCH_FORMS: frozenset[ExportForm] = frozenset({"command", "sh", "ps1", "bat"})
"""Made of one run: that which is to be launched."""
LAUNCHED: frozenset[ExportForm] = LAUNCH_FORMS | {"llama-swap", "ini"}
"""What others launch from; some hold several."""


@dataclass(frozen=True, slots=True)
class ExportWords:
    """How an export speaks.

    Attributes:
        locale: Decides separators of the spreadsheet form, e.g. ``de_DE``.
        report: Of the reports for people.
    """

    locale: str = "en_US"
    report: Words = ENGLISH


class ExportSource(Protocol):
    """The runs of an export, in order, as a form needs them; each may be read more than once."""

    def runs(self) -> Iterator[ExportRun]:
        """With all their requests."""

    def lines(self) -> Iterator[RunLine]:
        """With their figures alone, which is far less to read."""


@dataclass(frozen=True, slots=True)
class Collected:
    """Runs that are all in memory."""

    chosen: Sequence[ExportRun]

    def runs(self) -> Iterator[ExportRun]:
        """As they are."""
        return iter(self.chosen)

    def lines(self) -> Iterator[RunLine]:
        """With figures derived now."""
        return map(line_of, self.chosen)


Parts = Callable[[ExportSource, ExportWords], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Form:
    """One form.

    Attributes:
        parts: How its text is made.
        suffix: End of its file's name.
        executable: Whether the file may be run.
        printed: Whether the text is a page that a browser prints; the file is a PDF.
    """

    parts: Parts
    suffix: str
    executable: bool = False
    printed: bool = False

    def content(self, source: ExportSource, words: ExportWords) -> Iterable[str] | bytes:
        """What its file holds.

        Raises:
            KnownError: As ``parts``; ``pdf_no_browser``, ``pdf_failed``.
        """
        parts = self.parts(source, words)
        return print_page("".join(parts)) if self.printed else parts

    def text(self, source: ExportSource, words: ExportWords) -> Iterable[str]:
        """Its text.

        Raises:
            KnownError: As ``parts``; ``export_needs_file`` for what is none.
        """
        if self.printed:
            raise KnownError("export_needs_file")
        return self.parts(source, words)


def _whole(make: Callable[[list[ExportRun]], str]) -> Parts:
    return lambda source, _words: [make(list(source.runs()))]


def _one(make: Callable[[RunRecord], str]) -> Parts:
    """A form of one run.

    Raises (when used):
        KnownError: ``export_one_run`` where several were chosen.
    """

    def parts(source: ExportSource, _words: ExportWords) -> Iterable[str]:
        chosen = list(source.runs())
        if len(chosen) != 1:
            raise KnownError("export_one_run", count=len(chosen))
        return [make(chosen[0].run)]

    return parts


def _report(source: ExportSource, words: ExportWords) -> Iterable[str]:
    return [html_report(source.runs(), words=words.report)]


FORMS: dict[ExportForm, Form] = {
    "csv": Form(lambda source, _: runs_csv(source.lines()), ".csv"),
    "csv-requests": Form(lambda source, _: requests_csv(source.runs()), ".csv"),
    "csv-spreadsheet": Form(
        lambda source, words: runs_csv(source.lines(), spreadsheet_form(words.locale)), ".csv"
    ),
    "json": Form(lambda source, _: json_parts(source.runs()), ".json"),
    "jsonl": Form(lambda source, _: export_jsonl(source.runs()), ".jsonl"),
    "markdown": Form(_whole(record_table), ".md"),
    "share": Form(lambda source, _: [share_cards(source.runs())], ".md"),
    "html": Form(_report, ".html"),
    "pdf": Form(_report, ".pdf", printed=True),
    "llama-bench-csv": Form(_whole(bench_csv), ".csv"),
    "llama-bench-json": Form(_whole(bench_json), ".json"),
    "llama-bench-md": Form(_whole(bench_markdown), ".md"),
    "llama-bench-sql": Form(_whole(bench_sql), ".sql"),
    "command": Form(_one(lambda run: command_line(run, "sh") + "\n"), ".txt"),
    "sh": Form(_one(sh_script), ".sh", executable=True),
    "ps1": Form(_one(powershell_script), ".ps1"),
    "bat": Form(_one(batch_script), ".bat"),
    "llama-swap": Form(_whole(lambda runs: llama_swap_block([source.run for source in runs])), ".yaml"),
    "ini": Form(_whole(lambda runs: models_preset([source.run for source in runs])), ".ini"),
}
"""All forms by name; ``docs/exports.md`` describes them."""
