"""Where model and engine are chosen: what was found, what it can do, and "Choose file"."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from qtune.core.model_facts import ModelFacts
from qtune.session.requests import EngineFinding
from qtune.session.survey import has_head
from qtune.ui.state.finder import BUNDLED
from qtune.ui.state.recent import RecentButton
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import Tokens
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.parts import ElidedCombo, ElidedLabel, badge, button, set_tone
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text, texts


class SourceBar(QFrame):
    """Shows the workbench's lists; a choice goes straight to it."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._model_caption, self._engine_caption = ElidedLabel("muted", 0.95), ElidedLabel("muted", 0.95)
        self.models, self.engines = ElidedCombo(), ElidedCombo()
        self.model_badge, self.sample_badge, self.engine_badge = badge(), badge(), badge()
        self.pick_model, self.pick_engine = button(), button()
        self.recent_models = RecentButton(bench.recent_models)
        self.recent_engines = RecentButton(bench.recent_engines)
        self.recent_models.chosen.connect(lambda path: bench.choose_model(Path(path)))
        self.recent_engines.chosen.connect(lambda path: bench.finder.choose_engine_file(Path(path)))
        self.models.activated.connect(self._model_chosen)
        self.engines.activated.connect(self._engine_chosen)
        self.pick_model.clicked.connect(self.ask_model)
        self.pick_engine.clicked.connect(self.ask_engine)
        self._lay_out()
        bench.source_changed.connect(self.refresh)
        bench.activity_changed.connect(self._show_enabled)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 7, 12, 7)
        row.setSpacing(8)
        for widget, stretch in (
            (self._model_caption, 0),
            (self.models, 5),
            (self.model_badge, 0),
            (self.sample_badge, 0),
            (self.recent_models, 0),
            (self.pick_model, 0),
        ):
            row.addWidget(widget, stretch)
        row.addSpacing(10)
        for widget, stretch in (
            (self._engine_caption, 0),
            (self.engines, 4),
            (self.engine_badge, 0),
            (self.recent_engines, 0),
            (self.pick_engine, 0),
        ):
            row.addWidget(widget, stretch)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self.recent_models.set_tokens(tokens)
        self.recent_engines.set_tokens(tokens)

    def ask_model(self) -> None:
        """Let the user point at a GGUF file."""
        bench = self._bench
        current = bench.model
        own = None if current is None or current.is_sample else current.path
        last = own or next(iter(bench.recent_models.paths), None)
        folder = str(Path.home() if last is None else Path(last).parent)
        pattern = self.tr("GGUF models (*.gguf);;All files (*)")
        dialogs.pick_file(self, self.tr("Choose a model"), pattern, folder, self._bench.choose_model)

    def ask_engine(self) -> None:
        """Let the user point at a llama-server."""
        title = self.tr("Choose llama-server")
        last = next(iter(self._bench.recent_engines.paths), None)
        folder = str(Path.home() if last is None else Path(last).parent)
        take = self._bench.finder.choose_engine_file
        dialogs.pick_file(self, title, self.tr("All files (*)"), folder, take)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self._model_caption.setText(self.tr("Model"))
        self._engine_caption.setText(self.tr("Engine"))
        self.models.setAccessibleName(self.tr("Model"))
        self.engines.setAccessibleName(self.tr("Engine"))
        for chooser, what in (
            (self.pick_model, self.tr("Choose a GGUF file; you can also drop one onto the window.")),
            (self.pick_engine, self.tr("Choose the program llama-server of llama.cpp.")),
        ):
            chooser.setText(self.tr("Choose…"))
            set_tip(chooser, what)
            chooser.setAccessibleName(what)
        self.recent_models.retranslate(self.tr("Models used last"))
        self.recent_engines.retranslate(self.tr("Engines used last"))
        self.sample_badge.setText(self.tr("sample"))
        set_tip(
            self.sample_badge,
            self.tr("Made by qtune to try things out: its speed says nothing about your graphics card."),
        )
        set_tone(self.sample_badge, "warn")
        self.refresh()

    def refresh(self) -> None:
        """Show the lists and what the chosen ones can do."""
        with QSignalBlocker(self.models):
            self.models.clear()
            for facts in self._bench.finder.models:
                self.models.addItem(self._model_text(facts), facts)
                self.models.setItemData(self.models.count() - 1, facts.path, Qt.ItemDataRole.ToolTipRole)
            self.models.setCurrentIndex(0 if self._bench.model is not None else -1)
        with QSignalBlocker(self.engines):
            self.engines.clear()
            current = -1
            for index, finding in enumerate(self._bench.finder.engines):
                self.engines.addItem(self._engine_text(finding), finding)
                self.engines.setItemData(index, finding.ref.path, Qt.ItemDataRole.ToolTipRole)
                if finding == self._bench.finder.engine:
                    current = index
            self.engines.setCurrentIndex(current)
        self._show_facts()
        self._show_enabled()

    def _show_facts(self) -> None:
        model, engine = self._bench.model, self._bench.engine_facts
        _show_badge(self.model_badge, "" if model is None else texts.mtp_word(model))
        set_tone(self.model_badge, "good" if model is not None and has_head(model) else "warn")
        set_tip(
            self.model_badge,
            self.tr("Multi-token prediction needs a head inside the model file that guesses several tokens."),
        )
        self.sample_badge.setVisible(model is not None and model.is_sample)
        can = engine is not None and engine.mtp
        words = self.tr("knows MTP") if can else self.tr("no MTP")
        _show_badge(self.engine_badge, "" if engine is None else words)
        set_tone(self.engine_badge, "good" if can else "warn")
        set_tip(self.engine_badge, self.tr("Whether this build can draft with a model's own MTP head."))
        set_tip(self.models, "" if model is None else model.path)
        set_tip(self.engines, "" if engine is None else engine.ref.path)

    def _show_enabled(self) -> None:
        for widget in (self.models, self.engines, self.pick_model, self.pick_engine):
            widget.setEnabled(self._bench.idle)
        for recent in (self.recent_models, self.recent_engines):
            recent.refresh(enabled=self._bench.idle)

    def _model_text(self, facts: ModelFacts) -> str:
        size = figures_text.memory(facts.size_bytes)
        return " · ".join((texts.model_name(facts), facts.quant, size))

    def _engine_text(self, finding: EngineFinding) -> str:
        name = self.tr("bundled llama.cpp") if finding.ref.kind == BUNDLED else Path(finding.ref.path).name
        if finding.facts is None:
            return self.tr("{name}: cannot be used").format(name=name)
        build = f" b{finding.facts.build}" if finding.facts.build else ""
        place = "" if finding.ref.kind == BUNDLED else " · " + finding.ref.found_in
        return name + build + place

    def _model_chosen(self, index: int) -> None:
        facts = self.models.itemData(index)
        if isinstance(facts, ModelFacts) and facts != self._bench.model:
            self._bench.take_model(facts)

    def _engine_chosen(self, index: int) -> None:
        finding = self.engines.itemData(index)
        if isinstance(finding, EngineFinding):
            self._bench.finder.choose_engine(finding)


def _show_badge(what: QLabel, text: str) -> None:
    what.setText(text)
    what.setVisible(bool(text))
