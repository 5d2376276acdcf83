"""Columns of the tables of runs and requests: name with unit, meaning, and where the value comes from.

Names and order are part of the format (docs/exports.md); new columns are added at the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from qtune.core import figures
from qtune.core.engine_facts import EngineFacts
from qtune.core.figures import Acceptance
from qtune.core.machine_facts import GpuFacts, MachineFacts
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import RequestRecord, RequestTimes, RunRecord, ServerTimings
from qtune.core.run_line import Readings, RunLine, Standing
from qtune.core.settings import SETTINGS, ServerSettings, Setting
from qtune.core.stats import FLAT, FlatFigures
from qtune.report.export_run import ExportRun

Cell = str | int | float | bool | None
Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class Column(Generic[Line]):
    """One column.

    Attributes:
        name: Name with the unit at its end, e.g. ``ttft_ms``.
        about: Meaning, for the documentation.
        value: Its cell; None is an empty cell.
    """

    name: str
    about: str
    value: Callable[[Line], Cell]


@dataclass(frozen=True, slots=True)
class RequestLine:
    """A request, the run it belongs to, and its drafts."""

    run: RunRecord
    request: RequestRecord
    accepted: Acceptance | None


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring columns about one thing.

    Attributes:
        of: That thing; many rows have the very same model or settings, whose cells are then made once.
        columns: Their values are taken of the thing.
        shared: Whether many rows have the same.
        numbers: Whether the thing itself is the text of a JSON list of its cells, all of which are numbers.
    """

    of: Callable[[RunLine], Any]
    columns: tuple[Column[Any], ...]
    shared: bool = True
    numbers: bool = False


def request_lines(source: ExportRun) -> list[RequestLine]:
    """Each request of a run."""
    return [RequestLine(source.run, r, figures.acceptance(r.times, r.drafts)) for r in source.requests]


def _said(*messages: Message | None) -> str | None:
    return " ".join([m.sentence() for m in messages if m is not None]) or None


def _setting(setting: Setting) -> Column[ServerSettings]:
    unit = f", {setting.unit}" if setting.unit else ""
    return Column(
        setting.key, f"requested: {setting.label}{unit}", lambda settings: settings.get(setting.key)
    )


_WHICH: Final[tuple[Column[RunLine], ...]] = (
    Column("run_id", "identity of the run", lambda run: run.id),
    Column("experiment_id", "the experiment it belongs to", lambda run: run.experiment_id),
    Column("arm", "name of the arm, e.g. off", lambda run: run.arm),
    Column("preset", "preset the settings came from", lambda run: run.preset),
    Column("start", "which start of the arm, from 1", lambda run: run.start),
    Column("status", "done, failed, cancelled, interrupted, running", lambda run: run.status),
    Column("failure", "why it failed", lambda run: _said(run.failure)),
    Column("started_utc", "start, ISO 8601 with zone", lambda run: run.started_utc),
    Column("ended_utc", "end, ISO 8601 with zone", lambda run: run.ended_utc),
)
_MODEL: Final[tuple[Column[ModelFacts], ...]] = (
    Column("model", "name of the model", lambda model: model.name),
    Column("arch", "architecture", lambda model: model.arch),
    Column("quant", "quantisation", lambda model: model.quant),
    Column("model_size_bytes", "size of its files", lambda model: model.size_bytes),
    Column("mtp_head", "embedded, sidecar or none", lambda model: model.mtp),
    Column("model_path", "its (first) file", lambda model: model.path),
)
_ENGINE: Final[tuple[Column[EngineFacts], ...]] = (
    Column("engine_kind", "bundled or binary", lambda engine: engine.ref.kind),
    Column("engine_version", "what the engine says of itself", lambda engine: engine.version),
    Column("engine_build", "build number of llama.cpp", lambda engine: engine.build),
)
_DEVICES: Final[tuple[Column[Readings], ...]] = (
    Column("devices", "devices of the engine", lambda read: read.devices),
)
_MACHINE: Final[tuple[Column[MachineFacts], ...]] = (
    Column("os", "operating system", lambda machine: machine.os),
    Column("cpu", "processor", lambda machine: machine.cpu),
    Column("ram_bytes", "main memory", lambda machine: machine.ram_bytes or None),
)
_CARDS: Final[tuple[Column[tuple[GpuFacts, ...]], ...]] = (
    Column("gpu", "graphics cards", lambda gpus: ", ".join(g.name for g in gpus)),
    Column("driver", "driver of the first card", lambda gpus: gpus[0].driver if gpus else None),
    Column(
        "power_limit_w",
        "power limit of the first card, W",
        lambda gpus: gpus[0].power_limit_w if gpus else None,
    ),
)


