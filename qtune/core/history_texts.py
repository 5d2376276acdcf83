"""Sentences about rows of the history that cannot be written for the moment."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

HISTORY_TEXTS: dict[str, Text] = {
    "history_pending": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The history {path} cannot be written at the moment ({reason}); rows waiting: {count}.",
        ),
        QT_TRANSLATE_NOOP("messages", "They are tried again and nothing is lost; measuring goes on."),
    ),
    "history_caught_up": Text(
        QT_TRANSLATE_NOOP("messages", "The history can be written again; every waiting row is stored.")
    ),
    "history_read_in": Text(
        QT_TRANSLATE_NOOP("messages", "Rows that had waited beside the history and are stored now: {count}.")
    ),
    "history_rows_aside": Text(
        QT_TRANSLATE_NOOP(
            "messages", "Rows that waited beside the history and do not fit it are kept in {path}: {count}."
        ),
        QT_TRANSLATE_NOOP("messages", "The run they belong to is not in this history; nothing was deleted."),
    ),
}
