"""Finds models where other programs keep them, within a bounded time."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.models.gguf_header import SHARD_NAME, read_model

_log = logging.getLogger("qtune.models")

_MAX_DEPTH: Final = 6
_MAX_FOLDERS: Final = 5000
_MAX_MODELS: Final = 500
_MAX_ENTRIES: Final = 20_000


def find_models(folders: Sequence[Path], limit_s: float = 2.0) -> tuple[list[ModelFacts], list[Message]]:
    """Models below ``folders``, and what is wrong with files that look like one.

    MTP sidecars are listed too (``ModelFacts.mtp``); image encoders, adapters and further parts of split
    models are not. A file reached by two ways is listed once, under the first. When time runs out, the last
    message says so.
    """
    search = _Search(time.perf_counter() + limit_s)
    models: list[ModelFacts] = []
    problems: list[Message] = []
    for path in search.files(folders):
        try:
            models.append(read_model(path))
        except KnownError as error:
            if error.code != "model_not_llm":
                problems.append(error.message)
        if len(models) >= _MAX_MODELS:
            search.cut = True
            break
    if search.cut:
        problems.append(Message.of("model_search_cut", seconds=f"{limit_s:g}"))
    return models, problems


def usual_folders(home: Path | None = None, env: Mapping[str, str] | None = None) -> list[Path]:
    """Folders in which Hugging Face tools, LM Studio, Jan and llama.cpp keep models, as far as they exist."""
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
    return [folder for folder in dict.fromkeys(candidates) if folder.is_dir()]


def _system_folders(home: Path, cache: Path, env: Mapping[str, str]) -> tuple[Path, Path]:
    """Where Jan keeps its data and llama.cpp its downloads on this system."""
    if sys.platform == "win32":
        roaming = env.get("APPDATA", str(home / "AppData" / "Roaming"))
        return Path(roaming), Path(env.get("LOCALAPPDATA", str(home / "AppData" / "Local")))
    if sys.platform == "darwin":
        return home / "Library" / "Application Support", home / "Library" / "Caches"
    return Path(env.get("XDG_DATA_HOME") or home / ".local" / "share"), cache


class _Search:
    """Breadth-first walk that follows links but enters no folder twice and stops at a deadline."""

    def __init__(self, deadline: float) -> None:
        self.cut = False
        self._deadline = deadline
        self._entered: set[tuple[int, int]] = set()
        self._listed: set[str] = set()

    def files(self, folders: Sequence[Path]) -> Iterator[Path]:
        """Files that could be a model, each once."""
        waiting = deque((folder, 0) for folder in folders)
        while waiting:
            folder, depth = waiting.popleft()
            if len(self._entered) >= _MAX_FOLDERS:
                self.cut = True
                return
            for entry in self._entries(folder):
                if time.perf_counter() > self._deadline:
                    self.cut = True
                    return
                if _is_folder(entry):
                    if depth < _MAX_DEPTH:
                        waiting.append((Path(entry.path), depth + 1))
                elif _may_be_model(entry.name) and self._is_new(entry.path):
                    yield Path(entry.path)

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            facts = folder.stat()
            if (facts.st_dev, facts.st_ino) in self._entered:
                return []
            self._entered.add((facts.st_dev, facts.st_ino))
            with os.scandir(folder) as entries:
                return sorted(islice(entries, _MAX_ENTRIES), key=lambda entry: entry.name)
        except OSError as error:
            _log.debug("folder %s left out: %s", folder, error)
            return []

    def _is_new(self, path: str) -> bool:
        try:
            real = os.path.realpath(path)
        except OSError:
            return False
        if real in self._listed or not Path(real).exists():
            return False
        self._listed.add(real)
        return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _may_be_model(name: str) -> bool:
    lower = name.lower()
    if not lower.endswith(".gguf") or "mmproj" in lower or lower.startswith("."):
        return False
    part = SHARD_NAME.fullmatch(name)
    return part is None or int(part["no"]) == 1
