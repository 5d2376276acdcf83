"""What ``qtune serve`` says on stderr while it serves: states, what was turned off and why, incidents."""

from __future__ import annotations

from contextlib import suppress

from rich.console import Console

from qtune.cli.ladder_tables import footing_words, incident_lines
from qtune.cli.printing import printable
from qtune.core.events import Event, IncidentHappened, LadderChanged, Notice, RolledBack, ServerChanged
from qtune.core.incident import Incident
from qtune.core.ladder import LadderState, LadderView
from qtune.core.messages import Message
from qtune.core.server_state import ServerState


class ServeTeller:
    """Listener of the desk; may be called from any thread (rich locks by itself).

    Attributes:
        incidents: What failed so far, oldest first.
        reason: Why the server ended last, None while it never did.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._state: LadderState = "stopped"
        self.incidents: list[Incident] = []
        self.reason: Message | None = None

    def __call__(self, event: Event) -> None:
        """Tell an event, if it is one of those that matter here."""
        if isinstance(event, ServerChanged):
            self._server(event)
        elif isinstance(event, LadderChanged):
            if event.view.state != self._state:
                self._state = event.view.state
                self._ladder(event.view)
        elif isinstance(event, IncidentHappened):
            self.incidents.append(event.incident)
            self.reason = event.incident.message
            for line in incident_lines(event.incident):
                self.say(line)
        elif isinstance(event, Notice | RolledBack):
            message = event.message if isinstance(event, Notice) else event.told()
            self.say(f"{message.sentence()} {message.hint()}")

    def say(self, line: str) -> None:
        """Print one line; a terminal that was closed is no reason to stop serving."""
        with suppress(OSError):
            self._console.print(printable(line.rstrip()), markup=False, highlight=False, soft_wrap=True)

    def _server(self, event: ServerChanged) -> None:
        if event.state is ServerState.CRASHED:
            self.reason = event.reason
        self.say(f"Server: {event.state.value}")

    def _ladder(self, view: LadderView) -> None:
        if view.state == "starting":
            self.say(f"Starting: {footing_words(view.current)}")
        elif view.state == "waiting":
            self.say("It is started again after a pause.")
        elif view.state == "in_force":
            self.say(f"In force: {footing_words(view.current)}")
            if view.lowered:
                rungs = " ".join(taken.rung.describe().sentence() for taken in view.taken)
                why = "" if view.why is None else f" Because: {view.why.sentence()}"
                self.say(f"Lower than asked for ({footing_words(view.asked)}): {rungs}{why}")
