"""Runs leave the history and come back: whole, all or none, while others write, and at any size."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from qtune.core.errors import KnownError
from qtune.core.history_query import HistoryQuery
from qtune.core.messages import Message
from qtune.core.records import EffectiveSettings, RunStatus
from qtune.core.taken_in import NO_MARKS, RunMarks
from qtune.core.verdict import Ratio, Verdict
from qtune.report import json_import
from qtune.report.csv_table import runs_csv
from qtune.report.export_run import ExportRun, line_of
from qtune.report.file_out import write_export
from qtune.report.json_export import export_json
from qtune.session import exchange
from qtune.session.history_desk import HistoryDesk
from qtune.session.transfer import Transfer
from qtune.store.history import History, open_history
from tests.service.store import made as made_records
from tests.unit.report.exported import comparison

WAIT_S = 120
ROOT = Path(__file__).parents[3]
VERDICT = Verdict(
    "better", Message.of("verdict_indication", arm="balanced", ratio="1.40", n=2), "balanced",
    (Ratio("balanced", 1.4, 1.3, 1.5, "better"),),
)  # fmt: skip


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[str], tuple[History, HistoryDesk]]]:
    """Opens histories by name, each with its desk."""
    open_now: list[Any] = []

    def open_one(name: str) -> tuple[History, HistoryDesk]:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        history = open_history(folder / "qtune.db", folder / "backups")
        readers = ThreadPoolExecutor(2)
        open_now.extend((history, readers))
        return history, HistoryDesk(history, folder / "backups", readers)

    yield open_one
    for one in reversed(open_now):
        one.shutdown() if isinstance(one, ThreadPoolExecutor) else one.close()


Open = Callable[[str], tuple[History, HistoryDesk]]


def fill(history: History, starts: int = 3) -> list[ExportRun]:
    writer, runs = history.writer, comparison(starts)
    assert runs[0].experiment is not None
    writer.add_experiment(runs[0].experiment)
    for source in runs:
        writer.add_run(replace(source.run, status=RunStatus.RUNNING))
        for request in source.requests:
            writer.add_request(request)
        writer.update_run(source.run)
    writer.save_verdict("e1", VERDICT)
    writer.set_starred(["off-1"], True)
    writer.set_outlier(["balanced-1"], True)
    writer.set_note("off-1", "the fan \u2028 was '=loud'")
    writer.flush().result(WAIT_S)
    return runs


def keys(history: History) -> list[int]:
    return [int(key) for key in history.reader.run_ids(HistoryQuery(descending=False, deleted="shown"))]


def test_keys_of_runs_come_in_the_order_asked_for_without_those_that_are_gone(opened: Open) -> None:
    history, desk = opened("a")
    fill(history)
    off, balanced = desk.keys_of(["off-1", "balanced-1"]).result(WAIT_S)
    assert desk.keys_of(["balanced-1", "never", "off-1", "off-"]).result(WAIT_S) == [balanced, off]
    assert {off, balanced} <= set(keys(history))


def test_lines_that_are_kept_are_those_of_the_runs_and_their_requests(opened: Open, tmp_path: Path) -> None:
    history, desk = opened("a")
    runs = fill(history)
    read = EffectiveSettings(ctx_size=8192, parallel=1, speculative=True)
    changes: tuple[dict[str, Any], ...] = (
        {"settings_effective": read},
        {"settings_effective": replace(read, mismatches=(Message.of("preflight_busy", percent=50),))},
        {"memory": None, "notes": (Message.of("preflight_busy", percent=50),)},
    )
    said = {
        "off-1": RunMarks(starred=True, note="the fan \u2028 was '=loud'"),
        "balanced-1": RunMarks(outlier=True),
    }
    runs = [replace(one, verdict=VERDICT, marks=said.get(one.run.id, NO_MARKS)) for one in runs]
    for at, change in enumerate(changes, start=3):
        runs[at] = replace(runs[at], run=replace(runs[at].run, **change))
        history.writer.update_run(runs[at].run)
    history.writer.flush().result(WAIT_S)
    with closing(sqlite3.connect(tmp_path / "a" / "qtune.db")) as raw, raw:
        # One whose figures an older version worked out, and one that has none: both from their requests.
        raw.execute("UPDATE summaries SET version = 1 WHERE run_key = 2")
        raw.execute("UPDATE figures SET figures = '[1]', devices = 'x', memory_kind = 'x' WHERE run_key = 2")
        raw.execute("DELETE FROM figures WHERE run_key = 3")
        raw.execute("UPDATE figures SET devices = 'as kept' WHERE run_key = 1")
    text = desk.export_text("csv", keys(history)).result(WAIT_S)
    assert text.split("\n")[1].count(",as kept,") == 1
    text = text.replace(",as kept,", ",CUDA0,")
    assert text == "".join(runs_csv(line_of(source) for source in runs))
    history.writer.update_run(replace(runs[0].run, status=RunStatus.RUNNING)).result(WAIT_S)
    again = desk.export_text("csv", keys(history)).result(WAIT_S).split("\n")
    assert again[1] == text.split("\n")[1].replace(",done,", ",running,")


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_everything_comes_back_with_marks_and_verdict(opened: Open, tmp_path: Path, form: Any) -> None:
    (first, desk), (second, other) = opened("a"), opened("b")
    fill(first)
    file, again = tmp_path / "out", tmp_path / "again"
    desk.export_file(form, keys(first), file).result(WAIT_S)
    seen: list[tuple[int, int]] = []
    found = other.import_file(file, Transfer(lambda done, total: seen.append((done, total)))).result(WAIT_S)
    assert (found.added, found.known) == (6, 0)
    assert seen[-1][0] == seen[-1][1]
    other.export_file(form, keys(second), again).result(WAIT_S)
    assert again.read_bytes() == file.read_bytes()
    assert second.reader.verdict("e1") == VERDICT
    rows = second.reader.page(keys(second))
    assert [(r.starred, r.outlier, r.note) for r in rows[:2]] == [
        (True, False, "the fan \u2028 was '=loud'"), (False, True, ""),
    ]  # fmt: skip
    assert [r.decision for r in rows] == ["better"] * 6
    assert rows == [
        replace(one, key=two.key) for one, two in zip(first.reader.page(keys(first)), rows, strict=True)
    ]
    found = other.import_file(file).result(WAIT_S)
    assert (found.added, found.known) == (0, 6)
    other.delete(["off-1"]).result(WAIT_S)
    assert other.import_file(file).result(WAIT_S).known == 6
    assert second.reader.count(HistoryQuery()) == 5  # what was deleted stays so


def test_a_fault_at_the_end_takes_nothing_in(opened: Open, tmp_path: Path) -> None:
    (first, desk), (second, other) = opened("a"), opened("b")
    fill(first)
    file = tmp_path / "out.jsonl"
    desk.export_file("jsonl", keys(first), file).result(WAIT_S)
    lines = file.read_text(encoding="utf-8").split("\n")
    broken = json.loads(lines[-3])
    broken["value"]["times"]["sent_ns"] = "now"
    file.write_text("\n".join([*lines[:-3], json.dumps(broken), *lines[-2:]]), encoding="utf-8")
    with pytest.raises(KnownError) as caught:
        other.import_file(file).result(WAIT_S)
    assert caught.value.code == "import_damaged"
    place = str(dict(caught.value.message.params)["place"])
    assert place == f"line {len(lines) - 2}, value.times.sent_ns"
    file.write_bytes("\n".join(lines).encode()[:-40] + b"\xff")
    with pytest.raises(KnownError) as caught:
        other.import_file(file).result(WAIT_S)
    assert str(dict(caught.value.message.params)["place"]).startswith("line ")
    assert keys(second) == []
    assert second.reader.experiment("e1") is None


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file were large: a transaction for every two runs."""
    monkeypatch.setattr(exchange, "TOGETHER", 10)


