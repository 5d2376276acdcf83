"""Finds models where other programs and the user keep them, within a bounded time."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.models.companions import Companions
from qtune.models.folder_walk import PATIENCE_S, Answer, FolderWalk, ask_folders
from qtune.models.gguf_header import read_model
from qtune.models.header_cache import HeaderCache

_MAX_MODELS: Final = 1000
_MAX_PROBLEMS: Final = 100
"""Files told of one by one: nobody reads more lines, and a folder may hold a million damaged files."""
_GONE: Final = (FileNotFoundError, NotADirectoryError)


@dataclass(frozen=True, slots=True)
class ModelSearch:
    """What a search found.

    Attributes:
        models: Each once, ordered by the folder it was found in, then by path. MTP sidecars are among them
            (``ModelFacts.mtp``); image encoders, adapters and further parts of split models are not.
        problems: Files that look like a model and are none (as many as can be read), folders that could not
            be read, why it was cut.
        folders: Where was looked.
        cut: A bound was reached before everything was looked at.
        cancelled: The caller broke it off.
    """

    models: tuple[ModelFacts, ...]
    problems: tuple[Message, ...] = ()
    folders: tuple[Path, ...] = ()
    cut: bool = False
    cancelled: bool = False


@dataclass(slots=True)
class _Damaged:
    """Files that look like a model and are none: the first by name, the rest as a number."""

    told: list[Message] = field(default_factory=list)
    more: int = 0

    def add(self, problem: Message) -> None:
        if len(self.told) < _MAX_PROBLEMS:
            self.told.append(problem)
        else:
            self.more += 1

    def all(self) -> tuple[Message, ...]:
        more = (Message.of("model_problems_more", count=self.more),) if self.more else ()
        return *self.told, *more


def find_models(
    folders: Sequence[Path],
    *,
    limit_s: float = 20.0,
    patience_s: float = PATIENCE_S,
    cancel: threading.Event | None = None,
    found: Callable[[ModelFacts], None] | None = None,
    cache: HeaderCache | None = None,
) -> ModelSearch:
    """Models below ``folders``, and what is wrong with files that look like one.

    Blocks for at most ``limit_s`` and twice ``patience_s``, also when a drive hangs; returns within 0.2 s
    after ``cancel``. A file reached by several ways (links, hard links, overlapping folders) is listed once.

    Args:
        folders: Folders, or single files; one that is missing is a problem.
        limit_s: Seconds for looking and reading.
        patience_s: Seconds after which a folder or file that does not answer is left out.
        cancel: Set by another thread to break it off; what was found until then is returned.
        found: Called with each model as it is found, on the caller's thread.
        cache: Headers read before; updated and saved.
    """
    cancel = cancel or threading.Event()
    tops = list(dict.fromkeys(folder.expanduser().absolute() for folder in folders))
    problems: list[Message] = []
    there = []
    for path, answer in zip(tops, ask_folders(tops, patience_s, cancel), strict=True):
        if answer in {"folder", "file"}:
            there.append(path)
        elif (problem := _problem(path, answer, patience_s)) is not None:
            problems.append(problem)
    companions = Companions()
    walk = FolderWalk(there, lambda path: _read(path, companions, cache), limit_s, patience_s)
    models: list[tuple[int, ModelFacts]] = []
    damaged = _Damaged()
    for finding in walk.results(cancel):
        if isinstance(finding.what, Message):
            damaged.add(finding.what)
            continue
        models.append((finding.top, finding.what))
        if found is not None:
            found(finding.what)
        if len(models) >= _MAX_MODELS:
            walk.cut.append(Message.of("model_search_full", count=_MAX_MODELS))
            break
    if cache is not None:
        cache.save()
    models.sort(key=lambda each: (each[0], each[1].path))
    return ModelSearch(
        models=tuple(model for _, model in models),
        problems=(*problems, *damaged.all(), *_left_out(walk)),
        folders=tuple(there),
        cut=bool(walk.cut),
        cancelled=cancel.is_set(),
    )


def _read(path: Path, companions: Companions, cache: HeaderCache | None) -> ModelFacts:
    if cache is not None and (known := cache.get(path)) is not None:
        return companions.complete(known)  # its neighbours may have changed
    facts = read_model(path, companions)
    if cache is not None:
        cache.put(path, facts)
    return facts


def _problem(path: Path, answer: Answer, patience_s: float) -> Message | None:
    if isinstance(answer, _GONE):
        return Message.of("model_folder_missing", path=str(path))
    if isinstance(answer, OSError):
        reason = answer.strerror or str(answer)
        return Message.of("model_folder_unreadable", path=str(path), reason=reason)
    if answer == "silent":
        return Message.of("model_folder_silent", path=str(path), seconds=f"{patience_s:g}")
    return None


def _left_out(walk: FolderWalk) -> list[Message]:
    told = [
        Message.of("model_folder_silent", path=str(path), seconds=f"{walk.patience_s:g}")
        for path in walk.silent
    ]
    if walk.unreadable:
        first = str(walk.unreadable[0])
        told.append(Message.of("model_folders_unreadable", count=len(walk.unreadable), path=first))
    return [*told, *walk.cut]


def usual_folders(home: Path | None = None, env: Mapping[str, str] | None = None) -> list[Path]:
    """Folders in which Hugging Face tools, LM Studio, Jan and llama.cpp keep models, as far as they exist.

    One that does not answer is among them, so that the search can say so.
    """
    if env is None:
        env = os.environ if home is None else {}
    home = Path.home() if home is None else home
    named = [env.get("HF_HUB_CACHE"), env.get("LLAMA_CACHE")]
    if env.get("HF_HOME"):
        named.append(str(Path(env["HF_HOME"]) / "hub"))
    cache = Path(env["XDG_CACHE_HOME"]) if env.get("XDG_CACHE_HOME") else home / ".cache"
    data, llama = _system_folders(home, cache, env)
    candidates = [
        *(Path(name) for name in named if name),
        cache / "huggingface" / "hub",
        llama / "llama.cpp",
        home / ".lmstudio" / "models",
        cache / "lm-studio" / "models",
        data / "Jan" / "data" / "llamacpp" / "models",
        home / "jan" / "models",
    ]
    candidates = list(dict.fromkeys(candidates))
    answers = ask_folders(candidates, PATIENCE_S / 2, threading.Event())
    return [
        folder
        for folder, answer in zip(candidates, answers, strict=True)
        if answer != "file" and not isinstance(answer, _GONE)
    ]


def _system_folders(home: Path, cache: Path, env: Mapping[str, str]) -> tuple[Path, Path]:
    """Where Jan keeps its data and llama.cpp its downloads on this system."""
    if sys.platform == "win32":
        roaming = env.get("APPDATA", str(home / "AppData" / "Roaming"))
        return Path(roaming), Path(env.get("LOCALAPPDATA", str(home / "AppData" / "Local")))
    if sys.platform == "darwin":
        return home / "Library" / "Application Support", home / "Library" / "Caches"
    return Path(env.get("XDG_DATA_HOME") or home / ".local" / "share"), cache
