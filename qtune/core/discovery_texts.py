"""Sentences of the search for models; part of the table in ``messages``."""

from __future__ import annotations

from typing import Final

from qtune.core.text import QT_TRANSLATE_NOOP, Text

DISCOVERY_TEXTS: Final[dict[str, Text]] = {
    "model_folder_missing": Text(
        QT_TRANSLATE_NOOP("messages", "There is no folder {path}."),
        QT_TRANSLATE_NOOP("messages", "It may have been moved, or its drive is not connected."),
    ),
    "model_folder_unreadable": Text(
        QT_TRANSLATE_NOOP("messages", "The folder {path} cannot be read: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Check its permissions, or choose another folder."),
    ),
    "model_folder_silent": Text(
        QT_TRANSLATE_NOOP("messages", "{path} did not answer within {seconds} s and was left out."),
        QT_TRANSLATE_NOOP(
            "messages", "If it lies on a network drive, check the connection and search again."
        ),
    ),
    "model_folders_unreadable": Text(
        QT_TRANSLATE_NOOP("messages", "Folders that could not be read: {count}; the first is {path}."),
        QT_TRANSLATE_NOOP("messages", "Check their permissions if models of yours lie there."),
    ),
    "model_folder_crowded": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The search was cut: of the entries of {path}, only the first {count} were looked at."
        ),
        QT_TRANSLATE_NOOP("messages", "Keep models in a folder of their own."),
    ),
    "model_search_too_wide": Text(
        QT_TRANSLATE_NOOP("messages", "The search was cut: below {path} lie more than {count} folders."),
        QT_TRANSLATE_NOOP("messages", "Name a folder nearer to the models."),
    ),
    "model_search_full": Text(
        QT_TRANSLATE_NOOP("messages", "The search was cut after {count} models; there may be more."),
        QT_TRANSLATE_NOOP("messages", "Search fewer folders at once."),
    ),
    "model_search_cancelled": Text(
        QT_TRANSLATE_NOOP("messages", "The search was cancelled; what was found until then is shown."),
        QT_TRANSLATE_NOOP("messages", "Search again to go through all folders."),
    ),
    "model_problems_more": Text(
        QT_TRANSLATE_NOOP("messages", "More files that look like models and are none: {count}."),
        QT_TRANSLATE_NOOP("messages", "Search a folder by itself to see what is wrong with those in it."),
    ),
}
"""Code -> sentence and hint."""
