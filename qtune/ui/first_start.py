"""Shown in place of the cards while no model or engine is chosen: one click to try, or one's own files."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from qtune.core.messages import Message
from qtune.ui import figures_text, icons, texts
from qtune.ui.activity import Activity
from qtune.ui.parts import button, label, line
from qtune.ui.theme import LIGHT, Tokens, mono, scaled
from qtune.ui.workbench import Workbench

WIDTH = 720


class FirstStart(QWidget):
    """Asks through signals; looks at the workbench for what is found already."""

    sample_wanted = Signal()
    model_wanted = Signal()
    engine_wanted = Signal()
    again_wanted = Signal()
    models_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._bench = bench
        self._done = 0.0
        self._tokens = LIGHT
        self.title = label(factor=1.6, bold=True, wrap=True)
        self.promise = label("muted", 1.05, wrap=True)
        self.sample = button("primary")
        self.sample.setProperty("size", "large")
        self.sample.setFont(scaled(self.font(), 1.1, bold=True))
        self.honest = label("muted", wrap=True)
        self.missing = label("warn", wrap=True)
        self.command = label()
        self.command.setFont(mono(self.font(), 1.0))
        self.command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.again = button("quiet")
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.writing = label("muted")
        self.own = label(factor=1.15, bold=True)
        self._ticks = (QLabel(), QLabel())
        self.engine_state, self.model_state = label(wrap=True), label(wrap=True)
        self.pick_engine, self.pick_model = button(), button()
        self.found = button("quiet")
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        card = QFrame()
        card.setObjectName("card")
        card.setMaximumWidth(WIDTH)
        column = QVBoxLayout(card)
        column.setContentsMargins(28, 24, 28, 24)
        column.setSpacing(9)
        column.addWidget(self.title)
        column.addWidget(self.promise)
        column.addSpacing(10)
        column.addWidget(self.sample)
        column.addWidget(self.bar)
        column.addWidget(self.writing)
        column.addWidget(self.honest)
        column.addWidget(self.missing)
        install = QHBoxLayout()
        install.addWidget(self.command)
        install.addWidget(self.again)
        install.addStretch(1)
        column.addLayout(install)
        column.addSpacing(8)
        column.addWidget(line())
        column.addSpacing(8)
        column.addWidget(self.own)
        for tick, state, pick in (
            (self._ticks[0], self.engine_state, self.pick_engine),
            (self._ticks[1], self.model_state, self.pick_model),
        ):
            row = QHBoxLayout()
            row.setSpacing(10)
            row.addWidget(tick)
            row.addWidget(state, 1)
            row.addWidget(pick)
            column.addLayout(row)
        here = QHBoxLayout()
        here.setContentsMargins(22, 0, 0, 0)
        here.addWidget(self.found)
        here.addStretch(1)
        column.addLayout(here)
        page = QVBoxLayout(self)
        page.addStretch(1)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(card, 8)
        middle.addStretch(1)
        page.addLayout(middle)
        page.addStretch(2)

    def _connect(self) -> None:
        self.sample.clicked.connect(self.sample_wanted)
        self.pick_engine.clicked.connect(self.engine_wanted)
        self.pick_model.clicked.connect(self.model_wanted)
        self.again.clicked.connect(self.again_wanted)
        self.found.clicked.connect(self.models_wanted)
        self._bench.finder.host_changed.connect(self.refresh)
        self._bench.source_changed.connect(self.refresh)
        self._bench.activity_changed.connect(self.refresh)
        self._bench.sample_progressed.connect(self._on_progress)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("Is MTP worth it on this machine?"))
        self.promise.setText(
            self.tr(
                "qtune starts llama-server with multi-token prediction (MTP) off and on, sends both the same"
                " prompt, and shows what you gain in speed and pay in memory and first-token delay."
            )
        )
        self.sample.setText(self.tr("Use the bundled engine and the sample model"))
        self.honest.setText(
            self.tr(
                "Needs no download and no graphics card. The sample is a small model made by qtune to try the"
                " whole way out; its speed says nothing about your card."
            )
        )
        self.missing.setText(texts.sentence(Message.of("bundled_engine_missing")))
        self.command.setText('pip install "qtune[engine]"')
        self.again.setText(self.tr("Look again"))
        self.own.setText(self.tr("Or choose your own llama-server and model"))
        self.pick_engine.setText(self.tr("Choose llama-server…"))
        self.pick_model.setText(self.tr("Choose a model…"))
        for made in (self.sample, self.again, self.pick_engine, self.pick_model):
            made.setAccessibleName(made.text().rstrip("…"))
        self.refresh()

    def refresh(self) -> None:
        """Show what is found and what is missing."""
        bench = self._bench
        writing = bench.activity is Activity.SAMPLE
        lacking = bench.finder.engines_known and bench.finder.bundled is None
        self.sample.setEnabled(bench.idle and not lacking)
        self.bar.setVisible(writing)
        self.bar.setRange(0, 100 if self._done else 0)
        self.writing.setVisible(writing)
        self.writing.setText(
            self.tr("Writing the sample model: {share}").format(share=figures_text.percent(self._done, 0))
        )
        self.honest.setVisible(not lacking)
        for widget in (self.missing, self.command, self.again):
            widget.setVisible(lacking)
        self._show_state(0, self.engine_state, bench.engine_facts is not None, self._engine_text())
        model = bench.model
        self._show_state(
            1,
            self.model_state,
            model is not None,
            self.tr("Model: a GGUF file, best one with an MTP head. You can drop it onto this window.")
            if model is None
            else self.tr("Model: {name}").format(name=model.name),
        )
        count = bench.finder.with_head
        self.found.setVisible(model is None and count > 0)
        self.found.setText(
            self.tr("%n model(s) with an MTP head found on this computer: choose one", "", count)
        )
        for pick in (self.pick_engine, self.pick_model):
            pick.setEnabled(bench.idle)

    def _engine_text(self) -> str:
        facts = self._bench.engine_facts
        if facts is not None:
            return self.tr("Engine: {version}, {path}").format(version=facts.version, path=facts.ref.path)
        if not self._bench.finder.engines_known:
            return self.tr("Engine: looking for llama-server…")
        return self.tr("Engine: no llama-server was found on this computer.")

    def _show_state(self, row: int, state: QLabel, there: bool, text: str) -> None:  # noqa: FBT001 - two callers
        tokens = self._tokens
        self._ticks[row].setPixmap(
            icons.pixmap("ready", tokens.good, 18) if there else icons.pixmap("stopped", tokens.muted, 18)
        )
        self._ticks[row].setAccessibleName(self.tr("done") if there else self.tr("to do"))
        state.setText(text)

    def _on_progress(self, done: float) -> None:
        self._done = done
        self.bar.setValue(round(done * 100))
        self.refresh()
