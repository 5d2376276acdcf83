import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from qtune.core.clock import SystemClock
from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.events import LogArrived, ServerChanged
from qtune.core.records import ChatMessage, ChatRequest
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.endpoint.client import make_probe
from qtune.engine.probe import probe
from qtune.engine.supervisor import LaunchSpec, Running, Supervisor
from tests.fake_llama.make import make_fake_binary, make_fake_model
from tests.patience import soon

QUICK: dict[str, Any] = {"ttft_ms": 1.0, "itl_ms": 0.5, "load_s": 0.02}
QUESTION = ChatRequest(messages=(ChatMessage("user", "Tell me a story."),), max_tokens=64)
_known: list[EngineFacts] = []
"""What the help of the fake says, asked once."""


@dataclass
class Stand:
    """One supervisor with everything it said, and the fake engines it is given."""

    folder: Path
    config: Path
    states: list[ServerChanged] = field(default_factory=list)
    stamps: dict[ServerState, float] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    unsaid: int = 0
    _heard: dict[ServerState, Callable[[], object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.supervisor = Supervisor(
            make_probe,
            SystemClock(),
            self._on_state,
            self._on_log,
            empty_config_dir=self.config,
            leftovers_file=self.folder / "leftovers.json",
        )

    def _on_state(self, change: ServerChanged) -> None:
        self.states.append(change)
        self.stamps[change.state] = time.perf_counter()
        self._heard.pop(change.state, lambda: None)()

    def hear(self, state: ServerState, do: Callable[[], object]) -> None:
        """Call ``do`` in the middle of the next step to ``state``."""
        self._heard[state] = do

    def _on_log(self, batch: LogArrived) -> None:
        self.lines += batch.lines
        self.unsaid += batch.dropped

    @property
    def steps(self) -> list[str]:
        return [change.state.value for change in self.states]

    async def spec(self, settings: ServerSettings | None = None, **switches: Any) -> LaunchSpec:
        """A launch of a fake with these switches; what its help says does not depend on them."""
        limits = {k: switches.pop(k) for k in ("load_timeout_s",) if k in switches}
        given = {**QUICK, "launch_log": str(self.folder / "launches"), **switches}
        binary = make_fake_binary(self.folder / "engine", **given)
        ref = EngineRef("binary", (str(binary),), str(binary), "chosen")
        if not _known:
            healthy = make_fake_binary(self.folder / "healthy")
            _known.append(await probe(EngineRef("binary", (str(healthy),), str(healthy), "chosen")))
        return LaunchSpec(
            facts=replace(_known[0], ref=ref),
            settings=settings or ServerSettings(),
            model_path=make_fake_model(self.folder),
            preset="off",
            **limits,
        )

    async def start(self, settings: ServerSettings | None = None, **switches: Any) -> Running:
        return await self.supervisor.start(await self.spec(settings, **switches))

    def launches(self) -> list[dict[str, Any]]:
        file = self.folder / "launches"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def processes() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


@pytest.fixture
async def stand(tmp_path: Path) -> AsyncIterator[Stand]:
    before = processes()
    (tmp_path / "config").mkdir()
    stand = Stand(tmp_path, tmp_path / "config")
    yield stand
    await stand.supervisor.stop(grace_s=0.5)
    await soon(lambda: processes() <= before)
    assert json.loads((tmp_path / "leftovers.json").read_text() if stand.launches() else "[]") == []
    assert [t.get_name() for t in asyncio.all_tasks() if "engine" in t.get_name()] == []
