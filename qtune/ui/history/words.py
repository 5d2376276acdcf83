"""How a run of the history is told: the cells of its row, its figures, and what makes two of them unlike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication

from qtune.core.history_query import ExperimentSummary, RunSummary
from qtune.core.messages import QT_TRANSLATE_NOOP
from qtune.core.records import RunRecord, RunStatus
from qtune.core.settings import ServerSettings, Setting, SettingValue, diff
from qtune.ui.history.columns import (
    ACCEPTED,
    ARM,
    BUILD,
    CONTEXT,
    DATE,
    DECODE,
    MEMORY,
    MODEL,
    N_MAX,
    NOTE,
    QUANT,
    STAR,
    STATUS,
    TTFT,
    VERDICT,
)
from qtune.ui.tune.preset_card import DECISION_LOOKS
from qtune.ui.words import figures_text, texts

_STATUS_LOOKS = {
    RunStatus.RUNNING: ("measuring", "accent"),
    RunStatus.DONE: ("yes", "idle"),
    RunStatus.FAILED: ("crashed", "bad"),
    RunStatus.CANCELLED: ("stopped", "idle"),
    RunStatus.INTERRUPTED: ("warning", "warn"),
}
_OUTLIER = QT_TRANSLATE_NOOP("history", "outlier")
_DELETED = QT_TRANSLATE_NOOP("history", "deleted")
_translate = QCoreApplication.translate


def when(utc: str) -> str:
    """A stored moment in local time."""
    return texts.local_time(utc)


def peak_memory(row: RunSummary) -> str:
    """Highest reading of the card, else of the engine."""
    return figures_text.memory(row.vram_peak_bytes if row.vram_peak_bytes is not None else row.ram_peak_bytes)


def verdict_word(row: RunSummary) -> str:
    """What came of a run: its experiment's decision and how much faster its arm is, or how it ended."""
    if row.status is not RunStatus.DONE:
        return texts.run_state_word(row.status)
    if row.decision is None or row.arm == "off":  # off is what the others are told against
        return ""
    word = texts.decision_word(row.decision)
    return word if row.ratio is None else f"{word} {figures_text.gain(row.ratio)}"


def status_word(row: RunSummary) -> str:
    """How a run ended, and how the user marked it."""
    words = [texts.run_state_word(row.status)]
    if row.outlier:
        words.append(_translate("history", _OUTLIER))
    if row.deleted_utc is not None:
        words = [_translate("history", _DELETED)]
    return " · ".join(words)


_CELLS: dict[int, Callable[[RunSummary], str]] = {
    STAR: lambda _row: "",
    DATE: lambda row: when(row.started_utc),
    MODEL: lambda row: texts.stored_model_name(row.model),
    QUANT: lambda row: row.quant,
    ARM: lambda row: texts.arm_title(row.arm),
    CONTEXT: lambda row: figures_text.MISSING if row.ctx_size is None else figures_text.context(row.ctx_size),
    N_MAX: lambda row: figures_text.MISSING if row.n_max is None else str(row.n_max),
    DECODE: lambda row: figures_text.rate(row.decode_tok_s),
    TTFT: lambda row: figures_text.number(row.ttft_ms, 0),
    ACCEPTED: lambda row: figures_text.percent(row.acceptance_rate),
    MEMORY: peak_memory,
    VERDICT: verdict_word,
    STATUS: status_word,
    BUILD: lambda row: figures_text.MISSING if row.engine_build is None else str(row.engine_build),
    NOTE: lambda row: " ".join(row.note.split()),
}


def cell(row: RunSummary, column: int) -> str:
    """Text of a cell."""
    return _CELLS[column](row)


def heading_parts(found: ExperimentSummary, size: str) -> list[str]:
    """What an experiment asked of which model, how many runs it has (``size``), and its best arm."""
    kind = texts.job_title(found.kind)
    model = "" if found.model is None else texts.stored_model_name(found.model)
    if found.model is None:
        model = _translate("history", "several models")
    model = " ".join(filter(None, (model, found.quant)))
    arm = "" if found.arm is None else texts.arm_title(found.arm)
    return [part for part in (kind[:1].upper() + kind[1:], model, size, arm) if part]


def heading_verdict(found: ExperimentSummary) -> str:
    """What came of an experiment, and how much faster its best arm was than off."""
    if found.decision is None:
        return ""
    word = texts.decision_word(found.decision)
    return word if found.ratio is None else f"{word} {figures_text.gain(found.ratio)}"


def heading_cell(found: ExperimentSummary, whole: str, column: int) -> str:
    """Text of a cell in the heading of an experiment; ``whole`` is what its line says from the model on."""
    if column == VERDICT:
        return heading_verdict(found)
    if column == MODEL:
        return whole
    return when(found.created_utc) if column == DATE else ""


