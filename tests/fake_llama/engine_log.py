"""The log of the fake: llama-server's prefix and levels on stderr, and the lines that a supervisor reads."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tests.fake_llama.command_line import Settings
from tests.fake_llama.switches import Switches

STARTED_NS = time.perf_counter_ns()
ERROR, WARN, INFO, TRACE = 1, 2, 3, 4
_LETTERS = {ERROR: "E", WARN: "W", INFO: "I", TRACE: "I"}  # a trace line carries an I as well
_BYTES_PER_ELEMENT = {"f32": 4, "f16": 2, "bf16": 2, "q8_0": 34 / 32, "q5_1": 24 / 32, "q5_0": 22 / 32}
_LAYERS = 66
_RS_MIB = 149.625  # one copy of the recurrent state of the 27B model


class EngineLog:
    """Writes log lines up to the verbosity; a write blocks while nobody reads the pipe, as the original's."""

    def __init__(self, settings: Settings) -> None:
        self._verbosity = 5 if settings.is_on("--verbose") else settings.number("--verbosity")
        self._silent = settings.is_on("--log-disable")
        self._json_lines = settings.is_on("--log-jsonl")
        self._prefix = settings.is_on("--log-prefix")
        name = settings.text("--log-file")
        self._file = Path(name) if name else None
        if self._file is not None:
            self._file.write_bytes(b"")

    def line(self, level: int, text: str) -> None:
        """One line with its prefix."""
        if level > self._verbosity or self._silent:
            return
        micros = (time.perf_counter_ns() - STARTED_NS) // 1000
        if self._json_lines:
            import json  # noqa: PLC0415 - only this form needs it

            kind = {ERROR: "error", WARN: "warn"}.get(level, "info")
            record = {"type": "log", "time": micros, "level": kind, "msg": text}
            write_raw(json.dumps(record) + "\n", sys.stdout.fileno())
            return
        minutes, rest = divmod(micros, 60_000_000)
        seconds, rest = divmod(rest, 1_000_000)
        prefix = f"{minutes}.{seconds:02}.{rest // 1000:03}.{rest % 1000:03} {_LETTERS[level]} "
        whole = f"{prefix if self._prefix else ''}{text}\n"
        write_raw(whole)
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(whole)


def write_raw(text: str, descriptor: int = 2) -> None:
    """Write all of the text to a pipe without a prefix; a closed pipe is ignored, a full one waited for."""
    data = text.encode()
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except OSError:
            return


def load_lines(settings: Settings, switches: Switches, n_ctx: int) -> list[tuple[int, str]]:
    """The lines from the start to the last buffer, with their levels; sizes follow those of a 27B hybrid."""
    model = settings.text("--model")
    device = switches.devices[0].partition(":")[0] if switches.devices else ""
    if settings.text("--device") == "none":
        device = ""
    layers = _offloaded(settings.text("--gpu-layers"), device)
    place = device if layers else "CPU"
    lines = [(INFO, f"cmn  common_param: using config file: {path}") for path in settings.config_files]
    lines.append(
        (TRACE, f"common_params_print_info: build {switches.build} ({switches.commit}) with GNU 12.2.0")
    )
    lines.append((TRACE, "device_info:"))
    lines += [(TRACE, "  - " + _device_info(entry)) for entry in switches.devices]
    lines.append((INFO, f"srv    load_model: loading model '{model}'"))
    if switches.ctx_shrunk is not None:
        lines.append(
            (TRACE, f"common_fit_params: context size reduced from {_asked_ctx(settings)} to {n_ctx}")
        )
    if device:
        name = switches.devices[0].partition(": ")[2].partition(" (")[0]
        text = f"llama_prepare_model_devices: using device {device} ({name}) (0000:01:00.0) - 23650 MiB free"
        lines.append((TRACE, text))
    lines += [
        (TRACE, "print_info: arch             = qwen35"),
        (TRACE, "print_info: n_layer          = 64"),
        (TRACE, "load_tensors: loading model tensors, this can take a while... (load_mode = mmap)"),
    ]
    if not settings.mtp:
        unused = "model has unused tensor blk.64.nextn.eh_proj.weight (size = 29491200 bytes) -- ignoring"
        lines.append((WARN, unused))
    if layers:
        lines += [
            (TRACE, "load_tensors: offloading output layer to GPU"),
            (TRACE, f"load_tensors: offloading {layers - 1} repeating layers to GPU"),
        ]
    weights = 15400.12 * layers / _LAYERS
    lines.append((TRACE, f"load_tensors: offloaded {layers}/{_LAYERS} layers to GPU"))
    lines.append((TRACE, f"load_tensors:   CPU_Mapped model buffer size = {16082.15 - weights:8.2f} MiB"))
    if layers:
        lines.append((TRACE, f"load_tensors:        {place} model buffer size = {weights:8.2f} MiB"))
    return lines + _context_lines(settings, n_ctx, place)


