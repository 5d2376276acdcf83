"""The files of the scripted computer: those of the story are there, all others are looked at for real."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

from qtune.core.errors import KnownError
from qtune.core.settings import SETTINGS
from qtune.core.shell_quoting import Shell
from qtune.session import dropped
from qtune.session.dropped import Dropped
from qtune.session.launch_text import launch_text
from qtune.session.requests import LaunchRequest
from tests.ui import fake_models
from tests.ui import fake_story as story

MODELS = {facts.path: facts for facts in (story.MODEL, story.SAMPLE, *fake_models.MODELS)}
ENGINES = {facts.ref.path: facts for facts in (story.LLAMA, story.BUNDLED)}

OPTIONS = frozenset(
    {"--model", "--host", "--port", "--alias", "--fit"}
    | {spelling.flag for setting in SETTINGS.values() for spelling in setting.spellings}
)
"""What the help of the story's engines lists."""


class FakeFiles:
    """Part of the scripted desk."""

    calls: list[tuple[str, object]]

    def look_at(self, path: Path) -> Future[Dropped]:
        self.calls.append(("look_at", path))
        if str(path) in MODELS:
            return _done(Dropped("model", path))
        if str(path) in ENGINES:
            return _done(Dropped("engine", path))
        try:
            return _done(dropped.look_at(path))
        except KnownError as error:
            return _done(error)

    def there(self, paths: Iterable[str]) -> Future[frozenset[str]]:
        asked = tuple(paths)
        self.calls.append(("there", asked))
        return _done(dropped.there(asked) | {p for p in asked if p in MODELS or p in ENGINES})

    def launch_text(self, request: LaunchRequest, shell: Shell) -> Future[str]:
        self.calls.append(("launch_text", request))
        try:
            engine = replace(ENGINES[request.engine.path], options=OPTIONS)
            return _done(launch_text(request, engine, MODELS[request.model_path], shell))
        except KnownError as error:
            return _done(error)


def _done(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    if isinstance(value, KnownError):
        future.set_exception(value)
    else:
        future.set_result(value)
    return future
