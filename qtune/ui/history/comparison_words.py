"""Names, looks and figures of the sides of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from PySide6.QtCore import QCoreApplication

from qtune.core.engine_facts import EngineFacts
from qtune.core.interval import PAIRS_LEAST
from qtune.core.messages import QT_TRANSLATE_NOOP
from qtune.core.records import RunRecord
from qtune.core.run_difference import Fact, device_names
from qtune.core.side_by_side import FigureName, Level, SideFigures
from qtune.core.side_names import Aspect, telling
from qtune.session.run_comparison import Line
from qtune.ui.plots.side_charts import Bar, Look, Stroke
from qtune.ui.words import figures_text, texts

MOST: Final = 8
"""Sides that are shown; more could not be told apart by eye."""
_LETTERS: Final = "ABCDEFGH"
_APART: Final = " · "
_FACTS: Final[Mapping[Fact, str]] = {
    "model": QT_TRANSLATE_NOOP("history", "Model"),
    "quant": QT_TRANSLATE_NOOP("history", "Quantisation"),
    "engine": QT_TRANSLATE_NOOP("history", "Engine build"),
    "card": QT_TRANSLATE_NOOP("history", "Device"),
    "driver": QT_TRANSLATE_NOOP("history", "Driver"),
    "power": QT_TRANSLATE_NOOP("history", "Power limit"),
}
_translate = QCoreApplication.translate


def looks_of(sides: Sequence[SideFigures]) -> list[Look]:
    """A letter for each, and a name in which everything stands that tells it apart."""
    names = names_of([side.side.runs[0][0] for side in sides])
    turns: dict[str, int] = {}
    found = []
    for letter, side, parts in zip(_LETTERS, sides, names, strict=False):
        arm = side.side.arm
        turn = turns.get(arm, -1) + 1
        turns[arm] = turn
        found.append(Look(letter, _APART.join((f"{letter} {parts[0]}", *parts[1:])), arm, turn))
    return found


def names_of(runs: Sequence[RunRecord], *, dated: bool = True) -> list[tuple[str, ...]]:
    """Arm of each run, and after it whatever tells it apart; not ``dated`` where the date stands anyway."""
    found = []
    for run, aspects in zip(runs, telling(runs), strict=True):
        parts = (_aspect(run, aspect) for aspect in aspects if dated or aspect != "date")
        found.append((texts.arm_title(run.arm), *filter(None, parts)))
    return found


def stacked(name: str) -> str:
    """A name in two lines, for columns: the arm above, the rest below."""
    return name.replace(_APART, "\n", 1)


def _aspect(run: RunRecord, aspect: Aspect) -> str:
    settings = run.settings_requested
    say: Mapping[Aspect, Callable[[], str]] = {
        "model": lambda: texts.model_name(run.model),
        "quant": lambda: run.model.quant,
        "build": lambda: build_word(run.engine),
        "card": lambda: texts.listed(device_names(run)),
        "n_max": lambda: texts.arm_title(f"n{settings.n_max}") if settings.mtp else "",
        "ctx_size": lambda: figures_text.context(settings.ctx_size),
        "date": lambda: texts.local_time(run.started_utc),
        "start": lambda: QCoreApplication.translate("history", "start {number}").format(number=run.start),
    }
    return say[aspect]()


def build_word(engine: EngineFacts) -> str:
    """The build of an engine, as short as it can be."""
    return f"b{engine.build}" if engine.build else engine.version


def in_common(sides: Sequence[SideFigures]) -> str:
    """Model, quantisation, build and device as far as they are the same in all sides."""
    runs = [run for side in sides for run, _ in side.side.runs]
    told = (
        {texts.model_name(run.model) for run in runs},
        {run.model.quant for run in runs},
        {build_word(run.engine) for run in runs},
        {texts.listed(device_names(run)) for run in runs},
    )
    return _APART.join(filter(None, (next(iter(words)) for words in told if len(words) == 1)))


def fact_label(fact: Fact) -> str:
    """Name of what runs stand on."""
    return _translate("history", _FACTS[fact])


def fact_word(fact: Fact, value: str) -> str:
    """The value of a fact; the sample by what it is, and a dash where nothing is known."""
    return (texts.stored_model_name(value) if fact == "model" else value) or figures_text.MISSING


def which(side: SideFigures) -> str:
    """When it was measured, and on which build."""
    run = side.side.runs[0][0]
    starts = f" · {len(side.side.runs)} ×" if len(side.side.runs) > 1 else ""
    return f"{texts.local_time(run.started_utc)}\n{build_word(run.engine)}{starts}"


def about_side(side: SideFigures) -> str:
    """What hovering adds: model, engine and computer."""
    run = side.side.runs[0][0]
    return "\n".join((texts.model_name(run.model), run.model.quant, run.engine.version, run.machine.cpu))


def no_interval() -> str:
    """What an interval takes."""
    return QCoreApplication.translate(
        "history",
        "An interval takes {least} medians by text and start, and texts measured in several starts.",
    ).format(least=PAIRS_LEAST)


def told(level: Level | None, say: Callable[[float], str]) -> str:
    """A figure with its interval in percent, or with the range of its requests."""
    if level is None:
        return figures_text.MISSING
    if level.kind == "interval":
        half = (level.high - level.low) / 2 / level.centre
        return f"{say(level.centre)} ± {figures_text.percent(half)}"
    return f"{say(level.centre)}\n{_range(level, say)}"


def with_ratio(side: SideFigures, name: FigureName, say: Callable[[float], str]) -> str:
    """A figure, and what it is against the base: with the interval where there is one."""
    level, ratio = side.levels.get(name), side.against.get(name)
    if level is None:
        return figures_text.MISSING
    if ratio is None:
        return told(level, say)
    below = _range(level, say) if ratio.bounds is None else figures_text.gain_bounds(*ratio.bounds)
    return f"{say(level.centre)} · {figures_text.gain(ratio.ratio)}\n{below}"


def _range(level: Level, say: Callable[[float], str]) -> str:
    """Smallest and largest request, in the brackets that mark them; nothing where there is an interval."""
    return f"({say(level.low)}–{say(level.high)})" if level.kind == "range" else ""


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
