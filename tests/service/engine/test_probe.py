"""Asking real programs what they can do."""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qtune.core.engine_facts import EngineFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.engine.probe import ProbeCache, probe
from tests.fake_llama.make import make_fake_binary

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="fake programs are POSIX scripts")


def fake(folder: Path, **switches: Any) -> EngineRef:
    path = make_fake_binary(folder, **switches)
    return EngineRef("binary", (str(path),), str(path), "chosen")


def cache_files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if "engines.json" in path.name]


async def test_a_current_build(tmp_path: Path) -> None:
    facts = await probe(fake(tmp_path, backend_lines=True))
    assert facts.version == "0.6.0-dev (build 11434, commit abcdef123)"
    assert (facts.build, facts.commit) == (11434, "abcdef123")
    assert {"--model", "-m", "--spec-type", "--fit", "--no-mmproj", "--log-verbosity"} <= facts.options
    assert {"--draft-max", "--draft"} <= facts.removed
    assert not facts.options & facts.removed
    assert facts.mtp
    assert facts.spec_types[0] == "draft-simple"
    assert [d.name for d in facts.devices] == ["CUDA0"]
    assert facts.devices[0].total_bytes == 24077 * 1024**2


async def test_an_old_build_without_mtp_on_a_processor(tmp_path: Path) -> None:
    old = {"version_form": "old", "version_stream": "stdout", "build": 9093, "dialect": "no_mtp"}
    facts = await probe(fake(tmp_path, **old, old_names=True, devices=()))
    assert facts.version == "9093 (abcdef123)"
    assert not facts.mtp
    assert facts.devices == ()
    assert {"--mmap", "--no-mmap", "--mlock"} <= facts.options
    assert "--load-mode" not in facts.options


async def test_a_build_from_a_source_archive_knows_no_number(tmp_path: Path) -> None:
    facts = await probe(fake(tmp_path, build=0, commit="unknown"))
    assert (facts.build, facts.commit) == (None, None)


@pytest.mark.parametrize(
    "switches",
    [{"version_garbage": True}, {"lacks": ("--ctx-size",)}],
    ids=["another program", "a tool that is no server"],
)
async def test_a_foreign_program_has_a_sentence(tmp_path: Path, switches: dict[str, Any]) -> None:
    ref = fake(tmp_path, **switches)
    with pytest.raises(KnownError) as caught:
        await probe(ref)
    assert caught.value.code == "engine_foreign"
    assert ref.path in str(caught.value)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            'echo "$0: error while loading shared libraries: libcuda.so.1: cannot open" >&2; exit 127',
            "libcuda.so.1",
        ),
        ("kill -ILL $$", "SIGILL"),
    ],
    ids=["library", "processor"],
)
async def test_an_engine_that_cannot_load_says_what_it_lacks(tmp_path: Path, body: str, reason: str) -> None:
    script = tmp_path / "llama-server"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    with pytest.raises(KnownError) as caught:
        await probe(EngineRef("binary", (str(script),), str(script), "chosen"))
    assert caught.value.code == "engine_not_started"
    assert reason in str(caught.value)


async def test_a_program_that_talks_without_end_is_cut_off(tmp_path: Path) -> None:
    script = tmp_path / "llama-server"
    script.write_text("#!/bin/sh\nexec yes\n")
    script.chmod(0o755)
    with pytest.raises(KnownError) as caught:
        await probe(EngineRef("binary", (str(script),), str(script), "chosen"), timeout_s=1)
    assert caught.value.code == "engine_probe_timeout"


async def test_a_program_that_hangs_is_given_up_and_ended(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(KnownError) as caught:
        await probe(fake(tmp_path, slow_version_s=600.0), timeout_s=0.5)
    assert caught.value.code == "engine_probe_timeout"
    assert time.monotonic() - began < 60


async def test_a_file_that_is_no_program_has_a_sentence(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    with pytest.raises(KnownError) as caught:
        await probe(EngineRef("binary", (str(text),), str(text), "chosen"))
    assert caught.value.code == "engine_not_started"


def without_free(facts: EngineFacts) -> EngineFacts:
    """What was free when the engine was asked is of no use a week later."""
    assert [d.free_bytes is None for d in facts.devices] == [False]
    return replace(facts, devices=tuple(replace(d, free_bytes=None) for d in facts.devices))


async def test_answers_are_kept_until_the_file_changes(tmp_path: Path) -> None:
    ref = fake(tmp_path)
    cache = ProbeCache(tmp_path / "cache" / "engines.json")
    facts = await cache.facts(ref)
    assert ProbeCache(tmp_path / "cache" / "engines.json").get(ref) == without_free(facts)
    fake(tmp_path, build=11500)
    assert cache.get(ref) is None
    assert (await cache.facts(ref)).build == 11500


@pytest.mark.parametrize("damage", ["", "[]", '{"x": ', "\x00", "[" * 100_000, "cut"])
async def test_a_damaged_cache_is_an_empty_one(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "engines.json"
    cache, ref = ProbeCache(file), fake(tmp_path)
    facts = await cache.facts(ref)
    entries = file.read_text()
    file.write_text(entries.replace('"build"', '"bild"') if damage == "cut" else damage)
    assert cache.get(ref) is None
    cache.put(facts)
    assert cache.get(ref) == without_free(facts)
    assert cache_files(tmp_path) == ["engines.json"]


async def test_a_cache_that_cannot_be_written_costs_only_time(
    tmp_path: Path, expect_log: Callable[..., None]
) -> None:
    expect_log("probe cache .* not written")
    (tmp_path / "file").touch()
    assert (await ProbeCache(tmp_path / "file" / "engines.json").facts(fake(tmp_path))).build == 11434
