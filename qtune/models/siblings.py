"""Finds the same model in other quantisations, for the step down to a smaller one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from qtune.core.model_facts import ModelFacts
from qtune.models.shards import SHARD_NAME

_QUANT: Final = re.compile(
    r"(?<![a-z0-9])(?:(?:ud|i1|imat|imatrix|apex)[-_. ])*"
    r"(?:i?q\d{1,2}(?:_(?:[0-8]|k|xxs|xs|s|m|l|xl|xxl|nl|p))*|bf16|fp?16|fp?32|fp8|int[48]|mxfp4(?:[-_]moe)?|nvfp4|tq\d_\d)(?![a-z0-9])"
)
"""Words that name a quantisation, with the marks that publishers put in front of them."""

_SAYS_NOTHING: Final = frozenset({"gguf", "ggml", "imat", "imatrix", "i1", "ud", "mtp", "nextn", "quantized"})
"""Words that tell packages of one model apart, not models."""

_NEARLY: Final = 0.02
"""Share of the size by which two publishers' files of one quantisation may differ."""

_PUBLISHER: Final = re.compile(r"[^_/]+_(?=.)")


def siblings_of(model: ModelFacts, models: Iterable[ModelFacts]) -> tuple[ModelFacts, ...]:
    """The same model in other quantisations, largest first.

    Same architecture, trunk, sizes and name; a fine-tune under another name is another model, also when its
    header still carries the name of its base. A quantisation that lost its MTP head is a sibling (see
    ``ModelFacts.mtp``); a file that is only a head is not. Of files of one quantisation and nearly one size
    only one counts: a step to such a one would gain nothing.
    """
    found: list[ModelFacts] = []
    for other in sorted(models, key=lambda each: (-each.size_bytes, each.path)):
        if other.path == model.path or not _is_same_model(model, other):
            continue
        if not any(_is_copy(other, kept) for kept in (model, *found)):
            found.append(other)
    return tuple(found)


def _is_copy(one: ModelFacts, other: ModelFacts) -> bool:
    difference = abs(one.size_bytes - other.size_bytes)
    return one.quant == other.quant and difference <= _NEARLY * max(one.size_bytes, other.size_bytes)


def _is_same_model(one: ModelFacts, other: ModelFacts) -> bool:
    if "sidecar" in {one.mtp, other.mtp} or _build(one) != _build(other):
        return False
    if one.size_label and other.size_label and one.size_label.casefold() != other.size_label.casefold():
        return False
    if one.shape is not None and other.shape is not None:
        for mine, its in (
            (one.shape.embedding_length, other.shape.embedding_length),
            (one.shape.vocabulary, other.shape.vocabulary),
        ):
            if mine is not None and its is not None and mine != its:
                return False
    return _name(one) == _name(other) and _beyond_name(one) == _beyond_name(other)


def _build(model: ModelFacts) -> tuple[str, int, bool]:
    """Architecture and layers without the MTP head, which a quantisation may have lost."""
    return model.arch, model.block_count - model.nextn_layers, model.is_sample


def _words(text: str) -> list[str]:
    """Words of a name without those of its quantisation; a dot between digits belongs to a version."""
    plain = _QUANT.sub(" ", text.casefold())
    plain = re.sub(r"(?<!\d)\.|\.(?!\d)", " ", plain)
    return [word for word in re.split(r"[^\w.]+|_", plain) if word and word not in _SAYS_NOTHING]


def _name(model: ModelFacts) -> list[str]:
    size = model.size_label.casefold()
    return [word for word in _words(model.name.rsplit("/", 1)[-1]) if word != size]


def _beyond_name(model: ModelFacts) -> frozenset[str]:
    """What the file's name adds to the model's name, e.g. ``abliterated``; nothing if it is another name."""
    file = Path(model.path).name
    part = SHARD_NAME.fullmatch(file)
    stem = part["stem"] if part is not None else Path(file).stem
    name = {*_words(model.name), model.size_label.casefold()}
    words = _words(stem)
    without = _words(_PUBLISHER.sub("", stem, count=1))  # Publisher_Model-1B-Q4_K_M
    if without and without[0] in name:
        words = without
    added = frozenset(words) - name
    return added if set(words) & name else frozenset()
