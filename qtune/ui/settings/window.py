"""Settings of the window itself: whether it closes to the system tray, what it tells, what it asks."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QLabel

from qtune.ui.settings.section import Section
from qtune.ui.state.workbench import Workbench
from qtune.ui.widgets.parts import label
from qtune.ui.widgets.tips import set_tip
from qtune.ui.window.notifier import NOTIFY
from qtune.ui.window.stop_questions import ASK_TO_LEAVE
from qtune.ui.window.tray import CLOSE_TO_TRAY

_DEFAULTS = {CLOSE_TO_TRAY: "off", NOTIFY: "on", ASK_TO_LEAVE: "on"}


class WindowSection(Section):
    """Every choice is stored at once and holds from then on."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._tray_there = False
        self._names: dict[str, QLabel] = {}
        self._abouts: dict[str, QLabel] = {}
        self.boxes: dict[str, QCheckBox] = {}
        for key in _DEFAULTS:
            name, about, box = label("muted"), label("muted", 0.92, wrap=True), QCheckBox()
            self._names[key], self._abouts[key], self.boxes[key] = name, about, box
            self.add(name, box)
            self.explain(about)
            box.toggled.connect(lambda on, key=key: bench.prefer(**{key: "on" if on else "off"}))

    def show_tray(self, *, there: bool) -> None:
        """Say whether the window can be closed to a tray."""
        self._tray_there = there
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("Window and notifications"))
        names = {
            CLOSE_TO_TRAY: self.tr("Close to tray"),
            NOTIFY: self.tr("Notifications"),
            ASK_TO_LEAVE: self.tr("Closing"),
        }
        abouts = {
            CLOSE_TO_TRAY: self.tr(
                "Closing the window only hides it; the server and what is measured go on. Quit in the menu"
                " of the tray icon, or Ctrl+Q, ends qtune."
            )
            if self._tray_there
            else self.tr("This desktop shows no system tray now, so closing the window ends qtune."),
            NOTIFY: self.tr(
                "When a job of more than 20 seconds ends or the server fails while another window is in"
                " front; never with a sound."
            ),
            ASK_TO_LEAVE: self.tr("What is measured is kept either way."),
        }
        words = {
            CLOSE_TO_TRAY: self.tr("on"),
            NOTIFY: self.tr("Notify me when a long job ends"),
            ASK_TO_LEAVE: self.tr("Ask first while a measurement is under way"),
        }
        for key, box in self.boxes.items():
            self._names[key].setText(names[key])
            self._abouts[key].setText(abouts[key])
            box.setText(words[key])
            box.setAccessibleName(names[key])
            box.setAccessibleDescription(abouts[key])
            set_tip(box, abouts[key])
        self.refresh()

    def refresh(self) -> None:
        """Show what is stored."""
        for key, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(self._bench.preference(key, _DEFAULTS[key]) == "on")
        self.boxes[CLOSE_TO_TRAY].setEnabled(self._tray_there)
