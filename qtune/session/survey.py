"""The survey of models: what lies on disk, and what of it fits into this machine's memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qtune.core.engine_facts import EngineFacts
from qtune.core.memory import estimate, fit_state, view
from qtune.core.memory_facts import FitState, MemoryPart, MemoryView, Room
from qtune.core.model_facts import ModelFacts
from qtune.core.settings import ServerSettings
from qtune.models.discovery import find_models
from qtune.models.header_cache import HeaderCache
from qtune.models.siblings import siblings_of
from qtune.session.head_support import head_runs
from qtune.session.requests import ContextFit, ModelEntry, ModelReport

CONTEXTS = (4096, 8192, 16384, 32768, 65536, 131072)
"""Context lengths whose fit is shown for each model."""
SEARCH_LIMIT_S = 30.0
"""A search the user asked for may take its time; it shows what it finds and can be stopped."""

Recall = Callable[[ModelFacts, ServerSettings], Sequence[MemoryPart]]


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What every model of a survey is held against.

    Attributes:
        room: None where no memory could be read.
        off: Settings with MTP off, at the user's context.
        mtp: The same with the preset balanced.
        keep_bytes: What balanced promises to keep free.
        recall: Parts remembered from earlier launches.
        head: Facts of the MTP head in a file beside a model, None if there is none or it is not known yet.
        engine: Whose build has to run a head; None if there is none.
    """

    room: Room | None
    on_card: bool
    off: ServerSettings
    mtp: ServerSettings
    keep_bytes: int
    recall: Recall
    head: Callable[[ModelFacts], ModelFacts | None]
    engine: EngineFacts | None = None

    def entry(self, facts: ModelFacts) -> ModelEntry:
        """One model with its fit; siblings are found once all are known."""
        runs = head_runs(facts, self.engine)
        if facts.mtp == "sidecar":
            return ModelEntry(facts, head_runs=runs)
        settings = self.mtp if has_head(facts) else self.off
        contexts = tuple(fit for ctx in CONTEXTS if (fit := self._at(facts, ctx)) is not None)
        return ModelEntry(facts, self.view(facts, settings, self.keep_bytes), contexts, head_runs=runs)

    def view(self, facts: ModelFacts, settings: ServerSettings, keep_bytes: int) -> MemoryView | None:
        """A launch of this model against the room."""
        return view(
            facts,
            settings,
            self.room,
            keep_bytes=keep_bytes,
            on_card=self.on_card,
            learned=self.recall(facts, settings),
            head=self.head(facts),
        )

    def _at(self, facts: ModelFacts, ctx: int) -> ContextFit | None:
        if facts.context_train is not None and ctx > facts.context_train:
            return None
        off = self._fit(facts, self.off.with_values({"ctx_size": ctx}))
        mtp = self._fit(facts, self.mtp.with_values({"ctx_size": ctx})) if has_head(facts) else None
        if off is None:
            return None
        return ContextFit(ctx, *off, *(mtp or (None, None)))

    def _fit(self, facts: ModelFacts, settings: ServerSettings) -> tuple[int, FitState] | None:
        found = estimate(
            facts,
            settings,
            on_card=self.on_card,
            learned=self.recall(facts, settings),
            head=self.head(facts),
        )
        if found is None or found.gaps:
            return None
        free = None if self.room is None else self.room.free_bytes
        return found.total_bytes, fit_state(found.total_bytes, free, self.keep_bytes)


def has_head(facts: ModelFacts) -> bool:
    """Whether MTP can be switched on, with the model's own head or one that lies beside it."""
    return facts.mtp == "embedded" or bool(facts.sidecars)


def survey(
    folders: Sequence[Path],
    yardstick: Yardstick,
    cache: HeaderCache | None,
    cancel: threading.Event | None = None,
    *,
    found: Callable[[ModelEntry], None] | None = None,
    know: Callable[[ModelFacts], ModelFacts] = lambda facts: facts,
) -> ModelReport:
    """Search ``folders`` and hold every model against the yardstick; ``found`` hears of each at once."""

    def hear(facts: ModelFacts) -> None:
        know(facts)
        if found is not None:
            found(yardstick.entry(facts))

    result = find_models(folders, limit_s=SEARCH_LIMIT_S, cancel=cancel, found=hear, cache=cache)
    entries = []
    for facts in result.models:
        entry = yardstick.entry(facts)  # again: by now every head that lies beside a model was read
        siblings = tuple(s.path for s in siblings_of(facts, result.models))
        entries.append(replace(entry, siblings=siblings))
    return ModelReport(
        tuple(entries),
        tuple(result.problems),
        tuple(str(folder) for folder in result.folders),
        cancelled=result.cancelled,
    )
