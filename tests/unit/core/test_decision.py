"""The verdict follows the rules, in the situations people reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qtune.core.decision import ArmFacts, arm_facts, selftest, verdict
from qtune.core.messages import TEXTS, Message
from qtune.core.observation import Observation
from qtune.core.records import EffectiveSettings, RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.verdict import Verdict
from tests.unit.bench.rig import MARK, observation
from tests.unit.core.by_hand import run

WOBBLE = (1.002, 0.998, 1.001, 0.999)


def cells(arm: str, rates: dict[str, float], starts: int = 4, **more: object) -> list[Observation]:
    """Two requests per prompt and start, a tenth of a per cent apart."""
    return [
        observation(
            arm, start, prompt, rate * WOBBLE[(start + place + number) % 4], **{"number": number, **more}
        )
        for start in range(1, starts + 1)
        for place, (prompt, rate) in enumerate(rates.items())
        for number in range(2)
    ]


def flat(rate: float) -> dict[str, float]:
    return dict.fromkeys(("code", "prose", "summary"), rate)


def codes(found: Verdict) -> set[str]:
    return {r.code for r in found.reasons}


OFF = ArmFacts("off", 0)
N2, N3, N4, N5 = (ArmFacts(f"n{n}", n, mtp_active=True) for n in (2, 3, 4, 5))


def test_code_gains_and_creative_loses() -> None:
    """A01: n=2 for mixed use, n=5 for code only, and no score that averages 48.5 and 21.9."""
    seen = (
        cells("off", {"code": 22.4, "creative": 22.3})
        + cells("n2", {"code": 42.6, "creative": 29.4})
        + cells("n5", {"code": 48.5, "creative": 21.9})
    )
    found = verdict(seen, [OFF, N2, N5])
    assert (found.decision, found.winner) == ("better", "n2")
    assert found.sentence.sentence() == (
        "n2 is worth it: decode +32 to +90 % against off, depending on the workload."
    )
    assert {r.prompt_id: r.arm for r in found.recommendations} == {"": "n2", "code": "n5", "creative": "n2"}
    (mixed,) = [r for r in found.reasons if r.code == "reason_gain_and_loss"]
    assert mixed.sentence() == "n5: +117 % on code, but -2 % on creative."
    n5 = next(a for a in found.answers if a.arm == "n5")
    assert n5.ratio.decision == "no_difference"
    assert [d.decision for d in n5.domains] == ["better", "no_difference"]


def test_only_the_losing_arm_measured() -> None:
    seen = cells("off", {"code": 22.4, "creative": 22.3}) + cells("n5", {"code": 48.5, "creative": 19.0})
    found = verdict(seen, [OFF, N5])
    assert (found.decision, found.winner, found.sentence.code) == (
        "no_difference",
        "off",
        "verdict_only_some",
    )
    assert "code (n5, +117 %)" in found.sentence.sentence()


def test_decodes_faster_but_finishes_later() -> None:
    """A02: decode +2.7 %, prompt 20 % slower, the whole request 12 % later."""
    seen = cells("off", flat(51.63), ttft_ms=6785.0, total_ms=12208.22, prefill_tok_s=2130.83)
    seen += cells("n2", flat(53.00), ttft_ms=8430.0, total_ms=13712.39, prefill_tok_s=1715.03)
    found = verdict(seen, [OFF, N2])
    assert found.winner == "off"
    assert found.decision == "worse"
    assert found.sentence.sentence() == "n2 decodes 3 % faster, but this workload finishes 12 % later."
    assert {"reason_ttft_later", "reason_prefill_slower", "reason_total_later"} <= codes(found)
    (price,) = [a.price for a in found.answers]
    assert price.break_even_tokens == pytest.approx(1645 / (1000 / 51.63 - 1000 / 53.0), rel=0.01)


def test_a_late_end_that_may_be_chance_is_not_held_against_an_arm() -> None:
    """First-token times that jump about make the whole request 4 % later in the mean, and mean nothing."""
    jumps = {1: 4000.0, 2: 6900.0, 3: 4100.0, 4: 6800.0}
    seen = cells("off", flat(40.0), ttft_ms=5000.0, total_ms=12500.0)
    for start, first in jumps.items():
        seen += [
            replace(o, ttft_ms=first, total_ms=first + 7560.0)
            for o in cells("n2", flat(40.4)) if o.start == start
        ]  # fmt: skip
    found = verdict(seen, [OFF, N2])
    assert found.answers[0].price.total == pytest.approx(1.035, abs=0.02)
    assert (found.decision, found.sentence.code) == ("no_difference", "verdict_no_difference")


def test_lengths_too_far_apart_are_not_compared() -> None:
    """A03: 64 tokens against 4096."""
    seen = cells("off", flat(47.7), output_tokens=64) + cells("n2", flat(76.3), output_tokens=4096)
    found = verdict(seen, [OFF, N2])
    assert (found.decision, found.sentence.code) == ("too_few", "verdict_not_comparable")


def test_one_workload_of_another_length_is_left_out_with_its_reason() -> None:
    seen = cells("off", flat(40.0)) + cells("n2", flat(60.0))
    seen += cells("off", {"long": 40.0}) + cells("n2", {"long": 20.0}, output_tokens=900)
    found = verdict(seen, [OFF, N2])
    assert found.decision == "better"
    assert "reason_lengths_apart" in codes(found)


def test_tie_goes_to_the_lower_n_max_not_to_the_highest_acceptance() -> None:
    """A04: n=3 leads, n=4 ties within noise, n=2 accepts most and is slower."""
    seen = (
        cells("off", flat(31.3)) + cells("n2", flat(49.4)) + cells("n3", flat(52.9)) + cells("n4", flat(51.9))
    )
    assert verdict(seen, [OFF, N2, N3, N4]).winner == "n3"
    seen = cells("off", flat(31.3)) + cells("n3", flat(52.0)) + cells("n4", flat(52.9))
    found = verdict(seen, [OFF, N3, N4])
    assert found.winner == "n3"
    assert "reason_tie_simpler" in codes(found)


def test_slower_whatever_the_acceptance() -> None:
    """A05."""
    seen = cells("off", flat(56.49)) + cells("n5", flat(11.37), drafted=100, accepted=80, rounds=20)
    found = verdict(seen, [OFF, N5])
    assert (found.decision, found.winner) == ("worse", "off")
    assert found.sentence.sentence() == "Not worth it: even n5 decodes 80 % slower than off."


def test_equal_speed_is_no_difference_whatever_the_acceptance() -> None:
    """A08: builds count acceptance differently; equal speed must not become "worse"."""
    seen = cells("off", flat(40.0)) + cells("n2", flat(40.2), drafted=100, accepted=9, rounds=90)
    found = verdict(seen, [OFF, N2])
    assert (found.decision, found.winner, found.sentence.code) == (
        "no_difference", "off", "verdict_no_difference"
    )  # fmt: skip


def test_three_lucky_requests_are_no_verdict() -> None:
    """A11."""
    seen = [observation("off", 1, "code", r, number=i) for i, r in enumerate((75.0, 74.0, 76.0) * 4)]
    seen += [observation("n2", 1, "code", r, number=i) for i, r in enumerate((80.9, 80.2, 79.8))]
    found = verdict(seen, [OFF, N2])
    assert (found.decision, found.winner) == ("too_few", None)
    assert {"reason_few_requests", "reason_too_few"} <= codes(found)
    assert not found.recommendations


def test_names_everything_that_changed_besides_mtp() -> None:
    """A11, second half."""
    base = ServerSettings()
    other = base.with_values({"mtp": True, "n_max": 4, "ubatch_size": 1024, "ctx_size": 16384})
    seen = cells("off", flat(40.0)) + cells("n4", flat(60.0))
    arms = [ArmFacts("off", 0, settings=base), ArmFacts("n4", 4, mtp_active=True, settings=other)]
    (reason,) = [r for r in verdict(seen, arms).reasons if r.code == "reason_several_changed"]
    named = reason.sentence()
    assert "ontext" in named
    assert "batch" in named
    assert "n_max" not in named


def test_a_restless_machine_gets_no_verdict() -> None:
    """A12: the figure moves from start to start by more than half the gain."""
    swing = {1: 1.0, 2: 1.10, 3: 0.92, 4: 1.05}

    def restless(arm: str, rate: float) -> list[Observation]:
        return [
            observation(arm, s, p, rate * f * (1 + 0.001 * n), number=n)
            for s, f in swing.items() for p in ("a", "b", "c") for n in range(2)
        ]  # fmt: skip

    found = verdict(restless("off", 40.0) + restless("n2", 43.0), [OFF, N2])
    assert found.ratios[0].low is not None
    assert found.ratios[0].low > 1.03
    assert found.decision == "no_difference"
    assert "reason_restless" in codes(found)


def test_three_percent_is_not_enough_however_certain() -> None:
    seen = cells("off", flat(40.0)) + cells("n2", flat(41.0))
    assert verdict(seen, [OFF, N2]).decision == "no_difference"


def test_mtp_that_did_not_run_is_not_a_result_but_the_others_count() -> None:
    silent = ArmFacts("n4", 4, mtp_active=False)
    seen = cells("off", flat(40.0)) + cells("n2", flat(60.0)) + cells("n4", flat(40.0))
    found = verdict(seen, [OFF, N2, silent])
    assert (found.decision, found.winner) == ("better", "n2")
    assert {r.arm: r.decision for r in found.ratios} == {"n2": "better", "n4": "mtp_not_active"}
    alone = verdict(cells("off", flat(40.0)) + cells("n4", flat(40.0)), [OFF, silent])
    assert (alone.decision, alone.winner) == ("mtp_not_active", None)


def test_a_failed_arm_is_named_and_the_others_count() -> None:
    died = ArmFacts("n4", 4, mtp_active=None, failure=Message.of("ended_killed"))
    found = verdict(cells("off", flat(40.0)) + cells("n2", flat(60.0)), [OFF, N2, died])
    assert found.winner == "n2"
    (reason,) = [r for r in found.reasons if r.code == "reason_arm_failed"]
    assert reason.sentence().startswith("n4 could not be measured to the end: The engine was killed")


def test_marked_requests_leave_the_figures_but_are_mentioned() -> None:
    seen = cells("off", flat(40.0)) + cells("n2", flat(60.0)) + cells("n2", flat(400.0), marks=(MARK,))
    found = verdict(seen, [OFF, N2])
    assert found.ratios[0].ratio == pytest.approx(1.5, rel=0.01)
    assert "reason_marked" in codes(found)


def test_nothing_measured() -> None:
    assert verdict([], [OFF, N2]).sentence.code == "verdict_nothing_to_compare"


def test_selftest() -> None:
    calm = selftest(cells("off", flat(40.0)) + cells("off_again", flat(40.1)), "off_again")
    assert (calm.decision, calm.sentence.code) == ("no_difference", "selftest_passed")
    odd = selftest(cells("off", flat(40.0)) + cells("off_again", flat(44.0)), "off_again")
    assert (odd.decision, odd.sentence.code) == ("better", "selftest_failed")


def test_every_sentence_has_its_parameters() -> None:
    seen = cells("off", flat(51.6), ttft_ms=1000.0, total_ms=9000.0) + cells(
        "n2", flat(70.0), ttft_ms=1300.0, total_ms=12000.0
    )
    found = verdict(seen, [OFF, N2, ArmFacts("n4", 4)])
    for message in (found.sentence, *found.reasons):
        assert message.code in TEXTS
        assert "?" not in message.sentence()


def test_facts_of_arms_from_stored_runs() -> None:
    mtp = ServerSettings().with_values({"mtp": True, "n_max": 4})
    fine = replace(run("n4"), settings_requested=mtp, mtp_active=True)
    died = replace(
        run("n4", 2), settings_requested=mtp, status=RunStatus.FAILED, failure=Message.of("stream_cut")
    )
    off = replace(run("off"), settings_requested=ServerSettings().with_values({"mtp": False}))
    n4, base = arm_facts([fine, off, died])
    assert (n4.name, n4.n_max, n4.mtp_active, n4.failure) == ("n4", 4, True, Message.of("stream_cut"))
    assert (base.name, base.n_max, base.mtp_active) == ("off", 0, None)
    assert arm_facts([fine, replace(fine, start=2, mtp_active=False)])[0].mtp_active is False


def test_unconfirmed_settings_are_said() -> None:
    doubtful = replace(run("off"), settings_effective=EffectiveSettings(ctx_size=4096))
    (facts,) = arm_facts([doubtful])
    assert not facts.verified
    assert "reason_unverified" in codes(verdict(cells("off", flat(40.0)), [facts, N2]))
