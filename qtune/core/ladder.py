"""The way back: from what was asked, rung by rung, to something that works, and up again.

The order is a table. A rung that would change nothing is passed over, so the next click always does
something. Everything here is a value; who launches and proves a rung is the session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from qtune.core.messages import Message
from qtune.core.settings import SETTINGS, ServerSettings, Setting, SettingValue, diff

RungKind = Literal["n_max", "draft_types", "ubatch", "mtp_off", "context", "quantisation", "fallback"]

CONTEXT_STEPS = (65536, 32768, 16384, 8192, 4096)
"""Contexts the ladder steps down to, in tokens."""
CONTEXT_LEAST = 1024
UBATCH_USUAL = 512
"""llama-server's own default; more only costs memory once it is short."""
N_MAX_GENTLE = 2


@dataclass(frozen=True, slots=True)
class Footing:
    """Something that can be launched: a model file with settings."""

    model_path: str
    settings: ServerSettings
    preset: str = ""


@dataclass(frozen=True, slots=True)
class OtherModel:
    """A model the ladder may step to: the same in another quantisation, or the named fallback.

    Attributes:
        label: What to call it, such as its quantisation.
        context_train: Longest context it was trained for, None if unknown.
    """

    path: str
    label: str
    size_bytes: int
    context_train: int | None = None


@dataclass(frozen=True, slots=True)
class LadderFacts:
    """What the rungs are computed from.

    Attributes:
        asked: What the user wanted; the ladder starts there.
        smaller: The same model in smaller quantisations, largest first.
        fallback: The smaller model the user named, if any.
        gentle: Take cheap rungs (shorter draft, f16 draft cache, usual ubatch) before MTP is given up.
    """

    asked: Footing
    smaller: tuple[OtherModel, ...] = ()
    fallback: OtherModel | None = None
    gentle: bool = False


@dataclass(frozen=True, slots=True)
class Rung:
    """One step down and what it changes."""

    kind: RungKind
    before: Footing
    after: Footing
    model_label: str = ""

    def changes(self) -> list[tuple[Setting, SettingValue, SettingValue]]:
        """Settings it changes, with the value before and after; a change of model is not among them."""
        return diff(self.before.settings, self.after.settings)

    def describe(self) -> Message:
        """What it does, in a sentence."""
        changes = self.changes()
        before, after = (changes[0][1], changes[0][2]) if changes else ("", "")
        return Message.of(f"rung_{self.kind}", before=before, after=after, model=self.model_label)


_Step = Callable[[Footing, LadderFacts], tuple[Footing, str] | None]


def _changed(at: Footing, **values: SettingValue) -> tuple[Footing, str]:
    return replace(at, settings=at.settings.with_values(values)), ""


def _shorter_draft(at: Footing, _facts: LadderFacts) -> tuple[Footing, str] | None:
    drafting = at.settings.mtp and at.settings.n_max > N_MAX_GENTLE
    return _changed(at, n_max=N_MAX_GENTLE, n_min=min(at.settings.n_min, N_MAX_GENTLE)) if drafting else None


def _usual_draft_types(at: Footing, _facts: LadderFacts) -> tuple[Footing, str] | None:
    """Optional draft flags are the first thing to drop: quantised draft caches crash on some models."""
    usual = {key: SETTINGS[key].default for key in ("draft_cache_type_k", "draft_cache_type_v")}
    odd = at.settings.mtp and any(at.settings.get(key) != value for key, value in usual.items())
    return _changed(at, **usual) if odd else None


def _usual_ubatch(at: Footing, _facts: LadderFacts) -> tuple[Footing, str] | None:
    large = at.settings.ubatch_size > UBATCH_USUAL
    return _changed(at, ubatch_size=UBATCH_USUAL) if large else None


def _mtp_off(at: Footing, _facts: LadderFacts) -> tuple[Footing, str] | None:
    return _changed(at, mtp=False) if at.settings.mtp else None


def _less_context(at: Footing, facts: LadderFacts) -> tuple[Footing, str] | None:
    lower = next_context(at.settings.ctx_size, facts.asked.settings.ctx_size)
    return None if lower is None else _changed(at, ctx_size=lower)