_VERIFIED: Final[tuple[Column[Readings], ...]] = (
    Column("settings_verified", "whether what was asked was read back", lambda read: read.verified),
)
_PROOF: Final[tuple[Column[RunLine], ...]] = (
    Column("mtp_active", "proof that MTP ran; empty when not asked for", lambda run: run.mtp_active),
    Column("load_ms", "from launch to the first answer, ms", lambda run: run.load_ms),
)
_SPREAD_ABOUT: Final = {
    "decode_tok_s": "output rate, tokens/s",
    "ttft_ms": "time to the first token, ms",
    "ttfa_ms": "time to the first token of the answer, ms",
    "prefill_tok_s": "prompt rate, tokens/s",
    "total_ms": "whole request, ms",
    "rounds_per_s": "verification rounds per second",
}
_FIGURE_ABOUT: Final = {
    "requests_counted": "requests behind the figures",
    "ok_rate": "share of counted requests that ended well, 0 to 1",
    **{f"{name}_median": f"{about}, median of the counted requests" for name, about in _SPREAD_ABOUT.items()},
    **{f"{name}_low": "the same, lowest" for name in _SPREAD_ABOUT},
    **{f"{name}_high": "the same, highest" for name in _SPREAD_ABOUT},
    **{f"{name}_p90": "the same, 90th percentile" for name in _SPREAD_ABOUT},
    "drafted_tokens": "drafted tokens of all counted requests",
    "accepted_tokens": "of them accepted",
    "acceptance": "accepted over drafted, 0 to 1",
    "mean_accept_len": "tokens gained per round, the target's own included",
}


def _figure_column(at: int, name: str) -> Column[FlatFigures]:
    return Column(name, _FIGURE_ABOUT[name], lambda figures: json.loads(figures)[at])


_FIGURES: Final[tuple[Column[FlatFigures], ...]] = tuple(
    _figure_column(at, name) for at, name in enumerate(FLAT)
)
_MEMORY: Final[tuple[Column[Readings], ...]] = (
    Column("memory_kind", "vram, or ram of the engine where there is no card", lambda read: read.memory_kind),
    Column("memory_before_bytes", "in use before the launch", lambda read: read.memory_before_bytes),
    Column("memory_loaded_bytes", "in use when loaded", lambda read: read.memory_loaded_bytes),
    Column("memory_peak_bytes", "highest reading", lambda read: read.memory_peak_bytes),
    Column("memory_total_bytes", "what there is", lambda read: read.memory_total_bytes),
    Column("spill", "whether the card spilled: yes, no, unknown", lambda read: read.spill),
)
_NOTES: Final[tuple[Column[RunLine], ...]] = (
    Column("notes", "what was noticed", lambda run: _said(*run.notes)),
)

_STANDING: Final[tuple[Column[Standing], ...]] = (
    Column("experiment_kind", "measure, compare, ...; imported where nothing tells", lambda told: told.kind),
    Column("decision", "verdict of its experiment; empty without one", lambda told: told.decision),
    Column("ratio", "decode rate of its arm over off, by that verdict", lambda told: told.ratio),
    Column("starred", "whether you gave it a star", lambda told: told.starred),
    Column("outlier", "whether you marked it as an outlier", lambda told: told.outlier),
    Column("user_note", "your note", lambda told: told.note or None),
)


def _itself(run: RunLine) -> RunLine:
    return run


_readings = attrgetter("readings")
RUN_PARTS: Final[tuple[Part, ...]] = (
    Part(_itself, _WHICH, shared=False),
    Part(attrgetter("model"), _MODEL),
    Part(attrgetter("engine"), _ENGINE),
    # With another free memory at each probe, no two runs have the very same devices.
    Part(_readings, _DEVICES, shared=False),
    Part(attrgetter("machine"), _MACHINE),
    # With another memory in use at each start of the program, few runs have the very same cards.
    Part(attrgetter("gpus"), _CARDS, shared=False),
    Part(attrgetter("settings_requested"), tuple(_setting(s) for s in SETTINGS.values())),
    Part(_readings, _VERIFIED, shared=False),
    Part(_itself, _PROOF, shared=False),
    Part(attrgetter("figures"), _FIGURES, shared=False, numbers=True),
    Part(_readings, _MEMORY, shared=False),
    Part(_itself, _NOTES, shared=False),
    Part(attrgetter("standing"), _STANDING, shared=False),
)
"""One row a run, by what its columns are about."""
RUN_COLUMNS: Final[tuple[Column[Any], ...]] = tuple(column for part in RUN_PARTS for column in part.columns)


