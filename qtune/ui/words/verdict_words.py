"""How a finished job is judged and told: its seal, its lines of reasons, the look of its arms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from qtune.core.messages import QT_TRANSLATE_NOOP, Message
from qtune.core.presets import PRESET_IDS
from qtune.core.records import RunStatus
from qtune.session.findings import ArmFindings, JobResult
from qtune.session.plans import SCREEN
from qtune.ui.tune.preset_card import DECISION_LOOKS
from qtune.ui.widgets.parts import Note
from qtune.ui.words import texts

_PASSED = (QT_TRANSLATE_NOOP("seals", "passed"), "yes", "good")
_FAILED = (QT_TRANSLATE_NOOP("seals", "failed"), "no", "bad")
_SEALS = {
    "gate_in_a_row": _PASSED,
    "soak_passed": _PASSED,
    "selftest_passed": _PASSED,
    "gate_anomaly": _FAILED,
    "soak_slower": _FAILED,
    "soak_memory": _FAILED,
    "soak_empty": _FAILED,
    "soak_errors": _FAILED,
    "selftest_failed": _FAILED,
    "fill_safe": (QT_TRANSLATE_NOOP("seals", "safe"), "yes", "good"),
    "fill_safe_ram": (QT_TRANSLATE_NOOP("seals", "safe"), "yes", "good"),
    "fill_safe_unknown": (QT_TRANSLATE_NOOP("seals", "answered, margin not known"), "unknown", "warn"),
    "fill_none_safe": (QT_TRANSLATE_NOOP("seals", "not safe"), "no", "bad"),
    "fill_failed": _FAILED,
    "fill_unfinished": (QT_TRANSLATE_NOOP("seals", "no answer yet"), "unknown", "warn"),
    "verdict_only_some": (QT_TRANSLATE_NOOP("seals", "depends on the text"), "mixed", "warn"),
    "verdict_indication": (QT_TRANSLATE_NOOP("seals", "indication"), "unknown", "warn"),
}
"""Seals of verdicts whose sentence says more than their decision."""
_LOOK = (QT_TRANSLATE_NOOP("seals", "a look, no verdict"), "curve", "idle")
_OPEN = (QT_TRANSLATE_NOOP("seals", "no answer yet"), "unknown", "warn")
_LOOKS_ONLY = frozenset({"sweep-context", "seeds", "raw"})
"""Jobs that describe and do not decide."""
_DOUBTS = frozenset(
    {
        "reason_arm_failed",
        "reason_arm_missing",
        "reason_marked",
        "reason_unverified",
        "reason_restless",
        "reason_too_few",
        "reason_few_requests",
        "reason_wide",
        "reason_lengths_apart",
        "verdict_mtp_not_active",
    }
)
"""Reasons that weaken an answer rather than explain it."""
PREFLIGHT = "preflight_"
"""Begins the codes of what spoke against a fair measurement before it began; every run carries them."""
_ALWAYS_QUICK = frozenset({"reason_too_few", "reason_few_requests"})
"""True of every arm of every Quick measurement, which is told as an indication already."""


def seal_of(found: JobResult) -> tuple[str, str, str]:
    """Word, shape and tone of the judgement."""
    verdict, kind = found.result.verdict, found.result.experiment.kind
    known = _LOOK if kind in _LOOKS_ONLY else _SEALS.get(verdict.sentence.code)
    if known is None and verdict.decision == "too_few":
        known = _OPEN
    if known is None:
        return (texts.decision_word(verdict.decision), *DECISION_LOOKS[verdict.decision])
    return (QCoreApplication.translate("seals", known[0]), *known[1:])


def about_job(found: JobResult) -> str:
    """What was measured, in a few words: kind, form, texts, model."""
    experiment, arms = found.result.experiment, found.findings.arms
    parts = [texts.job_title(experiment.kind)]
    if experiment.kind in {"compare", "sweep-n-max", "selftest"}:
        quick = experiment.form == "quick"
        parts.append(
            QCoreApplication.translate("seals", "Quick")
            if quick
            else QCoreApplication.translate("seals", "Full")
        )
    asked = arms if found.findings.fill is None else ()  # its card lists every depth
    prompts = dict.fromkeys(record.prompt_id for arm in asked for record in arm.requests)
    parts.append(texts.listed(texts.prompt_name(prompt) for prompt in prompts))
    model = arms[-1].runs[-1].model
    name = QCoreApplication.translate("seals", "sample model") if model.is_sample else model.name
    parts.append(f"{name} {model.quant}")
    return " · ".join(part for part in parts if part)


def notes_of(found: JobResult) -> list[Note]:
    """The reasons, then what is missing or odd, one line each."""
    return [*_standing(found), *_reasons(found), *_odd(found)]


def _standing(found: JobResult) -> Iterator[Note]:
    """What must be known before anything below is believed."""
    if found.result.cancelled:
        text = QCoreApplication.translate("seals", "Cancelled: this is what was measured until then.")
        yield Note(text, "info", "accent")
    quick = found.result.experiment.form == "quick"
    if quick and found.result.verdict.sentence.code == "verdict_indication":
        text = QCoreApplication.translate(
            "seals", "An indication has no interval and cannot tell a small gain from luck; Full can."
        )
        yield Note(text, "info", "accent")
    if any(arm.runs[-1].model.is_sample for arm in found.findings.arms):
        yield Note(texts.sentence(Message.of("sample_says_nothing")), "info", "accent")


def _reasons(found: JobResult) -> Iterator[Note]:
    quick = found.result.experiment.form == "quick"
    for reason in found.result.verdict.reasons:
        if quick and reason.code in _ALWAYS_QUICK:
            continue
        doubt = reason.code in _DOUBTS
        shape, tone = ("warning", "warn") if doubt else ("point", "idle")
        yield Note(texts.sentence(_translatable(reason, found)), shape, tone, texts.hint(reason))


def _odd(found: JobResult) -> Iterator[Note]:
    """Failures and remarks of single starts, each said once; what held before the job began, of no arm."""
    said: set[tuple[str, Message | str]] = set()
    for arm in found.findings.arms:
        for run in arm.runs:
            failed = run.status is RunStatus.FAILED and run.failure is not None
            for message in (*((run.failure,) if failed and run.failure else ()), *run.notes):
                before = message.code.startswith(PREFLIGHT)
                about = "" if before else arm.arm
                key = (about, message.code if before else message)  # a second reading is no second remark
                if key not in said:
                    said.add(key)
                    text = texts.sentence(message)
                    if about:
                        text = texts.labelled(texts.arm_title(about), text)
                    shape = ("crashed", "bad") if message == run.failure else ("info", "idle")
                    yield Note(text, *shape, texts.hint(message))


def _translatable(reason: Message, found: JobResult) -> Message:
    """A reason that quotes a failure quotes it in the language in force."""
    if reason.code != "reason_arm_failed":
        return reason
    arm = dict(reason.params).get("arm")
    for mine in found.findings.arms:
        failures = [run.failure for run in mine.runs if run.failure is not None]
        if mine.arm == arm and failures:
            return replace(reason, params=(("arm", arm), ("reason", texts.sentence(failures[0]))))
    return reason


def confirmed(found: JobResult) -> list[ArmFindings]:
    """Arms the verdict rests on, in the order of the cards: without the trials of a search."""
    return sorted((arm for arm in found.findings.arms if not arm.arm.startswith(SCREEN)), key=_place)


def in_order(names: Iterable[str]) -> list[str]:
    """Arms by name in the order of the cards; others keep theirs behind them."""
    return sorted(names, key=_rank)


def _place(arm: ArmFindings) -> int:
    return _rank(arm.arm)


def _rank(arm: str) -> int:
    return PRESET_IDS.index(arm) if arm in PRESET_IDS else len(PRESET_IDS)


def found_n_max(found: JobResult) -> int | None:
    """The draft length a search found better than off; None when it found none."""
    winner = found.result.verdict.winner or ""
    good = found.result.experiment.kind == "sweep-n-max" and found.result.verdict.decision == "better"
    return int(winner[1:]) if good and winner[1:].isdigit() else None
