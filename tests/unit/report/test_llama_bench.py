"""Tables in llama-bench's form load beside its own, and its JSON is read back."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from dataclasses import replace
from typing import Any

import pytest

from qtune.core.errors import KnownError
from qtune.core.figures import decode_tok_s, prefill_tok_s
from qtune.core.records import EffectiveSettings
from qtune.report.bench_import import WITHOUT_MTP, import_llama_bench
from qtune.report.bench_runs import bench_runs
from qtune.report.export_run import ExportRun
from qtune.report.json_export import export_json
from qtune.report.json_import import import_json
from qtune.report.llama_bench import (
    OURS,
    bench_columns,
    bench_csv,
    bench_json,
    bench_markdown,
    bench_rows,
    bench_sql,
    bench_test,
    layout_of,
)
from tests.unit.report.exported import comparison, comparison_on_cpu, requests_of, run, with_text

DOCUMENTED = """
build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size,
model_n_params, n_batch, n_ubatch, n_threads, cpu_mask, cpu_strict, poll, type_k, type_v, n_gpu_layers,
n_cpu_moe, split_mode, main_gpu, no_kv_offload, flash_attn, devices, tensor_split, tensor_buft_overrides,
use_mmap, use_direct_io, embeddings, no_op_offload, no_host, repack, fit_target, fit_min_ctx, n_prompt,
n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts
""".replace(",", "").split()
OWN = """
spec_type, spec_draft_n_max, spec_draft_p_min, draft_n, draft_n_accepted, mean_accept_len, ttft_ms,
vram_peak_mib, spill_verdict, power_w_avg, arm, block, prompt_id
""".replace(",", "").split()

GENUINE = """[
  {
    "build_commit": "unknown", "build_number": 0, "cpu_info": "AMD EPYC", "gpu_info": "", "backends": "CPU",
    "model_filename": "/models/a.gguf", "model_type": "qwen35 ?B Q4_0", "model_size": 108076096,
    "model_n_params": 61355568, "n_batch": 2048, "n_ubatch": 512, "n_threads": 1, "cpu_mask": "0x0",
    "cpu_strict": false, "poll": 50, "type_k": "f16", "type_v": "f16", "n_gpu_layers": -1, "n_cpu_moe": 0,
    "split_mode": "layer", "main_gpu": 0, "no_kv_offload": false, "flash_attn": -1, "devices": "auto",
    "tensor_split": "0.00", "tensor_buft_overrides": "none", "load_mode": "auto", "lazy_mode": "auto",
    "embeddings": false, "no_op_offload": 0, "no_host": false, "repack": true, "fit_target": 0,
    "fit_min_ctx": 0, "n_prompt": 0, "n_gen": 4, "n_depth": 0, "test_time": "2026-11-30T11:20:53Z",
    "avg_ns": 70580063, "stddev_ns": 18680043, "avg_ts": 58.730173, "stddev_ts": 15.543794,
    "samples_ns": [ 57371281, 83788846 ], "samples_ts": [ 69.7213, 47.7391 ]
  }
]
"""
"""What llama-bench b11434 wrote on a CPU."""


def newer() -> list[ExportRun]:
    def mended(source: ExportRun) -> ExportRun:
        engine = replace(source.run.engine, options=source.run.engine.options | {"--load-mode"})
        return replace(source, run=replace(source.run, engine=engine))

    return [mended(source) for source in comparison(1)]


def test_columns_are_those_of_llama_bench_with_ours_behind() -> None:
    names = [name for name, _ in bench_columns("mmap")]
    assert names == DOCUMENTED
    assert [name for name, _ in OURS] == OWN
    assert bench_csv(comparison(1)).split("\n")[0].split(",") == DOCUMENTED + OWN
    genuine = list(json.loads(GENUINE)[0])
    assert list(json.loads(bench_json(newer()))[0]) == [*genuine[:-2], *OWN, *genuine[-2:]]
    assert layout_of(comparison(1)) == "mmap"
    assert layout_of([*newer(), *comparison(1)]) == "mmap"


def test_each_workload_of_a_run_is_a_prompt_and_an_answer() -> None:
    rows = list(csv.DictReader(io.StringIO(bench_csv(comparison(1), power_w={"off-1": 311.5}))))
    assert [(r["n_prompt"], r["n_gen"], r["n_depth"], r["arm"]) for r in rows] == [
        ("50", "0", "0", "off"), ("0", "101", "50", "off"),
        ("50", "0", "0", "balanced"), ("0", "101", "50", "balanced"),
    ]  # fmt: skip
    assert float(rows[0]["avg_ts"]) == pytest.approx(250)
    assert float(rows[1]["avg_ts"]) == pytest.approx(41.41)
    assert float(rows[1]["stddev_ts"]) == pytest.approx(0.366715)
    assert (rows[1]["spec_type"], rows[3]["spec_type"], rows[3]["spec_draft_n_max"]) == (
        "none",
        "draft-mtp",
        "4",
    )
    assert (rows[3]["draft_n"], rows[3]["draft_n_accepted"], rows[1]["draft_n"]) == ("720", "480", "")
    assert (rows[1]["power_w_avg"], rows[3]["power_w_avg"]) == ("311.500000", "")
    assert (rows[1]["vram_peak_mib"], rows[1]["spill_verdict"], rows[1]["block"]) == (
        "18432.000000",
        "no",
        "1",
    )
    samples = json.loads(bench_json(comparison(1)))[1]
    assert len(samples["samples_ts"]) == len(samples["samples_ns"]) == 6


def test_one_sample_has_no_deviation_and_none_gives_no_row() -> None:
    made = run("off")
    one = json.loads(bench_json([ExportRun(made, requests_of(made.id, 40.0, 1))]))
    assert [row["stddev_ts"] for row in one] == [0, 0]
    assert json.loads(bench_json([ExportRun(made)])) == []


def test_sql_of_both_fills_one_table() -> None:
    database = sqlite3.connect(":memory:")
    database.executescript(bench_sql(newer()))
    names = [name for name, _ in bench_columns("load_mode")]
    row = json.loads(GENUINE)[0]
    database.execute(
        f"INSERT INTO llama_bench ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",  # noqa: S608
        [row[name] for name in names],
    )
    found = database.execute("SELECT arm, n_gen, typeof(avg_ts), load_mode FROM llama_bench").fetchall()
    assert found[1] == ("off", 101, "real", "auto")
    assert found[-1] == (None, 4, "real", "auto")
    database.close()


@pytest.mark.parametrize("text", ["'); DROP TABLE llama_bench; --", '"', "a,b\nc", "=1+1", "\0x"])
def test_hostile_names_stay_in_their_cell(text: str) -> None:
    runs = with_text(text)
    database = sqlite3.connect(":memory:")
    database.executescript(bench_sql(runs))
    assert database.execute("SELECT count(*), max(cpu_info) FROM llama_bench").fetchone() == (
        4, text.replace("\0", "\ufffd"),
    )  # fmt: skip
    database.close()
    rows = list(csv.DictReader(io.StringIO(bench_csv(runs), newline="")))
    assert len(rows) == 4
    assert {row["cpu_info"].removeprefix("'") for row in rows} <= {text, text.removeprefix("'")}
    assert {row["cpu_info"] for row in json.loads(bench_json(runs))} == {text}


def test_markdown_has_rates_with_their_deviation() -> None:
    lines = bench_markdown(comparison(1)).split("\n")
    assert "| backend | ngl | arm |" in lines[0]
    assert "| backend | threads | arm |" in bench_markdown(comparison_on_cpu())
    assert lines[3].endswith("| tg101 @ d50 | 41.41 ± 0.37 |")
    assert lines[-2] == "build: abc1234 (11434)"
    assert [bench_test(512, 0, 0), bench_test(0, 128, 4096), bench_test(8, 4, 0)] == [
        "pp512", "tg128 @ d4096", "pp8+tg4",
    ]  # fmt: skip


def test_its_own_json_is_read() -> None:
    (record,) = import_llama_bench(GENUINE)
    assert (record.label, record.test, record.avg_ts) == (WITHOUT_MTP, "tg4", 58.730173)
    assert record.samples_ts == (69.7213, 47.7391)
    lines = "\n".join(json.dumps(one) for one in json.loads(GENUINE) * 2)
    assert import_llama_bench(lines) == (record, record)
    ours = import_llama_bench(bench_json(comparison(1)))
    assert [(r.label, r.test) for r in ours[1::2]] == [
        (WITHOUT_MTP, "tg101 @ d50"), ("draft-mtp", "tg101 @ d50"),
    ]  # fmt: skip


AS_CSV = (
    "build_commit,build_number,cpu_info,gpu_info,backends,model_filename,model_type,model_size,"
    "n_batch,n_ubatch,type_k,type_v,n_prompt,n_gen,n_depth,test_time,avg_ns,stddev_ns,avg_ts,stddev_ts\n"
    '"unknown","0","AMD EPYC","","CPU","/models/a.gguf","qwen35 ?B Q4_0","108076096","2048","512",'
    '"f16","f16","0","4","0","2026-11-30T11:20:53Z","70580063","18680043","58.730173","15.543794"\n'
)


def test_a_test_is_one_run_whichever_form_it_comes_in() -> None:
    one, same = bench_runs(import_llama_bench(GENUINE)), bench_runs(import_llama_bench(AS_CSV) * 2)
    assert [s.run.id for s in one] == [s.run.id for s in same]
    (source,) = one
    assert [decode_tok_s(r.times) for r in source.requests] == pytest.approx([69.7213, 47.7391], rel=1e-4)
    assert source.run.settings_effective == EffectiveSettings(ctx_size=4, parallel=1)
    assert source.run.settings_requested.ctx_size == 256
    # Of several repetitions CSV has means alone: the rate is the one that llama-bench says.
    assert [decode_tok_s(r.times) for s in same for r in s.requests] == pytest.approx([58.730173], rel=1e-9)
    assert source.run.notes[0].sentence() == (
        "Imported from llama-bench: tg4, without MTP, no server and no prompt."
    )
    assert import_json(export_json(one)) == one
    with_mtp = bench_runs(import_llama_bench(bench_json(comparison(1))))
    assert [(s.run.arm, s.run.settings_requested.mtp) for s in with_mtp[1::2]] == [
        ("off", False), ("balanced", True),
    ]  # fmt: skip
    loaded = EffectiveSettings(layers_offloaded=66, layers_total=66)
    on_card = [replace(s, run=replace(s.run, settings_effective=loaded)) for s in comparison(1)]
    read = bench_runs(import_llama_bench(bench_json(on_card)))
    assert {s.run.settings_requested.gpu_layers for s in read} == {"all"}
    assert {s.run.settings_requested.n_max for s in with_mtp if s.run.settings_requested.mtp} == {4}
    as_csv = bench_runs(import_llama_bench(bench_csv(comparison(1))))
    said = [row["avg_ts"] for row in bench_rows(comparison(1))]
    rates = [decode_tok_s(s.requests[0].times) or prefill_tok_s(s.requests[0].times) for s in as_csv]
    assert rates == pytest.approx(said, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (AS_CSV[:-10], "line 2"),
        (AS_CSV.replace('"4"', '"4.5"'), "line 2.n_gen"),
        (AS_CSV.replace('"58.730173"', '"fast"'), "line 2.avg_ts"),
        (AS_CSV.replace('"58.730173"', '"nan"'), "line 2.avg_ts"),
        (AS_CSV.replace("30T11:20:53Z", "30T11:20:53"), "line 2.test_time"),
        (AS_CSV.replace(',"0.0"', "").replace('"f16","f16"', '"f16"'), "line 2"),
    ],
)
def test_a_damaged_csv_is_refused_with_the_place(text: str, place: str) -> None:
    with pytest.raises(KnownError) as caught:
        import_llama_bench(text)
    assert caught.value.code == "bench_file_damaged"
    assert dict(caught.value.message.params)["place"] == place


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"avg_ts": "fast"}, "[0].avg_ts"),
        ({"avg_ts": 1e999}, "[0].avg_ts"),
        ({"n_gen": -1}, "[0].n_gen"),
        ({"n_gen": 1.5}, "[0].n_gen"),
        ({"model_type": None}, "[0].model_type"),
        ({"samples_ts": [1, "x"]}, "[0].samples_ts"),
        ({"type_k": ...}, "[0]"),
    ],
)
def test_damaged_tests_are_refused_with_the_place(change: dict[str, Any], place: str) -> None:
    row = json.loads(GENUINE)[0] | change
    text = json.dumps([{k: v for k, v in row.items() if v is not ...}]).replace("Infinity", "1e999")
    with pytest.raises(KnownError) as caught:
        import_llama_bench(text)
    assert caught.value.code == "bench_file_damaged"
    assert dict(caught.value.message.params)["place"] == place


@pytest.mark.parametrize(
    "text", ["", "[]", "[1]", "[[", '{"a": 1}', "| model | size |", GENUINE[:-5], "null"]
)
def test_what_is_no_such_json_is_refused(text: str) -> None:
    with pytest.raises(KnownError) as caught:
        import_llama_bench(text)
    assert caught.value.code == "bench_file_damaged"
