"""Settings are checked against their declarations and survive storing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtune.core.errors import KnownError
from qtune.core.settings import SETTINGS, ServerSettings, Setting, SettingValue, diff


def values_of(setting: Setting) -> st.SearchStrategy[SettingValue]:
    """Every value a declaration allows."""
    if setting.kind == "switch":
        return st.booleans()
    if setting.kind == "choice":
        return st.sampled_from(setting.choices)
    low, high = setting.low, setting.high
    assert low is not None
    assert high is not None
    return st.integers(int(low), int(high)) if setting.kind == "int" else st.floats(low, high)


any_settings = st.fixed_dictionaries({key: values_of(s) for key, s in SETTINGS.items()}).map(
    ServerSettings.from_dict
)


@given(any_settings)
def test_settings_survive_storing(settings: ServerSettings) -> None:
    assert ServerSettings.from_dict(settings.to_dict()) == settings


@given(any_settings)
def test_text_of_a_value_reads_back(settings: ServerSettings) -> None:
    for key, setting in SETTINGS.items():
        value = settings.get(key)
        text = str(value).lower() if setting.kind == "switch" else str(value)
        assert setting.read(text) == value


def test_a_record_of_an_older_version_takes_the_defaults() -> None:
    assert ServerSettings.from_dict({"ctx_size": 4096}) == ServerSettings(ctx_size=4096)


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"ctx_size": 10}, "setting_invalid"),
        ({"ctx_size": True}, "setting_invalid"),
        ({"ctx_size": "8192"}, "setting_invalid"),
        ({"ctx_size": 8192.5}, "setting_invalid"),
        ({"n_max": 0}, "setting_invalid"),
        ({"p_min": float("nan")}, "setting_invalid"),
        ({"mtp": 1}, "setting_invalid"),
        ({"cache_type_k": "q3_0"}, "setting_invalid"),
        ({"no_such_thing": 1}, "setting_unknown"),
    ],
)
def test_bad_values_are_refused_in_a_sentence(values: dict[str, object], code: str) -> None:
    with pytest.raises(KnownError) as caught:
        ServerSettings().with_values(values)
    assert caught.value.code == code
    assert "?" not in caught.value.message.sentence()


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"mtp": True, "n_max": 8, "ubatch_size": 8}, "ubatch_too_small"),
        ({"mtp": True, "n_max": 2, "n_min": 3}, "n_min_above_n_max"),
        ({"flash_attn": "off", "cache_type_v": "q8_0"}, "quantised_v_needs_flash"),
    ],
)
def test_combinations_that_would_abort_the_engine_are_known(values: dict[str, object], code: str) -> None:
    problems = ServerSettings().with_values(values).problems()

    assert [p.code for p in problems] == [code]


def test_combinations_only_matter_while_mtp_is_on() -> None:
    assert ServerSettings().with_values({"n_max": 8, "ubatch_size": 8, "n_min": 9}).problems() == []


def test_diff_names_what_differs() -> None:
    a = ServerSettings()
    b = a.with_values({"mtp": True, "n_max": 5})

    assert [(s.key, x, y) for s, x, y in diff(a, b)] == [("mtp", False, True), ("n_max", 3, 5)]


def test_what_is_allowed_is_said_in_plain_numbers() -> None:
    assert SETTINGS["ctx_size"].allowed() == "256 to 1048576"
    assert SETTINGS["p_min"].allowed() == "0 to 1"
