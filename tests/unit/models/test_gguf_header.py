"""Headers of real small files, of broken ones and of hostile ones."""

from __future__ import annotations

import os
import struct
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qtune.core.errors import KnownError
from qtune.core.model_facts import SAMPLE_NAME
from qtune.models.gguf_format import TENSOR_TYPES, read_header
from qtune.models.gguf_header import read_model
from qtune.models.quantisation import FILE_TYPES

TRUNK = ("token_embd.weight", "blk.0.attn_norm.weight", "blk.1.attn_norm.weight", "output.weight")
HEAD = ("blk.2.nextn.eh_proj.weight", "blk.2.nextn.enorm.weight")


def write(
    path: Path,
    tensors: tuple[str, ...] = TRUNK,
    *,
    arch: str = "qwen35",
    name: str | None = "Tiny",
    blocks: int | None = 3,
    nextn: int | None = None,
    file_type: int | None = 7,
    template: str | None = None,
    tokens: int = 0,
    more: Any = None,
) -> Path:
    writer = gguf.GGUFWriter(path, arch)
    if name is not None:
        writer.add_name(name)
    if blocks is not None:
        writer.add_block_count(blocks)
    if nextn is not None:
        writer.add_uint32(f"{arch}.nextn_predict_layers", nextn)
    if file_type is not None:
        writer.add_file_type(file_type)
    if template is not None:
        writer.add_chat_template(template)
    if tokens:
        writer.add_token_list([f"token-{n}" for n in range(tokens)])
        writer.add_token_merges([f"a{n} b{n}" for n in range(tokens)])
        writer.add_token_types([1] * tokens)
    writer.add_context_length(262144)
    if more is not None:
        more(writer)
    for tensor in tensors:
        writer.add_tensor(tensor, np.ones((4, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def fails(path: Path) -> tuple[str, str]:
    with pytest.raises(KnownError) as caught:
        read_model(path)
    params = dict(caught.value.message.params)
    assert params["path"]
    assert "?" not in caught.value.message.sentence().replace(str(params["path"]), "")
    return caught.value.code, str(params.get("reason", params.get("kind", "")))


# -- sound files -------------------------------------------------------------------------------------------


def test_facts_of_a_model_with_its_head(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", TRUNK + HEAD, nextn=1, file_type=15, template="{{ x }}", tokens=50)
    facts = read_model(path)
    assert (facts.path, facts.files, facts.name, facts.arch) == (str(path), (str(path),), "Tiny", "qwen35")
    assert (facts.quant, facts.block_count, facts.nextn_layers) == ("Q4_K_M", 3, 1)
    assert (facts.context_train, facts.mtp, facts.chat_template) == (262144, "embedded", True)
    assert facts.size_bytes == path.stat().st_size
    assert not facts.is_sample


@pytest.mark.parametrize(
    ("tensors", "nextn", "mtp"),
    [
        (TRUNK + HEAD, 1, "embedded"),
        (("token_embd.weight", "output.weight", *HEAD), 1, "sidecar"),
        (TRUNK, 1, "none"),
        (TRUNK + HEAD, None, "none"),
        (TRUNK + HEAD, 0, "none"),
        ((*TRUNK, "blk.1.nextn.eh_proj.weight"), 1, "none"),
        ((*TRUNK, "blk.2.nextn.enorm.weight"), 1, "none"),
    ],
)
def test_a_head_is_a_key_and_its_tensors(
    tmp_path: Path, tensors: tuple[str, ...], nextn: int | None, mtp: str
) -> None:
    path = write(tmp_path / "mtp-in-the-name-is-no-evidence.gguf", tensors, nextn=nextn)
    assert read_model(path).mtp == mtp


def test_draft_file_of_gemma(tmp_path: Path) -> None:
    path = write(tmp_path / "g.gguf", ("nextn.pre_projection.weight",), arch="gemma4-assistant")
    assert read_model(path).mtp == "sidecar"


def test_what_the_header_does_not_say(tmp_path: Path) -> None:
    facts = read_model(write(tmp_path / "Some Model-F32.gguf", name=None, file_type=None))
    assert (facts.name, facts.quant, facts.chat_template) == ("Some Model-F32", "F32", False)


def test_guessed_file_type_and_sample(tmp_path: Path) -> None:
    assert read_model(write(tmp_path / "a.gguf", file_type=1024 + 2)).quant == "Q4_0"
    assert read_model(write(tmp_path / "b.gguf", name=SAMPLE_NAME)).is_sample
    marked = write(tmp_path / "c.gguf", more=lambda w: w.add_bool("qtune.sample", True))
    assert read_model(marked).is_sample


def test_own_tables_agree_with_the_package() -> None:
    theirs = {int(t): (t.name, *size) for t, size in gguf.GGML_QUANT_SIZES.items()}
    assert {k: v for k, v in TENSOR_TYPES.items() if k in theirs} == theirs
    names = {int(t): t.name.removeprefix("MOSTLY_").removeprefix("ALL_") for t in gguf.LlamaFileType}
    names = {k: v.removesuffix("_MOE") for k, v in names.items() if v != "GUESSED"}
    assert {k: v for k, v in FILE_TYPES.items() if k in names} == names


def test_a_vocabulary_is_passed_and_not_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "v.gguf", TRUNK + HEAD, nextn=1, tokens=40_000)
    tracemalloc.start()
    header = read_header(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert header.values["tokenizer.ggml.tokens"] is None
    assert header.values["tokenizer.ggml.token_type"] is None
    assert peak < 4 << 20
    assert read_model(path).mtp == "embedded"


def test_arrays_small_enough_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", more=lambda w: w.add_array("qwen35.attention.head_count_kv", [0, 2, 0]))
    assert read_header(path).values["qwen35.attention.head_count_kv"] == (0, 2, 0)


def test_odd_path(tmp_path: Path) -> None:
    folder = tmp_path / "Модели 模型 ü 'q'"
    folder.mkdir()
    assert read_model(write(folder / "a b.gguf")).path == str(folder / "a b.gguf")


# -- split models ------------------------------------------------------------------------------------------


def split(folder: Path, count: int = 3) -> list[Path]:
    paths = []
    for no in range(count):

        def keys(writer: gguf.GGUFWriter, no: int = no) -> None:
            writer.add_uint16("split.no", no)
            writer.add_uint16("split.count", count)

        tensors = TRUNK if no == 0 else HEAD if no == count - 1 else (f"blk.0.ffn_{no}.weight",)
        path = folder / f"M-{no + 1:05}-of-{count:05}.gguf"
        paths.append(write(path, tensors, name=None, nextn=1, more=keys))
    return paths


@pytest.mark.parametrize("asked", [0, 1, 2])
def test_any_part_of_a_split_model_leads_to_all(tmp_path: Path, asked: int) -> None:
    paths = split(tmp_path)
    facts = read_model(paths[asked])
    assert (facts.path, facts.files) == (str(paths[0]), tuple(map(str, paths)))
    assert facts.size_bytes == sum(path.stat().st_size for path in paths)
    assert (facts.mtp, facts.name) == ("embedded", "M")


def test_missing_and_broken_parts(tmp_path: Path) -> None:
    paths = split(tmp_path)
    paths[2].write_bytes(paths[2].read_bytes()[:-100])
    assert fails(paths[0])[0] == "model_truncated"
    paths[2].unlink()
    assert fails(paths[0]) == ("model_truncated", "part 3 of 3 is missing beside it")
    lost = paths[0].rename(tmp_path / "renamed.gguf")
    assert fails(lost)[0] == "model_truncated"


# -- what is not a model -----------------------------------------------------------------------------------


def test_places_without_a_file(tmp_path: Path) -> None:
    assert fails(tmp_path / "none.gguf")[0] == "model_missing"
    assert fails(tmp_path)[0] == "model_is_folder"
    assert fails(Path("nul\0l"))[0] == "model_not_readable"


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.gguf")
    assert fails(tmp_path / "p.gguf") == ("model_not_readable", "it is no ordinary file")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind here")
def test_forbidden(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf")
    path.chmod(0)
    assert fails(path) == ("model_not_readable", "Permission denied")


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 7516192768\n"


@pytest.mark.parametrize(
    ("content", "code", "word"),
    [
        (b"", "model_truncated", "empty"),
        (b"GGU", "model_truncated", "3 bytes"),
        (LFS, "model_not_gguf", "LFS"),
        (b"\n<!DOCTYPE html><title>Sign in</title>", "model_not_gguf", "web page"),
        (b"PK\x03\x04" + bytes(100), "model_not_gguf", "letters GGUF"),
        (b"GGUF" + b"\x00\x00\x00\x03" + bytes(64), "model_damaged", "big-endian"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "model_damaged", "version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "model_damaged", "architecture"),
        (b"GGUF\x03\x00\x00", "model_truncated", "header"),
    ],
)
def test_not_what_it_should_be(tmp_path: Path, content: bytes, code: str, word: str) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    found, reason = fails(path)
    assert found == code
    assert word in reason


def test_something_else_in_the_format(tmp_path: Path) -> None:
    assert fails(write(tmp_path / "m.gguf", arch="clip", blocks=None)) == ("model_not_llm", "clip")
    adapter = write(tmp_path / "l.gguf", more=lambda w: w.add_type("adapter"))
    assert fails(adapter) == ("model_not_llm", "adapter")


def test_unfinished_download(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", tokens=2000)
    whole = path.read_bytes()
    for size in (len(whole) - 1, len(whole) - 512, len(whole) // 2, 30):
        path.write_bytes(whole[:size])
        assert fails(path)[0] == "model_truncated"
    path.write_bytes(whole[:-1])
    assert fails(path)[1] == f"1 of its {len(whole)} bytes are missing"


# -- hostile headers ---------------------------------------------------------------------------------------


def head(n_tensors: int, n_values: int, rest: bytes = b"", fill: int = 4096) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, n_tensors, n_values) + rest + bytes(fill)


def key(kind: int, value: bytes, name: bytes = b"k") -> bytes:
    return struct.pack("<Q", len(name)) + name + struct.pack("<I", kind) + value


HUGE = 2**63
HOSTILE = {
    "tensors": head(HUGE, 0),
    "entries": head(0, HUGE),
    "key length": head(0, 1, struct.pack("<Q", HUGE)),
    "text length": head(0, 1, key(8, struct.pack("<Q", HUGE))),
    "texts": head(0, 1, key(9, struct.pack("<IQ", 8, HUGE))),
    "numbers": head(0, 1, key(9, struct.pack("<IQ", 10, HUGE))),
    "lists in lists": head(0, 1, key(9, struct.pack("<IQ", 9, 1) * 10_000)),
    "unknown type": head(0, 1, key(99, b"")),
    "text in a list": head(0, 1, key(9, struct.pack("<IQQ", 8, 3, HUGE))),
    "dimensions": head(1, 0, struct.pack("<Q1sI", 1, b"t", 1 << 30)),
    "shape": head(1, 0, struct.pack("<Q1sI4QIQ", 1, b"t", 4, *[2**64 - 1] * 4, 0, 0)),
    "offset": head(1, 0, struct.pack("<Q1sI1QIQ", 1, b"t", 1, 32, 0, 2**64 - 32)),
    "alignment": head(0, 1, key(4, struct.pack("<I", 0), b"general.alignment")),
    "odd alignment": head(0, 1, key(8, struct.pack("<Q", 1) + b"x", b"general.alignment")),
}  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_counts_cost_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    tracemalloc.start()
    begun = time.process_time()
    code, _ = fails(path)
    spent, peak = time.process_time() - begun, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert code in ("model_damaged", "model_truncated")
    assert spent < 0.5
    assert peak < 4 << 20


@pytest.mark.parametrize("what", ["tensors", "entries", "texts"])
def test_counts_nothing_sensible_has_are_named(tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(HOSTILE[what])
    assert fails(path) == ("model_damaged", f"it claims {HUGE} {what}")


@pytest.mark.parametrize(
    "listed", [struct.pack("<IQ", 8, 4_000_000), struct.pack("<IQ", 0, 60 << 30)], ids=["texts", "bytes"]
)
def test_a_sparse_giant_is_refused_in_bounded_time(tmp_path: Path, listed: bytes) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(head(0, 8, key(9, listed)))
    os.truncate(path, 64 << 30)
    begun = time.process_time()
    assert fails(path)[0] == "model_damaged"
    assert time.process_time() - begun < 3


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("sound")
    return write(folder / "a.gguf", TRUNK + HEAD, nextn=1, template="t", tokens=20).read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "a.gguf"


@settings(max_examples=300, deadline=5000)
@given(data=st.data())
def test_damaged_anywhere_is_a_known_error_or_a_fact(
    sound: bytes, scratch: Path, data: st.DataObject
) -> None:
    raw = bytearray(sound)
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(4, len(raw) - 8))
        raw[at : at + 8] = data.draw(
            st.one_of(
                st.binary(min_size=8, max_size=8),
                st.sampled_from([0, 1, 2**31, 2**32, 2**62, 2**64 - 1]).map(lambda n: struct.pack("<Q", n)),
            )
        )
    scratch.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    try:
        facts = read_model(scratch)
    except KnownError as error:
        assert error.code.startswith("model_")  # noqa: PT017 - either outcome is right
    else:
        assert facts.size_bytes == scratch.stat().st_size
