"""The window's composition root: builds each thing once, wires them, and quits in stages."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.host.logging_setup import log_crashes
from qtune.host.paths import app_paths, resource_dir
from qtune.host.single_instance import Claim, ask_to_raise, claim
from qtune.session.assembly import open_desk
from qtune.ui.main_window import MainWindow

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


def _show(options: argparse.Namespace, first: Claim) -> int:
    app = QApplication(sys.argv[:1])
    app.setApplicationName("qtune")
    app.setDesktopFileName("qtune")
    app.setQuitOnLastWindowClosed(False)  # the window quits when everything behind it has ended
    try:
        desk = open_desk(options.base_dir, safe_mode=options.safe_mode)
    except KnownError as error:
        QMessageBox.critical(None, "qtune", f"{error.message.sentence()}\n\n{error.message.hint()}")
        return _refuse(error.message)
    window = MainWindow(desk, app, resource_dir())
    if options.language is not None:
        window.language.choose(options.language)
    if options.theme is not None:
        window.theme.choose(options.theme)
    window.closed.connect(app.quit)
    first.on_raise(lambda: window.bridge.call(window.come_to_front))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: window.shut_down())
    turn = QTimer()
    turn.timeout.connect(lambda: None)
    turn.start(SIGNAL_POLL_MS)
    app.commitDataRequest.connect(lambda _session: window.shut_down())
    window.show()
    code = app.exec()
    window.end()
    return code
