"""Stored runs side by side: their sides, lines over time with gaps, energy, depths, and what updates did."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qtune.core.history_query import HistoryQuery
from qtune.core.machine_facts import GpuFacts, GpuSample, HostSample, TelemetrySample
from qtune.core.records import MemoryFacts, RequestRecord, RunStatus
from qtune.core.side_by_side import side_by_side
from qtune.session import run_comparison
from qtune.session.history_desk import HistoryDesk
from qtune.store.history import History, open_history
from tests.service.store.made import experiment, full_run
from tests.unit.core.by_hand import request

S = 10**9
GIB = 1024**3
WAIT_S = 120
CARD = GpuFacts(0, "GPU-1", "RTX 4090", 24 * GIB, "570.1", 450.0)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with open_history(tmp_path / "qtune.db", tmp_path / "backups") as opened:
        yield opened


@pytest.fixture
def desk(history: History, tmp_path: Path) -> Iterator[HistoryDesk]:
    with ThreadPoolExecutor(1) as readers:
        yield HistoryDesk(history, tmp_path / "backups", readers)


def telemetry() -> list[TelemetrySample]:
    """Two readings a second around a load of 10 GiB; none from 4 to 8 s."""
    steps = [step / 2 for step in range(30) if not 4 <= step / 2 < 8]
    return [
        TelemetrySample(
            int(at * S),
            HostSample(10.0, GIB, 64 * GIB, GIB),
            (GpuSample("GPU-1", (1 if at < 1 else 11) * GIB, 24 * GIB, power_w=300.0),),
        )
        for at in steps
    ]


def add(history: History, run_id: str, arm: str, start: int, requests: list[RequestRecord]) -> None:
    run = replace(
        full_run(run_id, "e1"), arm=arm, preset=arm, start=start, status=RunStatus.DONE, failure=None,
        gpus=(CARD,), memory=MemoryFacts("vram", GIB, 11 * GIB, 11 * GIB, 24 * GIB),
    )  # fmt: skip
    history.writer.add_run(run)
    for index, record in enumerate(requests):
        history.writer.add_request(replace(record, run_id=run_id, index=index))
    history.writer.save_telemetry(run_id, telemetry()).result(WAIT_S)


def two_requests(rate: float, *prompts: str) -> list[RequestRecord]:
    return [
        request(rate, prompt_id=prompt, times={"sent_ns": at * 3 * S, "ended_ns": at * 3 * S + 2 * S})
        for at, prompt in enumerate(prompts or ("code", "json"))
    ]


def test_arms_of_an_experiment_with_lines_energy_and_memory(history: History, desk: HistoryDesk) -> None:
    history.writer.add_experiment(experiment("e1"))
    for start in (1, 2, 3):
        add(history, f"off{start}", "off", start, two_requests(40.0 + start / 10, "code", "json"))
        add(history, f"on{start}", "balanced", start, two_requests(60.0 + start / 10, "code", "json"))
    ids = [f"{arm}{start}" for arm in ("off", "on") for start in (1, 2, 3)]
    found = desk.compare(ids, {"e1"}).result(WAIT_S)
    off, on = found.sides
    assert (off.side.arm, on.side.arm, on.decision) == ("off", "balanced", "better")
    assert on.levels["decode_tok_s"].kind == "interval"
    assert len(found.decode) == len(found.memory) == 6
    line = found.memory[0]
    assert line.limit == 24 * GIB
    assert line.points[0] == (0.0, 1.0 * GIB)
    assert sum(math.isnan(y) for _, y in line.points) == 1  # a hole is not drawn over
    # 300 W over 4 s for two answers of 101 tokens.
    assert found.joules["e1/balanced"] == pytest.approx(300 * 4 / 202, rel=0.01)
    assert found.depths == ()
    assert found.unfair == ()
    other = desk.compare(ids, {"e1"}, base="e1/balanced").result(WAIT_S)
    assert (other.sides[0].decision, other.sides[1].decision) == ("worse", None)
    assert (found.base, other.base) == ("e1/off", "e1/balanced")
    assert desk.compare(ids, {"e1"}, base="of another comparison").result(WAIT_S).base == "e1/off"
    add(history, "other", "off", 1, two_requests(40.0, "knowledge"))
    of_three = ["on1", "off1", "other"]
    both = desk.compare(of_three).result(WAIT_S)
    few = desk.compare(of_three, most=2).result(WAIT_S)
    assert [one.code for one in both.unfair] == ["unfair_prompts"]
    assert few.unfair == ()  # of a run that is not shown there is nothing to warn of
    assert (len(few.decode), len(few.memory), few.beyond) == (2, 2, 1)
    assert [side.side.name for side in both.sides] == of_three  # as asked for, where all of them are seen
    assert [side.side.name for side in few.sides] == ["off1", "on1"]


def test_figures_are_made_on_the_thread_of_a_reader(
    history: History, desk: HistoryDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.writer.add_experiment(experiment("e1"))
    for name, arm in (("a", "off"), ("b", "balanced")):
        add(history, name, arm, 1, two_requests(40.0))
    seen = set()

    def told(*args: Any) -> Any:
        seen.add(threading.current_thread())
        return side_by_side(*args)

    monkeypatch.setattr(run_comparison, "side_by_side", told)
    desk.compare(["a", "b"], most=8, base="b").result(WAIT_S)
    assert seen
    assert threading.main_thread() not in seen


def test_single_runs_of_a_context_sweep_have_a_curve_each(history: History, desk: HistoryDesk) -> None:
    history.writer.add_experiment(replace(experiment("e1"), kind="sweep-context"))
    add(history, "a", "off", 1, two_requests(40.0, "depth-8192", "depth-16384"))
    add(history, "b", "balanced", 1, two_requests(60.0, "depth-8192", "depth-16384"))
    found = desk.compare(["b", "a", "gone"]).result(WAIT_S)
    assert [side.side.name for side in found.sides] == ["b", "a"]
    assert [(point.arm, point.depth) for point in found.depths] == [
        ("b", 8192), ("b", 16384), ("a", 8192), ("a", 16384),
    ]  # fmt: skip
    stored = desk.experiment("e1").result(WAIT_S)
    assert stored is not None
    assert ([run.id for run, _ in stored.runs], stored.verdict) == (["a", "b"], None)
    assert desk.experiment("none").result(WAIT_S) is None


def test_keys_are_deleted_once_and_the_way_back_knows_them(history: History, desk: HistoryDesk) -> None:
    history.writer.add_experiment(experiment("e1"))
    for name in ("a", "b"):
        add(history, name, "off", 1, [])
    history.writer.mark_deleted(["a"]).result(WAIT_S)
    keys = history.reader.named("").runs
    assert desk.ids(keys.values()).result(WAIT_S) == list(keys)
    assert desk.delete_keys(keys.values()).result(WAIT_S) == ["b"]  # the other one stays as it was
    desk.undelete(["a"]).result(WAIT_S)
    assert desk.undelete_keys(keys.values()).result(WAIT_S) == ["b"]  # the only one that was not listed
    assert len(history.reader.run_ids(HistoryQuery())) == 2
    assert desk.newest_changes().result(WAIT_S) == ()
    assert desk.changes().result(WAIT_S) == ()
