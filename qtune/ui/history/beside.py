"""A few runs side by side in the narrow panel beside the list: their figures, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from qtune.core.run_difference import differing_facts
from qtune.core.side_by_side import in_order, sides
from qtune.ui.history import words as history_words
from qtune.ui.history.comparison_words import fact_label, fact_word, names_of
from qtune.ui.theme import Tokens, symbol
from qtune.ui.widgets.grid import Cell
from qtune.ui.words import figures_text, texts

if TYPE_CHECKING:
    from qtune.ui.history.detail import Shown

Rows = tuple[list[Cell], list[list[Cell]]]
"""Heading and rows of a table."""


def as_compared(shown: Sequence[Shown]) -> tuple[Shown, ...]:
    """In the order of a comparison: what the others are held against comes first."""
    by_id = {one.run.id: one for one in shown}
    found = in_order(sides([(one.run, one.source.requests) for one in shown]))
    return tuple(by_id[side.name] for side in found)


def figures_beside(shown: Sequence[Shown], tokens: Tokens) -> Rows:
    """Figures of each run, and how much faster it decodes than the first."""
    columns = [history_words.figures(one.row) for one in shown]
    rows = [
        [Cell(lines[0][0], about=lines[0][2]), *(Cell(value, about=about) for _, value, about in lines)]
        for lines in zip(*columns, strict=True)
        if any(value != figures_text.MISSING for _, value, _ in lines)
    ]
    gains = [history_words.gain(one.row, shown[0].row) for one in shown]
    if any(gains):
        about = QCoreApplication.translate(
            "history", "Decode rate against that of the first column; Compare shows how sure it is."
        )
        name = QCoreApplication.translate("history", "Against the first")
        rows.insert(1, [Cell(name, about=about), *(Cell(text, strong=True, about=about) for text in gains)])
    return _heads(QCoreApplication.translate("history", "Figure"), shown, tokens), rows


def differences_beside(shown: Sequence[Shown], tokens: Tokens) -> Rows:
    """What the runs stood on, and the settings asked for, as far as they are not the same."""
    runs = [one.run for one in shown]
    facts = [
        [
            Cell(fact_label(fact)),
            *(
                Cell(fact_word(fact, word), about=value)
                for word, value in zip(_short(values), values, strict=True)
            ),
        ]
        for fact, values in differing_facts(runs).items()
    ]
    settings = [
        [
            Cell(texts.setting_label(s.key), about=texts.setting_about(s.key)),
            *(Cell(history_words.value_word(run.settings_requested.get(s.key))) for run in runs),
        ]
        for s in history_words.unlike(runs)
    ]
    return _heads("", shown, tokens), [*facts, *settings]


def _short(values: Sequence[str]) -> list[str]:
    """Without what stands in brackets, such as the commit of a build, unless only that tells them apart."""
    words = [value.partition(" (")[0] for value in values]
    return words if len(set(words)) == len(set(values)) else list(values)


def _heads(first: str, shown: Sequence[Shown], tokens: Tokens) -> list[Cell]:
    """Arm, what else tells a run apart, and when it was; each in a line of its own, for there is no room."""
    names = names_of([one.run for one in shown], dated=False)
    heads = [Cell(first)]
    for one, parts in zip(shown, names, strict=True):
        row = one.row
        lines = (*parts, *history_words.when(row.started_utc).rsplit(" ", 1))
        about = (texts.model_name(one.run.model), row.quant, row.engine, row.device)
        heads.append(Cell("\n".join(lines), symbol(row.arm), tokens.arm(row.arm), about="\n".join(about)))
    return heads