def about_cell(row: RunSummary, column: int) -> str:
    """What hovering a cell adds; empty where the cell says it all."""
    if column in {STATUS, VERDICT} and row.failure is not None:
        parts = (texts.sentence(row.failure), texts.hint(row.failure))
        return "\n".join(part for part in parts if part)
    if column == STAR:
        return (
            QCoreApplication.translate("history", "Starred")
            if row.starred
            else QCoreApplication.translate("history", "Not starred")
        )
    if column in {DECODE, TTFT, ACCEPTED} and not row.figures_known:
        return QCoreApplication.translate(
            "history", "The figures of this older run are still being worked out."
        )
    about = {
        MODEL: texts.stored_model_name(row.model),
        ARM: texts.job_title(row.kind),
        BUILD: row.engine,
        NOTE: row.note,
    }
    return about.get(column, "")


def decision_look(decision: str | None) -> tuple[str, str] | None:
    """Shape and tone of a decision."""
    return None if decision is None else DECISION_LOOKS.get(decision, ("unknown", "idle"))


def shape(row: RunSummary, column: int) -> tuple[str, str] | None:
    """Shape and tone before a word; the arm has its own."""
    if column == STAR:
        return ("star", "accent") if row.starred else ("hollow", "idle")
    if column in {STATUS, VERDICT} and row.status is not RunStatus.DONE:
        return _STATUS_LOOKS[row.status]
    return decision_look(row.decision) if column == VERDICT else None


# -- the figures of a run ------------------------------------------------------------------------------------


def figures(row: RunSummary) -> list[tuple[str, str, str]]:
    """Name, value and meaning of each figure, the same lines for every run."""
    return [
        (
            QCoreApplication.translate("history", "Decode"),
            figures_text.tok_s(row.decode_tok_s),
            QCoreApplication.translate(
                "history", "Median of output tokens per second after the first token."
            ),
        ),
        (
            QCoreApplication.translate("history", "First token"),
            figures_text.milliseconds(row.ttft_ms),
            QCoreApplication.translate(
                "history", "Median time from sending to the first piece of the answer."
            ),
        ),
        (
            QCoreApplication.translate("history", "Prefill"),
            figures_text.tok_s(row.prefill_tok_s),
            QCoreApplication.translate("history", "Prompt tokens read per second."),
        ),
        (
            QCoreApplication.translate("history", "Whole request"),
            figures_text.seconds(None if row.total_ms is None else row.total_ms / 1000),
            QCoreApplication.translate("history", "Median time from sending to the end of the stream."),
        ),
        (
            QCoreApplication.translate("history", "Accepted drafts"),
            figures_text.percent(row.acceptance_rate),
            QCoreApplication.translate("history", "Share of drafted tokens that the model confirmed."),
        ),
        (
            QCoreApplication.translate("history", "Tokens a step (L)"),
            figures_text.number(row.acceptance_length, 2),
            QCoreApplication.translate(
                "history", "Mean number of tokens gained in each step, the model's own included."
            ),
        ),
        (
            QCoreApplication.translate("history", "Peak memory"),
            peak_memory(row),
            QCoreApplication.translate(
                "history", "Highest reading: of the card, or of the engine where there is no card."
            ),
        ),
        (
            QCoreApplication.translate("history", "Load time"),
            figures_text.seconds(None if row.load_ms is None else row.load_ms / 1000),
            QCoreApplication.translate("history", "From launch to the first completed answer."),
        ),
        (
            QCoreApplication.translate("history", "Counted requests"),
            QCoreApplication.translate("history", "{counted} of {all}").format(
                counted=figures_text.count(row.requests_counted), all=figures_text.count(row.requests)
            ),
            QCoreApplication.translate(
                "history", "Requests that enter the figures; failed and marked ones do not."
            ),
        ),
    ]


def gain(row: RunSummary, first: RunSummary) -> str:
    """Decode rate against the first run's, in per cent; empty where one is missing."""
    if not row.decode_tok_s or not first.decode_tok_s or row is first:
        return ""
    return figures_text.change((row.decode_tok_s / first.decode_tok_s - 1) * 100)


# -- settings ------------------------------------------------------------------------------------------------


def value_word(value: SettingValue) -> str:
    """A setting's value as people read it."""
    if isinstance(value, bool):
        return (
            QCoreApplication.translate("history", "on")
            if value
            else QCoreApplication.translate("history", "off")
        )
    return f"{value:g}" if isinstance(value, float) else str(value)


def changed(run: RunRecord) -> list[tuple[Setting, SettingValue, SettingValue]]:
    """Settings that differ from the defaults: value and default."""
    return [(s, mine, usual) for s, usual, mine in diff(ServerSettings(), run.settings_requested)]


def unlike(runs: Sequence[RunRecord]) -> list[Setting]:
    """Settings in which some of these runs differ; what is equal is left out."""
    first = runs[0].settings_requested
    found = {s.key: s for run in runs[1:] for s, _, _ in diff(first, run.settings_requested)}
    return list(found.values())
