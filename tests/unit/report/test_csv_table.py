"""CSV opens with right columns and numbers, and no text in it is calculated."""

from __future__ import annotations

import csv
import io
import math
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qtune.core.errors import KnownError
from qtune.core.run_line import RunLine
from qtune.report.columns import REQUEST_COLUMNS, RUN_COLUMNS
from qtune.report.csv_table import (
    MACHINE,
    CsvForm,
    csv_lines,
    guarded,
    kept_text,
    requests_csv,
    runs_csv,
    spreadsheet_form,
)
from qtune.report.export_run import ExportRun, line_of
from qtune.report.file_out import write_export
from tests.unit.report.exported import comparison, with_text


def lines(runs: list[ExportRun]) -> list[RunLine]:
    return [line_of(source) for source in runs]


def read(text: str, form: CsvForm = MACHINE) -> list[dict[str, str]]:
    return list(
        csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=form.separator)
    )


def test_runs_have_their_settings_and_figures() -> None:
    rows = read("".join(runs_csv(lines(comparison(2)))))
    assert [row["run_id"] for row in rows] == ["off-1", "balanced-1", "off-2", "balanced-2"]
    one = rows[1]
    assert list(one) == [column.name for column in RUN_COLUMNS]
    assert (one["mtp"], one["n_max"], one["ctx_size"], one["settings_verified"]) == ("true", "4", "8192", "")
    assert float(one["decode_tok_s_median"]) == pytest.approx(71.71)
    assert (one["ttft_ms_median"], one["requests_counted"]) == ("200.0", "6")
    assert (one["drafted_tokens"], one["acceptance"]) == ("720", repr(480 / 720))
    assert one["started_utc"] == "2026-11-30T07:01:00+00:00"
    assert rows[0]["drafted_tokens"] == ""


def test_requests_have_their_figures_and_texts() -> None:
    rows = read("".join(requests_csv(comparison(1))))
    assert len(rows) == 14
    assert list(rows[0]) == [column.name for column in REQUEST_COLUMNS]
    assert (rows[0]["phase"], rows[1]["phase"], rows[1]["ok"]) == ("warmup", "counted", "true")
    assert float(rows[1]["decode_tok_s"]) == pytest.approx(41.41)
    assert rows[1]["content"] == "Plain words."


@pytest.mark.parametrize(
    ("locale", "separator", "decimal"),
    [
        ("de_DE", ";", ","), ("zh_CN", ",", "."), ("zh-Hans-CN", ",", "."), ("en_US.UTF-8", ",", "."),
        ("fr_FR", ";", ","), ("de_CH", ";", "."), ("es_MX", ",", "."), ("es_ES", ";", ","),
        ("en_ZA", ";", ","), ("pt_BR", ";", ","), ("C", ",", "."), ("", ",", "."),
    ],
)  # fmt: skip
def test_a_spreadsheet_gets_the_separators_of_its_locale(locale: str, separator: str, decimal: str) -> None:
    form = spreadsheet_form(locale)
    assert form == CsvForm(separator, decimal, bom=True)
    text = "".join(runs_csv(lines(comparison(1)), form))
    assert text.startswith("\ufeff")
    row = read(text, form)[0]
    assert row["decode_tok_s_median"].startswith(f"41{decimal}4")
    assert row["load_ms"] == f"4321{decimal}5"


@pytest.mark.parametrize(
    "text",
    [
        "=1+2",
        "+cmd|x",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1",
        "\n=1",
        "＝1",
        "＠x",
        "--",
        "-",
        "=",
        "\0=1",
    ],
)
def test_formulas_are_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "+5", "-1.5e-3", "-0,75", "plain", "a=b", "", "1-2", "通义"])
def test_numbers_and_plain_text_are_left_alone(text: str) -> None:
    assert guarded(text) == text


