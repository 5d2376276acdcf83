"""The CSV for spreadsheets opens in LibreOffice with the columns, numbers and texts that were exported."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as Xml
from dataclasses import replace
from pathlib import Path

import pytest

from qtune.report.columns import RUN_COLUMNS, RUN_PARTS
from qtune.report.csv_table import kept_text, runs_csv, spreadsheet_form
from qtune.report.export_run import line_of
from qtune.report.file_out import write_export
from tests.unit.report.exported import comparison

TABLE, OFFICE, TEXT = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("table", "office", "text")
)
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{locale}</value></prop>
</item></oor:items>
"""
"""The locale of a user; with it the program needs none of the system's."""
HOSTILE = ["=1+2", "@SUM(A1)", '+cmd|"/c calc"!A1', "-2+3", "a;b,c\n=1"]


def opened(csv: Path, separator: str, locale: str) -> list[list[tuple[str, str]]]:
    """Type and value of each cell as the spreadsheet has them."""
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not installed")
    profile = csv.parent / "profile"
    (profile / "user").mkdir(parents=True)
    settings = PROFILE.format(locale=locale.replace("_", "-"))
    (profile / "user" / "registrymodifications.xcu").write_text(settings, encoding="utf-8")
    # What the dialog of the program has by itself: UTF-8, the user's language, numbers and dates recognised.
    reading = f"Text - txt - csv (StarCalc):{ord(separator)},34,76,1,,0,false,true"
    words = [f"-env:UserInstallation={profile.as_uri()}", "--headless", f"--infilter={reading}"]
    command = [soffice, *words, "--convert-to", "fods", "--outdir", str(csv.parent), str(csv)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    root = Xml.parse(csv.with_suffix(".fods")).getroot()  # noqa: S314 - LibreOffice wrote it
    return [_cells(row) for row in root.iter(f"{TABLE}table-row")]


def _cells(row: Xml.Element) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for cell in row.iter(f"{TABLE}table-cell"):
        shown = "\n".join("".join(line.itertext()) for line in cell.iter(f"{TEXT}p"))
        kind = cell.get(f"{OFFICE}value-type", "")
        assert cell.get(f"{TABLE}formula") is None
        value = cell.get(f"{OFFICE}value", shown) if kind == "float" else shown
        found += [(kind, value)] * int(cell.get(f"{TABLE}number-columns-repeated", "1"))
    return found


@pytest.mark.parametrize("locale", ["de_DE", "zh_CN"])
def test_columns_numbers_and_texts_are_those_that_were_exported(locale: str, tmp_path: Path) -> None:
    runs = comparison(1)
    for n, text in enumerate(HOSTILE):
        model = replace(runs[0].run.model, name=text)
        runs.append(replace(runs[0], run=replace(runs[0].run, id=f"hostile {n}", model=model)))
    file, form = tmp_path / "runs.csv", spreadsheet_form(locale)
    write_export(file, runs_csv((line_of(source) for source in runs), form))

    head, *rows = opened(file, form.separator, locale)

    names = [column.name for column in RUN_COLUMNS]
    assert [value for _, value in head] == names
    table = [dict(zip(names, row, strict=True)) for row in rows]
    for source, row in zip(runs, table, strict=True):
        line = line_of(source)
        cells = [(c.name, c.value(part.of(line))) for part in RUN_PARTS for c in part.columns]
        for name, wanted in cells:
            kind, value = row[name]
            if isinstance(wanted, bool) or wanted is None:
                continue
            if isinstance(wanted, int | float):
                assert kind == "float", (name, kind, value)
                assert float(value) == pytest.approx(wanted, rel=1e-12)
            elif wanted:
                assert kind == "string", (name, kind, value)
                assert value == kept_text(str(wanted))
    assert table[0]["started_utc"] == ("string", "2026-11-30T07:01:00+00:00")
    assert table[1]["model"] == ("string", "Qwen3.6 27B 通义")
    assert [row["model"][1] for row in table[2:]] == [f"'{text}" for text in HOSTILE[:4]] + HOSTILE[4:]
