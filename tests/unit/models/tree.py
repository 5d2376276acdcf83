"""A folder of thirty awkward files, as downloads, caches and users make them."""

from __future__ import annotations

import os
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

TRUNK = ("token_embd.weight", "blk.0.attn_norm.weight", "blk.1.attn_norm.weight", "output.weight")
HEAD = ("blk.2.nextn.eh_proj.weight", "blk.2.nextn.enorm.weight")

Value = str | int | bool


def gguf_bytes(values: dict[str, Value], tensors: tuple[str, ...] = TRUNK) -> bytes:
    """A GGUF file, version 3, of small F32 tensors; the bytes are those of the format's description."""
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    for key, value in values.items():
        out += _text(key)
        if isinstance(value, bool):
            out += struct.pack("<I?", 7, value)
        elif isinstance(value, int):
            out += struct.pack("<II", 4, value)
        else:
            out += struct.pack("<I", 8) + _text(value)
    for number, name in enumerate(tensors):
        out += _text(name) + struct.pack("<IQQIQ", 2, 32, 4, 0, number * 512)
    out += bytes(-len(out) % 32)
    return out + bytes(512 * len(tensors))


def _text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def llm(name: str = "", *, mtp: bool = False, file_type: int = 7, arch: str = "qwen35") -> dict[str, Value]:
    """Entries of a language model's header."""
    values: dict[str, Value] = {
        "general.architecture": arch,
        f"{arch}.block_count": 3 if mtp else 2,
        f"{arch}.context_length": 262144,
        "general.file_type": file_type,
    }
    if name:
        values["general.name"] = name
    if mtp:
        values[f"{arch}.nextn_predict_layers"] = 1
    return values


