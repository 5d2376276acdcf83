"""Runs and requests written by hand for the tests of rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qtune.core.records import (
    DraftCounters,
    RequestRecord,
    RequestTimes,
    RunRecord,
    RunStatus,
    Sampling,
    ServerTimings,
)
from tests.service.store.made import bare_run

MS = 1_000_000


def run(arm: str, start: int = 1) -> RunRecord:
    made = bare_run(f"{arm}-{start}", status=RunStatus.DONE)
    return replace(made, arm=arm, preset=arm, start=start)


def request(rate: float = 50.0, **more: Any) -> RequestRecord:
    """A request of 101 tokens at ``rate`` after 200 ms, with whatever shall differ."""
    timings = ServerTimings(
        **{
            "cache_n": 0, "prompt_n": 50, "prompt_ms": 200.0, "predicted_n": 101, "predicted_ms": 1e5 / rate,
            **more.pop("timings", {}),
        }
    )  # fmt: skip
    end = 200 * MS + round(1e5 / rate * MS)
    times: dict[str, Any] = {
        "sent_ns": 0, "ended_ns": end, "event_ns": (200 * MS, end), "timings": timings,
        "finish_reason": "stop", "content": "Plain words.", **more.pop("times", {}),
    }  # fmt: skip
    values: dict[str, Any] = {
        "run_id": "r", "index": 0, "phase": "counted", "prompt_id": "code", "nonce": "n", "max_tokens": 101,
        "sampling": Sampling(), "times": RequestTimes(**times), **more,
    }  # fmt: skip
    return RequestRecord(**values)


def drafts(rounds: int, *accepted: int) -> DraftCounters:
    return DraftCounters(rounds, rounds * len(accepted), sum(accepted), tuple(accepted))
