"""The History page: every run ever measured, found, looked at, compared, kept and passed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QProgressBar, QVBoxLayout, QWidget

from qtune.core.history_query import Groups, HistoryCounts, HistoryQuery, Keys
from qtune.core.messages import Message
from qtune.session.history_desk import HistoryDesk
from qtune.session.run_comparison import RunComparison
from qtune.ui.bridge import Bridge
from qtune.ui.history.actions import HistoryActions
from qtune.ui.history.columns import SORTS
from qtune.ui.history.compare import HistoryComparison
from qtune.ui.history.detail import HistoryDetail
from qtune.ui.history.empty_words import EmptyWords
from qtune.ui.history.filters import BOXES, HistoryFilter
from qtune.ui.history.model import HistoryModel
from qtune.ui.history.page_banner import PageBanner
from qtune.ui.history.page_head import PageHead
from qtune.ui.history.retention import RetentionDialog
from qtune.ui.history.run_menu import RunMenu, fill_exports
from qtune.ui.history.selection import HistorySelection
from qtune.ui.history.table import HistoryTable
from qtune.ui.history.transfer_row import TransferRow
from qtune.ui.history.views import BESIDE, LIST, HistoryViews
from qtune.ui.state.choices import Choices
from qtune.ui.theme import GAP, LIGHT, Tokens
from qtune.ui.widgets.banners import Banner
from qtune.ui.widgets.faces import Faces
from qtune.ui.widgets.kept_splitter import KeptSplitter

SIDE_BY_SIDE: Final = 1150
"""From this width on, logical pixels, list and details stand beside each other."""
REFRESH_MS: Final = 250
"""After a run has ended: a job's runs end in quick succession, and the last word is still being stored."""


