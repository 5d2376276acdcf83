import dataclasses
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.core.fixed_flags import ALIKE, FOR_MEASURING
from qtune.core.settings import SETTINGS, ServerSettings, Setting
from qtune.engine.argv import build_argv

EVERY_FLAG = frozenset(
    {"--model", "--host", "--port", "--alias"}
    | {spelling.flag for setting in SETTINGS.values() for spelling in setting.spellings}
    | {flag for flags, _ in (*ALIKE, *FOR_MEASURING) for flag in flags}
)
MINIMUM = frozenset({"--model", "--host", "--port", "--ctx-size"})


def facts(
    options: frozenset[str] = EVERY_FLAG,
    removed: frozenset[str] = frozenset(),
    spec_types: tuple[str, ...] = ("draft-mtp",),
) -> EngineFacts:
    ref = EngineRef("binary", ("/x/llama-server",), "/x/llama-server", "chosen")
    return EngineFacts(
        ref, "0.6.0-dev (build 11434, commit abc)", 11434, "abc", options, removed, spec_types, ()
    )


def value_of(setting: Setting) -> st.SearchStrategy[Any]:
    if setting.kind == "switch":
        return st.booleans()
    if setting.kind == "choice":
        return st.sampled_from(setting.choices)
    assert setting.low is not None
    assert setting.high is not None
    if setting.kind == "int":
        return st.integers(int(setting.low), int(setting.high))
    return st.integers(0, 1000).map(lambda n: n / 1000)


ANY_SETTINGS = st.fixed_dictionaries({k: value_of(s) for k, s in SETTINGS.items()}).map(
    ServerSettings.from_dict
)
ANY_OPTIONS = st.frozensets(st.sampled_from(sorted(EVERY_FLAG))).map(lambda some: some | MINIMUM)


def tokens(settings: ServerSettings, known: EngineFacts | None = None) -> tuple[str, ...]:
    return build_argv(settings, known or facts(), "/m/a model.gguf", 8123, "qtune-3f9a").tokens


@hypothesis_settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, ANY_OPTIONS, ANY_OPTIONS, st.sampled_from([(), ("mtp",), ("draft-mtp",)]))
def test_only_words_this_binary_knows(
    settings: ServerSettings, options: frozenset[str], removed: frozenset[str], spec_types: tuple[str, ...]
) -> None:
    removed -= MINIMUM
    known = facts(options, removed, spec_types)
    can_draft = bool(spec_types) and "--spec-type" in options - removed
    if settings.mtp and not can_draft:
        with pytest.raises(KnownError, match="does not know MTP"):
            tokens(settings, known)
        return
    argv = build_argv(settings, known, "/m/a model.gguf", 8123, "qtune-3f9a")
    said = [word for word in argv.tokens if word.startswith("-") and not word.lstrip("-").isdigit()]
    assert set(said) <= options - removed
    assert len(said) == len(set(said))
    assert not any("key" in word for word in argv.tokens)
    told = dict(itertools.pairwise(argv.tokens))
    assert told["--host"] == "127.0.0.1"
    assert told["--ctx-size"] == str(settings.ctx_size * settings.parallel)
    assert settings.mtp or "--spec-type" not in argv.tokens


def what_matters(settings: ServerSettings) -> dict[str, object]:
    values = {k: settings.get(k) for k, s in SETTINGS.items() if not s.needs_mtp or settings.mtp}
    return {k: v for k, v in values.items() if v not in SETTINGS[k].omit}


@hypothesis_settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, st.data())
def test_other_settings_are_another_command_line(settings: ServerSettings, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(SETTINGS)))
    other = settings.with_values({key: data.draw(value_of(SETTINGS[key]))})
    assert (tokens(settings) == tokens(other)) == (what_matters(settings) == what_matters(other))


def test_everything_that_matters_is_said() -> None:
    said = " ".join(tokens(ServerSettings(mtp=True, ctx_size=4096, parallel=2, n_max=4)))
    for words in (
        "--model /m/a model.gguf", "--host 127.0.0.1", "--port 8123", "--alias qtune-3f9a", "--ctx-size 8192",
        "--parallel 2", "--gpu-layers all", "--flash-attn auto", "--cache-type-k f16", "--cache-type-v f16",
        "--batch-size 2048", "--ubatch-size 512", "--cache-ram 0", "--spec-type draft-mtp",
        "--spec-draft-n-max 4", "--spec-draft-p-min 0", "--spec-draft-type-k f16", "--fit off", "--metrics",
        "--slots", "--verbosity 4", "--log-colors off", "--no-mmproj", "--no-ui",
    ):  # fmt: skip
        assert words in said


