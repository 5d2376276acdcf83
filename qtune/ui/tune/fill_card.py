"""What a fill test found: each context and share with answer, memory and speed, and the largest safe one."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from qtune.session.findings import JobResult
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.widgets.grid import Cell, Grid, filled
from qtune.ui.widgets.parts import Note, NoteList, button, label
from qtune.ui.words import figure_words, figures_text, texts


class FillCard(QFrame):
    """Reads the workbench's newest result; hidden for every other job."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._tokens = LIGHT
        self.title = label(factor=0.95, bold=True)
        self.about = label("muted", 0.92, wrap=True)
        self.largest = label(factor=1.1, bold=True, wrap=True)
        self.take = button("primary")
        self.take.clicked.connect(self._take)
        self.points = Grid()
        self.notes = NoteList()
        answer = QHBoxLayout()
        answer.setSpacing(10)
        answer.addWidget(self.largest, 1)
        answer.addWidget(self.take)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 11, 14, 12)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addLayout(answer)
        column.addWidget(self.about)
        column.addWidget(self.points)
        column.addWidget(self.notes)
        bench.choice_changed.connect(self.refresh_buttons)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.refresh()

    def refresh(self) -> None:
        """Show the newest result, if it is a fill test."""
        found = self._bench.found
        outcome = None if found is None else found.findings.fill
        self.setVisible(outcome is not None)
        self.refresh_buttons()
        if found is None or outcome is None:
            return
        self.title.setText(
            self.tr("Filled context with {preset}").format(preset=texts.arm_title(outcome.preset))
        )
        self.about.setText(
            self.tr(
                "Each context was filled with prose to 50, 75 and 92 %, by the server's own count of tokens,"
                " with a whole answer wanted each time."
            )
        )
        self.points.show_rows(*filled(self._heading(), self._rows(found)))
        self._show_largest(found)
        verdict = found.result.verdict
        told = {verdict.sentence, *verdict.reasons}
        more = [m for m in (outcome.sentence, *outcome.reasons) if m not in told]
        self.notes.show_notes([Note(texts.sentence(m), hint=texts.hint(m)) for m in more], self._tokens)

    def _heading(self) -> list[Cell]:
        return [
            Cell(self.tr("Context"), about=figure_words.about("context")),
            Cell(self.tr("Full"), about=self.tr("Share of the context that the prompt fills.")),
            Cell(self.tr("Depth"), about=self.tr("Prompt tokens the server counted.")),
            Cell(self.tr("Answered"), about=figure_words.about("answered")),
            Cell(self.tr("Peak memory"), about=self.tr("Most memory in use from the request on.")),
            Cell(self.tr("Free"), about=self.tr("What the card had left then.")),
            Cell(self.tr("Decode tok/s"), about=figure_words.about("decode")),
            Cell(self.tr("First token"), about=figure_words.about("first_token")),
        ]

    def _rows(self, found: JobResult) -> list[list[Cell]]:
        outcome, tokens = found.findings.fill, self._tokens
        rows = []
        for point in () if outcome is None else outcome.points:
            failure = "" if point.failure is None else texts.sentence(point.failure)
            answered = (
                Cell(self.tr("yes"), "yes", tokens.good, "good")
                if point.ok
                else Cell(self.tr("no"), "no", tokens.bad, "bad", about=failure)
            )
            short = (
                outcome is not None and point.free_bytes is not None and point.free_bytes < outcome.keep_bytes
            )
            rows.append(
                [
                    Cell(figures_text.context(point.ctx_size), strong=True),
                    Cell(f"{point.share} %" if point.share else self.tr("loading")),
                    Cell(figures_text.count(point.filled)),
                    answered,
                    Cell(figures_text.memory(point.peak_bytes)),
                    Cell(figures_text.memory(point.free_bytes), "warning" if short else "", tokens.warn),
                    Cell(figures_text.rate(point.decode_tok_s)),
                    Cell(figures_text.milliseconds(point.ttft_ms)),
                ]
            )
        return rows

    def _show_largest(self, found: JobResult) -> None:
        outcome = found.findings.fill
        if outcome is None:
            return
        safe = outcome.largest_safe_ctx
        if safe is None:
            self.largest.setText(self.tr("No context tried is known to be safe."))
            return
        text = self.tr("Largest safe context: {context}").format(context=figures_text.context(safe))
        if outcome.margin_bytes is not None:
            text = self.tr("{text}, {free} stay free").format(
                text=text, free=figures_text.memory(outcome.margin_bytes)
            )
        self.largest.setText(text)

    def refresh_buttons(self) -> None:
        """Offer the safe context while it is another than the chosen one."""
        safe = self._safe()
        self.take.setText(self.tr("Use this context"))
        self.take.setVisible(safe is not None and safe != self._bench.ctx_size)
        self.take.setEnabled(self._bench.idle)

    def _safe(self) -> int | None:
        found = self._bench.found
        outcome = None if found is None else found.findings.fill
        return None if outcome is None else outcome.largest_safe_ctx

    def _take(self) -> None:
        safe = self._safe()
        if safe is not None:
            self._bench.choose_context(safe)
