"""What was asked for last, read from the steps that were stored."""

from __future__ import annotations

from typing import Literal

from qtune.core.incident import LadderStep, asked_last
from qtune.core.ladder import Footing, Ladder, LadderFacts
from qtune.core.settings import ServerSettings

TOP = Ladder(LadderFacts(Footing("/m/a.gguf", ServerSettings().with_values({"mtp": True, "ctx_size": 8192}))))
OFF, LESS = TOP.down(), TOP.down().down()
OTHER = Footing("/m/b.gguf", ServerSettings())


def step(direction: Literal["start", "down", "up", "retry"], before: Footing, after: Footing) -> LadderStep:
    return LadderStep("x", "", direction, None, "user", before, after, verified=True)


START = step("start", TOP.current, TOP.current)
TO_OFF = step("down", TOP.current, OFF.current)
TO_LESS = step("down", OFF.current, LESS.current)


def test_it_is_where_the_newest_chain_began() -> None:
    assert asked_last([]) is None
    assert asked_last([START]) == TOP.current
    assert asked_last([TO_LESS, TO_OFF, START, step("start", OTHER, OTHER)]) == TOP.current
    up_and_again = [step("retry", OFF.current, OFF.current), step("up", LESS.current, OFF.current)]
    assert asked_last([*up_and_again, TO_LESS, TO_OFF, START]) == TOP.current


def test_a_chain_may_be_entered_below_its_top() -> None:
    assert asked_last([TO_LESS, TO_OFF, step("start", OTHER, OTHER)]) == TOP.current
    assert asked_last([TO_OFF]) == TOP.current


def test_down_to_where_mtp_is_off() -> None:
    assert TOP.without_mtp() == OFF
    assert OFF.without_mtp() is OFF
    gentle = Ladder(LadderFacts(TOP.current, gentle=True))
    assert not gentle.without_mtp().current.settings.mtp
    assert gentle.without_mtp().taken[-1].kind == "mtp_off"
