"""A change of pace within one arm: told where it means something, and not made of the mix of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from qtune.core.messages import Message
from qtune.core.records import RequestRecord
from qtune.core.stats import arm_figures
from qtune.core.verdict import Verdict
from qtune.session.findings import find
from qtune.session.requests import ArmResult, MeasureResult
from tests.service.store.made import experiment
from tests.unit.core.by_hand import request, run


def asked(prompt: str, rounds_per_s: float, length: float, index: int) -> RequestRecord:
    """100 tokens after the first in rounds that gained ``length`` tokens each."""
    rounds = round(100 / length)
    timings = {"draft_n": 4 * rounds, "draft_n_accepted": 100 - rounds}
    return replace(request(rounds_per_s * length, timings=timings), prompt_id=prompt, index=index)


def told(paces: Sequence[tuple[str, float, float]]) -> list[str]:
    """Codes of what is found about an arm that was asked so, in this order."""
    requests = tuple(asked(*pace, index) for index, pace in enumerate(paces))
    on = ArmResult(replace(run("on"), mtp_active=True), requests, arm_figures(requests))
    verdict = Verdict("too_few", Message.of("verdict_nothing_to_compare"))
    found = find(MeasureResult(experiment(), (on,), verdict), {})
    assert found.diagnosis is not None
    return [f.code for f in found.diagnosis.findings if f.code.startswith(("finding_deg", "finding_rounds"))]


@pytest.mark.parametrize(
    ("later", "code"),
    [
        ((20.0, 2.0), []),
        ((20.0, 4.0), ["finding_degenerate"]),
        ((9.0, 2.0), ["finding_rounds_collapse"]),
    ],
)
def test_the_second_half_is_held_against_the_first(later: tuple[float, float], code: list[str]) -> None:
    assert told([("code", 20.0, 2.0)] * 6 + [("code", *later)] * 6) == code


def test_texts_that_draft_well_are_no_jump_when_they_come_last() -> None:
    assert told([("prose", 20.0, 2.0)] * 8 + [("code", 20.0, 4.0)] * 8) == []


def test_a_handful_of_requests_says_nothing() -> None:
    assert told([("code", 20.0, 2.0)] * 4 + [("code", 20.0, 4.0)] * 4) == []
