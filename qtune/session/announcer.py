"""Hands every event to those who listen; the rooms announce, window and terminal listen."""

from __future__ import annotations

from collections.abc import Callable

from qtune.core.events import Event

Listener = Callable[[Event], None]


class Announcer:
    """May be used from any thread; a listener is called on the thread of the event and only hands it on."""

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()

    def subscribe(self, listener: Listener) -> None:
        """Announce every event to ``listener`` from now on."""
        self._listeners = (*self._listeners, listener)

    def announce(self, event: Event) -> None:
        """Hand an event to every listener."""
        for listener in self._listeners:
            listener(event)
