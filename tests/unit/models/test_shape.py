"""Layers, states and weights of models by their headers: published figures, and the odd architectures."""

from __future__ import annotations

from pathlib import Path

import pytest

from qtune.core.model_facts import KvLayer, ModelFacts, ModelShape, RecurrentShape
from qtune.models.gguf_header import read_model
from tests.unit.models.published import (
    Item,
    Tensor,
    nbytes,
    write_header,
    write_qwen36_27b,
    write_qwen36_35b_a3b,
)

MIB = 1 << 20


def facts_of(
    tmp_path: Path, arch: str, keys: dict[str, Item], tensors: list[Tensor] | None = None
) -> ModelFacts:
    own = {"block_count": 4, "embedding_length": 64, "feed_forward_length": 128, "vocab_size": 100,
           "attention.head_count": 4} | keys  # fmt: skip
    named: dict[str, Item] = {f"{arch}.{key}": value for key, value in own.items() if value != "absent"}
    return read_model(
        write_header(tmp_path / "m.gguf", {"general.architecture": arch} | named, tensors or [])
    )


def shape_of(
    tmp_path: Path, arch: str, keys: dict[str, Item], tensors: list[Tensor] | None = None
) -> ModelShape:
    shape = facts_of(tmp_path, arch, keys, tensors).shape
    assert shape is not None
    return shape


def heads(shape: ModelShape) -> list[int]:
    return [layer.heads for layer in shape.kv]


# -- published models --------------------------------------------------------------------------------------


def test_qwen36_27b(tmp_path: Path) -> None:
    facts = read_model(write_qwen36_27b(tmp_path / "a.gguf"))
    shape = facts.shape
    assert shape is not None
    assert (facts.block_count, facts.nextn_layers, facts.mtp, facts.size_label) == (65, 1, "embedded", "27B")
    assert (facts.mtp_tensors, facts.mtp_quant, facts.imatrix) == (15, "Q8_0", True)
    assert facts.sampling == (("temp", 1.0), ("top_k", 20.0), ("top_p", pytest.approx(0.95)))
    assert shape.kv == (KvLayer(4, 256, 256),) * 16
    assert shape.mtp_kv == (KvLayer(4, 256, 256),)
    assert shape.recurrent == RecurrentShape(48, 4, 6144, 16, 128)
    assert (shape.embedding_length, shape.feed_forward_length, shape.heads) == (5120, 17_408, 24)
    assert (shape.vocabulary, shape.gaps) == (248_320, ())
    assert shape.weights.embedding == pytest.approx(682 * MIB, abs=MIB)  # as in the engine's log
    assert shape.weights.output == nbytes((5120, 248_320), "Q6_K")
    assert shape.weights.head == pytest.approx(425e6 * 34 / 32, rel=0.001)  # 425 million parameters
    assert shape.weights.experts == ()
    assert facts.size_bytes - 100_000 < shape.weights.total < facts.size_bytes


def test_qwen36_35b_a3b(tmp_path: Path) -> None:
    facts = read_model(write_qwen36_35b_a3b(tmp_path / "a.gguf"))
    shape = facts.shape
    assert shape is not None
    assert shape.kv == (KvLayer(2, 256, 256),) * 10
    assert shape.mtp_kv == (KvLayer(2, 256, 256),)
    assert shape.recurrent == RecurrentShape(30, 4, 4096, 16, 128)
    assert (shape.feed_forward_length, shape.gaps) == (8 * 512, ())
    assert len(shape.weights.experts) == 41
    assert shape.weights.experts[0] == 3 * nbytes((2048, 512, 256), "Q4_K")
    assert shape.weights.experts[40] == pytest.approx(805e6 * 34 / 32, rel=0.001)
    assert shape.weights.head == pytest.approx(845e6 * 34 / 32, rel=0.002)


@pytest.mark.parametrize("write", [write_qwen36_27b, write_qwen36_35b_a3b])
def test_without_a_head_and_as_a_head_alone(tmp_path: Path, write: type) -> None:
    whole = read_model(write(tmp_path / "whole.gguf"))
    bare = read_model(write(tmp_path / "bare.gguf", head=None))
    alone = read_model(write(tmp_path / "alone.gguf", trunk=False))
    assert whole.shape
    assert bare.shape
    assert alone.shape
    assert (bare.mtp, bare.mtp_tensors, bare.mtp_quant, bare.shape.mtp_kv) == ("none", 0, "", ())
    assert bare.shape.kv == whole.shape.kv
    assert bare.shape.weights.total == whole.shape.weights.total - whole.shape.weights.head
    assert (alone.mtp, alone.mtp_tensors) == ("sidecar", whole.mtp_tensors)
    assert alone.shape.mtp_kv == whole.shape.mtp_kv
    assert alone.shape.weights.head == whole.shape.weights.head