class HistoryPage(QWidget):
    """Reads when it is shown; while it is hidden it only remembers that something changed."""

    failed = Signal(object)

    def __init__(
        self, desk: HistoryDesk, choices: Choices, bridge: Bridge, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._desk = desk
        self._bridge = bridge
        self._tokens = LIGHT
        self._stale = True
        self._left = False
        self._reading = False
        self._asked = 0
        self._fault: Message | None = None
        self._counts: HistoryCounts | None = None
        self._next_line: int | None = None
        self._next_keys: list[int] = []
        self._busy = 0
        self._homeless = False
        self._comparing = False
        self.head = PageHead()
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.transfers = TransferRow()
        self.filter = HistoryFilter()
        self.said, self._empty = PageBanner(), EmptyWords(self)
        self.model = HistoryModel(desk.page, bridge, desk.headings, self)
        self.table = HistoryTable(
            self.model,
            lambda picked: choices.prefer(history_columns=picked),
            choices.preference("history_columns"),
        )
        self.faces = Faces(self.table)
        self.detail = HistoryDetail()
        self.split = KeptSplitter(
            {Qt.Orientation.Horizontal: (700, 300), Qt.Orientation.Vertical: (560, 440)}, GAP
        )
        self.actions_of = HistoryActions(desk, choices, bridge, self)
        self._comparison: HistoryComparison | None = None
        self.views = HistoryViews()
        self.selection = HistorySelection(desk, bridge, self.table, self.detail, self)
        self.menu = RunMenu(self.table, self.model, self.selection, self.actions_of)
        self._refresh = QTimer(self)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.split.addWidget(self.faces)
        self.split.addWidget(self.detail)
        self.split.divide()
        found = QWidget()
        listed = QVBoxLayout(found)
        listed.setContentsMargins(0, 0, 0, 0)
        listed.setSpacing(8)
        listed.addWidget(self.head)
        listed.addWidget(self.filter)
        listed.addWidget(self.said)
        listed.addWidget(self.split, 1)
        self.views.addWidget(found)
        page = QVBoxLayout(self)
        page.setContentsMargins(GAP, GAP, GAP, GAP)
        page.setSpacing(8)
        page.addWidget(self.bar)
        page.addWidget(self.transfers)
        page.addWidget(self.views, 1)

    def _connect(self) -> None:
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(REFRESH_MS)
        self._refresh.timeout.connect(self.look)
        self._bridge.run_finished.connect(self._touch)
        self._bridge.job_finished.connect(self._touch)
        self.filter.changed.connect(self._ask)
        self.model.page_failed.connect(self.failed)
        table, detail, actions, selection = self.table, self.detail, self.actions_of, self.selection
        table.sort_wanted.connect(self._ask)
        table.folds_changed.connect(self.filter.show_folds)
        self.filter.fold_all.clicked.connect(table.flip_folds)
        table.chosen_changed.connect(selection.look)
        buttons = detail.buttons
        buttons.compare_wanted.connect(selection.compare)
        selection.compared.connect(self._show_comparison)
        selection.began.connect(lambda: self._on_reading(on=True))
        selection.ended.connect(lambda: self._on_reading(on=False))
        selection.failed.connect(self.failed)
        table.details_wanted.connect(self._show_details)
        table.delete_wanted.connect(self.delete)
        table.star_wanted.connect(self._flip_star)
        buttons.star_wanted.connect(lambda on: actions.star(table.chosen(), on=on))
        buttons.outlier_wanted.connect(lambda on: actions.outlier(table.chosen(), on=on))
        buttons.delete_wanted.connect(self.delete)
        buttons.undelete_wanted.connect(self._bring_back)
        self.menu.compare_wanted.connect(selection.compare_these)
        self.menu.delete_wanted.connect(self._delete)
        self.views.left.connect(self.show_list)
        detail.note.written.connect(self._keep_note)
        buttons.export_menu.aboutToShow.connect(
            lambda: fill_exports(buttons.export_menu, table.chosen(), actions, detail.shown)
        )
        self.head.export_menu.aboutToShow.connect(
            lambda: fill_exports(self.head.export_menu, self._listed(), actions, detail.shown)
        )
        actions.marked.connect(self._on_marked)
        actions.listed_changed.connect(self.look)
        actions.busy_changed.connect(self._on_busy)
        actions.began.connect(self.transfers.begin)
        self.transfers.seen_changed.connect(self._show_state)
        actions.moved.connect(self.transfers.go_on)
        actions.ended.connect(self.transfers.end)
        self.said.left.connect(self._focus_list)
        actions.said.connect(self.said.say)
        actions.refused.connect(self.said.refuse)
        actions.show_wanted.connect(self._show_runs)
        actions.failed.connect(self.failed)
        actions.failed.connect(lambda _message: selection.look())  # the buttons showed what was asked for
        self.head.take_in.clicked.connect(actions.ask_import)
        self.head.tidy.clicked.connect(self.ask_retention)
        self.faces.remedy_wanted.connect(self._remedy)

    @property
    def comparison(self) -> HistoryComparison:
        """Its nine charts are made when the first comparison is looked at, not when the window opens."""
        if self._comparison is None:
            self._comparison = made = HistoryComparison()
            self.views.addWidget(made)
            made.closed.connect(self.show_list)
            self.selection.serve(made)
            made.set_tokens(self._tokens)
            made.retranslate()
        return self._comparison

    # -- for the window -------------------------------------------------------------------------------------

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.model.set_tokens(tokens)
        self.detail.set_tokens(tokens)
        if self._comparison is not None:
            self._comparison.set_tokens(tokens)
        self.said.set_tokens(tokens)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.head.retranslate()
        self.bar.setAccessibleName(self.tr("Working"))
        self.table.setAccessibleName(self.tr("Runs"))
        self.filter.retranslate()
        self.transfers.retranslate()
        self.model.retranslate()
        self.table.fit_columns()
        self.detail.retranslate()
        if self._comparison is not None:
            self._comparison.retranslate()
        self.said.retranslate()
        self._show_state()

    def look(self) -> None:
        """Read what is in the history now, keeping what is selected."""
        if self._left:
            return
        self._stale = False
        self._ask()
        self._bridge.follow(self._desk.counts(), self._on_counts)
        for column in BOXES:
            self._bridge.follow(self._desk.values(column), partial(self.filter.show_values, column))

    def leave(self) -> None:
        """Keep a note that is being written, and read nothing more: the history is about to be closed."""
        self.detail.note.leave()
        self._left = True
        self.stop()

    def stop(self) -> None:
        """Ask for nothing more."""
        self.filter.stop()
        self._refresh.stop()
        self.selection.stop()

    def compare(self) -> None:
        """Hold the selected runs against each other."""
        self.selection.compare()

    def show_list(self) -> None:
        """Back from a comparison."""
        self.views.setCurrentIndex(LIST)
        self.table.setFocus()

    def ask_retention(self) -> RetentionDialog:
        """Let the user delete runs by their age."""
        dialog = RetentionDialog(self._desk, self._bridge, self, filtered=self.filter.narrows)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.delete_wanted.connect(self.actions_of.delete)
        dialog.purge_wanted.connect(self.actions_of.purge)
        dialog.failed.connect(self.failed)
        dialog.open()
        return dialog

    def delete(self) -> None:
        """Delete the selected runs; they can be brought back."""
        self._delete(self.table.chosen())

    def _delete(self, keys: Sequence[int]) -> None:
        if keys:
            self._next_line = next(iter(self.table.chosen_lines()), None)
            self.table.setFocus()  # the button that was pressed may be about to go
            self.actions_of.delete(keys)

    def undo(self) -> bool:
        """Take back what the sentence above the list tells of; False where that cannot be."""
        return self.said.undo()

    @property
    def banner(self) -> Banner | None:
        """What was said last above the list; None once it is gone."""
        return self.said.banner

    def show_export(self) -> None:
        """Open the export menu of the selected runs, or of all where none is selected."""
        button_of = self.detail.buttons.export if self.table.chosen() else self.head.export_all
        menu = button_of.menu()
        if button_of.isEnabled() and button_of.isVisible() and menu is not None:
            menu.popup(button_of.mapToGlobal(QPoint(0, button_of.height())))

    def find_runs(self) -> None:
        """To the box by which runs are found."""
        self.filter.text.setFocus()
        self.filter.text.selectAll()

    # -- the list -------------------------------------------------------------------------------------------

    @property
    def query(self) -> HistoryQuery:
        """What is listed, and in which order."""
        column, descending = self.table.order
        return replace(self.filter.query, sort=SORTS[column], descending=descending)

    def _ask(self) -> None:
        if self._left:
            return
        self._refresh.stop()
        self.filter.stop()
        self._asked += 1
        number, self._reading = self._asked, True
        self._bridge.follow(
            self._desk.find(self.query),
            lambda found: self._on_found(number, *found),
            lambda message: self._on_unreadable(number, message),
        )
        self._show_state()

    def _on_found(self, number: int, keys: Keys, groups: Groups | None) -> None:
        if number != self._asked:
            return
        self._reading, self._fault = False, None
        self.table.load(keys, groups)
        wanted, self._next_keys = self._next_keys, []
        if wanted:
            self.table.show_runs(wanted)
        if len(keys) and not self.table.chosen():
            lines = self.model.lines
            self.table.choose([int(lines[min(self._next_line or 0, len(lines) - 1)])])
        self._next_line = None
        self._show_state()

    def _on_unreadable(self, number: int, message: Message) -> None:
        if number == self._asked:
            self._reading, self._fault = False, message
            self._show_state()

    def _on_counts(self, counts: HistoryCounts) -> None:
        self._counts = counts
        self._show_state()

    def _listed(self) -> list[int]:
        return [int(key) for key in self.model.keys]

    def _touch(self) -> None:
        self._stale = True
        if self.isVisible() and not self._left:
            self._refresh.start()

    def _show_state(self) -> None:
        count, counts, focused = len(self.model.keys), self._counts, QApplication.focusWidget()
        broken = self._fault is not None
        unseen = self._busy > 0 and self.transfers.isHidden()
        self.bar.setVisible(self._reading or unseen or self._comparing)
        if count and not broken:
            self.faces.show_list()
        else:
            self.faces.show_word()
        self.detail.setVisible(count > 0 and not broken)
        listed = 0 if broken else count
        self.head.show_count(listed, self.filter.query, counts, narrows=self.filter.narrows)
        word = self._empty.choose(
            fault=self._fault,
            reading=self._reading,
            narrows=self.filter.narrows,
            deleted=0 if counts is None else counts.deleted,
        )
        self.faces.say(*word, self.tr("Try again"))
        self._keep_focus(focused)

    def _keep_focus(self, focused: QWidget | None) -> None:
        """What had the focus may be gone now; it stays with the list, or with what stands in its place."""
        if focused is not None and self.split.isAncestorOf(focused) and not focused.isVisible():
            self._homeless = self.isVisible()
        if self._homeless and not self._reading:
            self._homeless = False
            self._focus_list()

    def _focus_list(self) -> None:
        (self.table if self.table.isVisible() else self.faces.remedy).setFocus()

    def _remedy(self) -> None:
        match self._empty.remedy:
            case "again":
                self.look()
            case "clear":
                self.filter.clear()
            case "deleted":
                self.filter.show_deleted()
            case "import":
                self.actions_of.ask_import()

    def _show_runs(self, run_ids: Sequence[str]) -> None:
        """Select these runs in a list that has them all."""

        def found(keys: list[int]) -> None:
            self._next_keys = keys
            self.filter.clear()

        self._bridge.follow(self._desk.keys_of(run_ids), found, self.failed.emit)

    # -- the selected runs ----------------------------------------------------------------------------------

    def _show_details(self) -> None:
        if len(self.table.chosen()) > 1:
            self.compare()
        else:
            self.detail.setFocus()

    def _show_comparison(self, found: RunComparison) -> None:
        self.comparison.show_comparison(found)
        self.views.setCurrentIndex(BESIDE)
        self.comparison.back.setFocus()

    def _on_reading(self, *, on: bool) -> None:
        self._comparing = on
        self._show_state()

    def _flip_star(self, key: int) -> None:
        line = next(iter((self.model.lines == key).nonzero()[0]), None)
        row = None if line is None else self.model.row(int(line))
        if row is not None:
            self.actions_of.star([key], on=not row.starred)

    def _keep_note(self, run_id: str, text: str) -> None:
        key = next((s.row.key for s in self.detail.shown if s.row.id == run_id), -1)
        self.actions_of.note(run_id, text, key)

    def _bring_back(self) -> None:
        self.table.setFocus()
        self.actions_of.undelete(self.table.chosen())

    def _on_marked(self, keys: Sequence[int]) -> None:
        if self._left:
            return
        self.model.reread(keys)
        self.selection.look()
        query = self.filter.query
        if query.starred or query.outliers != "shown":  # what was marked may not pass any more
            self._refresh.start()

    def _on_busy(self, count: int) -> None:
        self._busy = count
        self._show_state()

    # -- Qt -------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Read what has changed since the page was last shown."""
        super().showEvent(event)
        if self._stale:
            self.look()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side where there is room."""
        super().resizeEvent(event)
        wide = self.width() >= SIDE_BY_SIDE
        self.split.turn(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
