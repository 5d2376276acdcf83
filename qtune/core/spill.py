"""Whether a card spilled into main memory: yes, no or unknown, with the sentence that explains it.

A spill needs a card near its limit and a sign of memory that moved: main memory used by the card grew above
what this configuration takes when it has room, or the speed fell while power sank and the bus grew busy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from qtune.core.card_memory import CARD_MOST_BYTES
from qtune.core.messages import Message

Platform = Literal["linux", "windows", "wsl", "macos"]
State = Literal["yes", "no", "unknown"]

MIB: Final = 1024**2

NEAR_BYTES: Final = 400 * MIB
"""Less free memory than this is a card at its limit."""
GROWTH_BYTES: Final = 256 * MIB
SLOW: Final = 0.6
PREFILL_SLOW: Final = 1 / 3
PREFILL_FULL: Final = 0.97
"""A prompt read at a third of its rate tells of a spill only with this share of the card in use."""
POWER_DOWN: Final = 0.85
PCIE_UP: Final = 2.0
"""Waiting for main memory leaves a card idle (power) and its bus full; paging is gigabytes a second."""


CALM: Final = frozenset({"spill_no_room", "spill_no_offload", "spill_no_integrated"})
"""Reasons of verdicts that leave nothing to look at."""


@dataclass(frozen=True, slots=True)
class SpillSigns:
    """What the verdict looks at; None where it was not measured. Ratios are against the same work with room.

    Attributes:
        free_min_bytes: Smallest free memory of the card that was seen.
        shared_growth_bytes: Main memory used by the card above this configuration's own roomy baseline, which
            holds what MTP pins by design (416 to 586 MiB).
        rounds_ratio: Rounds per second over the expectation, at the slowest.
        power_ratio: Power over that at the expected speed.
        pcie_ratio: Traffic of the bus likewise.
        planned_offload: Part of the model was asked to stay in main memory.
        prefill_ratio: Prompt rate over the expectation, at the slowest.
        layers_offloaded: Layers on the card, as the engine told, of ``layers_total``.
        integrated: The graphics have no memory of their own.
        throttled: Why the card was held back meanwhile, which explains low speed by itself.
    """

    free_min_bytes: int | None = None
    total_bytes: int | None = None
    shared_growth_bytes: int | None = None
    rounds_ratio: float | None = None
    power_ratio: float | None = None
    pcie_ratio: float | None = None
    planned_offload: bool = False
    platform: Platform = "linux"
    vendor: Literal["nvidia", "amd"] = "nvidia"
    prefill_ratio: float | None = None
    layers_offloaded: int | None = None
    layers_total: int | None = None
    integrated: bool = False
    throttled: tuple[str, ...] = ()

    @property
    def speed_ratio(self) -> float | None:
        """The worst of the speeds that were measured, None without any."""
        return min((r for r in (self.rounds_ratio, self.prefill_ratio) if r is not None), default=None)


@dataclass(frozen=True, slots=True)
class SpillVerdict:
    """The verdict, the sentence that explains it, and what to try beyond that sentence's hint."""

    state: State
    reason: Message
    advice: tuple[Message, ...] = ()


def judge_spill(signs: SpillSigns) -> SpillVerdict:
    """Judge by the rules above. What is planned, or cannot spill, is told apart first."""
    if signs.integrated:
        return SpillVerdict("no", Message.of("spill_no_integrated"))
    free = _free(signs)
    if free is None:
        return _without_memory(signs)
    return _with_room(signs, free) if free >= NEAR_BYTES else _at_the_limit(signs, free)


def _at_the_limit(signs: SpillSigns, free: int) -> SpillVerdict:
    grown, paging = _grown(signs), _slowed(signs) and _paging(signs)
    # What is kept in main memory on purpose moves both figures a little; there only both together prove it.
    if (grown and paging) or ((grown or paging) and not signs.planned_offload):
        return SpillVerdict("yes", _proof(signs, free), _advice(signs))
    if signs.planned_offload:
        return SpillVerdict("no", Message.of("spill_no_offload"))
    if _layers_missing(signs):
        return _on_processor(signs)
    return _slow_at_the_limit(signs, free) if _slowed(signs) else _steady_at_the_limit(signs, free)


# -- the signs ---------------------------------------------------------------------------------------------


def _free(signs: SpillSigns) -> int | None:
    free, total = signs.free_min_bytes, signs.total_bytes
    known = free is not None and total is not None and 0 <= free <= total <= CARD_MOST_BYTES
    return free if known else None


def _growth(signs: SpillSigns) -> int | None:
    growth = signs.shared_growth_bytes
    return growth if growth is not None and growth <= CARD_MOST_BYTES else None


def _grown(signs: SpillSigns) -> bool:
    return (_growth(signs) or 0) > GROWTH_BYTES


