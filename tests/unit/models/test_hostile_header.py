"""Hostile headers end in facts or in a known error, within the limits of memory and time."""

from __future__ import annotations

import os
import time
import tracemalloc
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qtune.core.errors import KnownError
from qtune.core.model_facts import ModelFacts
from qtune.models.gguf_header import read_model
from tests.unit.models.hostile import QUICK, costly, seeded, sound, write_hostile
from tests.unit.models.published import Item, write_header


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "a.gguf"


def facts_or_known_error(path: Path) -> ModelFacts | None:
    try:
        facts = read_model(path)
    except KnownError as error:
        assert error.code in ("model_damaged", "model_truncated", "model_not_llm")  # noqa: PT017
        assert len(error.message.sentence()) < 1000  # noqa: PT017
        return None
    assert facts.shape is not None
    assert len(facts.shape.kv) + len(facts.shape.mtp_kv) <= facts.block_count <= 4096
    assert 0 <= facts.shape.weights.head <= facts.shape.weights.total
    sizes = [size for layer in facts.shape.kv for size in (layer.heads, layer.key_length, layer.value_length)]
    assert all(0 <= size < 2**31 for size in sizes)
    return facts


@settings(max_examples=400, deadline=2000)
@given(random=st.randoms(use_true_random=False))
def test_anything_changed(scratch: Path, random: Random) -> None:
    facts_or_known_error(write_hostile(scratch, random))


@settings(max_examples=200, deadline=2000)
@given(data=st.data())
def test_cut_anywhere(scratch: Path, data: st.DataObject) -> None:
    raw = sound(seeded(data.draw(st.integers(0, 3)))).joined()
    scratch.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    with pytest.raises(KnownError) as caught:
        read_model(scratch)
    assert caught.value.code == "model_truncated"


def test_the_headers_changed_are_sound_before(scratch: Path) -> None:
    for seed in range(8):
        parts = sound(seeded(seed))
        scratch.write_bytes(parts.joined())
        os.truncate(scratch, scratch.stat().st_size + 64 + parts.data)
        facts = facts_or_known_error(scratch)
        assert facts is not None
        assert (facts.mtp, facts.shape is not None and facts.shape.recurrent is not None) == (
            "embedded",
            True,
        )


@pytest.mark.parametrize("name", QUICK)  # benchmarks/headers.py tries the others too
def test_made_to_be_costly(scratch: Path, name: str) -> None:
    raw, size = costly()[name]()
    scratch.write_bytes(raw)
    if size:
        os.truncate(scratch, size)
    del raw
    begun = time.process_time()
    facts_or_known_error(scratch)
    spent = time.process_time() - begun
    tracemalloc.start()
    facts_or_known_error(scratch)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert spent < 2
    assert peak < 64_000_000


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"llama.block_count": 4_000_000_000}, "its number of layers is no number"),
        ({"llama.block_count": 2_000_000_000}, "it claims 2000000000 layers"),
        ({"llama.block_count": "4"}, "its number of layers is no number"),
        ({"llama.block_count": -4}, "its number of layers is no number"),
        ({"llama.block_count": float("nan")}, "its number of layers is no number"),
        ({"llama.block_count": 3, "llama.nextn_predict_layers": 4}, "it claims 4 MTP layers among 3 layers"),
        ({"split.count": 2_000_000}, "it claims to be one of 2000000 parts"),
    ],
)
def test_layers_and_parts_that_cannot_be(scratch: Path, keys: dict[str, Item], reason: str) -> None:
    write_header(scratch, {"general.architecture": "llama", "llama.block_count": 1} | keys)
    with pytest.raises(KnownError) as caught:
        read_model(scratch)
    assert (caught.value.code, dict(caught.value.message.params)["reason"]) == ("model_damaged", reason)


@pytest.mark.parametrize("what", ["entry", "tensor"])
def test_what_is_there_twice(scratch: Path, what: str) -> None:
    parts = sound(seeded(1))
    if what == "entry":
        parts.keys.append(parts.keys[0])
    else:
        parts.tensors.append(parts.tensors[0])
    scratch.write_bytes(parts.joined() + bytes(64 + parts.data))
    with pytest.raises(KnownError) as caught:
        read_model(scratch)
    assert "twice" in str(dict(caught.value.message.params)["reason"])
