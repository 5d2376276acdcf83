"""What lies beside a model: heads in files of their own, image encoders; and parts of split models."""

from __future__ import annotations

from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.models import companions
from qtune.models.companions import Companions
from qtune.models.gguf_header import read_model
from tests.unit.models.published import (
    Item,
    write_header,
    write_qwen36_27b,
    write_qwen36_35b_a3b,
)


def made(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        write_qwen36_27b(folder / name, trunk=False)
    return folder


def head_in(path: Path, quant: int, width: int = 5120, blocks: int = 65) -> Path:
    a = "qwen35"
    keys: dict[str, Item] = {
        "general.architecture": a, f"{a}.block_count": blocks, f"{a}.nextn_predict_layers": 1,
        f"{a}.embedding_length": width, "general.file_type": quant,
    }  # fmt: skip
    return write_header(path, keys, [(f"blk.{blocks - 1}.nextn.eh_proj.weight", (2 * width, width), "Q8_0")])


def names(paths: tuple[str, ...], folder: Path) -> list[str]:
    return [Path(path).relative_to(folder).as_posix() for path in paths]


# -- heads -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("head", [None, "Q8_0"])
def test_heads_beside_and_in_a_folder_of_their_own(tmp_path: Path, head: str | None) -> None:
    model = write_qwen36_27b(tmp_path / "Qwen3.6-27B-Q4_K_M.gguf", head=head)
    made(tmp_path, "mtp-a.gguf", "not-named-so.gguf", "half.mtp.gguf.part")
    made(tmp_path / "MTP", "x-MTP-Q8.gguf")
    made(tmp_path / "mtp", "y-mtp.gguf")
    made(tmp_path / "other", "mtp-z.gguf")
    write_qwen36_27b(tmp_path / "mtp-whole.gguf")
    write_qwen36_35b_a3b(tmp_path / "mtp-of-another.gguf", trunk=False)
    (tmp_path / "mtp-broken.gguf").write_bytes(b"GGUF\x03")
    (tmp_path / "mtp-folder.gguf").mkdir()
    found = names(read_model(model).sidecars, tmp_path)
    assert found == ["mtp-a.gguf", "MTP/x-MTP-Q8.gguf", "mtp/y-mtp.gguf"]


def test_the_nearest_quantisation_first(tmp_path: Path) -> None:
    model = write_qwen36_27b(tmp_path / "m.gguf", head=None)  # Q4_K_M
    head_in(tmp_path / "mtp-1.gguf", 7)  # Q8_0
    head_in(tmp_path / "mtp-2.gguf", 10)  # Q2_K
    head_in(tmp_path / "mtp-3.gguf", 14)  # Q4_K_S
    head_in(tmp_path / "mtp-4.gguf", 15)  # Q4_K_M
    head_in(tmp_path / "mtp-5.gguf", 15, width=4096)
    head_in(tmp_path / "mtp-6.gguf", 15, blocks=49)
    assert names(read_model(model).sidecars, tmp_path) == [f"mtp-{n}.gguf" for n in (4, 3, 2, 1)]


def test_a_head_has_no_companions_and_the_model_is_not_its_own(tmp_path: Path) -> None:
    made(tmp_path, "mtp-a.gguf", "mtp-b.gguf")
    write_header(tmp_path / "mmproj.gguf", {"general.architecture": "clip"})
    facts = read_model(tmp_path / "mtp-a.gguf")
    assert (facts.mtp, facts.sidecars, facts.mmproj) == ("sidecar", (), ())


def test_the_assistant_of_gemma(tmp_path: Path) -> None:
    keys: dict[str, Item] = {"general.architecture": "gemma4", "gemma4.block_count": 4,
                             "gemma4.embedding_length": 640}  # fmt: skip
    model = write_header(tmp_path / "g.gguf", keys)
    own: dict[str, Item] = {"general.architecture": "gemma4-assistant", "gemma4-assistant.block_count": 2,
                            "gemma4-assistant.embedding_length": 64}  # fmt: skip
    write_header(tmp_path / "g-mtp.gguf", own)
    assert names(read_model(model).sidecars, tmp_path) == ["g-mtp.gguf"]
    assert read_model(write_qwen36_27b(tmp_path / "q.gguf")).sidecars == ()


def test_a_link_and_its_target_are_one(tmp_path: Path) -> None:
    model = write_qwen36_27b(tmp_path / "m.gguf")
    head = made(tmp_path / "MTP", "mtp.gguf") / "mtp.gguf"
    try:
        (tmp_path / "mtp-link.gguf").symlink_to(head)
    except OSError:
        pytest.skip("links need a right there")
    assert names(read_model(model).sidecars, tmp_path) == ["mtp-link.gguf"]


def test_a_scan_reads_each_head_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = [write_qwen36_27b(tmp_path / f"m{n}.gguf", head=None) for n in range(3)]
    made(tmp_path, *(f"mtp-{n:02}.gguf" for n in range(20)))
    read: list[str] = []
    real = companions._read_head
    monkeypatch.setattr(companions, "_read_head", lambda h: (read.append(h.path.name), real(h))[1])
    one = Companions()
    found = [read_model(model, one).sidecars for model in models]
    assert [len(paths) for paths in found] == [16, 16, 16]  # no more than these are looked at
    assert len(read) == 16


# -- image encoders ----------------------------------------------------------------------------------------


def test_image_encoders(tmp_path: Path) -> None:
    model = write_qwen36_27b(tmp_path / "m.gguf")
    clip: dict[str, Item] = {"general.architecture": "clip"}
    write_header(tmp_path / "mmproj-a.gguf", clip | {"clip.vision.projection_dim": 4096})
    write_header(tmp_path / "mmproj-b.gguf", clip | {"clip.vision.projection_dim": 5120})
    write_header(tmp_path / "x-MMPROJ.gguf", {"general.architecture": "y", "general.type": "mmproj"})
    write_qwen36_27b(tmp_path / "mmproj-in-name-alone.gguf")
    facts = read_model(model)
    assert names(facts.mmproj, tmp_path) == ["mmproj-b.gguf", "mmproj-a.gguf", "x-MMPROJ.gguf"]
    assert facts.sidecars == ()


# -- parts -------------------------------------------------------------------------------------------------


def part(folder: Path, number: int, count: int, said: tuple[int, int] | None = None, **more: Item) -> Path:
    """Part ``number`` (from 1) of ``count`` by its name; ``said``: split.no and split.count of its header."""
    no, of = said or (number - 1, count)
    keys: dict[str, Item] = {"split.no": no, "split.count": of}
    if number == 1:
        keys |= {"general.architecture": "llama", "llama.block_count": 2}
    keys |= {f"split.{key}.count": value for key, value in more.items()}
    tensors = [(f"blk.{number}.attn_q.weight", (32, 32), "Q8_0")]
    return write_header(folder / f"M-{number:05}-of-{count:05}.gguf", keys, tensors)


def refusal(path: Path) -> tuple[str, str, str]:
    with pytest.raises(KnownError) as caught:
        read_model(path)
    params = dict(caught.value.message.params)
    return caught.value.code, Path(str(params["path"])).name, str(params["reason"])


def test_missing_parts_are_named(tmp_path: Path) -> None:
    part(tmp_path, 2, 20)
    code, name, reason = refusal(tmp_path / "M-00002-of-00020.gguf")
    assert (code, name) == ("model_truncated", "M-00002-of-00020.gguf")
    assert reason == "parts 1, 3, 4, 5, 6, 7, 8, 9 and 11 more of 20 are missing beside it"


@pytest.mark.parametrize("asked", [1, 2, 3])
def test_parts_in_the_wrong_order(tmp_path: Path, asked: int) -> None:
    paths = [part(tmp_path, 1, 3), part(tmp_path, 2, 3, (2, 3)), part(tmp_path, 3, 3, (1, 3))]
    reason = "its name says part 2 of 3, its header part 3"
    assert refusal(paths[asked - 1]) == ("model_damaged", paths[1].name, reason)


def test_parts_that_count_differently(tmp_path: Path) -> None:
    paths = [part(tmp_path, 1, 2), part(tmp_path, 2, 2, (1, 4))]
    reason = "its name says 2 parts, its header 4"
    assert refusal(paths[0]) == ("model_damaged", paths[1].name, reason)
    assert refusal(paths[1]) == ("model_damaged", paths[1].name, reason)
    write_header(paths[1], {"general.architecture": "llama"})
    assert refusal(paths[0])[2] == "its name says 2 parts, its header none"


def test_parts_with_fewer_tensors_than_the_first_says(tmp_path: Path) -> None:
    paths = [part(tmp_path, 1, 2, tensors=2), part(tmp_path, 2, 2)]
    assert len(read_model(paths[1]).files) == 2
    part(tmp_path, 1, 2, tensors=3)
    assert refusal(paths[1])[2] == "its parts hold 2 tensors in place of 3"
