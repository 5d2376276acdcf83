"""Which run is meant when an experiment is to be launched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from qtune.core.errors import KnownError
from qtune.core.history_query import RunSummary
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.core.verdict import Decision, Verdict
from qtune.session.to_launch import to_launch
from tests.unit.cli.test_history import summary
from tests.unit.report.exported import run


def row(arm: str, start: int, **more: Any) -> RunSummary:
    made = summary(run("off"))
    return replace(made, id=f"{arm}-{start}", arm=arm, started_utc=f"2026-11-30T0{start}:00:00Z", **more)


ROWS = [
    row("off", 1), row("balanced", 2), row("balanced", 3, outlier=True), row("off", 4),
    row("fast", 5, status=RunStatus.FAILED),
]  # fmt: skip


def verdict(decision: Decision, winner: str | None = None) -> Verdict:
    return Verdict(decision, Message.of("verdict_nothing_to_compare"), winner)


@pytest.mark.parametrize(
    ("found", "arm", "meant"),
    [
        (verdict("better", "balanced"), None, "balanced-2"),  # its newer start is marked as an outlier
        (verdict("no_difference"), None, "off-4"),
        (verdict("worse"), None, "off-4"),
        (verdict("better", "balanced"), "off", "off-4"),
    ],
)
def test_the_winner_or_what_is_named(found: Verdict, arm: str | None, meant: str) -> None:
    assert to_launch(ROWS, found, arm).id == meant


def test_a_single_arm_needs_no_verdict_and_an_outlier_is_better_than_nothing() -> None:
    assert to_launch(ROWS[2:3], None).id == "balanced-3"


@pytest.mark.parametrize("found", [None, verdict("too_few"), verdict("mtp_not_active")])
def test_without_a_winner_the_arms_are_named(found: Verdict | None) -> None:
    with pytest.raises(KnownError, match=r"arms: off, balanced\."):
        to_launch(ROWS, found)
    with pytest.raises(KnownError, match=r"no finished run of fast; its arms: off, balanced\."):
        to_launch(ROWS, found, "fast")
