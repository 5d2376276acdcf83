"""Turns the headers of a model's files into the facts that decide how it may be launched."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from qtune.core.errors import KnownError
from qtune.core.model_facts import SAMPLE_NAME, ModelFacts
from qtune.models.companions import MAX_BLOCKS, Companions
from qtune.models.gguf_format import Budget, GgufHeader, read_header
from qtune.models.quantisation import quantisation
from qtune.models.shape import model_shape
from qtune.models.shards import SHARD_NAME, read_parts
from qtune.models.weights import sum_weights

"""``general.name`` of the model qtune writes itself."""

_SAMPLING: Final = (
    "temp", "top_k", "top_p", "min_p", "xtc_probability", "xtc_threshold", "penalty_last_n",
    "penalty_repeat", "mirostat", "mirostat_tau", "mirostat_eta",
)  # fmt: skip
"""Sampling defaults the engine takes from a file (``general.sampling.*``, ``src/llama-arch.cpp``)."""

_LONGEST_NAME: Final = 200
"""Characters of a name that are kept; it is for people to read."""


def read_model(path: Path, companions: Companions | None = None) -> ModelFacts:
    """Facts of a model from the headers of all its files; of a split model any part may be named.

    A scan of many files hands over one ``companions``, so that no folder is listed and no sidecar read twice.

    Raises:
        KnownError: as ``read_header``; ``model_truncated`` too when a part of a split model is missing,
            ``model_damaged`` when its parts contradict each other, ``model_not_llm`` when the file is sound
            but something else, such as an image encoder.
    """
    return (companions or Companions()).complete(_read(path))


def _read(path: Path) -> ModelFacts:
    budget = Budget()
    headers = read_parts(read_header(path, budget), budget)
    first = headers[0]
    arch, block_count, nextn = _layout(first)
    weights = sum_weights(headers, arch, block_count, nextn)
    name = first.text("general.name") or _stem(first.path)
    return ModelFacts(
        path=str(first.path),
        files=tuple(str(header.path) for header in headers),
        name=name[:_LONGEST_NAME],
        arch=arch,
        quant=quantisation(first, weights.main_quant),
        size_bytes=sum(header.file_size for header in headers),
        block_count=block_count,
        nextn_layers=nextn,
        context_train=first.whole(f"{arch}.context_length"),
        mtp=weights.mtp,
        chat_template="tokenizer.chat_template" in first.values,
        is_sample=first.values.get("qtune.sample") is True or name == SAMPLE_NAME,
        shape=model_shape(first, arch, block_count, nextn, weights),
        size_label=first.text("general.size_label")[:_LONGEST_NAME],
        mtp_tensors=weights.head_tensors,
        mtp_quant=weights.head_quant,
        sampling=_sampling(first),
        imatrix=any(key.startswith("quantize.imatrix.") for key in first.values),
    )


def _layout(header: GgufHeader) -> tuple[str, int, int]:
    """Architecture, layers and MTP layers among them, each checked to be possible."""
    arch = header.text("general.architecture")
    if not arch:
        raise _damaged(header, "it names no architecture")
    if len(arch) > _LONGEST_NAME:
        raise _damaged(header, f"the name of its architecture has {len(arch)} letters")
    kind = header.text("general.type") or "model"
    if kind != "model" or f"{arch}.block_count" not in header.values:
        shown = arch if kind == "model" else kind[:_LONGEST_NAME]
        raise KnownError("model_not_llm", path=str(header.path), kind=shown)
    block_count = header.whole(f"{arch}.block_count")
    if block_count is None:
        raise _damaged(header, "its number of layers is no number")
    if block_count > MAX_BLOCKS:
        raise _damaged(header, f"it claims {block_count} layers")
    nextn = header.whole(f"{arch}.nextn_predict_layers") or 0
    if nextn > block_count:
        raise _damaged(header, f"it claims {nextn} MTP layers among {block_count} layers")
    return arch, block_count, nextn


def _sampling(header: GgufHeader) -> tuple[tuple[str, float], ...]:
    found = []
    for name in _SAMPLING:
        value = header.values.get(f"general.sampling.{name}")
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            found.append((name, float(value)))
    return tuple(found)


def _stem(path: Path) -> str:
    match = SHARD_NAME.fullmatch(path.name)
    return path.stem if match is None else match["stem"]


def _damaged(header: GgufHeader, reason: str) -> KnownError:
    return KnownError("model_damaged", path=str(header.path), reason=reason)
