"""The models found, for a person. Text from files is never markup and never moves the cursor."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from qtune.cli.doctor_tables import GIB, NONE
from qtune.cli.printing import printable
from qtune.core.memory_facts import FitState, MemoryView
from qtune.core.model_facts import ModelFacts
from qtune.session.requests import ModelReport

FITS: dict[FitState, str] = {
    "fits": "fits",
    "tight": "tight",
    "too_large": "too large",
    "unknown": "unknown",
}


def parts(report: ModelReport, ctx_size: int | None = None) -> list[RenderableType]:
    """The table, the file of each model, how much was found where, and what is wrong."""
    shown: list[RenderableType] = []
    if report.entries:
        shown.append(_table(report, ctx_size))
    files = (f"{facts.name} {facts.quant}: {facts.path}" for facts in (e.facts for e in report.entries))
    shown += [Text(printable(line)) for line in files]
    found = "1 model" if len(report.entries) == 1 else f"{len(report.entries)} models"
    where = ", ".join(printable(folder) for folder in report.folders) or "no folder"
    shown.append(Text(f"{found} in {where}"))
    told = (f"{problem.sentence()} {problem.hint()}".rstrip() for problem in report.problems)
    return [*shown, *(Text(f"* {printable(line)}") for line in told)]


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
            _mtp(facts),
            *_memory(entry.memory),
        )
    return table


def _mtp(facts: ModelFacts) -> str:
    if facts.mtp == "embedded":
        return "yes"
    if facts.mtp == "sidecar":
        return "only a head"
    return "sidecar" if facts.sidecars else "no"


def _memory(view: MemoryView | None) -> tuple[str, str, str]:
    """Memory taken of the memory there is, whether it fits, and the largest context that does."""
    if view is None:
        return NONE, NONE, NONE
    taken = f"{view.estimate.total_bytes / GIB:.1f}"
    room = view.room
    free = None if room is None else room.free_bytes
    largest = NONE if view.largest_ctx is None else str(view.largest_ctx)
    return taken if free is None else f"{taken} of {free / GIB:.1f}", FITS[view.state], largest
