"""Series come back exactly, whatever is missing, and small."""

from __future__ import annotations

import json
import math
import random
import struct
import zlib
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtune.core.errors import BugError
from qtune.core.machine_facts import GpuSample, HostSample, TelemetrySample
from qtune.store.series import pack_stamps, pack_telemetry, unpack_stamps, unpack_telemetry

whole = st.none() | st.integers(-(2**63), 2**63 - 1)
real = st.none() | st.floats(allow_nan=False, allow_infinity=False)
words = st.none() | st.lists(st.sampled_from(["hw_slowdown", "功率"]), max_size=2).map(tuple)
gpus = st.builds(
    GpuSample, st.sampled_from(["GPU-1", "GPU-2", ""]), whole, whole, real, real, real, real, real, words
)
hosts = st.builds(HostSample, real, whole, whole, whole)
samples = st.builds(
    TelemetrySample, st.integers(-(2**63), 2**63 - 1), hosts, st.lists(gpus, max_size=3).map(tuple)
)


@given(st.lists(st.integers(-(2**63), 2**63 - 1)).map(tuple))
def test_stamps_come_back(stamps: tuple[int, ...]) -> None:
    assert unpack_stamps(pack_stamps(stamps)) == stamps


def test_stamps_of_a_long_answer_are_small() -> None:
    chance = random.Random(1)  # noqa: S311
    stamps = [10**15]
    for _ in range(511):
        stamps.append(stamps[-1] + chance.randint(9_000_000, 30_000_000))
    packed = pack_stamps(stamps)
    assert packed is not None
    assert len(packed) < 4 * len(stamps)


@given(st.lists(samples, max_size=6))
def test_telemetry_comes_back(series: list[TelemetrySample]) -> None:
    again = unpack_telemetry(pack_telemetry(series))
    assert again == series
    assert [type(value) for sample in again for value in plain(sample)] == [
        type(value) for sample in series for value in plain(sample)
    ]


def plain(sample: TelemetrySample) -> list[object]:
    parts: tuple[HostSample | GpuSample, ...] = (sample.host, *sample.gpus)
    return [sample.t_ns, *(getattr(part, field.name) for part in parts for field in fields(part))]


def test_figures_that_are_not_finite_are_missing() -> None:
    sample = TelemetrySample(1, HostSample(math.nan, None, None), (GpuSample("G", power_w=math.inf),))
    assert unpack_telemetry(pack_telemetry([sample])) == [
        TelemetrySample(1, HostSample(None, None, None), (GpuSample("G"),))
    ]


def test_ten_minutes_at_two_hertz_are_small() -> None:
    chance = random.Random(1)  # noqa: S311
    series = [
        TelemetrySample(
            i * 500_000_000 + chance.randint(0, 10**6),
            HostSample(round(chance.uniform(5, 20), 1), 2**34 + chance.randint(0, 2**20), 2**36, 2**31),
            (GpuSample("GPU-1", 20 * 2**30, 24 * 2**30, 99.0, round(chance.uniform(300, 320), 2), 65.0),),
        )
        for i in range(1200)
    ]
    assert len(pack_telemetry(series)) < 24 * len(series)


def test_fields_of_a_later_version_are_left_out_and_another_format_refused() -> None:
    block = pack_telemetry([TelemetrySample(5, HostSample(1.0, 2, 3))])
    content = zlib.decompress(block[1:])
    (length,) = struct.unpack_from("<I", content)
    header = json.loads(content[4 : 4 + length])
    renamed = [{**column, "name": column["name"].replace("cpu_pct", "new")} for column in header["columns"]]
    later = json.dumps({**header, "columns": renamed}).encode()
    changed = struct.pack("<I", len(later)) + later + content[4 + length :]
    assert unpack_telemetry(block[:1] + zlib.compress(changed)) == [
        TelemetrySample(5, HostSample(None, 2, 3))
    ]
    with pytest.raises(BugError, match="format 9"):
        unpack_telemetry(b"\x09" + block[1:])
