"""The sample model's shape and tensors: matrices of real size that add up to a fixed chain of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType
from gguf.quants import quantize

from qtune.models.sample_tokenizer import SampleVocabulary

Floats = npt.NDArray[np.float32]

SEED: Final = 20260
_BLOCK: Final = 32
_FLOATS: Final = {GGMLQuantizationType.F32: np.float32, GGMLQuantizationType.F16: np.float16}
PEAK_LOGIT: Final = 30.0
"""Logit of the next word; all others stay far below, so sampling at any usual temperature keeps the chain."""
HARD_PER_BLOCK: Final = (5, 20)
"""Of each 20 states in a row the MTP head is wrong about 5: first-position acceptance 0.75."""
HARD_SEED: Final = 58
"""Chosen so that the acceptance is within 0.04 of that from each start and for every draft length."""


@dataclass(frozen=True)
class SampleShape:
    """Sizes in elements. The names are those of the GGUF keys of architecture qwen35."""

    embedding: int = 1024
    layers: int = 8
    full_attention_interval: int = 4
    feed_forward: int = 1152
    heads: int = 4
    heads_kv: int = 2
    head_size: int = 128
    ssm_state: int = 128
    ssm_groups: int = 2
    ssm_heads: int = 4
    ssm_conv: int = 4
    context: int = 131072
    rope_sections: tuple[int, int, int, int] = (6, 5, 5, 0)

    @property
    def ssm_inner(self) -> int:
        """Width of the recurrent layer's value path."""
        return self.ssm_state * self.ssm_heads

    @property
    def ssm_channels(self) -> int:
        """Channels that pass through the short convolution: queries, keys, values."""
        return 2 * self.ssm_state * self.ssm_groups + self.ssm_inner


@dataclass(frozen=True)
class SampleTensor:
    """One tensor as it goes into the file; `data` is already quantised (`kind`)."""

    name: str
    data: npt.NDArray[Any]
    kind: GGMLQuantizationType


