"""The Tune page: choose, measure, watch, and read the record."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from qtune.core.events import RequestFinished, RequestStarted, RunFinished, TextArrived
from qtune.core.machine_facts import TelemetrySample
from qtune.ui.bridge import Bridge
from qtune.ui.plots.live_charts import LiveCharts
from qtune.ui.state.workbench import MEMORY_EVERY_NS, Workbench
from qtune.ui.theme import GAP, LIGHT, Tokens
from qtune.ui.tune.answer_view import AnswerView
from qtune.ui.tune.first_start import FirstStart
from qtune.ui.tune.ladder_rail import WIDTH as RAIL_WIDTH
from qtune.ui.tune.ladder_rail import LadderRail
from qtune.ui.tune.measure_bar import LADDER, LIVE, RESULT, MeasureBar
from qtune.ui.tune.missing_card import MissingCard
from qtune.ui.tune.own_bar import OwnBar
from qtune.ui.tune.preset_card import CardFacts, PresetCard
from qtune.ui.tune.record_table import RecordModel, RecordTable
from qtune.ui.tune.result_page import ResultPage
from qtune.ui.tune.source_bar import SourceBar
from qtune.ui.tune.summary_strip import SummaryStrip
from qtune.ui.widgets.kept_splitter import KeptSplitter
from qtune.ui.widgets.parts import line

CHARTS_LEAST = 140
"""Of one row, logical pixels."""
SECOND_ROW = "second_row"
"""Preference: whether the second row of charts is shown."""
ANY_WIDTH = 16_777_215
"""Qt's own limit, which stands for none."""
BESIDE = 1180
"""From this width on, logical pixels, the ladder stands beside the workplace, else it is one of the views."""
RECORD_LEAST = 140
WIDEST = 2200
"""Of the whole page, logical pixels."""


