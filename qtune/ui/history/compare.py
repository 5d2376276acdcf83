"""Runs or experiments of the history side by side: figures with intervals, bars, lines, settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from qtune.core.records import RunStatus
from qtune.core.settings import SETTINGS
from qtune.core.side_by_side import SideFigures, Units
from qtune.session.run_comparison import RunComparison
from qtune.ui import icons
from qtune.ui.history import words as history_words
from qtune.ui.history.comparison_charts import ComparisonCharts
from qtune.ui.history.comparison_words import (
    about_side,
    fact_label,
    fact_word,
    in_common,
    looks_of,
    no_interval,
    stacked,
    told,
    which,
    with_ratio,
)
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.side_charts import Look
from qtune.ui.theme import GAP, LIGHT, Tokens, symbol
from qtune.ui.tune.preset_card import DECISION_LOOKS
from qtune.ui.widgets.grid import Cell, Grid, filled
from qtune.ui.widgets.parts import ElidedCombo, ElidedLabel, Note, NoteList, button, label, tone_colour
from qtune.ui.widgets.sideways import Sideways
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text, texts

_CHOICE: Final = 24
"""Letters of a side's name that its choice has room for."""


class HistoryComparison(QWidget):
    """Shows what it is handed, eight sides at most; ``closed`` asks for the list again.

    ``base_wanted`` names the side against which the same sides are wanted; what is shown stays meanwhile.

    Attributes:
        found: What is shown.
    """

    closed = Signal()
    base_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self.found: RunComparison | None = None
        self.back, self.title = button(), ElidedLabel(factor=1.15, bold=True)
        self.against_word, self.against = label("muted"), ElidedCombo()
        self.against.setMinimumContentsLength(_CHOICE)
        self.against.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.common = label("muted", wrap=True)
        self.warnings, self.remarks = NoteList(), NoteList()
        self.figures, self.settings = Grid(spread=True), Grid()
        self._figures_room, self._settings_room = Sideways(self.figures), Sideways(self.settings)
        self.legend, self.same, self.settings_title = (
            label("muted", 0.92, wrap=True),
            label("muted", wrap=True),
            label(factor=0.95, bold=True),
        )
        self.plots = ComparisonCharts()
        self.bars, self.decode, self.memory = self.plots.bars, self.plots.decode, self.plots.memory
        self.deep, self.wait = self.plots.deep, self.plots.wait
        self._lay_out()
        self.back.clicked.connect(self.closed)
        self.against.activated.connect(self._want_base)
        leave = QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self)
        leave.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        leave.activated.connect(self.closed)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.back)
        head.addWidget(self.title, 1)
        head.addWidget(self.against_word)
        head.addWidget(self.against)
        self.against_word.setBuddy(self.against)
        card = QFrame()
        card.setObjectName("card")
        table = QVBoxLayout(card)
        table.setContentsMargins(14, 11, 14, 12)
        table.setSpacing(8)
        for part in (self.common, self.warnings, self._figures_room, self.legend, self.remarks):
            table.addWidget(part)
        below = QFrame()
        below.setObjectName("card")
        settings = QVBoxLayout(below)
        settings.setContentsMargins(14, 11, 14, 12)
        settings.setSpacing(6)
        for part in (self.settings_title, self._settings_room, self.same):
            settings.addWidget(part)
        inside = QWidget()
        inside.setObjectName("scrolled")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(card)
        column.addWidget(self.plots)
        column.addWidget(below)
        column.addStretch(1)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidget(inside)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(8)
        page.addLayout(head)
        page.addWidget(self.area, 1)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in their order."""
        return self.plots.charts

    # -- for the page ---------------------------------------------------------------------------------------

    def show_comparison(self, found: RunComparison) -> None:
        """Show this comparison."""
        self.found = found
        self.area.verticalScrollBar().setValue(0)
        self.refresh()

    def show_again(self, found: RunComparison) -> None:
        """Show what is shown against another base, and stay where the user is."""
        before, self.found = self.found, found
        if before is None or _runs(before) != _runs(found):  # one has been purged meanwhile
            self.refresh()
        else:  # lines of many runs take half a second to draw, and none hangs on the base
            self._show_against(found, looks_of(found.sides))

    def show_base(self) -> None:
        """Have the choice name the base of what is shown, whatever was chosen last."""
        if self.found is not None:
            self.against.setCurrentIndex(self.against.findData(self.found.base))

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.back.setIcon(icons.icon("back", tokens.muted))
        self.plots.set_tokens(tokens)
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.back.setText(self.tr("Back to the list"))
        set_tip(self.back, self.tr("The runs stay selected there (Esc or Alt+Left)."))
        self.against_word.setText(self.tr("Compare against"))
        self.against.setAccessibleName(self.tr("Compare against"))
        set_tip(self.against, self.tr("The side whose figures are what the others are more or less than."))
        self.area.setAccessibleName(self.tr("Comparison"))
        self.settings_title.setText(self.tr("What differs"))
        self.same.setText(self.tr("All settings are equal."))
        self.plots.retranslate()
        self.refresh()

    def refresh(self) -> None:
        """Show everything of the comparison at hand."""
        found = self.found
        if found is None:
            return
        looks = looks_of(found.sides)
        self.title.setText(self._heading([look.name for look in looks]))
        common = in_common(found.sides)
        self.common.setText(self.tr("All sides: {what}").format(what=common))
        self.common.setVisible(bool(common))
        self._show_against(found, looks)
        self.plots.show_comparison(found, looks)
        self._show_settings(found, looks)

    def _heading(self, names: list[str]) -> str:
        if len(names) == 2:
            return self.tr("Comparison: {first} and {second}").format(first=names[0], second=names[1])
        others = self.tr("Comparison: {first} and %n other(s)", "", len(names) - 1)
        return others.format(first=names[0] if names else "")

    # -- what the others are held against -------------------------------------------------------------------

    def _show_against(self, found: RunComparison, looks: Sequence[Look]) -> None:
        """Everything that hangs on which side the others are held against."""
        self._show_notes(found, looks)
        self._show_legend(found.sides, looks)
        self._show_figures(found, looks)
        self._show_bases(found, looks)

    def _show_bases(self, found: RunComparison, looks: Sequence[Look]) -> None:
        offered = [(look.name, side.side.name) for side, look in zip(found.sides, looks, strict=True)]
        combo = self.against
        if offered != [(combo.itemText(n), combo.itemData(n)) for n in range(combo.count())]:
            combo.clear()  # not while it is open and the same is offered
            for name, side in offered:
                combo.addItem(name, side)
        self.show_base()
        for part in (self.against_word, combo):
            part.setVisible(len(looks) > 1)

    def _want_base(self, place: int) -> None:
        self.base_wanted.emit(self.against.itemData(place))

    # -- words ----------------------------------------------------------------------------------------------

    def _show_notes(self, found: RunComparison, looks: Sequence[Look]) -> None:
        notes = [
            Note(texts.sentence(message), "warning", "warn", texts.hint(message)) for message in found.unfair
        ]
        if found.beyond:
            text = self.tr("%Ln more run(s) are not shown: eight sides can be told apart.", "", found.beyond)
            notes.append(Note(text, "info", "idle"))
        base = next((n for n, side in enumerate(found.sides) if side.side.name == found.base), 0)
        if not any(side.counted for side in found.sides):
            text = self.tr("None of these sides has figures: no request of them counts.")
            notes.insert(0, Note(text, "crashed", "bad", strong=True))
        elif not found.sides[base].counted:
            text = self.tr("{side} has no figures, so nothing can be held against it. Choose another side.")
            notes.insert(0, Note(text.format(side=looks[base].name), "warning", "warn", strong=True))
        self.warnings.show_notes(notes, self._tokens)
        pairs = list(zip(found.sides, looks, strict=True))
        reasons = [texts.labelled(look.name, text) for side, look in pairs for text in _reasons(side)]
        self.remarks.show_notes([Note(text, "info", "idle") for text in reasons], self._tokens)

    def _show_legend(self, sides: Sequence[SideFigures], looks: Sequence[Look]) -> None:
        kinds = {level.kind for side in sides for level in side.levels.values()}
        told_of = []
        if "interval" in kinds:
            told_of.append(self.tr("± and from–to: 95 % interval."))
        if "range" in kinds:
            told_of += [self.tr("In brackets: smallest and largest request."), no_interval()]
            short = [
                (look.letter, self._units(side.units))
                for side, look in zip(sides, looks, strict=True)
                if side.units is not None and "range" in {level.kind for level in side.levels.values()}
            ]
            if len({units for _, units in short}) == 1:
                told_of.append(self.tr("Here: {units} each.").format(units=short[0][1]))
            else:
                each = "; ".join(f"{letter} {units}" for letter, units in short)
                told_of.append(self.tr("Here: {units}.").format(units=each))
        self.legend.setText(" ".join(told_of))
        self.legend.setVisible(bool(told_of))

    def _units(self, units: Units) -> str:
        """What a figure rests on."""
        starts = self.tr("%n start(s)", "", units.starts)
        return texts.listed((self.tr("%n text(s)", "", units.texts), starts))

    # -- figures --------------------------------------------------------------------------------------------

    def _show_figures(self, found: RunComparison, looks: Sequence[Look]) -> None:
        pairs = list(zip(found.sides, looks, strict=True))
        letter = next((look.letter for side, look in pairs if side.side.name == found.base), "A")
        paired = self.tr("Against {letter}: paired text by text, with the interval of the verdict.")
        against = paired.format(letter=letter)
        heading = [
            Cell(self.tr("Side")),
            Cell(self.tr("Run")),
            Cell(self.tr("Decode tok/s")),
            Cell(self.tr("Against {letter}").format(letter=letter), about=against),
            Cell(self.tr("First token"), about=against),
            Cell(self.tr("Whole request"), about=against),
            Cell(self.tr("Peak memory")),
            Cell(self.tr("J/token")),
            Cell(self.tr("n"), about=self.tr("Counted requests.")),
        ]
        rows = [self._row(side, look, found.joules.get(side.side.name)) for side, look in pairs]
        self.figures.show_rows(*filled(heading, rows))
        self._figures_room.set_name(self.tr("Figures side by side"))

    def _row(self, side: SideFigures, look: Look, joules: float | None) -> list[Cell]:
        peak = None if side.memory is None else side.memory.peak
        return [
            Cell(stacked(look.name), symbol(look.arm), self._tokens.arm(look.arm), strong=True),
            Cell(which(side), tone="muted", about=about_side(side)),
            Cell(told(side.levels.get("decode_tok_s"), figures_text.rate), strong=True),
            self._decided(side),
            Cell(with_ratio(side, "ttft_ms", figures_text.milliseconds)),
            Cell(with_ratio(side, "total_ms", lambda ms: figures_text.seconds(ms / 1000))),
            Cell(figures_text.memory(peak)),
            Cell(figures_text.number(joules, 2)),
            Cell(str(side.counted)),
        ]

    def _decided(self, side: SideFigures) -> Cell:
        """Decode against the base, with what a verdict would say of it, or why it says nothing."""
        ratio = side.against.get("decode_tok_s")
        if side.decision is None or ratio is None:
            return Cell("" if side.why is None else figures_text.MISSING, about=" ".join(_reasons(side)))
        shape, tone = DECISION_LOOKS[side.decision]
        word = f"{texts.decision_word(side.decision)} {figures_text.gain(ratio.ratio)}"
        below, about = "" if side.paired is None else self._units(side.paired), no_interval()
        if ratio.bounds is not None:
            below, about = figures_text.gain_bounds(*ratio.bounds), ""
        return Cell(f"{word}\n{below}", shape, tone_colour(tone, self._tokens), about=about)

    # -- settings -------------------------------------------------------------------------------------------

    def _show_settings(self, found: RunComparison, looks: Sequence[Look]) -> None:
        heads = [Cell(stacked(look.name), symbol(look.arm), self._tokens.arm(look.arm)) for look in looks]
        facts = [
            [Cell(fact_label(fact)), *(Cell(fact_word(fact, value)) for value in values)]
            for fact, values in found.facts.items()
        ]
        settings = [
            [
                Cell(texts.setting_label(key), about=texts.setting_about(key)),
                *(Cell(history_words.value_word(value)) for value in values),
            ]
            for key, values in found.settings.items()
            if key in SETTINGS
        ]
        self.settings.show_rows([Cell(""), *heads], [*facts, *settings])
        self._settings_room.set_name(self.settings_title.text())
        self.same.setVisible(not settings)


def _runs(found: RunComparison) -> list[list[str]]:
    """Ids of the runs of each side."""
    return [[run.id for run, _ in side.side.runs] for side in found.sides]


def _reasons(side: SideFigures) -> list[str]:
    """Why a side is not held against the base, or not with all its texts."""
    broken = [run for run, _ in side.side.runs if run.status is not RunStatus.DONE]
    if broken and not side.counted:
        return [texts.run_note(broken[-1])]
    whole = [] if side.why is None or side.why.code == "side_base_empty" else [texts.sentence(side.why)]
    return [*whole, *map(texts.sentence, side.dropped)]
