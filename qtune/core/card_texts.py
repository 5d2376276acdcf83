"""Sentences about the choice of a card, and about contexts beyond what a model was trained on."""

from __future__ import annotations

from typing import Final

from qtune.core.text import QT_TRANSLATE_NOOP, Text

CARD_TEXTS: Final[dict[str, Text]] = {
    "card_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "There is no graphics card {card}."),
        QT_TRANSLATE_NOOP("messages", "The cards of this computer: {cards}."),
    ),
    "card_gone": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The chosen graphics card {card} is not there any more; the engine uses all it finds."
        ),
        QT_TRANSLATE_NOOP("messages", "The cards of this computer: {cards}. Choose one of them, or none."),
    ),
    "card_not_heeded": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The engine {version} cannot be confined to the chosen graphics card {card}, since none of the "
            "devices it lists is known to be that card; it uses all it finds.",
        ),
        QT_TRANSLATE_NOOP(
            "messages", "Take a build of the engine for that card, or hide the other cards from the engine."
        ),
    ),
    "device_not_chosen": Text(
        QT_TRANSLATE_NOOP(
            "messages", "This engine has no option to choose {devices}; it uses all the cards it finds."
        ),
        QT_TRANSLATE_NOOP("messages", "Update the engine."),
    ),
    "context_beyond_training": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "A context of {ctx} tokens is longer than the {trained} the model was trained on; beyond those "
            "its answers may lose all sense.",
        ),
        QT_TRANSLATE_NOOP("messages", "Choose at most {trained} tokens."),
    ),
}
