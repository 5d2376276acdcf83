"""What is known of the selected runs: one in full, or several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from qtune.core.changes import Change
from qtune.core.history_query import Marked, RunSummary
from qtune.core.records import RunRecord, RunStatus
from qtune.core.run_difference import differing_settings, unfair
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun
from qtune.session.history_desk import StoredExperiment
from qtune.ui.history import words as history_words
from qtune.ui.history.beside import as_compared, differences_beside, figures_beside
from qtune.ui.history.comparison_words import MOST as COMPARED
from qtune.ui.history.experiment import arm_table, experiment_name, experiment_notes
from qtune.ui.history.run_buttons import RunButtons
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.tune.preset_card import DECISION_LOOKS
from qtune.ui.widgets.grid import Cell, Grid
from qtune.ui.widgets.note_field import NoteField
from qtune.ui.widgets.parts import ElidedLabel, Note, NoteList, Seal, label, line
from qtune.ui.widgets.sideways import Sideways
from qtune.ui.words import texts

MOST = 4
"""Runs that are shown side by side; more would not be compared by eye."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A run as the panel shows it.

    ``verdict`` is that of its experiment, None where there is none; ``changes`` is what the update did that
    brought the engine, driver or power limit it ran on.
    """

    row: RunSummary
    source: ExportRun
    verdict: Verdict | None = None
    changes: tuple[Change, ...] = ()

    @property
    def run(self) -> RunRecord:
        """The run itself."""
        return self.source.run


class HistoryDetail(QScrollArea):
    """Shows what the page hands it; the page carries out what its ``buttons`` ask for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self.shown: tuple[Shown, ...] = ()
        self.experiment: StoredExperiment | None = None
        self._selected = 0
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.nothing = label("muted", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.name, self.about = ElidedLabel(factor=1.2, bold=True), ElidedLabel("muted", 0.95)
        self.hint = label("muted", 0.95, wrap=True)
        self.buttons = RunButtons()
        self.seal, self.sentence = Seal(), label(wrap=True)
        self.warnings, self.remarks = NoteList(), NoteList()
        self.figures_title, self.settings_title, self.note_title = (
            label(factor=0.95, bold=True) for _ in range(3)
        )
        self.figures, self.settings = Grid(apart=6), Grid(apart=6)
        self._figures_room, self._settings_room = Sideways(self.figures), Sideways(self.settings)
        self.same = label("muted", wrap=True)
        self.note = NoteField()
        self._lay_out()

    def _lay_out(self) -> None:
        self._card = QFrame()
        self._card.setObjectName("card")
        verdict = QHBoxLayout()
        verdict.setSpacing(8)
        verdict.addWidget(self.seal, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.sentence, 1)
        column = QVBoxLayout(self._card)
        column.setContentsMargins(14, 11, 14, 12)
        column.setSpacing(7)
        column.addWidget(self.name)
        column.addWidget(self.about)
        column.addWidget(self.hint)
        column.addWidget(self.buttons)
        column.addWidget(line())
        column.addLayout(verdict)
        parts: tuple[QWidget, ...] = (
            *(self.warnings, self.figures_title, self._figures_room),
            *(self.settings_title, self._settings_room),
            *(self.same, self.remarks, self.note_title, self.note),
        )
        for part in parts:
            column.addWidget(part)
        column.addStretch(1)
        self._inside = QWidget()
        self._inside.setObjectName("scrolled")
        outer = QVBoxLayout(self._inside)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.nothing, 1)
        outer.addWidget(self._card, 1)
        self.setWidget(self._inside)
        self.nothing.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for one run; several scroll."""
        return QSize(330, 120)

    # -- for the page ---------------------------------------------------------------------------------------

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.buttons.set_tokens(tokens)
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.setAccessibleName(self.tr("Details of the selected runs"))
        self.buttons.retranslate()
        self.note_title.setText(self.tr("Note"))
        self.note.setPlaceholderText(self.tr("Write something about this run; it is kept when you leave."))
        self.note.setAccessibleName(self.tr("Note on the run"))
        self.figures_title.setText(self.tr("Figures"))
        self.refresh()

    def show_runs(self, shown: Sequence[Shown], marked: Marked) -> None:
        """Show these runs; none of those that are ``marked`` so if they are too many for this panel."""
        again = [s.row.id for s in shown] == [s.row.id for s in self.shown]
        self.shown, self._selected, self.experiment = tuple(shown), marked.runs, None
        self.buttons.show_marks(marked)
        self.refresh()
        if not again:
            self.verticalScrollBar().setValue(0)

    def show_experiment(self, found: StoredExperiment, marked: Marked) -> None:
        """Show a stored experiment with its verdict; ``marked`` are its runs that are listed."""
        again = self.experiment is not None and self.experiment.record.id == found.record.id
        self.shown, self._selected, self.experiment = (), marked.runs, found
        self.buttons.show_marks(marked)
        self.refresh()
        if again:
            return
        self.verticalScrollBar().setValue(0)

    def refresh(self) -> None:
        """Show everything of the runs at hand."""
        shown, one = self.shown, len(self.shown) == 1
        self.nothing.setVisible(not self._selected)
        self.nothing.setText(
            self.tr("Select a run to see all of it, or several (Ctrl or Shift) to compare them side by side.")
        )
        self._card.setVisible(self._selected > 0)
        self.note_title.setVisible(one)
        self.note.setVisible(one)
        for part in (self.figures_title, self.settings_title, self.same):
            part.setVisible(bool(shown))
        self.hint.hide()
        if one:
            self._show_one(shown[0])
        elif self.experiment is not None:
            self.note.leave()
            self._show_experiment(self.experiment)
        else:
            self.note.leave()
            self._show_many()
        self._figures_room.set_name(self.figures_title.text())
        self._settings_room.set_name(self.settings_title.text())

    # -- one run --------------------------------------------------------------------------------------------

    def _show_one(self, shown: Shown) -> None:
        row, run = shown.row, shown.run
        model = " · ".join(part for part in (texts.model_name(run.model), row.quant) if part)
        self.name.setText(f"{texts.arm_title(row.arm)} · {model}")
        build = self.tr("build {number}").format(number=row.engine_build) if row.engine_build else row.engine
        self.about.setText(" · ".join(filter(None, (history_words.when(row.started_utc), row.device, build))))
        self.about.show()
        self.about.set_about("\n".join(filter(None, (run.model.path, row.engine, texts.job_title(row.kind)))))
        self._show_verdict(shown.verdict)
        self.warnings.show_notes(list(self._faults(run)), self._tokens)
        self.figures.show_rows(
            [Cell(self.tr("Figure")), Cell(self.tr("Value"))],
            [
                [Cell(name, about=about), Cell(value, about=about)]
                for name, value, about in history_words.figures(row)
            ],
        )
        self._show_changed(run)
        self.remarks.show_notes([*_changed_since(shown.changes), *self._remarks(run)], self._tokens)
        self.note.show_note(row.id, row.note)

    def _show_verdict(self, found: Verdict | None) -> None:
        self.sentence.setVisible(found is not None)
        if found is None:
            self.seal.show_word("", "unknown", "idle", self._tokens)
            return
        shape, tone = DECISION_LOOKS.get(found.decision, ("unknown", "idle"))
        self.seal.show_word(texts.decision_word(found.decision), shape, tone, self._tokens)
        self.sentence.setText(texts.sentence(found.sentence))

    def _faults(self, run: RunRecord) -> Iterator[Note]:
        if run.failure is not None and run.status is not RunStatus.CANCELLED:
            yield Note(texts.run_note(run), "crashed", "bad", texts.hint(run.failure), strong=True)
        elif run.status is not RunStatus.DONE:
            yield Note(texts.run_state_word(run.status), "info", "accent")
        effective = run.settings_effective
        for message in () if effective is None else effective.mismatches:
            yield Note(texts.sentence(message), "warning", "warn", texts.hint(message))

    def _show_changed(self, run: RunRecord) -> None:
        changed = history_words.changed(run)
        self.settings_title.setText(self.tr("Settings that are not the default"))
        self.settings.show_rows(
            [Cell(self.tr("Setting")), Cell(self.tr("This run")), Cell(self.tr("Default"))],
            [
                [
                    Cell(texts.setting_label(s.key), about=texts.setting_about(s.key)),
                    Cell(history_words.value_word(mine), strong=True),
                    Cell(history_words.value_word(usual), tone="muted"),
                ]
                for s, mine, usual in changed
            ],
        )
        self.same.setText(self.tr("Everything was left at its default."))
        self.same.setVisible(not changed)

    def _remarks(self, run: RunRecord) -> Iterator[Note]:
        effective = run.settings_effective
        if effective is not None and effective.verified:
            yield Note(self.tr("The running server was asked and uses these settings."), "yes", "good")
        elif effective is None or not effective.mismatches:
            yield Note(self.tr("The settings were not read back from the running server."), "unknown", "idle")
        for message in run.notes:
            yield Note(texts.sentence(message), "info", "idle", texts.hint(message))

    # -- an experiment --------------------------------------------------------------------------------------

    def _show_experiment(self, found: StoredExperiment) -> None:
        name, about = experiment_name(found)
        self.name.setText(name)
        self.about.setText(about)
        self.about.set_about(about)
        self.about.show()
        self._show_verdict(found.verdict)
        faults = [note for run, _ in found.runs for note in self._faults(run)]
        self.warnings.show_notes(list(dict.fromkeys(faults)), self._tokens)
        self.figures_title.setVisible(True)
        self.figures.show_rows(*arm_table(found, self._tokens))
        self.settings.show_rows([], [])
        self.remarks.show_notes(experiment_notes(found), self._tokens)

    # -- several --------------------------------------------------------------------------------------------

    def _show_many(self) -> None:
        shown = self.shown
        self.name.setText(self.tr("%Ln run(s) selected", "", self._selected))
        self.about.setText("")
        self.about.set_about("")
        self.about.hide()
        self.hint.setText(self._about_many())
        self.hint.setVisible(not shown)
        self.seal.show_word("", "unknown", "idle", self._tokens)
        self.sentence.hide()
        self.remarks.show_notes([], self._tokens)
        if not shown:
            self.warnings.show_notes([], self._tokens)
            self.figures.show_rows([], [])
            self.settings.show_rows([], [])
            return
        shown = as_compared(shown)
        kinds = [s.row.kind for s in shown]
        found = unfair([(s.source.run, s.source.requests) for s in shown], kinds)
        notes = [Note(f"{texts.sentence(m)} {texts.hint(m)}", "warning", "warn") for m in found]
        self.warnings.show_notes(notes, self._tokens)
        self.figures.show_rows(*figures_beside(shown, self._tokens))
        self.settings_title.setText(self.tr("What differs"))
        self.settings.show_rows(*differences_beside(shown, self._tokens))
        self.same.setText(self.tr("All settings are equal."))
        self.same.setVisible(not differing_settings([one.run for one in shown]))

    def _about_many(self) -> str:
        """How many of them a comparison shows, and that everything else is done to all."""
        every = self.tr("All of them can be exported, marked or deleted together.")
        if self._selected <= COMPARED:
            return self.tr("Compare shows them side by side.") + " " + every
        some = self.tr("Compare shows up to {most} side by side, from the top.").format(most=COMPARED)
        return f"{some} {every}"


def _changed_since(found: Sequence[Change]) -> Iterator[Note]:
    """What the last update did to the speed; an alarm stands out."""
    looks = {"slower": ("worse", "bad"), "faster": ("better", "good"), "same": ("equal", "idle")}
    for change in found:
        shape, tone = looks.get(change.direction, ("unknown", "idle"))
        more = " ".join(filter(None, (texts.hint(change.sentence), *map(texts.sentence, change.also))))
        yield Note(texts.sentence(change.sentence), shape, tone, more, strong=change.alarming)
