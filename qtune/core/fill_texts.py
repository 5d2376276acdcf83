"""Sentences of the fill test: which context is safe, and why a larger one is not."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

FILL_TEXTS: dict[str, Text] = {
    "fill_safe": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "A context of {ctx} tokens is safe: every answer came complete, and {free} GiB of the card "
            "stayed free (at least {keep} shall).",
        ),
    ),
    "fill_safe_unknown": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "A context of {ctx} tokens is safe by its answers, which all came complete; how much memory "
            "stayed free is not known.",
        ),
    ),
    "fill_safe_ram": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "A context of {ctx} tokens is safe: every answer came complete. The engine sits in main memory, "
            "where no margin is judged.",
        ),
    ),
    "fill_none_safe": Text(
        QT_TRANSLATE_NOOP("messages", "No context tried is safe: {tried} tokens."),
        QT_TRANSLATE_NOOP(
            "messages", "Choose a smaller quantisation, a smaller KV type, or a preset with a shorter draft."
        ),
    ),
    "fill_failed": Text(
        QT_TRANSLATE_NOOP("messages", "The fill test ended for a reason other than memory: {reason}"),
        QT_TRANSLATE_NOOP("messages", "A smaller context would not help; look at the engine log."),
    ),
    "fill_unfinished": Text(QT_TRANSLATE_NOOP("messages", "The fill test did not come to its end.")),
    "fill_step_loading": Text(
        QT_TRANSLATE_NOOP("messages", "{ctx} tokens: the engine did not start. {reason}"),
    ),
    "fill_step_died": Text(QT_TRANSLATE_NOOP("messages", "{ctx} tokens, {share} % full: {reason}")),
    "fill_step_tight": Text(
        QT_TRANSLATE_NOOP(
            "messages", "{ctx} tokens: only {free} GiB of the card stayed free; {keep} are to be kept."
        ),
    ),
    "fill_step_spilled": Text(
        QT_TRANSLATE_NOOP("messages", "{ctx} tokens: the card spilled into main memory."),
    ),
    "fill_shallow": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{ctx} tokens, {share} % wanted: the prompt had only {filled} tokens instead of {depth}.",
        ),
    ),
    "fill_answer_cut": Text(
        QT_TRANSLATE_NOOP("messages", "The answer was cut after {tokens} of {wanted} tokens."),
    ),
    "fill_no_room": Text(
        QT_TRANSLATE_NOOP(
            "messages", "A context of {ctx} tokens is too small to be filled and still take {answer} tokens."
        ),
        QT_TRANSLATE_NOOP("messages", "Give a larger context or a shorter answer."),
    ),
}
