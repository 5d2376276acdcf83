"""The memory a launch takes: the worked examples of published models, and what follows from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtune.core.memory import (
    CARD_OVERHEAD_BYTES,
    Sizes,
    beyond_training,
    estimate,
    fit_state,
    refusal,
    view,
    warning,
)
from qtune.core.memory_compute import mtp_compute_bytes, target_compute_bytes
from qtune.core.memory_facts import MemoryEstimate, MemoryKind, MemoryPart, Room
from qtune.core.model_facts import KvLayer, ModelFacts, WeightBytes
from qtune.core.settings import ServerSettings
from tests.unit.core.published_shapes import GIB, MIB, QWEN36_27B, QWEN36_35B_A3B, with_shape


def estimated(model: ModelFacts, *, on_card: bool = True, **values: Any) -> MemoryEstimate:
    found = estimate(model, ServerSettings(**values), on_card=on_card)
    assert found is not None
    return found


def largest_context(
    model: ModelFacts, settings: ServerSettings, *, room_free_bytes: int | None, keep_bytes: int, **how: Any
) -> int | None:
    return Sizes(model, settings, **how).largest(room_free_bytes, keep_bytes)


def mib(model: ModelFacts, kind: MemoryKind, **values: Any) -> float:
    return estimated(model, **values).bytes_of(kind) / MIB


# -- the published figures --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ctx", "f16", "q8_0", "mtp_f16", "mtp_q8_0"),
    [
        (8192, 512, 272, 32, 17),
        (32_768, 2048, 1088, 128, 68),
        (65_536, 4096, 2176, 256, 136),
        (131_072, 8192, 4352, 512, 272),
        (262_144, 16_384, 8704, 1024, 544),
    ],
)
def test_caches_of_qwen36_27b(ctx: int, f16: int, q8_0: int, mtp_f16: int, mtp_q8_0: int) -> None:
    small = {"cache_type_k": "q8_0", "cache_type_v": "q8_0"}
    small_head = {"draft_cache_type_k": "q8_0", "draft_cache_type_v": "q8_0"}
    assert mib(QWEN36_27B, "kv", ctx_size=ctx) == f16
    assert mib(QWEN36_27B, "kv", ctx_size=ctx, **small) == q8_0
    assert mib(QWEN36_27B, "mtp_kv", ctx_size=ctx, mtp=True, **small) == mtp_f16  # not inherited
    assert mib(QWEN36_27B, "mtp_kv", ctx_size=ctx, mtp=True, **small_head) == mtp_q8_0
    assert mib(QWEN36_27B, "mtp_kv", ctx_size=ctx) == 0


@pytest.mark.parametrize(("kind", "kib"), [("q4_0", 18), ("iq4_nl", 18), ("q5_1", 24), ("f32", 128)])
def test_other_cache_types_per_token_of_qwen36_27b(kind: str, kib: int) -> None:
    both = {"cache_type_k": kind, "cache_type_v": kind}
    assert mib(QWEN36_27B, "kv", ctx_size=1024, **both) == kib


@pytest.mark.parametrize(
    ("model", "slots", "row"),
    [
        (QWEN36_27B, 1, {0: 150, 1: 299, 2: 449, 3: 598, 4: 748, 6: 1047}),
        (QWEN36_27B, 2, {0: 299, 1: 598, 2: 898, 3: 1197, 4: 1496, 6: 2095}),
        (QWEN36_27B, 4, {0: 598, 1: 1197, 2: 1796, 3: 2394, 4: 2993, 6: 4190}),
        (QWEN36_27B, 8, {0: 1197}),  # eight slots that died on an allocation of 1197 MiB
        (QWEN36_35B_A3B, 1, {0: 63, 2: 188, 3: 251, 6: 440}),
        (QWEN36_35B_A3B, 4, {0: 251, 3: 1005, 6: 1759}),
    ],
)
def test_recurrent_states(model: ModelFacts, slots: int, row: dict[int, int]) -> None:
    for n_max, published in row.items():
        parts = estimated(model, ctx_size=32_768, parallel=slots, mtp=n_max > 0, n_max=n_max or 3)
        found = (parts.bytes_of("recurrent") + parts.bytes_of("mtp_recurrent")) / MIB
        assert abs(found - published) <= 0.5  # the figures are rounded to whole MiB
        assert parts.bytes_of("mtp_recurrent") == n_max * parts.bytes_of("recurrent")


def test_one_copy_of_the_state_to_the_byte() -> None:
    assert mib(QWEN36_27B, "recurrent") == 149.625
    assert mib(QWEN36_35B_A3B, "recurrent") == 62.8125


def test_caches_of_qwen36_35b_a3b() -> None:
    assert mib(QWEN36_35B_A3B, "kv", ctx_size=65_536) == 1280
    assert mib(QWEN36_35B_A3B, "kv", ctx_size=131_072) == 2560
    assert mib(QWEN36_35B_A3B, "kv", ctx_size=1024, cache_type_k="q8_0", cache_type_v="q8_0") == 10.625
    assert mib(QWEN36_35B_A3B, "mtp_kv", ctx_size=1024, mtp=True) == 2


def test_states_are_copied_only_where_the_architecture_takes_drafts_back() -> None:
    other = replace(QWEN36_27B, arch="qwen3next")
    assert mib(other, "mtp_recurrent", mtp=True, n_max=6) == 0
    assert mib(other, "recurrent", mtp=True, n_max=6) == 149.625


def test_compute_buffers_of_the_27b_class_on_a_card() -> None:
    for ctx in (8192, 65_536, 131_072):
        parts = estimated(QWEN36_27B, ctx_size=ctx, mtp=True, ubatch_size=512)
        both = parts.bytes_of("compute") + parts.bytes_of("mtp_compute")
        assert 0.6 * GIB < both < 1.2 * GIB
        assert {p.kind for p in parts.parts if p.source == "estimated"} == {
            "compute",
            "mtp_compute",
            "overhead",
        }


# llama-server b11434 on the processor, "--fit on": MiB cut to whole numbers, n_max 3, one slot.
@pytest.mark.parametrize(
    ("model", "launch", "target", "head"),
    [
        (QWEN36_27B, (64, 8192, "auto"), 28, 16),
        (QWEN36_27B, (128, 8192, "auto"), 44, 32),
        (QWEN36_27B, (512, 2048, "auto"), 154, 124),
        (QWEN36_27B, (512, 32_768, "auto"), 184, 130),
        (QWEN36_27B, (512, 131_072, "auto"), 280, 196),
        (QWEN36_27B, (2048, 8192, "auto"), 640, 520),
        (QWEN36_27B, (512, 32_768, "off"), 1690, 1660),
        (QWEN36_35B_A3B, (128, 8192, "auto"), 29, 17),
        (QWEN36_35B_A3B, (512, 8192, "auto"), 84, 68),
        (QWEN36_35B_A3B, (512, 131_072, "auto"), 204, 168),
        (QWEN36_35B_A3B, (512, 8192, "off"), 318, 306),
    ],
)
def test_compute_buffers_are_those_of_the_engines_own_plan(
    model: ModelFacts, launch: tuple[int, int, str], target: int, head: int
) -> None:
    ubatch, ctx, flash = launch
    settings = ServerSettings(ctx_size=ctx, ubatch_size=ubatch, flash_attn=flash, mtp=True, n_max=3)
    assert model.shape is not None
    found = target_compute_bytes(model.shape, settings, copies=4, on_card=False)
    found_head = mtp_compute_bytes(model.shape, settings)
    assert found is not None
    assert found_head is not None
    assert found / MIB == pytest.approx(target + 0.5, rel=0.04)
    assert found_head / MIB == pytest.approx(head + 0.5, rel=0.04)


# -- which weights go where -------------------------------------------------------------------------------


def test_the_embedding_stays_in_main_memory_unless_it_is_the_output_too() -> None:
    tied = with_shape(QWEN36_27B, weights=WeightBytes(16 * GIB, 682 * MIB, None, 256 * MIB))
    assert mib(QWEN36_27B, "weights") == 16 * 1024 - 256 - 682
    assert mib(tied, "weights") == 16 * 1024 - 256
    assert mib(QWEN36_27B, "weights", on_card=False) == mib(tied, "weights", on_card=False) == 16 * 1024 - 256


def test_no_layers_on_the_card_is_main_memory() -> None:
    off = estimated(QWEN36_27B, gpu_layers="none")
    assert not off.on_card
    assert off.bytes_of("weights") == estimated(QWEN36_27B, on_card=False).bytes_of("weights")
    assert off.bytes_of("overhead") == 0
    assert estimated(QWEN36_27B, gpu_layers="auto").bytes_of("overhead") == CARD_OVERHEAD_BYTES


@pytest.mark.parametrize(("layers", "trunk", "head"), [(10, 10, 0), (40, 40, 0), (41, 40, 1), (99, 40, 1)])
def test_experts_moved_to_the_processor_leave_the_card(layers: int, trunk: int, head: int) -> None:
    before, after = (estimated(QWEN36_35B_A3B, mtp=True, n_cpu_moe=n) for n in (0, layers))
    assert before.bytes_of("weights") - after.bytes_of("weights") == trunk * 432 * MIB
    assert before.bytes_of("mtp_weights") - after.bytes_of("mtp_weights") == head * 432 * MIB
    here = estimated(QWEN36_35B_A3B, mtp=True, n_cpu_moe=layers, on_card=False)
    assert here.bytes_of("weights") + here.bytes_of("mtp_weights") == 20 * GIB


def test_what_mtp_adds() -> None:
    off, on = (estimated(QWEN36_27B, ctx_size=65_536, mtp=mtp, n_max=3) for mtp in (False, True))
    assert off.mtp_bytes == 0
    assert on.total_bytes == off.total_bytes + on.mtp_bytes
    assert on.bytes_of("mtp_recurrent") + on.bytes_of("mtp_kv") + on.bytes_of("mtp_weights") == int(
        (448.875 + 256 + 256) * MIB
    )


def test_a_head_in_a_file_of_its_own_brings_its_own_sizes() -> None:
    trunk = replace(
        with_shape(QWEN36_27B, mtp_kv=(), weights=WeightBytes(16 * GIB, 682 * MIB, 994 * MIB, 0)),
        nextn_layers=0,
        mtp="none",
    )
    head = with_shape(QWEN36_27B, weights=WeightBytes(900 * MIB, 682 * MIB, None, 218 * MIB))
    settings = ServerSettings(mtp=True, ctx_size=8192)
    without = estimate(trunk, settings, on_card=True)
    found = estimate(trunk, settings, on_card=True, head=head)
    assert without is not None
    assert without.gaps == ("qwen35.nextn_predict_layers",)
    assert found is not None
    assert (found.bytes_of("mtp_weights"), found.bytes_of("mtp_kv"), found.gaps) == (900 * MIB, 32 * MIB, ())


# -- caches -----------------------------------------------------------------------------------------------


def test_contexts_are_rounded_up_for_each_slot() -> None:
    assert mib(QWEN36_27B, "kv", ctx_size=257, parallel=3) == 3 * 512 / 16


def test_a_sliding_window_holds_itself_and_one_batch() -> None:
    model = with_shape(QWEN36_27B, kv=(KvLayer(4, 256, 256), KvLayer(4, 256, 256, window=1000)))
    assert mib(model, "kv", ctx_size=32_768, parallel=2) == 2 * (32_768 + 1536) * 4 / 1024
    assert mib(model, "kv", ctx_size=1024) == 2 * 1024 * 4 / 1024


@pytest.mark.parametrize(("slots", "ctx", "published"), [(1, 8192, 992), (2, 16_384, 3008)])
def test_caches_of_the_shape_of_gemma_3_12b(slots: int, ctx: int, published: int) -> None:
    """As llama-server b11434 plans them: every sixth of 48 layers has full attention."""
    layers = tuple(KvLayer(8, 256, 256, window=0 if n % 6 == 5 else 1024) for n in range(48))
    model = with_shape(QWEN36_27B, kv=layers, recurrent=None)
    assert mib(model, "kv", ctx_size=ctx, parallel=slots) == published


def test_a_compressed_cache_has_keys_only() -> None:
    model = with_shape(QWEN36_27B, kv=(KvLayer(1, 576, 0),) * 61, recurrent=None)
    assert mib(model, "kv", ctx_size=32_768) == 32_768 * 61 * 576 * 2 / MIB
    assert mib(model, "recurrent") == 0


def test_without_sizes_there_is_no_estimate_and_with_gaps_no_promise() -> None:
    room = Room("RTX 3090", "GPU-1", 24 * GIB, 1 * GIB)
    assert estimate(replace(QWEN36_27B, shape=None), ServerSettings(), on_card=True) is None
    assert view(replace(QWEN36_27B, shape=None), ServerSettings(), room, keep_bytes=0, on_card=True) is None
    gap = with_shape(QWEN36_27B, gaps=("qwen35.ssm.state_size",), recurrent=None)
    for ctx, state in ((8192, "unknown"), (1_048_576, "too_large")):
        shown = view(gap, ServerSettings(ctx_size=ctx), room, keep_bytes=GIB, on_card=True)
        assert shown is not None
        assert (shown.state, shown.largest_ctx) == (state, None)
        assert shown.estimate.gaps == ("qwen35.ssm.state_size",)


# -- what was learned -------------------------------------------------------------------------------------


def test_what_was_learned_replaces_the_part_of_its_kind() -> None:
    settings = ServerSettings(mtp=True)
    learned = (
        MemoryPart("compute", 160 * MIB, "measured"),
        MemoryPart("mtp_compute", 130 * MIB, "remembered"),
        MemoryPart("weights", 15_700 * MIB, "measured"),
    )
    found = estimate(QWEN36_27B, settings, on_card=True, learned=learned)
    assert found is not None
    by_kind = {part.kind: part for part in found.parts}
    assert by_kind["compute"] == learned[0]
    assert by_kind["mtp_compute"] == learned[1]
    # The engine names the weights of model and head in one figure.
    assert by_kind["weights"] == MemoryPart("weights", (15_700 - 256) * MIB, "measured")
    assert by_kind["mtp_weights"] == MemoryPart("mtp_weights", 256 * MIB, "computed")
    off = estimate(QWEN36_27B, ServerSettings(), on_card=True, learned=learned)
    assert off is not None
    assert off.mtp_bytes == 0
    assert off.bytes_of("weights") == 15_700 * MIB


def test_largest_context_moves_learned_parts_with_the_context() -> None:
    settings = ServerSettings(ctx_size=8192, mtp=True)
    plain = estimate(QWEN36_27B, settings, on_card=True)
    assert plain is not None
    same = tuple(replace(part, source="measured") for part in plain.parts if part.kind != "weights")
    fewer = (MemoryPart("compute", plain.bytes_of("compute") - 400 * MIB, "remembered"),)
    more = (MemoryPart("kv", 2 * plain.bytes_of("kv"), "measured"),)

    def largest(*learned: MemoryPart) -> int:
        found = largest_context(
            QWEN36_27B,
            settings,
            room_free_bytes=24 * GIB,
            keep_bytes=GIB,
            on_card=True,
            learned=learned,
        )
        assert found is not None
        return found

    assert largest(*same) == largest()
    # 400 MiB at 64 + 4 KiB for caches and 2 KiB for both masks, for each token
    assert largest(*fewer) - largest() == pytest.approx(400 * 1024 / 70, abs=300)
    assert largest(*more) == pytest.approx(largest() * 70 / 134, rel=0.02)


# -- against the memory there is ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free", "state"),
    [(None, "unknown"), (99, "too_large"), (100, "tight"), (109, "tight"), (110, "fits"), (-5, "too_large")],
)
def test_fit_state(free: int | None, state: str) -> None:
    assert fit_state(100, free, 10) == state


@given(
    free=st.integers(0, 40 * GIB),
    keep=st.integers(0, 2 * GIB),
    mtp=st.booleans(),
    parallel=st.integers(1, 4),
    flash=st.sampled_from(["auto", "off"]),
)
def test_the_largest_context_fits_and_the_next_does_not(
    free: int, keep: int, mtp: bool, parallel: int, flash: str
) -> None:
    settings = ServerSettings(mtp=mtp, parallel=parallel, flash_attn=flash)
    found = largest_context(QWEN36_27B, settings, room_free_bytes=free, keep_bytes=keep, on_card=True)

    def needed(ctx: int) -> int:
        parts = estimate(QWEN36_27B, replace(settings, ctx_size=ctx), on_card=True)
        assert parts is not None
        return parts.total_bytes

    if found is not None:
        assert found % 256 == 0
        assert needed(found) <= free - keep
    after = (found or 0) + 256
    assert after > 262_144 or needed(after) > free - keep


def test_the_largest_context_is_unknown_where_memory_is() -> None:
    assert (
        largest_context(QWEN36_27B, ServerSettings(), room_free_bytes=None, keep_bytes=0, on_card=True)
        is None
    )


# -- what is said -----------------------------------------------------------------------------------------


def said(room: Room | None, **values: Any) -> tuple[str | None, str | None]:
    on_card = values.pop("on_card", True)
    shown = view(QWEN36_27B, ServerSettings(**values), room, keep_bytes=GIB, on_card=on_card)
    assert shown is not None
    no, care = refusal(shown), warning(shown)
    return (None if no is None else f"{no.sentence()} {no.hint()}"), (
        None if care is None else f"{care.sentence()} {care.hint()}"
    )


CARD = Room("RTX 3090", "GPU-1", 24 * GIB, 1 * GIB)


def test_a_launch_that_fits_is_not_talked_about() -> None:
    assert said(CARD, ctx_size=32_768, mtp=True) == (None, None)
    assert said(None, ctx_size=262_144) == (None, None)
    assert said(replace(CARD, others_bytes=None), ctx_size=32_768) == (None, None)


def test_what_is_certainly_too_large_is_refused_with_figures() -> None:
    no, _ = said(CARD, ctx_size=262_144, mtp=True, n_max=3)
    assert no == (
        "This launch cannot work: it takes at least 32.9 GiB, and there are 24.0 GiB in all. "
        "The largest context that fits with MTP is 76032 tokens. MTP adds 2.0 GiB."
    )
    no, _ = said(replace(CARD, total_bytes=12 * GIB), ctx_size=8192)
    assert no is not None
    assert "Not even the smallest context fits" in no


@pytest.mark.parametrize(
    ("free", "mtp", "told"),
    [
        (
            2,
            False,
            "Not even the smallest context fits; leave experts of some layers to the processor (n_cpu_moe)",
        ),
        (2, True, "or smaller cache types. Without MTP it would be"),
        (
            23.5,
            False,
            "tokens of context leave as much free as they should; with experts of some layers left",
        ),
        (22, True, "with experts of some layers left to the processor (n_cpu_moe) more would. MTP adds"),
    ],
)
def test_experts_may_be_left_to_the_processor(free: float, mtp: bool, told: str) -> None:
    room = Room("RTX 3090", "GPU-1", 24 * GIB, round((24 - free) * GIB))
    settings = ServerSettings(ctx_size=131_072, mtp=mtp)
    shown = view(QWEN36_35B_A3B, settings, room, keep_bytes=GIB, on_card=True)
    assert shown is not None
    care = warning(shown)
    assert care is not None
    assert told in care.hint()
    assert shown.estimate.expert_bytes == 41 * 432 * MIB

    small = replace(shown, room=replace(room, total_bytes=12 * GIB))
    no = refusal(small)
    assert no is not None
    assert "n_cpu_moe" in no.hint()


def test_experts_that_left_are_no_advice() -> None:
    gone = estimated(QWEN36_35B_A3B, n_cpu_moe=99)
    assert gone.expert_bytes == estimated(QWEN36_27B).expert_bytes == 0
    assert estimated(QWEN36_35B_A3B, on_card=False).expert_bytes == 0


def test_a_guess_or_what_others_use_never_refuses() -> None:
    no, care = said(replace(CARD, others_bytes=20 * GIB), ctx_size=8192)
    assert no is None
    assert care is not None
    assert "it takes about 16.7 GiB, and 4.0 GiB are free" in care
    shown = view(QWEN36_27B, ServerSettings(), CARD, keep_bytes=GIB, on_card=True)
    assert shown is not None
    certain = sum(part.size_bytes for part in shown.estimate.parts if part.source == "computed")
    for total, refused in ((certain, False), (certain - 1, True)):
        assert (refusal(replace(shown, room=Room("", "", total, 0))) is not None) is refused


def test_weights_in_main_memory_may_stay_on_the_disk() -> None:
    small = Room("", "", 8 * GIB, 2 * GIB)
    no, care = said(small, on_card=False, ctx_size=8192)
    assert no is None
    assert care is not None
    no, _ = said(small, on_card=False, ctx_size=262_144)
    assert no is not None


def test_a_tight_launch_is_warned_of() -> None:
    no, care = said(replace(CARD, others_bytes=6 * GIB), ctx_size=16_384)
    assert no is None
    assert care is not None
    assert care.startswith("This will be tight: it takes about 17.2 of 18.0 GiB free, so 0.8 GiB stay free")
    assert "tokens of context leave as much free" in care


# -- beyond the training, below the smallest step --------------------------------------------------------


def test_a_model_trained_with_less_than_a_step_has_its_own_context() -> None:
    tiny = replace(QWEN36_27B, context_train=128)
    room = {"keep_bytes": 0, "on_card": True}
    assert largest_context(tiny, ServerSettings(), room_free_bytes=64 * GIB, **room) == 128
    assert largest_context(tiny, ServerSettings(), room_free_bytes=GIB, **room) is None


def test_a_context_beyond_the_training_is_remarked() -> None:
    trained = replace(QWEN36_27B, context_train=8192)
    assert beyond_training(trained, ServerSettings(ctx_size=8192)) is None
    assert beyond_training(replace(trained, context_train=None), ServerSettings(ctx_size=8448)) is None
    remark = beyond_training(trained, ServerSettings(ctx_size=8448))
    assert remark is not None
    assert "8448" in remark.sentence()
    assert "8192" in remark.hint()


def test_an_assistant_head_has_no_cache_of_its_own_and_lacks_nothing() -> None:
    assert QWEN36_27B.shape is not None
    model = with_shape(replace(QWEN36_27B, arch="gemma4", mtp="none"), mtp_kv=())
    head = with_shape(replace(QWEN36_27B, arch="gemma4-assistant", mtp="sidecar"), kv=(), mtp_kv=())
    settings = ServerSettings(mtp=True)
    found = estimate(model, settings, on_card=True, head=head)
    assert found is not None
    assert found.gaps == ()
    assert found.bytes_of("mtp_weights") > 0
    other = estimate(model, settings, on_card=True, head=replace(head, arch="gemma4"))
    assert other is not None
    assert other.gaps == ("gemma4.nextn_predict_layers",)


def test_asking_again_with_other_room_gives_what_a_first_question_gives() -> None:
    settings = ServerSettings(mtp=True, n_max=4)
    learned = (MemoryPart("compute", 900 * MIB, "remembered"),)
    asked = Sizes(QWEN36_27B, settings, on_card=True, learned=learned)
    for free in (18, 23, 21, 23):
        room = Room("vram", "card", 24 * GIB, free * GIB)
        fresh = view(QWEN36_27B, settings, room, keep_bytes=GIB, on_card=True, learned=learned)
        assert asked.view(room, GIB) == fresh