class TunePage(QScrollArea):
    """Two faces: the first start until something is measured or it is skipped, and the workplace.

    The lower part of the workplace is either live (charts, record, answer) or the newest result.
    """

    def __init__(self, bench: Workbench, bridge: Bridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.first_start = FirstStart(bench)
        # Whoever chose a model before knows the way; a later version must not take them back to it.
        self._first = not bench.preference("first_start") and not bench.preference("model")
        self.missing = MissingCard(bench)
        self.source = SourceBar(bench)
        self.own = OwnBar(bench)
        self.cards = [PresetCard(preset) for preset in bench.presets]
        self.measure = MeasureBar(bench)
        self.charts = LiveCharts()
        self.answer = AnswerView()
        self.record = RecordModel(self)
        self.table = RecordTable(
            self.record,
            lambda picked: bench.prefer(record_columns=picked),
            bench.preference("record_columns"),
        )
        self.summary = SummaryStrip(bench)
        self.result = ResultPage(bench)
        self.ladder = LadderRail(bench)
        self._folded = QWidget()
        self._fold = QVBoxLayout(self._folded)
        self._row = QHBoxLayout()
        self.views = QStackedWidget()
        self.split = KeptSplitter({Qt.Orientation.Vertical: (400, 600)}, 10)
        self.lower_split = KeptSplitter({Qt.Orientation.Horizontal: (700, 300)}, GAP)
        self._tokens = LIGHT
        self._memory_ns = 0
        self._card_row = QHBoxLayout()
        self.faces = QStackedWidget()
        self.faces.addWidget(self.first_start)
        self.faces.addWidget(self._workplace())
        self.faces.setCurrentIndex(0 if self._first else 1)  # or the first start would take the focus
        # On a very wide screen the workplace stays together in the middle instead of tearing apart.
        self.faces.setMaximumWidth(WIDEST)
        self.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setWidget(self.faces)
        self._connect(bridge)

    def _workplace(self) -> QWidget:
        page = QWidget()
        page.setObjectName("page")
        self._row.setContentsMargins(GAP, GAP, GAP, GAP)
        self._row.setSpacing(GAP)
        page.setLayout(self._row)
        column = QVBoxLayout()
        column.setSpacing(10)
        self._row.addLayout(column, 1)
        self._row.addWidget(self.ladder)
        self.ladder.setFixedWidth(RAIL_WIDTH)
        self._fold.setContentsMargins(0, 0, 0, 0)
        self._card_row.setSpacing(GAP)
        for card in self.cards:
            self._card_row.addWidget(card, 1)
        column.addWidget(self.missing)
        column.addWidget(self.source)
        column.addWidget(self.own)
        column.addLayout(self._card_row)
        column.addWidget(self.measure)
        self.charts.setMinimumHeight(CHARTS_LEAST)
        self.split.addWidget(self.charts)
        self.split.addWidget(self._lower())
        self.split.divide()
        self.views.addWidget(self.split)
        self.views.addWidget(self.result)
        self.views.addWidget(self._folded)
        # Ignored: the page is as high as the window, and scrolls only below these least heights.
        self.views.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.views.setMinimumHeight(CHARTS_LEAST + 10 + RECORD_LEAST)
        column.addWidget(self.views, 1)
        return page

    def _lower(self) -> QWidget:
        box = QFrame()
        box.setObjectName("card")
        column = QVBoxLayout(box)
        column.setContentsMargins(1, 1, 1, 4)
        column.setSpacing(0)
        column.addWidget(self.summary)
        column.addWidget(line())
        column.addWidget(self.table, 1)
        self.lower_split.addWidget(box)
        self.lower_split.addWidget(self.answer)
        self.lower_split.divide()
        return self.lower_split

    def _connect(self, bridge: Bridge) -> None:
        bench = self._bench
        for card in self.cards:
            card.clicked.connect(bench.choose_preset)
        bench.source_changed.connect(self.refresh)
        bench.choice_changed.connect(self.refresh)
        bench.choice_changed.connect(self._aim_charts)
        self._aim_charts()
        self.measure.second_row_wanted.connect(self._on_second_row)
        self.measure.more.setChecked(bench.preference(SECOND_ROW) == "yes")
        self.charts.pause_wanted.connect(self.toggle_pause)
        bench.figures_changed.connect(self.refresh)
        bench.activity_changed.connect(self._on_activity)
        bench.finder.host_changed.connect(lambda: self.charts.set_gpu_note(bench.finder.gpu_note))
        bench.presets_changed.connect(self._on_presets)
        bench.found_changed.connect(lambda: self.show_view(RESULT))
        bench.job_began.connect(self.leave_first_start)
        bench.job_began.connect(lambda: self.show_view(LIVE))
        self.first_start.skip_wanted.connect(self.leave_first_start)
        self.first_start.result_wanted.connect(self._show_first_result)
        self.missing.steps_wanted.connect(self.show_first_start)
        self.measure.view_wanted.connect(self.show_view)
        bench.history_loaded.connect(lambda: self.record.load(bench.book.newest()))
        self.measure.pause_wanted.connect(self.toggle_pause)
        self.measure.reset_wanted.connect(self.charts.reset_views)
        bridge.request_started.connect(self._on_request_started)
        bridge.text_arrived.connect(self._on_text)
        bridge.request_finished.connect(self._on_request_finished)
        bridge.run_finished.connect(self._on_run_finished)
        bridge.telemetry_taken.connect(self._on_telemetry)
        bridge.progressed.connect(self.measure.on_progress)

    # -- for the window -------------------------------------------------------------------------------------

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        for card in self.cards:
            card.set_tokens(tokens)
        self.result.set_tokens(tokens)
        self.ladder.set_tokens(tokens)
        self.first_start.set_tokens(tokens)
        self.missing.set_tokens(tokens)
        self.source.set_tokens(tokens)
        self.own.set_tokens(tokens)
        self.measure.set_tokens(tokens)
        self.charts.set_tokens(tokens)
        self.answer.set_tokens(tokens)
        self.record.set_tokens(tokens)
        self.summary.set_tokens(tokens)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.setAccessibleName(self.tr("Tune"))
        for card in self.cards:
            card.retranslate()
        self.first_start.retranslate()
        self.missing.retranslate()
        self.source.retranslate()
        self.own.retranslate()
        self.measure.retranslate()
        self.charts.retranslate()
        self.answer.retranslate()
        self.record.retranslate()
        self.summary.retranslate()
        self.result.retranslate()
        self.ladder.retranslate()
        self.table.setAccessibleName(self.tr("Record of requests"))
        self.table.fit_columns()

    def stop(self) -> None:
        """Let every timer end."""
        self.charts.stop()
        self.measure.stop()

    def show_first_start(self) -> None:
        """Show the three steps, again perhaps."""
        self._first = True
        self.refresh()
        self.verticalScrollBar().setValue(0)

    def leave_first_start(self) -> None:
        """Show the workplace from now on, also at the next start."""
        if self._first:
            self._first = False
            self._bench.prefer(first_start="left")
            self.refresh()
            self.setFocus()

    def _show_first_result(self) -> None:
        self.leave_first_start()
        self.show_view(RESULT)

    def show_view(self, number: int) -> None:
        """Show the live charts with the record, the newest result, or the ladder where it is folded."""
        if number == LADDER and not self.ladder_folded:
            return
        self.views.setCurrentIndex(number)
        if number == LADDER:
            self.ensureWidgetVisible(self.views, 0, 0)  # in a low window it ends below the edge
            self.ladder.show_place()
        self.measure.view.show_chosen(number)

    @property
    def ladder_folded(self) -> bool:
        """Whether the ladder is one of the views for want of width."""
        return self.ladder.parentWidget() is self._folded

    def _fold_ladder(self, *, folded: bool) -> None:
        if folded == self.ladder_folded:
            return
        if folded:
            self._fold.addWidget(self.ladder)
            self.ladder.setMinimumWidth(0)
            self.ladder.setMaximumWidth(ANY_WIDTH)
        else:
            self._row.addWidget(self.ladder)
            self.ladder.setFixedWidth(RAIL_WIDTH)
            if self.views.currentIndex() == LADDER:
                self.show_view(LIVE)
        self.ladder.show()  # a change of parent hides
        self.ladder.set_wide(wide=folded)
        self.measure.view.ladder.setVisible(folded)

    def toggle_pause(self) -> None:
        """Hold the charts still, or let them run on."""
        self.charts.toggle_pause()
        self.measure.pause.setChecked(self.charts.paused)

    def refresh(self) -> None:
        """Show what is chosen and what is known of it."""
        bench = self._bench
        self.faces.setCurrentIndex(0 if self._first else 1)
        for card in self.cards:
            card.set_chosen(chosen=card.preset.id == bench.preset_id)
            card.set_obstacle(bench.obstacle(card.preset.id))
            card.set_facts(self._facts(card.preset.id))
        self._show_memory()

    def _show_memory(self) -> None:
        """What each preset takes of the memory that is free now."""
        for card in self.cards:
            view = self._bench.memory_view(card.preset.id)
            card.set_memory(view, with_model=self._bench.model is not None)

    def _facts(self, preset: str) -> CardFacts:
        """What is known of a preset under the present set-up."""
        bench, setup = self._bench, self._bench.setup
        if setup is None or bench.model is None:
            return CardFacts()
        settings, compared = bench.settings_of(preset), bench.compared(preset)
        return CardFacts(
            figures=bench.book.latest(settings, setup),
            off=None
            if compared is None or compared.off.decode_tok_s is None
            else compared.off.decode_tok_s.median,
            factor=None if compared is None else compared.factor,
            answer=bench.book.answer(settings, setup),
            gates=bench.book.gates(preset, setup),
            last=bench.book.last_try(preset, bench.model.path),
        )

    def _on_presets(self) -> None:
        """The custom preset is new, gone, or has other values."""
        known = {card.preset.id: card for card in self.cards}
        for preset_id in known.keys() - {preset.id for preset in self._bench.presets}:
            gone = known[preset_id]
            self.cards.remove(gone)
            self._card_row.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for preset in self._bench.presets:
            if preset.id in known:
                known[preset.id].set_preset(preset)
                continue
            card = PresetCard(preset)
            card.clicked.connect(self._bench.choose_preset)
            card.set_tokens(self._tokens)
            card.retranslate()
            self.cards.append(card)
            self._card_row.addWidget(card, 1)

    def _aim_charts(self) -> None:
        """Which card the charts read, and what the chosen preset keeps free of it."""
        self.charts.choose_card(self._bench.card_uuid)
        self.charts.keep_free(self._bench.preset_of(self._bench.preset_id).vram_keep_bytes)

    def _on_second_row(self, shown: bool) -> None:  # noqa: FBT001 - a slot
        least = CHARTS_LEAST * 2 + GAP if shown else CHARTS_LEAST
        self.charts.setMinimumHeight(least)
        self.views.setMinimumHeight(least + 10 + RECORD_LEAST)
        self.charts.show_second_row(shown=shown)
        self._bench.prefer(**{SECOND_ROW: "yes" if shown else "no"})

    # -- what happened --------------------------------------------------------------------------------------

    def _on_activity(self) -> None:
        if self._bench.idle:
            self.charts.job_ended()

    def _on_request_started(self, event: RequestStarted) -> None:
        self.charts.on_request_started(event)
        self.answer.on_request_started(event)

    def _on_text(self, deltas: list[TextArrived]) -> None:
        self.charts.on_text(deltas)
        self.answer.on_text(deltas)

    def _on_request_finished(self, event: RequestFinished) -> None:
        self.charts.on_request_finished(event)
        self.answer.on_request_finished(event)
        run = self._bench.book.run(event.record.run_id)
        if run is not None:
            self.record.add(run, event.record)

    def _on_run_finished(self, event: RunFinished) -> None:
        self.record.finish_run(event.run)

    def _on_telemetry(self, sample: TelemetrySample) -> None:
        self.charts.on_telemetry(sample)
        if self.isVisible() and sample.t_ns - self._memory_ns >= MEMORY_EVERY_NS:
            self._memory_ns = sample.t_ns
            self._show_memory()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The ladder beside the workplace where there is room."""
        super().resizeEvent(event)
        self._fold_ladder(folded=self.width() < BESIDE)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space holds the charts still; it only gets here when no button or field wants it."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self.toggle_pause()
            return
        super().keyPressEvent(event)
