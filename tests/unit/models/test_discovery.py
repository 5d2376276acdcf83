"""The search for models: bounded, loop-proof, each file once, whatever the drive does."""

from __future__ import annotations

import errno
import os
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from qtune.core.model_facts import ModelFacts
from qtune.models import discovery, folder_walk
from qtune.models.discovery import ModelSearch, find_models, usual_folders
from qtune.models.header_cache import HeaderCache
from tests.unit.models.tree import HEAD, gguf_bytes, llm

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


def names(search: ModelSearch) -> list[str]:
    return [Path(found.path).name for found in search.models]


def codes(search: ModelSearch) -> list[str]:
    return [problem.code for problem in search.problems]


# -- what is found -----------------------------------------------------------------------------------------


def test_what_counts(tmp_path: Path) -> None:
    model(tmp_path / "pub" / "repo" / "A.gguf")
    model(tmp_path / "pub" / "B.GGUF")
    model(tmp_path / "pub" / "mmproj-A.gguf")
    model(tmp_path / "pub" / "._A.gguf")
    model(tmp_path / "pub" / "E.gguf.part")
    model(tmp_path / "pub" / ".no_exist" / "x" / "F.gguf")
    model(tmp_path / "pub" / ".hidden" / "G.gguf")
    model(tmp_path.joinpath(*"12345678", "too-deep.gguf"))
    (tmp_path / "bad.gguf").write_bytes(b"<html>")
    search = find_models([tmp_path, tmp_path / "pub"])
    assert sorted(names(search)) == ["A.gguf", "B.GGUF", "G.gguf"]
    assert codes(search) == ["model_not_gguf"]
    assert search.folders == (tmp_path, tmp_path / "pub")
    assert not search.cut
    assert not search.cancelled


def test_a_file_may_be_named_itself(tmp_path: Path) -> None:
    named = model(tmp_path / "no-ending")
    assert names(find_models([named])) == ["no-ending"]


def test_each_model_is_told_as_it_is_found(tmp_path: Path) -> None:
    for name in "ABC":
        model(tmp_path / f"{name}.gguf")
    told: list[ModelFacts] = []
    thread: list[threading.Thread] = []

    def found(facts: ModelFacts) -> None:
        told.append(facts)
        thread.append(threading.current_thread())

    search = find_models([tmp_path], found=found)
    assert tuple(told) == search.models
    assert set(thread) == {threading.current_thread()}


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
    (hub / "folder.gguf").symlink_to(hub / "snapshots", target_is_directory=True)
    search = find_models([tmp_path / "hub"])
    assert [Path(m.path).name for m in search.models] == ["model.gguf"]
    assert [m.name for m in search.models] == ["model"]
    assert search.problems == ()


# -- what cannot be looked at ------------------------------------------------------------------------------


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    model(tmp_path / "A.gguf")
    search = find_models([tmp_path / "absent", tmp_path / "A.gguf" / "below", tmp_path])
    assert names(search) == ["A.gguf"]
    assert codes(search) == ["model_folder_missing", "model_folder_missing"]
    assert search.folders == (tmp_path,)


Scandir = Callable[..., Any]


