"""Sentences only the window says."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

WINDOW_TEXTS: dict[str, Text] = {
    "kept_as_default": Text(
        QT_TRANSLATE_NOOP("messages", "These settings are your default now."),
        QT_TRANSLATE_NOOP("messages", "They are what is started again where others have failed."),
    ),
}
"""Texts by code; part of ``core.messages.TEXTS``."""
