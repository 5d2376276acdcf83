"""What a command line says is read exactly, and nothing of it is overruled without a word."""

from __future__ import annotations

import pytest
import typer

from qtune.cli.asking import Asked, numbers, read_settings, refuse_overruled
from qtune.core.errors import KnownError
from qtune.core.settings import SETTINGS
from qtune.host.paths import resource_dir
from qtune.session.catalog import load_presets
from qtune.session.jobs import JobKind

PRESETS = load_presets(resource_dir())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("42", (42,)), ("8k,16K, 32k", (8192, 16384, 32768)), ("128,1000000", (128, 1_000_000))],
)
def test_numbers(text: str, expected: tuple[int, ...]) -> None:
    assert numbers(text, 128 if "128" in text else 1, 1_000_000) == expected


@pytest.mark.parametrize("text", ["", "8k,", "k", "8.5k", "eight", "127", "1000001"])
def test_what_is_no_list_of_numbers_in_range_is_wrong_usage(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        numbers(text, 128, 1_000_000)


@pytest.mark.parametrize(
    ("words", "code"), [(["n_mx=2"], "setting_unknown"), (["n_max=two"], "setting_invalid")]
)
def test_bad_settings_are_one_sentence(words: list[str], code: str) -> None:
    with pytest.raises(KnownError) as caught:
        read_settings(words)
    assert caught.value.code == code


def test_an_unknown_setting_names_the_known_ones() -> None:
    with pytest.raises(KnownError) as caught:
        read_settings(["n_mx=2"])
    assert all(key in caught.value.message.hint() for key in SETTINGS)


def test_a_setting_without_a_value_is_wrong_usage() -> None:
    with pytest.raises(typer.BadParameter):
        Asked(None, sample=True, engine=None, ctx=None, settings=["n_max"]).check()


@pytest.mark.parametrize(
    ("kind", "named", "word"),
    [
        ("measure", ("balanced",), "n_max=2"),
        ("measure", ("off", "aggressive"), "parallel=1"),
        ("measure", ("off",), "mtp=true"),
        ("compare", ("balanced",), "mtp=true"),  # off beside it fixes it
        ("compare", (), "batch_size=512"),  # without a name all presets are compared
        ("sweep-context", ("balanced",), "ubatch_size=512"),
    ],
)
def test_a_value_that_a_preset_fixes_is_refused(kind: JobKind, named: tuple[str, ...], word: str) -> None:
    with pytest.raises(KnownError) as caught:
        refuse_overruled(read_settings([word]), kind, named, PRESETS)
    assert caught.value.code == "setting_fixed_by_preset"
    assert word.partition("=")[0] in caught.value.message.sentence()


@pytest.mark.parametrize(("kind", "word"), [("sweep-context", "ctx_size=4096"), ("sweep-n-max", "n_max=2")])
def test_a_value_that_the_sweep_decides_is_refused(kind: JobKind, word: str) -> None:
    with pytest.raises(KnownError) as caught:
        refuse_overruled(read_settings([word]), kind, ("balanced",), PRESETS)
    assert caught.value.code == "setting_fixed_by_sweep"


@pytest.mark.parametrize(
    ("kind", "named", "words"),
    [
        ("measure", ("balanced",), ["threads=1", "n_min=1", "n_max=4"]),  # 4 is the preset's own value
        ("measure", ("off",), ["n_max=2", "ubatch_size=2048"]),
        ("compare", ("conservative",), ["ubatch_size=256", "ctx_size=4096"]),
        ("sweep-n-max", (), ["ubatch_size=1024", "batch_size=512"]),
    ],
)
def test_a_value_that_nothing_overrules_is_taken(
    kind: JobKind, named: tuple[str, ...], words: list[str]
) -> None:
    refuse_overruled(read_settings(words), kind, named, PRESETS)