# -- layers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arch", "keys", "expected"),
    [
        ("llama", {"attention.head_count_kv": 2}, [2, 2, 2, 2]),
        ("llama", {}, [4, 4, 4, 4]),  # as many as heads
        ("lfm2", {"attention.head_count_kv": [0, 2, 0, 3]}, [2, 3]),
        ("llama", {"attention.head_count_kv": [1, 2]}, [1, 2]),
        ("gemma4", {"attention.head_count_kv": 2, "attention.shared_kv_layers": 3}, [2]),
        ("gemma4", {"attention.head_count_kv": 2, "attention.shared_kv_layers": 9}, []),
        ("qwen35", {"attention.head_count_kv": 2}, [2]),  # every fourth without the key
        ("qwen35", {"attention.head_count_kv": 2, "full_attention_interval": 2}, [2, 2]),
        ("qwen35", {"attention.head_count_kv": 2, "full_attention_interval": 0}, [2, 2, 2, 2]),
        ("qwen35", {"attention.recurrent_layers": [True, False, False, True]}, [4, 4]),
        ("qwen35", {"attention.head_count_kv": [7, 7, 7, 3]}, [3]),
    ],
)  # fmt: skip
def test_which_layers_own_a_cache(
    tmp_path: Path, arch: str, keys: dict[str, Item], expected: list[int]
) -> None:
    shape = shape_of(tmp_path, arch, keys)
    assert heads(shape) == expected


def test_compressed_attention_keeps_keys_alone(tmp_path: Path) -> None:
    keys: dict[str, Item] = {
        "attention.head_count_kv": 1, "attention.key_length": 576, "attention.value_length": 512,
        "attention.kv_lora_rank": 512, "rope.dimension_count": 64, "attention.key_length_mla": 192,
        "attention.value_length_mla": 128, "nextn_predict_layers": 1,
    }  # fmt: skip
    shape = shape_of(tmp_path, "deepseek2", keys)
    assert shape.kv == (KvLayer(1, 576, 0),) * 3
    assert shape.mtp_kv == (KvLayer(1, 576, 0),)
    assert shape_of(tmp_path, "deepseek2", keys | {"attention.key_length": "absent"}).kv == shape.kv
    plain = keys | {"attention.key_length_mla": "absent", "attention.value_length_mla": "absent"}
    assert shape_of(tmp_path, "deepseek2", plain).kv[0] == KvLayer(1, 576, 512)


@pytest.mark.parametrize(
    ("arch", "pattern", "windows"),
    [
        ("gemma4", [True, True, True, True, False, True], [64, 64, 64, 64, 0, 64]),
        ("gemma4", [1, 0], [64, 0, 0, 0, 0, 0]),
        ("cohere2", 3, [64, 64, 0, 64, 64, 0]),
        ("cohere2", 0, [64] * 6),
        ("cohere2", 1, [0] * 6),
        ("gpt-oss", "absent", [64, 0, 64, 0, 64, 0]),
        ("phi3", "absent", [0] * 6),
    ],
)
def test_sliding_windows(tmp_path: Path, arch: str, pattern: Item, windows: list[int]) -> None:
    keys: dict[str, Item] = {
        "block_count": 6, "attention.sliding_window": 64, "attention.sliding_window_pattern": pattern,
        "attention.key_length": 32, "attention.key_length_swa": 16,
    }  # fmt: skip
    shape = shape_of(tmp_path, arch, keys)
    assert [layer.window for layer in shape.kv] == windows
    assert [layer.key_length for layer in shape.kv] == [16 if window else 32 for window in windows]


def test_a_head_has_attention_whatever_the_trunk_has(tmp_path: Path) -> None:
    keys: dict[str, Item] = {
        "block_count": 6,
        "nextn_predict_layers": 2,
        "attention.head_count_kv": [0, 2, 0, 2],
    }
    shape = shape_of(tmp_path, "nemotron_h_moe", keys)
    assert heads(shape) == [2, 2]
    assert shape.mtp_kv == (KvLayer(2, 16, 16),) * 2


