"""Names, looks and figures of the sides of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from qtune.core.side_by_side import FigureName, Level, SideFigures
from qtune.session.run_comparison import Line
from qtune.ui.plots.side_charts import Bar, Look, Stroke
from qtune.ui.words import figures_text, texts

MOST: Final = 8
"""Sides that are shown; more could not be told apart by eye."""
_LETTERS: Final = "ABCDEFGH"


def looks_of(sides: Sequence[SideFigures]) -> list[Look]:
    """A letter for each; sides of one arm are told apart by their turn."""
    turns: dict[str, int] = {}
    found = []
    for letter, side in zip(_LETTERS, sides, strict=False):
        arm = side.side.arm
        turn = turns.get(arm, -1) + 1
        turns[arm] = turn
        found.append(Look(letter, f"{letter} {texts.arm_title(arm)}", arm, turn))
    return found


def which(side: SideFigures) -> str:
    """When it was measured, and on which build."""
    run = side.side.runs[0][0]
    build = f"b{run.engine.build}" if run.engine.build else run.engine.version
    starts = f" · {len(side.side.runs)} ×" if len(side.side.runs) > 1 else ""
    return f"{texts.local_time(run.started_utc)}\n{build}{starts}"


def about_side(side: SideFigures) -> str:
    """What hovering adds: model, engine and computer."""
    run = side.side.runs[0][0]
    return "\n".join((texts.model_name(run.model), run.model.quant, run.engine.version, run.machine.cpu))


def told(level: Level | None, say: Callable[[float], str]) -> str:
    """A figure with its interval in percent, or with the range of its requests."""
    if level is None:
        return figures_text.MISSING
    if level.kind == "interval":
        half = (level.high - level.low) / 2 / level.centre
        return f"{say(level.centre)} ± {figures_text.percent(half)}"
    return f"{say(level.centre)}\n({say(level.low)}–{say(level.high)})"


def with_ratio(side: SideFigures, name: FigureName, say: Callable[[float], str]) -> str:
    """A figure, and under it what it is against the first side."""
    level, ratio = side.levels.get(name), side.against.get(name)
    if level is None:
        return figures_text.MISSING
    if ratio is None:
        return told(level, say)
    bounds = figures_text.gain_bounds(ratio.low, ratio.high)
    return f"{say(level.centre)} · {figures_text.gain(ratio.ratio)}\n{bounds}"


def bar_of(side: SideFigures, look: Look, name: FigureName, say: Callable[[float], str], scale: float) -> Bar:
    """The bar of a figure; ``scale`` brings the value into the unit of the chart, which ``say`` writes."""
    level = side.levels.get(name)
    if level is None:
        return Bar(look, None)
    value, low, high = level.centre * scale, level.low * scale, level.high * scale
    about = f"{look.name} · {say(value)} ({say(low)}–{say(high)})"
    return Bar(look, value, low, high, sure=level.kind == "interval", about=about)


def strokes_of(lines: Sequence[Line], looks: Mapping[str, Look], scale: float) -> list[Stroke]:
    """Lines of the sides that are shown."""
    return [
        Stroke(looks[line.side], tuple((x, y * scale) for x, y in line.points))
        for line in lines
        if line.side in looks
    ]


def short(decimals: int) -> Callable[[float], str]:
    """Writes a value with so many decimals and without its unit."""
    return lambda value: figures_text.number(value, decimals)
