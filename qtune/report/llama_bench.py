"""Results in the form of llama-bench: its columns unchanged and in order, ours appended.

Each workload of a run gives two rows, as llama-bench would name them: its prompt (``pp``), and its answer at
the depth of that prompt (``tg128 @ d512``). Options of llama-bench that the server was not given stand at
their defaults. A prompt or answer is as long as the median of its requests.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from qtune.core import figures
from qtune.core.records import RequestRecord, RunRecord
from qtune.core.stats import counts, pooled_acceptance
from qtune.report.csv_table import guarded
from qtune.report.export_run import ExportRun
from qtune.report.markdown_text import escaped

Layout = Literal["mmap", "load_mode"]
"""llama-bench has ``use_mmap, use_direct_io`` in older builds, ``load_mode, lazy_mode`` in newer ones."""

Type = Literal["TEXT", "INTEGER", "REAL"]
Value = str | int | float | bool | None
Row = dict[str, Value | tuple[float, ...]]

_BEFORE: Final[tuple[tuple[str, Type], ...]] = (
    ("build_commit", "TEXT"), ("build_number", "INTEGER"), ("cpu_info", "TEXT"), ("gpu_info", "TEXT"),
    ("backends", "TEXT"), ("model_filename", "TEXT"), ("model_type", "TEXT"), ("model_size", "INTEGER"),
    ("model_n_params", "INTEGER"), ("n_batch", "INTEGER"), ("n_ubatch", "INTEGER"), ("n_threads", "INTEGER"),
    ("cpu_mask", "TEXT"), ("cpu_strict", "INTEGER"), ("poll", "INTEGER"), ("type_k", "TEXT"),
    ("type_v", "TEXT"), ("n_gpu_layers", "INTEGER"), ("n_cpu_moe", "INTEGER"), ("split_mode", "TEXT"),
    ("main_gpu", "INTEGER"), ("no_kv_offload", "INTEGER"), ("flash_attn", "INTEGER"), ("devices", "TEXT"),
    ("tensor_split", "TEXT"), ("tensor_buft_overrides", "TEXT"),
)  # fmt: skip
_LOADING: Final[Mapping[Layout, tuple[tuple[str, Type], ...]]] = {
    "mmap": (("use_mmap", "INTEGER"), ("use_direct_io", "INTEGER")),
    "load_mode": (("load_mode", "TEXT"), ("lazy_mode", "TEXT")),
}
_AFTER: Final[tuple[tuple[str, Type], ...]] = (
    ("embeddings", "INTEGER"), ("no_op_offload", "INTEGER"), ("no_host", "INTEGER"), ("repack", "INTEGER"),
    ("fit_target", "INTEGER"), ("fit_min_ctx", "INTEGER"), ("n_prompt", "INTEGER"), ("n_gen", "INTEGER"),
    ("n_depth", "INTEGER"), ("test_time", "TEXT"), ("avg_ns", "INTEGER"), ("stddev_ns", "INTEGER"),
    ("avg_ts", "REAL"), ("stddev_ts", "REAL"),
)  # fmt: skip
OURS: Final[tuple[tuple[str, Type], ...]] = (
    ("spec_type", "TEXT"), ("spec_draft_n_max", "INTEGER"), ("spec_draft_p_min", "REAL"),
    ("draft_n", "INTEGER"), ("draft_n_accepted", "INTEGER"), ("mean_accept_len", "REAL"), ("ttft_ms", "REAL"),
    ("vram_peak_mib", "REAL"), ("spill_verdict", "TEXT"), ("power_w_avg", "REAL"), ("arm", "TEXT"),
    ("block", "INTEGER"), ("prompt_id", "TEXT"),
)  # fmt: skip
SAMPLES: Final = ("samples_ns", "samples_ts")
"""Lists that JSON has after the columns of llama-bench."""


def bench_columns(layout: Layout) -> tuple[tuple[str, Type], ...]:
    """Columns of llama-bench itself, with their types in SQL."""
    return (*_BEFORE, *_LOADING[layout], *_AFTER)


def layout_of(runs: Iterable[ExportRun]) -> Layout:
    """Layout of the llama-bench that came with the engines: the newer where all have ``--load-mode``."""
    engines = [source.run.engine for source in runs]
    newer = engines and all("--load-mode" in e.options - e.removed for e in engines)
    return "load_mode" if newer else "mmap"


def bench_rows(runs: Sequence[ExportRun], power_w: Mapping[str, float] | None = None) -> list[Row]:
    """Rows with the columns of both layouts; what is not known is None.

    Args:
        runs: Runs in the order of the rows.
        power_w: Mean power while measuring by run id, which only the telemetry knows.
    """
    rows: list[Row] = []
    for source in runs:
        good = [r for r in source.requests if counts(r)]
        for prompt in dict.fromkeys(r.prompt_id for r in good):
            mine = [r for r in good if r.prompt_id == prompt]
            power = (power_w or {}).get(source.run.id)
            fixed = {**_fixed(source.run), **_ours(source.run, mine, prompt, power)}
            depth = _typical(figures.prompt_tokens(r.times) for r in mine)
            length = _typical(figures.output_tokens(r.times) for r in mine)
            read = _timed((_prefill_ms(r), figures.prefill_tok_s(r.times)) for r in mine)
            written = _timed((_decode_ms(r), figures.decode_tok_s(r.times)) for r in mine)
            if read is not None:
                rows.append({**fixed, "n_prompt": depth, "n_gen": 0, "n_depth": 0, **read})
            if written is not None:
                rows.append({**fixed, "n_prompt": 0, "n_gen": length, "n_depth": depth or 0, **written})
    return rows


def _typical(tokens: Iterable[int | None]) -> int | None:
    known = [n for n in tokens if n is not None]
    return round(statistics.median(known)) if known else None


def _prefill_ms(request: RequestRecord) -> float | None:
    timings = request.times.timings
    return None if timings is None else timings.prompt_ms


def _decode_ms(request: RequestRecord) -> float | None:
    times = request.times
    if figures.server_decode_tok_s(times) is not None and times.timings is not None:
        return times.timings.predicted_ms
    if times.first_token_ns is None or times.last_token_ns is None:
        return None
    return (times.last_token_ns - times.first_token_ns) / figures.NS_PER_MS


def _timed(samples: Iterable[tuple[float | None, float | None]]) -> Row | None:
    """Durations and rates of the samples; the deviation of a single one is 0, as in llama-bench."""
    known = [(ms, rate) for ms, rate in samples if ms is not None and rate is not None]
    if not known:
        return None
    lasted = [round(ms * figures.NS_PER_MS) for ms, _ in known]
    rates = [rate for _, rate in known]
    several = len(known) > 1
    return {
        "avg_ns": round(statistics.fmean(lasted)),
        "stddev_ns": round(statistics.stdev(lasted)) if several else 0,
        "avg_ts": statistics.fmean(rates),
        "stddev_ts": statistics.stdev(rates) if several else 0.0,
        "samples_ns": tuple(lasted),
        "samples_ts": tuple(rates),
    }


_FLASH: Final = {"auto": -1, "off": 0, "on": 1}


def _fixed(run: RunRecord) -> Row:
    settings, model, engine = run.settings_requested, run.model, run.engine
    mode = settings.load_mode
    size = model.size_label or "?B"
    return {
        "build_commit": engine.commit or "unknown", "build_number": engine.build or 0,
        "cpu_info": run.machine.cpu, "gpu_info": ", ".join(d.description for d in engine.devices),
        "backends": _backends(run), "model_filename": model.path,
        "model_type": f"{model.arch} {size} {model.quant}", "model_size": model.size_bytes,
        "model_n_params": None, "n_batch": settings.batch_size, "n_ubatch": settings.ubatch_size,
        "n_threads": settings.threads or None, "cpu_mask": "0x0", "cpu_strict": False, "poll": 50,
        "type_k": settings.cache_type_k, "type_v": settings.cache_type_v, "n_gpu_layers": _layers(run),
        "n_cpu_moe": settings.n_cpu_moe, "split_mode": "layer", "main_gpu": 0, "no_kv_offload": False,
        "flash_attn": _FLASH[settings.flash_attn], "devices": "auto", "tensor_split": "0.00",
        "tensor_buft_overrides": "none", "use_mmap": mode in {"auto", "mmap", "mmap+mlock"},
        "use_direct_io": mode == "dio", "load_mode": mode, "lazy_mode": "auto", "embeddings": False,
        "no_op_offload": 0, "no_host": False, "repack": True, "fit_target": 0, "fit_min_ctx": 0,
        "test_time": run.started_utc,
    }  # fmt: skip


def _backends(run: RunRecord) -> str:
    names = dict.fromkeys(d.name.rstrip("0123456789") for d in run.engine.devices)
    return ",".join(names) or "CPU"


def _layers(run: RunRecord) -> int:
    told = run.settings_effective
    if told is not None and told.layers_offloaded is not None:
        return told.layers_offloaded
    return {"all": 999, "none": 0}.get(run.settings_requested.gpu_layers, -1)


def _ours(run: RunRecord, requests: Sequence[RequestRecord], prompt: str, power_w: float | None) -> Row:
    settings, accepted = run.settings_requested, pooled_acceptance(requests)
    ttft = [ms for r in requests if (ms := figures.ttft_ms(r.times)) is not None]
    memory = run.memory if run.memory is not None and run.memory.kind == "vram" else None
    return {
        "spec_type": "draft-mtp" if settings.mtp else "none",
        "spec_draft_n_max": settings.n_max if settings.mtp else None,
        "spec_draft_p_min": settings.p_min if settings.mtp else None,
        "draft_n": None if accepted is None else accepted.drafted,
        "draft_n_accepted": None if accepted is None else accepted.accepted,
        "mean_accept_len": None if accepted is None else accepted.mean_len,
        "ttft_ms": statistics.median(ttft) if ttft else None,
        "vram_peak_mib": None if memory is None or memory.peak is None else memory.peak / 1024**2,
        "spill_verdict": None if memory is None else memory.spill,
        "power_w_avg": power_w, "arm": run.arm, "block": run.start, "prompt_id": prompt,
    }  # fmt: skip


def _chosen(runs: Sequence[ExportRun], layout: Layout | None) -> list[tuple[str, Type]]:
    return [*bench_columns(layout or layout_of(runs)), *OURS]


def _text(value: object) -> str:
    """A value as llama-bench writes it into CSV and SQL."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def bench_csv(
    runs: Sequence[ExportRun], layout: Layout | None = None, power_w: Mapping[str, float] | None = None
) -> str:
    """CSV as ``llama-bench -o csv`` writes it: every cell in quotes."""
    columns = _chosen(runs, layout)
    lines = [",".join(name for name, _ in columns)]
    for row in bench_rows(runs, power_w):
        cells = [_text(row[name]) for name, _ in columns]
        quoted = [guarded(c).replace('"', '""') for c in cells]
        lines.append(",".join(f'"{cell}"' for cell in quoted))
    return "\n".join([*lines, ""])


