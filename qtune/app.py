"""The window's composition root: builds each thing once, wires them, and quits in stages."""

from __future__ import annotations

import argparse
import gc
import logging
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMessageBox

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.host.logging_setup import log_crashes
from qtune.host.paths import app_paths, resource_dir
from qtune.host.single_instance import Claim, ask_to_raise, claim
from qtune.ui.window.opening import Opening

if TYPE_CHECKING:
    from qtune.session.desk import Desk
    from qtune.ui.main_window import MainWindow

log = logging.getLogger("qtune.app")

SIGNAL_POLL_MS = 200
"""How often the interpreter gets a turn to run signal handlers while Qt waits for events."""


def main(words: list[str]) -> int:
    """Open the window and stay until it is closed; returns the exit code."""
    options = _options(words)
    paths = app_paths(options.base_dir)
    try:
        paths.ensure()
        first = claim(paths)
    except KnownError as error:
        return _refuse(error.message)
    if first is None:
        return 0 if ask_to_raise(paths) else _refuse(Message.of("already_open"))
    try:
        log_crashes(paths.logs)
        return _show(options, first)
    finally:
        first.release()


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="qtune", add_help=False)
    parser.add_argument("--base-dir", type=Path)
    parser.add_argument("--language", choices=("system", "en", "zh_CN"))
    parser.add_argument("--theme", choices=("system", "light", "dark"))
    parser.add_argument("--safe-mode", action="store_true")
    return parser.parse_args(words)


def _refuse(message: Message) -> int:
    print(f"{message.sentence()} {message.hint()}".rstrip(), file=sys.stderr)  # noqa: T201 - there is no window
    return 1


class _Start(QObject):
    """Lives in the GUI thread; reads in what is behind the window on a thread, then builds the window.

    The window's modules take seconds to be read, the sign that something comes must not.
    """

    desk_open = Signal(object)
    desk_refused = Signal(object)
    raise_wanted = Signal()

    def __init__(self, options: argparse.Namespace, first: Claim, app: QApplication) -> None:
        super().__init__()
        self._options, self._first, self._app = options, first, app
        self._opening = Opening(app)
        self.window: MainWindow | None = None
        self._unwanted = False
        queued = Qt.ConnectionType.QueuedConnection
        self.desk_open.connect(self._on_desk_open, queued)
        self.desk_refused.connect(self._on_desk_refused, queued)
        self.raise_wanted.connect(self._come_to_front, queued)

    def begin(self) -> None:
        """Show the sign and go on behind it."""
        self._opening.show()
        self._first.on_raise(self.raise_wanted.emit)
        threading.Thread(target=self._read_in, name="opening", daemon=True).start()

    def give_up(self) -> None:
        """The session ends, or a signal came: close what is there, or will be."""
        self._unwanted = True
        if self.window is not None:
            self.window.shut_down()

    def _read_in(self) -> None:
        """On a thread of its own."""
        try:
            from qtune.session.assembly import open_desk  # noqa: PLC0415 - see the class
            from qtune.ui import main_window  # noqa: F401, PLC0415 - only to have it read in

            self.desk_open.emit(open_desk(self._options.base_dir, safe_mode=self._options.safe_mode))
        except KnownError as error:
            self.desk_refused.emit(error.message)
        except Exception as error:  # the top of a thread
            log.critical("the window could not be opened", exc_info=error)
            path = str(app_paths(self._options.base_dir).logs / "qtune.log")
            self.desk_refused.emit(Message.of("internal_fault", kind=type(error).__name__, path=path))

    def _on_desk_open(self, desk: Desk) -> None:
        from qtune.ui.main_window import MainWindow  # noqa: PLC0415 - see the class

        self.window = window = MainWindow(desk, self._app, resource_dir())
        if self._options.language is not None:
            window.language.choose(self._options.language)
        if self._options.theme is not None:
            window.theme.choose(self._options.theme)
        window.closed.connect(self._app.quit)
        window.show()
        self._opening.close()
        # What was made up to here stays; looking through it again and again would hold the window up.
        gc.freeze()
        if self._unwanted:
            window.shut_down()

    def _come_to_front(self) -> None:
        if self.window is None:
            self._opening.raise_()
        else:
            self.window.come_to_front()

    def _on_desk_refused(self, message: Message) -> None:
        self._opening.close()
        if not self._unwanted:
            QMessageBox.critical(None, "qtune", f"{message.sentence()}\n\n{message.hint()}")
        self._app.exit(_refuse(message))


def _show(options: argparse.Namespace, first: Claim) -> int:
    app = QApplication(sys.argv[:1])
    app.setApplicationName("qtune")
    app.setDesktopFileName("qtune")
    app.setQuitOnLastWindowClosed(False)  # the window quits when everything behind it has ended
    start = _Start(options, first, app)
    for number in (signal.SIGINT, signal.SIGTERM):
        # In its own turn: a handler runs between any two steps of this thread, also while it holds a lock.
        signal.signal(number, lambda *_: QTimer.singleShot(0, start.give_up))
    turn = QTimer()
    turn.timeout.connect(lambda: None)
    turn.start(SIGNAL_POLL_MS)
    app.commitDataRequest.connect(lambda _session: start.give_up())
    start.begin()
    code = app.exec()
    if start.window is not None:
        start.window.end()
    return code
