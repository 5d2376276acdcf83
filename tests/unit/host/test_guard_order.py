from __future__ import annotations

import os

import pytest

if os.name == "nt":
    pytest.skip("the guard is for POSIX", allow_module_level=True)

from qtune.host.guard import DEFAULT_GRACE_S, GuardOrder


def test_everything_after_the_dashes_is_the_command() -> None:
    order = GuardOrder.parse(["--lifeline", "3", "--status", "4", "--", "engine", "--", "--grace", "9"])
    assert order == GuardOrder(3, 4, DEFAULT_GRACE_S, ("engine", "--", "--grace", "9"))
    assert GuardOrder.parse(["--guard", "--grace", "0.5", "--", "engine"]).grace_s == 0.5


@pytest.mark.parametrize("words", ["", "engine", "--", "--lifeline --", "--lifeline x -- e", "--what 1 -- e"])
def test_misuse_is_refused(words: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        GuardOrder.parse(words.split())