@pytest.mark.parametrize("text", ["570.1", "12e34", "1/2", "10:30", "-5", "007", "50 %", "2026-11-30"])
def test_texts_that_a_spreadsheet_would_turn_into_figures_are_kept(text: str) -> None:
    assert kept_text(text) == f"'{text}"
    german = "".join(csv_lines(["a", "b"], [[text, 5.5]], CsvForm(";", ",", bom=True)))
    assert german == f"\ufeffa;b\n'{text};5,5\n"


@pytest.mark.parametrize("text", ["Q4_0", "qwen35", "2026-11-30T07:01:00+00:00", "", "a1", "e"])
def test_other_texts_are_left_alone_by_spreadsheets(text: str) -> None:
    assert kept_text(text) == text


def test_what_is_no_figure_is_empty() -> None:
    rows = [[math.nan, math.inf, None, -math.inf, -1.5, True, 2**60, "x"]]
    text = "".join(csv_lines(list("abcdefgh"), rows, CsvForm(";", ",")))
    assert text == "a;b;c;d;e;f;g;h\n;;;;-1,5;true;1152921504606846976;x\n"


@given(st.lists(st.text(), min_size=1, max_size=4), st.sampled_from([MACHINE, CsvForm(";", ",", bom=True)]))
@settings(deadline=None)
def test_any_text_survives_or_is_guarded(cells: list[str], form: CsvForm) -> None:
    text = "".join(csv_lines([f"c{n}" for n in range(len(cells))], [cells], form))
    (row,) = read(text, form)
    kept = kept_text if form.bom else guarded
    assert list(row.values()) == [kept(cell) for cell in cells]
    assert text.count("\n") >= 2


@pytest.mark.parametrize("text", ['a,"b";c\r\nd', "=HYPERLINK(1)", "\r", '"', "'", "🚀\u2028\x85"])
def test_hostile_names_do_not_move_columns(text: str) -> None:
    for form in (MACHINE, spreadsheet_form("de_DE")):
        runs = read("".join(runs_csv(lines(with_text(text)), form)), form)
        requests = read("".join(requests_csv(with_text(text), form)), form)
        assert {row["model"] for row in runs} == {row["content"] for row in requests} == {guarded(text)}
        assert None not in runs[0]
        assert len(requests) == 14


def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "runs.csv"
    write_export(target, "old")

    def no_space(descriptor: int) -> None:
        del descriptor
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("qtune.host.files.os.fsync", no_space)
    with pytest.raises(KnownError, match="No space left") as caught:
        write_export(target, runs_csv(lines(comparison(1))))
    assert caught.value.code == "export_not_written"
    assert [p.name for p in tmp_path.iterdir()] == ["runs.csv"]
    assert target.read_text() == "old"


def test_a_fault_in_the_middle_leaves_the_old_file_whole(tmp_path: Path) -> None:
    target = tmp_path / "runs.csv"
    write_export(target, "old\ud800\r\n")
    assert target.read_bytes() == b"old?\r\n"

    def parts() -> object:
        yield "half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_export(target, parts())  # type: ignore[arg-type]
    assert target.read_bytes() == b"old?\r\n"
    with pytest.raises(KnownError):
        write_export(tmp_path / "missing" / "x.csv", "text")


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
def test_a_link_stays_a_link_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    kept, link, pipe = tmp_path / "kept.sh", tmp_path / "link.sh", tmp_path / "pipe"
    kept.write_text("old")
    link.symlink_to(kept)
    write_export(link, "new")
    assert (link.is_symlink(), kept.read_text()) == (True, "new")
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        came = reader.submit(pipe.read_text)
        write_export(pipe, ["a", "b"])
        assert came.result(60) == "ab"
    assert pipe.is_fifo()


def test_every_column_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "exports.md").read_text(encoding="utf-8")
    for column in (*RUN_COLUMNS, *REQUEST_COLUMNS):
        base = (
            column.name.removesuffix("_median")
            .removesuffix("_low")
            .removesuffix("_high")
            .removesuffix("_p90")
        )
        assert f"`{column.name}`" in text or f"`{base}_*`" in text, column.name
