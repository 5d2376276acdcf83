"""Lines of runs for tables: from what is kept beside a summary, or worked out where nothing is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

from qtune.core.history_query import HistoryQuery
from qtune.core.run_line import Standing
from qtune.store.address import Place
from qtune.store.history import History, open_history
from tests.postgres import Sql

WAIT_S = 120


def test_a_name_that_no_database_can_hold_costs_no_figures(
    database: Place, backups: Path, made: ModuleType
) -> None:
    with open_history(database, backups) as history:
        run = made.full_run()
        (device,) = run.engine.devices
        odd = replace(run.engine, devices=(replace(device, name="CUDA\ud800"),))
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(replace(run, engine=odd)).result(WAIT_S)
        (line,) = history.reader.lines([_key(history)])
        assert line.readings.devices == "CUDA\ufffd"


def test_a_run_without_a_summary_keeps_its_marks(
    database: Place, backups: Path, made: ModuleType, sql: Sql
) -> None:
    with open_history(database, backups) as history:
        history.writer.add_experiment(made.experiment())
        history.writer.add_run(made.full_run()).result(WAIT_S)
        history.writer.add_request(made.full_request())
        history.writer.set_starred([made.full_run().id], on=True)
        history.writer.set_note(made.full_run().id, "mine").result(WAIT_S)
        key = _key(history)
        (kept,) = history.reader.lines([key])
        assert kept.standing == Standing(made.experiment().kind, starred=True, note="mine")
        sql(database, "DELETE FROM figures", "DELETE FROM summaries")
        (worked_out,) = history.reader.lines([key])
        said = Standing(starred=True, note="mine")
        assert worked_out == kept._replace(standing=said, engine=made.full_run().engine)


def _key(history: History) -> int:
    return int(history.reader.run_ids(HistoryQuery(deleted="shown"))[0])
