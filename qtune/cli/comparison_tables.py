"""Runs side by side and what updates did to the speed: for a person."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from qtune.cli.doctor_tables import NONE
from qtune.cli.experiment_tables import DECISIONS, MIB
from qtune.cli.history_tables import SHORT, settings_table
from qtune.cli.printing import printable
from qtune.core.changes import Change
from qtune.core.interval import PAIRS_LEAST, Interval
from qtune.core.records import RunRecord
from qtune.core.run_difference import Fact, device_names
from qtune.core.side_by_side import FigureName, Level, SideFigures, Units
from qtune.core.side_names import Aspect, telling
from qtune.session.run_comparison import RunComparison

_NAMES: dict[FigureName, tuple[str, int]] = {
    "decode_tok_s": ("decode tok/s", 1),
    "ttft_ms": ("TTFT ms", 0),
    "total_ms": ("total ms", 0),
    "prefill_tok_s": ("prefill tok/s", 0),
}
_FACTS: dict[Fact, str] = {
    "model": "model",
    "quant": "quantisation",
    "engine": "engine",
    "card": "device",
    "driver": "driver",
    "power": "power limit",
}


def comparison_parts(found: RunComparison) -> list[RenderableType]:
    """Figures side by side, the settings that differ, and what makes the comparison unfair."""
    names = _names(found.sides)
    table = Table(title_justify="left")
    table.add_column("figure", overflow="fold")
    for name in names:
        table.add_column(_cell(name), justify="right", overflow="fold")
    for figure, (word, digits) in _NAMES.items():
        if any(figure in side.levels for side in found.sides):
            _add(table, word, [_level(side.levels.get(figure), digits) for side in found.sides])
            _add(table, "  x the first", [_ratio(side.against.get(figure)) for side in found.sides])
    _add(table, "verdict", [DECISIONS.get(side.decision or "", NONE) for side in found.sides])
    _add(table, "measured", [_units(side.units) for side in found.sides])
    _add(table, "peak MiB", [_peak(side) for side in found.sides])
    energies = [found.joules.get(side.side.name) for side in found.sides]
    _add(table, "J/token", [NONE if joule is None else f"{joule:.2f}" for joule in energies])
    _add(table, "requests counted", [str(side.counted) for side in found.sides])
    sides = list(zip(names, found.sides, strict=True))
    told = [f"No ratio for {name}: {side.why.sentence()}" for name, side in sides if side.why is not None]
    told += [f"Left out of the ratio of {n}: {r.sentence()}" for n, side in sides for r in side.dropped]
    told += [f"Not a fair comparison: {w.sentence()} {w.hint()}".rstrip() for w in found.unfair]
    return [
        table,
        _cell(_legend(found.sides)),
        *_depths(found, names),
        *_facts(found, names),
        *settings_table(found.settings, names),
        *map(_cell, dict.fromkeys(told)),
    ]


def changes_parts(found: Sequence[Change]) -> list[RenderableType]:
    """One sentence for each update, the newest first, and what else changed with it."""
    if not found:
        return [Text("No engine, driver or power limit has changed yet between runs of the same settings.")]
    parts: list[RenderableType] = []
    for change in found:
        style = {"slower": "bold red", "faster": "bold green"}.get(change.direction, "")
        about = f"{change.first_utc[:10]}  {change.place.device}  "
        parts.append(Text(printable(about + change.sentence.sentence()), style=style))
        parts += [_cell(f"            {message.sentence()}") for message in change.also]
    return parts


def _names(sides: Sequence[SideFigures]) -> list[str]:
    """Arm, what else tells it apart, and the beginning of the id or the number of starts it is made of."""
    runs = [one.side.runs[0][0] for one in sides]
    names = []
    for one, run, aspects in zip(sides, runs, telling(runs), strict=True):
        told = [_aspect(run, aspect) for aspect in aspects if aspect != "date"]  # the id does as much
        starts = f"({len(one.side.runs)} starts)" if one.side.whole else ""
        names.append(" ".join(filter(None, (one.side.arm, *told, one.side.name[:SHORT], starts))))
    return names


def _aspect(run: RunRecord, aspect: Aspect) -> str:
    settings = run.settings_requested
    words = {
        "model": run.model.name,
        "quant": run.model.quant,
        "build": f"b{run.engine.build}" if run.engine.build else run.engine.version,
        "card": ", ".join(device_names(run)),
        "n_max": f"n_max {settings.n_max}" if settings.mtp else "",
        "ctx_size": f"context {settings.ctx_size}",
        "start": f"start {run.start}",
    }
    return words[aspect]


def _facts(found: RunComparison, names: Sequence[str]) -> list[RenderableType]:
    """Models, engines and cards that are not the same everywhere."""
    if not found.facts:
        return []
    table = Table(title="Measured on", title_justify="left")
    for name in ("", *names):
        table.add_column(_cell(name), overflow="fold")
    for fact, values in found.facts.items():
        table.add_row(_FACTS[fact], *(_cell(value or NONE) for value in values))
    return [table]


def _units(units: Units | None) -> str:
    """What a side's figures rest on, which decides whether there is an interval."""
    if units is None:
        return NONE
    counts = ((units.texts, "text"), (units.starts, "start"))
    return ", ".join(f"{count} {name}" + ("s" if count > 1 else "") for count, name in counts)


def _add(table: Table, name: str, values: Sequence[str]) -> None:
    """A row, unless it says nothing of any side."""
    if any(value != NONE for value in values):
        table.add_row(name, *(_cell(value) for value in values))


def _level(level: Level | None, digits: int) -> str:
    if level is None:
        return NONE
    brackets = "()" if level.kind == "interval" else "[]"
    bounds = f"{level.low:.{digits}f}..{level.high:.{digits}f}"
    return f"{level.centre:.{digits}f} {brackets[0]}{bounds}{brackets[1]}"


def _ratio(ratio: Interval | None) -> str:
    if ratio is None:
        return NONE
    if ratio.bounds is None:
        return f"{ratio.ratio:.2f}"
    low, high = ratio.bounds
    return f"{ratio.ratio:.2f} ({low:.2f}..{high:.2f})"


def _legend(sides: Sequence[SideFigures]) -> str:
    kinds = {level.kind for side in sides for level in side.levels.values()}
    kinds |= {ratio.kind for side in sides for ratio in side.against.values()}
    told = {
        "interval": "(a..b): 95 % interval.",
        "range": "[a..b]: smallest and largest request. No interval: it takes"
        f" {PAIRS_LEAST} medians by text and start, and texts measured in several starts.",
    }
    return " ".join(text for kind, text in told.items() if kind in kinds)


def _peak(side: SideFigures) -> str:
    peak = None if side.memory is None else side.memory.peak
    return NONE if peak is None else f"{peak / MIB:.0f}"


def _depths(found: RunComparison, names: Sequence[str]) -> list[RenderableType]:
    """Decode over filled context, where the sides are context sweeps."""
    if not found.depths:
        return []
    table = Table(title="decode tok/s by filled context", title_justify="left")
    table.add_column("tokens", justify="right")
    for name in names:
        table.add_column(_cell(name), justify="right")
    by_place = {(point.depth, point.arm): point for point in found.depths}
    for depth in sorted({point.depth for point in found.depths}):
        cells = []
        for side in found.sides:
            point = by_place.get((depth, side.side.name))
            rate = None if point is None else point.decode_tok_s
            change = None if point is None else point.decode_change_pct
            cells.append(NONE if rate is None else f"{rate:.1f} {change or 0:+.0f} %")
        table.add_row(str(depth), *cells)
    return [table]


def _cell(text: str) -> Text:
    return Text(printable(text))
