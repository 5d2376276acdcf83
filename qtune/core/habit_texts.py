"""Sentences about what is dropped on the window, pasted into it, or copied out of it."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

_DROPPABLE = QT_TRANSLATE_NOOP(
    "messages",
    "Models (.gguf), folders with models, llama-server itself, scripts that start it, and exports of the"
    " history (JSON) can be dropped here.",
)

HABIT_TEXTS: dict[str, Text] = {
    "dropped_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "{path} is nothing qtune can use."),
        _DROPPABLE,
    ),
    "dropped_no_command": Text(
        QT_TRANSLATE_NOOP("messages", "{path} holds no command that starts llama-server."),
        _DROPPABLE,
    ),
    "dropped_not_readable": Text(
        QT_TRANSLATE_NOOP("messages", "{path} cannot be read: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Check that the file is yours to read."),
    ),
    "dropped_several": Text(
        QT_TRANSLATE_NOOP("messages", "{count} files were dropped; only {path} was taken."),
        QT_TRANSLATE_NOOP("messages", "A folder of models can be dropped as a whole."),
    ),
    "dropped_while_busy": Text(
        QT_TRANSLATE_NOOP("messages", "Nothing can be taken in while qtune is at work."),
        QT_TRANSLATE_NOOP("messages", "Drop it again once the work has ended, or cancel it."),
    ),
    "pasted_no_command": Text(
        QT_TRANSLATE_NOOP("messages", "There is no command that starts llama-server in this text."),
        QT_TRANSLATE_NOOP("messages", "Copy the whole line that starts it, then paste it here."),
    ),
    "pasted_while_busy": Text(
        QT_TRANSLATE_NOOP("messages", "Settings cannot be changed while qtune is at work."),
        QT_TRANSLATE_NOOP("messages", "Paste the command again once the work has ended, or cancel it."),
    ),
    "pasted_file_relative": Text(
        QT_TRANSLATE_NOOP("messages", "It is not known in which folder {path} is."),
        QT_TRANSLATE_NOOP("messages", "Choose the file yourself."),
    ),
    "pasted_mtp_missing": Text(
        QT_TRANSLATE_NOOP("messages", "{settings}: without effect, since the command does not turn MTP on."),
    ),
    "nothing_to_launch": Text(
        QT_TRANSLATE_NOOP("messages", "There is no command to copy before a model and an engine are chosen."),
    ),
    "nothing_measured": Text(
        QT_TRANSLATE_NOOP("messages", "Nothing has been measured yet that could be passed on."),
        QT_TRANSLATE_NOOP("messages", "Measure something first; F5 measures the chosen preset."),
    ),
}
"""Texts by code; part of ``core.messages.TEXTS``."""
