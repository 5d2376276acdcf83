"""The ladder's history above the engine's log: each step, what it changed, who took it, whether it held."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from qtune.core.incident import LadderStep
from qtune.core.messages import QT_TRANSLATE_NOOP
from qtune.core.presets import Preset
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.widgets.foldable import Foldable
from qtune.ui.widgets.parts import ElidedLabel, Seal, empty, label, show_new
from qtune.ui.words import figures_text, ladder_words, texts

HIGH: Final = 190
"""More steps than fit into this scroll, so that the log keeps its room."""
CANCELLED: Final = "start_cancelled"
"""Why a step was not proved when the user stopped it: no failure."""
_DIRECTIONS: Final = {
    "start": QT_TRANSLATE_NOOP("steps", "Start"),
    "down": QT_TRANSLATE_NOOP("steps", "One step down"),
    "up": QT_TRANSLATE_NOOP("steps", "One step up"),
    "retry": QT_TRANSLATE_NOOP("steps", "Tried again"),
}
_translate = QCoreApplication.translate


def direction_word(step: LadderStep) -> str:
    """Which way a step went."""
    return _translate("steps", _DIRECTIONS[step.direction])


def changed_words(step: LadderStep, presets: tuple[Preset, ...]) -> str:
    """The settings a step changed; what was started, where it changed none."""
    if step.direction in ("down", "up"):
        changes = ladder_words.changes_between(step.before, step.after)
        if changes:
            return texts.listed(changes)
    return _what_ran(step, presets)


def by_word(step: LadderStep) -> str:
    """Who took a step."""
    if step.by == "user":
        return QCoreApplication.translate("steps", "by you")
    return QCoreApplication.translate("steps", "by itself")


def why_words(step: LadderStep) -> str:
    """Why a step was taken or did not hold; empty when that is not known."""
    if step.reason is None:
        return ""
    return QCoreApplication.translate("ladder", "Because: {why}").format(why=texts.sentence(step.reason))


def load_words(step: LadderStep) -> str:
    """How long it took until the first answer; empty when none came."""
    if step.load_ms is None:
        return ""
    shown = figures_text.seconds(step.load_ms / 1e3)
    return QCoreApplication.translate("steps", "loaded in {time}").format(time=shown)


def _what_ran(step: LadderStep, presets: tuple[Preset, ...]) -> str:
    footing = step.after
    title = ladder_words.footing_title(footing, presets)
    return " · ".join(part for part in (title, ladder_words.file_name(footing.model_path)) if part)


class StepRow(QFrame):
    """One step: a line of facts, and a line with the reason where there is one."""

    def __init__(self, step: LadderStep, presets: tuple[Preset, ...], tokens: Tokens) -> None:
        super().__init__()
        self.setObjectName("incident")
        self.step = step
        self.seal = Seal(0.95, 14)
        self.when, self.way = label("muted", 0.92), label(bold=True)
        self.what = ElidedLabel()
        self.by, self.load = label("muted", 0.92), label("muted", 0.92)
        self.why = ElidedLabel("muted", 0.92)
        head = QHBoxLayout()
        head.setSpacing(8)
        for widget in (self.seal, self.when, self.way, self.what, self.load, self.by):
            head.addWidget(widget, 1 if widget is self.what else 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 4, 8, 4)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self.why)
        self._show(presets, tokens)

    def _show(self, presets: tuple[Preset, ...], tokens: Tokens) -> None:
        step = self.step
        if step.verified:
            self.seal.show_word(self.tr("proved"), "ready", "good", tokens, self._about())
        else:
            wanted = step.reason is not None and step.reason.code == CANCELLED
            look = ("stopped", "idle") if wanted else ("crashed", "bad")
            self.seal.show_word(self.tr("not proved"), *look, tokens, self._about())
        self.when.setText(texts.local_time(step.at_utc))
        self.way.setText(direction_word(step))
        self.what.setText(changed_words(step, presets))
        self.what.set_about(_what_ran(step, presets))
        self.by.setText(by_word(step))
        self.load.setText(load_words(step))
        self.load.setVisible(bool(self.load.text()))
        self.why.setText(why_words(step))
        self.why.setVisible(bool(self.why.text()))
        shown = (self.way, self.what, self.by, self.seal, self.load, self.why)
        said = " · ".join(widget.text() for widget in shown if widget.text())
        self.setAccessibleName(texts.labelled(self.when.text(), said))

    def _about(self) -> str:
        if self.step.verified:
            return self.tr("The server answered a real request.")
        return self.tr("The server did not answer a real request.")


class StepPanel(Foldable):
    """Hidden while no step was taken; closed at first."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        inside = QWidget()
        inside.setObjectName("inset")
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(6, 0, 6, 6)
        self._column.setSpacing(4)
        self._area = QScrollArea()
        self._area.setObjectName("inset")
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setMaximumHeight(HIGH)
        self._area.setWidget(inside)
        super().__init__(self._area, parent)
        self._bench = bench
        self._looks = LIGHT
        self.rows: list[StepRow] = []
        bench.way_back.steps_changed.connect(self.refresh)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        super().set_tokens(tokens)
        self._looks = tokens
        self.refresh()

    def refresh(self) -> None:
        """Show the steps that are known."""
        steps = self._bench.way_back.steps
        self.setVisible(bool(steps))
        title = self.tr("Steps on the ladder")
        self.set_heading(title)
        self._area.setAccessibleName(title)
        empty(self._column)
        self.rows = [StepRow(step, self._bench.presets, self._looks) for step in steps]
        for row in self.rows:
            self._column.addWidget(row)
        show_new(self._column)
        self._column.addStretch(1)