@dataclass(slots=True)
class Tree:
    """What was made.

    Attributes:
        models: Path of each model that should be found, and (quantisation, MTP, number of files, bytes).
        problems: Path of each file that should be answered by a sentence, and the code of it.
        files: Number of things made.
    """

    root: Path
    models: dict[str, tuple[str, str, int, int]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    files: int = 0

    def write(self, name: str, content: bytes) -> Path:
        """Write one file, folders included."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.files += 1
        return path

    def good(self, name: str, content: bytes, quant: str = "Q8_0", mtp: str = "none") -> Path:
        """Write a model that should be found."""
        path = self.write(name, content)
        self.models[str(path)] = (quant, mtp, 1, len(content))
        return path

    def bad(self, name: str, content: bytes, code: str) -> Path:
        """Write a file that should be answered by a sentence."""
        path = self.write(name, content)
        self.problems[str(path)] = code
        return path


def make_tree(root: Path) -> Tree:
    """Write it all below ``root``."""
    tree = Tree(root)
    _names(tree)
    _parts(tree)
    _companions(tree)
    _damage(tree)
    if sys.platform != "win32":
        _links(tree)
    return tree


def _names(tree: Tree) -> None:
    plain = gguf_bytes(llm("Plain"))
    tree.good("A.GGUF", plain)
    tree.good(
        "with spaces  and 'quotes' \"too\".gguf" if sys.platform != "win32" else "b b.gguf", plain + b"1"
    )
    tree.good("Модели/模型 ü/Модель é.gguf", plain)
    tree.good("emoji 🦙👨‍👩‍👧.gguf", plain)
    tree.good("-m --help.gguf", plain)
    tree.good(f"{'long' * 50}.gguf", plain)
    tree.good("deep/" + "/".join("abcd") + "/deep.gguf", plain)
    tree.good("folder.gguf/inside.gguf", plain)
    tree.good("nameless-Q4_0.gguf", gguf_bytes(llm(file_type=2)), "Q4_0")
    if sys.platform == "linux":
        tree.good("steers \x1b[2J\x1b]0;title\x07 [red] \u202egnp.gguf", plain)
        path = tree.good(os.fsdecode(b"latin-\xe9.gguf"), plain)
        assert "\udce9" in str(path)


def _part(number: int, count: int) -> bytes:
    values = {**llm("Split", mtp=True), "split.no": number, "split.count": count}
    tensors = TRUNK if number == 0 else HEAD if number == count - 1 else (f"blk.{number}.ffn.weight",)
    return gguf_bytes(values, tensors)


def _parts(tree: Tree) -> None:
    parts = [tree.write(f"split/Whole-Q8_0-{n + 1:05}-of-00003.gguf", _part(n, 3)) for n in (2, 0, 1)]
    tree.models[str(parts[1])] = ("Q8_0", "embedded", 3, sum(part.stat().st_size for part in parts))
    tree.bad("split/Gap-00001-of-00003.gguf", _part(0, 3), "model_truncated")
    tree.write("split/Gap-00003-of-00003.gguf", _part(2, 3))
    tree.bad("split/Headless-00002-of-00003.gguf", _part(1, 3), "model_truncated")
    tree.write("split/Headless-00003-of-00003.gguf", _part(2, 3))
    if sys.platform == "linux":  # elsewhere names differ by more than case
        tree.bad("split/Case-00001-of-00002.gguf", _part(0, 2), "model_truncated")
        tree.write("split/case-00002-of-00002.GGUF", _part(1, 2))


def _companions(tree: Tree) -> None:
    tree.good("pub/Main-Q8_0.gguf", gguf_bytes(llm("Main", mtp=True), TRUNK + HEAD), mtp="embedded")
    tree.good("pub/Bare-Q8_0.gguf", gguf_bytes({**llm("Bare"), "general.type": "model"}))
    head = gguf_bytes(llm("Bare", mtp=True), ("token_embd.weight", "output.weight", *HEAD))
    tree.good("pub/MTP/mtp-Bare-Q8_0.gguf", head, mtp="sidecar")
    tree.write(
        "pub/mmproj-Bare-F16.gguf", gguf_bytes({"general.architecture": "clip", "general.type": "mmproj"})
    )
    tree.write("pub/vision.gguf", gguf_bytes({"general.architecture": "clip", "general.type": "mmproj"}))
    tree.write("pub/._Bare-Q8_0.gguf", b"Mac OS X        ")


def _damage(tree: Tree) -> None:
    whole = gguf_bytes(llm("Whole"))
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 7516192768\n"
    tree.bad("bad/pointer.gguf", pointer, "model_not_gguf")
    tree.bad("bad/page.gguf", b"<!DOCTYPE html><title>Sign in</title>", "model_not_gguf")
    tree.bad("bad/empty.gguf", b"", "model_truncated")
    tree.bad("bad/three.gguf", b"GGU", "model_truncated")
    tree.bad("bad/unfinished.gguf", whole[:-100], "model_truncated")
    tree.bad("bad/hostile.gguf", b"GGUF" + struct.pack("<IQQ", 3, 2**63, 2**63) + bytes(64), "model_damaged")
    tree.bad("bad/swapped.gguf", b"GGUF\x00\x00\x00\x03" + bytes(64), "model_damaged")
    if sys.platform != "win32" and os.geteuid() != 0:  # permissions do not bind the super-user
        tree.bad("bad/locked.gguf", whole, "model_not_readable").chmod(0)
    tree.write("bad/part.gguf.part", whole[:100])


def _links(tree: Tree) -> None:
    """What the Hugging Face cache looks like, two more names of files there are, and a pipe."""
    hub = tree.root / "hub" / "models--x--y"
    content = gguf_bytes(llm("Hub"))
    blob = tree.write("hub/models--x--y/blobs/0123abcd", content)
    for revision in ("aaa", "bbb"):
        snapshot = hub / "snapshots" / revision
        snapshot.mkdir(parents=True)
        (snapshot / "Hub-Q8_0.gguf").symlink_to(Path("../../blobs") / blob.name)
    tree.models[str(hub / "snapshots" / "aaa" / "Hub-Q8_0.gguf")] = ("Q8_0", "none", 1, len(content))
    (hub / "snapshots" / "loop").symlink_to(hub, target_is_directory=True)
    (hub / "nowhere.gguf").symlink_to(hub / "blobs" / "gone")
    (hub / "itself.gguf").symlink_to(hub / "itself.gguf")
    (tree.root / "zz").mkdir()
    (tree.root / "zz" / "hard.gguf").hardlink_to(tree.root / "A.GGUF")
    (tree.root / "zz" / "soft.gguf").symlink_to(tree.root / "A.GGUF")
    os.mkfifo(tree.root / "pipe.gguf")
    tree.problems[str(tree.root / "pipe.gguf")] = "model_not_readable"
    tree.files += 8