def _context_lines(settings: Settings, n_ctx: int, place: str) -> list[tuple[int, str]]:
    n_max = settings.number("--spec-draft-n-max") if settings.mtp else 0
    slots = settings.slots
    kv = _kv_mib(settings, n_ctx, layers=16)
    types = (settings.text("--cache-type-k"), settings.text("--cache-type-v"))
    split = f"K ({types[0]}): {kv / 2:.2f} MiB, V ({types[1]}): {kv / 2:.2f} MiB"
    lines = [
        (TRACE, f"llama_context: n_ctx         = {n_ctx}"),
        (TRACE, f"llama_context: n_rs_seq      = {n_max}"),
        (TRACE, "llama_context:  CPU  output buffer size =     0.95 MiB"),
        (TRACE, f"llama_kv_cache:      {place} KV buffer size = {kv:8.2f} MiB"),
        (
            TRACE,
            f"llama_kv_cache: size = {kv:.2f} MiB ( {n_ctx} cells, 16 layers, {slots}/{slots} seqs), {split}",
        ),
    ]
    state = _RS_MIB * slots * (1 + n_max)
    lines += [
        (TRACE, f"llama_memory_recurrent:      {place} RS buffer size = {state:8.2f} MiB"),
        (TRACE, f"sched_reserve:      {place} compute buffer size =   495.00 MiB"),
        (TRACE, "sched_reserve:  CUDA_Host compute buffer size =    84.02 MiB"),
        (TRACE, "llama_context: Flash Attention enabled"),
    ]
    if settings.number("--parallel") < 0:
        lines.append(
            (
                TRACE,
                "srv    load_model: n_parallel is set to auto, using n_parallel = 4 and kv_unified = true",
            )
        )
    return lines


def draft_lines(settings: Settings, switches: Switches, n_ctx: int) -> list[tuple[int, str]]:
    """The lines of the MTP set-up, good or failed."""
    if not settings.mtp:
        return []
    start = (
        f"srv    load_model: creating MTP draft context against the target model '{settings.text('--model')}'"
    )
    if switches.spec_fails_silently:
        why = "spec  init: failed to initialize speculative decoding context: no MTP layers"
        return [(INFO, start), (ERROR, why)]
    n_max, n_min = settings.number("--spec-draft-n-max"), settings.number("--spec-draft-n-min")
    place = switches.devices[0].partition(":")[0] if switches.devices else "CPU"
    size = n_ctx * 4 / 1024
    values = f"- n_max={n_max}, n_min={n_min}, p_min={float(settings.text('--draft-p-min') or 0):.2f}, "
    return [
        (INFO, start),
        (TRACE, f"llama_kv_cache:      {place} KV buffer size = {size:8.2f} MiB"),
        (TRACE, f"sched_reserve:      {place} compute buffer size =   250.50 MiB"),
        (TRACE, "spec  init: adding speculative implementation 'draft-mtp'"),
        (TRACE, f"spec  init: {values}n_embd=5120, backend_sampling=1"),
        (TRACE, "spec  init: the context supports bounded partial sequence removal"),
        (TRACE, "srv    load_model: speculative decoding context initialized"),
    ]


def oom_lines(settings: Settings, part: str) -> list[tuple[int, str]]:
    """The lines of a load that ran out of video memory, for one of the buffers."""
    last = {
        "weights": "llama_model_load: error loading model: unable to allocate CUDA0 buffer",
        "kv": "llama_init_from_model: failed to allocate buffer for kv cache",
        "rs": "llama_init_from_model: failed to allocate buffer for rs cache",
        "compute": "graph_reserve: failed to allocate compute pp buffers",
        "context": "common_init_from_params: failed to create context with model",
    }
    size = _RS_MIB * settings.slots * 2
    text = f"allocating {size:.2f} MiB on device 0: cudaMalloc failed: out of memory"
    return [(ERROR, f"ggml_backend_cuda_buffer_type_alloc_buffer: {text}"), (ERROR, last[part])]


def failed_load_lines(model: str) -> list[tuple[int, str]]:
    """How every failed load ends."""
    return [
        (ERROR, f"srv    load_model: failed to load model, '{model}'"),
        (ERROR, "srv  llama_server: exiting due to model loading error"),
    ]


def exit_table(switches: Switches) -> list[tuple[int, str]]:
    """The memory table of a clean exit."""
    head = "common_memory_breakdown_print: "
    lines = [
        (
            TRACE,
            head
            + "| memory breakdown [MiB] | total   free    self   model   context   compute    unaccounted |",
        )
    ]
    if switches.devices:
        row = "|   - CUDA0 (RTX 4090)   | 24077 = 945 + (19187 = 17904 +     384 +     898) +        3945 |"
        lines.append((TRACE, head + row))
    return lines


def _asked_ctx(settings: Settings) -> int:
    return settings.number("--ctx-size") or 262144


def _offloaded(asked: str, device: str) -> int:
    if not device:
        return 0
    return min(int(asked), _LAYERS) if asked.lstrip("-").isdigit() and int(asked) >= 0 else _LAYERS


def _kv_mib(settings: Settings, n_ctx: int, layers: int) -> float:
    widths = [
        _BYTES_PER_ELEMENT.get(settings.text(k) or "f16", 18 / 32)
        for k in ("--cache-type-k", "--cache-type-v")
    ]
    return float(n_ctx * layers * 4 * 256 * sum(widths) / 2**20)


def _device_info(entry: str) -> str:
    name, _, rest = entry.partition(": ")
    return f"{name:<8}: {rest}"
