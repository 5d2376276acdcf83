"""Drift compares the same prompt in two arms and shows where they part."""

from __future__ import annotations

from qtune.core.drift import first_difference, output_drift
from qtune.core.records import Sampling
from tests.unit.core.by_hand import request, run


def test_first_difference() -> None:
    assert first_difference("same", "same") is None
    assert first_difference("abc", "abd") == 2
    assert first_difference("abc", "ab") == 2
    assert first_difference("", "x") == 0
    assert first_difference("测量一次", "测量两次") == 2


def answers(arm: str, *texts: str, nonce: str = "n{}", **more: object):  # noqa: ANN201
    return run(arm), [
        request(nonce=nonce.format(i), times={"content": text}, **more) for i, text in enumerate(texts)
    ]


def test_same_and_different_answers() -> None:
    drift = output_drift([answers("off", "one two", "three"), answers("on", "one two", "threw")], "on")
    assert (drift.compared, drift.same) == (2, False)
    (only,) = drift.differences
    assert (only.index, only.off, only.arm) == (4, "three", "threw")
    message = drift.message()
    assert message is not None
    assert message.sentence() == ("1 of 2 answers differ from off; first at character 4: three / threw")


def test_equal_answers_say_so() -> None:
    drift = output_drift([answers("off", "one"), answers("on", "one")], "on")
    assert drift.same is True


def test_sampled_failed_and_foreign_answers_are_not_compared() -> None:
    warm = Sampling(temperature=0.8)
    assert (
        output_drift([answers("off", "a", sampling=warm), answers("on", "b", sampling=warm)], "on").same
        is None
    )
    assert output_drift([answers("off", "a"), answers("on", "b", nonce="m{}")], "on").compared == 0
    run_, (broken,) = answers("on", "b")
    broken = request(nonce="n0", times={"content": "b", "finish_reason": None})
    assert output_drift([answers("off", "a"), (run_, [broken])], "on").compared == 0
