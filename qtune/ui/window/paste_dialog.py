"""Shows what was understood of a pasted command before anything is changed by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from qtune.core.command_text import PastedCommand
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.settings import SETTINGS, ServerSettings, diff
from qtune.ui.state.own_settings import Intake
from qtune.ui.theme import GAP, Tokens, mono
from qtune.ui.widgets.parts import Note, NoteList, label
from qtune.ui.window import pasted_words
from qtune.ui.words import figures_text, texts
from qtune.ui.words.ladder_words import value_word

WIDTH = 680
HIGHEST = 620


@dataclass(frozen=True, slots=True)
class Understood:
    """A command beside what is chosen now.

    Attributes:
        before: What would be launched now.
        after: What would be launched with the command.
        model: The model it names, if it is one and is there.
        engine: The server it names, if its place is known.
        problems: What keeps model or engine from being taken.
    """

    pasted: PastedCommand
    intake: Intake
    before: ServerSettings
    after: ServerSettings
    model: ModelFacts | None
    engine: Path | None
    problems: tuple[Message, ...]

    @property
    def unchanged(self) -> list[str]:
        """Keys the command names with the value that holds already."""
        return [k for k in self.pasted.settings if self.before.get(k) == self.after.get(k)]


class PasteDialog(QDialog):
    """Open it with ``open``; ``on_apply`` is called for Apply alone. Deletes itself."""

    def __init__(
        self, parent: QWidget, shown: Understood, tokens: Tokens, on_apply: Callable[[], None]
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Settings from a command"))
        self._shown = shown
        self._tokens = tokens
        self.lines: list[tuple[str, ...]] = []
        self._page = QWidget()
        self._column = QVBoxLayout(self._page)
        self._column.setContentsMargins(2, 2, 10, 2)
        self._column.setSpacing(6)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self._page)
        box = QDialogButtonBox()
        self.apply = QPushButton(self.tr("Apply"))
        self.apply.setProperty("kind", "primary")
        self.cancel = QPushButton(self.tr("Cancel"))
        box.addButton(self.apply, QDialogButtonBox.ButtonRole.AcceptRole)
        box.addButton(self.cancel, QDialogButtonBox.ButtonRole.RejectRole)
        self.apply.setDefault(True)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        self.accepted.connect(on_apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP + 4, GAP + 4, GAP + 4, GAP)
        column.setSpacing(GAP)
        column.addWidget(scroll, 1)
        column.addWidget(box)
        self._fill()
        self._column.addStretch(1)
        self.resize(WIDTH, min(HIGHEST, self._column.heightForWidth(WIDTH - 60) + 100))

    def _fill(self) -> None:
        shown = self._shown
        self._files()
        self._changes()
        notes = (*shown.problems, *shown.intake.problems, *shown.after.problems())
        if notes:
            self._notes(
                self.tr("To be known"),
                [Note(texts.sentence(m), "warning", "warn", texts.hint(m)) for m in dict.fromkeys(notes)],
            )
        self._ignored()

    def _files(self) -> None:
        shown = self._shown
        grid = self._grid(self.tr("Model and engine"))
        if shown.model is not None:
            size = figures_text.memory(shown.model.size_bytes)
            model = " · ".join(part for part in (shown.model.name, shown.model.quant, size) if part)
        else:
            model = self.tr("stays as chosen")
        self._row(grid, self.tr("Model"), model)
        engine = self.tr("stays as chosen") if shown.engine is None else str(shown.engine)
        self._row(grid, self.tr("Engine"), engine)
        self._row(grid, self.tr("Preset"), texts.arm_title(shown.intake.preset_id), self._about_preset())

    def _about_preset(self) -> str:
        if self._shown.intake.custom:
            return self.tr("the command drafts with MTP")
        return self.tr("the command runs without MTP")

    def _changes(self) -> None:
        shown = self._shown
        changes = diff(shown.before, shown.after)
        grid = self._grid(self.tr("Settings that change"))
        if not changes:
            self._row(grid, self.tr("none"), "")
        for setting, before, after in changes:
            arrow = value_word(setting, before) + " → " + value_word(setting, after)
            remarks = []
            if setting.key not in shown.pasted.settings:
                remarks.append(self.tr("not in the command: the default"))
            if setting.changes_answers:
                remarks.append(self.tr("can change answers"))
            self._row(grid, texts.setting_label(setting.key), arrow, " · ".join(remarks))
        if shown.unchanged:
            same = label("muted", 0.95, wrap=True)
            words = [
                f"{texts.setting_label(key)} {value_word(SETTINGS[key], shown.after.get(key))}"
                for key in shown.unchanged
            ]
            same.setText(self.tr("As they are already: {settings}").format(settings=texts.listed(words)))
            self._column.addWidget(same)

    def _ignored(self) -> None:
        if not self._shown.pasted.ignored:
            return
        grid = self._grid(self.tr("Not taken over"), three=False)
        for part in self._shown.pasted.ignored:
            self._row(grid, part, pasted_words.reason(part), fixed=True)

    # -- parts ----------------------------------------------------------------------------------------------

    def _title(self, text: str) -> None:
        title = label(bold=True)
        title.setText(text)
        if self._column.count():
            self._column.addSpacing(6)
        self._column.addWidget(title)

    def _grid(self, title: str, *, three: bool = True) -> QGridLayout:
        self._title(title)
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(3)
        grid.setColumnMinimumWidth(0, 150)
        grid.setColumnMinimumWidth(1, 130)
        grid.setColumnStretch(2 if three else 1, 1)
        self._column.addLayout(grid)
        return grid

    def _row(
        self, grid: QGridLayout, name: str, value: str, remark: str = "", *, fixed: bool = False
    ) -> None:
        row = grid.rowCount()
        self.lines.append((name, value, remark))
        for column, text in enumerate((name, value, remark)):
            if not text:
                continue
            muted = column == 2 or (column == 0) != fixed
            made: QLabel = label("muted" if muted else "", wrap=True)
            if fixed and column == 0:
                made.setFont(mono(self.font(), 0.92))
                made.setMaximumWidth(280)
            made.setText(text)
            made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            wide = 2 if column == 1 and not remark else 1
            grid.addWidget(made, row, column, 1, wide, Qt.AlignmentFlag.AlignTop)

    def _notes(self, title: str, notes: list[Note]) -> None:
        self._title(title)
        shown = NoteList()
        shown.show_notes(notes, self._tokens)
        self.lines += [(note.text, note.hint) for note in notes]
        self._column.addWidget(shown)
