"""Which runs are held against each other after an update of the engine, the driver or the card's limit."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from qtune.core.changes import changes
from qtune.core.records import RunRecord, RunStatus, Sampling
from qtune.store.history import History

pytestmark = pytest.mark.both_databases
WAIT_S = 120


def add(history: History, made: ModuleType, n: int, rate: float, **asked: Any) -> RunRecord:
    """A finished run of two requests at this rate, one experiment each three runs."""
    run: RunRecord = replace(made.full_run(f"r{n}", f"e{n // 3}"), status=RunStatus.DONE, failure=None)
    prompt = asked.pop("sampling", Sampling())
    run = replace(run, **asked)
    history.writer.add_run(run)
    for index in (0, 1):
        full = made.full_request(run.id, index)
        timings = replace(full.times.timings, predicted_ms=511 / rate * 1000)
        times = replace(full.times, timings=timings, failure=None, cancelled=False)
        # Every request has a seed of its own.
        seeded = replace(prompt, seed=n * 10 + index)
        history.writer.add_request(replace(full, times=times, marks=(), sampling=seeded))
    return run


def test_runs_of_equal_settings_and_prompts_meet_and_all_others_do_not(
    history: History, made: ModuleType
) -> None:
    for number in range(9):
        history.writer.add_experiment(made.experiment(f"e{number}"))
    old = [add(history, made, n, 50 + 0.1 * n) for n in range(4)]
    engine = replace(made.ENGINE, version="12000 (new)", build=12000)
    gpus = tuple(replace(gpu, driver="580.2") for gpu in old[0].gpus)
    new = [add(history, made, 6 + n, 45 + 0.1 * n, engine=engine, gpus=gpus) for n in range(4)]
    # None of these says anything about the update.
    warm = add(history, made, 12, 10, engine=engine, gpus=gpus, sampling=Sampling(temperature=1))
    long = replace(old[0].settings_requested, ctx_size=65536)
    add(history, made, 13, 10, engine=engine, gpus=gpus, settings_requested=long)
    other = replace(old[0].machine, cpu="Intel")
    add(history, made, 14, 10, engine=engine, gpus=gpus, machine=other)
    add(history, made, 15, 10, engine=engine, gpus=gpus, status=RunStatus.FAILED)
    deleted, outlier = (add(history, made, n, 10, engine=engine, gpus=gpus) for n in (16, 17))
    history.writer.mark_deleted([deleted.id])
    history.writer.set_outlier([outlier.id], True).result(WAIT_S)

    runs = history.reader.stack_runs()
    assert len({run.cell for run in runs}) == 4
    (change,) = changes(runs)
    assert (change.direction, change.runs_before, change.runs_after) == ("slower", 4, 4)
    assert "b12000 is 10 % slower than b11434" in change.sentence.sentence()
    assert "570.1 to 580.2" in change.also[0].sentence()
    assert change.place.mtp

    keys = history.reader.named("r", 50).runs
    upto = history.reader.stack_runs(keys[new[0].id])
    assert {run.key for run in upto} == {keys[run.id] for run in [*old, new[0]]}  # and nothing later
    assert changes(upto)[0].direction == "too_few"
    assert history.reader.stack_runs(keys[warm.id])[0].decode_tok_s < 11
    assert history.reader.stack_runs(10**6) == []
