"""What the selected lines of the history are: reads it from the store, and drops what came too late."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from qtune.core.changes import Change
from qtune.core.history_query import Marked, RunSummary
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun
from qtune.session.history_desk import HistoryDesk, StoredExperiment
from qtune.session.run_comparison import RunComparison
from qtune.ui.bridge import Bridge
from qtune.ui.history.compare import HistoryComparison
from qtune.ui.history.comparison_words import MOST as COMPARED
from qtune.ui.history.detail import MOST, HistoryDetail, Shown
from qtune.ui.history.table import HistoryTable
from qtune.ui.words.verdict_words import in_order

T = TypeVar("T")
DETAILS_MS: Final = 60
"""After the selection rests; held arrow keys run through many lines."""
RUNS_MOST: Final = 64
"""Runs of experiments that are compared at once: eight of eight runs; their arms are what is shown."""


class HistorySelection(QObject):
    """GUI thread only. Fills the panel of details, and reads what a comparison needs on request."""

    compared = Signal(object)
    began = Signal()
    ended = Signal()
    failed = Signal(object)

    def __init__(
        self, desk: HistoryDesk, bridge: Bridge, table: HistoryTable, detail: HistoryDetail, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._table = table
        self._detail = detail
        self._looked = 0
        self._asked: list[int] = []
        self._told: list[int] = []
        self._sought = 0
        self._compared: partial[Future[RunComparison]] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DETAILS_MS)
        self._timer.timeout.connect(self._ask)

    def look(self) -> None:
        """Read the selected lines a moment from now."""
        self._timer.start()

    @property
    def shown(self) -> tuple[Shown, ...]:
        """Runs that the panel shows."""
        return self._detail.shown

    def marks_of(self, keys: Sequence[int]) -> Marked | None:
        """Marks of these runs, if they are those in the panel; None while they are still being read."""
        return self._detail.buttons.marked if list(keys) == self._told else None

    def stop(self) -> None:
        """Ask for nothing more."""
        self._timer.stop()

    # -- one, a few, or an experiment -----------------------------------------------------------------------

    def _ask(self) -> None:
        self._looked += 1
        chosen, groups = self._table.chosen(), self._table.chosen_groups()
        self._asked = chosen
        if len(groups) == 1 and len(self._table.chosen_lines()) == 1:
            self._follow(self._desk.page(groups), lambda rows: self._on_heading(rows, chosen))
        elif 1 <= len(chosen) <= MOST:
            self._follow(self._desk.page(chosen), self._on_rows)
        elif chosen:
            self._follow(self._desk.marks(chosen), lambda marked: self._show((), marked))
        else:
            self._show((), Marked())

    def _follow(self, future: Future[T], done: Callable[[T], None]) -> None:
        """Deliver the end of a read, unless something else has been selected meanwhile."""
        number = self._looked

        def deliver(found: T) -> None:
            if number == self._looked:
                done(found)

        self._bridge.follow(future, deliver, self.failed.emit)

    def _on_heading(self, rows: list[RunSummary], chosen: list[int]) -> None:
        if rows:
            found = self._desk.experiment(rows[0].experiment_id)
            self._follow(found, lambda found: self._on_experiment(found, chosen))

    def _on_experiment(self, found: StoredExperiment | None, chosen: list[int]) -> None:
        if found is not None:
            self._follow(self._desk.marks(chosen), lambda marked: self._show_experiment(found, marked))

    def _show_experiment(self, found: StoredExperiment, marked: Marked) -> None:
        self._told = self._asked
        self._detail.show_experiment(found, marked)

    def _on_rows(self, rows: list[RunSummary]) -> None:
        ids = [row.id for row in rows]
        self._follow(self._desk.details_of(ids), lambda found: self._on_runs(rows, found))

    def _on_runs(self, rows: list[RunSummary], found: list[ExportRun]) -> None:
        by_id = {source.run.id: source for source in found}
        shown = [Shown(row, by_id[row.id]) for row in rows if row.id in by_id]
        if len(shown) != 1:
            self._show(shown)
            return
        only = shown[0]
        verdict = self._desk.verdict(only.row.experiment_id)
        self._follow(verdict, lambda verdict: self._on_verdict(only, verdict))

    def _on_verdict(self, shown: Shown, verdict: Verdict | None) -> None:
        told = replace(shown, verdict=verdict)
        self._show([told])
        # Last, since it takes the longest and the least hangs on it.
        self._follow(self._desk.changes_of(shown.row.key), lambda found: self._on_changes(told, found))

    def _on_changes(self, shown: Shown, found: tuple[Change, ...]) -> None:
        if found:
            self._show([replace(shown, changes=found)])

    def _show(self, shown: Sequence[Shown], marked: Marked | None = None) -> None:
        self._told = self._asked
        self._detail.show_runs(shown, marked or Marked.of(one.row for one in shown))

    # -- side by side ---------------------------------------------------------------------------------------

    def compare(self) -> None:
        """Hold the selected runs, and the arms of the selected experiments, against each other."""
        self.compare_these(self._table.chosen(), self._table.chosen_groups())

    def compare_these(self, every: Sequence[int], first_runs: Sequence[int]) -> None:
        """The same for these runs; ``first_runs`` are those of the experiments told by their arms."""
        groups = set(first_runs)
        chosen = every[: RUNS_MOST if groups else COMPARED]
        if len(chosen) > 1:
            beyond = len(every) - len(chosen)
            self._seek(self._desk.page(chosen), lambda rows: self._on_sides(rows, groups, beyond))

    def serve(self, view: HistoryComparison) -> None:
        """Hold what it shows against another side whenever one is chosen there."""
        view.base_wanted.connect(lambda base: self._hold_against(base, view))
        self.ended.connect(view.show_base)

    def _on_sides(self, rows: list[RunSummary], groups: set[int], beyond: int) -> None:
        whole = {row.experiment_id for row in rows if row.key in groups}
        if whole:  # arm by arm, as the cards stand, so that others are held against Off
            arms = in_order({row.arm for row in rows})
            experiments = list(dict.fromkeys(row.experiment_id for row in rows))
            rows.sort(key=lambda r: (experiments.index(r.experiment_id), arms.index(r.arm), r.start))
        ids = [row.id for row in rows]
        ask = partial(self._desk.compare, ids, whole, most=COMPARED, beyond=beyond)
        self._seek(ask(), lambda found: self._on_compared(found, ask))

    def _on_compared(self, found: RunComparison, ask: partial[Future[RunComparison]]) -> None:
        self._compared = ask
        self.ended.emit()
        self.compared.emit(found)

    def _hold_against(self, base: str, view: HistoryComparison) -> None:
        if self._compared is not None:
            self._seek(self._compared(base=base), lambda found: self._on_held(found, view))

    def _on_held(self, found: RunComparison, view: HistoryComparison) -> None:
        view.show_again(found)
        self.ended.emit()

    def _seek(self, future: Future[T], done: Callable[[T], None]) -> None:
        """Deliver the end of a read for a comparison, unless another was asked for meanwhile."""
        self._sought += 1
        number = self._sought
        self.began.emit()

        def deliver(found: T) -> None:
            if number == self._sought:
                done(found)

        def fail(message: object) -> None:
            if number == self._sought:
                self.ended.emit()
                self.failed.emit(message)

        self._bridge.follow(future, deliver, fail)
