"""The search for model files: where it looks, what it has found so far, and how it ended."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from qtune.core.engine_facts import EngineFacts
from qtune.core.messages import Message
from qtune.session.desk import Desk
from qtune.session.requests import ModelEntry, ModelReport
from qtune.ui.bridge import Bridge

FOLDERS = "model_folders"
"""Preference with the user's own folders, one path a line."""


class ModelSearch(QObject):
    """Owned by the workbench, GUI thread only; models arrive while it searches.

    Attributes:
        entries: What was found, as read so far or, once it ended, complete with siblings.
        problems: Files and folders that cannot be used.
        folders: Where the search that ended looked.
        running: Whether it is searching.
        cancelled: Whether the user broke the last one off.
        ended: Whether a search came to its end, by itself or broken off.
        ctx_size: Context for which ``ModelEntry.memory`` holds.
    """

    changed = Signal()
    found = Signal(object)
    failed = Signal(object)

    def __init__(self, desk: Desk, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._cancel = threading.Event()
        self._number = 0
        self.entries: tuple[ModelEntry, ...] = ()
        self.problems: tuple[Message, ...] = ()
        self.folders: tuple[str, ...] = ()
        self.running = False
        self.cancelled = False
        self.ended = False
        self.ctx_size = 0

    @property
    def own_folders(self) -> tuple[str, ...]:
        """The user's own folders, in the order they were added."""
        return tuple(line for line in self._desk.preference(FOLDERS).splitlines() if line.strip())

    def begin(self, ctx_size: int, engine: EngineFacts | None = None) -> None:
        """Search the usual folders and the user's own; a search that still runs is given up."""
        self._cancel.set()
        self._cancel = threading.Event()
        self._number += 1
        number = self._number
        self.ctx_size = ctx_size
        self.running, self.cancelled, self.ended = True, False, False
        self.entries, self.problems = (), ()
        future = self._desk.survey_models(
            ctx_size=ctx_size,
            engine=engine,
            cancel=self._cancel,
            found=lambda entry: self._bridge.call(self._on_found, number, entry),
        )
        self._bridge.follow(
            future,
            lambda report: self._on_report(number, report),
            lambda message: self._on_failed(number, message),
        )
        self.changed.emit()

    def stop(self) -> None:
        """Break the search off, keeping what was found."""
        self._cancel.set()

    def add_folder(self, path: Path) -> None:
        """Remember a folder of the user's own; ``begin`` searches it."""
        known = self.own_folders
        text = os.path.normpath(path)
        if text not in known:
            self._desk.set_preferences({FOLDERS: "\n".join((*known, text))})
            self.changed.emit()

    def remove_folder(self, path: str) -> None:
        """Forget a folder of the user's own; its files stay where they are."""
        kept = [folder for folder in self.own_folders if folder != path]
        self._desk.set_preferences({FOLDERS: "\n".join(kept)})
        self.changed.emit()

    def _on_found(self, number: int, entry: ModelEntry) -> None:
        if number != self._number or not self.running:
            return
        self.entries = (*self.entries, entry)
        self.found.emit(entry)

    def _on_report(self, number: int, report: ModelReport) -> None:
        if number != self._number:
            return
        self.entries, self.problems, self.folders = report.entries, report.problems, report.folders
        self.running, self.cancelled, self.ended = False, report.cancelled, True
        self.changed.emit()

    def _on_failed(self, number: int, message: Message) -> None:
        if number != self._number:
            return
        self.running, self.ended = False, True
        self.failed.emit(message)
        self.changed.emit()
