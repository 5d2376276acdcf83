"""The context sweep: which depth comes next, and how decode and first token degrade with a filled context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qtune.bench.compare_plan import ComparePlan, Form
from qtune.core.messages import Message
from qtune.core.observation import Observation, decode, ttft, typical
from qtune.core.verdict import BASELINE

SWEEP_FORM = Form("sweep", 1, 1, 2)
"""One start per arm, two counted requests per depth: a curve, not a verdict."""
DEPTHS = (8192, 16384, 32768)


def depth_prompt(depth: int) -> str:
    """Prompt id of the filler of a depth in tokens."""
    return f"depth-{depth}"


def sweep_plan(arms: Sequence[str], depths: Sequence[int], seed: int, form: Form = SWEEP_FORM) -> ComparePlan:
    """A sweep is walked like a comparison whose prompts are the depths; the shallowest warms up."""
    return ComparePlan(tuple(arms), tuple(depth_prompt(d) for d in sorted(depths)), form, seed)


@dataclass(frozen=True, slots=True)
class DepthPoint:
    """One arm at one depth.

    Attributes:
        depth: Context asked for, in tokens.
        filled: Prompt tokens the server really counted, None when it did not say.
        decode_change_pct: Against the shallowest depth of this arm.
        ttft_change_pct: Likewise.
    """

    arm: str
    depth: int
    filled: int | None
    decode_tok_s: float | None
    ttft_ms: float | None
    decode_change_pct: float | None
    ttft_change_pct: float | None


def degradation(
    seen: Sequence[Observation], arms: Sequence[str], depths: Sequence[int]
) -> tuple[DepthPoint, ...]:
    """The degradation curve of each arm; a depth that was not measured has None figures."""
    points = []
    for arm in arms:
        first: tuple[float | None, float | None] | None = None
        for depth in sorted(depths):
            here = [o for o in seen if o.prompt_id == depth_prompt(depth) and o.arm == arm]
            rate, wait = typical(here, arm, decode), typical(here, arm, ttft)
            if first is None and rate is not None:
                first = (rate, wait)
            base = first or (None, None)
            filled = [o.prompt_tokens for o in here if o.counts and o.prompt_tokens is not None]
            points.append(
                DepthPoint(
                    arm,
                    depth,
                    sorted(filled)[len(filled) // 2] if filled else None,
                    rate,
                    wait,
                    _change(base[0], rate),
                    _change(base[1], wait),
                )
            )
    return tuple(points)


def _change(base: float | None, value: float | None) -> float | None:
    return None if base is None or value is None else (value / base - 1) * 100


def degradation_messages(points: Sequence[DepthPoint]) -> tuple[Message, ...]:
    """One sentence per arm, from its shallowest to its deepest measured depth."""
    found = []
    for arm in dict.fromkeys(p.arm for p in points):
        mine = [p for p in points if p.arm == arm and p.decode_tok_s is not None]
        if len(mine) < 2:
            continue
        last = mine[-1]
        found.append(
            Message.of(
                "degradation_row",
                arm=arm,
                shallow=mine[0].depth,
                deep=last.depth,
                decode=f"{last.decode_change_pct or 0:+.0f}",
                ttft="?" if last.ttft_change_pct is None else f"{last.ttft_change_pct:+.0f}",
            )
        )
    return tuple(found)


def depth_changes(
    points: Sequence[DepthPoint], arm: str
) -> tuple[tuple[int, int], float, float | None] | None:
    """Depths both reached, and the change of decode over them of ``arm`` and of off in percent."""
    mine = {p.depth: p.decode_tok_s for p in points if p.arm == arm and p.decode_tok_s is not None}
    off = {p.depth: p.decode_tok_s for p in points if p.arm == BASELINE and p.decode_tok_s is not None}
    depths = sorted(mine.keys() & off.keys() if off else mine.keys())
    if len(depths) < 2:
        return None
    shallow, deep = depths[0], depths[-1]
    change = _change(mine[shallow], mine[deep])
    return None if change is None else ((shallow, deep), change, _change(off.get(shallow), off.get(deep)))
