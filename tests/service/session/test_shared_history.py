"""A measurement whose history is on a PostgreSQL server that goes away in the middle of it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from qtune.core.events import Event, Notice, RequestFinished
from qtune.core.records import RunStatus
from qtune.session.assembly import open_desk
from qtune.session.jobs import JobRequest
from tests.conftest import MakeFake
from tests.postgres import PASSWORD, Server

LIMIT_S = 120
pytestmark = pytest.mark.postgres


@pytest.mark.expect_log("cannot be written")
def test_a_measurement_goes_on_without_its_history_which_has_every_row_in_the_end(
    postgres_server: Server,
    fake_llama: MakeFake,
    fake_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database = postgres_server.new_database()
    monkeypatch.setenv("QTUNE_HISTORY_URL", postgres_server.url(database))
    engine = fake_llama(load_s=0.0, ttft_ms=20, itl_ms=2, tokens=60, devices=())
    desk = open_desk(tmp_path / "home")
    assert (
        dict(desk.folders)["history"] == f"postgresql://postgres@127.0.0.1:{postgres_server.port}/{database}"
    )
    told: list[str] = []
    counted = threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, RequestFinished):
            counted.set()
        if isinstance(event, Notice):
            told.append(event.message.code)

    desk.subscribe(listen)
    request = JobRequest("measure", engine, str(fake_model), presets=("off",), prompts=("sample",), runs=3)
    job = desk.run_job(request)
    assert counted.wait(LIMIT_S)
    with postgres_server.out_of_reach(database):
        result = job.result(LIMIT_S)
        desk.close()
    (arm,) = result.result.arms
    assert arm.run.status is RunStatus.DONE
    assert "history_pending" in told
    again = open_desk(tmp_path / "home")
    again.subscribe(listen)
    (stored,) = again.recent_runs().result(LIMIT_S)
    again.close()
    assert "history_read_in" in told
    assert stored[0].status is RunStatus.DONE
    assert [request.times for request in stored[1]] == [request.times for request in arm.requests]
    log = (tmp_path / "home" / "state" / "logs" / "qtune.log").read_text(encoding="utf-8")
    assert PASSWORD not in log
    assert "%23" not in log
