"""What the user says of runs: stars, notes, outliers, deletion with a way back; and verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from qtune.core.errors import BugError
from qtune.core.history_query import HistoryQuery, RunSummary
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.core.verdict import ArmAnswer, DomainRatio, Price, Ratio, Recommendation, Verdict
from qtune.host.owner import Owner
from qtune.store import sqlite, waiting
from qtune.store.address import Place
from qtune.store.entries import Entry
from qtune.store.history import History, open_history
from qtune.store.spool import Spool
from tests.postgres import Sql

pytestmark = pytest.mark.both_databases
WAIT_S = 120
SENTENCE = Message.of("verdict_indication", arm="快 fast", ratio="1.23", n=5, nothing=None)
RATIO = Ratio("balanced", 1.23, 1.1, None, "better")
VERDICT = Verdict(
    "better",
    SENTENCE,
    "balanced",
    (RATIO, Ratio("other", 0.5, None, None, "mtp_not_active")),
    (Message.of("reason_not_interleaved"),),
    (
        ArmAnswer(
            "balanced",
            RATIO,
            (DomainRatio("code", 1.4, 1.2, 1.6, "better"),),
            Price(1.1, None, 0.9, 0.8, 120.0),
            6,
            0.01,
            None,
            0.02,
            (Message.of("note", text="\ud83d"),),
        ),
    ),
    (Recommendation("", "balanced", 1.23, "better"),),
)


class StoppedClock:
    def __init__(self, hour: int = 8) -> None:
        self.hour = hour

    def now_ns(self) -> int:
        return 0

    def utc(self) -> datetime:
        return datetime(2026, 11, 30, self.hour, tzinfo=UTC)


@pytest.fixture
def three(history: History, made: ModuleType) -> History:
    """Runs r1 and r2 of e1, r3 of e2, each with a request and telemetry."""
    for id_ in ("e1", "e2"):
        history.writer.add_experiment(made.experiment(id_))
    for id_, experiment in (("r1", "e1"), ("r2", "e1"), ("r3", "e2")):
        history.writer.add_run(made.full_run(id_, experiment))
        history.writer.add_request(made.full_request(id_))
        history.writer.save_telemetry(id_, made.telemetry())
    history.writer.flush().result(WAIT_S)
    return history


def shown(history: History, **asked: object) -> list[str]:
    query = HistoryQuery(descending=False, **asked)  # type: ignore[arg-type]
    return [row.id for row in history.reader.page(history.reader.run_ids(query))]


def row(history: History, id_: str) -> RunSummary:
    keys = history.reader.run_ids(HistoryQuery(deleted="shown"))
    (found,) = (row for row in history.reader.page(keys) if row.id == id_)
    return found


def test_marks_change_nothing_but_themselves_and_outlive_the_end_of_a_run(
    three: History, made: ModuleType
) -> None:
    before = row(three, "r2")
    three.writer.set_starred(["r1", "r2", "gone"], on=True)
    three.writer.set_outlier(["r2"], on=True)
    three.writer.set_note("r2", "hot day").result(WAIT_S)
    marked = replace(before, starred=True, outlier=True, note="hot day")
    assert row(three, "r2") == marked
    assert shown(three, starred=True) == ["r1", "r2"]
    assert shown(three, outliers="hidden") == ["r1", "r3"]
    assert three.reader.run("r2") == made.full_run("r2")
    three.writer.update_run(replace(made.full_run("r2"), preset="fast")).result(WAIT_S)
    assert row(three, "r2") == replace(marked, preset="fast")
    three.writer.set_starred(["r1", "r2"], on=False)
    three.writer.set_outlier(["r2"], on=False)
    three.writer.set_note("r2", "").result(WAIT_S)
    assert row(three, "r2") == replace(before, preset="fast")


@pytest.mark.parametrize(
    "text",
    [
        "多标记 \U0001f680 \u2028\u2029\x85\x0b \r\n\t ",
        "'; DROP TABLE runs; --",
        '"quoted" \\ {0} %s %(x)s :name ?',
        "=1+1",
        "x" * 100_000,
        " ".join(f"word{number}" for number in range(3000)),
        " ",
        "before\0after",
    ],
)
def test_any_text_is_a_note_and_is_found_by_its_words(three: History, text: str) -> None:
    three.writer.set_note("r2", text).result(WAIT_S)
    assert row(three, "r2").note == text
    if text.strip():
        assert shown(three, text=text.upper()) == ["r2"]


def test_half_a_character_in_a_note_is_replaced(three: History) -> None:
    three.writer.set_note("r1", "a\ud83db").result(WAIT_S)
    assert row(three, "r1").note == "a\ufffdb"


def test_a_note_on_a_run_that_is_gone_is_refused(three: History) -> None:
    assert isinstance(three.writer.set_note("gone", "x").exception(WAIT_S), BugError)


def test_what_is_deleted_is_whole_until_it_is_purged(
    database: Place, backups: Path, three: History, made: ModuleType, sql: Sql
) -> None:
    rows = {id_: row(three, id_) for id_ in ("r1", "r2", "r3")}
    three.close()
    clock = StoppedClock()
    with open_history(database, backups, clock) as history:
        writer = history.writer
        writer.mark_deleted(["r1", "r3", "gone"]).result(WAIT_S)
        assert shown(history) == ["r2"]
        assert shown(history, deleted="only") == ["r1", "r3"]
        assert row(history, "r1") == replace(rows["r1"], deleted_utc="2026-11-30T08:00:00+00:00")
        assert history.reader.run("r1") == made.full_run("r1")
        writer.undelete(["r1"]).result(WAIT_S)
        assert row(history, "r1") == rows["r1"]
        writer.set_starred(["r3"], on=True)
        writer.purge_deleted().result(WAIT_S)
        assert shown(history, deleted="shown") == ["r1", "r2"]
        assert history.reader.run("r3") is None
        assert history.reader.requests("r3") == history.reader.telemetry("r3") == []
        assert history.reader.experiment("e2") is None
        assert history.reader.experiment("e1") == made.experiment("e1")
        assert history.reader.requests("r1") == [made.full_request("r1")]
        assert {id_: row(history, id_) for id_ in ("r1", "r2")} == {id_: rows[id_] for id_ in ("r1", "r2")}
    for table in ("requests", "telemetry", "summaries"):
        assert sql(database, f"SELECT count(*) FROM {table}") == [(2,)]  # noqa: S608
    if isinstance(database, Path):
        assert sql(database, "PRAGMA foreign_key_check") == []


def test_a_purge_spares_what_goes_on_and_experiments_that_just_begin(
    three: History, made: ModuleType
) -> None:
    three.writer.add_experiment(made.experiment("e3"))
    three.writer.update_run(replace(made.full_run("r3", "e2"), status=RunStatus.RUNNING))
    three.writer.mark_deleted(["r2", "r3"])
    three.writer.purge_deleted().result(WAIT_S)
    assert shown(three, deleted="only") == ["r3"]
    assert three.reader.experiment("e3") is not None
    three.writer.add_request(made.full_request("r3", 2))
    three.writer.update_run(made.full_run("r3", "e2")).result(WAIT_S)
    assert row(three, "r3").status is RunStatus.FAILED
    three.writer.purge_deleted().result(WAIT_S)
    assert shown(three, deleted="shown") == ["r1"]
    assert three.reader.experiment("e2") is None


def test_nothing_is_purged_that_was_marked_after_the_purge_was_asked_for(
    database: Place, backups: Path, three: History, made: ModuleType, sql: Sql
) -> None:
    three.writer.mark_deleted(["r1"]).result(WAIT_S)
    three.close()
    with open_history(database, backups, StoppedClock()) as history:
        # The mark is of today, the purge of a morning before.
        later = "SET deleted_utc = '2026-11-30T08:00:01+00:00' WHERE"
        sql(database, f"UPDATE runs {later} id = 'r1'", f"UPDATE summaries {later} run_key = 1")
        history.writer.purge_deleted().result(WAIT_S)
        assert shown(history, deleted="shown") == ["r1", "r2", "r3"]
        assert history.reader.run("r1") == made.full_run("r1")


def test_thousands_of_runs_are_marked_in_one_call(three: History, database: Place, sql: Sql) -> None:
    ids = [f"none {number}" for number in range(3000)] + ["r1", "r2"]
    three.writer.mark_deleted(iter(ids)).result(WAIT_S)
    assert shown(three) == ["r3"]
    three.writer.mark_deleted([]).result(WAIT_S)
    assert sql(database, "SELECT id FROM runs WHERE deleted_utc IS NULL") == [("r3",)]


# -- verdicts ------------------------------------------------------------------------------------------------


def test_a_verdict_comes_back_equal_and_stands_at_each_run(three: History, made: ModuleType) -> None:
    assert three.reader.verdict("e1") is three.reader.verdict("nothing") is None
    three.writer.save_verdict("e1", VERDICT).result(WAIT_S)
    assert three.reader.verdict("e1") == VERDICT
    assert three.reader.experiment("e1") == made.experiment("e1")
    assert [(row(three, id_).decision, row(three, id_).ratio) for id_ in ("r1", "r2", "r3")] == [
        ("better", 1.23),
        ("better", 1.23),
        (None, None),
    ]
    # A run that is added later, or written again, stands under the same verdict.
    three.writer.add_run(replace(made.full_run("r4", "e1"), arm="off")).result(WAIT_S)
    three.writer.update_run(made.full_run("r1", "e1")).result(WAIT_S)
    assert (row(three, "r4").decision, row(three, "r4").ratio) == ("better", None)
    assert (row(three, "r1").decision, row(three, "r1").ratio) == ("better", 1.23)
    three.writer.save_verdict("e1", Verdict("too_few", SENTENCE)).result(WAIT_S)
    assert three.reader.verdict("e1") == Verdict("too_few", SENTENCE)
    assert (row(three, "r1").decision, row(three, "r1").ratio) == ("too_few", None)


def test_a_verdict_on_nothing_is_refused(three: History) -> None:
    assert isinstance(three.writer.save_verdict("gone", VERDICT).exception(WAIT_S), BugError)


# -- beside the database -------------------------------------------------------------------------------------


def test_marks_and_verdicts_that_had_to_wait_are_read_in(
    database: Place, backups: Path, three: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_MS", 50)
    monkeypatch.setattr(waiting, "_PATIENCE_S", 0.2)
    asked: list[Entry] = []
    monkeypatch.setattr(three.writer, "_submit", asked.append)
    three.writer.set_starred(["r1"], on=True)
    three.writer.set_note("r1", "\ud800 late")
    three.writer.save_verdict("e1", VERDICT)
    three.writer.mark_deleted(["r2", "r3"])
    three.writer.undelete(["r3"])
    three.writer.purge_deleted()
    monkeypatch.undo()
    three.close()
    leave(database, asked)
    with open_history(database, backups) as history:
        assert [notice.code for notice in history.notices] == ["history_read_in"]
        assert shown(history, deleted="shown") == ["r1", "r3"]
        found = row(history, "r1")
        assert (found.starred, found.note, found.ratio) == (True, "\ufffd late", 1.23)
        assert history.reader.verdict("e1") == VERDICT
        assert shown(history, text="late") == ["r1"]


def leave(database: Place, entries: Iterable[Entry]) -> None:
    beside = database if isinstance(database, Path) else database.waiting
    spool = Spool(beside, Owner.this_process())
    spool.add(entries)
    spool.leave()


def test_work_goes_on_without_deleted_runs(three: History) -> None:
    reader, writer = three.reader, three.writer
    writer.mark_deleted(["r2"]).result(WAIT_S)
    assert {run.id for run in reader.runs()} == {"r1", "r3"}
    assert [run.id for run in reader.runs("e1")] == ["r1"]
    assert [run.id for run in reader.runs(limit=2, newest_first=False)] == ["r1", "r3"]
    writer.undelete(["r2"]).result(WAIT_S)
    assert {run.id for run in reader.runs()} == {"r1", "r2", "r3"}


def test_the_beginning_of_an_id_names_runs_and_experiments(three: History, made: ModuleType) -> None:
    reader, writer = three.reader, three.writer
    for id_ in ("R1", "r_1", "r%", "e1x", "\u5feb9"):
        writer.add_run(made.bare_run(id_, "e2", RunStatus.DONE))
    writer.mark_deleted(["r2"]).result(WAIT_S)
    assert set(reader.named("r").runs) == {"r1", "r2", "r3", "r_1", "r%"}
    assert len(reader.named("r", most=2).runs) == 2
    # Neither capitals nor wildcards nor lone halves mean anything else.
    for beginning, ids in {
        "R": {"R1"},
        "r_": {"r_1"},
        "r%": {"r%"},
        "\u5feb": {"\u5feb9"},
        "\ud83d": set(),
    }.items():
        assert set(reader.named(beginning).runs) == ids
    both = reader.named("e1")
    assert (set(both.runs), both.experiments) == ({"e1x"}, ("e1",))
    assert reader.page(reader.named("r1").runs.values())[0].id == "r1"
