"""The settings a user brought along: the base of every preset, and the preset made of a draft that was given.

What a preset does not touch comes from the base. MTP belongs to presets alone: Off must stay off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from qtune.core.command_text import PastedCommand
from qtune.core.errors import KnownError
from qtune.core.messages import QT_TRANSLATE_NOOP, Message
from qtune.core.presets import Preset
from qtune.core.settings import SETTINGS, ServerSettings, SettingValue
from qtune.session.jobs import CUSTOM

Values = tuple[tuple[str, SettingValue], ...]
"""Values by key of ``SETTINGS``, in its order."""
Source = Literal["search", "command"]

AIMS: Final[dict[Source, str]] = {
    "search": QT_TRANSLATE_NOOP("presets", "The draft length found on this machine"),
    "command": QT_TRANSLATE_NOOP("presets", "From the command you pasted"),
}
"""What the custom preset is, by where it came from."""
_KEEP_BYTES: Final = 1024**3
_ELSEWHERE: Final = frozenset({"ctx_size", "mtp"})
"""Chosen on the Tune page itself, by field and by preset."""


def is_own(key: str) -> bool:
    """Whether a setting belongs to the base; the rest belongs to presets or has a field of its own."""
    return key not in _ELSEWHERE and not SETTINGS[key].needs_mtp


def custom_preset(values: Values, source: Source) -> Preset:
    """The preset of a draft that was found or given."""
    return Preset(CUSTOM, "Custom", AIMS[source], _KEEP_BYTES, values)


@dataclass(frozen=True, slots=True)
class Intake:
    """What a pasted command makes of the choices.

    Attributes:
        own: The base from now on, without the context; what it held before and the command does not name
            goes back to the default, or another launch than the command's would come of it.
        ctx_size: Tokens, None where the command names none.
        custom: Values of the custom preset; empty for a command without MTP, which is the preset Off.
        problems: What has no effect, in sentences.
    """

    own: Values
    ctx_size: int | None
    custom: Values
    problems: tuple[Message, ...]

    @property
    def preset_id(self) -> str:
        """The preset that launches the command."""
        return CUSTOM if self.custom else "off"

    def settings(self, ctx_size: int) -> ServerSettings:
        """What would be launched; ``ctx_size`` is the context chosen now."""
        base = ServerSettings(ctx_size=self.ctx_size or ctx_size).with_values(dict(self.own))
        return base.with_values(dict(self.custom))


def intake_of(pasted: PastedCommand) -> Intake:
    """Sort the settings of a command into base and preset."""
    values, usual = pasted.settings, ServerSettings()
    mtp = bool(values.get("mtp", False))
    drafting = tuple((key, value) for key, value in values.items() if SETTINGS[key].needs_mtp)
    problems = pasted.problems
    if drafting and not mtp:
        named = ", ".join(SETTINGS[key].label for key, _ in drafting)
        problems = (*problems, Message.of("pasted_mtp_missing", settings=named))
    return Intake(
        own=tuple((key, v) for key, v in values.items() if is_own(key) and v != usual.get(key)),
        ctx_size=int(values["ctx_size"]) if "ctx_size" in values else None,
        custom=(("mtp", True), *drafting) if mtp else (),
        problems=problems,
    )


# -- as preferences ------------------------------------------------------------------------------------------


def to_text(values: Values) -> str:
    """Values as they are stored."""
    return json.dumps(dict(values)) if values else ""


def from_text(text: str) -> Values:
    """Stored values; those another version knew, or that somebody edited wrongly, are left out."""
    try:
        stored = json.loads(text) if text else {}
    except ValueError:
        return ()
    return _checked(stored) if isinstance(stored, dict) else ()


def _checked(stored: Mapping[str, object]) -> Values:
    found = []
    for key, setting in SETTINGS.items():
        try:
            if key in stored:
                found.append((key, setting.check(stored[key])))
        except KnownError:
            continue
    return tuple(found)