@pytest.mark.usefixtures("small_steps")
def test_a_large_import_that_is_cancelled_or_broken_off_leaves_nothing(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, desk), (second, other) = opened("a"), opened("b")
    fill(first)
    file = tmp_path / "out.jsonl"
    desk.export_file("jsonl", keys(first), file).result(WAIT_S)
    seen: list[int] = []

    def moved(done: int, total: int) -> None:
        seen.append(second.reader.count(HistoryQuery(deleted="shown")))
        assert second.reader.count(HistoryQuery()) == 0  # hidden until all are there
        if done > 0.9 * total:
            transfer.cancel()

    transfer = Transfer(moved)
    monkeypatch.setattr("qtune.session.transfer.REPORT_S", 0.0)
    with pytest.raises(KnownError) as caught:
        other.import_file(file, transfer).result(WAIT_S)
    assert caught.value.code == "history_cancelled"
    assert max(seen) > 1
    assert second.reader.count(HistoryQuery(deleted="shown")) == 0
    assert second.reader.experiment("e1") is None
    # As a process leaves it that ends in the middle: the next import of the file begins anew.
    with file.open(encoding="utf-8") as text:
        runs = list(exchange.runs_of(text))
    intake = exchange._Intake(second)
    for source in runs[:2]:
        intake._add(source)
    intake._write(staged=True)
    assert second.reader.count(HistoryQuery(deleted="shown")) == 2
    found = other.import_file(file).result(WAIT_S)
    assert (found.added, found.known) == (6, 0)
    assert second.reader.count(HistoryQuery()) == 6