def _slowed(signs: SpillSigns) -> bool:
    if signs.rounds_ratio is not None and signs.rounds_ratio < SLOW:
        return True
    if signs.prefill_ratio is None or signs.prefill_ratio >= PREFILL_SLOW:
        return False
    free = _free(signs)
    return free is None or free <= (1 - PREFILL_FULL) * (signs.total_bytes or 0)


def _paging(signs: SpillSigns) -> bool:
    """Power down and traffic up; a throttled card also loses power, so that it proves nothing there."""
    power, pcie = signs.power_ratio, signs.pcie_ratio
    both = power is not None and pcie is not None and power < POWER_DOWN and pcie > PCIE_UP
    return both and not signs.throttled


def _layers_missing(signs: SpillSigns) -> bool:
    on_card, total = signs.layers_offloaded, signs.layers_total
    return on_card is not None and total is not None and on_card < total


def _refuses(signs: SpillSigns) -> bool:
    """Whether the driver ends in out of memory rather than lend main memory."""
    return signs.vendor == "nvidia" and signs.platform == "linux"


def _missing(signs: SpillSigns) -> str:
    """Figures that would decide, by names that need no translation."""
    named = (
        ("VRAM", _free(signs)),
        ("shared GPU memory / GTT", _growth(signs)),
        ("power", signs.power_ratio),
        ("PCIe", signs.pcie_ratio),
    )
    return ", ".join(name for name, figure in named if figure is None)


# -- the verdicts ------------------------------------------------------------------------------------------


def _without_memory(signs: SpillSigns) -> SpillVerdict:
    if _layers_missing(signs) and not signs.planned_offload:
        return _on_processor(signs)
    missing = _missing(signs)
    if _slowed(signs) and not signs.throttled and not signs.planned_offload:
        reason = Message.of("spill_unknown_vram_slow", share=_share(signs), missing=missing)
        return SpillVerdict("unknown", reason, _advice(signs))
    return SpillVerdict("unknown", Message.of("spill_unknown_vram", missing=missing))


def _with_room(signs: SpillSigns, free: int) -> SpillVerdict:
    if _layers_missing(signs) and not signs.planned_offload:
        return _on_processor(signs)
    if _grown(signs) and _slowed(signs) and not signs.planned_offload:
        grown = (_growth(signs) or 0) // MIB
        reason = Message.of("spill_unknown_roomy", grown=grown, share=_share(signs), free=free // MIB)
        return SpillVerdict("unknown", reason, _advice(signs))
    return SpillVerdict("no", Message.of("spill_no_room", free=free // MIB))


def _proof(signs: SpillSigns, free: int) -> Message:
    if _grown(signs):
        return Message.of("spill_yes_shared", free=free // MIB, grown=(_growth(signs) or 0) // MIB)
    return Message.of(
        "spill_yes_speed",
        free=free // MIB,
        share=_share(signs),
        power=round(100 * (signs.power_ratio or 0)),
        pcie=round(signs.pcie_ratio or 0),
    )


def _on_processor(signs: SpillSigns) -> SpillVerdict:
    reason = Message.of("spill_no_layers", layers=signs.layers_offloaded, total=signs.layers_total)
    return SpillVerdict("no", reason)


def _slow_at_the_limit(signs: SpillSigns, free: int) -> SpillVerdict:
    """Slow, near the limit, and not proven."""
    share, missing, left = _share(signs), _missing(signs), free // MIB
    if _growth(signs) is not None:
        # It did not grow, and that is the counter that would.
        return SpillVerdict("no", Message.of("spill_no_slow_elsewhere", share=share))
    if signs.throttled:
        reasons = ", ".join(signs.throttled)
        reason = Message.of(
            "spill_unknown_throttled", free=left, share=share, reasons=reasons, missing=missing
        )
        return SpillVerdict("unknown", reason)
    if _refuses(signs):
        reason = Message.of("spill_likely_layers", free=left, share=share, missing=missing)
        return SpillVerdict("unknown", reason, (Message.of("spill_advice_context"),))
    reason = Message.of("spill_likely", free=left, share=share, missing=missing)
    return SpillVerdict("unknown", reason, _advice(signs))


def _steady_at_the_limit(signs: SpillSigns, free: int) -> SpillVerdict:
    left = free // MIB
    if _growth(signs) is not None:
        return SpillVerdict("no", Message.of("spill_no_calm", free=left))
    if _refuses(signs):
        return SpillVerdict("no", Message.of("spill_no_out_of_memory", free=left))
    code = "spill_unknown_speed" if signs.speed_ratio is None else "spill_unknown_steady"
    return SpillVerdict("unknown", Message.of(code, free=left, missing=_missing(signs)))


def _share(signs: SpillSigns) -> int:
    return round(100 * (signs.speed_ratio or 0))


def _advice(signs: SpillSigns) -> tuple[Message, ...]:
    test = Message.of("spill_advice_context")
    if signs.vendor == "nvidia" and signs.platform in ("windows", "wsl"):
        return test, Message.of(f"spill_advice_{signs.platform}")
    return (test,)
