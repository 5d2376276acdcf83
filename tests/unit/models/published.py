"""Headers of published models, made from their published numbers: all keys and tensors, but no weights.

The files are sparse: the data section has its full length and takes no room on the disk.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import TypeAlias

from qtune.models.gguf_format import TENSOR_TYPES

Plain: TypeAlias = int | float | bool | str
Item: TypeAlias = Plain | list[Plain]
Tensor: TypeAlias = tuple[str, tuple[int, ...], str]
"""Name, shape as GGUF has it (fastest dimension first), name of the type."""

VOCABULARY = 248_320
TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}"
_KIND = {name: (number, block, size) for number, (name, block, size) in TENSOR_TYPES.items()}
_ALIGNMENT = 32


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def item(value: Item) -> bytes:
    """Type and value of one entry; whole numbers become u32, or u64 / i64 where they must."""
    if isinstance(value, list):
        kinds = {_kind(one) for one in value} or {4}
        assert len(kinds) == 1, "a list holds one type"
        kind = kinds.pop()
        return struct.pack("<IIQ", 9, kind, len(value)) + b"".join(_plain(kind, one) for one in value)
    kind = _kind(value)
    return struct.pack("<I", kind) + _plain(kind, value)


def _kind(value: Item) -> int:
    if isinstance(value, str):
        return 8
    if isinstance(value, bool):
        return 7
    if isinstance(value, float):
        return 6
    assert isinstance(value, int)
    if value < 0:
        return 5 if value >= -(2**31) else 11
    return 4 if value < 2**32 else 10


def _plain(kind: int, value: Item) -> bytes:
    if kind == 8:
        return text(str(value))
    form = {4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q"}[kind]
    return struct.pack(form, value)


def texts(prefix: str, count: int) -> bytes:
    """Type and value of a list of ``count`` made-up words."""
    return struct.pack("<IIQ", 9, 8, count) + b"".join(text(f"{prefix}{n}") for n in range(count))


def nbytes(shape: tuple[int, ...], kind: str) -> int:
    _, block, size = _KIND[kind]
    return math.prod(shape) // block * size


def write_header(
    path: Path,
    keys: Mapping[str, Item],
    tensors: Iterable[Tensor] = (),
    *,
    raw_keys: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a sparse GGUF file; ``raw_keys`` come with their type already in bytes."""
    entries = [text(name) + item(value) for name, value in keys.items()]
    entries += [text(name) + raw for name, raw in (raw_keys or {}).items()]
    infos, offset = [], 0
    for name, shape, kind in tensors:
        infos.append(
            text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, _KIND[kind][0], offset)
        )
        offset += -(-nbytes(shape, kind) // _ALIGNMENT) * _ALIGNMENT
    header = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries)) + b"".join(entries + infos)
    path.write_bytes(header)
    os.truncate(path, -(-len(header) // _ALIGNMENT) * _ALIGNMENT + offset)
    return path


@dataclass(frozen=True)
class Published:
    """The numbers of a Qwen3.6 model; the trunk has ``layers``, and one MTP layer follows it."""

    arch: str
    name: str
    size_label: str
    layers: int
    embedding: int
    heads: int
    heads_kv: int
    feed_forward: int
    inner: int
    dt_rank: int
    experts: int = 0
    experts_used: int = 0
    head_size: int = 256
    interval: int = 4
    conv: int = 4
    state: int = 128
    groups: int = 16
    extra: Mapping[str, Item] = field(default_factory=dict)

    def keys(self, *, head: bool) -> dict[str, Item]:
        a = self.arch
        keys: dict[str, Item] = {
            "general.architecture": a,
            "general.type": "model",
            "general.sampling.top_k": 20,
            "general.sampling.top_p": 0.95,
            "general.sampling.temp": 1.0,
            "general.name": self.name,
            "general.size_label": self.size_label,
            f"{a}.block_count": self.layers + head,
            f"{a}.context_length": 262_144,
            f"{a}.embedding_length": self.embedding,
            f"{a}.attention.head_count": self.heads,
            f"{a}.attention.head_count_kv": self.heads_kv,
            f"{a}.rope.dimension_sections": [11, 11, 10, 0],
            f"{a}.rope.freq_base": 1e7,
            f"{a}.attention.layer_norm_rms_epsilon": 1e-6,
            f"{a}.attention.key_length": self.head_size,
            f"{a}.attention.value_length": self.head_size,
            f"{a}.ssm.conv_kernel": self.conv,
            f"{a}.ssm.state_size": self.state,
            f"{a}.ssm.group_count": self.groups,
            f"{a}.ssm.time_step_rank": self.dt_rank,
            f"{a}.ssm.inner_size": self.inner,
            f"{a}.full_attention_interval": self.interval,
            f"{a}.rope.dimension_count": self.head_size // 4,
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "qwen35",
            "tokenizer.chat_template": TEMPLATE,
            "general.quantization_version": 2,
            "general.file_type": 15,
            "quantize.imatrix.file": "imatrix.gguf",
            "quantize.imatrix.entries_count": 496,
        }
        if head:
            keys[f"{a}.nextn_predict_layers"] = 1
        if self.experts:
            keys[f"{a}.expert_count"] = self.experts
            keys[f"{a}.expert_used_count"] = self.experts_used
            keys[f"{a}.expert_feed_forward_length"] = self.feed_forward
            keys[f"{a}.expert_shared_feed_forward_length"] = self.feed_forward
        else:
            keys[f"{a}.feed_forward_length"] = self.feed_forward
        return keys | dict(self.extra)

    def outer_tensors(self, kind: str = "Q4_K", output: str = "Q6_K") -> Iterator[Tensor]:
        yield "token_embd.weight", (self.embedding, VOCABULARY), kind
        yield "output_norm.weight", (self.embedding,), "F32"
        yield "output.weight", (self.embedding, VOCABULARY), output

    def trunk_tensors(self, kind: str = "Q4_K") -> Iterator[Tensor]:
        for layer in range(self.layers):
            if (layer + 1) % self.interval:
                yield from self._recurrent(f"blk.{layer}", kind)
            else:
                yield from self._attention(f"blk.{layer}", kind)
            yield from self._feed_forward(f"blk.{layer}", kind)

    def head_tensors(self, kind: str = "Q8_0") -> Iterator[Tensor]:
        block = f"blk.{self.layers}"
        yield from self._attention(block, kind)
        yield from self._feed_forward(block, kind)
        yield f"{block}.nextn.eh_proj.weight", (2 * self.embedding, self.embedding), kind
        for part in ("enorm", "hnorm", "shared_head_norm"):
            yield f"{block}.nextn.{part}.weight", (self.embedding,), "F32"

    def _attention(self, block: str, kind: str) -> Iterator[Tensor]:
        wide, narrow = self.heads * self.head_size, self.embedding
        yield f"{block}.attn_norm.weight", (narrow,), "F32"
        yield f"{block}.attn_q.weight", (narrow, 2 * wide), kind
        yield f"{block}.attn_k.weight", (narrow, self.heads_kv * self.head_size), kind
        yield f"{block}.attn_v.weight", (narrow, self.heads_kv * self.head_size), kind
        yield f"{block}.attn_q_norm.weight", (self.head_size,), "F32"
        yield f"{block}.attn_k_norm.weight", (self.head_size,), "F32"
        yield f"{block}.attn_output.weight", (wide, narrow), kind

    def _recurrent(self, block: str, kind: str) -> Iterator[Tensor]:
        channels = self.inner + 2 * self.groups * self.state
        yield f"{block}.attn_norm.weight", (self.embedding,), "F32"
        yield f"{block}.attn_qkv.weight", (self.embedding, channels), kind
        yield f"{block}.attn_gate.weight", (self.embedding, self.inner), kind
        yield f"{block}.ssm_conv1d.weight", (self.conv, channels), "F32"
        yield f"{block}.ssm_dt.bias", (self.dt_rank,), "F32"
        yield f"{block}.ssm_a", (self.dt_rank,), "F32"
        yield f"{block}.ssm_beta.weight", (self.embedding, self.dt_rank), kind
        yield f"{block}.ssm_alpha.weight", (self.embedding, self.dt_rank), kind
        yield f"{block}.ssm_norm.weight", (self.state,), "F32"
        yield f"{block}.ssm_out.weight", (self.inner, self.embedding), kind

    def _feed_forward(self, block: str, kind: str) -> Iterator[Tensor]:
        narrow, wide = self.embedding, self.feed_forward
        yield f"{block}.post_attention_norm.weight", (narrow,), "F32"
        if not self.experts:
            yield f"{block}.ffn_gate.weight", (narrow, wide), kind
            yield f"{block}.ffn_up.weight", (narrow, wide), kind
            yield f"{block}.ffn_down.weight", (wide, narrow), kind
            return
        yield f"{block}.ffn_gate_inp.weight", (narrow, self.experts), "F32"
        yield f"{block}.ffn_gate_exps.weight", (narrow, wide, self.experts), kind
        yield f"{block}.ffn_up_exps.weight", (narrow, wide, self.experts), kind
        yield f"{block}.ffn_down_exps.weight", (wide, narrow, self.experts), kind
        yield f"{block}.ffn_gate_inp_shexp.weight", (narrow,), "F32"
        yield f"{block}.ffn_gate_shexp.weight", (narrow, wide), kind
        yield f"{block}.ffn_up_shexp.weight", (narrow, wide), kind
        yield f"{block}.ffn_down_shexp.weight", (wide, narrow), kind

    def write(
        self, path: Path, *, head: str | None = "Q8_0", trunk: bool = True, tokens: bool = False
    ) -> Path:
        """Write the model: its MTP head of type ``head`` or without one, or (``trunk``) the head alone.

        ``tokens`` adds the vocabulary, with as many merges; without it the vocabulary is only the shape of
        the embedding.
        """
        tensors = list(self.outer_tensors())
        if trunk:
            tensors += self.trunk_tensors()
        if head is not None:
            tensors += self.head_tensors(head)
        lists = {}
        if tokens:
            lists["tokenizer.ggml.tokens"] = texts("token-", VOCABULARY)
            lists["tokenizer.ggml.merges"] = texts("left right-", VOCABULARY)
            kinds = struct.pack("<IIQ", 9, 5, VOCABULARY) + b"".join(repeat(struct.pack("<i", 1), VOCABULARY))
            lists["tokenizer.ggml.token_type"] = kinds
        return write_header(path, self.keys(head=head is not None), tensors, raw_keys=lists)


QWEN36_27B = Published(
    arch="qwen35", name="Qwen3.6-27B", size_label="27B", layers=64, embedding=5120, heads=24, heads_kv=4,
    feed_forward=17_408, inner=6144, dt_rank=48,
)  # fmt: skip
QWEN36_35B_A3B = Published(
    arch="qwen35moe", name="Qwen3.6-35B-A3B", size_label="35B-A3B", layers=40, embedding=2048, heads=16,
    heads_kv=2, feed_forward=512, inner=4096, dt_rank=32, experts=256, experts_used=8,
)  # fmt: skip


def write_qwen36_27b(
    path: Path, *, head: str | None = "Q8_0", trunk: bool = True, tokens: bool = False
) -> Path:
    """Qwen3.6-27B, 4 bits, with an embedded head of type ``head`` (None: without one)."""
    return QWEN36_27B.write(path, head=head, trunk=trunk, tokens=tokens)


def write_qwen36_35b_a3b(
    path: Path, *, head: str | None = "Q8_0", trunk: bool = True, tokens: bool = False
) -> Path:
    """Qwen3.6-35B-A3B, 4 bits, with an embedded head of type ``head`` (None: without one)."""
    return QWEN36_35B_A3B.write(path, head=head, trunk=trunk, tokens=tokens)
