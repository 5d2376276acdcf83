"""Settings of the app: language, theme, engine, folders, and what was found of a card."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from qtune import __version__
from qtune.ui import language, theme
from qtune.ui.settings.history import HistorySection
from qtune.ui.settings.recovery import RecoverySection
from qtune.ui.settings.section import WIDTH, Section
from qtune.ui.settings.window import WindowSection
from qtune.ui.state.finder import BUNDLED
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import GAP
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.parts import ElidedLabel, button, label
from qtune.ui.words import figures_text, texts


class SettingsPage(QScrollArea):
    """Emits what was chosen; the window puts it in force and stores it."""

    language_chosen = Signal(str)
    theme_chosen = Signal(str)
    engine_wanted = Signal()
    first_steps_wanted = Signal()
    keys_wanted = Signal()

    def __init__(self, bench: Workbench, history: HistorySection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.history = history
        self._bench = bench
        self.setWidgetResizable(True)
        self.language, self.theme = QComboBox(), QComboBox()
        self._names: dict[str, QLabel] = {}
        self.engine = ElidedLabel()
        self.pick_engine, self.first_steps, self.keys = button(), button(), button()
        self._keys_about = label("muted", wrap=True)
        self._steps_about = label("muted", wrap=True)
        self.card, self.computer = label(wrap=True), label(wrap=True)
        self.card_choice, self._card_about = QComboBox(), label("muted", 0.92, wrap=True)
        self.version = label()
        self._look, self._measuring, self._folders = Section(), Section(), Section()
        self.recovery = RecoverySection(bench)
        self.window_section = WindowSection(bench)
        self.folder_rows: dict[str, tuple[QLabel, ElidedLabel, QPushButton]] = {}
        self._lay_out()
        self.language.activated.connect(
            lambda index: self.language_chosen.emit(self.language.itemData(index))
        )
        self.theme.activated.connect(lambda index: self.theme_chosen.emit(self.theme.itemData(index)))
        self.pick_engine.clicked.connect(self.engine_wanted)
        self.first_steps.clicked.connect(self.first_steps_wanted)
        self.keys.clicked.connect(self.keys_wanted)
        self.card_choice.activated.connect(lambda index: bench.choose_card(self.card_choice.itemData(index)))
        bench.source_changed.connect(self.refresh)
        bench.finder.host_changed.connect(self.refresh)
        bench.activity_changed.connect(self.refresh)

    def _lay_out(self) -> None:
        for key in ("language", "theme", "engine", "card", "use", "computer", "version", "steps", "keys"):
            self._names[key] = label("muted")
        for choice in (self.language, self.theme, self.card_choice):
            choice.setMaximumWidth(320)
        self._look.add(self._names["language"], self.language)
        self._look.add(self._names["theme"], self.theme)
        self._look.add(self._names["keys"], self._keys_about, self.keys)
        self._measuring.add(self._names["engine"], self.engine, self.pick_engine)
        self._measuring.add(self._names["card"], self.card)
        self._measuring.add(self._names["use"], self.card_choice)
        self._measuring.explain(self._card_about)
        self._measuring.add(self._names["computer"], self.computer)
        self._measuring.add(self._names["version"], self.version)
        self._measuring.add(self._names["steps"], self._steps_about, self.first_steps)
        page = QWidget()
        page.setObjectName("page")
        # The width is limited here and not in each section: a column asks a section how high it is at the
        # width of the page, and would cut the sentences of one that is narrower.
        inner = QWidget()
        inner.setMaximumWidth(WIDTH + 2 * (GAP + 4))
        outer = QHBoxLayout(page)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(inner, 100)
        outer.addStretch(1)
        column = QVBoxLayout(inner)
        column.setContentsMargins(GAP + 4, GAP + 4, GAP + 4, GAP)
        column.setSpacing(GAP)
        for section in (
            self._look,
            self._measuring,
            self.recovery,
            self.history,
            self.window_section,
            self._folders,
        ):
            column.addWidget(section)
        column.addStretch(1)
        self.setWidget(page)

    def show_choices(self, language_choice: str, theme_choice: str) -> None:
        """Mark the choices in force."""
        for box, choice in ((self.language, language_choice), (self.theme, theme_choice)):
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(choice))

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.setAccessibleName(self.tr("Settings"))
        self._look.title.setText(self.tr("Appearance"))
        self._measuring.title.setText(self.tr("Engine and computer"))
        self._folders.title.setText(self.tr("Folders"))
        names = {
            "language": self.tr("Language"),
            "theme": self.tr("Theme"),
            "engine": self.tr("llama-server"),
            "card": self.tr("Graphics card"),
            "use": self.tr("Run on"),
            "computer": self.tr("Computer"),
            "version": self.tr("qtune version"),
            "steps": self.tr("First steps"),
            "keys": self.tr("Keys"),
        }
        for key, name in names.items():
            self._names[key].setText(name)
        self.language.setAccessibleName(names["language"])
        self.theme.setAccessibleName(names["theme"])
        self.pick_engine.setText(self.tr("Choose…"))
        self.pick_engine.setAccessibleName(self.tr("Choose llama-server"))
        self.version.setText(__version__)
        self._steps_about.setText(self.tr("Engine, model and first measurement, one after the other."))
        self._keys_about.setText(self.tr("Everything can be reached without a mouse."))
        self.keys.setText(self.tr("Show all keys"))
        self.first_steps.setText(self.tr("Show again"))
        self.first_steps.setAccessibleName(self.tr("Show the first steps again"))
        self.card_choice.setAccessibleName(self.tr("Card that servers run on"))
        self._card_about.setText(
            self.tr("The next start uses it; the strip, the memory bars and the chart show it.")
        )
        self.recovery.retranslate()
        self.history.retranslate()
        self.window_section.retranslate()
        # Languages are named in themselves, so that they can be found again.
        _fill(self.language, language.CHOICES, (self.tr("As the system"), "English", "简体中文"))
        _fill(self.theme, theme.CHOICES, (self.tr("As the system"), self.tr("Light"), self.tr("Dark")))
        self.refresh()

    def refresh(self) -> None:
        """Show what was found."""
        bench = self._bench
        facts = bench.engine_facts
        if facts is None:
            self.engine.setText(self.tr("none chosen"))
        elif facts.ref.kind == BUNDLED:
            self.engine.setText(self.tr("the bundled llama.cpp, {version}").format(version=facts.version))
        else:
            self.engine.setText(facts.ref.path)
        self.pick_engine.setEnabled(bench.idle)
        self._show_computer()
        self._show_folders()

    def _show_computer(self) -> None:
        bench = self._bench
        if bench.finder.gpus:
            cards = [f"{g.name}, {figures_text.memory(g.vram_total_bytes)}" for g in bench.finder.gpus]
            self.card.setText("\n".join(cards))
        elif bench.finder.gpu_note is not None:
            without = self.tr("qtune works without one: the engine's own memory is shown instead.")
            self.card.setText(texts.sentence(bench.finder.gpu_note) + " " + without)
        else:
            self.card.setText(self.tr("looking…") if bench.finder.report is None else self.tr("none"))
        self._show_card_choice()
        if bench.finder.report is not None:
            machine = bench.finder.report.machine
            self.computer.setText(
                self.tr("{cpu}, {cores} cores, {memory} RAM, {system}").format(
                    cpu=machine.cpu,
                    cores=machine.cores,
                    memory=figures_text.memory(machine.ram_bytes),
                    system=machine.os,
                )
            )

    def _show_card_choice(self) -> None:
        """Only where there is something to choose, or a choice that holds no more."""
        bench, cards = self._bench, self._bench.finder.gpus
        several = len(cards) > 1
        for part in (self._names["use"], self.card_choice, self._card_about):
            part.setVisible(several)
        self.card_choice.setEnabled(bench.idle)
        names = [card.name.removeprefix("NVIDIA ") for card in cards]
        # Equal cards are told apart by where they are plugged in.
        shown = [
            f"{name} ({card.pci or card.index})" if names.count(name) > 1 else name
            for name, card in zip(names, cards, strict=True)
        ]
        _fill(
            self.card_choice,
            ("", *(card.uuid for card in cards)),
            (self.tr("All cards"), *shown),
            bench.card_uuid,
        )

    def _show_folders(self) -> None:
        if self._bench.finder.report is None:
            return
        for key, path in self._bench.finder.report.folders:
            if key not in self.folder_rows:
                row = (label("muted"), ElidedLabel(), button())
                row[2].clicked.connect(lambda _checked=False, where=path: dialogs.show_folder(Path(where)))
                self._folders.add(*row)
                self.folder_rows[key] = row
            name, place, tool = self.folder_rows[key]
            name.setText(texts.folder_name(key))
            place.setText(path)
            tool.setVisible("://" not in path)  # a shared history is in no folder
            tool.setText(self.tr("Open"))
            tool.setAccessibleName(self.tr("Open folder: {name}").format(name=name.text()))


def _fill(box: QComboBox, keys: tuple[str, ...], names: tuple[str, ...], chosen: str | None = None) -> None:
    with QSignalBlocker(box):
        chosen = box.currentData() if chosen is None else chosen
        box.clear()
        for key, name in zip(keys, names, strict=True):
            box.addItem(name, key)
        box.setCurrentIndex(max(0, box.findData(chosen)))
