"""The models found, for a person. Text from files is never markup and never moves the cursor."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from qtune.cli.doctor_tables import GIB, NONE
from qtune.cli.printing import printable
from qtune.core.engine_facts import EngineFacts
from qtune.core.memory_facts import FitState, MemoryEstimate, MemoryView
from qtune.session.requests import ModelEntry, ModelReport

FITS: dict[FitState, str] = {
    "fits": "fits",
    "tight": "tight",
    "too_large": "too large",
    "unknown": "unknown",
}


ABOUT, OVER = "~", ">"
"""Before a figure that is estimated in part, and before one that is only a lower bound."""


def parts(
    report: ModelReport, ctx_size: int | None = None, engine: EngineFacts | None = None
) -> list[RenderableType]:
    """The table, the file of each model, how much was found where, and what is wrong."""
    shown: list[RenderableType] = []
    if report.entries:
        shown.append(_table(report, ctx_size))
    shown += [Text(printable(line)) for line in (*_files(report), *_families(report))]
    found = "1 model" if len(report.entries) == 1 else f"{len(report.entries)} models"
    where = ", ".join(printable(folder) for folder in report.folders) or "no folder"
    shown.append(Text(f"{found} in {where}"))
    if report.entries:
        shown += [Text(printable(line)) for line in _footnotes(report, ctx_size, engine)]
    told = (f"{problem.sentence()} {problem.hint()}".rstrip() for problem in report.problems)
    return [*shown, *(Text(f"* {printable(line)}") for line in told)]


def _files(report: ModelReport) -> Iterator[str]:
    for facts in (entry.facts for entry in report.entries):
        yield f"{facts.name} {facts.quant}: {facts.path}"


def _families(report: ModelReport) -> Iterator[str]:
    """One line for each model of which there are several quantisations, largest first."""
    known = {entry.facts.path: entry.facts for entry in report.entries}
    told: set[str] = set()
    for entry in report.entries:
        family = [known[path] for path in (entry.facts.path, *entry.siblings) if path in known]
        if len(family) < 2 or told.intersection(facts.path for facts in family):
            continue
        told.update(facts.path for facts in family)
        family.sort(key=lambda facts: -facts.size_bytes)
        listed = ", ".join(f"{facts.quant} ({facts.size_bytes / GIB:.1f} GiB)" for facts in family)
        yield f"{entry.facts.name} is here as {listed}"


def _footnotes(report: ModelReport, ctx_size: int | None, engine: EngineFacts | None) -> Iterator[str]:
    views = [entry.memory for entry in report.entries if entry.memory is not None]
    if any(view.estimate.is_estimated and not view.estimate.gaps for view in views):
        yield f"{ABOUT} estimated in part; the first launch replaces the guesses by the engine's own figures"
    if any(view.estimate.gaps for view in views):
        yield f"{OVER} a lower bound: the file does not say all that memory follows from"
    trained = [(e.facts.name, e.facts.context_train) for e in report.entries if e.memory is not None]
    beyond = [f"{name} ({ctx})" for name, ctx in trained if ctx is not None and ctx < (ctx_size or 0)]
    if beyond:
        yield f"{ctx_size} tokens are more than was trained with: {', '.join(dict.fromkeys(beyond))}"
    asked = "no engine: none was asked yet" if engine is None else f"engine {engine.version}"
    yield f"held against {asked}"


def _table(report: ModelReport, ctx_size: int | None) -> Table:
    table = Table()
    figures = "memory GiB" if ctx_size is None else f"GiB at {ctx_size}"
    for name in (
        "model",
        "quant",
        "GiB",
        "architecture",
        "context",
        "MTP",
        figures,
        "fit",
        "largest context",
    ):
        right = name in {"GiB", "context", figures, "largest context"}
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for entry in report.entries:
        facts = entry.facts
        table.add_row(
            Text(printable(facts.name)),
            Text(printable(facts.quant)),
            f"{facts.size_bytes / GIB:.1f}",
            Text(printable(facts.arch)),
            NONE if facts.context_train is None else str(facts.context_train),
            _mtp(entry),
            *_memory(entry.memory),
        )
    return table


def _mtp(entry: ModelEntry) -> str:
    facts = entry.facts
    if facts.mtp == "sidecar":
        word = "only a head"
    elif facts.mtp == "embedded":
        word = "yes"
    else:
        word = "sidecar" if facts.sidecars else "no"
    return f"{word}, not in this build" if entry.head_runs == "no" else word


def _memory(view: MemoryView | None) -> tuple[str, str, str]:
    """Memory taken of the memory there is, whether it fits, and the largest context that does."""
    if view is None:
        return NONE, NONE, NONE
    free = None if view.room is None else view.room.free_bytes
    taken = _taken(view.estimate)
    largest = NONE if view.largest_ctx is None else str(view.largest_ctx)
    return taken if free is None else f"{taken} of {free / GIB:.1f}", FITS[view.state], largest


def _taken(estimate: MemoryEstimate) -> str:
    """How much, and how sure it is."""
    if estimate.gaps and estimate.total_bytes < GIB // 20:
        return NONE  # nothing of it is known
    size = f"{estimate.total_bytes / GIB:.1f}"
    if estimate.gaps:
        return f"{OVER}{size}"
    return f"{ABOUT}{size}" if estimate.is_estimated else size
