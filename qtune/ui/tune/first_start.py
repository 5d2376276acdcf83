"""The first start in three steps: an engine, a model, a first measurement; one click tries all of it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.ui.state.activity import Activity
from qtune.ui.state.finder import BUNDLED
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import Tokens, mono, scaled
from qtune.ui.tune.first_start_step import Standing, StepRow
from qtune.ui.widgets.parts import button, label, line, set_tone
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text, memory_words, texts

WIDTH = 780
RELEASES = "github.com/ggml-org/llama.cpp/releases"
"""Where llama.cpp's own builds are; shown, never opened or fetched from."""


class FirstStart(QWidget):
    """Asks through signals; looks at the workbench for what is found already."""

    sample_wanted = Signal()
    model_wanted = Signal()
    engine_wanted = Signal()
    again_wanted = Signal()
    models_wanted = Signal()
    measure_wanted = Signal()
    result_wanted = Signal()
    skip_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._bench = bench
        self._done = 0.0
        self.title = label(factor=1.6, bold=True, wrap=True)
        self.promise = label("muted", 1.05, wrap=True)
        self._sample_taken = False
        self.sample = button("primary")
        self.sample.setProperty("size", "large")
        self.sample.setFont(scaled(self.font(), 1.1, bold=True))
        self.honest = label("muted", 0.95, wrap=True)
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.writing = label("muted")
        self.engine, self.model, self.first = StepRow(1), StepRow(2), StepRow(3)
        self.command = label()
        self.command.setFont(mono(self.font(), 1.0))
        self.command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.pick_engine, self.again, self.copy = (self.engine.add_tool() for _ in range(3))
        self.use_found, self.pick_model = self.model.add_tool(), self.model.add_tool()
        self.found = self.model.add_tool("quiet")
        self.measure, self.result = self.first.add_tool(), self.first.add_tool()
        self.skip = button("quiet")
        self.later = label("muted", 0.92)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.engine.add_line(self.command)
        card = QFrame()
        card.setObjectName("card")
        card.setMaximumWidth(WIDTH)
        column = QVBoxLayout(card)
        column.setContentsMargins(28, 22, 28, 16)
        column.setSpacing(8)
        for widget in (self.title, self.promise, self.sample, self.bar, self.writing, self.honest):
            column.addWidget(widget)
            column.addSpacing(6 if widget is self.promise else 0)
        for step in self.steps:
            step.close_tools()
            column.addSpacing(4)
            column.addWidget(line())
            column.addSpacing(4)
            column.addWidget(step)
        column.addSpacing(4)
        column.addWidget(line())
        foot = QHBoxLayout()
        foot.addWidget(self.later, 1)
        foot.addWidget(self.skip)
        column.addLayout(foot)
        page = QVBoxLayout(self)
        page.addStretch(1)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(card, 8)
        middle.addStretch(1)
        page.addLayout(middle)
        page.addStretch(2)

    def _connect(self) -> None:
        for made, signal in (
            (self.sample, self.sample_wanted),
            (self.pick_engine, self.engine_wanted),
            (self.pick_model, self.model_wanted),
            (self.again, self.again_wanted),
            (self.found, self.models_wanted),
            (self.measure, self.measure_wanted),
            (self.result, self.result_wanted),
            (self.skip, self.skip_wanted),
        ):
            made.clicked.connect(signal)
        self.sample.clicked.connect(self._take_sample)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.command.text()))
        self.use_found.clicked.connect(self._use_found)
        self._bench.finder.host_changed.connect(self.refresh)
        self._bench.source_changed.connect(self.refresh)
        self._bench.activity_changed.connect(self.refresh)
        self._bench.figures_changed.connect(self.refresh)
        self._bench.sample_progressed.connect(self._on_progress)

    @property
    def steps(self) -> tuple[StepRow, StepRow, StepRow]:
        """Engine, model, first measurement."""
        return self.engine, self.model, self.first

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        for step in self.steps:
            step.set_tokens(tokens)
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
        self.command.setText('pip install "qtune[engine]"')
        self.again.setText(self.tr("Look again"))
        set_tip(self.again, self.tr("Look for engines again, after you have installed one."))
        self.copy.setText(self.tr("Copy the command"))
        self.pick_engine.setText(self.tr("Choose llama-server…"))
        self.pick_model.setText(self.tr("Choose a model…"))
        self.result.setText(self.tr("Show the result"))
        self.skip.setText(self.tr("Skip, go to the workplace"))
        set_tip(self.skip, self.tr("Everything can be chosen there, too."))
        self.later.setText(self.tr("Settings brings this page back at any time."))
        for made in (self.sample, self.again, self.copy, self.pick_engine, self.pick_model, self.skip):
            made.setAccessibleName(made.text().rstrip("…"))
        self.bar.setAccessibleName(self.tr("Progress"))
        self.refresh()

    # -- how the steps stand --------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show what is found and what is missing."""
        bench = self._bench
        lacking = bench.finder.engines_known and bench.finder.bundled is None
        standings = (self._engine_standing(), self._model_standing(), self._first_standing())
        names = (self.tr("Engine"), self.tr("Model"), self.tr("First measurement"))
        waiting = [n for n, s in enumerate(standings) if s.state in {"todo", "missing"}]
        for number, (step, name, standing) in enumerate(zip(self.steps, names, standings, strict=True)):
            step.show_standing(name, standing, first=waiting[:1] == [number])
        self._show_sample(lacking=lacking)
        for widget in (self.command, self.copy):
            widget.setVisible(lacking and not bench.complete)
        self.again.setVisible(self.command.isVisibleTo(self.engine))
        self._show_models()
        self._show_measure()
        for pick in (self.pick_engine, self.pick_model, self.use_found):
            pick.setEnabled(bench.idle)
        self._show_primary()
        if (
            self._sample_taken and bench.complete and bench.idle
        ):  # its button is gone, and the next one has its place
            self._sample_taken = False
            if self.isVisible():
                self.primary().setFocus()

    def _show_sample(self, *, lacking: bool) -> None:
        bench = self._bench
        writing = bench.activity is Activity.SAMPLE
        self.sample.setEnabled(bench.idle and not lacking)
        for widget in (self.sample, self.honest):
            widget.setVisible(not bench.complete)
        self.honest.setText(
            self.tr("Possible once the bundled engine is installed, see step 1.")
            if lacking
            else self.tr(
                "Needs no download and no graphics card. The sample is a small model made by qtune to try the"
                " whole way out; its speed says nothing about your card."
            )
        )
        self.bar.setVisible(writing)
        self.bar.setRange(0, 100 if self._done else 0)
        self.writing.setVisible(writing)
        self.writing.setText(
            self.tr("Writing the sample model: {share}").format(share=figures_text.percent(self._done, 0))
        )

    def _engine_standing(self) -> Standing:
        facts, finder = self._bench.engine_facts, self._bench.finder
        if facts is None and not finder.engines_known:
            return Standing("todo", self.tr("Looking for llama-server…"))
        if facts is None:
            return Standing(
                "missing", self.tr("No llama-server was found on this computer."), self._where_engines()
            )
        if facts.ref.kind == BUNDLED:
            text = self.tr("The bundled llama.cpp, {version}").format(version=facts.version)
        else:
            text = self.tr("llama-server {version}, {path}").format(
                version=facts.version, path=facts.ref.path
            )
        if not facts.mtp:
            message = Message.of("engine_without_mtp", version=facts.version)
            return Standing("caution", text, texts.sentence(message) + " " + texts.hint(message))
        advice = () if finder.report is None else finder.report.advice
        told = [m for m in advice if m.code in {"advice_only_bundled", "advice_engine_without_card"}]
        hint = " ".join(texts.sentence(m) for m in told) if finder.gpus else ""
        return Standing("done", text, hint)

    def _where_engines(self) -> str:
        return self.tr(
            "llama-server is part of llama.cpp: take a build for your system and card from {releases}, or"
            " your package manager's, and choose it here. Or install the bundled engine, which runs on the"
            " processor, with this command:"
        ).format(releases=RELEASES)

    def _model_standing(self) -> Standing:
        model = self._bench.model
        if model is not None:
            size = figures_text.memory(model.size_bytes)
            text = " · ".join((texts.model_name(model), model.quant, size, texts.mtp_word(model)))
            if model.mtp == "none" and not model.sidecars:
                message = Message.of("model_without_mtp", path=texts.model_name(model))
                return Standing("caution", text, texts.sentence(message) + " " + self._where_models())
            return Standing("done", text)
        if self._bench.finder.report is None:
            return Standing("todo", self.tr("Looking for models…"), self._drop())
        if self._bench.finder.with_head:
            text = self.tr("Models with an MTP head were found; take one or choose another file.")
            return Standing("todo", text, self._drop())
        text = self.tr("No model with an MTP head was found in the usual folders.")
        return Standing("missing", text, self._where_models() + " " + self._drop())

    def _where_models(self) -> str:
        return self.tr(
            "MTP needs a GGUF file that kept its MTP head, for example one of Qwen3.6-27B or Qwen3.6-35B-A3B."
            " They are shared on model hubs such as Hugging Face, often with MTP in the name; many files"
            " leave the head out, and qtune tells which."
        )

    def _drop(self) -> str:
        return self.tr("You can drop a GGUF file onto this window.")

    def _first_standing(self) -> Standing:
        bench, model = self._bench, self._bench.model
        if not bench.complete or model is None:
            return Standing("todo", self.tr("Possible as soon as there are an engine and a model."))
        setup = bench.setup
        figures = None if setup is None else bench.book.latest(bench.settings_of("off"), setup)
        if figures is not None and figures.decode_tok_s is not None:
            text = self.tr("Measured: {rate} without MTP.")
            return Standing("done", text.format(rate=figures_text.tok_s(figures.decode_tok_s.median)))
        memory = bench.memory_view("off")
        if memory is not None and memory.state == "too_large":
            return Standing("caution", memory_words.headline(memory), self._runs_on())
        if (obstacle := bench.obstacle("balanced")) is not None:
            text = texts.sentence(obstacle) + " " + self.tr("Only its speed without MTP can be measured.")
            return Standing("caution", text, self._runs_on())
        text = self.tr(
            "Each preset is started once and asked the same: an indication of what MTP brings. {time}"
        ).format(time=self._time())
        return Standing("todo", text, self._runs_on())

    def _time(self) -> str:
        model = self._bench.model
        if model is not None and model.is_sample:
            return self.tr("Takes a minute or two with the sample model.")
        return self.tr("Takes about 4 minutes with a 27B model on a 24 GB card, longer without a card.")

    def _runs_on(self) -> str:
        finder = self._bench.finder
        if finder.gpus:
            cards = [f"{g.name}, {figures_text.memory(g.vram_total_bytes)}" for g in finder.gpus]
            return self.tr("Card: {cards}").format(cards=texts.listed(cards))
        if finder.gpu_note is None:
            return ""
        without = self.tr("qtune works without one; the figures are then those of what the engine runs on.")
        return texts.sentence(finder.gpu_note) + " " + without

    # -- what can be done -----------------------------------------------------------------------------------

    def _show_models(self) -> None:
        bench, candidate = self._bench, self._candidate()
        count = bench.finder.with_head
        self.use_found.setVisible(candidate is not None)
        name = "" if candidate is None else f"{candidate.name} {candidate.quant}"
        self.use_found.setText(self.tr("Use {model}").format(model=name))
        set_tip(self.use_found, "" if candidate is None else candidate.path)
        self.use_found.setAccessibleName(self.use_found.text())
        self.found.setVisible(bench.model is None and count > 0)
        self.found.setText(self.tr("Show all %n model(s)", "", count))
        self.found.setAccessibleName(self.found.text())

    def _show_measure(self) -> None:
        bench = self._bench
        possible = bench.complete and bench.obstacle("balanced") is None
        self.measure.setText(
            self.tr("Measure what MTP brings")
            if possible or not bench.complete
            else self.tr("Measure without MTP")
        )
        self.measure.setAccessibleName(self.measure.text())
        self.measure.setEnabled(bench.complete and bench.idle)
        self.result.setVisible(bench.found is not None)
        self.result.setAccessibleName(self.result.text())

    def _show_primary(self) -> None:
        """One button stands out: the next thing to do."""
        chosen = self.primary()
        for made in (self.sample, self.use_found, self.measure, self.result):
            set_tone(made, "primary" if made is chosen else "", "kind")

    def primary(self) -> QPushButton:
        """The button for what is to be done next."""
        bench = self._bench
        if bench.complete:
            return self.measure if self.first.standing.state != "done" or bench.found is None else self.result
        if bench.engine_facts is not None and self._candidate() is not None:
            return self.use_found
        return self.sample if self.sample.isEnabled() else self.pick_engine

    def _candidate(self) -> ModelFacts | None:
        bench = self._bench
        return None if bench.model is not None else bench.finder.first_with_head

    def _take_sample(self) -> None:
        self._sample_taken = True

    def _use_found(self) -> None:
        if (candidate := self._candidate()) is not None:
            self._bench.take_model(candidate)
            self.measure.setFocus()

    def _on_progress(self, done: float) -> None:
        self._done = done
        self.bar.setValue(round(done * 100))
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """The keyboard begins at what is to be done next."""
        super().showEvent(event)
        if not event.spontaneous():
            self.primary().setFocus()
