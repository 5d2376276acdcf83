"""Turns the headers of a model's files into the facts that decide how it may be launched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from qtune.core.errors import KnownError
from qtune.core.model_facts import ModelFacts, MtpHead
from qtune.models.gguf_format import TENSOR_TYPES, GgufHeader, TensorInfo, read_header

SAMPLE_NAME: Final = "qtune sample model"
"""``general.name`` of the model qtune writes itself."""

MAX_SHARDS: Final = 1000

SHARD_NAME: Final = re.compile(r"(?P<stem>.+)-(?P<no>\d{5})-of-(?P<count>\d{5})\.gguf", re.IGNORECASE)

_FILE_TYPES: Final = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K",
    19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL",
    26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0",
    37: "TQ2_0", 38: "MXFP4", 39: "NVFP4", 40: "Q1_0", 41: "Q2_0",
}  # fmt: skip
"""llama_ftype of ``general.file_type`` -> name of the quantisation (llama.h)."""

_GUESSED: Final = 1024
"""Bit of llama_ftype that says the writer only guessed."""

_EH_PROJ: Final = re.compile(r"blk\.(\d+)\.nextn\.eh_proj\.weight")
_ASSISTANT_ARCH: Final = "gemma4-assistant"


def read_model(path: Path) -> ModelFacts:
    """Facts of a model from the headers of all its files; of a split model any part may be named.

    Raises:
        KnownError: as ``read_header``; ``model_truncated`` too when a part of a split model is missing,
            ``model_not_llm`` when the file is sound but something else, such as an image encoder.
    """
    first = read_header(path)
    headers = _all_parts(first)
    first = headers[0]
    arch = _text(first, "general.architecture")
    if not arch:
        raise _damaged(first, "it names no architecture")
    block_count = _whole(first, f"{arch}.block_count")
    kind = _text(first, "general.type") or "model"
    if block_count is None or kind != "model":
        raise KnownError("model_not_llm", path=str(first.path), kind=arch if kind == "model" else kind)
    tensors = [tensor for header in headers for tensor in header.tensors]
    nextn = _whole(first, f"{arch}.nextn_predict_layers") or 0
    name = _text(first, "general.name") or _stem(first.path)
    return ModelFacts(
        path=str(first.path),
        files=tuple(str(header.path) for header in headers),
        name=name,
        arch=arch,
        quant=_quant(first, tensors),
        size_bytes=sum(header.file_size for header in headers),
        block_count=block_count,
        nextn_layers=nextn,
        context_train=_whole(first, f"{arch}.context_length"),
        mtp=_mtp(arch, block_count, nextn, tensors),
        chat_template="tokenizer.chat_template" in first.values,
        is_sample=first.values.get("qtune.sample") is True or name == SAMPLE_NAME,
    )


# -- parts of a split model --------------------------------------------------------------------------------


def _all_parts(header: GgufHeader) -> list[GgufHeader]:
    count = _whole(header, "split.count") or 0
    if count <= 1:
        return [header]
    if count > MAX_SHARDS:
        raise _damaged(header, f"it claims to be one of {count} parts")
    match = SHARD_NAME.fullmatch(header.path.name)
    if match is None:
        raise _incomplete(header, f"it is one of {count} parts, and its name no longer says which")
    parts = []
    for number in range(1, count + 1):
        path = header.path.with_name(f"{match['stem']}-{number:05}-of-{count:05}{header.path.suffix}")
        parts.append(header if path == header.path else _part(header, path, number, count))
    return parts


def _part(asked: GgufHeader, path: Path, number: int, count: int) -> GgufHeader:
    try:
        return read_header(path)
    except KnownError as error:
        if error.code == "model_missing":
            raise _incomplete(asked, f"part {number} of {count} is missing beside it") from None
        raise


# -- facts -------------------------------------------------------------------------------------------------


def _mtp(arch: str, block_count: int, nextn: int, tensors: Sequence[TensorInfo]) -> MtpHead:
    """Where the MTP head is: the header key and the tensors must agree, the file's name says nothing.

    A file without the first block is only a head (``convert_hf_to_gguf.py --mtp``).
    """
    if arch == _ASSISTANT_ARCH:
        return "sidecar"
    heads = {int(m[1]) for t in tensors if (m := _EH_PROJ.fullmatch(t.name)) is not None}
    if nextn < 1 or block_count - 1 not in heads:
        return "none"
    has_trunk = block_count > nextn and any(t.name.startswith("blk.0.") for t in tensors)
    return "embedded" if has_trunk else "sidecar"


def _quant(header: GgufHeader, tensors: Sequence[TensorInfo]) -> str:
    """Name of the declared file type; where none is declared, the type that fills most of the file."""
    declared = _whole(header, "general.file_type")
    if declared is not None and (known := _FILE_TYPES.get(declared & ~_GUESSED)):
        return known
    filled: Counter[str] = Counter()
    for tensor in tensors:
        if (size := tensor.nbytes) is not None:
            filled[TENSOR_TYPES[tensor.kind][0]] += size
    return filled.most_common(1)[0][0] if filled else "unknown"


def _stem(path: Path) -> str:
    match = SHARD_NAME.fullmatch(path.name)
    return path.stem if match is None else match["stem"]


def _text(header: GgufHeader, key: str) -> str:
    value = header.values.get(key)
    return value.strip() if isinstance(value, str) else ""


def _whole(header: GgufHeader, key: str) -> int | None:
    value = header.values.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _damaged(header: GgufHeader, reason: str) -> KnownError:
    return KnownError("model_damaged", path=str(header.path), reason=reason)


def _incomplete(header: GgufHeader, reason: str) -> KnownError:
    return KnownError("model_truncated", path=str(header.path), reason=reason)
