"""Asks before a server that the user started is stopped, and before qtune is left; says what is lost.

Pressing Stop is a plain wish, so it is asked about only where somebody else would feel it: while the server
answers a request, or when it does not tell. Whatever else would stop the server asks always. Rolling back one
step does not: it is the way out of trouble and takes one click.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QCheckBox, QMainWindow, QMessageBox

from qtune.core.server_state import ServerState
from qtune.session.desk import Desk
from qtune.ui.bridge import Bridge
from qtune.ui.state.activity import Activity
from qtune.ui.state.workbench import Workbench
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.countdown_box import TICK_MS, CountdownBox

LEAVE_S = 5
"""Nothing is lost by leaving a measurement, so silence leaves: in time to be gone within ten seconds."""
ASK_TO_LEAVE = "ask_to_leave"
"""Preference: whether leaving asks while a measurement is under way; ``off`` for no."""


def what_is_lost(bench: Workbench) -> str:
    """What it means for others that the running server stops."""
    port = bench.server.port
    if port is None:
        return QCoreApplication.translate("StopQuestions", "Programs that use the server lose it.")
    return QCoreApplication.translate(
        "StopQuestions", "Programs that use the server at {address} lose it."
    ).format(address=f"127.0.0.1:{port}")


class StopQuestions(QObject):
    """Owned by the window; one question at a time.

    Attributes:
        box: The question that is open.
    """

    def __init__(self, bench: Workbench, desk: Desk, bridge: Bridge, window: QMainWindow) -> None:
        super().__init__(window)
        self._bench = bench
        self._desk = desk
        self._bridge = bridge
        self._window = window
        self._looking = False
        self.box: QMessageBox | None = None

    def stop(self) -> None:
        """Stop what runs, as the button says."""
        bench = self._bench
        if bench.server.state is not ServerState.READY or not bench.idle:
            bench.stop_server()  # nobody but us uses what loads, measures or is about to be started again
        elif not self._looking and not self._open_already():
            self._looking = True
            self._bridge.follow(self._desk.server_busy(), self._on_looked, lambda _why: self._on_looked(None))

    def _on_looked(self, busy: bool | None) -> None:  # noqa: FBT001 - the result of a command
        self._looking = False
        if busy is False or self._bench.server.state is not ServerState.READY:
            self._bench.stop_server()
            return
        now = (
            self.tr("It is answering a request at this moment, which breaks off.")
            if busy
            else self.tr("It does not tell whether it is answering a request.")
        )
        self._ask(self.tr("Stop the server?"), now, self.tr("Stop"), self._bench.stop_server)

    def before_start(self, settings: str, go: Callable[[], None]) -> None:
        """Start something else in the place of what runs; ``settings`` says what."""
        if not self._bench.user_server_alive:
            go()
            return
        question = self.tr("Stop the running server and start {settings}?").format(settings=settings)
        self._ask(question, "", self.tr("Stop and start"), go)

    def before_job(self, go: Callable[[], None]) -> None:
        """Measure, for which a server that runs is stopped."""
        if not self._bench.user_server_alive:
            go()
            return
        why = self.tr("Every preset is measured in a fresh engine.")
        self._ask(self.tr("Stop the running server to measure?"), why, self.tr("Stop and measure"), go)

    def before_leaving(self, go: Callable[[], None]) -> None:
        """Leave qtune, which ends server and measurement."""
        bench = self._bench
        if self._open_already() and isinstance(self.box, LeaveDialog):
            return
        if bench.activity is Activity.MEASURING and bench.preference(ASK_TO_LEAVE) != "off":
            self._keep(LeaveDialog(self._window, go, lambda: bench.prefer(**{ASK_TO_LEAVE: "off"})))
        elif bench.user_server_alive:
            what = self.tr("The server you started ends with qtune.")
            self._ask(self.tr("Close qtune and stop the server?"), what, self.tr("Stop and close"), go)
        else:
            go()

    def leave(self) -> None:
        """Take down what is open: the window closes and waits for no answer."""
        if isinstance(self.box, CountdownBox):
            self.box.leave()
        self.box = None

    def _ask(self, question: str, what: str, accept: str, go: Callable[[], None]) -> None:
        if not self._open_already():
            consequence = f"{what} {what_is_lost(self._bench)}".strip()
            self._keep(dialogs.confirm(self._window, question, consequence, accept, go))

    def _open_already(self) -> bool:
        """Whether a question is open; it is shown then: the system tray asks past the window."""
        if self.box is not None:
            dialogs.bring_to_front(self._window)
        return self.box is not None

    def _keep(self, box: QMessageBox) -> None:
        self.box = box
        box.finished.connect(self._forget)

    def _forget(self) -> None:
        self.box = None


class LeaveDialog(CountdownBox):
    """Leave in mid-measurement? What is measured is kept, so silence leaves as was asked.

    Args:
        window: What is to be closed.
        on_leave: Called to leave.
        on_never: Called when the user does not want to be asked again.
    """

    def __init__(
        self, window: QMainWindow, on_leave: Callable[[], None], on_never: Callable[[], None]
    ) -> None:
        if not window.isVisible() or window.isMinimized():
            dialogs.bring_to_front(window)
        super().__init__(window, LEAVE_S, TICK_MS)
        self.setText(self.tr("Close qtune while it measures?"))
        self.never = QCheckBox(self.tr("Do not ask again"))
        self.setCheckBox(self.never)
        self.yes = self.addButton(self.tr("Close"), QMessageBox.ButtonRole.AcceptRole)
        self.no = self.addButton(self.tr("Go on measuring"), QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(self.no)
        self.setEscapeButton(self.no)

        def answered() -> None:
            if self.clickedButton() is not self.yes:
                return
            if self.never.isChecked():
                on_never()
            on_leave()

        self.finished.connect(answered)
        self.begin(self.yes)

    def say(self, seconds: int) -> None:
        """Tell what is kept, and what silence does."""
        self.setInformativeText(
            self.tr(
                "What is measured is kept; the rest can be gone on with at the next start."
                " Without an answer qtune closes in {seconds} s."
            ).format(seconds=seconds)
        )
