"""Whether a build runs the head of a model, inside the file or beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from qtune.session.head_support import head_runs
from tests.service.store.made import ENGINE, MODEL


@pytest.mark.parametrize(
    ("model", "engine", "runs"),
    [
        ({}, {}, "yes"),
        ({}, {"build": 9000}, "no"),
        ({}, {"build": 9100}, "unknown"),
        ({}, {"spec_types": ("ngram-simple",)}, "no"),
        ({}, None, "unknown"),
        ({"mtp": "none"}, {}, None),
        ({"mtp": "none"}, None, None),
        ({"mtp": "none", "arch": "gemma4", "sidecars": ("h",)}, {}, "yes"),
        ({"mtp": "none", "arch": "gemma4", "sidecars": ("h",)}, {"build": 9600}, "no"),
        ({"mtp": "sidecar", "arch": "gemma4-assistant"}, {}, "yes"),
        ({"mtp": "none", "arch": "qwen35", "sidecars": ("h",)}, {"build": 9000}, "no"),
    ],
)
def test_head_runs(model: dict[str, Any], engine: dict[str, Any] | None, runs: str | None) -> None:
    facts = None if engine is None else replace(ENGINE, **engine)

    assert head_runs(replace(MODEL, **model), facts) == runs