def test_results_of_llama_bench_come_in_and_are_recognised(opened: Open, tmp_path: Path) -> None:
    (first, desk), (second, other) = opened("a"), opened("b")
    fill(first, 1)
    file = tmp_path / "bench.json"
    desk.export_file("llama-bench-json", keys(first), file).result(WAIT_S)
    found = other.import_file(file).result(WAIT_S)
    assert (found.added, found.known) == (4, 0)
    rates = [row.decode_tok_s or row.prefill_tok_s for row in second.reader.page(keys(second))]
    assert sorted(r or 0 for r in rates) == pytest.approx([41.41, 71.71, 250, 250], rel=1e-3)
    table = tmp_path / "bench.csv"
    desk.export_file("llama-bench-csv", keys(first), table).result(WAIT_S)
    found = other.import_file(table).result(WAIT_S)
    assert (found.added, found.known) == (0, 4)
    table.write_text(table.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    with pytest.raises(KnownError, match="line 5"):
        other.import_file(table).result(WAIT_S)


def test_an_export_goes_on_while_runs_are_written(opened: Open, tmp_path: Path) -> None:
    history, desk = opened("a")
    runs = fill(history, 1)
    written = threading.Event()
    began: list[int] = []

    def moved(done: int, _total: int) -> None:
        if not began:  # in the middle of the export, from its own thread
            began.append(done)
            fresh = replace(runs[0].run, id="later", status=RunStatus.RUNNING)
            history.writer.add_run(fresh)
            history.writer.add_request(replace(runs[0].requests[0], run_id="later")).result(WAIT_S)
            written.set()

    file = tmp_path / "out.jsonl"
    desk.export_file("jsonl", keys(history), file, None, Transfer(moved)).result(WAIT_S)
    assert written.is_set()
    with file.open(encoding="utf-8") as text:
        assert [source.run.id for source in json_import.read_export(text)] == ["off-1", "balanced-1"]
    assert history.reader.run("later") is not None


def test_an_export_that_is_cancelled_leaves_the_old_file(opened: Open, tmp_path: Path) -> None:
    history, desk = opened("a")
    fill(history)
    file = tmp_path / "out.csv"
    file.write_text("old", encoding="utf-8")
    transfer = Transfer()
    transfer.cancel()
    with pytest.raises(KnownError, match="Cancelled"):
        desk.export_file("csv", keys(history), file, None, transfer).result(WAIT_S)
    assert file.read_text(encoding="utf-8") == "old"
    assert {one.name for one in tmp_path.iterdir()} == {"a", "out.csv"}


TOO_MUCH = """
import pathlib, resource, signal, sys
from qtune.core.errors import KnownError
from qtune.report.csv_table import runs_csv
from qtune.report.export_run import line_of
from qtune.report.file_out import write_export
from qtune.report.json_export import export_json
from tests.unit.report.exported import comparison
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
lines = [line_of(source) for source in comparison(1)] * 2000
try:
    write_export(pathlib.Path(sys.argv[1]), runs_csv(lines))
except KnownError as error:
    print(error.code)
"""
"""No file may become larger than this, which the system says as it does of a full disk: in mid-write."""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_disk_that_fills_up_in_the_middle_leaves_the_old_file_whole(tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    file.write_text("old", encoding="utf-8")
    command = [sys.executable, "-c", TOO_MUCH, str(file)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=WAIT_S, check=False)
    assert (done.stdout, done.stderr) == (b"export_not_written\n", b"")
    assert file.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that nobody may write to")
def test_a_folder_that_may_not_be_written_is_named() -> None:
    with pytest.raises(KnownError, match=r"/proc/out\.csv") as caught:
        write_export(Path("/proc/out.csv"), "text")
    assert caught.value.code == "export_not_written"


def test_a_large_export_is_read_a_run_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read back in the layout it was written in, whatever its size; in another one only up to a limit."""
    text = export_json(comparison(3))
    file = tmp_path / "out.json"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(json_import, "WHOLE_MOST", len(text) // 2)
    with file.open(encoding="utf-8") as opened_file:
        assert [source.run.id for source in json_import.read_export(opened_file)] == [
            source.run.id for source in comparison(3)
        ]
    file.write_text(json.dumps(json.loads(text), indent=1), encoding="utf-8")
    with file.open(encoding="utf-8") as opened_file, pytest.raises(KnownError) as caught:
        list(json_import.read_export(opened_file))
    assert caught.value.code == "import_too_large"


def test_records_of_awkward_contents_come_back(opened: Open, tmp_path: Path) -> None:
    """What the history keeps of them: lone halves of characters are replaced when they are stored."""
    made: ModuleType = made_records
    (first, desk), (_, other) = opened("a"), opened("b")
    first.writer.add_experiment(made.experiment("e1"))
    first.writer.add_run(made.full_run("r1"))
    first.writer.add_request(made.full_request("r1")).result(WAIT_S)
    one, two = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    desk.export_file("jsonl", [1], one).result(WAIT_S)
    other.import_file(one).result(WAIT_S)
    other.export_file("jsonl", [1], two).result(WAIT_S)
    assert one.read_bytes() == two.read_bytes()
