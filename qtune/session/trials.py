"""What is being tried, what last worked and what failed, on disk before anything is launched.

A launch that takes the app or the whole computer down leaves its note behind; the next start finds it, says
so and does not try the same again by itself. One note per process: a window and a terminal do not mix.
"""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from qtune.core.clock import Clock
from qtune.core.codec import decode, encode
from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.core.ladder import Footing
from qtune.core.messages import Message
from qtune.core.settings import ServerSettings
from qtune.host.files import locked, replace_file
from qtune.host.owner import Owner

_log = logging.getLogger("qtune.session")

GOOD_KEPT = 5
LISTS = ("good.json", "default.json", "bad.json")
BAD_KEPT = 200

Phase = Literal["launching", "running"]


@dataclass(frozen=True, slots=True)
class Trial:
    """A launch: what, with which engine, when, and how far it came.

    Attributes:
        engine: Version line of the engine; another build is another combination.
        ref: How to call it again.
        phase: ``launching`` until it proved itself, ``running`` while it serves.
        reason: Why it is known to fail; None otherwise.
    """

    footing: Footing
    engine: str
    ref: EngineRef
    at_utc: str
    phase: Phase = "launching"
    reason: Message | None = None

    def told_stale(self) -> Message:
        """What the user is told when this is found at the start."""
        code = "trial_stale" if self.phase == "launching" else "trial_cut_off"
        return Message.of(code, preset=self.footing.preset, ctx=self.footing.settings.ctx_size)

    def same_combination(self, other: Trial) -> bool:
        """Whether build, model and settings are the same; the preset's name does not matter."""
        mine, theirs = self.footing, other.footing
        return (
            self.engine == other.engine
            and mine.model_path == theirs.model_path
            and mine.settings == theirs.settings
        )


class Trials:
    """Files below one folder; every call reads or writes one small file, so never on the GUI thread.

    May be used from any thread; several processes may share the folder.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._note: Path | None = None

    def trial(self, footing: Footing, engine: EngineFacts) -> Trial:
        """A trial of now."""
        return Trial(footing, engine.version, engine.ref, self._clock.utc().isoformat(timespec="seconds"))

    # -- the note on the launch in progress ------------------------------------------------------------------

    def begin(self, trial: Trial) -> None:
        """Note what is about to be launched; on disk when this returns.

        Raises:
            KnownError: ``folder_not_writable``: without the note a crash could not be told afterwards.
        """
        with self._lock:
            self._forget_note()
            note = self._folder / f"trial-{Owner.this_process().pid}-{uuid.uuid4().hex[:8]}.json"
            self._write_note(note, trial)
            self._note = note

    def proved(self, trial: Trial, *, keep: bool) -> None:
        """The launch answered a real request; with ``keep`` it becomes the last good one.

        Nothing is noted where the engine has ended meanwhile.

        Raises:
            KnownError: ``folder_not_writable``.
        """
        with self._lock:
            if self._note is not None:
                self._write_note(self._note, replace(trial, phase="running"))
        if keep:
            self._change("good.json", lambda known: [trial, *_others(known, trial)][:GOOD_KEPT])
            self.clear_bad(trial)

    def over(self) -> None:
        """The engine has ended in order, or failed in a way that is known by now."""
        with self._lock:
            self._forget_note()

    def stale(self) -> Trial | None:
        """The newest launch whose process is gone without having ended it; noted until dismissed."""
        return max(self.all_stale(), key=lambda t: t.at_utc, default=None)

    def all_stale(self) -> tuple[Trial, ...]:
        """All such launches: a computer that went down took the engine of each process with it."""
        return tuple(trial for path, trial in self._notes() if self._is_stale(path))

    def under_way(self) -> tuple[Trial, ...]:
        """Launches in progress and running servers of all living processes."""
        return tuple(trial for path, trial in self._notes() if not self._is_stale(path))

    def dismiss_stale(self) -> None:
        """Forget stale notes, once the user knows; their combinations stay known as bad.

        Notes that cannot be read go too: they are never written in parts, so nothing will complete them.
        """
        for path in self._note_files():
            if self._is_stale(path):
                with suppress(OSError):
                    path.unlink()

    def set_aside_damaged(self) -> list[Message]:
        """Move lists that cannot be read out of the way, so that the next proof does not overwrite them."""
        told = []
        for name in LISTS:
            path = self._folder / name
            if not path.exists() or isinstance(_load(path), list):
                continue
            place = path.with_name(f"{name}.damaged-{self._clock.utc():%Y%m%dT%H%M%SZ}")
            with suppress(OSError):
                told.append(Message.of("trials_damaged", path=str(path.replace(place))))
        return told

    # -- what worked and what did not ------------------------------------------------------------------------

    def good(self) -> tuple[Trial, ...]:
        """Launches that proved themselves, newest first."""
        return self._read_list("good.json")

    def last_good(
        self, other_than: Trial | None = None, usable: Callable[[Trial], bool] = lambda _: True
    ) -> Trial | None:
        """What to start without further words: the user's default, else the newest that worked.

        What has failed since is left out, and so are ``other_than``, which has just taken us down, and what
        is not ``usable``.
        """
        bad = (*self.bad(), *(() if other_than is None else (other_than,)))
        known = (*self._read_list("default.json"), *self.good())
        return next((g for g in known if usable(g) and not any(g.same_combination(b) for b in bad)), None)

    def default(self) -> Trial | None:
        """What the user kept as the default, None if nothing was kept."""
        return next(iter(self._read_list("default.json")), None)

    def keep_default(self, trial: Trial) -> None:
        """Make it the user's default.

        Raises:
            KnownError: ``folder_not_writable``: the user is not told that something is kept which is not.
        """
        try:
            self._rewrite("default.json", lambda _known: [trial])
        except OSError as error:
            raise self._not_writable(error) from error

    def mark_bad(self, trial: Trial, reason: Message) -> None:
        """Remember that this combination fails, and why, until the build changes."""
        marked = replace(trial, reason=reason)
        self._change("bad.json", lambda known: [marked, *_others(known, trial)][:BAD_KEPT])

    def clear_bad(self, trial: Trial) -> None:
        """It worked after all."""
        if self.known_bad(trial) is not None:
            self._change("bad.json", lambda known: _others(known, trial))

    def bad(self, engine: str | None = None) -> tuple[Trial, ...]:
        """Combinations known to fail with this build of the engine, or with any."""
        return tuple(bad for bad in self._read_list("bad.json") if engine in {None, bad.engine})

    def known_bad(self, trial: Trial) -> Trial | None:
        """The mark on exactly this combination."""
        return next((bad for bad in self.bad(trial.engine) if bad.same_combination(trial)), None)

    # -- files -----------------------------------------------------------------------------------------------

    def _note_files(self) -> list[Path]:
        with suppress(OSError):
            return sorted(self._folder.glob("trial-*.json"))
        return []

    def _notes(self) -> list[tuple[Path, Trial]]:
        read = ((path, _trial(_load(path))) for path in self._note_files())
        return [(path, trial) for path, trial in read if trial is not None]

    @staticmethod
    def _is_stale(path: Path) -> bool:
        plain = _load(path)
        try:
            return not Owner(int(plain["owner_pid"]), float(plain["owner_started"])).is_alive()
        except (KeyError, TypeError, ValueError, OverflowError):
            return path.exists()

    def _forget_note(self) -> None:
        if self._note is not None:
            with suppress(OSError):
                self._note.unlink()
            self._note = None

    def _write_note(self, path: Path, trial: Trial) -> None:
        owner = Owner.this_process()
        plain = {**_plain(trial), "owner_pid": owner.pid, "owner_started": owner.started}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            replace_file(path, json.dumps(plain, indent=1).encode())
        except OSError as error:
            raise self._not_writable(error) from error

    def _not_writable(self, error: OSError) -> KnownError:
        reason = error.strerror or str(error)
        return KnownError("folder_not_writable", path=str(self._folder), reason=reason)

    def _change(self, name: str, change: Callable[[Sequence[Trial]], Sequence[Trial]]) -> None:
        """Change a list; a failure is only logged: nobody asked for this, and the server runs on."""
        try:
            self._rewrite(name, change)
        except OSError as error:
            _log.warning("%s: %s", self._folder / name, error)

    def _rewrite(self, name: str, change: Callable[[Sequence[Trial]], Sequence[Trial]]) -> None:
        """Read, change and write a list in one step, whoever else does the same."""
        path = self._folder / name
        self._folder.mkdir(parents=True, exist_ok=True)
        with locked(path):
            plain = [_plain(trial) for trial in change(self._read_list(name))]
            replace_file(path, json.dumps(plain, indent=1).encode())

    def _read_list(self, name: str) -> tuple[Trial, ...]:
        plain = _load(self._folder / name)
        return (
            tuple(t for entry in plain if (t := _trial(entry)) is not None) if isinstance(plain, list) else ()
        )


def _load(path: Path) -> Any:  # noqa: ANN401 - whatever the file held
    """What a file holds; a missing or damaged one holds nothing."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def _others(known: Sequence[Trial], trial: Trial) -> list[Trial]:
    return [other for other in known if not other.same_combination(trial)]