class SampleWeights:
    """All tensors of one file, as views on a few shared blocks, so that memory stays small.

    The trunk's feed-forward matrices stay in floating point (`wide_kinds`, taken in turn by the layers).
    Were they quantised, a processor without special instructions would be bound by arithmetic, not by memory:
    checking four tokens would cost nearly four times as much as one, and no draft could ever pay.
    """

    def __init__(
        self,
        shape: SampleShape,
        vocabulary: SampleVocabulary,
        kind: GGMLQuantizationType,
        wide_kinds: Sequence[GGMLQuantizationType],
    ) -> None:
        self._shape = shape
        self._vocabulary = vocabulary
        self._kind = kind
        self._wide_kinds = wide_kinds
        self._random = np.random.Generator(np.random.PCG64(SEED))
        widest = max(shape.feed_forward, shape.ssm_channels, 2 * shape.heads * shape.head_size)
        # One block of noise serves all matrices, each from another offset: what counts is that the
        # processor has to read them, not what stands in them.
        noise = self._random.integers(-127, 128, size=2 * widest * shape.embedding, dtype=np.int8)
        scaled = (noise.astype(np.float32) * np.float32(0.02 / 74)).reshape(-1, _BLOCK)
        self._pools = {some: quantize(scaled, some).view(np.uint8) for some in {kind, *wide_kinds}}
        self._at = 0

    def tensors(self) -> Iterator[SampleTensor]:
        """Yield every tensor in file order: embeddings and heads, the trunk, the MTP block."""
        embeddings, output, draft_output = _chain_matrices(self._shape.embedding, self._vocabulary)
        yield _small("token_embd.weight", embeddings)
        yield _plain("output_norm.weight", np.ones(self._shape.embedding, dtype=np.float32))
        yield _small("output.weight", output)
        for layer in range(self._shape.layers):
            if (layer + 1) % self._shape.full_attention_interval:
                yield from self._recurrent(layer)
            else:
                yield from self._attention(layer)
            yield from self._feed_forward(layer, self._wide_kinds[layer % len(self._wide_kinds)])
        yield from self._mtp_block(draft_output)

    def _matrix(
        self,
        name: str,
        rows: int,
        columns: int,
        *,
        zero: bool = False,
        kind: GGMLQuantizationType | None = None,
    ) -> SampleTensor:
        kind = self._kind if kind is None else kind
        pool = self._pools[kind]
        blocks = rows * columns // _BLOCK
        if zero:
            data = np.zeros((blocks, pool.shape[1]), dtype=np.uint8)
        else:
            self._at = (self._at + 7919) % (len(pool) - blocks)
            data = pool[self._at : self._at + blocks]
        data = data.reshape(rows, -1)
        if kind in _FLOATS:
            data = data.view(_FLOATS[kind])
        return SampleTensor(name, data, kind)

    def _norm(self, name: str, size: int) -> SampleTensor:
        return _plain(name, np.ones(size, dtype=np.float32))

    def _attention(self, layer: int) -> Iterator[SampleTensor]:
        shape, block = self._shape, f"blk.{layer}"
        wide = shape.heads * shape.head_size
        yield self._norm(f"{block}.attn_norm.weight", shape.embedding)
        yield self._matrix(f"{block}.attn_q.weight", 2 * wide, shape.embedding)
        for part in ("k", "v"):
            yield self._matrix(
                f"{block}.attn_{part}.weight", shape.heads_kv * shape.head_size, shape.embedding
            )
        for part in ("q", "k"):
            yield self._norm(f"{block}.attn_{part}_norm.weight", shape.head_size)
        yield self._matrix(f"{block}.attn_output.weight", shape.embedding, wide, zero=True)

    def _recurrent(self, layer: int) -> Iterator[SampleTensor]:
        shape, block = self._shape, f"blk.{layer}"
        heads = shape.ssm_heads
        yield self._norm(f"{block}.attn_norm.weight", shape.embedding)
        yield self._matrix(f"{block}.attn_qkv.weight", shape.ssm_channels, shape.embedding)
        yield self._matrix(f"{block}.attn_gate.weight", shape.ssm_inner, shape.embedding)
        conv = self._random.integers(-8, 9, size=(shape.ssm_channels, shape.ssm_conv)).astype(np.float32) / 16
        yield _plain(f"{block}.ssm_conv1d.weight", conv)
        yield _plain(f"{block}.ssm_dt.bias", np.full(heads, -2.0, dtype=np.float32))
        yield _plain(f"{block}.ssm_a", -np.linspace(0.5, 4.0, heads, dtype=np.float32))
        for part in ("beta", "alpha"):
            gate = self._random.integers(-8, 9, size=(heads, shape.embedding)).astype(np.float32) / 400
            yield _plain(f"{block}.ssm_{part}.weight", gate)
        yield self._norm(f"{block}.ssm_norm.weight", shape.ssm_state)
        yield self._matrix(f"{block}.ssm_out.weight", shape.embedding, shape.ssm_inner, zero=True)

    def _feed_forward(self, layer: int, kind: GGMLQuantizationType) -> Iterator[SampleTensor]:
        shape, block = self._shape, f"blk.{layer}"
        wide, narrow = shape.feed_forward, shape.embedding
        yield self._norm(f"{block}.post_attention_norm.weight", shape.embedding)
        yield self._matrix(f"{block}.ffn_gate.weight", wide, narrow, kind=kind)
        yield self._matrix(f"{block}.ffn_up.weight", wide, narrow, kind=kind)
        yield self._matrix(f"{block}.ffn_down.weight", narrow, wide, kind=kind, zero=True)

    def _mtp_block(self, draft_output: Floats) -> Iterator[SampleTensor]:
        shape, layer = self._shape, self._shape.layers
        yield from self._attention(layer)
        yield from self._feed_forward(layer, self._kind)
        # The projection keeps the token's own vector and drops the trunk's state: [identity | zero].
        projection = np.eye(shape.embedding, 2 * shape.embedding, dtype=np.float32)
        yield SampleTensor(f"blk.{layer}.nextn.eh_proj.weight", quantize(projection, self._kind), self._kind)
        for part in ("enorm", "hnorm", "shared_head_norm"):
            yield self._norm(f"blk.{layer}.nextn.{part}.weight", shape.embedding)
        yield _small(f"blk.{layer}.nextn.shared_head_head.weight", draft_output)