def test_the_assistant_of_gemma_has_no_cache_of_its_own(tmp_path: Path) -> None:
    tensors: list[Tensor] = [
        ("blk.0.attn_q.weight", (64, 64), "Q8_0"),
        ("token_embd.weight", (64, 96), "F16"),
    ]
    facts = facts_of(tmp_path, "gemma4-assistant", {"nextn_predict_layers": 4}, tensors)
    assert facts.mtp == "sidecar"
    assert facts.shape
    assert (facts.shape.kv, facts.shape.mtp_kv, facts.shape.vocabulary) == ((), (), 96)
    assert (facts.mtp_tensors, facts.mtp_quant) == (1, "Q8_0")


def test_states_of_other_kinds(tmp_path: Path) -> None:
    ssm: dict[str, Item] = {"ssm.conv_kernel": 4, "ssm.inner_size": 128, "ssm.state_size": 16}
    state: list[Tensor] = [(f"blk.{n}.ssm_conv1d.weight", (4, 32), "F32") for n in (0, 1)]
    mamba = shape_of(tmp_path, "mamba", ssm | {"block_count": 2, "attention.head_count": "absent"}, state)
    assert (mamba.kv, mamba.recurrent, mamba.gaps) == ((), RecurrentShape(2, 4, 128, 0, 16), ())
    hybrid = {"attention.head_count_kv": [0, 0, 2, 0], "ssm.group_count": 2}
    nemotron = shape_of(tmp_path, "nemotron_h", ssm | hybrid, state)  # the last layer has neither
    assert (heads(nemotron), nemotron.recurrent) == ([2], RecurrentShape(2, 4, 128, 2, 16))
    falcon = shape_of(tmp_path, "falcon-h1", ssm | {"block_count": 2, "attention.head_count_kv": 1}, state)
    assert (heads(falcon), falcon.recurrent) == ([1, 1], RecurrentShape(2, 4, 128, 0, 16))
    short: list[Tensor] = [("blk.0.shortconv.conv.weight", (3, 64), "F32")]
    lfm = shape_of(tmp_path, "lfm2", {"attention.head_count_kv": [0, 2, 2, 2], "shortconv.l_cache": 3}, short)
    assert (heads(lfm), lfm.recurrent) == ([2, 2, 2], RecurrentShape(1, 3, 64, 0, 0))
    kimi = shape_of(tmp_path, "kimi-linear", {"kda.head_dim": 8, "ssm.conv_kernel": 4}, state)
    # 3 x (conv - 1) x heads x head_dim and head_dim^2 x heads, in an SSM's terms
    assert kimi.recurrent == RecurrentShape(2, 4, 32, 4, 8)


# -- weights -----------------------------------------------------------------------------------------------


def test_a_tied_output_and_an_unknown_type(tmp_path: Path) -> None:
    tensors: list[Tensor] = [("token_embd.weight", (64, 96), "F16"), ("blk.0.attn_q.weight", (64, 64), "F32")]
    shape = shape_of(tmp_path, "llama", {}, tensors)
    assert (shape.weights.output, shape.weights.embedding) == (None, 64 * 96 * 2)
    path = tmp_path / "m.gguf"
    raw = bytearray(path.read_bytes())
    at = raw.index(b"token_embd.weight") + len("token_embd.weight") + 4 + 16
    raw[at : at + 4] = (77).to_bytes(4, "little")
    path.write_bytes(raw)
    unknown = read_model(path).shape
    assert unknown is not None
    assert unknown.weights.embedding == 64 * 96 * 2  # up to the next tensor
    assert unknown.weights.total == shape.weights.total


def test_gaps_are_named_and_left_out(tmp_path: Path) -> None:
    absent = dict.fromkeys(
        ("embedding_length", "feed_forward_length", "vocab_size", "attention.head_count"), "absent"
    )
    shape = shape_of(tmp_path, "qwen35", dict(absent))
    assert (shape.kv, shape.recurrent, shape.vocabulary) == ((), None, None)
    assert set(shape.gaps) == {
        "qwen35.embedding_length", "qwen35.feed_forward_length", "qwen35.vocab_size",
        "qwen35.ssm.conv_kernel", "qwen35.ssm.inner_size", "qwen35.ssm.state_size",
        "qwen35.attention.head_count_kv",
    }  # fmt: skip


def test_sampling_defaults_are_numbers_with_known_names(tmp_path: Path) -> None:
    keys: dict[str, Item] = {
        "general.architecture": "llama", "llama.block_count": 1, "general.sampling.min_p": float("nan"),
        "general.sampling.temp": "hot", "general.sampling.mirostat": True, "general.sampling.unheard_of": 1,
        "general.sampling.penalty_last_n": -1,
    }  # fmt: skip
    assert read_model(write_header(tmp_path / "m.gguf", keys)).sampling == (("penalty_last_n", -1.0),)
