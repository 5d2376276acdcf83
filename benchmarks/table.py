"""One table for the benchmarks: what was measured, the bar, and whether it holds."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Side = Literal["most", "least"]


@dataclass(frozen=True)
class Row:
    """One figure; ``bar`` is the most or the least it may be, None where it is only for information."""

    name: str
    value: float
    bar: float | None = None
    side: Side = "most"
    unit: str = ""
    decimals: int = 1
    note: str = ""

    @property
    def missed(self) -> bool:
        if self.bar is None:
            return False
        return self.value > self.bar if self.side == "most" else self.value < self.bar

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        sign = "<=" if self.side == "most" else ">="
        bar = "-" if self.bar is None else f"{sign} {self.bar:g}{unit}"
        holds = "-" if self.bar is None else "**no**" if self.missed else "yes"
        return f"| {self.name} | {self.value:,.{self.decimals}f}{unit} | {bar} | {holds} | {self.note} |"


def show(rows: Iterable[Row]) -> int:
    """Print the table row by row, with the load before and after; returns the exit status."""
    print(f"{platform.system()}, {os.cpu_count()} processors; load {load()} at the start\n")
    print("| what | value | bar | holds | |\n|---|---:|---:|---|---|")
    missed = False
    for row in rows:
        missed |= row.missed
        print(row, flush=True)
    print(f"\nload {load()} at the end")
    return int(missed)


def load() -> str:
    """Load average of the last minute, if the system tells."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
