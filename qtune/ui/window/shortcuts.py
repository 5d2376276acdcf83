"""The keys of the window in one table, from which the actions and the page that lists them are made.

Texts are marked for translation under the context ``shortcuts``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from qtune.core.messages import QT_TRANSLATE_NOOP

GROUPS: Final[dict[str, str]] = {
    "measure": QT_TRANSLATE_NOOP("shortcuts", "Measuring"),
    "server": QT_TRANSLATE_NOOP("shortcuts", "Server and way back"),
    "pages": QT_TRANSLATE_NOOP("shortcuts", "Pages"),
    "tune": QT_TRANSLATE_NOOP("shortcuts", "On Tune"),
    "pass_on": QT_TRANSLATE_NOOP("shortcuts", "Find, take in and pass on"),
    "lists": QT_TRANSLATE_NOOP("shortcuts", "In lists"),
    "charts": QT_TRANSLATE_NOOP("shortcuts", "In charts"),
}
"""Groups of the listing in their order."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """One line of the table.

    Attributes:
        name: By which the window knows the command.
        keys: Portable key sequences; the first is the one that is told first.
        group: Key of ``GROUPS``.
        about: What it does, as source text.
        in_focus: Whether the widget in focus takes the key itself, so that no action is made of it: Space
            would rob the buttons, and Delete the fields.
    """

    name: str
    keys: tuple[str, ...]
    group: str
    about: str
    in_focus: bool = False

    @property
    def text(self) -> str:
        """What it does, in the language in force."""
        return QCoreApplication.translate("shortcuts", self.about)

    @property
    def sequences(self) -> tuple[QKeySequence, ...]:
        """Its key sequences."""
        return tuple(QKeySequence(key, QKeySequence.SequenceFormat.PortableText) for key in self.keys)

    def key_names(self) -> tuple[str, ...]:
        """Its keys as this platform writes them."""
        return tuple(s.toString(QKeySequence.SequenceFormat.NativeText) for s in self.sequences)


_N = QT_TRANSLATE_NOOP


def _focus(name: str, keys: tuple[str, ...], group: str, about: str) -> Shortcut:
    return Shortcut(name, keys, group, about, in_focus=True)


SHORTCUTS: Final[tuple[Shortcut, ...]] = (
    Shortcut("measure", ("F5", "Ctrl+R"), "measure", _N("shortcuts", "Measure the chosen preset")),
    Shortcut(
        "measure_both",
        ("Shift+F5", "Ctrl+Shift+R"),
        "measure",
        _N("shortcuts", "Measure Off and the chosen preset"),
    ),
    Shortcut("compare", ("F6",), "measure", _N("shortcuts", "Compare all presets")),
    Shortcut("search", ("F7",), "measure", _N("shortcuts", "Find the best n_max")),
    Shortcut("sweep", ("F8",), "measure", _N("shortcuts", "Context sweep")),
    Shortcut("cancel", ("Esc",), "measure", _N("shortcuts", "Cancel; what was measured stays")),
    Shortcut("server", ("F9",), "server", _N("shortcuts", "Start or stop the server")),
    Shortcut("roll_back", ("Ctrl+Down",), "server", _N("shortcuts", "Roll back one step")),
    Shortcut("climb_back", ("Ctrl+Up",), "server", _N("shortcuts", "Climb back one step")),
    Shortcut("tune", ("Ctrl+1",), "pages", _N("shortcuts", "Tune")),
    Shortcut("history", ("Ctrl+2",), "pages", _N("shortcuts", "History")),
    Shortcut("models", ("Ctrl+3",), "pages", _N("shortcuts", "Models")),
    Shortcut("log", ("Ctrl+4", "Ctrl+L"), "pages", _N("shortcuts", "Log")),
    Shortcut("settings", ("Ctrl+5", "Ctrl+,"), "pages", _N("shortcuts", "Settings")),
    Shortcut("quit", ("Ctrl+Q",), "pages", _N("shortcuts", "Close qtune")),
    Shortcut("keys", ("F1", "Ctrl+?"), "pages", _N("shortcuts", "All keys")),
    Shortcut("open", ("Ctrl+O",), "tune", _N("shortcuts", "Choose a model file")),
    Shortcut("open_engine", ("Ctrl+Shift+O",), "tune", _N("shortcuts", "Choose a llama-server")),
    Shortcut("live", ("Ctrl+Shift+1",), "tune", _N("shortcuts", "Live charts and record")),
    Shortcut("result", ("Ctrl+Shift+2",), "tune", _N("shortcuts", "Newest result")),
    Shortcut("ladder", ("Ctrl+Shift+3",), "tune", _N("shortcuts", "Ladder, in a narrow window")),
    Shortcut("paste", ("Ctrl+V",), "tune", _N("shortcuts", "Paste a llama-server command…")),
    Shortcut("copy_command", ("Ctrl+Shift+C",), "pass_on", _N("shortcuts", "Copy this preset as a command")),
    Shortcut(
        "copy_markdown", ("Ctrl+Shift+M",), "pass_on", _N("shortcuts", "Copy the newest result as Markdown")
    ),
    Shortcut("find", ("Ctrl+F",), "pass_on", _N("shortcuts", "Find on this page")),
    Shortcut("export", ("Ctrl+E",), "pass_on", _N("shortcuts", "Export the newest result, or chosen runs")),
    _focus("copy_lines", ("Ctrl+C",), "lists", _N("shortcuts", "Copy the selected lines of the record")),
    _focus("details", ("Return",), "lists", _N("shortcuts", "Details of a run; use a model")),
    _focus("fold", ("Left", "Right"), "lists", _N("shortcuts", "Fold an experiment, or open it")),
    _focus(
        "fold_all",
        ("Shift+Left", "Shift+Right"),
        "lists",
        _N("shortcuts", "Fold all experiments, or open them"),
    ),
    _focus("delete", ("Del",), "lists", _N("shortcuts", "Delete the selected runs")),
    Shortcut("undo", ("Ctrl+Z",), "lists", _N("shortcuts", "Bring back what was just deleted or put back")),
    _focus("back", ("Esc", "Alt+Left"), "lists", _N("shortcuts", "Back from a comparison to the list")),
    _focus("crosshair", ("Left", "Right"), "charts", _N("shortcuts", "Read the values, point by point")),
    _focus("zoom", ("+", "-"), "charts", _N("shortcuts", "Zoom in and out")),
    _focus("pan", ("Shift+Left", "Shift+Right"), "charts", _N("shortcuts", "Move along")),
    _focus("reset", ("0",), "charts", _N("shortcuts", "Show everything again")),
    _focus("pause", ("Space",), "charts", _N("shortcuts", "Hold the charts still, or let them run on")),
)
"""Every key of the window."""


def make_actions(owner: QWidget, slots: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """One action for each line of the table that is not left to the widget in focus.

    ``slots`` names what each does; a line without one, or one too many, is a mistake of ours.
    """
    made = {}
    wanted = {shortcut.name: shortcut for shortcut in SHORTCUTS if not shortcut.in_focus}
    if wanted.keys() != slots.keys():
        raise AssertionError(wanted.keys() ^ slots.keys())
    for name, shortcut in wanted.items():
        action = QAction(owner)
        action.setObjectName(name)
        action.setShortcuts(shortcut.sequences)
        action.triggered.connect(lambda _checked=False, slot=slots[name]: slot())
        owner.addAction(action)
        made[name] = action
    return made


def retranslate(actions: Mapping[str, QAction]) -> None:
    """Name the actions in the language in force."""
    for shortcut in SHORTCUTS:
        if shortcut.name in actions:
            actions[shortcut.name].setText(shortcut.text)