def bench_json(
    runs: Sequence[ExportRun], layout: Layout | None = None, power_w: Mapping[str, float] | None = None
) -> str:
    """JSON as ``llama-bench -o json`` writes it: a list of objects, with the samples."""
    columns = [name for name, _ in _chosen(runs, layout)]
    rows = [{name: row[name] for name in (*columns, *SAMPLES)} for row in bench_rows(runs, power_w)]
    return json.dumps(rows, indent=2, allow_nan=False) + "\n"


def bench_sql(
    runs: Sequence[ExportRun], layout: Layout | None = None, power_w: Mapping[str, float] | None = None
) -> str:
    """SQL as ``llama-bench -o sql`` writes it; the table is made where it is missing.

    Rows of llama-bench itself fit into this table; into its own table only after our columns were added.
    """
    columns = _chosen(runs, layout)
    declared = ",\n".join(f"  {name} {kind}" for name, kind in columns)
    statements = [f"CREATE TABLE IF NOT EXISTS llama_bench (\n{declared}\n);", ""]
    names = ", ".join(name for name, _ in columns)
    for row in bench_rows(runs, power_w):
        values = ", ".join(_sql(row[name]) for name, _ in columns)
        statements.append(f"INSERT INTO llama_bench ({names}) VALUES ({values});")  # noqa: S608 - a file
    return "\n".join([*statements, ""])


