"""What to measure and how thoroughly, the buttons that do it, and how far it is."""

from __future__ import annotations

import time

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qtune.core.events import Progress
from qtune.core.server_state import ServerState
from qtune.core.workload import Workload
from qtune.ui import icons
from qtune.ui.state.activity import Activity
from qtune.ui.state.choices import MAX_RUNS
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import GAP, LIGHT, Tokens
from qtune.ui.tune.job_buttons import JobButtons
from qtune.ui.widgets.context_spin import ContextSpin
from qtune.ui.widgets.number_spin import NumberSpin
from qtune.ui.widgets.parts import ElidedCombo, ElidedLabel, button, label
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text, texts

TICK_MS = 500
LEAST_FORM = 96
LIVE, RESULT, LADDER = range(3)
FORMS = ("full", "quick")
BUSY = (Activity.MEASURING, Activity.STARTING)


class ViewSwitch(QWidget):
    """Buttons of which one is down: the charts as they run, the newest result, the ladder if it is folded."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self.live, self.result, self.ladder = QPushButton(), QPushButton(), QPushButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for number, made in enumerate((self.live, self.result, self.ladder)):
            made.setCheckable(True)
            made.setProperty("kind", "segment")
            self._group.addButton(made, number)
            row.addWidget(made)
        self.live.setChecked(True)
        self.ladder.hide()
        self._group.idClicked.connect(self.chosen)

    def show_chosen(self, number: int) -> None:
        """Press the button of the view that is shown."""
        self._group.button(number).setChecked(True)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.live.setText(self.tr("Live"))
        set_tip(self.live, self.tr("Charts, record and answer as they come (Ctrl+Shift+1)."))
        self.result.setText(self.tr("Result"))
        set_tip(self.result, self.tr("Verdict and diagnosis of the newest job (Ctrl+Shift+2)."))
        self.ladder.setText(self.tr("Ladder"))
        set_tip(self.ladder, self.tr("What can be turned off, step by step (Ctrl+Shift+3)."))


class MeasureBar(QFrame):
    """Asks through signals; choices go straight to the workbench."""

    job_wanted = Signal(str)
    view_wanted = Signal(int)
    pause_wanted = Signal()
    reset_wanted = Signal()
    second_row_wanted = Signal(bool)
    cancel_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._progress: Progress | None = None
        self._progress_at = 0.0
        self._tokens = LIGHT
        self._captions = [ElidedLabel("muted", 0.95) for _ in range(3)]
        self.context = ContextSpin()
        self.runs = NumberSpin(1, MAX_RUNS)
        self.wrong = label("warn", 0.95, wrap=True)
        self.wrong.hide()
        self.prompt = ElidedCombo()
        self.form = ElidedCombo()
        self.form.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.form.setSizeAdjustPolicy(ElidedCombo.SizeAdjustPolicy.AdjustToContents)
        self.form.setMinimumWidth(LEAST_FORM)
        self.view = ViewSwitch()
        self.jobs = JobButtons(bench)
        self.cancel = button()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.doing = ElidedLabel("", 0.95)
        self.elapsed = label("muted", 0.95)
        self.pause, self.reset, self.more = QToolButton(), QToolButton(), QToolButton()
        self.pause.setCheckable(True)
        self.more.setCheckable(True)
        self.foot = QStackedWidget()
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._show_elapsed)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(7)
        for caption, widget in zip(self._captions, (self.context, self.runs, self.prompt), strict=True):
            row.addWidget(caption)
            row.addWidget(widget, 3 if widget is self.prompt else 0)
            row.addSpacing(4)
        row.addWidget(self.form)
        row.addStretch(1)
        for widget in (self.view, self.pause, self.reset, self.more):
            row.addWidget(widget)
        busy = QWidget()
        foot = QHBoxLayout(busy)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(GAP)
        foot.addWidget(self.doing, 3)
        foot.addWidget(self.bar, 3)
        foot.addWidget(self.elapsed)
        foot.addWidget(self.cancel)
        self.foot.addWidget(self.jobs)
        self.foot.addWidget(busy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(7)
        column.addLayout(row)
        column.addWidget(self.wrong)
        column.addWidget(self.foot)

    def _connect(self) -> None:
        self.context.valueChanged.connect(self._bench.choose_context)
        self.runs.valueChanged.connect(self._bench.choose_runs)
        for field in (self.context, self.runs):
            field.refused.connect(self._say_wrong)
        self.prompt.activated.connect(self._prompt_chosen)
        self.form.activated.connect(lambda index: self._bench.choose_form(self.form.itemData(index)))
        self.jobs.wanted.connect(self.job_wanted)
        self.view.chosen.connect(self.view_wanted)
        self.cancel.clicked.connect(self.cancel_wanted)
        self.pause.clicked.connect(self.pause_wanted)
        self.reset.clicked.connect(self.reset_wanted)
        self.more.toggled.connect(self.second_row_wanted)
        self._bench.choice_changed.connect(self.refresh)
        self._bench.source_changed.connect(self.refresh)
        self._bench.activity_changed.connect(self._on_activity)

    def on_progress(self, progress: Progress) -> None:
        """A job tells how far it is."""
        self._progress, self._progress_at = progress, time.monotonic()
        self._show_progress()

    def stop(self) -> None:
        """Tick no more."""
        self._tick.stop()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.jobs.set_tokens(tokens)
        self.pause.setIcon(icons.icon("pause", tokens.muted))
        self.reset.setIcon(icons.icon("fit", tokens.muted))
        self.more.setIcon(icons.icon("rows", tokens.muted))

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self._say_wrong("")
        names = (self.tr("Context"), self.tr("Runs"), self.tr("Prompt"))
        abouts = (
            texts.setting_about("ctx_size"),
            self.tr("Counted requests where a preset is only looked at; a comparison decides by itself."),
            self.tr("What is asked in every request. Each gets a new first line, so that no cache can help."),
        )
        widgets: tuple[QWidget, ...] = (self.context, self.runs, self.prompt)
        for caption, name, about, widget in zip(self._captions, names, abouts, widgets, strict=True):
            caption.setText(name)
            caption.set_about(about)
            set_tip(widget, about)
            widget.setAccessibleName(name)
        self._name_forms()
        self.jobs.retranslate()
        self.view.retranslate()
        self.cancel.setText(self.tr("Cancel"))
        set_tip(self.cancel, self.tr("Cancel; what was measured is kept (Esc)."))
        for tool, about in (
            (self.pause, self.tr("Hold the charts still (Space); nothing is lost.")),
            (self.reset, self.tr("Show the newest again in every chart (double-click resets one).")),
            (self.more, self.tr("More charts: power, temperature, utilisation, rounds per second.")),
        ):
            set_tip(tool, about)
            tool.setAccessibleName(about)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.refresh()

    def _name_forms(self) -> None:
        names = (self.tr("Full: 10 to 15 min"), self.tr("Quick: about 4 min"))
        abouts = (
            self.tr(
                "A verdict with an interval: every preset started at least twice, on three kinds of text."
                " The times are those of a 27B model on a 24 GB card."
            ),
            self.tr("An indication without an interval: every preset started once, on the chosen prompt."),
        )
        with QSignalBlocker(self.form):
            self.form.clear()
            for form, name, about in zip(FORMS, names, abouts, strict=True):
                self.form.addItem(name, form)
                self.form.setItemData(self.form.count() - 1, about, Qt.ItemDataRole.ToolTipRole)
        self.form.setAccessibleName(self.tr("How thoroughly comparisons and searches measure"))
        set_tip(self.form, "\n".join((self.form.accessibleName() + ".", *abouts)))

    def refresh(self) -> None:
        """Show the choices that hold now."""
        bench = self._bench
        with QSignalBlocker(self.context), QSignalBlocker(self.runs), QSignalBlocker(self.prompt):
            self.context.limit(None if bench.model is None else bench.model.context_train)
            self.context.setValue(bench.ctx_size)
            self.runs.setValue(bench.runs)
            self.prompt.clear()
            for workload in bench.workloads:
                self.prompt.addItem(texts.workload_title(workload), workload)
            self.prompt.setCurrentIndex([w.id for w in bench.workloads].index(bench.workload.id))
        self.form.setCurrentIndex(self.form.findData(bench.form))
        self._show_enabled()
        self._show_progress()

    def _on_activity(self) -> None:
        busy = self._bench.activity in BUSY
        if busy and not self._tick.isActive():
            self._tick.start()
        if not busy:
            self._tick.stop()
            self._progress = None
        self._show_enabled()
        self._show_progress()

    def _show_enabled(self) -> None:
        bench = self._bench
        self.jobs.refresh()
        self.cancel.setEnabled(bench.activity in BUSY)
        self.foot.setCurrentIndex(1 if bench.activity in BUSY else 0)
        for widget in (self.context, self.runs, self.prompt, self.form):
            widget.setEnabled(bench.idle)

    def _show_progress(self) -> None:
        bench, progress = self._bench, self._progress
        self.jobs.state.setText(self._idle_text())
        if bench.activity is Activity.MEASURING and progress is not None:
            self.bar.setRange(0, max(progress.total, 1))
            self.bar.setValue(progress.done)
            self.doing.setText(texts.sentence(progress.what))
        else:
            self.bar.setRange(0, 0 if bench.activity in BUSY else 1)
            self.doing.setText(self._waiting_text())
        self._show_elapsed()

    def _waiting_text(self) -> str:
        if self._bench.activity is not Activity.STARTING:
            return self.tr("Preparing")
        if self._bench.server.state is ServerState.READY:  # said beside it, so "starting" would contradict
            return self.tr("Trying the server with a real request")
        return self.tr("Starting the server")

    def _idle_text(self) -> str:
        bench = self._bench
        if bench.activity is Activity.STOPPING:
            return self.tr("Stopping the server")
        if not bench.complete:
            return self.tr("Choose a model and an engine first.")
        if (obstacle := bench.job_obstacle("measure")) is not None:
            return texts.sentence(obstacle)
        return ""

    def _show_elapsed(self) -> None:
        progress = self._progress
        if progress is None or self._bench.activity is not Activity.MEASURING:
            self.elapsed.setText("")
            return
        since = time.monotonic() - self._progress_at
        text = self.tr("{done} of {total} requests · {elapsed}").format(
            done=progress.done,
            total=progress.total,
            elapsed=figures_text.seconds(int(progress.elapsed_s + since)),
        )
        if progress.left_s is not None:
            left = max(1, round(progress.left_s - since))
            text += " · " + self.tr("about {left} left").format(left=figures_text.seconds(left))
        self.elapsed.setText(text)

    def _say_wrong(self, sentence: str) -> None:
        """Why what was typed into a field was not taken, below the fields."""
        self.wrong.setText(sentence)
        self.wrong.setVisible(bool(sentence))

    def _prompt_chosen(self, index: int) -> None:
        workload = self.prompt.itemData(index)
        if isinstance(workload, Workload):
            self._bench.choose_workload(workload)
