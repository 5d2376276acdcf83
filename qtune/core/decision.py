"""The verdict: which arm to use, in one sentence with its reasons, from the stored observations.

Decode speed decides, but never alone: an arm that decodes faster and finishes later does not win, a gain on
one workload is not averaged with a loss on another, and a tie goes to the simpler arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from qtune.core.comparison import THRESHOLD, compare
from qtune.core.messages import Message, gain
from qtune.core.observation import Observation, nothing_counted, typical
from qtune.core.records import RunRecord, RunStatus
from qtune.core.settings import ServerSettings, diff
from qtune.core.verdict import (
    BASELINE,
    ArmAnswer,
    Decision,
    DomainRatio,
    Ratio,
    Recommendation,
    Verdict,
)

COUNTED_LEAST = 5
"""Counted requests per arm below which nothing is concluded."""
SPREAD_WORTH_SAYING = 1.10
"""Workloads whose gains differ by more than this factor get a range in the headline instead of a mean."""
NOISY = 0.02
"""Half-width (log) above which "no difference" also says how much could be hidden."""


@dataclass(frozen=True, slots=True)
class ArmFacts:
    """What the verdict needs to know of an arm besides its observations.

    Attributes:
        mtp_active: Proof that MTP ran; None when it was not asked for.
        n_max: Longest draft, 0 without MTP: the order of simplicity.
        failure: Why a start of it failed, if one did.
        settings: For naming what else was changed besides MTP.
        verified: Whether effective settings equal the requested ones.
    """

    name: str
    n_max: int
    mtp_active: bool | None = None
    failure: Message | None = None
    settings: ServerSettings | None = None
    verified: bool = True


def arm_facts(runs: Sequence[RunRecord]) -> tuple[ArmFacts, ...]:
    """Facts of every arm from its stored runs, in the order they first appear.

    One start without MTP disproves the arm; a start that failed is named even when others succeeded. Settings
    count as unverified when any start that came up could not confirm them.
    """
    found = []
    for arm in dict.fromkeys(r.arm for r in runs):
        mine = [r for r in runs if r.arm == arm]
        proofs = {r.mtp_active for r in mine}
        settings = mine[0].settings_requested
        came_up = [r.settings_effective for r in mine if r.settings_effective is not None]
        found.append(
            ArmFacts(
                name=arm,
                n_max=settings.n_max if settings.mtp else 0,
                mtp_active=False if False in proofs else True if True in proofs else None,
                failure=next((r.failure for r in mine if r.status is RunStatus.FAILED), None),
                settings=settings,
                verified=all(e.verified for e in came_up),
            )
        )
    return tuple(found)


def verdict(seen: Sequence[Observation], arms: Sequence[ArmFacts], base: str = BASELINE) -> Verdict:
    """Verdict over all arms against off.

    Args:
        seen: All observations of the experiment (for a search: only the fresh ones of its confirmation).
        arms: Facts of every arm that was planned, off included.
        base: Name of the arm the others are compared with.
    """
    facts = {a.name: a for a in arms}
    inactive = [a for a in arms if a.mtp_active is False]
    usable = [a for a in arms if a.name != base and a.mtp_active is not False]
    answers = tuple(found for a in usable if (found := compare(seen, a.name, base)) is not None)
    inactive_ratios = tuple(
        Ratio(a.name, found.ratio.ratio, None, None, "mtp_not_active")
        for a in inactive
        if (found := compare(seen, a.name, base)) is not None
    )
    reasons = (*_missing(seen, arms, answers, base), *_several_changed(arms, base))
    if not answers:
        decision, sentence = _nothing(seen, inactive, usable, base)
        return Verdict(decision, sentence, None, inactive_ratios, reasons)
    chosen = _choose(seen, answers, facts, base)
    return replace(chosen, ratios=(*chosen.ratios, *inactive_ratios), reasons=(*chosen.reasons, *reasons))


def selftest(seen: Sequence[Observation], again: str, base: str = BASELINE) -> Verdict:
    """Verdict on off measured against itself: anything but "no difference" disqualifies the machine."""
    found = verdict(seen, [ArmFacts(base, 0), ArmFacts(again, 0)], base)
    ratio = found.ratios[0] if found.ratios else None
    if ratio is None or ratio.decision == "too_few" or ratio.low is None or ratio.high is None:
        return replace(found, winner=None, recommendations=())
    if ratio.decision == "no_difference":
        sentence = Message.of("selftest_passed", low=f"{ratio.low:.2f}", high=f"{ratio.high:.2f}")
    else:
        sentence = Message.of("selftest_failed", decision=ratio.decision, ratio=f"{ratio.ratio:.2f}")
    return replace(found, decision=ratio.decision, sentence=sentence, winner=None, recommendations=())


def _nothing(
    seen: Sequence[Observation], inactive: list[ArmFacts], usable: list[ArmFacts], base: str
) -> tuple[Decision, Message]:
    if inactive and not any(typical(seen, a.name) for a in usable):
        return "mtp_not_active", Message.of("verdict_mtp_not_active", arm=inactive[0].name)
    if any(typical(seen, a.name) for a in usable) and typical(seen, base) is not None:
        return "too_few", Message.of("verdict_not_comparable")
    for arm in (base, *(a.name for a in usable)):
        reason = nothing_counted(seen, arm)
        if reason is not None:
            return "too_few", Message.of("verdict_nothing_counted", arm=arm, reason=reason.sentence())
    return "too_few", Message.of("verdict_nothing_to_compare")


def _choose(
    seen: Sequence[Observation], answers: tuple[ArmAnswer, ...], facts: dict[str, ArmFacts], base: str
) -> Verdict:
    ratios = tuple(a.ratio for a in answers)
    each = tuple(_recommend(seen, prompt, answers, facts, base) for prompt in _prompts(answers))
    winner, tie = _winner(seen, answers, facts)
    mixed = Recommendation(
        "",
        base if winner is None else winner.arm,
        1.0 if winner is None else winner.ratio.ratio,
        "no_difference" if winner is None else "better",
    )
    decision, sentence = _say(seen, answers, winner, each, base)
    if decision == "too_few":
        return Verdict("too_few", sentence, None, ratios, _doubts(answers, base), answers)
    reasons = (*tie, *_costs(answers), *_losses(answers), *_doubts(answers, base))
    return Verdict(
        decision,
        sentence,
        winner.arm if winner is not None else base,
        ratios,
        reasons,
        answers,
        (mixed, *each),
    )


def _prompts(answers: tuple[ArmAnswer, ...]) -> list[str]:
    return sorted({d.prompt_id for a in answers for d in a.domains})


def _finishes_later(answer: ArmAnswer) -> bool:
    """Whether the whole request is later by more than the threshold, and surely later at all."""
    price = answer.price
    return (price.total or 0.0) > THRESHOLD and (price.total_low or 0.0) > 1.0


def _winner(
    seen: Sequence[Observation], answers: tuple[ArmAnswer, ...], facts: dict[str, ArmFacts]
) -> tuple[ArmAnswer | None, tuple[Message, ...]]:
    """The arm for mixed use: the fastest that is better, loses nowhere and has no simpler equal."""
    fit = [
        a
        for a in answers
        if a.ratio.decision == "better"
        and not _finishes_later(a)
        and not any(d.decision == "worse" for d in a.domains)
    ]
    if not fit:
        return None, ()
    fastest = max(fit, key=lambda a: a.ratio.ratio)
    for other in sorted(fit, key=lambda a: facts[a.arm].n_max):
        if other is fastest:
            break
        if facts[other.arm].n_max >= facts[fastest.arm].n_max:
            continue
        against = compare(seen, fastest.arm, other.arm)
        if against is None or against.ratio.decision != "better":
            return other, (Message.of("reason_tie_simpler", arm=other.arm, other=fastest.arm),)
    return fastest, ()


def _recommend(
    seen: Sequence[Observation],
    prompt: str,
    answers: tuple[ArmAnswer, ...],
    facts: dict[str, ArmFacts],
    base: str,
) -> Recommendation:
    """The arm for one workload, ties to the simpler; off when none is better there."""
    here = {a.arm: d for a in answers for d in a.domains if d.prompt_id == prompt}
    fit = {arm: d for arm, d in here.items() if d.decision == "better"}
    if not fit:
        known = {d.decision for d in here.values()}
        return Recommendation(prompt, base, 1.0, "too_few" if known == {"too_few"} else "no_difference")
    fastest = max(fit, key=lambda arm: fit[arm].ratio)
    for arm in sorted(fit, key=lambda name: facts[name].n_max):
        if arm == fastest or (
            facts[arm].n_max < facts[fastest].n_max and not _beats(seen, fastest, arm, prompt)
        ):
            return Recommendation(prompt, arm, fit[arm].ratio, "better")
    raise AssertionError(prompt)


def _beats(seen: Sequence[Observation], arm: str, other: str, prompt: str) -> bool:
    against = compare(seen, arm, other)
    domains: tuple[DomainRatio, ...] = () if against is None else against.domains
    return any(d.prompt_id == prompt and d.decision == "better" for d in domains)


# -- sentences -----------------------------------------------------------------------------------------------


def _percent(ratio: float) -> str:
    return f"{abs(ratio - 1) * 100:.0f}"


def _say(
    seen: Sequence[Observation],
    answers: tuple[ArmAnswer, ...],
    winner: ArmAnswer | None,
    each: tuple[Recommendation, ...],
    base: str,
) -> tuple[Decision, Message]:
    """The one sentence."""
    if winner is not None:
        return "better", _say_winner(seen, winner, base)
    best = max(answers, key=lambda a: a.ratio.ratio)
    if all(a.ratio.decision == "too_few" for a in answers):
        n = sum(o.arm == best.arm and o.counts for o in seen)
        return "too_few", Message.of("verdict_indication", arm=best.arm, ratio=f"{best.ratio.ratio:.2f}", n=n)
    if best.ratio.ratio > 1 and _finishes_later(best):
        return "worse", Message.of(
            "verdict_finishes_later",
            arm=best.arm,
            gain=_percent(best.ratio.ratio),
            loss=_percent(best.price.total or 1.0),
        )
    gains = [r for r in each if r.decision == "better"]
    if gains:
        where = ", ".join(f"{r.prompt_id} ({r.arm}, {gain(r.ratio)} %)" for r in gains)
        return "no_difference", Message.of("verdict_only_some", where=where)
    if all(a.ratio.decision == "worse" for a in answers):
        return "worse", Message.of("verdict_worse", arm=best.arm, loss=_percent(best.ratio.ratio))
    return "no_difference", Message.of("verdict_no_difference")


def _say_winner(seen: Sequence[Observation], winner: ArmAnswer, base: str) -> Message:
    by_domain = [d.ratio for d in winner.domains]
    if max(by_domain) > SPREAD_WORTH_SAYING * min(by_domain):
        return Message.of(
            "verdict_better_by_workload",
            arm=winner.arm,
            low=f"{min(by_domain):.2f}",
            high=f"{max(by_domain):.2f}",
        )
    return Message.of(
        "verdict_better",
        arm=winner.arm,
        ratio=f"{winner.ratio.ratio:.2f}",
        low=f"{winner.ratio.low:.2f}",
        high=f"{winner.ratio.high:.2f}",
        off=f"{typical(seen, base) or 0:.1f}",
        on=f"{typical(seen, winner.arm) or 0:.1f}",
    )


def _costs(answers: tuple[ArmAnswer, ...]) -> tuple[Message, ...]:
    """What a gain costs: a later first token, slower prefill, a later end."""
    found = []
    for a in answers:
        if a.ratio.decision != "better" and a.ratio.ratio <= 1:
            continue
        if a.price.ttft is not None and a.price.ttft > THRESHOLD:
            found.append(Message.of("reason_ttft_later", arm=a.arm, ratio=f"{a.price.ttft:.2f}"))
        if a.price.prefill is not None and a.price.prefill < 1 / THRESHOLD:
            found.append(Message.of("reason_prefill_slower", arm=a.arm, loss=_percent(a.price.prefill)))
        if _finishes_later(a):
            found.append(Message.of("reason_total_later", arm=a.arm, loss=_percent(a.price.total or 1.0)))
            if a.price.break_even_tokens:
                found.append(
                    Message.of("reason_break_even", arm=a.arm, tokens=round(a.price.break_even_tokens))
                )
    return tuple(found)


def _losses(answers: tuple[ArmAnswer, ...]) -> tuple[Message, ...]:
    """Arms that gain on one workload and not on another: both said, never averaged."""
    found = []
    for a in answers:
        gains = [d for d in a.domains if d.decision == "better"]
        losses = [d for d in a.domains if d.decision == "worse" or d.ratio < 1]
        if gains and losses:
            top, bottom = max(gains, key=lambda d: d.ratio), min(losses, key=lambda d: d.ratio)
            found.append(
                Message.of(
                    "reason_gain_and_loss",
                    arm=a.arm,
                    gain_on=top.prompt_id,
                    gain=f"{top.ratio:.2f}",
                    loss_on=bottom.prompt_id,
                    loss=f"{bottom.ratio:.2f}",
                )
            )
    return tuple(found)


def _doubts(answers: tuple[ArmAnswer, ...], base: str) -> tuple[Message, ...]:
    """Why an answer is weaker than it could be."""
    found: list[Message] = []
    for a in answers:
        found += a.dropped
        ratio = a.ratio
        if ratio.decision == "too_few":
            found.append(
                Message.of(
                    "reason_too_few",
                    arm=a.arm,
                    pairs=a.pairs,
                    low=f"{ratio.low:.2f}",
                    high=f"{ratio.high:.2f}",
                )
            )
        elif ratio.decision == "no_difference" and ratio.low is not None and ratio.high is not None:
            if ratio.low > THRESHOLD or ratio.high < 1 / THRESHOLD:
                found.append(
                    Message.of("reason_restless", arm=a.arm, base=base, cv=f"{(a.cv_starts or 0) * 100:.1f}")
                )
            elif a.noise is not None and a.noise > NOISY and ratio.high > THRESHOLD:
                found.append(
                    Message.of("reason_wide", arm=a.arm, low=f"{ratio.low:.2f}", high=f"{ratio.high:.2f}")
                )
    return tuple(found)


def _missing(
    seen: Sequence[Observation], arms: Sequence[ArmFacts], answers: tuple[ArmAnswer, ...], base: str
) -> tuple[Message, ...]:
    """What the verdict does not rest on: failed, inactive, unverified and marked."""
    answered = {a.arm for a in answers} | {base}
    found = []
    for a in arms:
        marked = sum(o.arm == a.name and not o.counts for o in seen)
        counted = sum(o.arm == a.name and o.counts for o in seen)
        if a.failure is not None:
            found.append(Message.of("reason_arm_failed", arm=a.name, reason=a.failure.sentence()))
        elif a.mtp_active is False:
            found.append(Message.of("verdict_mtp_not_active", arm=a.name))
        elif a.name not in answered:
            found.append(Message.of("reason_arm_missing", arm=a.name))
        if 0 < counted < COUNTED_LEAST:
            found.append(Message.of("reason_few_requests", arm=a.name, n=counted, least=COUNTED_LEAST))
        if marked:
            found.append(Message.of("reason_marked", arm=a.name, n=marked))
        if not a.verified:
            found.append(Message.of("reason_unverified", arm=a.name))
    return tuple(found)


def _several_changed(arms: Sequence[ArmFacts], base: str) -> tuple[Message, ...]:
    """Names what differs from off besides MTP, so that no gain is put down to MTP alone."""
    off = next((a.settings for a in arms if a.name == base), None)
    found = []
    for a in arms:
        if off is None or a.settings is None or a.name == base:
            continue
        others = [s.label for s, _, _ in diff(off, a.settings) if s.key != "mtp" and not s.needs_mtp]
        if others:
            found.append(Message.of("reason_several_changed", arm=a.name, settings=", ".join(others)))
    return tuple(found)