def refuse(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """The system's answer to a user without permission; real permissions do not bind every user."""
    real: Scandir = os.scandir

    def scandir(path: Any = ".") -> Any:
        if Path(path) in folders:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(folder_walk.os, "scandir", scandir)


def test_a_folder_full_of_damaged_files_is_told_in_a_hundred_lines(tmp_path: Path) -> None:
    for number in range(103):
        (tmp_path / f"{number}.gguf").write_bytes(b"not a model")
    search = find_models([tmp_path, tmp_path / "gone"])
    assert codes(search) == ["model_folder_missing", *["model_not_gguf"] * 100, "model_problems_more"]
    assert search.problems[-1].sentence() == "More files that look like models and are none: 3."


def test_a_forbidden_folder_is_named_and_inner_ones_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model(tmp_path / "own" / "b" / "B.gguf")
    shut = [tmp_path / "own" / name for name in ("a", "c")]
    for folder in (*shut, tmp_path / "named"):
        folder.mkdir()
    refuse(monkeypatch, *shut, tmp_path / "named")
    search = find_models([tmp_path / "named", tmp_path / "own"])
    assert names(search) == ["B.gguf"]
    assert [problem.sentence() for problem in search.problems] == [
        f"The folder {tmp_path / 'named'} cannot be read: Permission denied.",
        f"Folders that could not be read: 2; the first is {shut[0]}.",
    ]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind here")
def test_real_permissions(tmp_path: Path) -> None:
    model(tmp_path / "b" / "B.gguf")
    (tmp_path / "a").mkdir(mode=0)
    search = find_models([tmp_path, tmp_path / "a"])
    assert names(search) == ["B.gguf"]
    assert codes(search) == ["model_folder_unreadable", "model_folders_unreadable"]


@pytest.fixture
def hang(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes questions about some paths wait, as a network drive that is gone does, until the test is over."""
    release = threading.Event()
    before = set(threading.enumerate())

    def on(function: str, *paths: Path) -> None:
        real = getattr(os, function)

        def waits(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            if Path(os.fsdecode(path)) in paths:
                release.wait(30)
            return real(path, *args, **kwargs)

        monkeypatch.setattr(folder_walk.os, function, waits)

    yield on
    release.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(60)


@pytest.mark.parametrize("question", ["stat", "scandir"])
def test_a_drive_that_hangs_costs_only_itself(
    tmp_path: Path, hang: Callable[..., None], question: str
) -> None:
    gone = [tmp_path / f"drive-{n}" for n in range(3)]
    for folder in gone:
        folder.mkdir()
    model(tmp_path / "here" / "A.gguf")
    hang(question, *gone)
    begun = time.perf_counter()
    search = find_models([*gone, tmp_path / "here"], patience_s=0.3)
    assert time.perf_counter() - begun < 15
    assert names(search) == ["A.gguf"]
    assert [p.sentence() for p in search.problems] == [
        f"{folder} did not answer within 0.3 s and was left out." for folder in gone
    ]
    assert search.folders == (tmp_path / "here",)


@needs_links
def test_a_link_to_a_drive_that_hangs_costs_only_itself(tmp_path: Path, hang: Callable[..., None]) -> None:
    for name in ("A", "C"):
        model(tmp_path / f"{name}.gguf")
    (tmp_path / "B.gguf").symlink_to(tmp_path / "A.gguf")
    (tmp_path / "nas").mkdir()
    model(tmp_path / "zz" / "Z.gguf")
    hang("stat", tmp_path / "B.gguf", tmp_path / "nas")
    search = find_models([tmp_path], patience_s=0.3)
    assert names(search) == ["A.gguf", "C.gguf", "Z.gguf"]
    assert codes(search) == ["model_folder_silent", "model_folder_silent"]


def test_a_file_that_hangs_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hang: Callable[..., None]
) -> None:
    for name in "ABC":
        model(tmp_path / f"{name}.gguf")
    real = discovery.read_model
    hang("getxattr", tmp_path / "B.gguf")

    def read(path: Path, *args: Any) -> ModelFacts:
        folder_walk.os.getxattr(path, "user.none") if path.name == "B.gguf" else None
        return real(path, *args)

    monkeypatch.setattr(discovery, "read_model", read)
    search = find_models([tmp_path], patience_s=0.3)
    assert names(search) == ["A.gguf", "C.gguf"]
    assert codes(search) == ["model_folder_silent"]


def test_a_drive_that_wakes_late_counts_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        model(tmp_path / f"{number:02}" / "M.gguf")
    woken, real = threading.Event(), discovery.read_model

    def read(path: Path, *args: Any) -> ModelFacts:
        if path.parent.name == "05":
            woken.wait(60)
        elif path.parent.name == "20":
            woken.set()  # the first thread goes on while the second is at work
        return real(path, *args)

    monkeypatch.setattr(discovery, "read_model", read)
    search = find_models([tmp_path], patience_s=0.2)
    paths = [model.path for model in search.models]
    assert len(paths) == len(set(paths)) == 39
    assert codes(search) == ["model_folder_silent"]


def test_folders_that_hang_do_not_hold_the_list_of_usual_ones(
    tmp_path: Path, hang: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "PATIENCE_S", 0.4)
    own = tmp_path / "own"
    hang("stat", own)
    assert usual_folders(tmp_path, {"LLAMA_CACHE": str(own)}) == [own]


# -- bounds ------------------------------------------------------------------------------------------------


def test_time_runs_out_and_is_said(tmp_path: Path) -> None:
    model(tmp_path / "A.gguf")
    search = find_models([tmp_path], limit_s=0.0)
    assert search.models == ()
    assert search.cut
    assert [p.sentence() for p in search.problems] == [
        "The search for models ended after 0 s; there may be more."
    ]


def test_time_runs_out_within_a_read(tmp_path: Path, hang: Callable[..., None]) -> None:
    model(tmp_path / "A.gguf")
    hang("scandir", tmp_path / "drive")
    (tmp_path / "drive").mkdir()
    begun = time.perf_counter()
    search = find_models([tmp_path], limit_s=0.3)
    assert time.perf_counter() - begun < 10
    assert names(search) == ["A.gguf"]
    assert codes(search) == ["model_search_cut"]


class Entry:
    """A file of a folder that is too large to be made."""

    def __init__(self, name: str) -> None:
        self.name = name

    def is_symlink(self) -> bool:
        return False

    def is_dir(self, **_: Any) -> bool:
        return False


def crowd(monkeypatch: pytest.MonkeyPatch, folder: Path, listing: Callable[[], Iterator[Entry]]) -> None:
    real: Scandir = os.scandir

    class Listing:
        def __enter__(self) -> Iterator[Entry]:
            return listing()

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(
        folder_walk.os, "scandir", lambda path=".": Listing() if Path(path) == folder else real(path)
    )


def test_a_million_files_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model(tmp_path / "crowd" / "A.gguf")
    model(tmp_path / "here" / "B.gguf")
    listed = 0

    def listing() -> Iterator[Entry]:
        nonlocal listed
        yield Entry("A.gguf")
        for number in range(1_000_000):
            listed += 1
            yield Entry(f"{number}.txt")

    crowd(monkeypatch, tmp_path / "crowd", listing)
    search = find_models([tmp_path / "crowd", tmp_path / "here"])
    assert names(search) == ["A.gguf", "B.gguf"]
    assert codes(search) == ["model_folder_crowded"]
    assert search.cut
    assert listed < folder_walk.MAX_ENTRIES + 10_000


def test_a_slow_crowd_is_left_when_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crowd").mkdir()
    hold = threading.Event()

    def listing() -> Iterator[Entry]:
        for number in range(1_000_000):
            hold.wait(0.001)
            yield Entry(f"{number}.txt")

    crowd(monkeypatch, tmp_path / "crowd", listing)
    begun = time.perf_counter()
    search = find_models([tmp_path / "crowd"], limit_s=0.3)
    assert time.perf_counter() - begun < 10
    assert codes(search) == ["model_search_cut"]


def test_too_many_folders_do_not_starve_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_walk, "MAX_FOLDERS", 20)
    for number in range(40):
        (tmp_path / "wide" / str(number)).mkdir(parents=True)
    model(tmp_path / "here" / "A.gguf")
    search = find_models([tmp_path / "wide", tmp_path / "here"])
    assert names(search) == ["A.gguf"]
    assert codes(search) == ["model_search_too_wide"]


def test_too_many_models_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_MAX_MODELS", 3)
    for number in range(5):
        model(tmp_path / f"{number}.gguf")
    search = find_models([tmp_path])
    assert len(search.models) == 3
    assert codes(search) == ["model_search_full"]


# -- cancelling --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("held", ["ask", "walk"])
def test_cancel_returns_at_once_with_what_was_found(
    tmp_path: Path, hang: Callable[..., None], held: str
) -> None:
    model(tmp_path / "here" / "A.gguf")
    drive = tmp_path / "here" / "drive" if held == "walk" else tmp_path / "drive"
    drive.mkdir()
    hang("scandir", drive)
    cancel = threading.Event()
    stamps: list[int] = []

    def press() -> None:
        stamps.append(time.perf_counter_ns())
        cancel.set()

    timer = threading.Timer(0.5, press)
    timer.start()
    search = find_models([tmp_path / "here", *([drive] if held == "ask" else [])], cancel=cancel)
    ended = time.perf_counter_ns()
    timer.join()
    assert ended - stamps[0] < 200_000_000
    assert search.cancelled
    assert names(search) == (["A.gguf"] if held == "walk" else [])
    assert search.problems == ()


def test_cancelled_before_it_began(tmp_path: Path) -> None:
    model(tmp_path / "A.gguf")
    cancel = threading.Event()
    cancel.set()
    search = find_models([tmp_path], cancel=cancel)
    assert (search.models, search.cancelled) == ((), True)


# -- remembered headers ------------------------------------------------------------------------------------


def test_a_second_search_reads_no_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(200):
        model(tmp_path / "models" / f"{number:03}.gguf")
    first = find_models([tmp_path / "models"], cache=HeaderCache(tmp_path / "cache.json"))
    read: list[Path] = []
    real = discovery.read_model

    def counted(path: Path, *args: Any) -> ModelFacts:
        read.append(path)
        return real(path, *args)

    monkeypatch.setattr(discovery, "read_model", counted)
    changed = model(tmp_path / "models" / "007.gguf", arch="llama")
    again = find_models([tmp_path / "models"], cache=HeaderCache(tmp_path / "cache.json"))
    assert len(first.models) == len(again.models) == 200
    assert read == [changed]
    assert [m for m in again.models if m.path != str(changed)] == [
        m for m in first.models if m.path != str(changed)
    ]


def test_neighbours_of_a_remembered_model_are_looked_at_again(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    (folder / "MTP").mkdir(parents=True)
    main = folder / "Bare-Q8_0.gguf"
    main.write_bytes(gguf_bytes(llm("Bare")))
    for expected in (0, 1, 0):
        head = folder / "MTP" / "mtp-Bare-Q8_0.gguf"
        if expected:
            head.write_bytes(gguf_bytes(llm("Bare", mtp=True), ("token_embd.weight", "output.weight", *HEAD)))
        else:
            head.unlink(missing_ok=True)
        search = find_models([folder], cache=HeaderCache(tmp_path / "cache.json"))
        (found,) = [model for model in search.models if model.path == str(main)]
        assert found.sidecars == (str(head),) * expected


# -- the usual folders -------------------------------------------------------------------------------------


def test_usual_folders_are_those_that_exist(tmp_path: Path) -> None:
    assert usual_folders(tmp_path) == []
    hub = tmp_path / ".cache" / "huggingface" / "hub"
    studio = tmp_path / ".lmstudio" / "models"
    own = tmp_path / "own"
    for folder in (hub, studio, own):
        folder.mkdir(parents=True)
    assert usual_folders(tmp_path) == [hub, studio]
    assert usual_folders(tmp_path, {"LLAMA_CACHE": str(own)}) == [own, hub, studio]
