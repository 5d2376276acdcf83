"""A fill test steps down while memory does not suffice, and only then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from qtune.bench.compare_plan import DoneRequest, next_request, requests_left
from qtune.bench.fill_plan import (
    SHARES,
    FillAsk,
    FillOutcome,
    FillStep,
    depth_of,
    fill_depth,
    fill_outcome,
    fill_prompt,
    fill_prompts,
    fill_step,
    has_room,
    lower_ctx,
    next_ctx,
)
from qtune.core.card_memory import MemoryPeak
from qtune.core.engine_facts import DeviceFacts
from qtune.core.messages import TEXTS, Message
from qtune.core.records import EffectiveSettings, MemoryFacts, RequestRecord, RunRecord, RunStatus
from tests.unit.core.by_hand import request, run

GIB = 1024**3
ASK = FillAsk("balanced", "balanced", 65536, GIB)
OUT_OF_MEMORY = Message.of("ended_out_of_memory", line="CUDA error: out of memory")
CARD = DeviceFacts("CUDA0", "RTX 4090", 24 * GIB, 23 * GIB)
METAL = DeviceFacts("MTL0", "Apple M2 Max", 48 * GIB, None)


def answered(ctx_size: int, share: int, **more: Any) -> RequestRecord:
    depth = fill_depth(ctx_size, share)
    timings = {"prompt_n": depth, "predicted_n": 100, **more.pop("timings", {})}
    values: dict[str, Any] = {"max_tokens": 100, "prompt_id": fill_prompt(ctx_size, share), **more}
    return request(timings=timings, times={"finish_reason": "length", **values.pop("times", {})}, **values)


def broken(ctx_size: int, share: int, code: str = "connection_lost") -> RequestRecord:
    times = {"finish_reason": None, "failure": Message.of(code), "content": ""}
    return answered(ctx_size, share, times=times)


def start(ctx_size: int, *, devices: tuple[DeviceFacts, ...] = (CARD,), **more: Any) -> RunRecord:
    made = run("balanced")
    return replace(
        made,
        settings_requested=made.settings_requested.with_values({"ctx_size": ctx_size, "mtp": True}),
        engine=replace(made.engine, devices=devices),
        **{"memory": vram(20), **more},
    )


def vram(peak_gib: float | None) -> MemoryFacts:
    return MemoryFacts("vram", 0, 0, None if peak_gib is None else round(peak_gib * GIB), 24 * GIB)


def step(made: RunRecord, *requests: RequestRecord, peaks: tuple[float | None, ...] = ()) -> FillStep:
    read = [None if p is None else peak(p) for p in peaks]
    return fill_step(ASK, made, requests, read)


def peak(used_gib: float) -> MemoryPeak:
    return MemoryPeak(round(used_gib * GIB), 24 * GIB - round(used_gib * GIB))


def whole(ctx_size: int, peaks: tuple[float | None, ...] = (19, 20, 21), **more: Any) -> FillStep:
    return step(start(ctx_size, **more), *(answered(ctx_size, s) for s in SHARES), peaks=peaks)


def dead(ctx_size: int, failure: Message = OUT_OF_MEMORY) -> FillStep:
    """Died at 75 %."""
    made = start(ctx_size, status=RunStatus.FAILED, failure=failure)
    return step(made, answered(ctx_size, 50), broken(ctx_size, 75), peaks=(20, 22))


def outcome(*steps: FillStep, ask: FillAsk = ASK) -> FillOutcome:
    found = fill_outcome(ask, steps)
    assert {m.code for m in (found.sentence, *found.reasons)} <= set(TEXTS)
    return found


# -- contexts and depths -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ctx_size", "lower"),
    [(262144, 131072), (200_000, 100_000), (131072, 65536), (100_000, 65536), (65536, 32768), (40_000, 32768),
     (4096, 2048), (2048, None), (1024, None)],
)  # fmt: skip
def test_the_next_lower_context(ctx_size: int, lower: int | None) -> None:
    assert lower_ctx(ctx_size) == lower


@pytest.mark.parametrize("ctx_size", [1024, 2048, 4096, 10_000, 65536, 262144])
def test_prompt_and_answer_always_fit(ctx_size: int) -> None:
    depths = [fill_depth(ctx_size, share) for share in SHARES]
    assert depths == sorted(depths)
    assert depths[0] == ctx_size // 2
    assert depths[-1] + 100 < ctx_size
    assert ctx_size < 2048 or depths[-1] == ctx_size * 92 // 100


def test_a_context_without_room_for_the_answer_is_not_tried() -> None:
    assert not has_room(300)
    assert has_room(1024)
    assert not has_room(2048, answer_tokens=1000)
    assert lower_ctx(4096, answer_tokens=1000) is None


def test_a_server_with_less_context_is_filled_by_what_it_has() -> None:
    assert depth_of(fill_prompt(8192, 50), None) == 4096
    assert depth_of(fill_prompt(8192, 50), 4096) == 2048
    assert depth_of(fill_prompt(8192, 50), 8448) == 4096, "rounded up: the context asked for counts"


# -- one start -----------------------------------------------------------------------------------------------


def test_three_answers_and_enough_memory_are_safe() -> None:
    found = outcome(whole(65536))

    assert found.largest_safe_ctx == 65536
    assert found.margin_bytes == 3 * GIB
    assert found.memory == "vram"
    assert found.sentence.sentence() == (
        "A context of 65536 tokens is safe: every answer came complete, and 3.0 GiB of the card stayed free "
        "(at least 1.0 shall)."
    )
    assert [(p.share, p.filled, p.free_bytes) for p in found.points] == [
        (50, 32768, 5 * GIB), (75, 49152, 4 * GIB), (92, 60293, 3 * GIB),
    ]  # fmt: skip
    assert next_ctx(ASK, [whole(65536)]) is None


def test_the_peak_between_two_requests_counts_into_the_margin() -> None:
    assert outcome(whole(65536, memory=vram(22.5))).margin_bytes == round(1.5 * GIB)


def test_just_the_margin_is_enough_and_a_byte_less_is_not() -> None:
    exactly, less = whole(65536, (19, 20, 23)), whole(65536, (19, 20, 23 + 1 / GIB))

    assert exactly.state == "safe"
    assert less.state == "memory"
    assert less.reason is not None
    assert less.reason.code == "fill_step_tight"
    assert next_ctx(ASK, [less]) == 32768


def test_memory_that_was_not_read_leaves_the_margin_unknown() -> None:
    for memory in (None, vram(None)):
        found = outcome(whole(65536, (), memory=memory))
        assert found.largest_safe_ctx == 65536
        assert found.margin_bytes is None
        assert found.sentence.code == "fill_safe_unknown"


@pytest.mark.parametrize(
    "more",
    [
        {"devices": (), "memory": MemoryFacts("ram", None, GIB, 60 * GIB, 61 * GIB)},
        {"devices": (METAL,), "memory": MemoryFacts("ram", None, GIB, 60 * GIB, 61 * GIB)},
        {"devices": (), "memory": vram(23.9)},
        {"settings_effective": EffectiveSettings(layers_offloaded=0), "memory": vram(23.9)},
    ],
    ids=["no card", "Apple", "a build for the processor", "no layer on the card"],
)
def test_main_memory_has_no_margin(more: dict[str, Any]) -> None:
    found = outcome(whole(65536, **more))

    assert (found.largest_safe_ctx, found.margin_bytes, found.memory) == (65536, None, "ram")
    assert found.sentence.code == "fill_safe_ram"
    assert all(p.free_bytes is None for p in found.points)
    on_a_card = more["memory"].kind == "vram"
    assert all((p.peak_bytes is None) == on_a_card for p in found.points), (
        "another program's memory is not ours"
    )


def test_a_card_that_nobody_watches_leaves_the_margin_unknown() -> None:
    resident = MemoryFacts("ram", None, GIB, 60 * GIB, 61 * GIB)
    arc = DeviceFacts("Vulkan0", "Intel(R) Arc(TM) A770 Graphics", 16 * GIB, None)
    for more in ({}, {"settings_effective": EffectiveSettings(layers_offloaded=33)}):
        found = outcome(whole(65536, memory=resident, devices=(arc,), **more))

        assert (found.largest_safe_ctx, found.margin_bytes, found.memory) == (65536, None, None)
        assert found.sentence.code == "fill_safe_unknown"
        assert all(p.peak_bytes is None for p in found.points), "its resident memory is not what it took"


def test_of_several_cards_the_fullest_decides() -> None:
    split = MemoryFacts("vram", 0, 0, 42 * GIB, 48 * GIB, free_least=GIB // 2)
    peaks = [MemoryPeak(42 * GIB, GIB // 2)] * 3
    made = start(65536, memory=split)
    found = fill_step(ASK, made, [answered(65536, s) for s in SHARES], peaks)

    assert (found.state, found.free_bytes) == ("memory", GIB // 2)


def test_a_spill_is_want_of_memory() -> None:
    spilled = whole(65536, memory=replace(vram(20), spill="yes"))

    assert spilled.state == "memory"
    assert spilled.reason == Message.of("fill_step_spilled", ctx=65536)


def test_what_explains_a_spill_and_what_to_try_stand_beside_it_once() -> None:
    reason, advice = Message.of("spill_yes_shared", free=1, grown=2), Message.of("spill_advice_context")
    memory = replace(vram(20), spill="yes", spill_reason=reason, spill_advice=(advice,))
    found = outcome(whole(65536, memory=memory), whole(32768, memory=memory), whole(16384))

    assert [m.code for m in found.reasons] == [
        "fill_step_spilled", "fill_step_spilled", "spill_yes_shared", "spill_advice_context",
    ]  # fmt: skip
    calm = replace(vram(20), spill="no", spill_reason=Message.of("spill_no_room", free=4096))
    assert outcome(whole(65536, memory=calm)).reasons == ()


def test_too_little_never_looks_like_enough() -> None:
    less = whole(65536, memory=vram((24 * GIB - ASK.keep_bytes + 1) / GIB))

    assert less.reason is not None
    assert "only 0.99 GiB of the card stayed free; 1.0 are to be kept" in less.reason.sentence()


def test_an_answer_that_the_context_cut_is_not_complete() -> None:
    cut = answered(65536, 92, timings={"predicted_n": 61})
    found = outcome(step(start(65536), answered(65536, 50), answered(65536, 75), cut))

    assert found.largest_safe_ctx is None
    assert found.points[-1].failure == Message.of("fill_answer_cut", tokens=61, wanted=100)
    assert found.sentence.code == "fill_failed"
    assert "61 of 100" in found.sentence.sentence()


def test_an_answer_that_ended_by_itself_is_complete_however_short() -> None:
    short = answered(65536, 92, timings={"predicted_n": 1}, times={"finish_reason": "stop"})

    assert step(start(65536), answered(65536, 50), answered(65536, 75), short).state == "safe"


def test_a_prompt_that_did_not_fill_the_context_is_named() -> None:
    thin = answered(65536, 92, timings={"prompt_n": 30_000})
    found = outcome(step(start(65536), answered(65536, 50), answered(65536, 75), thin))

    assert [m.code for m in found.reasons] == ["fill_shallow"]


def test_mtp_that_did_not_run_is_named() -> None:
    assert [m.code for m in outcome(whole(65536, mtp_active=False)).reasons] == ["verdict_mtp_not_active"]


# -- steps down ----------------------------------------------------------------------------------------------


def test_out_of_memory_steps_down_to_what_is_safe() -> None:
    steps = [dead(65536), whole(32768)]
    found = outcome(*steps)

    assert next_ctx(ASK, steps[:1]) == 32768
    assert next_ctx(ASK, steps) is None
    assert (found.asked_ctx, found.largest_safe_ctx) == (65536, 32768)
    assert [m.sentence() for m in found.reasons] == [
        "65536 tokens, 75 % full: The engine ran out of memory: CUDA error: out of memory"
    ]
    assert [(p.ctx_size, p.share, p.ok) for p in found.points] == [
        (65536, 50, True), (65536, 75, False), (32768, 50, True), (32768, 75, True), (32768, 92, True),
    ]  # fmt: skip
    assert found.points[1].failure == OUT_OF_MEMORY, "not the broken connection it was seen by"


@pytest.mark.parametrize("failure", [OUT_OF_MEMORY, Message.of("ended_killed")])
def test_no_start_for_want_of_memory_steps_down(failure: Message) -> None:
    stillborn = step(start(65536, status=RunStatus.FAILED, failure=failure, memory=None))

    assert stillborn.state == "memory"
    assert next_ctx(ASK, [stillborn]) == 32768
    (point,) = outcome(stillborn).points
    assert (point.share, point.ok, point.failure) == (0, False, failure)
    assert outcome(stillborn).reasons[0].code == "fill_step_loading"


@pytest.mark.parametrize(
    "code", ["ended_signal_silent", "ended_bad_model", "stream_silent", "request_refused"]
)
def test_any_other_failure_ends_the_test_with_its_reason(code: str) -> None:
    steps = [dead(65536), dead(32768, Message.of(code, signal="SIGSEGV", line="x", seconds=1))]
    found = outcome(*steps)

    assert next_ctx(ASK, steps) is None
    assert found.largest_safe_ctx is None
    assert found.sentence.code == "fill_failed"
    assert steps[1].points[-1].failure is not None
    assert steps[1].points[-1].failure.sentence() in found.sentence.sentence()
    assert [m.code for m in found.reasons] == ["fill_step_died", "fill_step_died"]


def test_death_between_two_answers_is_a_failure_too() -> None:
    made = start(65536, status=RunStatus.FAILED, failure=OUT_OF_MEMORY)
    found = step(made, answered(65536, 50))

    assert found.state == "memory"
    assert [p.ok for p in found.points] == [True]


def test_none_is_safe() -> None:
    ask = replace(ASK, ctx_size=8192)
    steps = [dead(8192), dead(4096), whole(2048, (23.9, 23.9, 23.9))]
    found = outcome(*steps, ask=ask)

    assert next_ctx(ask, steps) is None
    assert found.largest_safe_ctx is None
    assert found.margin_bytes == 24 * GIB - round(23.9 * GIB)
    assert found.sentence.sentence() == "No context tried is safe: 8192, 4096, 2048 tokens."
    assert [m.code for m in found.reasons] == ["fill_step_died", "fill_step_died", "fill_step_tight"]


def test_a_server_that_had_less_is_judged_by_what_it_had() -> None:
    had = EffectiveSettings(ctx_size=20_000)
    tight = whole(65536, (19, 20, 23.5), settings_effective=had)

    assert {p.ctx_size for p in tight.points} == {20_000}
    assert tight.points[0].depth == 10_000
    assert next_ctx(ASK, [tight]) == 16384, "32768 would be more than it had"
    assert outcome(whole(65536, settings_effective=had)).largest_safe_ctx == 20_000


# -- broken off ----------------------------------------------------------------------------------------------


def test_nothing_done_begins_with_what_was_asked() -> None:
    assert next_ctx(ASK, []) == 65536
    assert outcome().sentence.code == "fill_unfinished"
    assert outcome().points == ()


@pytest.mark.parametrize("status", [RunStatus.CANCELLED, RunStatus.INTERRUPTED])
def test_a_start_that_was_broken_off_is_done_again_and_keeps_its_points(status: RunStatus) -> None:
    cancelled = answered(32768, 75, times={"finish_reason": None, "cancelled": True})
    off = step(start(32768, status=status), answered(32768, 50), cancelled, peaks=(19, 20))
    steps = [dead(65536), off]

    assert next_ctx(ASK, steps) == 32768
    found = outcome(*steps)
    assert found.sentence.code == "fill_unfinished"
    assert [(p.ctx_size, p.share) for p in found.points] == [(65536, 50), (65536, 75), (32768, 50)]
    again = outcome(*steps, whole(32768))
    assert again.largest_safe_ctx == 32768
    assert [p.share for p in again.points if p.ctx_size == 32768] == [50, 75, 92], "each point once"


def test_a_test_that_must_go_on_is_not_called_unsafe() -> None:
    assert outcome(dead(65536)).sentence.code == "fill_unfinished"


def test_a_start_without_warm_up_counts_from_its_first_request() -> None:
    prompts = fill_prompts(4096)
    done: list[DoneRequest] = []
    left = [requests_left(done, prompts, 1, warm_up=False)]
    while (planned := next_request(done, prompts, 1, seed=1, warm_up=False)) is not None:
        assert planned.phase == "counted"
        done.append(DoneRequest(planned.phase, planned.prompt_id, 10.0))
        left.append(requests_left(done, prompts, 1, warm_up=False))

    assert [d.prompt_id for d in done] == list(prompts)
    assert left == [3, 2, 1, 0]


def test_the_prompts_of_a_step_are_named_by_context_and_share() -> None:
    assert fill_prompts(4096) == ("fill-4096-50", "fill-4096-75", "fill-4096-92")
