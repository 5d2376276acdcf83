"""Observations keep what counts apart from what does not, and centres resist one bad request."""

from __future__ import annotations

import math

import pytest

from qtune.core.messages import Message
from qtune.core.observation import (
    centres,
    cv_of_requests,
    cv_of_starts,
    log_ratios,
    observations,
    typical,
    typical_spread,
)
from qtune.core.stats import spread
from tests.unit.bench.rig import MARK, observation
from tests.unit.core.by_hand import drafts, request, run


def test_observation_of_a_stored_request() -> None:
    record = request(rate=50.0, timings={"draft_n": 120, "draft_n_accepted": 60}, drafts=drafts(40, 35, 25))
    (seen,) = observations([(run("balanced", 2), [record])])
    assert (seen.arm, seen.start, seen.prompt_id, seen.number) == ("balanced", 2, "code", 0)
    assert seen.decode_tok_s == pytest.approx(50.0)
    assert (seen.ttft_ms, seen.prefill_tok_s, seen.output_tokens) == (200.0, 250.0, 101)
    assert (seen.drafted, seen.accepted, seen.rounds) == (120, 60, 40)
    assert seen.counts


def test_rounds_from_timings_where_there_are_no_counters_and_never_negative() -> None:
    good = request(timings={"draft_n": 120, "draft_n_accepted": 60})
    odd = request(timings={"predicted_n": 2, "draft_n": 7, "draft_n_accepted": 6})
    seen = observations([(run("balanced"), [good, odd])])
    assert [o.rounds for o in seen] == [40, None]


def test_what_does_not_count() -> None:
    failed = request(times={"failure": Message.of("stream_cut"), "finish_reason": None})
    cancelled = request(times={"cancelled": True})
    seen = observations([(run("off"), [request(phase="warmup"), failed, cancelled, request(marks=(MARK,))])])
    assert [o.counts for o in seen] == [False, False]
    assert typical(seen, "off") is None


def test_a_repeated_start_goes_on_counting() -> None:
    seen = observations([(run("off"), [request()]), (run("off"), [request(), request(prompt_id="prose")])])
    assert [(o.prompt_id, o.number) for o in seen] == [("code", 0), ("code", 1), ("prose", 0)]


def test_centre_is_the_median_per_prompt_and_start() -> None:
    seen = [observation("off", 1, "code", r) for r in (31.0, 52.0, 53.0)] + [
        observation("off", 2, "code", 52.0), observation("off", 2, "code", 53.0)
    ]  # fmt: skip
    assert centres(seen, "off") == {"code": {1: 52.0, 2: 52.5}}


def test_ratios_only_where_both_were_measured() -> None:
    seen = [
        observation("off", 1, "code", 40.0), observation("on", 1, "code", 60.0),
        observation("on", 2, "code", 60.0), observation("off", 1, "prose", 40.0),
    ]  # fmt: skip
    assert log_ratios(seen, "on", "off") == {"code": {1: pytest.approx(math.log(1.5))}}


def test_coefficients_of_variation() -> None:
    assert cv_of_starts({"code": {1: 40.0}}) is None
    assert cv_of_starts({"code": {1: 40.0, 2: 40.0}, "prose": {2: 90.0}}) == 0.0
    assert cv_of_starts({"code": {1: 40.0, 2: 40.0 * math.exp(0.02)}}) == pytest.approx(0.02 / math.sqrt(2))
    seen = [observation("off", s, "code", 40.0 * math.exp(s + d)) for s in (1, 2) for d in (-0.01, 0.01)]
    assert cv_of_requests(seen, "off") == pytest.approx(0.01 * math.sqrt(2))


def test_two_arms_stand_as_their_ratio_says_though_the_middle_request_says_the_opposite() -> None:
    rates = {"off": (38.0, 38.4, 38.8), "on": (56.0, 37.0, 38.0)}
    seen = [
        observation(arm, 1, f"text-{number}", rate)
        for arm, by_text in rates.items()
        for number, rate in enumerate(by_text)
    ]
    off, on = (typical_spread(seen, arm, spread(by_text)) for arm, by_text in rates.items())
    assert off is not None
    assert on is not None
    ratio = math.exp(sum(math.log(b / a) for a, b in zip(rates["off"], rates["on"], strict=True)) / 3)
    assert ratio > 1.1
    assert on.median / off.median == pytest.approx(ratio)
    assert (on.low, on.high) == (37.0, 56.0)
    assert typical_spread(seen, "other", None) is None
