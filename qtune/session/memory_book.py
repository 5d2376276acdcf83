"""What is known of memory: the room there is now, what launches took, what the next one will take."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from qtune.core.errors import KnownError
from qtune.core.events import Event, Notice
from qtune.core.ladder import Footing, LadderFacts, OtherModel
from qtune.core.memory import refusal, warning
from qtune.core.memory_facts import MemoryPart, MemoryView, Room
from qtune.core.model_facts import ModelFacts
from qtune.core.presets import Preset
from qtune.core.records import EngineFacts, GpuFacts, GpuProcess, TelemetrySample
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.engine.launch import Running
from qtune.host.neighbours import process_family
from qtune.models.discovery import find_models, usual_folders
from qtune.models.gguf_header import read_model
from qtune.models.header_cache import HeaderCache
from qtune.models.siblings import siblings_of
from qtune.session.catalog import find_preset
from qtune.session.launching import head_of
from qtune.session.memory_room import places_on_card, room_for
from qtune.session.remembered import Remembered, parts_of_log
from qtune.session.requests import ModelEntry, ModelReport, SurveyRequest
from qtune.session.rooms import Rooms
from qtune.session.shelf import Shelf
from qtune.session.survey import Yardstick, survey

PROCESSES_EVERY = 10
"""Readings after which the programs on the cards are asked for anew; they change slowly."""

FIRST_READING_S = 2.0
"""How long a survey waits for the first reading of memory, just after the app was opened."""
SIBLINGS_LIMIT_S = 3.0
"""A launch waits for this; folders searched before come from the cache."""


class MemoryBook:
    """Any thread may ask; what reads a disk or a driver says so."""

    def __init__(self, rooms: Rooms, shelf: Shelf, announce: Callable[[Event], None]) -> None:
        self._announce = announce
        self._rooms = rooms
        self._shelf = shelf
        self._remembered = Remembered(shelf.paths.cache / "memory.json")
        self._first_reading = threading.Event()
        self._cache = HeaderCache(shelf.paths.headers_file)
        # Drivers are asked on the sampler's thread only: one that hangs must not take the window along.
        self._cards: tuple[GpuFacts, ...] = ()
        self._processes: tuple[GpuProcess, ...] = ()
        self._our_pids: tuple[int, ...] = ()
        self._heads: dict[str, ModelFacts] = {}
        self._readings = 0
        rooms.sampler.subscribe(self.note)

    def note(self, _sample: TelemetrySample) -> None:
        """Look now and then which programs sit on the cards, but never while something is measured."""
        measuring = self._rooms.supervisor.state is ServerState.MEASURING
        if self._readings % PROCESSES_EVERY == 0 and not measuring:
            self._cards = self._rooms.cards.cards()
            self._processes = self._rooms.cards.processes()
            self._our_pids = process_family(self._rooms.supervisor.pid)
        self._readings += 1
        self._first_reading.set()

    @property
    def card(self) -> str:
        """UUID of the card the user chose, empty for all."""
        return self._shelf.preferences.text("card")

    def room(
        self, settings: ServerSettings, engine: EngineFacts | None, card: str | None = None
    ) -> Room | None:
        """Where a launch would go, and what is free there; ``card`` overrules the user's choice."""
        return room_for(
            on_card=self.on_card(settings, engine),
            engine=engine,
            cards=self._cards,
            latest=self._rooms.sampler.latest,
            processes=self._processes,
            our_pids=self._our_pids,
            chosen=self.card if card is None else card,
        )

    def on_card(self, settings: ServerSettings, engine: EngineFacts | None) -> bool:
        """Whether a launch with these settings would use a card."""
        return settings.gpu_layers != "none" and places_on_card(engine, self._cards)

    def view(
        self, model: ModelFacts, settings: ServerSettings, keep_bytes: int, engine: EngineFacts | None
    ) -> MemoryView | None:
        """A launch against the memory there is now."""
        return self._yardstick(engine, settings).view(model, settings, keep_bytes)

    def check(
        self, model: ModelFacts, settings: ServerSettings, keep_bytes: int, engine: EngineFacts
    ) -> None:
        """Refuse a launch that cannot fit; one that probably does not is only told.

        Raises:
            KnownError: ``memory_impossible`` with the numbers.
        """
        found = self.view(model, settings, keep_bytes, engine)
        if found is None:
            return
        if (reason := refusal(found)) is not None:
            raise KnownError.from_message(reason)
        if (doubt := warning(found)) is not None:
            self._announce(Notice(doubt))

    def know(self, model: ModelFacts) -> ModelFacts:
        """Keep what quick answers about a model need: its head, if that lies beside it; reads disks."""
        head = head_of(model)
        if head is not None and head not in self._heads:
            with suppress(KnownError):
                self._heads[head] = read_model(Path(head))
        if model.mtp == "sidecar":
            self._heads[model.path] = model
        return model

    def learn(self, running: Running, model: ModelFacts) -> None:
        """Remember what the engine's own log says it took; writes a small file.

        Only of a launch that is what was asked: with another context or without its drafts it took less.
        """
        parts = parts_of_log(running.log_facts())
        if parts and not running.effective.mismatches:
            spec = running.spec
            head = self._head(model)
            self._remembered.learn(model, spec.facts, spec.settings, parts, head=head)

    def survey(
        self,
        wanted: SurveyRequest,
        cancel: threading.Event | None,
        found: Callable[[ModelEntry], None] | None,
    ) -> ModelReport:
        """Search for models, everywhere the user keeps them if no folder is named; reads disks."""
        self._first_reading.wait(FIRST_READING_S)
        base = ServerSettings()
        if wanted.ctx_size is not None:
            base = base.with_values({"ctx_size": wanted.ctx_size})
        yardstick = self._yardstick(wanted.engine, base, wanted.card)
        folders = wanted.folders or self.folders()
        return survey(folders, yardstick, self._cache, cancel, found=found, know=self.know)

    def rungs_below(self, asked: Footing) -> LadderFacts:
        """What the ladder below a footing is made of: smaller siblings on disk and the named fallback."""
        model = read_model(Path(asked.model_path))
        near = (Path(model.path).parent, *self.folders())
        found = find_models(near, limit_s=SIBLINGS_LIMIT_S, cache=self._cache).models
        smaller = [_other(m) for m in siblings_of(model, found) if m.size_bytes < model.size_bytes]
        return LadderFacts(
            asked=asked,
            smaller=tuple(sorted(smaller, key=lambda other: -other.size_bytes)),
            fallback=self._fallback(model.path),
            gentle=self._shelf.preferences.text("gentle_steps") == "on",
        )

    def _fallback(self, model_path: str) -> OtherModel | None:
        path = self._shelf.preferences.text("fallback_model")
        if not path or path == model_path:
            return None
        try:
            return _other(read_model(Path(path)))
        except KnownError:
            return None  # it was moved or deleted: a rung that cannot be taken is not offered

    @property
    def headers(self) -> HeaderCache:
        """Headers read before."""
        return self._cache

    def folders(self) -> tuple[Path, ...]:
        """The user's own folders, those of other programs, and that of the sample."""
        own = (Path(line).expanduser() for line in self._shelf.preferences.text("model_folders").splitlines())
        wanted = (*(p for p in own if str(p) != "."), *usual_folders(), self._shelf.paths.sample_dir)
        return tuple(dict.fromkeys(wanted))

    def _yardstick(
        self, engine: EngineFacts | None, base: ServerSettings, card: str | None = None
    ) -> Yardstick:
        balanced = _balanced(self._shelf.presets)
        return Yardstick(
            room=self.room(base, engine, card),
            on_card=self.on_card(base, engine),
            off=base,
            mtp=balanced.apply(base),
            keep_bytes=balanced.vram_keep_bytes,
            recall=lambda model, settings: self._recalled(model, engine, settings),
            head=self._head,
        )

    def _head(self, model: ModelFacts) -> ModelFacts | None:
        path = head_of(model)
        return None if path is None else self._heads.get(path)

    def _recalled(
        self, model: ModelFacts, engine: EngineFacts | None, settings: ServerSettings
    ) -> Sequence[MemoryPart]:
        if engine is None:
            return ()
        return self._remembered.recall(model, engine, settings, head=self._head(model))


def _other(model: ModelFacts) -> OtherModel:
    return OtherModel(model.path, f"{model.name} {model.quant}", model.size_bytes, model.context_train)


def _balanced(presets: Sequence[Preset]) -> Preset:
    return find_preset(presets, "balanced")
