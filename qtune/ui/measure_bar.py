"""What to measure and how often, the buttons that do it, and how far it is."""

from __future__ import annotations

import time

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QSpinBox, QToolButton, QVBoxLayout, QWidget

from qtune.core.events import Progress
from qtune.core.workload import Workload
from qtune.ui import figures_text, icons, texts
from qtune.ui.parts import ElidedCombo, ElidedLabel, button, label
from qtune.ui.theme import GAP, LIGHT, Tokens
from qtune.ui.workbench import MAX_RUNS, Activity, Workbench

CONTEXT_STEPS = (4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144)
LEAST_CONTEXT = 1024
TICK_MS = 500
TEXT_MARGINS = (6, 0, 0, 0)
"""A style sheet's padding does not reach the text inside a spin box."""


class ContextSpin(QSpinBox):
    """Tokens of context; the arrows walk the usual steps, any number may be typed, ``16k`` too."""

    def __init__(self) -> None:
        super().__init__()
        self.setRange(LEAST_CONTEXT, CONTEXT_STEPS[-1])
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(*TEXT_MARGINS)

    def limit(self, tokens: int | None) -> None:
        """Longest context the model was trained for; None when unknown."""
        self.setMaximum(max(LEAST_CONTEXT, tokens or CONTEXT_STEPS[-1]))

    def stepBy(self, steps: int) -> None:
        """Go to the next usual step in that direction."""
        for _ in range(abs(steps)):
            if steps > 0:
                wanted = [s for s in CONTEXT_STEPS if s > self.value()][:1]
            else:
                wanted = [s for s in reversed(CONTEXT_STEPS) if s < self.value()][:1]
            if wanted:
                self.setValue(wanted[0])

    def textFromValue(self, value: int) -> str:
        """``8k`` for multiples of 1024."""
        return figures_text.context(value)

    def valueFromText(self, text: str) -> int:
        """Read ``8k`` or ``8192``."""
        word = text.strip().lower()
        if word.endswith("k") and word[:-1].isdigit():
            return int(word[:-1]) * 1024
        return int(word) if word.isdigit() else self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Digits with an optional ``k``."""
        word = text.strip().lower()
        number = word.removesuffix("k")
        if word and not number:
            state = QValidator.State.Invalid
        elif not number.isdigit():
            state = QValidator.State.Invalid if number else QValidator.State.Intermediate
        else:
            fits = self.minimum() <= self.valueFromText(word) <= self.maximum()
            state = QValidator.State.Acceptable if fits else QValidator.State.Intermediate
        return state, text, position


class MeasureBar(QFrame):
    """Asks through signals; choices go straight to the workbench."""

    measure_wanted = Signal()
    measure_both_wanted = Signal()
    pause_wanted = Signal()
    reset_wanted = Signal()
    cancel_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._progress: Progress | None = None
        self._progress_at = 0.0
        self._tokens = LIGHT
        self._captions = [label("muted", 0.95) for _ in range(3)]
        self.context = ContextSpin()
        self.runs = QSpinBox()
        self.runs.setRange(1, MAX_RUNS)
        self.runs.lineEdit().setTextMargins(*TEXT_MARGINS)
        self.prompt = ElidedCombo()
        self.measure, self.measure_both, self.cancel = button("primary"), button(), button()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.doing = ElidedLabel("muted", 0.95)
        self.elapsed = label("muted", 0.95)
        self.pause, self.reset = QToolButton(), QToolButton()
        self.pause.setCheckable(True)
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
            row.addSpacing(6)
        row.addStretch(1)
        for widget in (self.cancel, self.measure_both, self.measure):
            row.addWidget(widget)
        foot = QHBoxLayout()
        foot.setSpacing(GAP)
        foot.addWidget(self.doing, 3)
        foot.addWidget(self.bar, 2)
        foot.addWidget(self.elapsed)
        charts = QHBoxLayout()
        charts.setSpacing(2)
        charts.addWidget(self.pause)
        charts.addWidget(self.reset)
        foot.addLayout(charts)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 7)
        column.setSpacing(6)
        column.addLayout(row)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.context.valueChanged.connect(self._bench.choose_context)
        self.runs.valueChanged.connect(self._bench.choose_runs)
        self.prompt.activated.connect(self._prompt_chosen)
        self.measure.clicked.connect(self.measure_wanted)
        self.measure_both.clicked.connect(self.measure_both_wanted)
        self.cancel.clicked.connect(self.cancel_wanted)
        self.pause.clicked.connect(self.pause_wanted)
        self.reset.clicked.connect(self.reset_wanted)
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
        self.measure.setIcon(icons.icon("measuring", tokens.on_accent, tokens.disabled))
        self.pause.setIcon(icons.icon("pause", tokens.muted))
        self.reset.setIcon(icons.icon("fit", tokens.muted))

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        names = (self.tr("Context"), self.tr("Runs"), self.tr("Prompt"))
        abouts = (
            texts.setting_about("ctx_size"),
            self.tr("Counted requests for each preset; warm-up requests come on top and do not count."),
            self.tr("What is asked in every request. Each gets a new first line, so that no cache can help."),
        )
        widgets: tuple[QWidget, ...] = (self.context, self.runs, self.prompt)
        for caption, name, about, widget in zip(self._captions, names, abouts, widgets, strict=True):
            caption.setText(name)
            for part in (caption, widget):
                part.setToolTip(about)
            widget.setAccessibleName(name)
        self.measure.setText(self.tr("Measure this"))
        self.measure.setToolTip(self.tr("Measure the chosen preset (F5)."))
        self.measure_both.setText(self.tr("Measure off and this"))
        self.measure_both.setToolTip(
            self.tr("Measure Off and then the chosen preset, each in a fresh engine (Shift+F5).")
        )
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setToolTip(self.tr("Cancel; what was measured is kept (Esc)."))
        for tool, about in (
            (self.pause, self.tr("Hold the charts still (Space); nothing is lost.")),
            (self.reset, self.tr("Show the newest again in every chart (double-click resets one).")),
        ):
            tool.setToolTip(about)
            tool.setAccessibleName(about)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.refresh()

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
        self._show_enabled()
        self._show_progress()

    def _on_activity(self) -> None:
        busy = self._bench.activity in (Activity.MEASURING, Activity.STARTING)
        if busy and not self._tick.isActive():
            self._tick.start()
        if not busy:
            self._tick.stop()
            self._progress = None
        self._show_enabled()
        self._show_progress()

    def _show_enabled(self) -> None:
        bench = self._bench
        can = bench.complete and bench.idle and bench.obstacle(bench.preset_id) is None
        self.measure.setEnabled(can)
        self.measure_both.setEnabled(can and bench.preset_id != "off")
        self.cancel.setEnabled(bench.activity in (Activity.MEASURING, Activity.STARTING))
        for widget in (self.context, self.runs, self.prompt):
            widget.setEnabled(bench.idle)

    def _show_progress(self) -> None:
        bench, progress = self._bench, self._progress
        measuring = bench.activity is Activity.MEASURING
        self.bar.setVisible(bench.activity in (Activity.MEASURING, Activity.STARTING))
        if measuring and progress is not None:
            self.bar.setRange(0, max(progress.total, 1))
            self.bar.setValue(progress.done)
            self.doing.setText(texts.sentence(progress.what))
        else:
            self.bar.setRange(0, 0 if self.bar.isVisible() else 1)
            self.doing.setText(self._idle_text())
        self._show_elapsed()

    def _idle_text(self) -> str:
        bench = self._bench
        if bench.activity is Activity.STARTING:
            return self.tr("Starting the server")
        if bench.activity is Activity.STOPPING:
            return self.tr("Stopping the server")
        if bench.activity is Activity.MEASURING:
            return self.tr("Preparing")
        if not bench.complete:
            return self.tr("Choose a model and an engine first.")
        if (obstacle := bench.obstacle(bench.preset_id)) is not None:
            return texts.sentence(obstacle)
        title = texts.preset_title(bench.preset_id, bench.presets)
        return self.tr("Ready to measure {preset}: counted requests {runs}, context {context}").format(
            preset=title, runs=bench.runs, context=figures_text.context(bench.ctx_size)
        )

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

    def _prompt_chosen(self, index: int) -> None:
        workload = self.prompt.itemData(index)
        if isinstance(workload, Workload):
            self._bench.choose_workload(workload)
