"""Degradation is the change from the shallowest filled depth, per arm."""

from __future__ import annotations

import pytest

from qtune.bench.context_sweep import (
    SWEEP_FORM,
    degradation,
    degradation_messages,
    depth_changes,
    depth_prompt,
    sweep_plan,
)
from tests.unit.bench.rig import Rig, observation, walk

RATES = {("off", 8192): (40, 4000), ("off", 16384): (36, 9000), ("off", 32768): (30, 22000),
         ("on", 8192): (60, 4400), ("on", 16384): (48, 10000), ("on", 32768): (30, 26000)}  # fmt: skip
DEPTHS = (8192, 16384, 32768)


def seen(leave_out: tuple[str, int] | None = None):  # noqa: ANN201
    return [
        observation(arm, 1, depth_prompt(d), rate, ttft_ms=float(wait), prompt_tokens=d - 7, number=n)
        for (arm, d), (rate, wait) in RATES.items() if (arm, d) != leave_out for n in range(2)
    ]  # fmt: skip


def test_curve_of_each_arm() -> None:
    points = {(p.arm, p.depth): p for p in degradation(seen(), ("off", "on"), DEPTHS)}
    deep = points["on", 32768]
    assert (deep.filled, deep.decode_tok_s) == (32761, pytest.approx(30.0))
    assert deep.decode_change_pct == pytest.approx(-50.0)
    assert deep.ttft_change_pct == pytest.approx(100 * (26000 / 4400 - 1))
    assert points["off", 8192].decode_change_pct == 0.0
    depths, on, off = depth_changes(tuple(points.values()), "on") or pytest.fail("no change")
    assert (depths, on, off) == ((8192, 32768), pytest.approx(-50.0), pytest.approx(-25.0))
    assert degradation_messages(tuple(points.values()))[1].sentence() == (
        "on: from 8192 to 32768 tokens decode changes by -50 %, first token by +491 %."
    )


def test_a_depth_that_was_not_reached_has_no_figures() -> None:
    points = degradation(seen(leave_out=("on", 32768)), ("off", "on"), DEPTHS)
    assert points[-1].decode_tok_s is None
    assert points[-1].decode_change_pct is None
    depths, on, off = depth_changes(points, "on") or pytest.fail("no change")
    assert (depths, on, off) == ((8192, 16384), pytest.approx(-20.0), pytest.approx(-10.0))


def test_the_sweep_walks_every_depth_in_every_arm() -> None:
    plan = sweep_plan(("off", "on"), (32768, 8192), seed=2)
    found, done = walk(Rig({"off": 40.0, "on": 60.0}), plan)
    assert len(done) == 2
    assert {(o.arm, o.prompt_id) for o in found} == {
        (a, depth_prompt(d)) for a in ("off", "on") for d in (8192, 32768)
    }
    assert len(found) == 2 * 2 * SWEEP_FORM.requests


def test_off_alone_is_swept_once() -> None:
    found, done = walk(Rig({"off": 40.0}), sweep_plan(("off",), (32768, 8192), seed=2))
    assert [(d.arm, d.start) for d in done] == [("off", 1)]
    assert len(found) == 2 * SWEEP_FORM.requests
