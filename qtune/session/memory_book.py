"""What is known of memory: the room there is now, what launches took, what the next one will take."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from qtune.core.card_memory import uses_card
from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.events import Event, Notice
from qtune.core.machine_facts import GpuFacts, GpuProcess, TelemetrySample
from qtune.core.memory import Sizes, beyond_training, refusal, warning
from qtune.core.memory_facts import MemoryPart, MemoryView, Room
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.presets import Preset
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.engine.launch import Running
from qtune.host.neighbours import process_family
from qtune.models.discovery import usual_folders
from qtune.models.gguf_header import read_model
from qtune.models.header_cache import HeaderCache
from qtune.session.catalog import find_preset
from qtune.session.launching import head_of
from qtune.session.memory_room import Seen, room_for
from qtune.session.remembered import Remembered, parts_of_log
from qtune.session.requests import ModelEntry, ModelReport, SurveyRequest
from qtune.session.rooms import Rooms
from qtune.session.shelf import Shelf
from qtune.session.survey import Yardstick, survey

PROCESSES_EVERY = 10
"""Readings after which the programs on the cards are asked for anew, if no engine came or went meanwhile."""

FIRST_READING_S = 10.0
"""How long a survey waits for the first reading of memory, just after the app was opened: a driver that wakes
its cards takes seconds. Without it what fits is unknown."""
CARDS_S = 2.0
"""How long a measurement waits likewise; it only notes which cards there are."""
_LOOK_S = 0.1
SIZES_KEPT = 64
"""Launches whose sizes are remembered: a handful of presets for each model that is looked at."""

_SizesKey = tuple[str, ServerSettings, bool, tuple[MemoryPart, ...]]


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
        self._worked_out: dict[_SizesKey, tuple[ModelFacts, ModelFacts | None, Sizes]] = {}
        self._readings = 0
        self._engine_was: ServerState | None = None
        rooms.sampler.subscribe(self.note)

    def note(self, _sample: TelemetrySample) -> None:
        """Look which programs sit on the cards: now and then, and whenever the engine came or went.

        Never while something is measured.
        """
        state = self._rooms.supervisor.state
        changed, self._engine_was = state is not self._engine_was, state
        is_due = changed or self._readings % PROCESSES_EVERY == 0
        if is_due and state is not ServerState.MEASURING:
            self._cards = self._rooms.cards.cards()
            self._processes = self._rooms.cards.processes()
            self._our_pids = process_family(self._rooms.supervisor.pid)
        self._readings += 1
        self._first_reading.set()

    def cards(self, wait_s: float = CARDS_S) -> tuple[GpuFacts, ...]:
        """The cards as last looked at; waits so long for the first look. Never asks a driver itself."""
        self._first_reading.wait(wait_s)
        return self._cards

    def chosen_card(self) -> tuple[str, Message | None]:
        """UUID of the card the user chose, empty for all; and that it is gone, if so, which means all."""
        card = self._shelf.preferences.text("card")
        if card and self._cards and all(one.uuid != card for one in self._cards):
            return "", Message.of("card_gone", card=card, cards=self._names())
        return card, None

    def _names(self) -> str:
        return ", ".join(f"{card.uuid} ({card.name})" for card in self._cards) or "–"

    def room(
        self, settings: ServerSettings, engine: EngineFacts | None, card: str | None = None
    ) -> Room | None:
        """Where a launch would go, and what is free there; ``card`` overrules the user's choice.

        None before the first look at the cards, since main memory must not be taken for one.
        """
        if not self._first_reading.is_set():
            return None
        return room_for(
            on_card=self.on_card(settings, engine),
            engine=engine,
            seen=Seen(self._cards, self._rooms.sampler.latest, self._processes, self._our_pids),
            chosen=self.chosen_card()[0] if card is None else card,
        )

    def on_card(self, settings: ServerSettings, engine: EngineFacts | None) -> bool:
        """Whether a launch with these settings would use a card."""
        if engine is None:
            return settings.gpu_layers != "none" and bool(self._cards)
        return uses_card(engine, settings)

    def view(
        self, model: ModelFacts, settings: ServerSettings, keep_bytes: int, engine: EngineFacts | None
    ) -> MemoryView | None:
        """A launch against the memory there is now; quick when asked again, as the window does."""
        return self._sizes(model, settings, engine).view(self.room(settings, engine), keep_bytes)

    def _sizes(self, model: ModelFacts, settings: ServerSettings, engine: EngineFacts | None) -> Sizes:
        on_card = self.on_card(settings, engine)
        head, learned = self._head(model), tuple(self._recalled(model, engine, settings, None))
        key = (model.path, settings, on_card, learned)
        facts, beside, sizes = self._worked_out.get(key, (None, None, None))
        # The very same headers: a file may have been replaced by another of the same name.
        if sizes is None or facts is not model or beside is not head:
            sizes = Sizes(model, settings, on_card=on_card, learned=learned, head=head)
            if len(self._worked_out) >= SIZES_KEPT:
                self._worked_out.clear()
            self._worked_out[key] = (model, head, sizes)
        return sizes

    def check(
        self, model: ModelFacts, settings: ServerSettings, keep_bytes: int, engine: EngineFacts
    ) -> None:
        """Refuse a launch that cannot fit; one that probably does not is only told.

        Raises:
            KnownError: ``memory_impossible`` with the numbers.
        """
        self._remembered.refresh()
        found = self.view(model, settings, keep_bytes, engine)
        if found is None:
            return
        if (reason := refusal(found)) is not None:
            raise KnownError.from_message(reason)
        for doubt in (warning(found), beyond_training(model, settings)):
            if doubt is not None:
                self._announce(Notice(doubt))

    def know(self, model: ModelFacts) -> ModelFacts:
        """Keep what quick answers about a model need: its head, if that lies beside it; reads disks."""
        if model.mtp == "sidecar":
            self._heads[model.path] = model
        if (head := head_of(model)) is not None:
            try:
                facts = self._cache.get(Path(head)) or read_model(Path(head))
            except KnownError:
                self._heads.pop(head, None)
            else:
                self._heads[head] = facts
                self._cache.put(Path(head), facts)
        return model

    def learn(self, running: Running, model: ModelFacts) -> None:
        """Remember what the engine's own log says it took; writes a small file.

        Only of a launch that is what was asked: with another context or without its drafts it took less.
        """
        parts = parts_of_log(running.log_facts())
        if parts and not running.effective.mismatches:
            spec = running.spec
            head = self._head(model)
            self._remembered.learn(model, spec.facts, spec.settings, parts, head=head, card=spec.card)

    def survey(
        self,
        wanted: SurveyRequest,
        cancel: threading.Event | None,
        found: Callable[[ModelEntry], None] | None,
    ) -> ModelReport:
        """Search for models, everywhere the user keeps them if no folder is named; reads disks.

        Raises:
            KnownError: ``card_unknown``.
        """
        self._await_reading(cancel)
        if wanted.card and self._first_reading.is_set() and wanted.card not in {c.uuid for c in self._cards}:
            raise KnownError("card_unknown", card=wanted.card, cards=self._names())
        self._remembered.refresh()
        base = ServerSettings()
        if wanted.ctx_size is not None:
            base = base.with_values({"ctx_size": wanted.ctx_size})
        yardstick = self._yardstick(wanted.engine, base, wanted.card)
        folders = wanted.folders or self.folders()
        return survey(folders, yardstick, self._cache, cancel, found=found, know=self.know)

    def _await_reading(self, cancel: threading.Event | None) -> None:
        left = round(FIRST_READING_S / _LOOK_S)
        while left and not self._first_reading.wait(_LOOK_S) and not (cancel is not None and cancel.is_set()):
            left -= 1

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
            recall=lambda model, settings: self._recalled(model, engine, settings, card),
            head=self._head,
            engine=engine,
        )

    def _head(self, model: ModelFacts) -> ModelFacts | None:
        path = head_of(model)
        return None if path is None else self._heads.get(path)

    def _recalled(
        self, model: ModelFacts, engine: EngineFacts | None, settings: ServerSettings, card: str | None
    ) -> Sequence[MemoryPart]:
        if engine is None:
            return ()
        chosen = self.chosen_card()[0] if card is None else card
        return self._remembered.recall(model, engine, settings, head=self._head(model), card=chosen)


def _balanced(presets: Sequence[Preset]) -> Preset:
    return find_preset(presets, "balanced")
