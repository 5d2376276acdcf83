"""Runs and requests as CSV: for programs (comma, dot) and for the spreadsheet of a locale.

Cells that a spreadsheet would take for a formula get an apostrophe in front; numbers never do.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from qtune.report.columns import (
    REQUEST_COLUMNS,
    RUN_COLUMNS,
    Cell,
    request_lines,
    run_line,
)
from qtune.report.export_run import ExportRun

BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How cells are separated and numbers written; ``bom`` tells Excel that the text is UTF-8."""

    separator: str = ","
    decimal: str = "."
    bom: bool = False


MACHINE: Final = CsvForm()
"""Comma, decimal point, UTF-8, lines end in a line feed."""

_DECIMAL_POINT = frozenset(
    # Languages, as CLDR abbreviates them.
    ("en", "zh", "ja", "ko", "th", "he", "hi", "bn", "ta", "te", "ms", "fil", "sw", "ga", "mt", "ur")
)
_POINT_REGIONS = {"es": frozenset({"MX", "US", "PR", "GT", "HN", "NI", "PA", "PE", "SV", "DO"})}
_SWISS = frozenset({"CH", "LI"})
_COMMA_REGIONS = {"en": frozenset({"ZA"})}


def spreadsheet_form(locale: str) -> CsvForm:
    """Form a spreadsheet opens without questions under ``locale``, e.g. ``de_DE`` or ``zh-CN``.

    Where numbers have a decimal comma the cells are separated by semicolons. Source: the list and decimal
    separators of CLDR and Windows; a locale without a language has a decimal point.
    """
    language, *rest = re.split(r"[_\-.@]", locale)
    region = next((part for part in rest if len(part) == 2 and part.isupper()), "")
    language = language.lower()
    if region in _SWISS and language != "fr":
        return CsvForm(";", ".", bom=True)
    point = language in {"", "c", "posix", *_DECIMAL_POINT} or region in _POINT_REGIONS.get(language, ())
    if point and region not in _COMMA_REGIONS.get(language, ()):
        return CsvForm(",", ".", bom=True)
    return CsvForm(";", ",", bom=True)


_FORMULA = re.compile(r"[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
"""Beginnings a spreadsheet may take for a formula; full-width signs count in Japanese and Chinese ones."""
_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?")


def guarded(text: str) -> str:
    """``text`` with an apostrophe in front if a spreadsheet would calculate it."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_lines(names: Sequence[str], rows: Iterable[Sequence[Cell]], form: CsvForm = MACHINE) -> Iterator[str]:
    """Lines of a table, the header first, each with its line feed; made as they are asked for."""
    lines = _Lines()
    # With both characters in the terminator, a lone carriage return is quoted as well.
    writer = csv.writer(lines, delimiter=form.separator, lineterminator="\r\n")
    writer.writerow(names)
    yield (BOM if form.bom else "") + lines.last
    decimal = form.decimal
    for row in rows:
        writer.writerow([_cell(value, decimal) for value in row])
        yield lines.last


class _Lines:
    """Takes one line at a time from the writer."""

    last = ""

    def write(self, line: str) -> None:
        self.last = line[:-2] + "\n"


def _cell(value: Cell, decimal: str) -> str | int:
    if value is None:
        return ""
    if isinstance(value, str):
        return guarded(value) if value else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        text = repr(value)
        return text if decimal == "." else text.replace(".", decimal)
    return value


def runs_csv(runs: Iterable[ExportRun], form: CsvForm = MACHINE) -> Iterator[str]:
    """One row a run, by ``RUN_COLUMNS``; its figures are derived from its requests."""
    lines = (run_line(run) for run in runs)
    values = [column.value for column in RUN_COLUMNS]
    return csv_lines([c.name for c in RUN_COLUMNS], ([v(line) for v in values] for line in lines), form)


def requests_csv(runs: Iterable[ExportRun], form: CsvForm = MACHINE) -> Iterator[str]:
    """One row a request, by ``REQUEST_COLUMNS``."""
    lines = (line for run in runs for line in request_lines(run))
    values = [column.value for column in REQUEST_COLUMNS]
    return csv_lines([c.name for c in REQUEST_COLUMNS], ([v(line) for v in values] for line in lines), form)
