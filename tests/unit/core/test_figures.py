"""Figures follow from raw stamps and counts, and are absent where they cannot be known."""

from __future__ import annotations

import pytest

from qtune.core import figures
from qtune.core.messages import Message
from qtune.core.records import DraftCounters, RequestTimes, Sampling, ServerTimings, Usage
from qtune.core.records import RequestRecord as Record
from qtune.core.stats import ArmFigures, arm_figures, spread
from qtune.core.verdict import ArmSummary, indicate

MS = 1_000_000


def times(**more: object) -> RequestTimes:
    """A request of 101 tokens: first after 250 ms, last 1 s later."""
    base: dict[str, object] = {
        "sent_ns": 5 * MS,
        "event_ns": (255 * MS, 755 * MS, 1255 * MS),
        "first_answer_ns": 255 * MS,
        "ended_ns": 1260 * MS,
        "timings": ServerTimings(
            cache_n=0, prompt_n=50, prompt_ms=200.0, predicted_n=101, predicted_ms=1000.0
        ),
        "usage": Usage(prompt_tokens=50, completion_tokens=101),
        "finish_reason": "length",
    }
    return RequestTimes(**{**base, **more})  # type: ignore[arg-type]


def record(seen: RequestTimes, **more: object) -> Record:
    base: dict[str, object] = {
        "run_id": "r", "index": 0, "phase": "counted", "prompt_id": "p", "nonce": "", "max_tokens": 101,
        "sampling": Sampling(), "times": seen,
    }  # fmt: skip
    return Record(**{**base, **more})  # type: ignore[arg-type]


def test_rates_count_tokens_not_chunks() -> None:
    seen = times()

    assert figures.ttft_ms(seen) == pytest.approx(250)
    assert figures.server_decode_tok_s(seen) == pytest.approx(100)
    assert figures.client_decode_tok_s(seen) == pytest.approx(100)
    assert figures.prefill_tok_s(seen) == pytest.approx(250)
    assert figures.total_ms(seen) == pytest.approx(1255)


def test_without_server_timings_the_client_clock_and_usage_serve() -> None:
    seen = times(timings=None)

    assert figures.decode_tok_s(seen) == pytest.approx(100)
    assert figures.prefill_tok_s(seen) is None


def test_without_any_count_there_is_no_rate() -> None:
    assert figures.decode_tok_s(times(timings=None, usage=None)) is None


@pytest.mark.parametrize(
    "timings",
    [
        ServerTimings(predicted_n=1, predicted_ms=0.0),
        ServerTimings(predicted_n=0, predicted_ms=0.0),
        ServerTimings(predicted_n=5, predicted_ms=0.0),
    ],
)
def test_one_token_or_no_time_gives_no_rate(timings: ServerTimings) -> None:
    seen = times(timings=timings, event_ns=(255 * MS,), usage=None)

    assert figures.decode_tok_s(seen) is None


def test_no_text_means_no_first_token() -> None:
    seen = times(event_ns=(), first_answer_ns=None)

    assert figures.ttft_ms(seen) is None
    assert figures.ttfa_ms(seen) is None


def test_acceptance_is_absent_without_drafts() -> None:
    assert figures.acceptance(times()) is None
    assert (
        figures.acceptance(times(timings=ServerTimings(predicted_n=9, draft_n=0, draft_n_accepted=0))) is None
    )


def test_acceptance_by_position_and_length_come_from_the_counters() -> None:
    timings = ServerTimings(predicted_n=101, predicted_ms=1000.0, draft_n=120, draft_n_accepted=60)
    counters = DraftCounters(drafts=40, drafted=120, accepted=60, accepted_by_position=(30, 20, 10))

    found = figures.acceptance(times(timings=timings), counters)

    assert found is not None
    assert found.rate == pytest.approx(0.5)
    assert found.by_position == pytest.approx((0.75, 0.5, 0.25))
    assert found.mean_len == pytest.approx(2.5)
    assert figures.rounds_per_s(times(timings=timings), counters) == pytest.approx(40)


def test_length_without_counters_comes_from_the_steps() -> None:
    timings = ServerTimings(predicted_n=101, predicted_ms=1000.0, draft_n=120, draft_n_accepted=60)

    found = figures.acceptance(times(timings=timings))

    assert found is not None
    assert found.mean_len == pytest.approx(2.5)


def test_counters_are_cumulative_and_taken_as_differences() -> None:
    early = DraftCounters(10, 30, 12, (8, 4))
    late = DraftCounters(50, 150, 72, (38, 24, 10))

    assert late.since(early) == DraftCounters(40, 120, 60, (30, 20, 10))


def test_only_clean_counted_requests_enter_the_figures() -> None:
    slow = times(timings=ServerTimings(predicted_n=101, predicted_ms=2000.0))
    arm = arm_figures(
        [
            record(slow, phase="warmup"),
            record(times()),
            record(slow, marks=(Message.of("mark_cached", tokens=3),)),
            record(times(finish_reason=None, failure=Message.of("stream_cut"))),
        ]
    )

    assert arm.decode_tok_s == spread([100.0])
    assert arm.ok_rate == pytest.approx(2 / 3)
    assert arm.n_counted == 1


def test_spread_leaves_out_what_is_missing() -> None:
    assert spread([None, None]) is None
    found = spread([3.0, None, 1.0, 2.0])
    assert found is not None
    assert (found.median, found.low, found.high, found.n) == (2.0, 1.0, 3.0, 3)


def arm(rate: float) -> ArmFigures:
    seen = times(timings=ServerTimings(predicted_n=101, predicted_ms=100_000 / rate))
    return arm_figures([record(seen)] * 3)


def test_a_lucky_factor_is_never_called_better() -> None:
    verdict = indicate([ArmSummary("off", arm(50), None), ArmSummary("balanced", arm(100), mtp_active=True)])

    assert verdict.decision == "too_few"
    assert [(r.arm, r.ratio) for r in verdict.ratios] == [("balanced", pytest.approx(2.0))]


def test_an_arm_whose_mtp_never_ran_is_not_compared() -> None:
    verdict = indicate([ArmSummary("off", arm(50), None), ArmSummary("balanced", arm(50), mtp_active=False)])

    assert verdict.decision == "mtp_not_active"


def test_one_arm_is_nothing_to_compare() -> None:
    assert indicate([ArmSummary("off", arm(50), None)]).sentence.code == "verdict_nothing_to_compare"
