"""Which build runs which head."""

from __future__ import annotations

import pytest

from qtune.core.mtp_archs import mtp_support, rolls_back


@pytest.mark.parametrize(
    ("arch", "build", "support"),
    [
        ("qwen35", 9093, "no"),
        ("qwen35", 9200, "unknown"),
        ("qwen35", 9246, "yes"),
        ("qwen35moe", None, "yes"),
        ("qwen35moe", 0, "yes"),
        ("gemma4-assistant", 9628, "no"),
        ("gemma4-assistant", 9700, "unknown"),
        ("gemma4-assistant", 9754, "yes"),
        ("glm4moe", None, "unknown"),
        ("glm4moe", 10549, "no"),
        ("qwen4exp", 11434, "yes"),
        ("qwen4exp", 99_999, "yes"),
        ("exaone4", 11434, "no"),
        ("exaone4", 11435, "unknown"),
        ("exaone4", None, "unknown"),
    ],
)
def test_support_by_build(arch: str, build: int | None, support: str) -> None:
    assert mtp_support(arch, build) == support


def test_price_of_a_rejected_draft() -> None:
    assert rolls_back("qwen35moe")
    assert not rolls_back("qwen3next")  # re-evaluated in place of kept
    assert not rolls_back("glm4moe")