def codes(settings: ServerSettings, known: EngineFacts) -> list[tuple[str, str]]:
    notes = build_argv(settings, known, "m", 1, "a").notes
    return [(note.code, str(dict(note.params)["setting"])) for note in notes]


def test_older_names_are_translated_and_told() -> None:
    old = facts(EVERY_FLAG - {"--load-mode"})
    settings = ServerSettings(load_mode="none")
    assert "--no-mmap" in tokens(settings, old)
    assert codes(settings, old) == [("setting_translated", "Loading")]


def test_what_cannot_be_said_is_dropped_and_told() -> None:
    poor = facts(EVERY_FLAG - {"--cache-ram", "--n-cpu-moe"})
    assert codes(ServerSettings(), poor) == [("setting_dropped", "Prompt cache in RAM")]
    assert codes(ServerSettings(n_cpu_moe=3), poor) == [
        ("setting_dropped", "Expert layers on the CPU"),
        ("setting_dropped", "Prompt cache in RAM"),
    ]


def test_a_removed_option_is_never_used() -> None:
    known = facts(removed=frozenset({"--draft-max", "--spec-draft-n-max"}))
    said = tokens(ServerSettings(mtp=True), known)
    assert not {"--draft-max", "--spec-draft-n-max"} & set(said)


def test_a_branch_build_has_another_name_for_mtp() -> None:
    said = tokens(ServerSettings(mtp=True), facts(spec_types=("draft", "mtp")))
    assert said[said.index("--spec-type") + 1] == "mtp"


@pytest.mark.parametrize("known", [facts(spec_types=("ngram-mod",)), facts(EVERY_FLAG - {"--spec-type"})])
def test_a_build_without_mtp_is_refused_only_for_mtp(known: EngineFacts) -> None:
    with pytest.raises(KnownError, match="does not know MTP"):
        tokens(ServerSettings(mtp=True), known)
    assert tokens(ServerSettings(), known)


def test_a_head_in_a_file_of_its_own_is_named_only_while_it_drafts() -> None:
    known = facts(EVERY_FLAG | {"--spec-draft-model"})
    head = "/models/MTP/mtp-a b.gguf"
    on = build_argv(ServerSettings(mtp=True), known, "/m.gguf", 1, "", head_path=head).tokens
    assert on[on.index("--spec-draft-model") + 1] == head
    off = build_argv(ServerSettings(), known, "/m.gguf", 1, "", head_path=head).tokens
    assert "--spec-draft-model" not in off


def test_an_older_build_names_a_head_by_its_older_option_and_one_without_refuses() -> None:
    older = facts(EVERY_FLAG | {"--model-draft"})
    assert "--model-draft" in build_argv(ServerSettings(mtp=True), older, "/m", 1, "", head_path="/h").tokens
    with pytest.raises(KnownError) as refused:
        build_argv(ServerSettings(mtp=True), facts(), "/m", 1, "", head_path="/h")
    assert refused.value.code == "engine_without_mtp"


def test_a_program_that_takes_no_port_is_no_server() -> None:
    with pytest.raises(KnownError) as caught:
        tokens(ServerSettings(), dataclasses.replace(facts(), options=EVERY_FLAG - {"--port"}))
    assert caught.value.code == "engine_foreign"


def test_the_devices_it_may_use_are_named_and_a_build_that_cannot_is_told_of() -> None:
    known = facts(EVERY_FLAG | {"--device"})
    said = build_argv(ServerSettings(), known, "/m", 1, "", devices=("Vulkan1",)).tokens
    assert said[said.index("--device") + 1] == "Vulkan1"
    assert "--device" not in build_argv(ServerSettings(), known, "/m", 1, "").tokens
    older = facts(EVERY_FLAG - {"--device"})
    without = build_argv(ServerSettings(), older, "/m", 1, "", devices=("Vulkan1",))
    assert "--device" not in without.tokens
    assert "device_not_chosen" in [note.code for note in without.notes]
