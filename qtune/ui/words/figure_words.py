"""What each figure means, in the same words wherever it is shown."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication

from qtune.core.messages import QT_TRANSLATE_NOOP

_ABOUT: Final = {
    "arm": QT_TRANSLATE_NOOP("figures", "What was measured: a preset, or a draft length that was tried."),
    "decode": QT_TRANSLATE_NOOP(
        "figures", "Decode speed: output tokens per second after the first token, by the server's own timing."
    ),
    "first_token": QT_TRANSLATE_NOOP(
        "figures", "Time from sending the request to the first piece of its answer (TTFT)."
    ),
    "total": QT_TRANSLATE_NOOP("figures", "Time of a whole request, from sending to the end of the stream."),
    "accepted": QT_TRANSLATE_NOOP(
        "figures", "Share of drafted tokens that the model confirmed; without drafts there is none."
    ),
    "against_off": QT_TRANSLATE_NOOP("figures", "How much faster it decodes than Off; below 0 it is slower."),
    "interval": QT_TRANSLATE_NOOP("figures", "Where the true gain lies, 95 times in 100."),
    "verdict": QT_TRANSLATE_NOOP(
        "figures", "Whether decode is faster or slower than that of Off beyond doubt, by a whole comparison."
    ),
    "depth": QT_TRANSLATE_NOOP("figures", "Tokens of the prompt: how far the context is filled."),
    "context": QT_TRANSLATE_NOOP("figures", "Tokens one conversation can hold."),
    "n_max": QT_TRANSLATE_NOOP("figures", "Most tokens drafted in one step."),
    "answered": QT_TRANSLATE_NOOP("figures", "Whether the request ended with an answer."),
    "median": QT_TRANSLATE_NOOP("figures", "Median of the counted requests."),
    "typical": QT_TRANSLATE_NOOP(
        "figures", "Median by text and start, then the geometric mean over the texts; in brackets the range."
    ),
}


def about(key: str, *, median: bool = False) -> str:
    """One sentence on a figure; ``median`` adds that several requests stand behind it."""
    text = QCoreApplication.translate("figures", _ABOUT[key])
    return text + " " + about("median") if median else text
