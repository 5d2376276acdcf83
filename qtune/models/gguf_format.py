"""Reads the header of one GGUF file: bounded in memory and time, whatever the file claims.

Own reader, because the ``gguf`` package maps the whole file and builds an array for every token of the
vocabulary (seconds for 250 000 of them), believes the counts it reads, and takes half a second to import.
Format: ggml/docs/gguf.md, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import math
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeAlias

from qtune.core.errors import KnownError

MAGIC: Final = b"GGUF"
MAX_HEADER_BYTES: Final = 64 << 20
"""Bytes read at most; the header of a model with 250 000 tokens and as many merges has about 15 MB."""

_MAX_KEYS: Final = 1 << 13
_MAX_TENSORS: Final = 1 << 13
_MAX_NAME: Final = 1 << 16
_MAX_STRING: Final = 16 << 20
_MAX_STRINGS: Final = 1_500_000
_MAX_KEPT_STRING: Final = 1 << 16
_MAX_KEPT_TEXT: Final = 4 << 20
_MAX_KEPT_ITEMS: Final = 4096
_MAX_ALL_KEPT_ITEMS: Final = 1 << 17
_WINDOWS: Final = (1 << 14, 1 << 20)
"""First and largest bytes read at a time: parts of a split model have small headers."""

_SHOWN: Final = 80
"""Characters of a name out of the file that a message shows at most."""

_MAX_WHOLE: Final = 1 << 31
"""The engine keeps sizes in 32 bits; what does not fit there is no size."""

_STRING, _ARRAY = 8, 9
_SCALARS: Final = {
    0: struct.Struct("<B"), 1: struct.Struct("<b"), 2: struct.Struct("<H"), 3: struct.Struct("<h"),
    4: struct.Struct("<I"), 5: struct.Struct("<i"), 6: struct.Struct("<f"), 7: struct.Struct("<?"),
    10: struct.Struct("<Q"), 11: struct.Struct("<q"), 12: struct.Struct("<d"),
}  # fmt: skip
_U32, _U64 = _SCALARS[4], _SCALARS[10]

_TENSOR_TAILS: Final = tuple(struct.Struct(f"<{n_dims}QIQ") for n_dims in range(5))
"""Dimensions, type and offset of a tensor, by the number of its dimensions; ggml has four at most."""

TENSOR_TYPES: Final = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 40), 10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210),
    15: ("Q8_K", 256, 292), 16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50), 20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136), 24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8),
    28: ("F64", 1, 8), 29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66), 39: ("MXFP4", 32, 17), 40: ("NVFP4", 64, 36), 41: ("Q1_0", 128, 18),
}  # fmt: skip
"""ggml_type -> (name, elements in a block, bytes of a block), as in ggml.h and ggml-common.h."""

Scalar: TypeAlias = int | float | bool | str
Value: TypeAlias = Scalar | tuple[Scalar, ...] | None


class TensorInfo(NamedTuple):
    """Name, shape, ggml_type and offset into the data section of one tensor."""

    name: str
    dims: tuple[int, ...]
    kind: int
    offset: int

    @property
    def nbytes(self) -> int | None:
        """Size of its data, None for a type this program does not know."""
        known = TENSOR_TYPES.get(self.kind)
        return None if known is None else math.prod(self.dims) // known[1] * known[2]


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """One file's header.

    Attributes:
        values: Key-value pairs; a long array or text and any array of texts is there as None.
        data_start: Where the data section begins, in bytes.
        file_size: Bytes of the file.
    """

    path: Path
    values: dict[str, Value]
    tensors: tuple[TensorInfo, ...]
    data_start: int
    file_size: int

    def text(self, key: str) -> str:
        """The value of ``key`` without blanks around it; empty where it is missing or no text."""
        value = self.values.get(key)
        return value.strip() if isinstance(value, str) else ""

    def whole(self, key: str) -> int | None:
        """The value of ``key``, None unless it is a size or a count."""
        return as_whole(self.values.get(key))


def as_whole(value: Value) -> int | None:
    """``value`` if it is a whole number from 0 on that the engine can hold, else None."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < _MAX_WHOLE else None


@dataclass(slots=True)
class Budget:
    """What reading may still cost, in bytes and items; all files of one model share it."""

    read: int = MAX_HEADER_BYTES
    keys: int = _MAX_KEYS
    tensors: int = _MAX_TENSORS
    strings: int = _MAX_STRINGS
    kept_text: int = _MAX_KEPT_TEXT
    kept_items: int = _MAX_ALL_KEPT_ITEMS


