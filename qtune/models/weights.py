"""Adds up a model's tensors by where they go: trunk, embedding, output, MTP head, experts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from qtune.core.model_facts import MtpHead, WeightBytes
from qtune.core.mtp_archs import ASSISTANT_ARCH
from qtune.models.gguf_format import TENSOR_TYPES, GgufHeader, TensorInfo

_BLOCK: Final = re.compile(r"blk\.([0-9]{1,6})\.(.*)", re.DOTALL)
_EXPERTS: Final = re.compile(r"ffn_(?:up|down|gate|gate_up)_(?:ch)?exps\..*", re.DOTALL)
"""Experts' tensors, as ``--cpu-moe`` picks them (``common/arg.cpp``)."""

_EH_PROJ: Final = "nextn.eh_proj.weight"
_STATE: Final = ("ssm_conv1d", "shortconv.conv")


@dataclass(frozen=True, slots=True)
class Weights:
    """What the tensors of all files say.

    Attributes:
        output_rows: Rows of the output matrix or of the tied embedding, that is the vocabulary.
        head_tensors: Tensors of the MTP blocks.
        head_quant: Tensor type that fills most of them, empty without any.
        main_quant: Tensor type that fills most of all.
        mtp: Where the MTP head is.
        stateful: Trunk blocks that have tensors of a recurrent state.
    """

    bytes: WeightBytes
    output_rows: int | None
    head_tensors: int
    head_quant: str
    main_quant: str
    mtp: MtpHead
    stateful: frozenset[int]


def trunk_blocks(arch: str, block_count: int, nextn: int) -> int:
    """Blocks in front of the MTP head; the header's count includes the head."""
    return 0 if arch == ASSISTANT_ARCH else block_count - nextn


def sum_weights(headers: Sequence[GgufHeader], arch: str, block_count: int, nextn: int) -> Weights:
    """Sizes of the tensors of all parts; ``nextn`` is at most ``block_count``."""
    trunk = trunk_blocks(arch, block_count, nextn)
    total = head = head_tensors = 0
    outer: dict[str, tuple[TensorInfo, int]] = {}
    experts: Counter[int] = Counter()
    filled: Counter[str] = Counter()
    head_filled: Counter[str] = Counter()
    joints, stateful, has_start = set(), set(), False
    for tensor, size in _sized(headers):
        total += size
        filled[_type(tensor)] += size
        match = _BLOCK.fullmatch(tensor.name)
        if match is None:
            outer[tensor.name] = tensor, size
            continue
        block, part = int(match[1]), match[2]
        has_start |= block == 0
        if trunk <= block < block_count:
            head += size
            head_tensors += 1
            head_filled[_type(tensor)] += size
        elif part.startswith(_STATE):
            stateful.add(block)
        if part == _EH_PROJ:
            joints.add(block)
        if block < block_count and _EXPERTS.fullmatch(part):
            experts[block] += size
    embedding, output = outer.get("token_embd.weight"), outer.get("output.weight")
    widest = output or embedding
    is_head = nextn >= 1 and block_count - 1 in joints
    return Weights(
        WeightBytes(
            total=total,
            embedding=embedding[1] if embedding else 0,
            output=output[1] if output else None,
            head=head,
            experts=tuple(experts[block] for block in range(block_count)) if experts else (),
        ),
        output_rows=widest[0].dims[1] if widest and len(widest[0].dims) == 2 else None,
        head_tensors=head_tensors,
        head_quant=_most(head_filled),
        main_quant=_most(filled),
        mtp=_mtp(arch, is_head=is_head, has_trunk=trunk > 0 and has_start),
        stateful=frozenset(stateful),
    )


def _mtp(arch: str, *, is_head: bool, has_trunk: bool) -> MtpHead:
    """Where the MTP head is: the header key and the tensors must agree, the file's name says nothing.

    A file without the first block is only a head (``convert_hf_to_gguf.py --mtp``).
    """
    if arch == ASSISTANT_ARCH:
        return "sidecar"
    if not is_head:
        return "none"
    return "embedded" if has_trunk else "sidecar"


def _sized(headers: Sequence[GgufHeader]) -> Iterator[tuple[TensorInfo, int]]:
    """Each tensor with its bytes; of an unknown type, the bytes up to the next tensor."""
    for header in headers:
        ends: dict[int, int] = {}
        if any(tensor.nbytes is None for tensor in header.tensors):
            offsets = sorted({tensor.offset for tensor in header.tensors})
            last = max(offsets[-1], header.file_size - header.data_start)
            ends = dict(zip(offsets, [*offsets[1:], last], strict=True))
        for tensor in header.tensors:
            size = tensor.nbytes
            yield tensor, ends[tensor.offset] - tensor.offset if size is None else size


def _type(tensor: TensorInfo) -> str:
    known = TENSOR_TYPES.get(tensor.kind)
    return "" if known is None else known[0]


def _most(filled: Counter[str]) -> str:
    return filled.most_common(1)[0][0] if filled else ""
