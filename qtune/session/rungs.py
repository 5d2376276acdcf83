"""Finds what the ladder below a footing is made of: smaller siblings on disk and the named fallback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qtune.core.errors import KnownError
from qtune.core.ladder import Footing, LadderFacts, OtherModel
from qtune.core.model_facts import ModelFacts
from qtune.models.discovery import find_models
from qtune.models.gguf_header import read_model
from qtune.models.header_cache import HeaderCache
from qtune.models.siblings import siblings_of

SIBLINGS_LIMIT_S = 3.0
"""A launch waits for this; folders searched before come from the cache."""


class Rungs:
    """Reads disks, so never on the GUI or io thread.

    Args:
        folders: Where models lie.
        headers: Headers read before.
        preference: The user's choice by its key.
    """

    def __init__(
        self,
        folders: Callable[[], tuple[Path, ...]],
        headers: HeaderCache,
        preference: Callable[[str], str],
    ) -> None:
        self._folders, self._headers, self._preference = folders, headers, preference

    def below(self, asked: Footing) -> LadderFacts:
        """The rungs below what was asked.

        Raises:
            KnownError: The model cannot be read.
        """
        model = read_model(Path(asked.model_path))
        near = (Path(model.path).parent, *self._folders())
        found = find_models(near, limit_s=SIBLINGS_LIMIT_S, cache=self._headers).models
        smaller = [_other(m) for m in siblings_of(model, found) if m.size_bytes < model.size_bytes]
        return LadderFacts(
            asked=asked,
            smaller=tuple(sorted(smaller, key=lambda other: -other.size_bytes)),
            fallback=self._fallback(model.path),
            gentle=self._preference("gentle_steps") == "on",
        )

    def _fallback(self, model_path: str) -> OtherModel | None:
        path = self._preference("fallback_model")
        if not path or path == model_path:
            return None
        try:
            return _other(read_model(Path(path)))
        except KnownError:
            return None  # it was moved or deleted: a rung that cannot be taken is not offered


def _other(model: ModelFacts) -> OtherModel:
    return OtherModel(model.path, f"{model.name} {model.quant}", model.size_bytes, model.context_train)
