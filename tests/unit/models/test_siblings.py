"""Which files are one model in several quantisations; a false sibling would be another model's answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qtune.core.model_facts import ModelFacts, ModelShape, MtpHead, WeightBytes
from qtune.models.discovery import find_models
from qtune.models.siblings import siblings_of
from tests.unit.models.tree import gguf_bytes, llm


def made(
    file: str,
    name: str = "",
    size: int = 100,
    *,
    quant: str = "",
    label: str = "",
    mtp: MtpHead = "embedded",
    blocks: int = 65,
    embedding: int | None = None,
    vocabulary: int | None = None,
) -> ModelFacts:
    shape = None
    if embedding is not None or vocabulary is not None:
        shape = ModelShape(embedding, None, vocabulary, None, (), (), None, WeightBytes(1, 1, None, 0))
    return ModelFacts(
        path=file,
        files=(file,),
        name=name or Path(file).stem.removesuffix("-00001-of-00003"),
        arch="qwen35",
        quant=quant or file,
        size_bytes=size,
        block_count=blocks,
        nextn_layers=1 if mtp != "none" else 0,
        context_train=None,
        mtp=mtp,
        chat_template=True,
        size_label=label,
        shape=shape,
    )


def are_siblings(one: ModelFacts, other: ModelFacts) -> bool:
    other = replace(other, size_bytes=other.size_bytes + 1)
    there, back = siblings_of(one, [one, other]), siblings_of(other, [one, other])
    assert bool(there) == bool(back)
    return bool(there)


SAME = [
    ("Qwen3.6-27B-Q4_K_M.gguf", "", "Qwen3.6-27B-Q8_0.gguf", ""),
    ("Qwen3.6-27B-UD-Q4_K_XL.gguf", "Qwen3.6-27B", "Qwen_Qwen3.6-27B-IQ4_XS.gguf", "Qwen3.6 27B"),
    ("Qwen3.6-27B.i1-IQ3_XXS.gguf", "", "Qwen3.6-27B.Q6_K.gguf", "Qwen3.6 27B"),
    ("qwen3.6-27b-q4_0.gguf", "", "QWEN3.6-27B-BF16.gguf", ""),
    ("Qwen3.6-27B-MTP-Q4_K_S.gguf", "Qwen3.6 27B", "Qwen3.6-27B-Q5_K_L.gguf", "Qwen3.6 27B"),
    ("google_gemma-4-31B-it-Q4_K_M.gguf", "Gemma 4 31B It", "gemma-4-31B-it-Q8_0.gguf", "Gemma 4 31B It"),
    ("Qwen3.6-35B-A3B-MXFP4_MOE.gguf", "", "Qwen3.6-35B-A3B-Q8_0.gguf", ""),
    ("my favourite.gguf", "Qwen3.6 27B", "Qwen3.6-27B-Q8_0.gguf", "Qwen3.6 27B"),
    ("a/M-Q8_0-00001-of-00003.gguf", "", "b/M-Q4_0.gguf", ""),
    ("模型-Q8_0.gguf", "", "模型-Q4_0.gguf", ""),
]
OTHERS = [
    ("Qwen3.6-27B-Q4_K_M.gguf", "", "Qwen3.6-9B-Q8_0.gguf", ""),
    ("Qwen3.6-27B-Q4_K_M.gguf", "", "Qwen3.5-27B-Q8_0.gguf", ""),
    ("Qwen3.6-27B-Q4_K_M.gguf", "", "Qwen3.6-27B-abliterated-Q8_0.gguf", ""),
    # The header of a fine-tune often keeps the name of its base.
    ("Qwen3.6-27B-Q4_K_M.gguf", "Qwen3.6 27B", "Qwen3.6-27B-abliterated-Q8_0.gguf", "Qwen3.6 27B"),
    ("Qwen3.6-27B-Q4_K_M.gguf", "Qwen3.6 27B", "Huihui-Qwen3.6-27B-Q8_0.gguf", "Qwen3.6 27B"),
    ("model-Q4_K_M.gguf", "Alpha", "model-Q8_0.gguf", "Beta"),
    ("Qwen3.6-27B-Q4_K_M.gguf", "", "Qwen3.6-27B-Instruct-Q8_0.gguf", ""),
    ("Qwen3.6-27B-v2-Q4_K_M.gguf", "", "Qwen3.6-27B-v3-Q8_0.gguf", ""),
    ("模型甲-Q8_0.gguf", "", "模型乙-Q4_0.gguf", ""),
    ("Qwen3.6-35B-A3B-Q8_0.gguf", "", "Qwen3.6-35B-Q4_0.gguf", ""),
]


@pytest.mark.parametrize(("one", "name", "other", "its_name"), SAME)
def test_the_same_model(one: str, name: str, other: str, its_name: str) -> None:
    assert are_siblings(made(one, name), made(other, its_name))


@pytest.mark.parametrize(("one", "name", "other", "its_name"), OTHERS)
def test_another_model(one: str, name: str, other: str, its_name: str) -> None:
    assert not are_siblings(made(one, name), made(other, its_name))


def test_sizes_must_agree_as_far_as_they_are_known() -> None:
    one = made("M-Q4_0.gguf", label="27B", embedding=5120)
    assert are_siblings(one, made("M-Q8_0.gguf"))
    assert are_siblings(one, made("M-Q8_0.gguf", label="27b", embedding=5120, vocabulary=9))
    assert are_siblings(
        made("M-27B-Q4_0.gguf", "M 27B", label="27B"), made("M-27B-Q8_0.gguf", "M", label="27B")
    )
    assert not are_siblings(one, made("M-Q8_0.gguf", label="9B"))
    assert not are_siblings(one, made("M-Q8_0.gguf", embedding=4096))
    assert not are_siblings(made("M-Q4_0.gguf", vocabulary=8), made("M-Q8_0.gguf", vocabulary=9))
    assert not are_siblings(one, made("M-Q8_0.gguf", blocks=33))
    assert not are_siblings(one, replace(made("M-Q8_0.gguf"), arch="llama"))
    assert not are_siblings(one, replace(made("M-Q8_0.gguf"), is_sample=True))
    assert not are_siblings(one, made("M-Q8_0.gguf", mtp="sidecar"))
    assert are_siblings(one, made("M-Q8_0.gguf", mtp="none", blocks=64))


def test_largest_first_and_copies_once() -> None:
    shelf = [
        made("a/M-Q4_0.gguf", size=40, quant="Q4_0"),
        made("b/M-Q6_K.gguf", size=60, quant="Q6_K"),
        made("c/M-Q8_0.gguf", size=80, quant="Q8_0"),
        made("d/M-Q6_K.gguf", size=60, quant="Q6_K"),
        made("e/M-UD-Q6_K.gguf", size=63, quant="Q6_K"),
        made("d/M-imat-Q8_0.gguf", size=79, quant="Q8_0"),
        made("f/M-Q4_0.gguf", size=40, quant="Q4_0"),
        made("g/Other-Q8_0.gguf", size=90),
    ]
    found = siblings_of(shelf[0], reversed(shelf))
    assert [each.path for each in found] == ["c/M-Q8_0.gguf", "e/M-UD-Q6_K.gguf", "b/M-Q6_K.gguf"]


def test_real_files_in_parts(tmp_path: Path) -> None:
    """The sample model's names, and a split model beside a whole one."""
    for quant, kind in (("Q8_0", 7), ("Q4_0", 2)):
        values = llm("qtune sample model", mtp=False, file_type=kind)
        extra = bytes(kind * 512)
        (tmp_path / f"qtune-sample-v3-{quant}.gguf").write_bytes(gguf_bytes(values) + extra)
    for number in range(2):
        values = {**llm("Split", file_type=7), "split.no": number, "split.count": 2}
        tensors = ("blk.0.a",) if number == 0 else ("blk.1.a", "blk.1.b", "blk.1.c")
        (tmp_path / f"Split-Q8_0-0000{number + 1}-of-00002.gguf").write_bytes(gguf_bytes(values, tensors))
    (tmp_path / "Split-Q4_0.gguf").write_bytes(gguf_bytes(llm("Split", file_type=2), ("blk.0.a",)))
    models = find_models([tmp_path]).models
    pairs = {Path(m.path).name: [Path(s.path).name for s in siblings_of(m, models)] for m in models}
    assert pairs == {
        "qtune-sample-v3-Q8_0.gguf": ["qtune-sample-v3-Q4_0.gguf"],
        "qtune-sample-v3-Q4_0.gguf": ["qtune-sample-v3-Q8_0.gguf"],
        "Split-Q8_0-00001-of-00002.gguf": ["Split-Q4_0.gguf"],
        "Split-Q4_0.gguf": ["Split-Q8_0-00001-of-00002.gguf"],
    }
