"""The result of the newest job: verdict, diagnosis and, where there is one, its curve."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QVBoxLayout, QWidget

from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import GAP, Tokens
from qtune.ui.tune.curve_card import CurveCard
from qtune.ui.tune.diagnosis_card import DiagnosisCard
from qtune.ui.tune.fill_card import FillCard
from qtune.ui.tune.verdict_card import VerdictCard
from qtune.ui.widgets.parts import label

SIDE_BY_SIDE = 1180
"""From this width on, logical pixels, verdict and diagnosis stand beside each other."""


class ResultPage(QScrollArea):
    """Empty with a word on how to fill it until the first job has ended."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.verdict = VerdictCard(bench)
        self.diagnosis = DiagnosisCard(bench)
        self.curve = CurveCard(bench)
        self.fill = FillCard(bench)
        self.nothing = label("muted", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside = QWidget()
        inside.setObjectName("scrolled")
        self._pair = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._pair.setSpacing(GAP)
        left = QVBoxLayout()
        left.setSpacing(GAP)
        left.addWidget(self.verdict)
        left.addWidget(self.fill)
        left.addWidget(self.curve)
        left.addStretch(1)
        right = QVBoxLayout()
        right.addWidget(self.diagnosis)
        right.addStretch(1)
        self._pair.addLayout(left, 3)
        self._pair.addLayout(right, 2)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.nothing)
        column.addLayout(self._pair)
        column.addStretch(1)
        self.setWidget(inside)
        bench.found_changed.connect(self.refresh)
        bench.activity_changed.connect(self.verdict.refresh_buttons)
        bench.activity_changed.connect(self.fill.refresh_buttons)
        bench.presets_changed.connect(self.refresh)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        for card in (self.verdict, self.diagnosis, self.curve, self.fill):
            card.set_tokens(tokens)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.setAccessibleName(self.tr("Result"))
        self.nothing.setText(
            self.tr(
                "No result yet. Compare all tells which preset is worth it; Find best n_max searches the"
                " draft length; Context sweep shows what a filled context costs; Fill the context, under"
                " More, tells whether memory still suffices when it is full."
            )
        )
        self.verdict.retranslate()
        self.refresh()

    def refresh(self) -> None:
        """Show the newest result."""
        newest = self._bench.found
        found = newest is not None
        self.nothing.setVisible(not found)
        self.verdict.setVisible(found)
        # A fill test compares nothing, so there is nothing to diagnose.
        self.diagnosis.setVisible(newest is not None and newest.findings.fill is None)
        for card in (self.verdict, self.diagnosis, self.curve, self.fill):
            card.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side where there is room."""
        super().resizeEvent(event)
        wide = self.viewport().width() >= SIDE_BY_SIDE
        way = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._pair.direction() != way:
            self._pair.setDirection(way)