def _sql(value: object) -> str:
    # A NUL would end the statement for the database.
    return "NULL" if value is None else "'" + _text(value).replace("'", "''").replace("\0", "\ufffd") + "'"


def bench_test(n_prompt: int, n_gen: int, n_depth: int) -> str:
    """Name of a test as llama-bench shows it, e.g. ``tg128 @ d4096``."""
    parts = [f"pp{n_prompt}" if n_prompt else "", f"tg{n_gen}" if n_gen else ""]
    name = "+".join(filter(None, parts)) or "tg0"
    return f"{name} @ d{n_depth}" if n_depth else name


def _markdown_columns(placed: str) -> tuple[tuple[str, str], ...]:
    """Columns with the side their figures stand on: llama-bench's, and before the test what is ours."""
    return (
        ("model", ""), ("size", ":"), ("params", ":"), ("backend", ""), (placed, ":"), ("arm", ""),
        ("prompt", ""), ("spec", ""), ("test", ":"), ("t/s", ":"),
    )  # fmt: skip


def bench_markdown(runs: Sequence[ExportRun]) -> str:
    """The table people post, in llama-bench's layout: ``123.45 ± 0.67``.

    As there, the layers on the card stand in it, or the threads where there is no card.
    """
    rows = bench_rows(runs)
    on_cpu = all(row["backends"] == "CPU" for row in rows)
    columns = _markdown_columns("threads" if on_cpu else "ngl")
    lines = [
        "| " + " | ".join(name for name, _ in columns) + " |",
        "| " + " | ".join("---" + side for _, side in columns) + " |",
    ]
    for row in rows:
        spec = str(row["spec_type"]) + (
            "" if row["spec_draft_n_max"] is None else f" {row['spec_draft_n_max']}"
        )
        size = int(str(row["model_size"]))
        cells = [
            row["model_type"],
            f"{size / 1024**3:.2f} GiB" if size >= 1024**3 else f"{size / 1024**2:.2f} MiB",
            "",
            row["backends"],
            (row["n_threads"] or "") if on_cpu else row["n_gpu_layers"],
            row["arm"],
            row["prompt_id"],
            spec,
            bench_test(*(int(str(row[name] or 0)) for name in ("n_prompt", "n_gen", "n_depth"))),
            f"{row['avg_ts']:.2f} ± {row['stddev_ts']:.2f}",
        ]
        lines.append("| " + " | ".join(escaped(str(cell)) for cell in cells) + " |")
    builds = dict.fromkeys((r.run.engine.commit or "unknown", r.run.engine.build or 0) for r in runs)
    lines += ["", *(f"build: {escaped(commit)} ({number})" for commit, number in builds), ""]
    return "\n".join(lines)
