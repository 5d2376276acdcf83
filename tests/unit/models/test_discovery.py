"""The search for models: bounded, loop-proof, each file once."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

import pytest

from qtune.models.discovery import find_models, usual_folders

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def model(path: Path, arch: str = "qwen35") -> Path:
    """The smallest header that counts as a model; the bytes are those of the format's description."""
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = text("general.architecture") + struct.pack("<I", 8) + text(arch)
    entries += text(f"{arch}.block_count") + struct.pack("<II", 4, 2)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + entries)
    return path


def names(folder: Path) -> list[str]:
    return [Path(found.path).name for found in find_models([folder], 30)[0]]


def test_what_counts(tmp_path: Path) -> None:
    model(tmp_path / "pub" / "repo" / "A.gguf")
    model(tmp_path / "pub" / "B.GGUF")
    model(tmp_path / "pub" / "mmproj-A.gguf")
    model(tmp_path / "pub" / "C-00002-of-00003.gguf")
    model(tmp_path / "pub" / "D-00001-of-00003.gguf")
    model(tmp_path / "pub" / "E.gguf.part")
    model(tmp_path.joinpath(*"12345678", "too-deep.gguf"))
    (tmp_path / "bad.gguf").write_bytes(b"<html>")
    models, problems = find_models([tmp_path, tmp_path / "pub", tmp_path / "absent"], 30)
    assert sorted(Path(m.path).name for m in models) == ["A.gguf", "B.GGUF", "D-00001-of-00003.gguf"]
    assert [p.code for p in problems] == ["model_not_gguf"]


@needs_links
def test_links_of_the_hub_cache_and_loops(tmp_path: Path) -> None:
    hub = tmp_path / "hub" / "models--x"
    blob = model(hub / "blobs" / "abc123")
    for revision in ("r1", "r2"):
        folder = hub / "snapshots" / revision
        folder.mkdir(parents=True)
        (folder / "model.gguf").symlink_to(blob)
    for n in range(10):  # without a memory of folders entered: a million of them
        (tmp_path / "hub" / f"loop-{n}").symlink_to(tmp_path / "hub", target_is_directory=True)
    (hub / "dangling.gguf").symlink_to(hub / "nothing")
    (hub / "self.gguf").symlink_to(hub / "self.gguf")
    models, problems = find_models([tmp_path / "hub"], 10)
    assert [m.path for m in models] == [str(hub / "snapshots" / "r1" / "model.gguf")]
    assert problems == []


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind here")
def test_a_forbidden_folder_is_passed_by(tmp_path: Path) -> None:
    model(tmp_path / "b" / "B.gguf")
    (tmp_path / "a").mkdir(mode=0)
    assert names(tmp_path) == ["B.gguf"]


def test_time_runs_out_and_is_said(tmp_path: Path) -> None:
    model(tmp_path / "A.gguf")
    models, problems = find_models([tmp_path], 0.0)
    assert models == []
    assert [p.sentence() for p in problems] == ["The search for models ended after 0 s; there may be more."]


def test_usual_folders_are_those_that_exist(tmp_path: Path) -> None:
    assert usual_folders(tmp_path) == []
    hub = tmp_path / ".cache" / "huggingface" / "hub"
    studio = tmp_path / ".lmstudio" / "models"
    own = tmp_path / "own"
    for folder in (hub, studio, own):
        folder.mkdir(parents=True)
    assert usual_folders(tmp_path) == [hub, studio]
    assert usual_folders(tmp_path, {"LLAMA_CACHE": str(own)}) == [own, hub, studio]
