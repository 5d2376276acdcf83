"""What a dropped file is: told by its content, whatever it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.session.dropped import look_at, there


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("model.gguf", b"GGUF\3\0\0\0", "model"),
        ("blob-without-suffix", b"GGUF\3\0\0\0", "model"),
        ("broken.gguf", b"<html>", "model"),  # the reader says what is wrong with it
        ("llama-server", b"\x7fELF\2\1", "engine"),
        ("server.exe", b"MZ\x90\0", "engine"),
        ("llama-server", b"#!/bin/sh\nexec /opt/x/llama-server", "engine"),
        ("runs.json", b'{"schema"', "history"),
        ("runs.JSONL", b"{}\n", "history"),
        ("start.sh", b"#!/bin/sh\nllama-server -m x.gguf", "text"),
        ("notes", "\ufeffllama-server -c 1".encode(), "text"),
        ("start.ps1", "llama-server -t 1".encode("utf-16"), "text"),
        ("empty.txt", b"", "text"),
    ],
)
def test_a_file_is_told_by_what_is_in_it(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    found = look_at(path)
    assert (found.kind, found.path) == (kind, path)
    assert bool(found.text) == (kind == "text" and bool(content))
    assert not found.text.startswith("\ufeff")


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\xff", b"a\0b", b"\xff\xfe\0", b"x" * 500_000, b"PK\3\4\xff\xff"]
)
def test_what_is_nothing_of_ours_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "thing.bin"
    path.write_bytes(content)
    with pytest.raises(KnownError, match="nothing qtune can use"):
        look_at(path)


def test_folders_and_files_that_are_gone(tmp_path: Path) -> None:
    assert look_at(tmp_path).kind == "folder"
    gone = tmp_path / "gone.gguf"
    with pytest.raises(KnownError, match="There is no file"):
        look_at(gone)
    assert there([str(tmp_path), str(gone), "\0"]) == {str(tmp_path)}
