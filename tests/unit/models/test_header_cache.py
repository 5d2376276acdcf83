"""Remembered headers: right as long as the files are the same, harmless when the memory is damaged."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from qtune.core.model_facts import KvLayer, ModelFacts, ModelShape, RecurrentShape, WeightBytes
from qtune.models import header_cache
from qtune.models.header_cache import HeaderCache


def facts(*files: Path, **more: Any) -> ModelFacts:
    """Facts with every field filled, so that none is lost unseen."""
    values: dict[str, Any] = {
        "name": "N\udce9 \x1b 模型",
        "arch": "qwen35",
        "quant": "Q8_0",
        "size_bytes": 5,
        "block_count": 65,
        "nextn_layers": 1,
        "context_train": None,
        "mtp": "embedded",
        "chat_template": True,
        "shape": ModelShape(
            embedding_length=5120,
            feed_forward_length=None,
            vocabulary=248320,
            heads=24,
            kv=(KvLayer(4, 256, 256), KvLayer(1, 2, 0, window=7)),
            mtp_kv=(),
            recurrent=RecurrentShape(48, 4, 6144, 16, 128),
            weights=WeightBytes(100, 10, None, 7, (1, 2, 3)),
            gaps=("a.b",),
        ),
        "sampling": (("temp", 1.0), ("top_k", 20.0)),
        "sidecars": ("s.gguf",),
    }
    return ModelFacts(path=str(files[0]), files=tuple(map(str, files)), **{**values, **more})


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"m-{n}.gguf" for n in (1, 2)]
    for path in paths:
        path.write_bytes(b"12345")
    return paths


def remembered(file: Path, model: ModelFacts) -> HeaderCache:
    """A cache that learnt a model and wrote it; returned as the next program reads it."""
    cache = HeaderCache(file)
    cache.put(Path(model.path), model)
    cache.save()
    return HeaderCache(file)


def test_every_field_comes_back(tmp_path: Path, parts: list[Path]) -> None:
    model = facts(*parts)
    again = remembered(tmp_path / "c.json", model).get(parts[0])
    assert again == model
    assert repr(again) == repr(model)  # 1 and True and 1.0 are equal, but not the same


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("change", ["size", "time", "gone", "link"])
def test_a_change_of_any_file_is_seen(tmp_path: Path, parts: list[Path], which: int, change: str) -> None:
    cache = remembered(tmp_path / "c.json", facts(*parts))
    path = parts[which]
    if change == "size":
        stamp = path.stat().st_mtime_ns
        path.write_bytes(b"123456")
        os.utime(path, ns=(stamp, stamp))
    elif change == "time":
        os.utime(path, ns=(1, 1))
    else:
        moved = path.rename(tmp_path / "moved")
        if change == "link":
            try:
                path.symlink_to(moved)
            except OSError:
                pytest.skip("links need a right here")
    assert cache.get(parts[0]) is None


def _spoil(stored: dict[str, Any], *keys: Any, value: Any) -> str:
    place = stored
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    return json.dumps(stored)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("version",), "0"),
        (("models",), 7),
        (("models", 0), None),
        (("models", 0, 1), [["x"]]),
        (("models", 0, 2), []),
        (("models", 0, 2, "size_bytes"), "5"),
        (("models", 0, 2, "size_bytes"), True),
        (("models", 0, 2, "mtp"), "perhaps"),
        (("models", 0, 2, "files"), None),
        (("models", 0, 2, "files"), "m"),
        (("models", 0, 2, "shape", "kv"), [[]]),
        (("models", 0, 2, "shape", "kv", 0, "heads"), 1.5),
        (("models", 0, 2, "sampling"), [["temp"]]),
    ],
)
def test_damaged_content_is_no_fact(tmp_path: Path, parts: list[Path], keys: Any, value: Any) -> None:
    file = tmp_path / "c.json"
    remembered(file, facts(*parts))
    file.write_text(_spoil(json.loads(file.read_text()), *keys, value=value))
    cache = HeaderCache(file)
    assert cache.get(parts[0]) is None
    cache.put(parts[0], facts(*parts))
    cache.save()
    assert HeaderCache(file).get(parts[0]) == facts(*parts)


@pytest.mark.parametrize("content", [b"", b"\x00" * 4096, b"[" * 100_000, b"{}", b'{"version": ', b"\xff"])
def test_a_damaged_file_is_an_empty_one(tmp_path: Path, parts: list[Path], content: bytes) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(content)
    assert HeaderCache(file).get(parts[0]) is None


@pytest.mark.expect_log("could not be remembered")
def test_where_nothing_can_be_written_it_remembers_for_itself(tmp_path: Path, parts: list[Path]) -> None:
    cache = HeaderCache(tmp_path / "absent" / "c.json")
    cache.put(parts[0], facts(*parts))
    cache.save()
    assert cache.get(parts[0]) == facts(*parts)


def test_those_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_cache, "_MAX_ENTRIES", 3)
    paths = [tmp_path / f"{n}.gguf" for n in range(5)]
    cache = HeaderCache(tmp_path / "c.json")
    for path in paths:
        path.write_bytes(b"1")
        cache.put(path, facts(path))
        assert cache.get(paths[0]) is not None
    cache.save()
    kept = HeaderCache(tmp_path / "c.json")
    assert [n for n in range(5) if kept.get(paths[n]) is not None] == [0, 3, 4]


def test_many_threads(tmp_path: Path, parts: list[Path]) -> None:
    cache = HeaderCache(tmp_path / "c.json")
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(50):
                cache.put(parts[0], facts(*parts))
                assert cache.get(parts[0]) == facts(*parts)
                cache.save()
        except BaseException as error:  # noqa: BLE001 - told to the test
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert HeaderCache(tmp_path / "c.json").get(parts[0]) == facts(*parts)
