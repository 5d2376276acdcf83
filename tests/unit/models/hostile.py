"""Headers nobody should trust: a sound one with things changed, and ones made to be costly."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tests.unit.models.published import QWEN36_27B, QWEN36_35B_A3B, Item, item, text

HUGE = (2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1)

READ_KEYS = (
    "general.type", "general.alignment", "split.count", "split.no", "split.tensors.count", "qtune.sample",
    "general.sampling.top_p", "general.sampling.mirostat", "quantize.imatrix.file", "A.vocab_size",
    "A.attention.recurrent_layers", "A.attention.sliding_window", "A.attention.sliding_window_pattern",
    "A.attention.shared_kv_layers", "A.attention.key_length_mla", "A.attention.value_length_mla",
    "A.attention.kv_lora_rank", "A.attention.key_length_swa", "A.attention.value_length_swa",
    "A.kda.head_dim", "A.shortconv.l_cache", "A.expert_used_count", "A.expert_feed_forward_length",
)  # fmt: skip
"""Keys the reader knows and the sound headers lack, or a sound value would not try; A is the architecture."""


QUICK = (
    "4 MiB of texts outside the basic plane", "four texts of 15 MiB, no Unicode",
    "8 192 keys with long names and lists", "1 800 lists of 4 096 numbers", "8 192 tensors of unknown type",
    "4 096 attention layers",
)  # fmt: skip
"""Names in ``costly`` whose reading is quick under tracemalloc too."""


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - the same headers in every run


@dataclass
class Parts:
    """A header taken apart; every part is bytes, and the counts need not be true."""

    arch: str
    keys: list[tuple[bytes, bytes]]
    tensors: list[bytes]
    data: int = 0
    n_tensors: int | None = None
    n_keys: int | None = None
    version: int = 3

    def joined(self) -> bytes:
        counts = (
            len(self.tensors) if self.n_tensors is None else self.n_tensors,
            len(self.keys) if self.n_keys is None else self.n_keys,
        )
        body = b"".join(name + value for name, value in self.keys) + b"".join(self.tensors)
        return b"GGUF" + struct.pack("<IQQ", self.version, *counts) + body


def tensor(name: bytes, dims: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    start = struct.pack("<Q", len(name)) + name
    return start + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, offset)


def sound(random: Random) -> Parts:
    """A small model of one of the published architectures, complete."""
    model = replace(random.choice((QWEN36_27B, QWEN36_35B_A3B)), layers=random.choice((1, 2, 4, 9)))
    keys = [(text(name), item(value)) for name, value in model.keys(head=True).items()]
    tensors = [*model.outer_tensors(), *model.trunk_tensors(), *model.head_tensors()]
    # All have a tiny shape: what is tried here is the header.
    infos = [tensor(name.encode(), (32,), 0, n * 128) for n, (name, _, _) in enumerate(tensors)]
    return Parts(model.arch, keys, infos, data=len(infos) * 128)


def odd_value(random: Random) -> bytes:
    """Type and value of an entry as no sane writer would make it."""
    makers: list[Callable[[], bytes]] = [
        lambda: item(random.choice(("", "3", "x" * random.randrange(100_000), "\0", "🙂" * 50))),
        lambda: item(random.choice((-1, 0, 1, 3, -(2**31), -(2**63) + 1, *HUGE[:-1]))),
        lambda: item(random.choice((0.0, 0.5, float("nan"), float("inf"), -1e30))),
        lambda: item(random.choice((True, False))),
        lambda: struct.pack("<Id", 12, random.choice((float("nan"), 1e308))),
        lambda: struct.pack("<IB", 7, random.randrange(256)),
        lambda: item(_odd_list(random)),
        lambda: struct.pack("<IIQ", 9, 4, random.choice(HUGE)),
        lambda: struct.pack("<IIQ", 9, 8, random.choice(HUGE)),
        lambda: struct.pack("<IIQ", 9, 9, random.randrange(5)) * random.randrange(1, 2000),
        lambda: struct.pack("<IQ", 8, random.choice(HUGE)),
        lambda: struct.pack("<I", random.choice((13, 99, 2**32 - 1))),
        lambda: struct.pack("<IIQ", 9, 5, 5000) + bytes(20_000),
    ]
    return random.choice(makers)()


def _odd_list(random: Random) -> Item:
    size = random.choice((0, 1, 2, 10, 65, 4096))
    return random.choice(([0.5] * size, [-1] * size, [2**62] * size, [True, False] * size, ["a"] * size,
                          [random.randrange(9) for _ in range(size)]))  # fmt: skip


def _change_value(parts: Parts, random: Random) -> None:
    at = random.randrange(len(parts.keys))
    parts.keys[at] = parts.keys[at][0], odd_value(random)


def _add_key(parts: Parts, random: Random) -> None:
    name = random.choice(READ_KEYS).replace("A.", f"{parts.arch}.")
    value = odd_value(random) if random.random() < 0.5 else item(random.randrange(1, 200))
    parts.keys.insert(random.randrange(len(parts.keys) + 1), (text(name), value))


def _drop_key(parts: Parts, random: Random) -> None:
    del parts.keys[random.randrange(len(parts.keys))]


def _repeat_key(parts: Parts, random: Random) -> None:
    name, value = random.choice(parts.keys)
    parts.keys.append((name, value if random.random() < 0.5 else odd_value(random)))


def _change_counts(parts: Parts, random: Random) -> None:
    count = random.choice((0, 1, len(parts.tensors) + 1, 5000, *HUGE))
    if random.random() < 0.5:
        parts.n_tensors = count
    else:
        parts.n_keys = count


def _odd_tensor(parts: Parts, random: Random) -> None:
    block = random.choice(("0", "1", "9" * 5000, "-1", "٣", "99999", "")).encode()
    part = random.choice((b"nextn.eh_proj.weight", b"ffn_up_exps.weight", b"attn_norm.weight", b"\xff", b""))
    name = random.choice((b"blk." + block + b"." + part, b"token_embd.weight", b"output.weight", b""))
    dims = tuple(random.choice((0, 1, 32, 5120, *HUGE)) for _ in range(random.choice((0, 1, 2, 3, 4, 5))))
    kind = random.choice((0, 1, 8, 12, 4, 31, 2**32 - 1))
    offset = random.choice((0, 1, 128, 2**40, 2**64 - 1))
    parts.tensors.insert(random.randrange(len(parts.tensors) + 1), tensor(name, dims, kind, offset))


def _drop_tensor(parts: Parts, random: Random) -> None:
    del parts.tensors[random.randrange(len(parts.tensors))]


_CHANGES = (
    _change_value, _change_value, _change_value, _add_key, _add_key, _drop_key, _repeat_key, _change_counts,
    _odd_tensor, _drop_tensor,
)  # fmt: skip


def hostile_header(random: Random) -> tuple[bytes, int]:
    """A header with up to six changes, cut or with bytes overwritten now and then; and the file's length."""
    parts = sound(random)
    for _ in range(random.randrange(7)):
        random.choice(_CHANGES)(parts, random)
        if not parts.keys or not parts.tensors:
            break
    raw = bytearray(parts.joined())
    if random.random() < 0.2:
        for _ in range(random.randrange(1, 4)):
            at = random.randrange(4, len(raw) - 8)
            raw[at : at + 8] = struct.pack("<Q", random.choice((0, 1, 12, random.getrandbits(64), *HUGE)))
    if random.random() < 0.2:
        return bytes(raw[: random.randrange(len(raw))]), 0
    return bytes(raw), random.choice((0, 0, 1 << 20, 1 << 40)) + len(raw) + 64 + parts.data


