"""Runs and requests as CSV: for programs (comma, dot) and for the spreadsheet of a locale.

Cells that a spreadsheet would take for a formula get an apostrophe in front; numbers never do.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, Final

from qtune.core.run_line import RunLine
from qtune.report.columns import (
    REQUEST_COLUMNS,
    RUN_COLUMNS,
    RUN_PARTS,
    Cell,
    Part,
    request_lines,
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


_PLAIN = re.compile(r"[A-Za-z0-9][^\r\n\",;]*").fullmatch
"""Texts that need neither a guard nor quotes in the form for programs."""
_FIGURELESS = re.compile(r"[A-DF-Za-df-z][^\r\n\",;]*").fullmatch
"""Texts that need neither in the form for spreadsheets; with an E in front one may be a number there."""

_FIGURE = re.compile(r"[-+]?[\d.,:/ eE+-]*\d[\d.,:/ eE+-]*%?")
"""What a spreadsheet may take for a number, a date or a time: ``570.1`` is a day in German ones."""


def guarded(text: str) -> str:
    """``text`` with an apostrophe in front if a spreadsheet would calculate it."""
    if text[:1].isalnum():
        return text
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def kept_text(text: str) -> str:
    """As :func:`guarded`, and with an apostrophe in front too where a text would turn into a figure."""
    return f"'{text}" if _FORMULA.match(text) or _FIGURE.fullmatch(text) else text


def csv_lines(names: Sequence[str], rows: Iterable[Sequence[Cell]], form: CsvForm = MACHINE) -> Iterator[str]:
    """Lines of a table, the header first, each with its line feed; made as they are asked for."""
    lines = _Lines()
    # With both characters in the terminator, a lone carriage return is quoted as well.
    writer = csv.writer(lines, delimiter=form.separator, lineterminator="\r\n")
    writer.writerow(names)
    yield (BOM if form.bom else "") + lines.last
    for row in rows:
        writer.writerow([_cell(value, form) for value in row])
        yield lines.last


class _Lines:
    """Takes one line at a time from the writer."""

    last = ""

    def write(self, line: str) -> None:
        self.last = line[:-2] + "\n"


def _cell(value: Cell, form: CsvForm) -> str:
    """Text of a cell, not yet in quotes; nothing for None and for what is no number."""
    if isinstance(value, str):
        # Only spreadsheets guess; what they guess from is not the same in two of them.
        return kept_text(value) if form.bom else guarded(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).replace(".", form.decimal) if math.isfinite(value) else ""
    return "" if value is None else str(value)


class _RunRows:
    """Lines of runs, many at a time and column by column, put together from the pieces their parts give.

    What many runs share is written once and kept; figures are numbers, which need no quotes. So only cells
    that are a run's own are written for each: cell by cell it takes as long as reading the runs.
    """

    def __init__(self, form: CsvForm) -> None:
        self._form = form
        self._plain = _FIGURELESS if form.bom else _PLAIN
        self._lines = _Lines()
        self._writer = csv.writer(self._lines, delimiter=form.separator, lineterminator="\r\n")
        self._groups = [(shared, tuple(parts)) for shared, parts in groupby(RUN_PARTS, lambda p: p.shared)]
        # By identity, with the things themselves: while they are kept, nothing else can have their numbers.
        self._made: dict[tuple[int, ...], tuple[Sequence[object], str]] = {}

    def lines(self, some: Sequence[RunLine]) -> Iterator[str]:
        pieces: list[list[str]] = []
        for shared, parts in self._groups:
            things = [list(map(part.of, some)) for part in parts]
            if shared:
                pieces.append([self._kept(parts, of_one) for of_one in zip(*things, strict=True)])
            else:
                for part, of_all in zip(parts, things, strict=True):
                    pieces += self._columns(part, of_all)
        separator = self._form.separator
        return (separator.join(of_one) + "\n" for of_one in zip(*pieces, strict=True))

    def _columns(self, part: Part, things: Sequence[Any]) -> list[list[str]]:
        """Cells of each column of the part; one list for all of them where they come as text."""
        if part.numbers:
            return [[_numbers(listed, self._form) for listed in things]]
        return [self._cells(list(map(column.value, things))) for column in part.columns]

    def _cells(self, values: list[Cell]) -> list[str]:
        """As :func:`csv_lines` writes them; of a column in which they repeat, each is written once."""
        different = list(set(values))
        if 2 * len(different) > len(values):
            return self._each(values)
        made = dict(zip(different, self._each(different), strict=True))
        return [made[value] for value in values]

    def _each(self, values: Iterable[Cell]) -> list[str]:
        # They are millions, so the usual kinds come first.
        plain, form = self._plain, self._form
        return [
            ""
            if value is None
            else (value if plain(value) else self._text(value))
            if type(value) is str
            else str(value)
            if type(value) is int
            else _cell(value, form)
            for value in values
        ]

    def _text(self, value: str) -> str:
        text = _cell(value, self._form)
        if not text:  # a lone "" would be put in quotes
            return text
        self._writer.writerow((text,))
        return self._lines.last[:-1]

    def _kept(self, parts: Sequence[Part], things: Sequence[object]) -> str:
        # No other parts have the same things: each thing is of one kind.
        key = tuple(map(id, things))
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= _KEPT:
                self._made.clear()
            cells = [
                cell
                for part, thing in zip(parts, things, strict=True)
                for (cell,) in self._columns(part, [thing])
            ]
            made = self._made[key] = (things, self._form.separator.join(cells))
        return made[1]


def _numbers(listed: str, form: CsvForm) -> str:
    """Cells of a JSON list of numbers, which are written in CSV as they are there."""
    cells = listed[1:-1].replace("null", "")
    return cells if form == MACHINE else cells.replace(",", form.separator).replace(".", form.decimal)


_KEPT: Final = 10_000
_TOGETHER: Final = 500
"""Lines made at a time: enough that what each batch costs does not count, few enough to stay small."""


def runs_csv(lines: Iterable[RunLine], form: CsvForm = MACHINE) -> Iterator[str]:
    """One row a run, by ``RUN_COLUMNS``."""
    yield from csv_lines([column.name for column in RUN_COLUMNS], (), form)
    rows, left = _RunRows(form), iter(lines)
    while some := list(islice(left, _TOGETHER)):
        yield from rows.lines(some)


def requests_csv(runs: Iterable[ExportRun], form: CsvForm = MACHINE) -> Iterator[str]:
    """One row a request, by ``REQUEST_COLUMNS``."""
    lines = (line for run in runs for line in request_lines(run))
    values = [column.value for column in REQUEST_COLUMNS]
    return csv_lines([c.name for c in REQUEST_COLUMNS], ([v(line) for v in values] for line in lines), form)