def _timing(name: str, about: str, of: Callable[[ServerTimings], Cell]) -> Column[RequestLine]:
    def value(line: RequestLine) -> Cell:
        timings = line.request.times.timings
        return None if timings is None else of(timings)

    return Column(name, about, value)


def _draft(name: str, about: str, of: Callable[[Acceptance], Cell]) -> Column[RequestLine]:
    return Column(name, about, lambda line: None if line.accepted is None else of(line.accepted))


def _figure(name: str, about: str, of: Callable[[RequestTimes], Cell]) -> Column[RequestLine]:
    return Column(name, about, lambda line: of(line.request.times))


REQUEST_COLUMNS: Final[tuple[Column[RequestLine], ...]] = (
    Column("run_id", "identity of the run", lambda line: line.request.run_id),
    Column("experiment_id", "the experiment it belongs to", lambda line: line.run.experiment_id),
    Column("arm", "name of the arm, e.g. off", lambda line: line.run.arm),
    Column("start", "which start of the arm, from 1", lambda line: line.run.start),
    Column("started_utc", "start of the run, ISO 8601 with zone", lambda line: line.run.started_utc),
    Column("model", "name of the model", lambda line: line.run.model.name),
    Column("quant", "quantisation", lambda line: line.run.model.quant),
    Column("engine_build", "build number of llama.cpp", lambda line: line.run.engine.build),
    Column("index", "place in the run, from 0, warm-up included", lambda line: line.request.index),
    Column("phase", "warmup or counted", lambda line: line.request.phase),
    Column("prompt_id", "workload", lambda line: line.request.prompt_id),
    Column("max_tokens", "tokens asked for at most", lambda line: line.request.max_tokens),
    Column("temperature", "temperature asked for", lambda line: line.request.sampling.temperature),
    Column("seed", "seed asked for", lambda line: line.request.sampling.seed),
    _figure("ok", "whether it ended as a complete answer", lambda t: t.ok),
    _figure("cancelled", "whether it was cancelled", lambda t: t.cancelled),
    _figure("finish_reason", "stop, length, ...", lambda t: t.finish_reason),
    _figure("failure", "why it failed", lambda t: _said(t.failure)),
    Column("marks", "why it does not enter the figures", lambda line: _said(*line.request.marks)),
    _figure("prompt_tokens", "prompt, cached tokens included", figures.prompt_tokens),
    _figure("output_tokens", "tokens generated, by the server's count", figures.output_tokens),
    _figure("decode_tok_s", "output rate, tokens/s", figures.decode_tok_s),
    _figure("client_decode_tok_s", "the same by qtune's own clock, tokens/s", figures.client_decode_tok_s),
    _figure("ttft_ms", "time to the first token, ms", figures.ttft_ms),
    _figure("ttfa_ms", "time to the first token of the answer, ms", figures.ttfa_ms),
    _figure("prefill_tok_s", "prompt rate, tokens/s", figures.prefill_tok_s),
    _figure("total_ms", "whole request, ms", figures.total_ms),
    _draft("drafted_tokens", "drafted tokens", lambda a: a.drafted),
    _draft("accepted_tokens", "of them accepted", lambda a: a.accepted),
    _draft("acceptance", "accepted over drafted, 0 to 1", lambda a: a.rate),
    _draft("mean_accept_len", "tokens gained per round", lambda a: a.mean_len),
    _timing("server_cache_tokens", "prompt tokens the server reused", lambda t: t.cache_n),
    _timing("server_prompt_tokens", "prompt tokens it computed", lambda t: t.prompt_n),
    _timing("server_prompt_ms", "its prompt time, ms", lambda t: t.prompt_ms),
    _timing("server_predicted_tokens", "tokens it generated", lambda t: t.predicted_n),
    _timing("server_predicted_ms", "its time from first to last token, ms", lambda t: t.predicted_ms),
    _figure("content", "the answer", lambda t: t.content),
    _figure("reasoning", "its reasoning", lambda t: t.reasoning),
)
"""One row a request."""