def next_context(now: int, asked: int) -> int | None:
    """The next context below ``now``; None at the floor.

    Who asked for no more than the last step still gets one: half of it.
    """
    lower = next((step for step in CONTEXT_STEPS if step < now), None)
    if lower is not None:
        return lower
    half = max(CONTEXT_LEAST, asked // 2 // 256 * 256)
    return half if asked <= CONTEXT_STEPS[-1] and half < now else None


def _smaller_quantisation(at: Footing, facts: LadderFacts) -> tuple[Footing, str] | None:
    paths = [other.path for other in facts.smaller]
    if facts.fallback is not None and at.model_path == facts.fallback.path:
        return None
    below = facts.smaller[paths.index(at.model_path) + 1 :] if at.model_path in paths else facts.smaller
    return _other_model(at, below[0]) if below else None


def _fallback(at: Footing, facts: LadderFacts) -> tuple[Footing, str] | None:
    other = facts.fallback
    return None if other is None or other.path == at.model_path else _other_model(at, other)


def _other_model(at: Footing, other: OtherModel) -> tuple[Footing, str]:
    context = min(at.settings.ctx_size, other.context_train or at.settings.ctx_size)
    settings = at.settings.with_values({"ctx_size": max(256, context)})
    return replace(at, model_path=other.path, settings=settings), other.label


_TABLE: tuple[tuple[RungKind, _Step, bool], ...] = (
    ("n_max", _shorter_draft, True),
    ("draft_types", _usual_draft_types, True),
    ("ubatch", _usual_ubatch, True),
    ("mtp_off", _mtp_off, False),
    ("context", _less_context, False),
    ("quantisation", _smaller_quantisation, False),
    ("fallback", _fallback, False),
)
"""Kind, what it does, and whether it is taken only where gentler steps are wanted; first to last."""


def next_rung(at: Footing, facts: LadderFacts) -> Rung | None:
    """The step below ``at``, None at the foot of the ladder."""
    for kind, step, gentle in _TABLE:
        if gentle and not facts.gentle:
            continue
        found = step(at, facts)
        if found is not None:
            return Rung(kind, at, found[0], found[1])
    return None


@dataclass(frozen=True, slots=True)
class Ladder:
    """Where we stand: what was asked, and the rungs taken since, oldest first."""

    facts: LadderFacts
    taken: tuple[Rung, ...] = field(default=())

    @property
    def current(self) -> Footing:
        """What should be running now."""
        return self.taken[-1].after if self.taken else self.facts.asked

    @property
    def next(self) -> Rung | None:
        """What the next click does, None at the foot."""
        return next_rung(self.current, self.facts)

    def rungs_below(self) -> tuple[Rung, ...]:
        """All steps still to come, in order."""
        found: list[Rung] = []
        at = self.current
        while (rung := next_rung(at, self.facts)) is not None:
            found.append(rung)
            at = rung.after
        return tuple(found)

    def down(self) -> Ladder:
        """One step down; itself at the foot."""
        rung = self.next
        return self if rung is None else replace(self, taken=(*self.taken, rung))

    def without_mtp(self) -> Ladder:
        """Down until MTP is off; itself where it is off already."""
        ladder = self
        while ladder.current.settings.mtp and ladder.next is not None:
            ladder = ladder.down()
        return ladder

    def up(self) -> Ladder:
        """Undo the last step; itself at the top."""
        return replace(self, taken=self.taken[:-1])


# -- as it is shown ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a footing from measured runs."""

    decode_tok_s: float | None
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class RungView:
    """A rung with what was measured above and below it; None where nothing was."""

    rung: Rung
    before: Known | None = None
    after: Known | None = None

    @property
    def price(self) -> float | None:
        """Decode below over decode above, None where either is unknown."""
        if self.before is None or self.after is None or not self.before.decode_tok_s:
            return None
        below = self.after.decode_tok_s
        return None if below is None else below / self.before.decode_tok_s


LadderState = Literal["stopped", "starting", "in_force", "waiting", "failed"]
"""``waiting``: a restart follows after a pause; ``failed``: what should run does not, nothing follows."""


@dataclass(frozen=True, slots=True)
class LadderView:
    """Where we stand, for the eye.

    Attributes:
        taken: Rungs above us, oldest first.
        below: Rungs still to come, in order.
        why: Why the last rung was taken; None at the top or when the user took it.
    """

    asked: Footing
    current: Footing
    taken: tuple[RungView, ...]
    below: tuple[RungView, ...]
    state: LadderState
    why: Message | None = None

    @property
    def lowered(self) -> bool:
        """Whether less is in force than was asked for."""
        return bool(self.taken)