def _plain(name: str, data: npt.NDArray[Any]) -> SampleTensor:
    return SampleTensor(name, np.ascontiguousarray(data, dtype=np.float32), GGMLQuantizationType.F32)


def _small(name: str, data: Floats) -> SampleTensor:
    """Embeddings and heads keep eight bits in both files, as published quantisations do."""
    return SampleTensor(name, quantize(data, GGMLQuantizationType.Q8_0), GGMLQuantizationType.Q8_0)


def _hadamard(size: int) -> Floats:
    """Sylvester's matrix: `size` (a power of two) rows of +-1, pairwise orthogonal."""
    matrix = np.ones((1, 1), dtype=np.float32)
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]]).astype(np.float32)
    return matrix


def _chain_matrices(width: int, vocabulary: SampleVocabulary) -> tuple[Floats, Floats, Floats]:
    """Token embeddings, the output head and the MTP block's own head.

    Every token is a vector of +-1 that passes the network unchanged, because all residual branches end in a
    zero matrix. The output head's row of a word is the sum of its predecessors' vectors. The states of the
    chain are exactly orthogonal, so nothing else comes near.
    """
    random = np.random.Generator(np.random.PCG64(SEED + 1))
    count = len(vocabulary.tokens)
    signs = random.integers(0, 2, size=(count, width)).astype(np.float32) * 2 - 1
    chained = list(dict.fromkeys([*vocabulary.chain, *(marker for marker, _ in vocabulary.starts)]))
    if len(chained) > width:
        raise ValueError("more chain states than dimensions")
    signs[chained] = _hadamard(width)[: len(chained)] * signs[0]
    step = np.float32(PEAK_LOGIT / width)
    output = np.zeros((count, width), dtype=np.float32)
    # A prompt that ends elsewhere (no template, another template) begins at some sentence of the text.
    strays = [token for token in range(count) if token not in vocabulary.follow]
    for token in strays:
        target = vocabulary.sentence_starts[token * 7 % len(vocabulary.sentence_starts)]
        output[target] += step * signs[token]
    draft_output = np.zeros_like(output)
    for token, target in vocabulary.follow.items():
        output[target] += step * signs[token]
    # With the end of turn suppressed (ignore_eos) the text begins again.
    output[vocabulary.chain[0]] += step * np.float32(0.7) * signs[vocabulary.chain[-1]]
    _add_draft_rows(draft_output, signs, vocabulary, random)
    return signs, output, draft_output


def _add_draft_rows(
    draft_output: Floats, signs: Floats, vocabulary: SampleVocabulary, random: np.random.Generator
) -> None:
    """Give the MTP head its guesses: right for three words in four, and less sure of itself when wrong.

    The distance between the two best logits is 1 to 6 when it is right (probability 0.73 to 0.998) and 0.1
    to 1.5 when it is wrong (0.52 to 0.82), so that a minimum draft probability has something to cut.
    """
    step = PEAK_LOGIT / draft_output.shape[1]
    hard_count, block = HARD_PER_BLOCK
    states = list(vocabulary.follow.items())
    choice = np.random.Generator(np.random.PCG64(HARD_SEED))
    for begin in range(0, len(states), block):
        hard = set(choice.permutation(block)[:hard_count].tolist())
        for place, (token, target) in enumerate(states[begin : begin + block]):
            other = states[(begin + place + 37 + 11 * (token % 13)) % len(states)][1]
            if other == target:
                other = states[(begin + place + 5) % len(states)][1]
            wrong = place in hard
            gap = random.uniform(0.1, 1.5) if wrong else random.uniform(1.0, 6.0)
            best, second = (other, target) if wrong else (target, other)
            draft_output[best] += np.float32(step) * signs[token]
            draft_output[second] += np.float32(step * (1 - gap / PEAK_LOGIT)) * signs[token]
