"""How the server's state looks and is called wherever it is shown: on the strip and in the system tray."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from qtune.core.messages import QT_TRANSLATE_NOOP
from qtune.core.server_state import ALIVE, ServerState
from qtune.ui.state.workbench import Workbench
from qtune.ui.words import texts

_LOOKS = {
    ServerState.STOPPED: ("stopped", "idle"),
    ServerState.STARTING: ("loading", "warn"),
    ServerState.LOADING: ("loading", "warn"),
    ServerState.READY: ("ready", "good"),
    ServerState.MEASURING: ("measuring", "accent"),
    ServerState.STOPPING: ("loading", "warn"),
    ServerState.CRASHED: ("crashed", "bad"),
}
_ROLLED_BACK = QT_TRANSLATE_NOOP("states", "rolled back")
_RESTARTING = QT_TRANSLATE_NOOP("states", "restarting")


@dataclass(frozen=True, slots=True)
class Face:
    """Icon, tone and word of a state: three, so that no state is told by colour alone."""

    shape: str
    tone: str
    word: str


def face_of(bench: Workbench) -> Face:
    """The state of now; what the ladder adds goes before the bare state.

    Less may run than was asked for, or the next try may follow after a pause.
    """
    way, state = bench.way_back, bench.server.state
    translate = QCoreApplication.translate
    if way.view is not None and way.view.state == "waiting" and state not in ALIVE:
        return Face("loading", "warn", translate("states", _RESTARTING))
    if way.lowered and state is ServerState.READY:
        return Face("lowered", "warn", translate("states", _ROLLED_BACK))
    return Face(*_LOOKS[state], texts.state_word(state))
