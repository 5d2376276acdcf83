"""What is noted around every launch: the trial before it, the memory it took, and how it failed."""

from __future__ import annotations

import asyncio

from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.ladder import Footing
from qtune.core.machine_facts import GpuFacts
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.recovery import Action
from qtune.engine.launch import LaunchSpec
from qtune.engine.supervisor import Running
from qtune.session.ladder_record import LadderRecord
from qtune.session.launching import launch_spec
from qtune.session.memory_book import MemoryBook
from qtune.session.shelf import Shelf
from qtune.session.trials import Trial, Trials


class LaunchBook:
    """On the io loop; one launch at a time, as the supervisor has one engine at a time."""

    def __init__(
        self,
        trials: Trials,
        record: LadderRecord,
        memory: MemoryBook,
        shelf: Shelf,
    ) -> None:
        self._trials = trials
        self._record = record
        self._memory = memory
        self._presets = shelf.presets
        self._warned: set[Message] = set()
        self._trial: Trial | None = None

    async def begin(self, engine: EngineFacts, model: ModelFacts, footing: Footing) -> LaunchSpec:
        """Put on disk what is about to be tried, and say how to launch it.

        A note that cannot be written is told and hinders nothing: a disk that fills up at night must not keep
        a server that crashed from being started again.

        Raises:
            KnownError: ``memory_impossible``.
        """
        await asyncio.to_thread(
            self._memory.check, model, footing.settings, self._keep(footing.preset), engine
        )
        self._trial = trial = self._trials.trial(footing, engine)
        try:
            await asyncio.to_thread(self._trials.begin, trial)
        except KnownError as error:
            self._record.warn(Message.of("trial_not_noted", **dict(error.message.params)))
        card, gone = self._memory.chosen_card()
        cards = await self.cards()
        spec = launch_spec(engine, model, footing.settings, footing.preset, card=card, cards=cards)
        if gone is not None:
            self._warn_once(gone)
        elif card and not spec.card and engine.devices:
            self._warn_once(Message.of("card_not_heeded", card=card, version=engine.version))
        return spec

    async def cards(self) -> tuple[GpuFacts, ...]:
        """The cards there are; a driver that hangs holds up nothing but the sampler."""
        return await asyncio.to_thread(self._memory.cards)

    def _warn_once(self, message: Message) -> None:
        """A measurement launches many times; once is enough."""
        if message not in self._warned:
            self._warned.add(message)
            self._record.warn(message)

    def _keep(self, preset: str) -> int:
        return next((p.vram_keep_bytes for p in self._presets if p.id == preset), 0)

    async def proved(self, running: Running, model: ModelFacts, *, keep: bool) -> None:
        """It answered a real request; with ``keep`` these settings are the last good ones from now on."""
        await asyncio.to_thread(self._memory.learn, running, model)
        if self._trial is not None:
            try:
                await asyncio.to_thread(self._trials.proved, self._trial, keep=keep)
            except KnownError as error:
                self._record.warn(error.message)

    async def failed(self, message: Message, action: Action | None = None, run_id: str = "") -> None:
        """Record the failure of what was tried last."""
        if self._trial is not None:
            await self._record.incident(message, self._trial, action, run_id)

    async def over(self) -> None:
        """The engine has ended, in order or in a way that is known by now."""
        await asyncio.to_thread(self._trials.over)
