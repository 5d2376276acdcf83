"""The sample model's files: sound, the same each time, mended when damaged, and a chain of its own words."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGUFReader
from gguf.quants import dequantize

from qtune.core.errors import KnownError
from qtune.core.model_facts import SAMPLE_NAME
from qtune.models.gguf_header import read_model
from qtune.models.sample import SampleModel, ensure_sample
from qtune.models.sample_text import KNOWN_TEXT, PARTS, START_PARTS
from qtune.models.sample_tokenizer import SampleVocabulary, build_vocabulary, byte_alphabet

PROMPTS = Path(__file__).parents[3] / "resources" / "prompts"
MAKE = "import sys, pathlib, qtune.models.sample as s; s.ensure_sample(pathlib.Path(sys.argv[1]))"


@pytest.fixture(scope="session")
def vocabulary() -> SampleVocabulary:
    return build_vocabulary(PARTS, KNOWN_TEXT, START_PARTS)


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def spell(vocabulary: SampleVocabulary, tokens: list[int]) -> str:
    back = {mark: byte for byte, mark in byte_alphabet().items()}
    return bytes(back[mark] for token in tokens for mark in vocabulary.tokens[token]).decode("utf-8")


def walk(vocabulary: SampleVocabulary, token: int) -> list[int]:
    found = []
    while (token := vocabulary.follow[token]) != vocabulary.end_of_turn:
        found.append(token)
        assert len(found) < 5_000, "the chain never ends"
    return found


def encode(vocabulary: SampleVocabulary, piece: str) -> list[str]:
    """Byte-pair encoding of one piece: the lowest-ranked merge first, as llama.cpp does it."""
    ranks = {tuple(merge.split(" ")): rank for rank, merge in enumerate(vocabulary.merges)}
    parts = [byte_alphabet()[byte] for byte in piece.encode("utf-8")]
    while True:
        pairs = list(itertools.pairwise(parts))
        known = [pair for pair in pairs if pair in ranks]
        if not known:
            return parts
        at = pairs.index(min(known, key=ranks.__getitem__))
        parts[at : at + 2] = ["".join(pairs[at])]


def test_each_start_speaks_the_text_from_its_paragraph_to_the_end(vocabulary: SampleVocabulary) -> None:
    assert len(vocabulary.starts) == START_PARTS
    for number, (marker, _) in enumerate(vocabulary.starts):
        spoken = walk(vocabulary, marker)
        assert spell(vocabulary, spoken) == "\n\n".join(PARTS[number:])
        assert len(spoken) >= 400
        assert len(set(spoken)) == len(spoken), "a token occurs twice: the chain would loop"


def test_words_of_the_sample_prompt_are_whole_tokens(vocabulary: SampleVocabulary) -> None:
    prompt = tomllib.loads((PROMPTS / "sample.toml").read_text(encoding="utf-8"))
    words = prompt["messages"][-1]["content"].split(" ")
    pieces = [words[0], *(" " + word for word in words[1:])]
    for piece in pieces:
        assert len(encode(vocabulary, piece.rstrip(".,"))) == 1, piece
    assert len(pieces) <= 60


def test_any_text_is_spelt_in_bytes(vocabulary: SampleVocabulary) -> None:
    assert set(byte_alphabet().values()) <= set(vocabulary.tokens)
    assert len(set(vocabulary.tokens)) == len(vocabulary.tokens)
    for text in ("你好,世界", "\x00\x7f", "naïve 🙂"):
        parts = encode(vocabulary, text)
        assert set(parts) <= set(vocabulary.tokens)
        assert spell(vocabulary, [vocabulary.tokens.index(part) for part in parts]) == text


def test_files_are_small_and_say_what_they_are(sample_model: SampleModel) -> None:
    q8_0, q4_0 = read_model(sample_model.q8_0), read_model(sample_model.q4_0)
    assert (q8_0.arch, q8_0.quant, q4_0.quant) == ("qwen35", "Q8_0", "Q4_0")
    assert sample_model.q8_0.stat().st_size <= 150_000_000
    assert sample_model.q4_0.stat().st_size <= 0.8 * sample_model.q8_0.stat().st_size
    reader = GGUFReader(sample_model.q8_0)
    assert reader.fields["general.name"].contents() == SAMPLE_NAME
    assert reader.fields["qwen35.nextn_predict_layers"].contents() == 1
    assert reader.fields["qwen35.context_length"].contents() == 131072


@pytest.mark.parametrize("quantisation", ["q8_0", "q4_0"])
def test_heads_name_the_next_word_and_the_draft_head_is_wrong_about_a_quarter(
    sample_model: SampleModel, vocabulary: SampleVocabulary, quantisation: str
) -> None:
    reader = GGUFReader(getattr(sample_model, quantisation))
    matrices: dict[str, Any] = {
        tensor.name: dequantize(tensor.data, tensor.tensor_type)
        for tensor in reader.tensors
        if tensor.name in {"token_embd.weight", "output.weight", "blk.8.nextn.shared_head_head.weight"}
    }
    embeddings = matrices["token_embd.weight"]
    states = [token for marker, _ in vocabulary.starts[:1] for token in [marker, *walk(vocabulary, marker)]]
    expected = np.array([vocabulary.follow[token] for token in states])
    target = (embeddings[states] @ matrices["output.weight"].T).argmax(axis=1)
    assert (target == expected).all()
    drafts = (embeddings[states] @ matrices["blk.8.nextn.shared_head_head.weight"].T).argmax(axis=1)
    assert np.mean(drafts == expected) == pytest.approx(0.75, abs=0.02)


def test_two_processes_at_once_leave_the_same_sound_files(tmp_path: Path, sample_model: SampleModel) -> None:
    folder = tmp_path / "不存在" / "cache"
    writers = [subprocess.Popen([sys.executable, "-c", MAKE, str(folder)]) for _ in range(2)]
    assert [writer.wait(110) for writer in writers] == [0, 0]
    made = ensure_sample(folder)
    assert digest(made.q8_0) == digest(sample_model.q8_0)
    assert digest(made.q4_0) == digest(sample_model.q4_0)
    assert len(list(folder.iterdir())) == 4, "unfinished files were left"


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"XXXX")


@pytest.mark.parametrize("damage", [cut, overwrite, Path.unlink])
def test_a_damaged_file_is_made_again_and_the_sound_one_kept(
    tmp_path: Path, sample_model: SampleModel, damage: Callable[[Path], None]
) -> None:
    for path in sample_model.q8_0.parent.glob(sample_model.q8_0.stem[:-4] + "*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    victim, kept = tmp_path / sample_model.q4_0.name, tmp_path / sample_model.q8_0.name
    damage(victim)
    abandoned = tmp_path / f"{victim.name}.{2**22 + 1}-abcd1234.part"
    abandoned.touch()
    before, steps = kept.stat().st_mtime_ns, []
    ensure_sample(tmp_path, steps.append)
    assert digest(victim) == digest(sample_model.q4_0)
    assert kept.stat().st_mtime_ns == before
    assert not abandoned.exists()
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == (0.0, 1.0)
    assert len(steps) > 10


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a matter of POSIX")
def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    script = (
        "import resource, sys, pathlib\n"
        "from qtune.core.errors import KnownError\n"
        "from qtune.models.sample import ensure_sample\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5_000_000, 5_000_000))\n"
        "try:\n    ensure_sample(pathlib.Path(sys.argv[1]))\n"
        "except KnownError as error:\n    print(error.code)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "sample_not_written\n", "")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KnownError) as caught:
        ensure_sample(tmp_path / "file" / "cache")
    assert caught.value.code == "sample_not_written"
    assert str(tmp_path / "file" / "cache") in str(caught.value)
