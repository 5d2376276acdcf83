"""The fill test in the terminal: its table, its part of the JSON document, and where it is offered."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from qtune.bench.fill_plan import FillOutcome, FillPoint
from qtune.cli.doctor_tables import GIB, NONE
from qtune.cli.document import Json, said
from qtune.core.presets import PRESET_IDS
from qtune.core.settings import ServerSettings
from qtune.session.findings import JobResult
from qtune.session.jobs import request_from_json

MIB = 1024**2


def fill_json(found: FillOutcome) -> Json:
    """The outcome as plain values; shares are 0 to 1."""
    told: Json = {
        "arm": found.arm,
        "preset": found.preset,
        "asked_ctx": found.asked_ctx,
        "largest_safe_ctx": found.largest_safe_ctx,
        "margin_bytes": found.margin_bytes,
        "keep_bytes": found.keep_bytes,
        "memory": found.memory,
        "points": [_point_json(point) for point in found.points],
    }
    reasons = {"largest_safe_ctx": found.sentence.sentence(), "margin_bytes": _no_margin(found)}
    told["notes"] = {key: reason for key, reason in reasons.items() if told[key] is None}
    return told


def _point_json(point: FillPoint) -> Json:
    return {
        **asdict(point),
        "share": point.share / 100,
        "failure": None if point.failure is None else said(point.failure),
    }


def _no_margin(found: FillOutcome) -> str:
    if found.memory == "ram":
        return "the engine sits in main memory, where no margin is judged"
    return "memory was not read while it ran"


def fill_table(found: FillOutcome, title: str) -> Table:
    """One row for each share of each context."""
    asked = f"{title}, {found.arm}, asked for {found.asked_ctx} tokens"
    table = Table(title=escape(asked), title_justify="left")
    for name in ("context", "full", "tokens", "answer", "decode tok/s", "TTFT ms", _peak_name(found), "free"):
        table.add_column(name, justify="right")
    table.add_column("state")
    for point in found.points:
        table.add_row(*_row(point))
    return table


def _peak_name(found: FillOutcome) -> str:
    return "VRAM peak" if found.memory == "vram" else "engine RAM"


def _row(point: FillPoint) -> list[RenderableType]:
    state = "ok" if point.ok else "failed" if point.failure is None else point.failure.sentence()
    return [
        str(point.ctx_size),
        f"{point.share} %" if point.share else "loading",
        NONE if point.filled is None else str(point.filled),
        NONE if point.answered_tokens is None else str(point.answered_tokens),
        NONE if point.decode_tok_s is None else f"{point.decode_tok_s:.1f}",
        NONE if point.ttft_ms is None else f"{point.ttft_ms:.0f}",
        _size(point.peak_bytes),
        _size(point.free_bytes),
        Text(state),
    ]


def _size(size_bytes: int | None) -> str:
    if size_bytes is None:
        return NONE
    return f"{size_bytes / GIB:.2f} GiB" if size_bytes >= GIB else f"{size_bytes / MIB:.0f} MiB"


def offered_fill(found: JobResult) -> list[RenderableType]:
    """The command that tries the winner of a comparison with a full context, where the winner drafts."""
    verdict, experiment = found.result.verdict, found.result.experiment
    winner = next((r.run for r in found.result.arms if r.run.arm == verdict.winner), None)
    if (
        experiment.kind != "compare"
        or verdict.decision != "better"
        or winner is None
        or not winner.settings_requested.mtp
        or winner.preset not in PRESET_IDS
        or not experiment.request
    ):
        return []
    request = request_from_json(experiment.request)
    words = ["--sample"] if winner.model.is_sample else ["--model", winner.model.path]
    words += ["--preset", winner.preset, "--ctx", str(request.base.ctx_size)]
    usual = ServerSettings().to_dict()
    for key, value in request.base.to_dict().items():
        if key != "ctx_size" and usual[key] != value:
            words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    if winner.engine.ref.kind == "binary":
        words += ["--engine", winner.engine.ref.path]
    return [Text(f"Next: does it hold when the context is full? qtune fill {_quoted(words)}")]


def _quoted(words: Sequence[str]) -> str:
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
