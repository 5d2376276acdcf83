"""Settings of the app: language, theme, engine, folders, and what was found of a card."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from qtune import __version__
from qtune.ui import figures_text, language, texts, theme
from qtune.ui.finder import BUNDLED
from qtune.ui.parts import ElidedLabel, button, label
from qtune.ui.theme import GAP
from qtune.ui.workbench import Workbench

WIDTH = 760


class _Section(QFrame):
    """A titled card with rows of a name, a value and maybe a button."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setMaximumWidth(WIDTH)
        self.title = label(factor=1.1, bold=True)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 12, 16, 14)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(9)
        self._grid.setColumnMinimumWidth(0, 150)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.title, 0, 0, 1, 3)
        self._next = 1

    def add(self, name: QLabel, value: QWidget, tool: QPushButton | None = None) -> None:
        """Append a row."""
        self._grid.addWidget(name, self._next, 0)
        self._grid.addWidget(value, self._next, 1, 1, 1 if tool is not None else 2)
        if tool is not None:
            self._grid.addWidget(tool, self._next, 2)
        self._next += 1


class SettingsPage(QScrollArea):
    """Emits what was chosen; the window puts it in force and stores it."""

    language_chosen = Signal(str)
    theme_chosen = Signal(str)
    engine_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.setWidgetResizable(True)
        self.language, self.theme = QComboBox(), QComboBox()
        self._names: dict[str, QLabel] = {}
        self.engine = ElidedLabel()
        self.pick_engine = button()
        self.card, self.computer = label(wrap=True), label(wrap=True)
        self.version = label()
        self._look, self._measuring, self._folders = _Section(), _Section(), _Section()
        self.folder_rows: dict[str, tuple[QLabel, ElidedLabel, QPushButton]] = {}
        self._lay_out()
        self.language.activated.connect(
            lambda index: self.language_chosen.emit(self.language.itemData(index))
        )
        self.theme.activated.connect(lambda index: self.theme_chosen.emit(self.theme.itemData(index)))
        self.pick_engine.clicked.connect(self.engine_wanted)
        bench.source_changed.connect(self.refresh)
        bench.finder.host_changed.connect(self.refresh)
        bench.activity_changed.connect(self.refresh)

    def _lay_out(self) -> None:
        for key in ("language", "theme", "engine", "card", "computer", "version"):
            self._names[key] = label("muted")
        for choice in (self.language, self.theme):
            choice.setMaximumWidth(260)
        self._look.add(self._names["language"], self.language)
        self._look.add(self._names["theme"], self.theme)
        self._measuring.add(self._names["engine"], self.engine, self.pick_engine)
        self._measuring.add(self._names["card"], self.card)
        self._measuring.add(self._names["computer"], self.computer)
        self._measuring.add(self._names["version"], self.version)
        page = QWidget()
        page.setObjectName("page")
        column = QVBoxLayout(page)
        column.setContentsMargins(GAP + 4, GAP + 4, GAP + 4, GAP)
        column.setSpacing(GAP)
        for section in (self._look, self._measuring, self._folders):
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
        self._look.title.setText(self.tr("Appearance"))
        self._measuring.title.setText(self.tr("Engine and computer"))
        self._folders.title.setText(self.tr("Folders"))
        names = {
            "language": self.tr("Language"),
            "theme": self.tr("Theme"),
            "engine": self.tr("llama-server"),
            "card": self.tr("Graphics card"),
            "computer": self.tr("Computer"),
            "version": self.tr("qtune version"),
        }
        for key, name in names.items():
            self._names[key].setText(name)
        self.language.setAccessibleName(names["language"])
        self.theme.setAccessibleName(names["theme"])
        self.pick_engine.setText(self.tr("Choose…"))
        self.pick_engine.setAccessibleName(self.tr("Choose llama-server"))
        self.version.setText(__version__)
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

    def _show_folders(self) -> None:
        if self._bench.finder.report is None:
            return
        for key, path in self._bench.finder.report.folders:
            if key not in self.folder_rows:
                row = (label("muted"), ElidedLabel(), button())
                row[2].clicked.connect(lambda _checked=False, where=path: _open_folder(where))
                self._folders.add(*row)
                self.folder_rows[key] = row
            name, place, tool = self.folder_rows[key]
            name.setText(texts.folder_name(key))
            place.setText(path)
            tool.setText(self.tr("Open"))
            tool.setAccessibleName(self.tr("Open folder: {name}").format(name=name.text()))


def _fill(box: QComboBox, keys: tuple[str, ...], names: tuple[str, ...]) -> None:
    with QSignalBlocker(box):
        chosen = box.currentData()
        box.clear()
        for key, name in zip(keys, names, strict=True):
            box.addItem(name, key)
        box.setCurrentIndex(max(0, box.findData(chosen)))


def _open_folder(path: str) -> None:
    """Open a folder in the file manager; a file's own folder for a file."""
    where = Path(path)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(where.parent if where.suffix else where)))
