"""Walks folders on threads of their own, since a drive that hangs holds whichever thread asks it."""

from __future__ import annotations

import errno
import logging
import os
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, Literal

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.models.shards import SHARD_NAME

_log = logging.getLogger("qtune.models")

PATIENCE_S: Final = 5.0
"""A disk that sleeps needs a few seconds to answer; a network drive that is gone never does."""

POLL_S: Final = 0.05
MAX_DEPTH: Final = 6
MAX_FOLDERS: Final = 5000
"""Folders entered below one of those named."""

MAX_ENTRIES: Final = 200_000
"""Entries looked at in one folder."""

_ASKED_AT_ONCE: Final = 32
_PASSED_BY: Final = frozenset({".no_exist", ".locks", ".git", "$recycle.bin", "system volume information"})
"""Folders with names of models and no models in them: marks of the Hugging Face cache, waste baskets."""

Answer = Literal["folder", "file", "silent", "unasked"] | OSError


# -- is it there? ------------------------------------------------------------------------------------------


def ask_folders(paths: Sequence[Path], patience_s: float, cancel: threading.Event) -> list[Answer]:
    """What lies at each path; ``silent`` where the system does not answer in time.

    Each is asked on a daemon thread; one that hangs stays behind, held by the system.
    """
    answers: list[Answer] = []
    for start in range(0, len(paths), _ASKED_AT_ONCE):
        answers += _ask(paths[start : start + _ASKED_AT_ONCE], patience_s, cancel)
    return answers


def _ask(paths: Sequence[Path], patience_s: float, cancel: threading.Event) -> list[Answer]:
    told: SimpleQueue[tuple[int, Answer]] = SimpleQueue()
    for number, path in enumerate(paths):
        threading.Thread(
            target=lambda n, p: told.put((n, _look(p))), args=(number, path), name="folder-asked", daemon=True
        ).start()
    answers: list[Answer] = ["silent"] * len(paths)
    left = len(paths)
    deadline = time.perf_counter() + patience_s
    while left and time.perf_counter() < deadline:
        if cancel.is_set():
            return [answer if answer != "silent" else "unasked" for answer in answers]
        try:
            number, answer = told.get(timeout=POLL_S)
        except Empty:
            continue
        answers[number] = answer
        left -= 1
    return answers


def _look(path: Path) -> Answer:
    try:
        if not stat.S_ISDIR(os.stat(path).st_mode):  # noqa: PTH116 - one seam for every question to the disk
            return "file"
        with os.scandir(path) as entries:
            next(entries, None)
    except OSError as error:
        return error
    except ValueError as error:  # a null character in the path
        return OSError(errno.EINVAL, str(error))
    return "folder"


# -- the walk ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """A model, or what is wrong with a file that looks like one, and the number of the folder it is below."""

    top: int
    what: ModelFacts | Message


class _Ended(Exception):  # noqa: N818 - no error: the walk is over for this thread
    """Time is up, or another thread goes on in this one's place."""


@dataclass(slots=True)
class _Branch:
    """What is still to be looked at below one of the folders named."""

    top: int
    path: Path
    waiting: deque[tuple[Path, int]]
    entered: int = 0
    cut: bool = False