def write_hostile(path: Path, random: Random) -> Path:
    """Write one such header; a length behind it takes no room on the disk."""
    raw, size = hostile_header(random)
    path.write_bytes(raw)
    if size:
        os.truncate(path, size)
    return path


# -- made to be costly -------------------------------------------------------------------------------------


def _key(kind: int, value: bytes, name: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name + struct.pack("<I", kind) + value


def _file(n_tensors: int, n_keys: int, *body: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, n_tensors, n_keys) + b"".join(body)


def _model_keys(blocks: int = 4096) -> bytes:
    return _key(8, text("qwen35"), b"general.architecture") + _key(
        4, struct.pack("<I", blocks), b"qwen35.block_count"
    )


def costly() -> dict[str, Callable[[], tuple[bytes, int]]]:
    """What costs most for its kind within the reader's limits, by name; each gives bytes and a length."""
    wide = "🙂".encode()

    def texts() -> tuple[bytes, int]:
        count = 1_500_000
        return _file(0, 1, _key(9, struct.pack("<IQ", 8, count), b"k"), bytes(8 * count)), 0

    def long_texts() -> tuple[bytes, int]:
        one = struct.pack("<Q", 30_000) + wide * 7500
        return _file(0, 139, *(_key(8, one, b"k%d" % n) for n in range(139))), 0

    def longest_texts() -> tuple[bytes, int]:
        size = 15 << 20
        one = struct.pack("<Q", size) + b"\xff" * size
        return _file(0, 4, *(_key(8, one, b"k%d" % n) for n in range(4))), 0

    def skipped_texts() -> tuple[bytes, int]:
        step = (2 << 20) - 8
        one = struct.pack("<Q", step)
        body = b"".join(one + bytes(step) for _ in range(20))
        return _file(0, 1, _key(9, struct.pack("<IQ", 8, 2**20), b"k"), body), 1 << 40

    def keys() -> tuple[bytes, int]:
        count = 2**13
        return _file(0, count, *(_key(9, struct.pack("<IQ", 10, 7) + bytes(range(56)),
                                      (wide * 60) + b"%d" % n) for n in range(count))), 0  # fmt: skip

    def lists() -> tuple[bytes, int]:
        one = struct.pack("<IQ", 10, 4096) + bytes(range(256)) * 128
        return _file(0, 1800, *(_key(9, one, b"k%d" % n) for n in range(1800))), 0

    def tensors() -> tuple[bytes, int]:
        count = 2**13
        infos = (tensor(b"blk.%d.ffn_up_exps.%s" % (n % 4096, wide * 20 + b"%d" % n),
                        (2**62, 2**63, 3, 5000), 31, n * 2**20) for n in range(count))  # fmt: skip
        return _file(count, 2, _model_keys(), *infos), 1 << 40

    def layers() -> tuple[bytes, int]:
        ones = struct.pack("<IQ", 4, 4096) + struct.pack("<I", 3) * 4096
        names = ("head_count", "head_count_kv", "key_length", "value_length", "sliding_window_pattern")
        lists = (_key(9, ones, f"qwen35.attention.{name}".encode()) for name in names)
        none = _key(9, struct.pack("<IQ", 7, 4096) + bytes(4096), b"qwen35.attention.recurrent_layers")
        return _file(0, 8, _model_keys(), *lists, none), 0

    def all_at_once() -> tuple[bytes, int]:
        count = 1_490_000
        words = _key(9, struct.pack("<IQ", 8, count), b"tokenizer.ggml.tokens") + bytes(8 * count)
        other, size = tensors()
        return _file(2**13, 3, words, other[24:]), size

    return {
        "1.5 million empty texts": texts,
        "4 MiB of texts outside the basic plane": long_texts,
        "four texts of 15 MiB, no Unicode": longest_texts,
        "texts of 2 MiB, sparse behind": skipped_texts,
        "8 192 keys with long names and lists": keys,
        "1 800 lists of 4 096 numbers": lists,
        "8 192 tensors of unknown type": tensors,
        "4 096 attention layers": layers,
        "1.5 million texts and 8 192 tensors": all_at_once,
    }
