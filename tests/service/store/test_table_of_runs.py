"""The table of runs: every order, every filter, groups, pages, and the figures it is sorted by."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from qtune.core import history_query
from qtune.core.history_query import FILTER_COLUMNS, SORT_COLUMNS, HistoryQuery, RunSummary
from qtune.core.messages import Message
from qtune.core.records import MemoryFacts, RequestRecord, RunRecord, RunStatus, ServerTimings
from qtune.core.stats import arm_figures
from qtune.core.verdict import Decision, Ratio, Verdict
from qtune.store import summaries
from qtune.store.address import Place, place_of
from qtune.store.history import History, open_history
from tests.patience import until
from tests.postgres import Sql

pytestmark = pytest.mark.both_databases
WAIT_S = 120
STATUSES = [status for status in RunStatus if status is not RunStatus.RUNNING]


def some_run(made: ModuleType, number: int, any_: random.Random) -> RunRecord:
    """A run that differs from its neighbours in everything a table sorts by; some figures are missing."""
    model = replace(
        made.MODEL, name=any_.choice(["Qwen3.6 27B", "gemma 4", "qwen 2"]), quant=f"Q{number % 3}_0"
    )
    build = any_.choice([None, 11000, 9000])
    engine = replace(made.ENGINE, build=build, version="" if build is None else f"{build} (abc)")
    memory = MemoryFacts(
        any_.choice(["vram", "ram"]), None, None, any_.choice([None, any_.randrange(10**12)]), None
    )
    start = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(hours=any_.randrange(600))
    return replace(
        made.full_run(f"run {number}", f"e{number % 4}"),
        arm=any_.choice(["off", "Balanced", "fast"]),
        preset=any_.choice(["off", "balanced", "fast"]),
        status=any_.choice(STATUSES),
        started_utc=start.isoformat(timespec="seconds"),
        model=model,
        engine=engine,
        gpus=made.full_run().gpus[: any_.randrange(3)],
        memory=any_.choice([None, memory]),
        load_ms=any_.choice([None, any_.random()]),
        settings_effective=None,
        settings_requested=made.SETTINGS.with_values(
            {"mtp": any_.random() < 0.5, "n_max": any_.randrange(1, 9), "ctx_size": any_.choice([4096, 512])}
        ),
    )


def some_requests(made: ModuleType, run_id: str, any_: random.Random) -> list[RequestRecord]:
    found = []
    for index in range(any_.randrange(6)):
        whole = made.full_request(run_id, index)
        timings = ServerTimings(
            0,
            120,
            any_.uniform(100, 900),
            200,
            any_.uniform(1000, 9000),
            any_.choice([None, 150]),
            any_.randrange(1, 150),
        )
        sent, first_ns = whole.times.sent_ns, any_.randrange(10**9)
        times = replace(
            whole.times,
            event_ns=(sent + first_ns, sent + 10**10),
            ended_ns=sent + 10**10 + first_ns,
            timings=any_.choice([None, timings]),
            failure=any_.choice([None, None, whole.times.failure]),
            cancelled=any_.random() < 0.1,
        )
        marks = whole.marks if any_.random() < 0.2 else ()
        found.append(replace(whole, times=times, marks=marks, phase="counted" if index else "warmup"))
    return found


@pytest.fixture(scope="module")
def filled(
    tmp_path_factory: pytest.TempPathFactory,
    made: ModuleType,
    kind_of_database: str,
    request: pytest.FixtureRequest,
) -> Iterator[History]:
    """Sixty runs of four experiments, some marked, two experiments with a verdict; for reading only."""
    folder = tmp_path_factory.mktemp("filled")
    place: Place = folder / "qtune.db"
    if kind_of_database == "postgres":
        server, template = request.getfixturevalue("postgres_server"), request.getfixturevalue("made_once")
        place = place_of(server.url(server.new_database(template)), folder)
    with open_history(place, folder / "backups") as history:
        fill(history, made)
        yield history


def fill(history: History, made: ModuleType) -> None:
    any_ = random.Random(5)  # noqa: S311
    writer = history.writer
    for number in range(4):
        kind = "compare" if number % 2 else "search"
        writer.add_experiment(replace(made.experiment(f"e{number}"), kind=kind))
    for number in range(60):
        run = some_run(made, number, any_)
        writer.add_run(replace(run, status=RunStatus.RUNNING))
        for request in some_requests(made, run.id, any_):
            writer.add_request(request)
        writer.update_run(run)
    sentence = Message.of("verdict_nothing_to_compare")
    writer.save_verdict("e0", Verdict("better", sentence, "fast", (Ratio("fast", 1.2, 1.1, 1.3, "better"),)))
    writer.save_verdict("e1", Verdict("too_few", sentence))
    writer.set_starred([f"run {number}" for number in range(0, 60, 7)], True)
    writer.set_outlier([f"run {number}" for number in range(0, 60, 11)], True)
    writer.mark_deleted([f"run {number}" for number in range(0, 60, 13)])
    writer.set_note("run 5", "fan at 100_% / 'loud' 很吵").result(WAIT_S)


def table(history: History, **asked: Any) -> list[RunSummary]:
    return history.reader.page(history.reader.run_ids(HistoryQuery(**asked)))


def everything(history: History) -> list[RunSummary]:
    return table(history, deleted="shown", sort="started_utc", descending=False)


# -- order ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("descending", [False, True])
def test_every_column_sorts_with_nothing_last_and_equals_in_a_fixed_order(
    filled: History, descending: bool
) -> None:
    rows = everything(filled)
    assert len(rows) == 60

    def order(row: RunSummary, column: str) -> tuple[Any, int]:
        value = getattr(row, column)
        return (value.casefold() if isinstance(value, str) else value, row.key)

    for column in (column for column in SORT_COLUMNS if column != "decision"):
        there = [row for row in rows if getattr(row, column) is not None]
        empty = [row for row in rows if getattr(row, column) is None]
        assert len({getattr(row, column) for row in there}) > (column != "ratio"), column
        there.sort(key=lambda row: order(row, column), reverse=descending)
        empty.sort(key=lambda row: row.key, reverse=descending)
        found = table(filled, deleted="shown", sort=column, descending=descending)
        assert [row.key for row in found] == [row.key for row in (*there, *empty)], column


def test_verdicts_sort_by_the_decision_and_then_by_the_gain(history: History, made: ModuleType) -> None:
    sentence = Message.of("verdict_nothing_to_compare")

    def add(name: str, decision: Decision | None, fast: float | None, winner: str | None = None) -> None:
        history.writer.add_experiment(made.experiment(name))
        for arm, status in (("off", RunStatus.DONE), ("fast", RunStatus.DONE), ("fast", RunStatus.FAILED)):
            run = made.bare_run(f"{name} {arm} {status.value}", name)
            history.writer.add_run(replace(run, arm=arm, status=status))
        if decision is not None:
            ratios = () if fast is None else (Ratio("fast", fast, None, None, decision),)
            history.writer.save_verdict(name, Verdict(decision, sentence, winner, ratios)).result(WAIT_S)

    add("less", "better", 1.56, "fast")
    add("few", "too_few", 1.7)
    add("none", None, None)
    add("more", "better", 1.6, "fast")
    add("slow", "worse", 0.9)
    add("off", "mtp_not_active", None)
    add("slower", "worse", 0.8)
    add("same", "no_difference", 1.01)

    def order(*, descending: bool) -> list[str]:
        return [row.id for row in table(history, sort="decision", descending=descending)]

    best_first = ["more", "less", "same", "slow", "slower", "few", "off"]
    assert order(descending=True)[:7] == [f"{name} fast done" for name in best_first]
    assert order(descending=False)[:7] == [f"{name} fast done" for name in reversed(best_first)]
    assert len(order(descending=True)) == 24
    # An indication names no winner; the fastest arm is told then.
    keys, groups = history.reader.grouped_run_ids(HistoryQuery(descending=False, grouped=True))
    assert groups is not None
    found = [(one.arm, one.ratio) for one in history.reader.headings(keys[groups.begins])]
    assert found[1:3] == [("fast", 1.7), (None, None)]


def test_the_columns_that_may_be_missing_are_missing_somewhere(filled: History) -> None:
    rows = everything(filled)
    optional = {
        field.name for field in fields(RunSummary) if any(getattr(row, field.name) is None for row in rows)
    }
    assert optional >= {"decode_tok_s", "acceptance_rate", "vram_peak_bytes", "ratio", "decision", "n_max"}


@pytest.mark.file_only
def test_an_order_needs_nothing_but_its_index(database: Path, backups: Path) -> None:
    open_history(database, backups).close()
    with closing(sqlite3.connect(database)) as raw:
        for column in SORT_COLUMNS:
            plan = raw.execute(
                f"EXPLAIN QUERY PLAN SELECT run_key FROM summaries ORDER BY {column} NULLS FIRST, run_key"  # noqa: S608
            ).fetchall()
            assert [step[3] for step in plan] == [
                f"SCAN summaries USING COVERING INDEX ix_summaries_{column}"
            ]


def test_groups_stand_together_in_the_order_of_their_first_run(filled: History) -> None:
    asked = HistoryQuery(sort="decode_tok_s", grouped=True)
    flat = [(row.key, row.experiment_id) for row in table(filled, sort="decode_tok_s")]
    wanted = []
    for experiment in dict.fromkeys(experiment for _, experiment in flat):
        wanted += [key for key, of in flat if of == experiment]
    keys, groups = filled.reader.grouped_run_ids(asked)
    assert groups is not None
    assert keys.tolist() == wanted
    assert filled.reader.run_ids(asked).tolist() == wanted
    experiments = [row.experiment_id for row in filled.reader.page(keys)]
    borders = [at for at, one in enumerate(experiments) if at == 0 or experiments[at - 1] != one]
    assert groups.begins.tolist() == borders
    assert len(borders) == 4
    assert filled.reader.grouped_run_ids(HistoryQuery())[1] is None


def test_an_experiment_is_known_by_the_same_number_and_says_how_many_runs_it_has(filled: History) -> None:
    rows = everything(filled)
    for asked in ({"deleted": "hidden"}, {"deleted": "shown"}, {"deleted": "only"}):
        query = HistoryQuery(**asked, quants=("Q1_0",), sort="ttft_ms", grouped=True)  # type: ignore[arg-type]
        keys, groups = filled.reader.grouped_run_ids(query)
        assert groups is not None
        of = {row.key: row.experiment_id for row in rows}
        names = [of[int(key)] for key in keys[groups.begins]]
        assert len(names) > (asked != {"deleted": "only"})
        smallest = [min(row.key for row in rows if row.experiment_id == name) for name in names]
        assert groups.names.tolist() == smallest
        shown = {"hidden": (False,), "shown": (False, True), "only": (True,)}[asked["deleted"]]
        mine = [
            [r for r in rows if r.experiment_id == name and bool(r.deleted_utc) in shown] for name in names
        ]
        assert groups.totals.tolist() == [len(some) for some in mine]


def test_a_heading_says_what_the_experiment_asked_and_what_came_of_it(filled: History) -> None:
    rows = {row.experiment_id: row for row in everything(filled)}
    found = filled.reader.headings([rows["e0"].key, 999_999, rows["e3"].key])
    assert [one.key for one in found] == [rows[name].key for name in ("e0", "e3")]
    first, second = found
    assert (first.experiment_id, first.kind, first.arm, first.ratio) == ("e0", "search", "fast", 1.2)
    assert first.decision == "better"
    assert (second.decision, second.arm, second.ratio) == (None, None, None)
    for one in found:
        experiment = filled.reader.experiment(one.experiment_id)
        assert experiment is not None
        assert one.created_utc == experiment.created_utc
        for name in ("model", "quant"):
            there = {
                getattr(row, name) for row in everything(filled) if row.experiment_id == one.experiment_id
            }
            assert getattr(one, name) == (there.pop() if len(there) == 1 else None)


def test_an_empty_history_has_an_empty_table(history: History) -> None:
    for query in (HistoryQuery(), HistoryQuery(text="x", sort="ratio", grouped=True)):
        keys, groups = history.reader.grouped_run_ids(query)
        assert groups is None or groups.begins.size == 0
        assert history.reader.headings([]) == []
        assert keys.size == history.reader.count(query) == 0
    assert history.reader.page([]) == history.reader.ids_of([]) == history.reader.distinct("model") == []
    assert history.reader.counts().runs == history.reader.counts().requests == 0


# -- filters -------------------------------------------------------------------------------------------------

Passes = Callable[[RunSummary], bool]
NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)
FILTERS: list[tuple[dict[str, Any], Passes]] = [
    ({"models": ("gemma 4", "qwen 2")}, lambda row: row.model in {"gemma 4", "qwen 2"}),
    ({"models": ("QWEN 2",)}, lambda _: False),
    ({"quants": ("Q1_0",)}, lambda row: row.quant == "Q1_0"),
    ({"presets": ("fast",)}, lambda row: row.preset == "fast"),
    ({"arms": ("Balanced",)}, lambda row: row.arm == "Balanced"),
    ({"engines": ("9000 (abc)",)}, lambda row: row.engine_build == 9000),
    ({"engines": ("",)}, lambda row: row.engine_build is None),
    ({"devices": ("AMD Ryzen",)}, lambda row: row.device == "AMD Ryzen"),
    ({"kinds": ("search",)}, lambda row: row.kind == "search"),
    ({"statuses": (RunStatus.FAILED, RunStatus.DONE)}, lambda row: row.status in {"failed", "done"}),
    ({"decisions": ("better",)}, lambda row: row.decision == "better"),
    ({"decisions": ("", "too_few")}, lambda row: row.decision in {None, "too_few"}),
    ({"experiments": ("e1", "e2")}, lambda row: row.experiment_id in {"e1", "e2"}),
    ({"since": NOON}, lambda row: datetime.fromisoformat(row.started_utc) >= NOON),
    ({"until": NOON}, lambda row: datetime.fromisoformat(row.started_utc) < NOON),
    ({"starred": True}, lambda row: row.starred),
    ({"unstarred": True}, lambda row: not row.starred),
    ({"outliers": "hidden"}, lambda row: not row.outlier),
    ({"outliers": "only"}, lambda row: row.outlier),
    ({"deleted": "hidden"}, lambda row: row.deleted_utc is None),
    ({"deleted": "only"}, lambda row: row.deleted_utc is not None),
    ({"text": "GEMMA q1_"}, lambda row: row.model == "gemma 4" and row.quant == "Q1_0"),
    ({"text": "100_% 很"}, lambda row: row.id == "run 5"),
    ({"text": "100%"}, lambda _: False),
    ({"text": "_"}, lambda _: True),
    ({"text": "%%"}, lambda _: False),
    ({"text": "\\"}, lambda _: False),
    ({"text": "'loud'"}, lambda row: row.id == "run 5"),
    ({"text": "  "}, lambda _: True),
    (
        {"models": ("gemma 4",), "starred": True, "text": "4"},
        lambda row: row.model == "gemma 4" and row.starred,
    ),
]


@pytest.mark.parametrize(("asked", "passes"), FILTERS, ids=[str(asked) for asked, _ in FILTERS])
def test_a_filter_keeps_what_it_names(filled: History, asked: dict[str, Any], passes: Passes) -> None:
    wanted = [row.key for row in everything(filled) if passes(row)]
    query = HistoryQuery(**{"deleted": "shown", "descending": False, **asked})
    assert filled.reader.run_ids(query).tolist() == wanted
    assert filled.reader.count(query) == len(wanted)


def test_bounds_are_moments_whatever_zone_they_are_said_in(filled: History) -> None:
    first = everything(filled)[20]
    at = datetime.fromisoformat(first.started_utc).astimezone(timezone(timedelta(hours=8)))
    assert first.key in filled.reader.run_ids(HistoryQuery(since=at, deleted="shown"))
    assert first.key not in filled.reader.run_ids(HistoryQuery(until=at, deleted="shown"))
    assert first.key in filled.reader.run_ids(HistoryQuery(until=at + timedelta(seconds=1), deleted="shown"))


def test_the_boxes_of_filters_hold_what_is_shown(filled: History) -> None:
    rows = table(filled)
    for column in FILTER_COLUMNS:
        shown = [str(getattr(row, column) or "") for row in rows]
        assert dict(filled.reader.distinct(column)) == {value: shown.count(value) for value in shown}
        for value, number in filled.reader.distinct(column):
            asked = {"statuses": (RunStatus(value),)} if column == "status" else {f"{column}s": (value,)}
            assert filled.reader.count(HistoryQuery(**asked)) == number, column


def test_counts_leave_out_what_is_deleted(filled: History) -> None:
    rows, counts = table(filled), filled.reader.counts()
    assert (counts.runs, counts.deleted) == (len(rows), 60 - len(rows))
    assert counts.requests == sum(row.requests for row in rows)
    assert counts.failed == sum(row.status == "failed" for row in rows)
    assert counts.starred == sum(row.starred for row in rows)
    assert counts.outliers == sum(row.outlier for row in rows)
    assert counts.experiments == 4


# -- pages ---------------------------------------------------------------------------------------------------


def test_pages_follow_the_keys_and_skip_what_is_gone(filled: History) -> None:
    keys = filled.reader.run_ids(HistoryQuery(sort="model"))
    cut = [row.key for page in history_query.pages(keys, 7) for row in filled.reader.page(page)]
    assert cut == keys.tolist()
    odd = [int(keys[3]), 999_999, int(keys[0]), int(keys[3])]
    assert [row.key for row in filled.reader.page(odd)] == [keys[3], keys[0], keys[3]]
    assert filled.reader.ids_of(odd[:2]) == [filled.reader.page(odd[:1])[0].id]
    assert filled.reader.full(999_999) is None
    runs = list(filled.reader.fulls([999_999, *keys]))
    assert [run for run, _ in runs] == [filled.reader.run(row.id) for row in filled.reader.page(keys)]
    assert all(requests == filled.reader.requests(run.id) for run, requests in runs)


@pytest.mark.file_only
def test_many_keys_make_one_page(history: History, database: Path, made: ModuleType) -> None:
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(made.bare_run("r1", status=RunStatus.DONE)).result(WAIT_S)
    with closing(sqlite3.connect(database)) as raw, raw:
        for table_name, own in (("runs", {"key": "n", "id": "'r' || n"}), ("summaries", {"run_key": "n"})):
            names = [f'"{row[1]}"' for row in raw.execute(f"PRAGMA table_info({table_name})")]
            values = [own.get(name.strip('"'), name) for name in names]
            statement = (
                "WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1203)"
                " INSERT INTO {table} ({names}) SELECT {values} FROM {table}, numbers"
            )
            raw.execute(statement.format(table=table_name, names=", ".join(names), values=", ".join(values)))
    keys = history.reader.run_ids(HistoryQuery())
    assert [row.id for row in history.reader.page(keys)] == [f"r{number}" for number in range(1203, 0, -1)]
    assert history.reader.ids_of(keys[:700]) == [f"r{number}" for number in range(1203, 503, -1)]


# -- figures -------------------------------------------------------------------------------------------------


def test_a_row_says_what_the_records_say(filled: History) -> None:
    for row in everything(filled):
        full = filled.reader.full(row.key)
        assert full is not None
        run, requests = full
        figures = arm_figures(requests)

        def median(name: str, figures: Any = figures) -> float | None:
            found = getattr(figures, name)
            return None if found is None else float(found.median)

        assert row.id == run.id
        assert requests == filled.reader.requests(run.id)
        for name in ("decode_tok_s", "ttft_ms", "prefill_tok_s", "total_ms"):
            assert getattr(row, name) == median(name), name
        accepted = figures.acceptance
        assert row.acceptance_rate == (None if accepted is None else accepted.rate)
        assert row.acceptance_length == (None if accepted is None else accepted.mean_len)
        assert row.requests_counted == figures.n_counted
        assert (row.requests_ok / row.requests if row.requests else None) == figures.ok_rate
        assert row.n_max == (run.settings_requested.n_max if run.settings_requested.mtp else None)
        assert row.ctx_size == run.settings_requested.ctx_size
        peaks = (row.vram_peak_bytes, row.ram_peak_bytes)
        if run.memory is None:
            assert peaks == (None, None)
        else:
            assert peaks[run.memory.kind == "ram"] == run.memory.peak
            assert peaks[run.memory.kind == "vram"] is None
        assert (row.failure, row.load_ms, row.mtp_active) == (run.failure, run.load_ms, run.mtp_active)
        assert row.device == (", ".join(gpu.name for gpu in run.gpus) or "AMD Ryzen")
        assert row.figures_known
        assert row.ratio == (1.2 if (row.experiment_id, row.arm) == ("e0", "fast") else None)


def test_a_run_that_goes_on_is_in_the_table_without_figures_until_it_ends(
    history: History, made: ModuleType
) -> None:
    running = replace(made.full_run(), status=RunStatus.RUNNING)
    good = replace(made.full_request().times, failure=None, cancelled=False)
    history.writer.add_experiment(made.experiment())
    history.writer.add_run(running)
    history.writer.add_request(replace(made.full_request(index=1), times=good, marks=())).result(WAIT_S)
    (row,) = table(history)
    assert (row.status, row.decode_tok_s, row.requests, row.figures_known) == ("running", None, 0, True)
    history.writer.update_run(replace(running, status=RunStatus.DONE, preset="fast")).result(WAIT_S)
    (row,) = table(history)
    assert (row.preset, row.requests_counted) == ("fast", 1)
    assert row.decode_tok_s == pytest.approx(511 / 8.1234567890123)
    # A request that comes late, or with an import, counts too.
    history.writer.add_request(replace(made.full_request(index=2), times=good, marks=())).result(WAIT_S)
    (row,) = table(history)
    assert row.requests_counted == 2
    assert row.ctx_size == 32_768


def test_an_interrupted_run_shows_so_with_its_figures(
    database: Place, backups: Path, made: ModuleType, sql: Sql
) -> None:
    with open_history(database, backups) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(replace(made.full_run(), status=RunStatus.RUNNING))
        good = replace(made.full_request().times, failure=None, cancelled=False)
        history.writer.add_request(replace(made.full_request(), times=good, marks=())).result(WAIT_S)
    sql(database, "UPDATE runs SET owner_started = 1.0")
    with open_history(database, backups) as history:
        (row,) = table(history)
        assert (row.status, row.requests_counted) == ("interrupted", 1)


def test_summaries_of_an_older_version_are_made_anew_but_not_during_a_run(
    database: Place, backups: Path, made: ModuleType, monkeypatch: pytest.MonkeyPatch, sql: Sql
) -> None:
    with open_history(database, backups) as history:
        history.writer.add_experiment(made.experiment())
        for number in range(7):
            history.writer.add_run(replace(made.full_run(f"r{number}"), status=RunStatus.DONE))
        history.writer.flush().result(WAIT_S)
        before = everything(history)
    monkeypatch.setattr("qtune.store.writer._FRESHENED", 3)
    sql(database, "UPDATE summaries SET version = 0, device = 'old', search = ''")
    with open_history(database, backups) as history:
        until(lambda: everything(history) == before)
        assert len(table(history, text="rtx")) == 7
        # From here on nothing is to be worked out beside a measurement.
        running = replace(made.full_run("now"), status=RunStatus.RUNNING)
        history.writer.add_run(running).result(WAIT_S)
        sql(database, "UPDATE summaries SET version = 0")
        history.writer.freshen()
        for _ in range(5):
            history.writer.flush().result(WAIT_S)
        assert not any(row.figures_known for row in everything(history))
        history.writer.update_run(replace(running, status=RunStatus.DONE))
        until(lambda: all(row.figures_known for row in everything(history)))


@pytest.mark.expect_log("has no figures")
def test_a_run_whose_record_cannot_be_read_keeps_its_row(
    database: Place, backups: Path, made: ModuleType, sql: Sql
) -> None:
    with open_history(database, backups) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(replace(made.full_run(), status=RunStatus.DONE)).result(WAIT_S)
    sql(database, "UPDATE runs SET memory = '[7]'", "UPDATE summaries SET version = 0")
    with open_history(database, backups) as history:
        until(lambda: table(history)[0].figures_known)
        (row,) = table(history)
        assert (row.model, row.device, row.decode_tok_s) == (made.MODEL.name, "", None)
        history.writer.set_starred(["r1"], True).result(WAIT_S)
        assert table(history)[0].starred
    with open_history(database, backups) as history:
        assert history.notices == ()
    assert sql(database, "SELECT version FROM summaries") == [(-summaries.VERSION,)]


def test_grouping_takes_any_numbers_for_groups() -> None:
    keys = np.array([5, 9, 2, 7, 1])
    names, totals = np.array([40, 7, 40, 0, 7]), np.array([6, 2, 6, 1, 2])
    found, groups = history_query.grouped(keys, names, totals)
    assert found.tolist() == [5, 2, 9, 1, 7]
    assert groups.begins.tolist() == [0, 2, 4]
    assert (groups.names.tolist(), groups.totals.tolist()) == ([40, 7, 0], [6, 2, 1])
