"""Derives from a header which layers own a KV cache, which keep a recurrent state, and how large these are.

Keys and their defaults as the engine reads them (``src/llama-hparams.cpp`` and ``src/models`` of b11434).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from qtune.core.model_facts import KvLayer, ModelShape, RecurrentShape
from qtune.core.mtp_archs import ASSISTANT_ARCH
from qtune.models.gguf_format import GgufHeader, Value, as_whole
from qtune.models.weights import Weights, trunk_blocks

_INTERVAL_ARCHS: Final = frozenset({"qwen35", "qwen35moe", "qwen3next", "qwen4exp"})
_INTERVAL: Final = 4
"""Every fourth layer of these has attention where ``full_attention_interval`` is missing."""

_WINDOW_PERIODS: Final = {
    "gemma2": 2, "gpt-oss": 2, "cohere2": 4, "exaone4": 4, "olmo2": 4, "mellum": 4, "afmoe": 4, "gemma3n": 5,
    "gemma3": 6,
}  # fmt: skip
"""Period of the sliding window where the header gives none: the last layer of each has full attention."""

_BOTH_ARCHS: Final = frozenset({"falcon-h1"})
"""Hybrids whose layers each have attention and a state."""

_OWN_KV: Final = {"gemma3n": 20}
"""Layers with a cache of their own where the header does not say."""


def model_shape(header: GgufHeader, arch: str, block_count: int, nextn: int, weights: Weights) -> ModelShape:
    """Sizes of a model; whatever is missing is named in ``gaps`` and left out.

    ``block_count`` has been checked to be a count of layers that exists, and ``nextn`` to be part of it.
    """
    keys = _Keys(header, arch)
    trunk = trunk_blocks(arch, block_count, nextn)
    stateful = _stateful(keys, trunk, weights)
    recurrent = _recurrent(keys, len(stateful)) if stateful else None
    kv: tuple[KvLayer, ...] = ()
    mtp_kv: tuple[KvLayer, ...] = ()
    if arch != ASSISTANT_ARCH and not _is_attention_free(keys, trunk, stateful):
        blocks = _owners(keys, trunk, stateful)
        kv, mtp_kv = _layers(keys, blocks), _layers(keys, range(trunk, block_count), is_head=True)
    vocabulary = weights.output_rows or keys.whole("vocab_size")
    return ModelShape(
        embedding_length=keys.needed("embedding_length"),
        feed_forward_length=_widest(keys),
        vocabulary=keys.found("vocab_size", vocabulary),
        heads=_most(keys.value("attention.head_count")),
        kv=kv,
        mtp_kv=mtp_kv,
        recurrent=recurrent,
        weights=weights.bytes,
        gaps=tuple(dict.fromkeys(keys.gaps)),
        experts_used=keys.whole("expert_used_count"),
    )


@dataclass(slots=True)
class _Keys:
    """Values of one architecture's keys; remembers which were needed and missing."""

    header: GgufHeader
    arch: str
    gaps: list[str] = field(default_factory=list)

    def value(self, key: str) -> Value:
        return self.header.values.get(f"{self.arch}.{key}")

    def whole(self, key: str) -> int | None:
        return as_whole(self.value(key))

    def needed(self, key: str) -> int | None:
        return self.found(key, self.whole(key))

    def found(self, key: str, value: int | None) -> int | None:
        if value is None:
            self.gaps.append(f"{self.arch}.{key}")
        return value

    def at(self, key: str, layer: int) -> int | None:
        """Value of one layer, from a list or one value for all."""
        value = self.value(key)
        if isinstance(value, tuple):
            return as_whole(value[layer]) if layer < len(value) else None
        return as_whole(value)


def _most(value: Value) -> int | None:
    """The largest of a value per layer, or the one value of all layers."""
    if isinstance(value, tuple):
        return max((number for one in value if (number := as_whole(one)) is not None), default=None)
    return as_whole(value)


def _widest(keys: _Keys) -> int | None:
    """Width of the feed-forward part; in a model of experts only, that of the experts one token takes."""
    dense = _most(keys.value("feed_forward_length"))
    if dense:
        return dense
    expert, used = _most(keys.value("expert_feed_forward_length")), keys.whole("expert_used_count")
    if expert and used:
        return expert * used
    return keys.found("feed_forward_length", dense)


# -- recurrent layers --------------------------------------------------------------------------------------


