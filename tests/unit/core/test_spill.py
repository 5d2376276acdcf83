"""The verdict on spill: signs put in by hand, and whole series as cards have been seen to give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from qtune.core.card_memory import CARD_MOST_BYTES
from qtune.core.machine_facts import GpuSample, HostSample, TelemetrySample
from qtune.core.messages import TEXTS, Message
from qtune.core.records import RequestRecord
from qtune.core.spill import (
    GROWTH_BYTES,
    NEAR_BYTES,
    SpillSigns,
    judge_spill,
)
from qtune.core.spill_series import (
    RoomyFigures,
    SpillContext,
    roomy_figures,
    spill_marks,
    spill_signs,
)
from tests.unit.core.by_hand import request

MIB = 1 << 20
S = 1_000_000_000
CARD = 24564 * MIB
LAUNCHED, LOADED = 10 * S, 40 * S
HOST = HostSample(None, None, None)
HERE = SpillContext("g", LAUNCHED, LOADED)

TIGHT = SpillSigns(free_min_bytes=200 * MIB, total_bytes=CARD, shared_growth_bytes=0, rounds_ratio=0.98)


def tight(**more: Any) -> SpillSigns:
    return replace(TIGHT, **more)


def judged(signs: SpillSigns) -> tuple[str, str]:
    verdict = judge_spill(signs)
    assert "?" not in verdict.reason.sentence()
    assert all(m.code in TEXTS for m in (verdict.reason, *verdict.advice))
    return verdict.state, verdict.reason.code


# -- the rules ---------------------------------------------------------------------------------------------

PAGING: dict[str, Any] = {"rounds_ratio": 0.1, "power_ratio": 0.4, "pcie_ratio": 30.0}
BLIND: dict[str, Any] = {"shared_growth_bytes": None}


@pytest.mark.parametrize(
    ("signs", "state", "code"),
    [
        (tight(shared_growth_bytes=GROWTH_BYTES + 1), "yes", "spill_yes_shared"),
        (tight(shared_growth_bytes=GROWTH_BYTES), "no", "spill_no_calm"),
        (tight(**PAGING), "yes", "spill_yes_speed"),
        (tight(**BLIND, **PAGING), "yes", "spill_yes_speed"),
        (tight(**PAGING, free_min_bytes=NEAR_BYTES), "no", "spill_no_room"),
        (tight(**PAGING, free_min_bytes=NEAR_BYTES - 1), "yes", "spill_yes_speed"),
        # Slow, but neither sign of paging: the counter that would have moved did not.
        (tight(rounds_ratio=0.1), "no", "spill_no_slow_elsewhere"),
        (tight(**PAGING | {"power_ratio": 1.0}), "no", "spill_no_slow_elsewhere"),
        (tight(**PAGING | {"pcie_ratio": 1.0}), "no", "spill_no_slow_elsewhere"),
        (tight(**PAGING, throttled=("thermal (hardware)",)), "no", "spill_no_slow_elsewhere"),
        # Counters missing.
        (SpillSigns(), "unknown", "spill_unknown_vram"),
        (SpillSigns(rounds_ratio=0.2), "unknown", "spill_unknown_vram_slow"),
        (SpillSigns(rounds_ratio=0.2, throttled=("power brake",)), "unknown", "spill_unknown_vram"),
        (tight(**BLIND, platform="windows"), "unknown", "spill_unknown_steady"),
        (tight(**BLIND, platform="windows", rounds_ratio=None), "unknown", "spill_unknown_speed"),
        (tight(**BLIND, vendor="amd"), "unknown", "spill_unknown_steady"),
        (tight(**BLIND, platform="windows", rounds_ratio=0.1), "unknown", "spill_likely"),
        (
            tight(**BLIND, platform="windows", rounds_ratio=0.1, throttled=("power brake",)),
            "unknown",
            "spill_unknown_throttled",
        ),
        # A driver that refuses memory.
        (tight(**BLIND), "no", "spill_no_out_of_memory"),
        (tight(**BLIND, rounds_ratio=0.1), "unknown", "spill_likely_layers"),
        # Layers that were not put on the card without being asked to stay off it.
        (
            tight(**BLIND, rounds_ratio=0.1, layers_offloaded=58, layers_total=66),
            "no",
            "spill_no_layers",
        ),
        (tight(free_min_bytes=3002 * MIB, layers_offloaded=58, layers_total=66), "no", "spill_no_layers"),
        (tight(free_min_bytes=None, layers_offloaded=58, layers_total=66), "no", "spill_no_layers"),
        (tight(layers_offloaded=66, layers_total=66), "no", "spill_no_calm"),
        # Planned: one sign alone belongs to it, both do not.
        (tight(planned_offload=True, shared_growth_bytes=9000 * MIB), "no", "spill_no_offload"),
        (tight(planned_offload=True, **PAGING), "no", "spill_no_offload"),
        (
            tight(planned_offload=True, shared_growth_bytes=9000 * MIB, **PAGING),
            "yes",
            "spill_yes_shared",
        ),
        # Growth with room to spare is what drivers pin; with a collapse it is not calm either.
        (tight(free_min_bytes=2000 * MIB, shared_growth_bytes=600 * MIB), "no", "spill_no_room"),
        (
            tight(free_min_bytes=2000 * MIB, shared_growth_bytes=600 * MIB, rounds_ratio=0.2),
            "unknown",
            "spill_unknown_roomy",
        ),
        (SpillSigns(100 * MIB, 512 * MIB, 8000 * MIB, 0.1, integrated=True), "no", "spill_no_integrated"),
        # Nonsense counters are missing ones.
        (tight(free_min_bytes=-1), "unknown", "spill_unknown_vram"),
        (tight(free_min_bytes=CARD + 1), "unknown", "spill_unknown_vram"),
        (tight(total_bytes=CARD_MOST_BYTES + 1), "unknown", "spill_unknown_vram"),
        (tight(shared_growth_bytes=2**63, platform="wsl"), "unknown", "spill_unknown_steady"),
    ],
)
def test_the_rules(signs: SpillSigns, state: str, code: str) -> None:
    assert judged(signs) == (state, code)


def test_a_prompt_read_at_a_third_counts_only_on_a_full_card() -> None:
    slow = tight(shared_growth_bytes=None, platform="windows", rounds_ratio=None, prefill_ratio=0.1)
    assert judged(slow)[1] == "spill_likely"
    small = replace(slow, free_min_bytes=390 * MIB, total_bytes=8192 * MIB)
    assert judged(small)[1] == "spill_unknown_steady"


def test_what_is_missing_is_named() -> None:
    signs = tight(shared_growth_bytes=None, platform="windows", rounds_ratio=0.1, power_ratio=0.4)
    sentence = judge_spill(signs).reason.sentence()
    assert sentence == (
        "Most likely a spill: 200 MiB were left, and the speed fell to 10 % of what it was. "
        "Not reported: shared GPU memory / GTT, PCIe."
    )


@pytest.mark.parametrize(
    ("platform", "vendor", "codes"),
    [
        ("windows", "nvidia", ["spill_advice_context", "spill_advice_windows"]),
        ("wsl", "nvidia", ["spill_advice_context", "spill_advice_wsl"]),
        ("windows", "amd", ["spill_advice_context"]),
        ("linux", "amd", ["spill_advice_context"]),
    ],
)
def test_advice_fits_the_system(platform: Any, vendor: Any, codes: list[str]) -> None:
    verdict = judge_spill(tight(shared_growth_bytes=9000 * MIB, platform=platform, vendor=vendor))
    assert [m.code for m in verdict.advice] == codes


# -- series ------------------------------------------------------------------------------------------------


def at(second: float, **figures: Any) -> TelemetrySample:
    values: dict[str, Any] = {"vram_total_bytes": CARD, **figures}
    return TelemetrySample(round(second * S), HOST, (GpuSample("other"), GpuSample("g", **values)))


def answered(index: int, rate: float, prefill: float = 1900.0, **more: Any) -> RequestRecord:
    """Request ``index`` of the run: sent at 50 s, 60 s, ..., eight seconds long."""
    sent = (50 + 10 * index) * S
    timings = {"prompt_n": 1900, "prompt_ms": 1900 / prefill * 1000, **more.pop("timings", {})}
    times = {"sent_ns": sent, "ended_ns": sent + 8 * S, "event_ns": ()}
    return request(rate, index=index, timings=timings, times=times, **more)


def series(*during: dict[str, Any], before: dict[str, Any], loaded: dict[str, Any]) -> list[TelemetrySample]:
    """Two readings before the launch, two after the load, and two in each request."""
    told = [at(8, **before), at(10, **before), at(40, **loaded), at(41, **loaded)]
    for index, figures in enumerate(during):
        told += [at(52 + 10 * index, **figures), at(56 + 10 * index, **figures)]
    return told


def used(mib: float, **more: Any) -> dict[str, Any]:
    return {"vram_used_bytes": round(mib * MIB), **more}


def outcome(
    samples: Sequence[TelemetrySample], requests: Sequence[RequestRecord], context: SpillContext = HERE
) -> tuple[str, str, dict[int, Message]]:
    return *judged(spill_signs(samples, requests, context)), spill_marks(samples, requests, context)


SPILLED = Message.of("mark_spill")


def test_windows_without_any_error() -> None:
    """Ten times slower at 24 310 of 24 564 MiB, and no line in any log."""
    windows = replace(HERE, platform="windows")
    calm = used(24310, power_w=380.0, pcie_rx_kb_s=200_000.0, pcie_tx_kb_s=50_000.0)
    crawl = used(24310, power_w=140.0, pcie_rx_kb_s=9_000_000.0, pcie_tx_kb_s=3_000_000.0)
    samples = series(calm, calm, crawl, before=used(900), loaded=used(24200))
    requests = [answered(0, 40, 1900), answered(1, 39, 1850), answered(2, 4, 190)]
    assert outcome(samples, requests, windows) == ("yes", "spill_yes_speed", {2: SPILLED})

    blind = series(*[used(24310)] * 3, before=used(900), loaded=used(24200))
    only_prompt = [answered(i, 40, prefill) for i, prefill in enumerate((1900.0, 1850.0, 190.0))]
    assert outcome(blind, only_prompt, windows) == ("unknown", "spill_likely", {})
    reason = dict(judge_spill(spill_signs(blind, only_prompt, windows)).reason.params)
    assert (reason["free"], reason["share"]) == (254, 10)
    assert reason["missing"] == "shared GPU memory / GTT, power, PCIe"


def gtt(mib: float, shared_mib: float) -> dict[str, Any]:
    return used(mib, vram_total_bytes=20464 * MIB, shared_used_bytes=round(shared_mib * MIB))


AMD = replace(HERE, vendor="amd")


def test_amd_moves_14_gb_during_a_request() -> None:
    samples = series(gtt(20300, 600), gtt(20250, 14500), before=gtt(500, 90), loaded=gtt(20270, 590))
    requests = [answered(0, 44, 449), answered(1, 18, 303)]
    assert outcome(samples, requests, AMD) == ("yes", "spill_yes_shared", {1: SPILLED})
    signs = spill_signs(samples, requests, AMD)
    assert (signs.shared_growth_bytes, signs.free_min_bytes) == ((14500 - 590) * MIB, 164 * MIB)


def test_amd_that_spilled_while_loading_has_no_baseline_of_its_own() -> None:
    samples = series(gtt(20300, 6000), before=gtt(500, 90), loaded=gtt(20300, 6000))
    assert outcome(samples, [answered(0, 18)], AMD)[:2] == ("yes", "spill_yes_shared")
    planned = replace(AMD, planned_offload=True)
    assert outcome(samples, [answered(0, 18)], planned)[:2] == ("no", "spill_no_offload")


@pytest.mark.parametrize("pinned", [416, 586])
def test_what_mtp_pins_by_design_is_no_spill(pinned: int) -> None:
    samples = series(
        gtt(20200, 90 + pinned), gtt(20210, 95 + pinned), before=gtt(500, 90), loaded=gtt(20190, 90 + pinned)
    )
    assert outcome(samples, [answered(0, 44), answered(1, 44)], AMD) == ("no", "spill_no_calm", {})


def test_mtp_off_is_not_the_baseline_but_a_roomy_run_of_the_same_settings_is() -> None:
    samples = series(gtt(20200, 700), before=gtt(500, 90), loaded=gtt(20190, 690))
    for shared, state in ((686, "no"), (400, "yes")):
        roomy = replace(AMD, roomy=RoomyFigures(shared_bytes=shared * MIB))
        assert outcome(samples, [answered(0, 44)], roomy)[0] == state


def test_a_cliff_from_one_n_max_to_the_next() -> None:
    """84 tok/s at n 3, 6 tok/s at n 4: slow from the first answer on, so only the roomier run tells."""
    crawl = used(24400, power_w=110.0, pcie_rx_kb_s=11_000_000.0)
    samples = series(crawl, crawl, crawl, before=used(700), loaded=used(24390))
    drafted = {"draft_n": 120, "draft_n_accepted": 70}
    requests = [answered(i, 6, timings=drafted) for i in range(3)]
    windows = replace(HERE, platform="windows")
    assert outcome(samples, requests, windows)[:2] == ("unknown", "spill_unknown_steady")

    at_n3 = RoomyFigures(None, {"code": 25.2}, {"code": 1900}, power_w=350.0, pcie_kb_s=300_000.0)
    expected = replace(windows, roomy=at_n3)
    assert outcome(samples, requests, expected) == (
        "yes",
        "spill_yes_speed",
        dict.fromkeys(range(3), SPILLED),
    )
    assert outcome(samples, requests, replace(expected, planned_offload=True))[:2] == (
        "no",
        "spill_no_offload",
    )


def test_an_earlier_start_with_room_is_what_a_later_one_is_compared_with() -> None:
    """The same settings twice: meanwhile another program took the memory, so that nothing ran freely."""
    calm = used(18000, power_w=350.0, pcie_rx_kb_s=200_000.0, pcie_tx_kb_s=100_000.0)
    crawl = used(24400, power_w=110.0, pcie_rx_kb_s=11_000_000.0)
    windows = replace(HERE, platform="windows")
    first = series(calm, calm, before=used(700), loaded=used(17900))
    roomy = roomy_figures(first, [answered(0, 40), answered(1, 42)], windows)
    assert roomy == RoomyFigures(None, {"code": 41}, {"code": 1900}, power_w=350.0, pcie_kb_s=300_000.0)

    again, slow = series(crawl, crawl, before=used(700), loaded=used(24390)), [answered(0, 6), answered(1, 6)]
    assert outcome(again, slow, windows)[1] == "spill_unknown_steady"
    assert outcome(again, slow, replace(windows, roomy=roomy))[:2] == ("yes", "spill_yes_speed")
    assert roomy_figures(again, slow, windows) is None, "what had no room itself says nothing"
    assert roomy_figures(first, [], windows) is None
    assert roomy_figures(first, [answered(0, 40)], replace(windows, loaded_ns=None)) is None


def test_what_is_known_of_one_prompt_says_nothing_of_another() -> None:
    samples = series(used(24310), before=used(900), loaded=used(24200))
    roomy = RoomyFigures(rounds_per_s={"code": 60}, prefill_tok_s={"code": 1900})
    deep = [answered(0, 25, 400, prompt_id="32k")]
    assert spill_signs(samples, deep, replace(HERE, roomy=roomy)).speed_ratio is None


def test_a_better_head_is_not_a_slower_card() -> None:
    """Rounds per second count, not tokens: where L falls and rounds stay, nothing spilled."""
    calm = used(24400, power_w=350.0, pcie_rx_kb_s=300_000.0)
    samples = series(calm, calm, before=used(700), loaded=used(24390))
    good, poor = {"draft_n": 99, "draft_n_accepted": 75}, {"draft_n": 297, "draft_n_accepted": 1}
    requests = [answered(0, 80, timings=good), answered(1, 80 / 4 * 1.01, timings=poor)]
    signs = spill_signs(samples, requests, replace(HERE, platform="windows"))
    assert signs.rounds_ratio == pytest.approx(1.0, abs=0.02)
    assert judge_spill(signs).reason.code == "spill_unknown_steady"


def test_a_calm_run_with_room() -> None:
    calm = used(18000, power_w=320.0)
    samples = series(calm, calm, calm, before=used(700), loaded=used(17900))
    assert outcome(samples, [answered(i, 40) for i in range(3)]) == ("no", "spill_no_room", {})


def test_each_prompt_is_compared_with_itself() -> None:
    samples = series(*[used(24310)] * 4, before=used(900), loaded=used(24200))
    short, long = {"prompt_id": "code"}, {"prompt_id": "32k"}
    requests = [answered(0, 60, 1900, **short), answered(1, 25, 400, **long)]
    requests += [answered(2, 59, 1900, **short), answered(3, 25, 410, **long)]
    signs = spill_signs(samples, requests, replace(HERE, platform="windows"))
    assert signs.speed_ratio == pytest.approx(59 / 60)
    alone = spill_signs(samples, requests[1:2], HERE)
    assert alone.rounds_ratio is alone.prefill_ratio is None


def test_wsl_nonsense_counts_as_missing() -> None:
    samples = series(used(17592186044415), before=used(900), loaded=used(17592186044415))
    wsl = replace(HERE, platform="wsl")
    state, code, marks = outcome(samples, [answered(0, 40)], wsl)
    assert (state, code, marks) == ("unknown", "spill_unknown_vram", {})
    endless = series(used(24310, shared_used_bytes=2**64 - 1), before=used(900), loaded=used(24200))
    assert spill_signs(endless, [], wsl).shared_growth_bytes is None


def test_no_readings_and_no_requests() -> None:
    assert spill_signs([], [], HERE) == SpillSigns()
    unloaded = replace(AMD, loaded_ns=None)
    samples = series(before=gtt(500, 90), loaded=gtt(20300, 6000))
    assert spill_signs(samples, [], unloaded).shared_growth_bytes is None


# -- throttling --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        ([("power cap", "hardware slowdown")], ("hardware slowdown",)),
        ([("idle", "clocks set by user"), ("power cap",)], ()),
        ([("power brake",), None, None], ("power brake",)),
        ([("thermal (software)",), *[()] * 4], ()),
        ([None], ()),
    ],
    ids=["the limit is normal", "so is the user's clock", "as far as it is told", "a flicker", "not told"],
)
def test_reasons_that_matter_and_last(reasons: list[tuple[str, ...] | None], told: tuple[str, ...]) -> None:
    during = [at(51 + n, **used(24400, throttle_reasons=reason)) for n, reason in enumerate(reasons)]

    assert spill_signs(during, [answered(0, 40)], HERE).throttled == told


def test_a_hot_card_is_marked_as_hot_not_as_spilled() -> None:
    calm = used(24400, power_w=350.0, pcie_rx_kb_s=300_000.0)
    hot = used(24400, power_w=90.0, pcie_rx_kb_s=700_000.0, throttle_reasons=("thermal (software)",))
    samples = series(calm, hot, before=used(700), loaded=used(24390))
    state, code, marks = outcome(
        samples, [answered(0, 40), answered(1, 12)], replace(HERE, platform="windows")
    )
    assert (state, code) == ("unknown", "spill_unknown_throttled")
    assert marks == {1: Message.of("mark_throttled", reasons="thermal (software)")}


def test_the_drivers_words_are_the_ones_looked_for() -> None:
    """The words come from the reader of NVIDIA's driver, which this layer cannot import."""
    from qtune.core import spill_series  # noqa: PLC0415
    from qtune.telemetry.nvml_readings import throttle_words  # noqa: PLC0415

    assert set(throttle_words(0x1FF)) >= spill_series._HELD_BACK