def _plain(trial: Trial) -> dict[str, Any]:
    ref = trial.ref
    return {
        "model_path": trial.footing.model_path,
        "preset": trial.footing.preset,
        "settings": trial.footing.settings.to_dict(),
        "engine": trial.engine,
        "ref": {
            "kind": ref.kind,
            "command": list(ref.command),
            "path": ref.path,
            "found_in": ref.found_in,
        },
        "at_utc": trial.at_utc,
        "phase": trial.phase,
        # In English for whoever looks into the file, and for versions that know of no codes.
        "reason": "" if trial.reason is None else trial.reason.sentence(),
        "why": encode(trial.reason),
    }


def _trial(plain: Any) -> Trial | None:  # noqa: ANN401
    try:
        ref = plain["ref"]
        footing = Footing(
            str(plain["model_path"]), ServerSettings.from_dict(plain["settings"]), str(plain["preset"])
        )
        return Trial(
            footing,
            str(plain["engine"]),
            EngineRef(ref["kind"], tuple(map(str, ref["command"])), str(ref["path"]), str(ref["found_in"])),
            str(plain["at_utc"]),
            plain["phase"] if plain["phase"] == "running" else "launching",
            _reason(plain),
        )
    except (KeyError, TypeError, ValueError, AttributeError, KnownError):
        return None


def _reason(plain: Mapping[str, Any]) -> Message | None:
    """Why it fails; an older version wrote down the English sentence only."""
    why, told = plain.get("why"), str(plain["reason"])
    if isinstance(why, Mapping) and isinstance(why.get("code"), str):
        message: Message = decode(Message, why)
        return message
    return Message.of("failed_before", reason=told) if told else None


def is_there(trial: Trial) -> bool:
    """Whether its model and engine are still there; a drive may be gone today and back tomorrow."""
    try:
        return Path(trial.footing.model_path).exists() and Path(trial.ref.path).exists()
    except OSError:
        return True
