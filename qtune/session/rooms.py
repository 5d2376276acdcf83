"""The rooms a job works with, built once by the assembly and handed on."""

from __future__ import annotations

from dataclasses import dataclass

from qtune.core.clock import Clock
from qtune.core.machine_facts import MachineFacts
from qtune.engine.supervisor import Supervisor
from qtune.host.engine_log import EngineLog
from qtune.store.history import History
from qtune.telemetry.cards import Cards
from qtune.telemetry.sampler import Sampler


@dataclass(frozen=True, slots=True)
class Rooms:
    """One of each, for the life of the app. The supervisor belongs to the io thread."""

    history: History
    sampler: Sampler
    cards: Cards
    supervisor: Supervisor
    engine_log: EngineLog
    machine: MachineFacts
    clock: Clock
