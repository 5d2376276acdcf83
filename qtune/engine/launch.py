"""The values of one launch: what is to be started, and what is known once it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from qtune.core.engine_facts import EngineFacts
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.ports import ServerProbe
from qtune.core.records import EffectiveSettings
from qtune.core.settings import ServerSettings
from qtune.engine.log_facts import LogFacts

LOAD_TIMEOUT_S = 600.0
"""A model of 20 GB from a cold, slow disk takes minutes; only a hang takes longer."""


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """What to launch.

    Attributes:
        model: Header facts, only passed on to the state events.
        head_path: MTP head in a file of its own, None for an embedded one.
        extra_environment: Variables set for the engine, such as the choice of a card.
        devices: The engine's devices it may use, by name; empty for those it takes by itself.
        card: UUID of the card it is confined to, empty if to none.
        load_timeout_s: From launch to the first answered request.
        port: Where it is to listen if nobody else does; 0 for anywhere.
        api_key: Key that opens it; empty for a new one.
    """

    facts: EngineFacts
    settings: ServerSettings
    model_path: Path | str
    preset: str = ""
    model: ModelFacts | None = None
    head_path: str | None = None
    extra_environment: tuple[tuple[str, str], ...] = ()
    devices: tuple[str, ...] = ()
    card: str = ""
    load_timeout_s: float = LOAD_TIMEOUT_S
    port: int = 0
    api_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that has proved itself.

    Attributes:
        argv: The whole command line; the key is not in it.
        environment: Names of the variables that differ from ours.
        notes: What was dropped, translated, or found in the log.
        load_ms: From launch to the end of the first answered request.
        probe: Its HTTP side; closed when the engine ends.
        log_facts: What the log tells, now and later.
    """

    spec: LaunchSpec
    pid: int
    port: int
    alias: str
    argv: tuple[str, ...]
    environment: tuple[str, ...]
    notes: tuple[Message, ...]
    effective: EffectiveSettings
    load_ms: float
    probe: ServerProbe
    log_facts: Callable[[], LogFacts]
    api_key: str = field(repr=False)
