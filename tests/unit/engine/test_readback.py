from pathlib import Path

import pytest

from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.ports import ServerSelf
from qtune.core.records import EffectiveSettings
from qtune.core.settings import ServerSettings
from qtune.engine.log_facts import LogFacts
from qtune.engine.readback import read_back

CARD = DeviceFacts("CUDA0", "a card", 1, 1)
GOOD = ServerSelf(alias="a", model_path="/m/x.gguf", ctx_size=8192, slots=1, speculative=False, build="b1")
GOOD_MTP = ServerSelf(alias="a", model_path="/m/x.gguf", ctx_size=8192, slots=1, speculative=True, build="b1")


def engine(*devices: DeviceFacts) -> EngineFacts:
    ref = EngineRef("binary", ("x",), "x", "chosen")
    return EngineFacts(ref, "v", 1, "c", frozenset(), frozenset(), (), devices)


def check(
    settings: ServerSettings, server: ServerSelf = GOOD, log: LogFacts | None = None, *, card: bool = True
) -> EffectiveSettings:
    facts = engine(CARD) if card else engine()
    return read_back(settings, facts, Path("/m/x.gguf"), server, log or LogFacts())


def sentences(*args: object, **kwargs: object) -> list[str]:
    return [m.sentence() for m in check(*args, **kwargs).mismatches]  # type: ignore[arg-type]


def test_as_asked_is_verified() -> None:
    log = LogFacts(layers_offloaded=66, layers_total=66, cache_type_k="f16", cache_type_v="f16", n_max=3)
    effective = check(ServerSettings(mtp=True), GOOD_MTP, log)
    assert effective.mismatches == ()
    assert effective.verified
    assert (effective.ctx_size, effective.n_max, effective.layers_offloaded) == (8192, 3, 66)


def test_the_model_may_be_named_by_another_path(tmp_path: Path) -> None:
    file, link = tmp_path / "x.gguf", tmp_path / "y.gguf"
    file.touch()
    link.symlink_to(file)
    server = ServerSelf(model_path=str(file))
    assert read_back(ServerSettings(), engine(), link, server, LogFacts()).mismatches == ()


@pytest.mark.parametrize(
    ("settings", "server", "log", "sentence"),
    [
        (
            ServerSettings(),
            ServerSelf(ctx_size=4096),
            LogFacts(),
            "Context: asked for 8192, the engine runs with 4096.",
        ),
        (
            ServerSettings(),
            ServerSelf(slots=4),
            LogFacts(),
            "Parallel slots: asked for 1, the engine runs with 4.",
        ),
        (ServerSettings(), GOOD_MTP, LogFacts(), "MTP: asked for off, the engine runs with on."),
        (
            ServerSettings(mtp=True),
            GOOD,
            LogFacts(),
            "MTP was asked for but is not active: the server does not speculate.",
        ),
        (
            ServerSettings(mtp=True),
            ServerSelf(),
            LogFacts(speculation="failed", speculation_line="no MTP layers"),
            "MTP was asked for but is not active: the server does not speculate.",
        ),
        (
            ServerSettings(mtp=True, n_max=6),
            GOOD_MTP,
            LogFacts(n_max=3),
            "Draft length n_max: asked for 6, the engine runs with 3.",
        ),
        (
            ServerSettings(),
            GOOD,
            LogFacts(layers_offloaded=40, layers_total=66),
            "Layers on the card: asked for all, the engine runs with 40/66.",
        ),
        (
            ServerSettings(gpu_layers="none"),
            GOOD,
            LogFacts(layers_offloaded=1, layers_total=66),
            "Layers on the card: asked for none, the engine runs with 1/66.",
        ),
        (
            ServerSettings(cache_type_k="q8_0"),
            GOOD,
            LogFacts(cache_type_k="f16"),
            "K cache type: asked for q8_0, the engine runs with f16.",
        ),
        (
            ServerSettings(mtp=True, draft_cache_type_v="q8_0"),
            GOOD_MTP,
            LogFacts(draft_cache_type_v="f16"),
            "Draft V cache type: asked for q8_0, the engine runs with f16.",
        ),
        (
            ServerSettings(),
            ServerSelf(model_path="/m/other.gguf"),
            LogFacts(),
            "The engine runs with the model /m/other.gguf instead of /m/x.gguf.",
        ),
        (
            ServerSettings(mtp=True),
            GOOD_MTP,
            LogFacts(synthetic=True),
            "The engine runs with synthetic acceptance; its figures are not real.",
        ),
    ],
)
def test_what_differs_is_said(
    settings: ServerSettings, server: ServerSelf, log: LogFacts, sentence: str
) -> None:
    assert sentences(settings, server, log) == [sentence]
    assert not check(settings, server, log).verified


@pytest.mark.parametrize(
    ("asked", "given", "same"), [(1000, 1024, True), (1000, 1000, True), (1000, 1280, False)]
)
def test_a_context_rounded_up_is_as_asked(asked: int, given: int, same: bool) -> None:
    assert (sentences(ServerSettings(ctx_size=asked), ServerSelf(ctx_size=given)) == []) is same


def test_a_server_that_tells_nothing_is_not_verified_but_not_wrong() -> None:
    effective = check(ServerSettings(), ServerSelf())
    assert effective.mismatches == ()
    assert effective.speculative is None
    assert not effective.verified


def test_a_processor_has_no_layers_to_miss() -> None:
    assert sentences(ServerSettings(), GOOD, LogFacts(layers_offloaded=0, layers_total=66), card=False) == []
    assert (
        sentences(ServerSettings(gpu_layers="auto"), GOOD, LogFacts(layers_offloaded=4, layers_total=66))
        == []
    )
