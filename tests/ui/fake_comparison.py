"""What comes of the made-up history when its runs are held against each other, and of an update."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

from qtune.core.changes import Change, Place, Stack
from qtune.core.history_query import RunSummary
from qtune.core.machine_facts import TelemetrySample
from qtune.report.export_run import ExportRun
from qtune.session.run_comparison import RunComparison, compare_runs
from qtune.store.reader import Reader
from tests.ui import fake_story as story

STARTS = 3
PLACE = Place("Qwen3.6-27B", "Q4_K_M", "NVIDIA GeForce RTX 4090", mtp=True)
OLD = Stack("11211 (2ab3c4d)", 11211, "570.144", "450 W", "0.1.0", "Linux 6.8")
NEW = replace(OLD, engine="11434 (5f1b9a7)", build=11434, driver="575.51")
FIRST = "2026-11-20T09:00:00Z"
SLOWER = Change(PLACE, OLD, NEW, "engine", "slower", 0.92, 0.89, 0.95, 12, 8, (4, 2), ("balanced",), FIRST)


class FakeTelemetry:
    """Two readings a second for a minute, with a hole in them."""

    def __init__(self, rows: Sequence[RunSummary]) -> None:
        self._rows = {row.id: row for row in rows}

    def telemetry(self, run_id: str) -> list[TelemetrySample]:
        row = self._rows[run_id]
        found = []
        for step in range(120):
            if 70 <= step < 80:
                continue
            loaded = min(1.0, step / 16) * (0.97 + 0.02 * (row.key % 4))
            found.append(story.telemetry(story.Stage(), story.BASE_NS + step * story.S // 2, loaded, step))
        return [taken.sample for taken in found]


def compared(
    rows: Sequence[RunSummary], sources: Sequence[ExportRun], whole: Collection[str], **asked: Any
) -> RunComparison:
    """The comparison itself is the real one, made on a thread that is not the window's."""
    with ThreadPoolExecutor(1) as reader:
        made = reader.submit(compare_runs, cast("Reader", FakeTelemetry(rows)), sources, whole, **asked)
        return made.result()


def with_starts(rows: Sequence[RunSummary]) -> tuple[RunSummary, ...]:
    """The same history with one more comparison, of four arms with three starts each."""
    newest = max(row.key for row in rows)
    last = [replace(row, starred=False, outlier=False, note="") for row in rows if row.key > newest - 4]
    added = [
        _another(row, start, newest + 1 + at + 4 * start)
        for start in range(STARTS)
        for at, row in enumerate(last)
    ]
    return (*rows, *added)


def _another(row: RunSummary, start: int, key: int) -> RunSummary:
    name = f"start-{row.arm}-{start}"
    return replace(row, key=key, id=name, experiment_id="experiment-900", start=start + 1)
