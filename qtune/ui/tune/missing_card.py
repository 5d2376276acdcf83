"""Above the workplace without an engine or a model: what is missing, and the way to the first steps."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.widgets.parts import Note, NoteList, button
from qtune.ui.widgets.tips import set_tip


class MissingCard(QFrame):
    """Hidden as long as it is not known what is missing, and as soon as nothing is."""

    steps_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._tokens = LIGHT
        self.notes = NoteList()
        self.steps = button()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.addWidget(self.notes, 1)
        row.addWidget(self.steps)
        self.steps.clicked.connect(self.steps_wanted)
        bench.source_changed.connect(self.refresh)
        bench.finder.host_changed.connect(self.refresh)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.steps.setText(self.tr("First steps"))
        set_tip(self.steps, self.tr("Where engines and models are found, and how to try without any."))
        self.steps.setAccessibleName(self.steps.text())
        self.refresh()

    def refresh(self) -> None:
        """Show what is missing now."""
        bench = self._bench
        known = bench.finder.engines_known and bench.finder.report is not None
        notes = []
        if bench.engine_facts is None:
            text = self.tr("No engine: no llama-server was found, and the bundled one is not installed.")
            notes.append(Note(text, "warning", "warn"))
        if bench.model is None:
            text = self.tr("No model: choose a GGUF file, or drop one onto this window.")
            notes.append(Note(text, "warning", "warn"))
        self.notes.show_notes(notes, self._tokens)
        self.setVisible(known and bool(notes))