def _stateful(keys: _Keys, trunk: int, weights: Weights) -> frozenset[int]:
    """Trunk layers that keep a recurrent state."""
    listed = keys.value("attention.recurrent_layers")
    if isinstance(listed, tuple):
        return frozenset(layer for layer, one in enumerate(listed[:trunk]) if one)
    interval = keys.whole("full_attention_interval")
    if interval is None and keys.arch in _INTERVAL_ARCHS:
        interval = _INTERVAL
    if interval:
        return frozenset(layer for layer in range(trunk) if (layer + 1) % interval)
    return frozenset(block for block in weights.stateful if block < trunk)


def _recurrent(keys: _Keys, layers: int) -> RecurrentShape | None:
    """State of one layer; short convolutions and KDA layers are written in the terms of an SSM."""
    if kda := keys.whole("kda.head_dim"):
        heads = _most(keys.value("attention.head_count"))
        if keys.found("attention.head_count", heads) is None or heads is None:
            return None
        return RecurrentShape(layers, keys.whole("ssm.conv_kernel") or 4, heads * kda, heads, kda)
    if cache := keys.whole("shortconv.l_cache"):
        inner = keys.needed("embedding_length")
        return None if inner is None else RecurrentShape(layers, cache, inner, 0, 0)
    conv, inner, state = (keys.needed(f"ssm.{key}") for key in ("conv_kernel", "inner_size", "state_size"))
    if conv is None or inner is None or state is None:
        return None
    groups = keys.whole("ssm.group_count") or 0  # Mamba 1 has none
    return RecurrentShape(layers, conv, inner, groups, state)


def _is_attention_free(keys: _Keys, trunk: int, stateful: frozenset[int]) -> bool:
    return len(stateful) == trunk > 0 and not _most(keys.value("attention.head_count"))


# -- attention layers --------------------------------------------------------------------------------------


def _owners(keys: _Keys, trunk: int, stateful: frozenset[int]) -> list[int]:
    """Trunk layers that may own a cache."""
    shared = keys.whole("attention.shared_kv_layers")
    own = _OWN_KV.get(keys.arch, trunk) if shared is None else trunk - shared
    both = keys.arch in _BOTH_ARCHS
    return [layer for layer in range(min(own, trunk)) if both or layer not in stateful]


def _layers(keys: _Keys, blocks: list[int] | range, *, is_head: bool = False) -> tuple[KvLayer, ...]:
    found = (_kv_layer(keys, block, is_head=is_head) for block in blocks)
    return tuple(layer for layer in found if layer is not None)


def _kv_layer(keys: _Keys, block: int, *, is_head: bool) -> KvLayer | None:
    """The cache of one layer, None where it has none or its size is not known."""
    heads = keys.at("attention.head_count", block)
    heads_kv = keys.at("attention.head_count_kv", block)
    if heads_kv is None and not isinstance(keys.value("attention.head_count_kv"), tuple):
        heads_kv = heads
    if is_head and not heads_kv:  # the list may count the trunk alone
        heads_kv = _most(keys.value("attention.head_count_kv"))
    if keys.found("attention.head_count_kv", heads_kv) is None or not heads_kv:
        return None
    window = _window(keys, block)
    key, value = _lengths(keys, block, heads, has_window=window > 0)
    if key is None or value is None:
        return None
    return KvLayer(heads_kv, key, value, window)


def _lengths(
    keys: _Keys, block: int, heads: int | None, *, has_window: bool
) -> tuple[int | None, int | None]:
    """Elements of a head's key and value; compressed attention (MLA) keeps keys alone."""
    embedding = keys.whole("embedding_length")
    default = embedding // heads if embedding and heads else None
    if keys.whole("attention.key_length_mla") and keys.whole("attention.value_length_mla"):
        rank, rope = keys.whole("attention.kv_lora_rank"), keys.whole("rope.dimension_count")
        compressed = rank + rope if rank is not None and rope is not None else None
        key = keys.whole("attention.key_length")
        return keys.found("attention.key_length", compressed if key is None else key), 0
    lengths = []
    for name in ("attention.key_length", "attention.value_length"):
        length = keys.at(f"{name}_swa", block) if has_window else None
        length = keys.at(name, block) if length is None else length
        lengths.append(keys.found(name, default if length is None else length))
    return lengths[0], lengths[1]


def _window(keys: _Keys, block: int) -> int:
    """Tokens of the layer's sliding window, 0 for full attention.

    Where the pattern is not known, full attention: an estimate then is too large, not too small.
    """
    window = keys.whole("attention.sliding_window")
    if not window:
        return 0
    pattern = keys.value("attention.sliding_window_pattern")
    if isinstance(pattern, tuple):
        return window if block < len(pattern) and pattern[block] else 0
    period = as_whole(pattern)
    if period is None:
        period = _WINDOW_PERIODS.get(keys.arch)
    if period is None:
        return 0
    return window if period == 0 or block % period < period - 1 else 0
