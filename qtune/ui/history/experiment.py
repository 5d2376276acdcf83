"""A stored experiment told again: its arms as a table, and the notes to its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from qtune.core.observation import observations, typical_spread
from qtune.core.records import RequestRecord, RunRecord, RunStatus
from qtune.core.stats import arm_figures
from qtune.core.taken_in import IMPORTED, LLAMA_BENCH
from qtune.core.verdict import Ratio
from qtune.session.history_desk import StoredExperiment
from qtune.ui.theme import Tokens, symbol
from qtune.ui.tune.preset_card import DECISION_LOOKS
from qtune.ui.widgets.grid import Cell, filled
from qtune.ui.widgets.parts import Note, tone_colour
from qtune.ui.words import figures_text, texts
from qtune.ui.words.verdict_words import in_order

_Starts = Sequence[tuple[RunRecord, Sequence[RequestRecord]]]


def arm_table(found: StoredExperiment, tokens: Tokens) -> tuple[list[Cell], list[list[Cell]]]:
    """Heading and a row for each arm: its speed, what the verdict says of it, and how many requests count."""
    heading = [
        Cell(QCoreApplication.translate("history", "Arm")),
        Cell("tok/s", about=QCoreApplication.translate("history", "Median of all counted requests.")),
        Cell(
            QCoreApplication.translate("history", "Against Off"),
            about=QCoreApplication.translate("history", "By the verdict, with its 95 % interval."),
        ),
        Cell(QCoreApplication.translate("history", "First token")),
        Cell(QCoreApplication.translate("history", "n"), about=_about_counted()),
    ]
    arms: dict[str, list[tuple[RunRecord, Sequence[RequestRecord]]]] = {}
    for run, requests in found.runs:
        arms.setdefault(run.arm, []).append((run, requests))
    return filled(heading, [_row(found, arm, arms[arm], tokens) for arm in in_order(arms)])


def _about_counted() -> str:
    return QCoreApplication.translate("history", "Counted requests.")


def _row(found: StoredExperiment, arm: str, starts: _Starts, tokens: Tokens) -> list[Cell]:
    figures = arm_figures([record for _, requests in starts for record in requests])
    ratio = None
    if found.verdict is not None:
        ratio = next((one for one in found.verdict.ratios if one.arm == arm), None)
    decode = typical_spread(observations(starts), arm, figures.decode_tok_s)
    ttft = figures.ttft_ms
    return [
        Cell(texts.arm_title(arm), symbol(arm), tokens.arm(arm), strong=True),
        Cell(figures_text.rate(None if decode is None else decode.median)),
        _against([run for run, _ in starts], ratio, tokens),
        Cell(figures_text.milliseconds(None if ttft is None else ttft.median)),
        Cell(str(figures.n_counted)),
    ]


def _against(runs: Sequence[RunRecord], ratio: Ratio | None, tokens: Tokens) -> Cell:
    failed = next((run for run in runs if run.status is RunStatus.FAILED), None)
    if failed is not None:
        word = texts.run_state_word(failed.status)
        return Cell(word, "crashed", tokens.bad, "bad", about=texts.run_note(failed))
    if ratio is None:
        return Cell("")
    shape, tone = DECISION_LOOKS.get(ratio.decision, ("unknown", "idle"))
    told = f"{texts.decision_word(ratio.decision)} {figures_text.gain(ratio.ratio)}"
    if ratio.bounds is not None:
        told += f"\n{figures_text.gain_bounds(*ratio.bounds)}"
    return Cell(told, shape, tone_colour(tone, tokens))


def experiment_notes(found: StoredExperiment) -> list[Note]:
    """Why the verdict is what it is; or that there is none."""
    if found.verdict is None:
        text = QCoreApplication.translate("history", "It was broken off before it came to a verdict.")
        if found.record.kind in {IMPORTED, LLAMA_BENCH}:
            text = QCoreApplication.translate("history", "It came with a file that holds no verdict.")
        return [Note(text, "info", "idle")]
    return [
        Note(texts.sentence(reason), "info", "idle", texts.hint(reason)) for reason in found.verdict.reasons
    ]


def experiment_name(found: StoredExperiment) -> tuple[str, str]:
    """What was asked of which model, and when, on what."""
    run = found.runs[0][0] if found.runs else None
    model = "" if run is None else " · ".join(filter(None, (texts.model_name(run.model), run.model.quant)))
    kind = texts.job_title(found.record.kind)
    name = " · ".join(part for part in (kind[:1].upper() + kind[1:], model) if part)
    prompts = texts.listed(texts.prompt_name(one) for one in found.record.prompt_id.split(",") if one)
    engine = "" if run is None else run.engine.version
    about = (texts.local_time(found.record.created_utc), prompts, engine)
    return name, " · ".join(part for part in about if part)
