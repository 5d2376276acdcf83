"""What a model's files say: the facts that decide how it may be launched and how much memory it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

MtpHead = Literal["embedded", "sidecar", "none"]


@dataclass(frozen=True, slots=True)
class KvLayer:
    """One attention layer that owns a KV cache.

    Attributes:
        heads: KV heads.
        key_length: Elements of one head's key.
        value_length: Elements of one head's value; 0 where only keys are kept (MLA).
        window: Tokens of the sliding window, 0 for full attention.
    """

    heads: int
    key_length: int
    value_length: int
    window: int = 0


@dataclass(frozen=True, slots=True)
class RecurrentShape:
    """The recurrent (state space or delta net) layers of a hybrid model; GGUF keys ``<arch>.ssm.*``."""

    layers: int
    conv_kernel: int
    inner_size: int
    group_count: int
    state_size: int


@dataclass(frozen=True, slots=True)
class WeightBytes:
    """Bytes of the tensors by where they go.

    Attributes:
        total: All tensors of the file or files, an embedded MTP head included.
        embedding: ``token_embd.weight``, which stays in main memory.
        output: ``output.weight``; None where it is tied to the embedding, which is then used on both sides.
        head: The MTP blocks (the last ``nextn_predict_layers``).
        experts: Expert tensors (``*_exps``) of each block, by block number, MTP blocks included; empty for
            a dense model.
    """

    total: int
    embedding: int
    output: int | None
    head: int
    experts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Sizes in a model's header from which its memory follows; None where the header does not say.

    Attributes:
        kv: Attention layers of the trunk that own a cache, in order.
        mtp_kv: Attention layers of the MTP head.
        experts_used: Experts that work on one token; None for a dense model or where the header does not say.
        gaps: Header keys an estimate needs and the file lacks.
    """

    embedding_length: int | None
    feed_forward_length: int | None
    vocabulary: int | None
    heads: int | None
    kv: tuple[KvLayer, ...]
    mtp_kv: tuple[KvLayer, ...]
    recurrent: RecurrentShape | None
    weights: WeightBytes
    gaps: tuple[str, ...] = ()
    experts_used: int | None = None


SAMPLE_NAME: Final = "qtune sample model"
"""Name in the header of the model that qtune writes by itself."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the GGUF header says.

    Attributes:
        path: The (first) file as given.
        files: All shards, in order.
        name: ``general.name`` or the file stem.
        arch: ``general.architecture``.
        quant: Name of the quantisation, e.g. ``Q4_K_M``.
        size_bytes: Sum over the files.
        block_count: Layers, MTP layers included.
        nextn_layers: MTP layers the header declares.
        context_train: Context length of the training, None if the header does not say.
        mtp: ``embedded`` when the MTP tensors are in the file; ``sidecar`` when the file is only a head.
        chat_template: Whether a chat template is inside.
        is_sample: Written by qtune itself; its speed says nothing about any card.
        shape: Sizes for the memory estimate; None in records of older versions.
        size_label: ``general.size_label``, e.g. ``27B``; empty where not given.
        mtp_tensors: Number of tensors of the MTP blocks.
        mtp_quant: Tensor type that fills most of the MTP head, empty without one.
        sampling: Sampling defaults the file carries, by name (``temp``, ``top_k``, ...).
        imatrix: Whether the quantisation used an importance matrix.
        sidecars: MTP sidecar files found beside the model (same folder or ``MTP/``), best first.
        mmproj: Image encoder files found beside it.
    """

    path: str
    files: tuple[str, ...]
    name: str
    arch: str
    quant: str
    size_bytes: int
    block_count: int
    nextn_layers: int
    context_train: int | None
    mtp: MtpHead
    chat_template: bool
    is_sample: bool = False
    shape: ModelShape | None = None
    size_label: str = ""
    mtp_tensors: int = 0
    mtp_quant: str = ""
    sampling: tuple[tuple[str, float], ...] = ()
    imatrix: bool = False
    sidecars: tuple[str, ...] = ()
    mmproj: tuple[str, ...] = ()
