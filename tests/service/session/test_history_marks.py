"""What is told of many runs at once and of files that come in; and an export ends when qtune closes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.core.history_query import Marked
from qtune.session.assembly import open_desk
from qtune.session.history_desk import HistoryDesk
from qtune.session.transfer import Transfer
from qtune.store import reader
from qtune.store.history import History, open_history
from tests.unit.report.exported import comparison

WAIT_S = 60


def fill(history: History, starts: int = 3) -> list[str]:
    """Runs of one experiment, as they were measured; returns their ids."""
    sources = comparison(starts)
    assert sources[0].experiment is not None
    history.writer.add_experiment(sources[0].experiment)
    for source in sources:
        history.writer.add_run(source.run)
        for request in source.requests:
            history.writer.add_request(request)
    history.writer.flush().result(WAIT_S)
    return [source.run.id for source in sources]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with open_history(tmp_path / "qtune.db", tmp_path / "backups") as opened:
        yield opened


@pytest.fixture
def desk(history: History, tmp_path: Path) -> Iterator[HistoryDesk]:
    with ThreadPoolExecutor(2) as readers:
        yield HistoryDesk(history, tmp_path / "backups", readers)


def test_marks_are_counted_over_any_number_of_runs(
    history: History, desk: HistoryDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = fill(history)
    history.writer.set_starred(ids[:4], True)
    history.writer.set_outlier(ids[1:3], True)
    history.writer.mark_deleted(ids[5:]).result(WAIT_S)
    keys = desk.keys_of(ids).result(WAIT_S)
    monkeypatch.setattr(reader, "_MANY", 2)  # as if they were thousands
    assert desk.marks([*keys, 9999]).result(WAIT_S) == Marked(6, starred=4, outliers=2, deleted=1)
    assert desk.marks(keys[:3]).result(WAIT_S) == Marked(3, starred=3, outliers=2)


def test_an_experiment_is_still_told_when_all_of_it_was_deleted(history: History, desk: HistoryDesk) -> None:
    ids = fill(history)
    history.writer.mark_deleted(ids[:1]).result(WAIT_S)
    found = desk.experiment("e1").result(WAIT_S)
    assert found is not None
    assert {run.id for run, _ in found.runs} == set(ids[1:])
    history.writer.mark_deleted(ids).result(WAIT_S)
    found = desk.experiment("e1").result(WAIT_S)
    assert found is not None
    assert {run.id for run, _ in found.runs} == set(ids)


def test_a_comparison_tells_how_many_runs_are_not_seen(history: History, desk: HistoryDesk) -> None:
    ids = fill(history)
    found = desk.compare(ids, {"e1"}, most=8, beyond=100).result(WAIT_S)
    assert ([len(side.side.runs) for side in found.sides], found.beyond) == ([3, 3], 100)
    found = desk.compare(ids, {"e1"}, most=1, beyond=100).result(WAIT_S)
    assert ([len(side.side.runs) for side in found.sides], found.beyond) == ([3], 103)


def test_an_import_names_what_is_new_and_what_was_deleted(
    history: History, desk: HistoryDesk, tmp_path: Path
) -> None:
    ids = fill(history)
    file = tmp_path / "out.json"
    desk.export_file("json", desk.keys_of(ids).result(WAIT_S), file).result(WAIT_S)
    history.writer.mark_deleted(ids[2:4]).result(WAIT_S)
    found = desk.import_file(file).result(WAIT_S)
    assert (found.added, found.known, set(found.deleted)) == (0, 6, set(ids[2:4]))
    history.writer.mark_deleted(ids)
    history.writer.purge_deleted().result(WAIT_S)
    found = desk.import_file(file).result(WAIT_S)
    assert (set(found.new), found.known, found.deleted) == (set(ids), 0, ())


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "import_empty"),
        (b"hello", "import_foreign"),
        (b"a,b\n1,2\n", "import_foreign"),
        (b"[1, 2]", "import_foreign"),
        (b'{"a": 1}', "import_foreign"),
        (b"\x00\xff\xfe" * 50, "import_foreign"),
        ('[{"build_commit": "5f1b9a7"}]'.encode("utf-16"), "import_utf16"),
        (b'{"schema": "qtune-export/1",\n', "import_damaged"),
        (b'[{"build_commit": "5f1b9a7"}]', "bench_file_damaged"),
        (b'{"schema": "qtune-export/9"}', "import_newer"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_in_plain_words(
    desk: HistoryDesk, tmp_path: Path, content: bytes, code: str
) -> None:
    file = tmp_path / "holiday.txt"
    file.write_bytes(content)
    with pytest.raises(KnownError) as caught:
        desk.import_file(file).result(WAIT_S)
    assert caught.value.code == code
    sentence = caught.value.message.sentence()
    assert sentence.startswith("holiday.txt ")
    assert ("the fault is at" in sentence) == (code in {"import_damaged", "bench_file_damaged"})


def test_closing_ends_an_export_and_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qtune.session.transfer.REPORT_S", 0.0)
    desk = open_desk(tmp_path / "home")
    fill(desk._rooms.history)
    file = tmp_path / "out.json"
    file.write_text("old", encoding="utf-8")
    began, told = threading.Event(), list[bool]()

    def moved(_done: int, _total: int) -> None:
        began.set()
        told.append(transfer._cancelled.wait(10))  # a long export, of which a run is being read

    transfer = Transfer(moved)
    future = desk.history.export_file("json", [1, 2, 3, 4], file, None, transfer)
    assert began.wait(WAIT_S)
    desk.close()
    assert told == [True]
    with pytest.raises(KnownError, match="Cancelled"):
        future.result(WAIT_S)
    assert file.read_text(encoding="utf-8") == "old"


def test_what_is_asked_while_the_window_still_closes_is_answered(history: History, tmp_path: Path) -> None:
    readers = ThreadPoolExecutor(1)
    readers.shutdown()
    future = HistoryDesk(history, tmp_path, readers).page([1])
    with pytest.raises(KnownError) as caught:
        future.result(WAIT_S)
    assert caught.value.code == "closing"
