"""What reading a header costs at most: prints one table and fails if a limit is passed.

Run: python benchmarks/headers.py [--headers 10000]

Each header is read twice: once for the time, once under tracemalloc for the peak of memory. The limits hold
for any file: 64 MB and 2 s; a quarter million tokens with as many merges take less than a second.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from qtune.core.errors import KnownError
from qtune.models.gguf_header import read_model
from tests.unit.models.hostile import costly, seeded, write_hostile
from tests.unit.models.published import write_header, write_qwen36_27b, write_qwen36_35b_a3b

MEMORY_BYTES = 64_000_000
TIME_S = 2.0
VOCABULARY_S = 1.0


@dataclass(frozen=True)
class Cost:
    seconds: float
    peak_bytes: int
    outcome: str


@dataclass(frozen=True)
class Row:
    name: str
    costs: list[Cost]
    limit_s: float = TIME_S

    @property
    def slowest_s(self) -> float:
        return max(cost.seconds for cost in self.costs)

    @property
    def peak_bytes(self) -> int:
        return max(cost.peak_bytes for cost in self.costs)

    @property
    def missed(self) -> bool:
        wrong = any(cost.outcome.startswith("crash") for cost in self.costs)
        return wrong or self.slowest_s > self.limit_s or self.peak_bytes > MEMORY_BYTES

    @property
    def outcomes(self) -> str:
        counts: dict[str, int] = {}
        for cost in self.costs:
            counts[cost.outcome] = counts.get(cost.outcome, 0) + 1
        return ", ".join(f"{name} {n}" for name, n in sorted(counts.items(), key=lambda pair: -pair[1]))


def outcome(path: Path) -> str:
    try:
        facts = read_model(path)
    except KnownError as error:
        return error.code
    except Exception as error:  # noqa: BLE001 - what this program is there to find
        return f"crash {type(error).__name__}"
    return "facts with gaps" if facts.shape is None or facts.shape.gaps else "facts"


def cost(path: Path) -> Cost:
    begun = time.perf_counter()
    said = outcome(path)
    seconds = time.perf_counter() - begun
    tracemalloc.start()
    outcome(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Cost(seconds, peak, said)


def shards(folder: Path, count: int) -> Path:
    for number in range(1, count + 1):
        path = folder / f"m-{number:05}-of-{count:05}.gguf"
        keys = {"general.architecture": "qwen35", "qwen35.block_count": 64,
                "split.count": count, "split.no": number - 1}  # fmt: skip
        tensors = [(f"blk.{number % 64}.some_{number}_{n}.weight", (256, 4), "Q4_K") for n in range(8)]
        write_header(path, keys, tensors)
    return folder / f"m-00001-of-{count:05}.gguf"


def rows(folder: Path, headers: int) -> Iterator[Row]:
    random = seeded(1)
    path = folder / "a.gguf"
    yield Row(f"{headers} hostile headers", [cost(write_hostile(path, random)) for _ in range(headers)])
    for name, make in costly().items():
        raw, size = make()
        path.write_bytes(raw)
        if size:
            os.truncate(path, size)
        yield Row(name, [cost(path)])
    for number in range(20):  # the dearest of all beside itself, as if they were its heads
        (folder / f"mtp-{number}.gguf").hardlink_to(path)
    yield Row("the same with 20 more beside it", [cost(path)])
    for file in folder.iterdir():
        file.unlink()
    yield Row("a model of 1 000 parts", [cost(shards(folder, 1000))])
    models = [write_qwen36_27b(folder / "b.gguf", tokens=True),
              write_qwen36_35b_a3b(folder / "c.gguf", tokens=True)]  # fmt: skip
    yield Row("248 320 tokens and merges", [cost(model) for model in models], VOCABULARY_S)
    for number in range(20):
        write_qwen36_27b(folder / f"mtp-{number}.gguf", trunk=False, tokens=True)
    yield Row("the same with 20 such heads beside it", [cost(models[0])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--headers", type=int, default=10_000, help="hostile headers (default 10000)")
    headers = parser.parse_args().headers
    print("| what | slowest | peak memory | outcome |\n|---|---:|---:|---|")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder), headers):
            missed |= row.missed
            print(
                f"| {row.name}{' **missed**' if row.missed else ''} | {row.slowest_s * 1000:.0f} ms "
                f"| {row.peak_bytes / 1e6:.1f} MB | {row.outcomes} |",
                flush=True,
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
