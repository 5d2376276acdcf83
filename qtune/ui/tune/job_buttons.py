"""The buttons that ask for a job: the four usual ones, and a menu with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from qtune.session.jobs import JobKind
from qtune.ui import icons
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import Tokens
from qtune.ui.widgets.parts import ElidedLabel, button
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import texts

BOTH = "both"
"""Off and the chosen preset, one after the other: a measurement of two arms."""
MENU: tuple[JobKind | str, ...] = (BOTH, "fill", "ten", "soak", "seeds", "raw", "selftest")


class JobButtons(QWidget):
    """``wanted`` carries the kind of job, or ``both``."""

    wanted = Signal(str)

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._abouts: dict[str, str] = {}
        self.compare, self.measure = button("primary"), button()
        self.search, self.sweep, self.more = button(), button(), button()
        self.buttons: dict[str, QPushButton] = {
            "compare": self.compare,
            "measure": self.measure,
            "sweep-n-max": self.search,
            "sweep-context": self.sweep,
        }
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.actions_of: dict[str, QAction] = {}
        for kind, made in self.buttons.items():
            made.clicked.connect(lambda _checked=False, kind=kind: self.wanted.emit(kind))
        for kind in MENU:
            action = self.menu.addAction("")
            action.triggered.connect(lambda _checked=False, kind=kind: self.wanted.emit(kind))
            self.actions_of[kind] = action
        self.more.setMenu(self.menu)
        self.state = ElidedLabel("muted", 0.95)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(7)
        for widget in (*self.buttons.values(), self.more):
            row.addWidget(widget)
        row.addSpacing(6)
        row.addWidget(self.state, 1)

    def add_commands(self, commands: Sequence[QAction]) -> None:
        """Put commands that measure nothing below the jobs of the menu; they carry their own names."""
        self.menu.addSeparator()
        self.menu.addActions(list(commands))

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self.compare.setIcon(icons.icon("measuring", tokens.on_accent, tokens.disabled))

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.compare.setText(self.tr("Compare all"))
        self.measure.setText(self.tr("Measure this"))
        self.search.setText(self.tr("Find best n_max"))
        self.sweep.setText(self.tr("Context sweep"))
        self.more.setText(self.tr("More"))
        set_tip(self.more, self.tr("Other measurements, and commands to paste, copy and export"))
        names = {
            BOTH: self.tr("Measure Off and this"),
            "fill": self.tr("Fill the context"),
            "ten": self.tr("Ten requests in a row"),
            "soak": self.tr("Soak for 20 minutes"),
            "seeds": self.tr("Repeat with three seeds"),
            "raw": self.tr("Chat against raw text"),
            "selftest": self.tr("Self-test: Off against Off"),
        }
        for kind, name in names.items():
            self.actions_of[kind].setText(name)
        self._abouts = self._what_each_does()
        self.refresh()

    def _what_each_does(self) -> dict[str, str]:
        return {
            "compare": self.tr(
                "Off and every other preset in turn, each in fresh engines, until it is clear"
                " which is better (F6)."
            ),
            "measure": self.tr("The chosen preset once, to have a look (F5)."),
            "sweep-n-max": self.tr(
                "Tries a few draft lengths, then measures the best against Off once more"
                " with fresh requests (F7)."
            ),
            "sweep-context": self.tr(
                "Off and the chosen preset with the context filled to a quarter, to half and wholly;"
                " Off alone where MTP cannot run (F8)."
            ),
            BOTH: self.tr("Off and then the chosen preset, once each: an indication (Shift+F5)."),
            "fill": self.tr(
                "The chosen preset with the context filled to 50, 75 and 92 %, a real answer at each:"
                " does memory still suffice?"
            ),
            "ten": self.tr("Ten requests of the chosen preset in a row, none of which may go wrong."),
            "soak": self.tr("The chosen preset without a pause: does its speed hold, and does memory grow?"),
            "seeds": self.tr("Off and the chosen preset with three seeds: does the gain depend on chance?"),
            "raw": self.tr("The same text with and without the model's chat template."),
            "selftest": self.tr(
                "Off against itself. If that is no tie, this machine is too restless to compare."
            ),
        }

    def refresh(self) -> None:
        """Show what can be asked for now, and why the rest cannot."""
        bench = self._bench
        can = bench.complete and bench.idle
        everything: dict[str, QPushButton | QAction] = {**self.buttons, **self.actions_of}
        for kind, made in everything.items():
            job = cast("JobKind", "measure" if kind == BOTH else kind)
            obstacle = bench.job_obstacle(job) if can else None
            pointless = kind == BOTH and bench.preset_id == "off"
            made.setEnabled(can and obstacle is None and not pointless)
            about = self._abouts.get(kind, "")
            set_tip(made, about if obstacle is None else about + "\n" + texts.sentence(obstacle))
        self.more.setEnabled(bench.idle)
