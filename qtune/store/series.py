"""Packs series of numbers exactly and small: the arrival stamps of a request, the telemetry of a run.

Every block is a version byte and a zlib stream. Whole numbers are kept as differences, and the bytes of equal
weight stand together, which halves what zlib makes of them.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtune.core.errors import BugError
from qtune.core.machine_facts import GpuSample, HostSample, TelemetrySample

_VERSION = 1
_LENGTH = struct.Struct("<I")


def pack_stamps(stamps: Sequence[int]) -> bytes | None:
    """Nanosecond stamps as a block; None for none."""
    return _seal(_pack_ints(stamps)) if stamps else None


def unpack_stamps(block: bytes | None) -> tuple[int, ...]:
    """Stamps of :func:`pack_stamps`."""
    return tuple(_unpack_ints(_unseal(block))) if block else ()


def pack_telemetry(samples: Sequence[TelemetrySample]) -> bytes:
    """Telemetry as a block that describes itself.

    Inside the zlib stream: length of the header (4 bytes, little-endian), the header as JSON, then the bytes
    of each column. A column is one field over all samples; its header names it and tells its number format,
    its size in bytes, where values are missing (``absent`` as a bit map in hex), and for words the ``table``
    that its codes point into. Fields of the n-th card of a sample are named ``gpu<n>.<field>``.
    """
    rows = [_flat(sample) for sample in samples]
    names = dict.fromkeys(name for row in rows for name in row)
    columns, blobs = [], []
    for name in names:
        column, blob = _pack_column([row.get(name) for row in rows])
        columns.append({"name": name, "bytes": len(blob), **column})
        blobs.append(blob)
    header = json.dumps({"samples": len(rows), "columns": columns}, separators=(",", ":")).encode("ascii")
    return _seal(_LENGTH.pack(len(header)) + header + b"".join(blobs))


def unpack_telemetry(block: bytes) -> list[TelemetrySample]:
    """Samples of :func:`pack_telemetry`; fields that this version does not know are left out."""
    content = _unseal(block)
    (length,) = _LENGTH.unpack_from(content)
    at = _LENGTH.size + length
    header = json.loads(content[_LENGTH.size : at])
    rows: list[dict[str, Any]] = [{} for _ in range(header["samples"])]
    for column in header["columns"]:
        values = _unpack_column(column, content[at : at + column["bytes"]], len(rows))
        at += column["bytes"]
        for row, value in zip(rows, values, strict=True):
            if value is not None:
                row[column["name"]] = value
    return [_nested(row) for row in rows]


def _seal(content: bytes) -> bytes:
    return bytes([_VERSION]) + zlib.compress(content, 6)


def _unseal(block: bytes) -> bytes:
    if block[0] != _VERSION:
        raise BugError(f"a stored series has the unknown format {block[0]}")
    return zlib.decompress(block[1:])


def _shuffled(numbers: NDArray[Any]) -> bytes:
    return numbers.view(np.uint8).reshape(-1, 8).T.tobytes()


def _unshuffled(content: bytes, dtype: str) -> NDArray[Any]:
    grouped = np.frombuffer(content, np.uint8).reshape(8, -1)
    return np.ascontiguousarray(grouped.T).reshape(-1).view(dtype)


def _pack_ints(values: Sequence[int]) -> bytes:
    # Differences may wrap around 64 bits; the sum of reading wraps back.
    return _shuffled(np.diff(np.array(values, "<i8"), prepend=np.zeros(1, "<i8")))


def _unpack_ints(content: bytes) -> list[int]:
    stamps: list[int] = np.cumsum(_unshuffled(content, "<i8"), dtype=np.int64).tolist()
    return stamps


def _pack_column(values: list[Any]) -> tuple[dict[str, Any], bytes]:
    gone = [value is None or (isinstance(value, float) and not math.isfinite(value)) for value in values]
    present = [value for value, missing in zip(values, gone, strict=True) if not missing]
    column: dict[str, Any] = {"absent": np.packbits(gone).tobytes().hex()} if any(gone) else {}
    if all(isinstance(value, int) for value in present):
        return {"format": "int", **column}, _pack_ints(present) if present else b""
    if all(isinstance(value, int | float) for value in present):
        return {"format": "float", **column}, _shuffled(np.array(present, "<f8"))
    # Words and lists of words: few different ones, so a table and a code for each.
    table = list(dict.fromkeys(present))
    codes = {word: code for code, word in enumerate(table)}
    return {"format": "word", "table": table, **column}, _pack_ints([codes[word] for word in present])


def _unpack_column(column: dict[str, Any], content: bytes, count: int) -> list[Any]:
    present: list[Any] = []
    if content:
        is_float = column["format"] == "float"
        present = _unshuffled(content, "<f8").tolist() if is_float else _unpack_ints(content)
    if column["format"] == "word":
        table = [tuple(word) if isinstance(word, list) else word for word in column["table"]]
        present = [table[code] for code in present]
    if "absent" not in column:
        return present
    gone = np.unpackbits(np.frombuffer(bytes.fromhex(column["absent"]), np.uint8), count=count)
    following = iter(present)
    return [None if missing else next(following) for missing in gone]


def _flat(sample: TelemetrySample) -> dict[str, Any]:
    row: dict[str, Any] = {"t_ns": sample.t_ns}
    row |= {f"host.{name}": getattr(sample.host, name) for name in _HOST}
    for position, gpu in enumerate(sample.gpus):
        row |= {f"gpu{position}.{name}": getattr(gpu, name) for name in _GPU}
    return row


def _nested(row: dict[str, Any]) -> TelemetrySample:
    gpus: list[GpuSample] = []
    while (uuid := row.get(f"gpu{len(gpus)}.uuid")) is not None:
        prefix = f"gpu{len(gpus)}."
        readings = {name: row.get(prefix + name) for name in _GPU if name != "uuid"}
        gpus.append(GpuSample(uuid=uuid, **readings))
    host = HostSample(**{name: row.get(f"host.{name}") for name in _HOST})
    return TelemetrySample(t_ns=row["t_ns"], host=host, gpus=tuple(gpus))


_HOST = tuple(field.name for field in fields(HostSample))
_GPU = tuple(field.name for field in fields(GpuSample))