def read_header(path: Path, budget: Budget | None = None) -> GgufHeader:
    """Read and check one file's header; with an own budget it takes at most 64 MB and 2 s.

    Raises:
        KnownError: ``model_missing``, ``model_is_folder``, ``model_not_readable``, ``model_not_gguf``,
            ``model_damaged`` or ``model_truncated`` (also when tensor data lie beyond the end of the file).
    """
    try:
        facts = path.stat()
        if stat.S_ISDIR(facts.st_mode):
            raise KnownError("model_is_folder", path=str(path))
        if not stat.S_ISREG(facts.st_mode):  # opening a pipe would wait for its other end
            raise KnownError("model_not_readable", path=str(path), reason="it is no ordinary file")
        with path.open("rb") as file:
            return _read(path, _Cursor(path, file, facts.st_size, budget or Budget()))
    except FileNotFoundError:
        raise KnownError("model_missing", path=str(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        reason = getattr(error, "strerror", None) or str(error)
        raise KnownError("model_not_readable", path=str(path), reason=reason) from None


class _Cursor:
    """Walks through the file in windows of up to 1 MiB and knows what may still come."""

    def __init__(self, path: Path, file: BinaryIO, size: int, budget: Budget) -> None:
        self.path, self.size, self.budget = path, size, budget
        self._file = file
        self._buffer = b""
        self._at = 0
        self._base = 0
        self._window = _WINDOWS[0]

    @property
    def offset(self) -> int:
        return self._base + self._at

    @property
    def remaining(self) -> int:
        return self.size - self.offset

    def damaged(self, reason: str) -> KnownError:
        return KnownError("model_damaged", path=str(self.path), reason=reason)

    def cut(self) -> KnownError:
        return KnownError("model_truncated", path=str(self.path), reason="the file ends inside its header")

    def expect(self, count: int, limit: int, what: str) -> None:
        """Refuse a count that nothing sensible has; a smaller false one soon meets the end of the file."""
        if count > limit:
            raise self.damaged(f"it claims {count} {what}")

    def _ensure(self, n: int) -> None:
        have = len(self._buffer) - self._at
        if have >= n:
            return
        if n > self.remaining:
            raise self.cut()
        want = max(n - have, self._window)
        self._window = min(2 * self._window, _WINDOWS[1])
        if n - have > self.budget.read:
            raise self.damaged(f"it is longer than {MAX_HEADER_BYTES >> 20} MiB")
        fresh = self._file.read(min(want, self.budget.read))
        self.budget.read -= len(fresh)
        self._base += self._at
        self._buffer, self._at = self._buffer[self._at :] + fresh, 0
        if len(self._buffer) < n:
            raise self.cut()

    def take(self, n: int) -> bytes:
        self._ensure(n)
        self._at += n
        return self._buffer[self._at - n : self._at]

    def peek(self, n: int) -> bytes:
        self._ensure(n)
        return self._buffer[self._at : self._at + n]

    def skip(self, n: int) -> None:
        """Go on by ``n`` bytes without reading what lies beyond the window."""
        have = len(self._buffer) - self._at
        if n <= have:
            self._at += n
            return
        if n > self.remaining:
            raise self.cut()
        self._base = self._file.seek(self.offset + n)
        self._buffer, self._at = b"", 0

    def number(self, kind: struct.Struct) -> int:
        return self.numbers(kind)[0]

    def numbers(self, form: struct.Struct) -> tuple[int, ...]:
        self._ensure(form.size)
        self._at += form.size
        return form.unpack_from(self._buffer, self._at - form.size)

    def name(self) -> str:
        return self._kept(self._text_size(_MAX_NAME))

    def text(self) -> str | None:
        """A text, or None after passing a long one."""
        size = self._text_size(_MAX_STRING)
        if size <= _MAX_KEPT_STRING:
            return self._kept(size)
        self.skip(size)
        return None

    def _text_size(self, limit: int) -> int:
        size = self.number(_U64)
        if size > limit:
            raise self.damaged(f"a text in it claims {size} bytes")
        return size

    def _kept(self, size: int) -> str:
        self.budget.kept_text -= size
        if self.budget.kept_text < 0:
            raise self.damaged(f"its names and texts have more than {_MAX_KEPT_TEXT >> 20} MiB")
        return self.take(size).decode("utf-8", "replace")

    def skip_strings(self, count: int) -> None:
        """Pass ``count`` strings; the loop stays in locals, since a vocabulary has a quarter million."""
        self.expect(count, self.budget.strings, "texts")
        self.budget.strings -= count
        unpack = _U64.unpack_from
        while count:
            buffer, at, end = self._buffer, self._at, len(self._buffer)
            while count and at + 8 <= end:
                behind = at + 8 + unpack(buffer, at)[0]
                if behind > end:
                    break
                at, count = behind, count - 1
            self._at = at
            if count:
                self.skip(self._text_size(_MAX_STRING))
                count -= 1


def _read(path: Path, cursor: _Cursor) -> GgufHeader:
    _check_magic(cursor)
    version = cursor.number(_U32)
    if version not in (2, 3):
        swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
        known = "it is big-endian" if swapped in (2, 3) else f"it is GGUF version {version}"
        raise cursor.damaged(f"{known}; this program reads versions 2 and 3, little-endian")
    n_tensors, n_values = cursor.number(_U64), cursor.number(_U64)
    cursor.expect(n_tensors, cursor.budget.tensors, "tensors")
    cursor.expect(n_values, cursor.budget.keys, "entries")
    cursor.budget.tensors -= n_tensors
    cursor.budget.keys -= n_values
    values: dict[str, Value] = {}
    for _ in range(n_values):
        key = cursor.name()
        if key in values:
            raise cursor.damaged(f"it holds the entry {key[:_SHOWN]} twice")
        values[key] = _value(cursor, cursor.number(_U32))
    tensors = tuple(_tensor(cursor) for _ in range(n_tensors))
    if len({tensor.name for tensor in tensors}) < n_tensors:
        raise cursor.damaged("it holds a tensor twice")
    alignment = values.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
        raise cursor.damaged(f"its alignment is {alignment}")
    data_start = -(-cursor.offset // alignment) * alignment
    header = GgufHeader(path, values, tensors, data_start, cursor.size)
    _check_data(header)
    return header


def _check_magic(cursor: _Cursor) -> None:
    path, size = str(cursor.path), cursor.size
    start = cursor.peek(min(size, 64))
    if not start:
        raise KnownError("model_truncated", path=path, reason="it is empty")
    if start.startswith(MAGIC):
        cursor.skip(len(MAGIC))
        return
    if MAGIC.startswith(start):
        raise KnownError("model_truncated", path=path, reason=f"it ends after {size} bytes")
    text = start.lstrip().lower()
    if text.startswith(b"version https://git-lfs"):
        reason = "it is a Git LFS pointer in place of the file"
    elif text.startswith((b"<!doctype", b"<html", b"<?xml")):
        reason = "it is a web page that was saved in place of the file"
    else:
        reason = "it does not begin with the letters GGUF"
    raise KnownError("model_not_gguf", path=path, reason=reason)


def _value(cursor: _Cursor, kind: int) -> Value:
    if kind == _STRING:
        return cursor.text()
    if kind != _ARRAY:
        return _scalars(cursor, kind, 1)[0]
    item, count = cursor.number(_U32), cursor.number(_U64)
    if item == _STRING:
        cursor.skip_strings(count)
        return None
    if item == _ARRAY:
        raise cursor.damaged("it holds lists in lists")
    if count > min(_MAX_KEPT_ITEMS, cursor.budget.kept_items):
        cursor.skip(count * _scalar(cursor, item).size)
        return None
    cursor.budget.kept_items -= count
    return _scalars(cursor, item, count)


def _scalar(cursor: _Cursor, kind: int) -> struct.Struct:
    found = _SCALARS.get(kind)
    if found is None:
        raise cursor.damaged(f"it holds a value of unknown type {kind}")
    return found


def _scalars(cursor: _Cursor, kind: int, count: int) -> tuple[Scalar, ...]:
    form = _scalar(cursor, kind)
    return tuple(value for (value,) in form.iter_unpack(cursor.take(count * form.size)))


def _tensor(cursor: _Cursor) -> TensorInfo:
    name = cursor.name()
    n_dims = cursor.number(_U32)
    if n_dims >= len(_TENSOR_TAILS):
        raise cursor.damaged(f"a tensor in it claims {n_dims} dimensions")
    *dims, kind, offset = cursor.numbers(_TENSOR_TAILS[n_dims])
    return TensorInfo(name, tuple(dims), kind, offset)


def _check_data(header: GgufHeader) -> None:
    """The data section must reach as far as its tensors say; padding behind the last may be missing."""
    end = header.data_start + max((t.offset + (t.nbytes or 0) for t in header.tensors), default=0)
    if header.tensors and end > header.file_size:
        reason = f"{end - header.file_size} of its {end} bytes are missing"
        raise KnownError("model_truncated", path=str(header.path), reason=reason)
