"""Tables of the genuine llama-bench and ours load together, in every form both have, and come in as runs."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from qtune.core.figures import decode_tok_s, prefill_tok_s
from qtune.models.sample import SampleModel
from qtune.report.bench_import import import_llama_bench
from qtune.report.bench_runs import bench_runs
from qtune.report.llama_bench import OURS, bench_csv, bench_json, bench_markdown, bench_sql
from tests.unit.report.exported import comparison_on_cpu

OWN = [name for name, _ in OURS]


@pytest.fixture(scope="module")
def genuine(sample_model: SampleModel) -> dict[str, str]:
    """What the llama-bench beside QTUNE_TEST_LLAMA_SERVER writes, by form; each call measures anew."""
    server = os.environ.get("QTUNE_TEST_LLAMA_SERVER")
    bench = Path(server).with_name("llama-bench") if server else None
    if bench is None or not bench.exists():
        pytest.skip("there is no llama-bench beside QTUNE_TEST_LLAMA_SERVER")
    words = [
        str(bench),
        "-m",
        str(sample_model.q4_0),
        "-p",
        "4",
        "-n",
        "2",
        "-d",
        "0,3",
        "-r",
        "2",
        "-t",
        "1",
    ]
    told = {}
    for out, err in (("csv", "sql"), ("json", "md"), ("jsonl", "none")):
        done = subprocess.run([*words, "-o", out, "-oe", err], capture_output=True, check=True, timeout=120)
        told[out], told[err] = done.stdout.decode(), done.stderr.decode()
    return told


def test_their_csv_json_sql_and_markdown_have_our_columns_and_ours_behind(genuine: dict[str, str]) -> None:
    ours = comparison_on_cpu()
    theirs = list(csv.reader(io.StringIO(genuine["csv"])))
    mine = list(csv.reader(io.StringIO(bench_csv(ours, "load_mode"))))
    assert mine[0] == theirs[0] + OWN
    assert len({len(row) for row in mine}) == len({len(row) for row in theirs}) == 1

    keys = list(json.loads(genuine["json"])[0])
    mine_keys = list(json.loads(bench_json(ours, "load_mode"))[0])
    assert mine_keys == [*keys[:-2], *OWN, *keys[-2:]]

    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(bench_sql(ours, "load_mode"))
        # Its messages about loading come over the same line.
        database.executescript(genuine["sql"][genuine["sql"].index("CREATE TABLE") :])
        found = database.execute(
            "SELECT arm, count(*), sum(typeof(avg_ts) = 'real'), min(avg_ns) > 0 FROM llama_bench"
            " GROUP BY arm"
        ).fetchall()
    assert found == [(None, 4, 4, 1), ("balanced", 2, 2, 1), ("off", 2, 2, 1)]

    heads = [_head(genuine["md"]), _head(bench_markdown(ours))]
    assert [name for name in heads[1] if name in heads[0]] == heads[0]
    assert [name for name in heads[1] if name not in heads[0]] == ["arm", "prompt", "spec"]


def _head(markdown: str) -> list[str]:
    line = next(line for line in markdown.split("\n") if line.startswith("| model"))
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_its_tests_come_in_as_runs_of_the_same_rate(genuine: dict[str, str], form: str) -> None:
    records = import_llama_bench(genuine[form])
    runs = bench_runs(records)
    assert [source.run.arm for source in runs] == ["pp4", "tg2", "pp4 @ d3", "tg2 @ d3"]
    for record, source in zip(records, runs, strict=True):
        rates = [decode_tok_s(r.times) or prefill_tok_s(r.times) or 0.0 for r in source.requests]
        assert len(rates) == (1 if form == "csv" else 2)
        exact = record.samples_ts or (record.avg_ts,)
        assert rates == pytest.approx(exact, rel=1e-4)
        assert source.run.started_utc.endswith("+00:00")
        assert (source.run.model.arch, source.run.model.quant) == ("qwen35", "Q4_0")
