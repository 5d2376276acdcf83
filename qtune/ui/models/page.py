"""The Models page: what was found on this computer, what fits, and which folders are searched."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from qtune.core.engine_facts import EngineFacts
from qtune.core.machine_facts import TelemetrySample
from qtune.session.requests import ModelEntry
from qtune.ui.models.detail import ModelDetail
from qtune.ui.models.table import ModelTable, ModelTableModel
from qtune.ui.state.workbench import MEMORY_EVERY_NS, Workbench
from qtune.ui.theme import GAP, LIGHT, Tokens
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.foldable import Foldable
from qtune.ui.widgets.kept_splitter import KeptSplitter
from qtune.ui.widgets.parts import ElidedLabel, Note, NoteList, button, empty, label, show_new
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import texts

SIDE_BY_SIDE = 1150
"""From this width on, logical pixels, list and facts stand beside each other."""
PROBLEMS_HIGH = 150


class ModelsPage(QWidget):
    """Searches when it is first shown; ``use_wanted`` carries the facts of the model to tune."""

    use_wanted = Signal(object)

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._bench = bench
        self._search = bench.search
        self._tokens = LIGHT
        self._drawn_ns = 0
        self._shown_for: tuple[int, EngineFacts | None] | None = None
        self._kept = ""  # the file chosen last, which a new search brings back
        self.title, self.state = label(factor=1.3, bold=True), ElidedLabel("muted")
        self.again, self.stop_search, self.add = button(), button(), button()
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.model = ModelTableModel(bench.model_view, self)
        self.table = ModelTable(self.model)
        self.nothing = label("muted", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.detail = ModelDetail(bench)
        self.problems, self._folder_list = NoteList(), QWidget()
        self.folder_rows: dict[str, tuple[ElidedLabel, QWidget]] = {}
        self.problems_card = Foldable(_scrolled(self.problems))
        self.folders_card = Foldable(self._folder_list)
        self.faces = QStackedWidget()
        self.split = KeptSplitter(
            {Qt.Orientation.Horizontal: (650, 350), Qt.Orientation.Vertical: (550, 450)}, GAP
        )
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addSpacing(6)
        head.addWidget(self.state, 1)
        for made in (self.stop_search, self.again, self.add):
            head.addWidget(made)
        box = QFrame()
        box.setObjectName("card")
        inner = QVBoxLayout(box)
        inner.setContentsMargins(1, 1, 1, 4)
        empty_face = QWidget()
        middle = QVBoxLayout(empty_face)
        middle.setContentsMargins(24, 24, 24, 24)
        middle.addWidget(self.nothing)
        self.faces.addWidget(self.table)
        self.faces.addWidget(empty_face)
        inner.addWidget(self.faces)
        self._folders = QVBoxLayout(self._folder_list)
        self._folders.setContentsMargins(6, 0, 6, 4)
        self._folders.setSpacing(2)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(box, 1)
        column.addWidget(self.problems_card)
        column.addWidget(self.folders_card)
        self.split.addWidget(left)
        self.split.addWidget(self.detail)
        self.split.divide()
        page = QVBoxLayout(self)
        page.setContentsMargins(GAP, GAP, GAP, GAP)
        page.setSpacing(8)
        page.addLayout(head)
        page.addWidget(self.bar)
        page.addWidget(self.split, 1)

    def _connect(self) -> None:
        search, bench = self._search, self._bench
        search.changed.connect(self._on_search)
        search.found.connect(self._on_found)
        for card, other in (
            (self.problems_card, self.folders_card),
            (self.folders_card, self.problems_card),
        ):
            # One at a time: two would leave the table no room in a small window.
            card.head.toggled.connect(lambda opened, other=other: opened and other.head.setChecked(False))
        self.again.clicked.connect(self.look)
        self.stop_search.clicked.connect(search.stop)
        self.add.clicked.connect(self.ask_folder)
        self.table.selectionModel().selectionChanged.connect(self._on_chosen)
        self.table.use_wanted.connect(self._use)
        self.detail.use_wanted.connect(self._use)
        bench.activity_changed.connect(self.detail.refresh_use)
        bench.choice_changed.connect(self._on_choice)
        bench.source_changed.connect(self._on_choice)

    # -- for the window -------------------------------------------------------------------------------------

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.model.set_tokens(tokens)
        self.detail.set_tokens(tokens)
        self.problems_card.set_tokens(tokens)
        self.folders_card.set_tokens(tokens)
        self._show_problems()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("Models"))
        self.again.setText(self.tr("Search again"))
        self.stop_search.setText(self.tr("Stop"))
        set_tip(self.stop_search, self.tr("Break the search off; what was found stays in the list."))
        self.add.setText(self.tr("Add folder…"))
        set_tip(
            self.add,
            self.tr(
                "Search a folder of yours, now and at every search; you can also drop one onto the window."
            ),
        )
        self.bar.setAccessibleName(self.tr("Searching"))
        self.table.setAccessibleName(self.tr("Models found"))
        self.model.retranslate()
        self.table.fit_columns()
        self.detail.retranslate()
        self._on_search()

    def look(self) -> None:
        """Search for models."""
        self._search.begin(self._bench.ctx_size, self._bench.engine_facts)

    def add_folder(self, path: Path) -> None:
        """Take a folder of the user's own and search."""
        self._search.add_folder(path)
        self.look()

    def ask_folder(self) -> None:
        """Let the user point at a folder."""
        own = self._search.own_folders
        dialogs.pick_folder(
            self, self.tr("Choose a folder with models"), own[-1] if own else "", self.add_folder
        )

    def on_telemetry(self, sample: TelemetrySample) -> None:
        """Other programs took or gave memory; the bar follows, but not at every sample."""
        if self.isVisible() and sample.t_ns - self._drawn_ns >= MEMORY_EVERY_NS:
            self._drawn_ns = sample.t_ns
            self.detail.refresh_fit()

    # -- the search -----------------------------------------------------------------------------------------

    def _on_search(self) -> None:
        search = self._search
        if search.ended or not search.entries:
            self.model.load(search.entries, search.ctx_size)
            if search.ended:
                self._choose()
        self._show_state()
        self._show_problems()
        self._show_folders()

    def _on_found(self, entry: ModelEntry) -> None:
        self.model.add(entry, self._search.ctx_size)
        if entry.facts.path == self._kept and self.table.chosen() is None:
            self.table.choose(self._kept)
        self._show_state()

    def _choose(self) -> None:
        """The line chosen before, else the model in use, else the first."""
        used = "" if self._bench.model is None else self._bench.model.path
        if not self.table.choose(self._kept) and not self.table.choose(used):
            self.table.choose_first()
        self._on_chosen()

    def _show_state(self) -> None:
        search, count = self._search, len(self._search.entries)
        self.stop_search.setVisible(search.running)
        self.again.setVisible(not search.running)
        self.bar.setVisible(search.running)
        if search.running:
            text = self.tr("Searching… %n found so far", "", count)
        elif search.cancelled:
            text = self.tr("Stopped: %n found until then", "", count)
        elif search.ended:
            text = self.tr("%n found", "", count)
        else:
            text = ""
        self.state.setText(text)
        self.faces.setCurrentIndex(0 if count else 1)
        self.detail.setVisible(count > 0)
        self.nothing.setText(self._nothing())

    def _nothing(self) -> str:
        if self._search.running:
            return self.tr("Looking where models are usually kept, and in your folders.")
        if self._search.cancelled:
            return self.tr("The search was stopped before it found a model. Search again to go through all.")
        return self.tr(
            "No GGUF model was found in the usual folders. Add the folder where yours are, or drop it or"
            " a file onto this window."
        )

    def _show_problems(self) -> None:
        problems = self._search.problems
        self.problems_card.setVisible(bool(problems))
        self.problems_card.set_heading(self.tr("%n file(s) or folder(s) cannot be used", "", len(problems)))
        notes = [Note(texts.sentence(m), "warning", "warn", texts.hint(m)) for m in problems]
        self.problems.show_notes(notes, self._tokens)

    def _show_folders(self) -> None:
        own = self._search.own_folders
        usual = [folder for folder in self._search.folders if folder not in own]
        self.folders_card.setVisible(bool(own or usual))
        self.folders_card.set_heading(self.tr("%n folder(s) searched", "", len(own) + len(usual)))
        empty(self._folders)
        self.folder_rows = {}
        for folder in (*own, *usual):
            place, row = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle), QHBoxLayout()
            place.setText(folder)
            row.addWidget(place, 1)
            if folder in own:
                remove = button("quiet")
                remove.setText(self.tr("Remove"))
                remove.setAccessibleName(self.tr("Search no more: {folder}").format(folder=folder))
                set_tip(remove, self.tr("Search this folder no more; its files stay where they are."))
                remove.clicked.connect(lambda _checked=False, folder=folder: self._remove(folder))
                row.addWidget(remove)
                self.folder_rows[folder] = (place, remove)
            else:
                usual_place = label("muted", 0.92)
                usual_place.setText(self.tr("usual place"))
                row.addWidget(usual_place)
            self._folders.addLayout(row)
        show_new(self._folders)

    def _remove(self, folder: str) -> None:
        self._search.remove_folder(folder)
        self.look()

    # -- choosing -------------------------------------------------------------------------------------------

    def _on_chosen(self) -> None:
        entry = self.table.chosen()
        if entry is not None:
            self._kept = entry.facts.path
        self.detail.show_entry(entry, self._name_of)

    def _name_of(self, path: str) -> str:
        """A sibling in a few words."""
        number = self.model.number_of(path)
        return Path(path).name if number is None else self.model.entry(number).facts.quant

    def _on_choice(self) -> None:
        chosen = (self._bench.ctx_size, self._bench.engine_facts)
        if chosen != self._shown_for:
            self._shown_for = chosen
            self.model.set_context(self._bench.ctx_size)
            self.table.fit_columns()
            self.detail.refresh_file()
        self.detail.refresh_fit()

    def _use(self) -> None:
        entry = self.table.chosen()
        if entry is not None and self.detail.use.isEnabled():
            self.use_wanted.emit(entry.facts)

    # -- Qt -------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """The first look at the page begins the search."""
        super().showEvent(event)
        if not self._search.running and not self._search.ended:
            self.look()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side where there is room."""
        super().resizeEvent(event)
        wide = self.width() >= SIDE_BY_SIDE
        self.split.turn(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)


def _scrolled(inside: QWidget) -> QScrollArea:
    """Many lines scroll inside the card instead of pushing the table away."""
    area = QScrollArea()
    area.setObjectName("inset")
    page = QWidget()
    page.setObjectName("inset")
    column = QVBoxLayout(page)
    column.setContentsMargins(8, 0, 8, 4)
    column.addWidget(inside)
    column.addStretch(1)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setMaximumHeight(PROBLEMS_HIGH)
    area.setWidget(page)
    return area