@dataclass(slots=True)
class FolderWalk:
    """Looks for model files below several folders in turn, following links but entering no folder twice.

    One thread works; when it hangs in a call, another goes on with what is left and that one entry is lost.
    The thread that asks for ``results`` owns the walk.

    Attributes:
        tops: Folders, or single files.
        read: Reads a model; a ``KnownError`` becomes a problem.
        limit_s: Seconds the walk may take.
        cut: Reasons why not everything was looked at.
        unreadable: Folders inside that could not be listed.
        silent: Entries that did not answer.
    """

    tops: Sequence[Path]
    read: Callable[[Path], ModelFacts]
    limit_s: float
    patience_s: float = PATIENCE_S
    cut: list[Message] = field(default_factory=list)
    unreadable: list[Path] = field(default_factory=list)
    silent: list[Path] = field(default_factory=list)
    _branches: deque[_Branch] = field(default_factory=deque)
    _folders_entered: set[object] = field(default_factory=set)
    _files_listed: set[object] = field(default_factory=set)
    _out: SimpleQueue[tuple[int, Found | Exception | None]] = field(default_factory=SimpleQueue)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _turn: int = 0
    _deadline: float = 0.0
    _asked: tuple[float, Path] = (0.0, Path())

    def results(self, cancel: threading.Event) -> Iterator[Found]:
        """Each finding as it comes; ends when all is looked at, time is up or ``cancel`` is set."""
        self._deadline = time.perf_counter() + self.limit_s
        self._branches.extend(
            _Branch(number, path, deque([(path, 0)])) for number, path in enumerate(self.tops)
        )
        self._start()
        try:
            while not cancel.is_set():
                turn, said = self._next_word()
                if turn != self._turn:
                    continue
                if isinstance(said, Exception):
                    raise said
                if said is None:
                    return
                yield said
        finally:
            self._turn += 1  # whoever still works ends at the next question

    def _next_word(self) -> tuple[int, Found | Exception | None]:
        try:
            return self._out.get(timeout=POLL_S)
        except Empty:
            now = time.perf_counter()
            if now > self._deadline + POLL_S:
                self._say_late()
                return self._turn, None
            since, path = self._asked
            if now - since > self.patience_s:
                self.silent.append(path)
                self._start()
            return -1, None

    def _start(self) -> None:
        with self._lock:
            self._turn += 1
        self._asked = (time.perf_counter(), self._asked[1])
        threading.Thread(target=self._work, args=(self._turn,), name="model-search", daemon=True).start()

    # -- on the working thread ---------------------------------------------------------------------------

    def _work(self, turn: int) -> None:
        try:
            while (work := self._next_work(turn)) is not None:
                self._visit(turn, *work)
        except _Ended:
            pass
        except Exception as error:  # noqa: BLE001 - top of a thread; raised again where the results are read
            self._out.put((turn, error))
        self._out.put((turn, None))

    def _next_work(self, turn: int) -> tuple[_Branch, Path, int] | None:
        """What to look at next, one from each branch in turn; nothing for a thread that was replaced."""
        with self._lock:
            while turn == self._turn and self._branches:
                branch = self._branches.popleft()
                if branch.waiting:
                    self._branches.append(branch)
                    return branch, *branch.waiting.popleft()
        return None

    def _ask(self, turn: int, path: Path) -> None:
        """Note that the disk is about to be asked; every call that may hang comes after one of these."""
        now = time.perf_counter()
        if turn != self._turn:
            raise _Ended
        self._asked = (now, path)
        if now > self._deadline:
            self._say_late()
            raise _Ended

    def _say_late(self) -> None:
        late = Message.of("model_search_cut", seconds=f"{self.limit_s:g}")
        if late not in self.cut:
            self.cut.append(late)

    def _visit(self, turn: int, branch: _Branch, path: Path, depth: int) -> None:
        self._ask(turn, path)
        try:
            facts = os.stat(path)  # noqa: PTH116 - one seam for every question to the disk
        except OSError as error:
            if error.errno not in {errno.ENOENT, errno.ELOOP}:  # a link that leads nowhere is no news
                self.unreadable.append(path)
            return
        if stat.S_ISDIR(facts.st_mode):
            self._enter(turn, branch, path, depth, facts)
        elif depth == 0 or _may_be_model(path.name):
            self._take(turn, branch, path, facts)

    def _take(self, turn: int, branch: _Branch, path: Path, facts: os.stat_result) -> None:
        mark = _identity(path, facts)
        if mark in self._files_listed:
            return
        self._files_listed.add(mark)
        self._ask(turn, path)
        try:
            found = Found(branch.top, self.read(path))
        except KnownError as error:
            if error.code == "model_not_llm" and branch.path != path:
                return
            found = Found(branch.top, error.message)
        self._out.put((turn, found))

    def _enter(self, turn: int, branch: _Branch, folder: Path, depth: int, facts: os.stat_result) -> None:
        mark = _identity(folder, facts)
        if depth > MAX_DEPTH or mark in self._folders_entered or branch.cut:
            return
        if branch.entered >= MAX_FOLDERS:
            branch.cut = True
            self.cut.append(Message.of("model_search_too_wide", path=str(branch.path), count=MAX_FOLDERS))
            return
        self._folders_entered.add(mark)
        branch.entered += 1
        try:
            files, folders = self._list(turn, folder)
        except OSError as error:
            _log.debug("folder %s left out: %s", folder, error)
            self.unreadable.append(folder)
            return
        branch.waiting.extendleft((folder / name, depth + 1) for name in reversed(_first_parts(files)))
        branch.waiting.extend((folder / name, depth + 1) for name in sorted(folders))

    def _list(self, turn: int, folder: Path) -> tuple[list[str], list[str]]:
        """Names of possible models and of folders; links are only followed when their turn comes."""
        files: list[str] = []
        folders: list[str] = []
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= MAX_ENTRIES:
                    self.cut.append(Message.of("model_folder_crowded", path=str(folder), count=MAX_ENTRIES))
                    break
                self._ask(turn, folder)
                is_link = entry.is_symlink()
                if not is_link and entry.is_dir(follow_symlinks=False):
                    if entry.name.lower() not in _PASSED_BY and not entry.name.lower().startswith(".trash"):
                        folders.append(entry.name)
                elif _may_be_model(entry.name):
                    files.append(entry.name)
                elif is_link:
                    folders.append(entry.name)
        return files, folders


def _identity(path: Path, facts: os.stat_result) -> object:
    """The same for every name of a file or folder, hard links included, as far as the file system tells."""
    return (facts.st_dev, facts.st_ino) if facts.st_ino else os.path.normcase(os.path.realpath(path))


def _may_be_model(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(".gguf") and "mmproj" not in lower and not lower.startswith(".")


def _first_parts(names: Sequence[str]) -> list[str]:
    """The names, of each split model only the lowest part there is, in order."""
    kept: dict[object, str] = {}
    for name in sorted(names):
        part = SHARD_NAME.fullmatch(name)
        key = name if part is None else (part["stem"].casefold(), part["count"])
        kept.setdefault(key, name)
    return list(kept.values())
