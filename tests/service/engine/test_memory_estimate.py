"""The estimate against what real engines say they have taken for the sample model.

QTUNE_TEST_LLAMA_SERVER names a llama-server of one's own, which is then tried as well.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from qtune.core.clock import SystemClock
from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.memory import estimate
from qtune.core.memory_facts import MemoryEstimate
from qtune.core.settings import ServerSettings
from qtune.endpoint.client import make_probe
from qtune.engine.log_facts import LogFacts
from qtune.engine.probe import probe
from qtune.engine.supervisor import LaunchSpec, Supervisor
from qtune.models.gguf_header import read_model
from qtune.models.sample import SampleModel
from qtune.session.remembered import parts_of_log

pytestmark = pytest.mark.engine

LAST_DIGIT = 0.005 * 1024**2 + 1
"""The engine prints MiB with two digits."""

LAUNCHES: dict[str, dict[str, Any]] = {
    "off": {"ctx_size": 2048},
    "off with a quantised cache": {
        "ctx_size": 8192,
        "cache_type_k": "q8_0",
        "cache_type_v": "q8_0",
        "flash_attn": "on",
    },
    "MTP": {"ctx_size": 8192, "mtp": True, "n_max": 3},
    "MTP with two slots": {"ctx_size": 2048, "mtp": True, "n_max": 2, "parallel": 2, "ubatch_size": 256},
}
_known: dict[tuple[str, ...], EngineFacts] = {}
"""Engines asked once what they can do."""


@pytest.fixture(params=["bundled", "llama-server"])
def engine(request: pytest.FixtureRequest) -> EngineRef:
    if request.param == "bundled":
        found: EngineRef = request.getfixturevalue("bundled_engine")
        return found
    chosen = os.environ.get("QTUNE_TEST_LLAMA_SERVER")
    if not chosen:
        pytest.skip("QTUNE_TEST_LLAMA_SERVER names no llama-server")
    return EngineRef("binary", (chosen,), chosen, "chosen")


async def taken(engine: EngineRef, model: Path, settings: ServerSettings, folder: Path) -> LogFacts:
    """What the engine says of its memory once it is ready."""
    if engine.command not in _known:
        _known[engine.command] = await probe(engine)
    supervisor = Supervisor(
        make_probe,
        SystemClock(),
        lambda _change: None,
        lambda _batch: None,
        empty_config_dir=folder,
        leftovers_file=folder / "leftovers.json",
    )
    try:
        running = await supervisor.start(LaunchSpec(_known[engine.command], settings, model))
        return running.log_facts()
    finally:
        await supervisor.stop()


def estimated(model: Path, settings: ServerSettings) -> MemoryEstimate:
    found = estimate(read_model(model), settings, on_card=False)
    assert found is not None
    assert found.gaps == ()
    return found


@pytest.mark.parametrize("values", LAUNCHES.values(), ids=LAUNCHES)
async def test_caches_and_states_are_exact_and_the_total_is_near(
    engine: EngineRef, sample_model: SampleModel, tmp_path: Path, values: dict[str, Any]
) -> None:
    settings = ServerSettings.from_dict({**values, "threads": 1, "gpu_layers": "none"})
    found = estimated(sample_model.q8_0, settings)
    log = await taken(engine, sample_model.q8_0, settings, tmp_path)

    assert abs(found.bytes_of("kv") - (log.buffer_bytes("kv", "target") or 0)) <= LAST_DIGIT
    assert abs(found.bytes_of("mtp_kv") - (log.buffer_bytes("kv", "mtp") or 0)) <= LAST_DIGIT
    states = found.bytes_of("recurrent") + found.bytes_of("mtp_recurrent")
    assert abs(states - (log.buffer_bytes("rs") or 0)) <= LAST_DIGIT

    said = {part.kind: part.size_bytes for part in parts_of_log(log)}
    assert found.total_bytes == pytest.approx(sum(said.values()), rel=0.05)
    assert found.bytes_of("compute") == pytest.approx(said["compute"], rel=0.05)
    for kind in ("recurrent", "mtp_recurrent"):
        assert found.bytes_of(kind) == pytest.approx(said.get(kind, 0), abs=LAST_DIGIT)
    weights = found.bytes_of("weights") + found.bytes_of("mtp_weights")
    assert weights == pytest.approx(said["weights"], rel=0.001)
