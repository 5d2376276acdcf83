"""Says after a job when a newer engine, driver or power limit is slower or faster than the last one."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, Signal

from qtune.core.changes import Change
from qtune.core.events import JobFinished
from qtune.session.history_desk import HistoryDesk
from qtune.ui.bridge import Bridge
from qtune.ui.state.choices import Choices
from qtune.ui.widgets.banners import BannerArea, Offer

TOLD: Final = "changes_told"
"""Preference: what was said already, one line each, so that it is said once and not after every job."""
_REMEMBERED: Final = 30


class ChangeWatch(QObject):
    """GUI thread only; reads the history after each job. ``history_wanted`` asks for its page."""

    history_wanted = Signal()

    def __init__(
        self, desk: HistoryDesk, choices: Choices, bridge: Bridge, banners: BannerArea, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._choices = choices
        self._bridge = bridge
        self._banners = banners
        bridge.job_finished.connect(self._look)

    def _look(self, event: JobFinished) -> None:
        if not event.cancelled:  # as it is when qtune closes, and there is no history to ask any more
            self._bridge.follow(self._desk.newest_changes(), self._on_changes)

    def _on_changes(self, found: tuple[Change, ...]) -> None:
        told = self._choices.preference(TOLD).splitlines()
        new = [change for change in found if change.alarming and _key(change) not in told]
        for change in new:
            kind = "warning" if change.direction == "slower" else "info"
            offer = Offer(lambda: self.tr("Look at the history"), self.history_wanted.emit)
            self._banners.show_message(kind, change.sentence, (offer,))
        if new:
            keys = [*told, *map(_key, new)][-_REMEMBERED:]
            self._choices.prefer(**{TOLD: "\n".join(keys)})


def _key(change: Change) -> str:
    """One line; figures change with every further run, what they say does not."""
    place, before, after = change.place, change.before, change.after
    parts = (place.name, place.device, change.direction)
    stacks = (f"{one.engine}/{one.driver}/{one.power}" for one in (before, after))
    return " | ".join(" ".join(part.split()) for part in (*parts, *stacks))
