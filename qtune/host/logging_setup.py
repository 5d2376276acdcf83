"""The app's own log: a small rotating file, warnings on the terminal, a file for hard crashes."""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
import time
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from qtune.core.errors import KnownError

MOST_BYTES = 1_000_000
KEPT_FILES = 3
"""``qtune.log`` and its predecessors."""

_TERMINAL = "qtune terminal"

log = logging.getLogger("qtune")


class _LogFile(RotatingFileHandler):
    """Our file handler, told apart from those of others; times are UTC."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, maxBytes=MOST_BYTES, backupCount=KEPT_FILES - 1, encoding="utf-8")
        form = "%(asctime)s %(levelname)-7s %(threadName)s %(name)s: %(message)s"
        formatter = logging.Formatter(form, "%Y-%m-%dT%H:%M:%SZ")
        formatter.converter = time.gmtime
        self.setFormatter(formatter)


def configure_logging(folder: Path, level: int = logging.INFO, *, terminal: bool = False) -> None:
    """Send our records from ``level`` up, and warnings of everything else, to ``qtune.log``.

    Replaces what an earlier call set up. Nothing is filtered out of it: no secret may be logged at all.

    Args:
        folder: Existing folder of logs.
        level: Least level of our own records.
        terminal: Whether warnings also go to standard error.

    Raises:
        KnownError: ``folder_not_writable``.
    """
    release_logging()
    try:
        handlers: list[logging.Handler] = [_LogFile(folder / "qtune.log")]
    except OSError as error:
        raise _not_writable(folder, error) from error
    if terminal:
        handlers.append(_terminal())
    for handler in handlers:
        # At the root, where the level of others stays at warnings and our own level does not matter.
        logging.getLogger().addHandler(handler)
    log.setLevel(level)


def release_logging() -> None:
    """Undo ``configure_logging`` and close the log file."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, _LogFile) or handler.name == _TERMINAL:
            root.removeHandler(handler)
            handler.close()


def log_crashes(folder: Path) -> None:
    """From now on log uncaught exceptions of any thread, and let a hard crash write ``crash.txt``.

    For the app's life only: the file stays open for the interpreter's fault handler.

    Raises:
        KnownError: ``folder_not_writable``.
    """
    try:
        faulthandler.enable((folder / "crash.txt").open("a", encoding="utf-8"))
    except OSError as error:
        raise _not_writable(folder, error) from error
    before, before_in_thread = sys.excepthook, threading.excepthook

    def uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            log.critical("uncaught", exc_info=(kind, error, trace))
        before(kind, error, trace)

    def uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and args.exc_type is not SystemExit:
            name = args.thread.name if args.thread is not None else "?"
            facts = (args.exc_type, args.exc_value, args.exc_traceback)
            log.critical("uncaught in thread %s", name, exc_info=facts)
        before_in_thread(args)

    sys.excepthook, threading.excepthook = uncaught, uncaught_in_thread


def _terminal() -> logging.Handler:
    """Warnings for somebody who looks at standard error."""
    handler = logging.StreamHandler()
    handler.name = _TERMINAL
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    return handler


def _not_writable(folder: Path, error: OSError) -> KnownError:
    return KnownError("folder_not_writable", path=str(folder), reason=error.strerror or str(error))
